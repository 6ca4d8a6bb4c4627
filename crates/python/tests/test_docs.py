"""The examples in the documentation and the notebook print the documented output."""

import contextlib
import io
import json
import re
from pathlib import Path

import pytest

import notebook
from conftest import need

PACKAGE = Path(__file__).resolve().parents[1]
DOCS = PACKAGE.parents[1] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)
# What examples need that contain these words.
NEEDS = {
    "sb3": ["stable_baselines3", "sb3_contrib"],
    "rllib": ["ray.rllib"],
    "openspiel": ["pyspiel"],
    "RecordVideo": ["moviepy"],
}


def blocks(name, folder=DOCS):
    """Returns the code blocks of a page with their expected output."""
    return BLOCK.findall((folder / name).read_text())


def title(block):
    code, _ = block
    return code.partition("\n")[0]


def bare(text):
    """Strips trailing spaces, which the pages do not keep."""
    return [line.rstrip() for line in text.splitlines()]


@pytest.mark.parametrize("block", blocks("PYTHON.md") + blocks("README.md", PACKAGE), ids=title)
def test_code_block_prints_its_output(block, tmp_path, monkeypatch):
    code, expected = block
    if "parallel_env" in code:
        pytest.importorskip("pettingzoo")
    need(*(package for word, packages in NEEDS.items() if word in code for package in packages))
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "PYTHON.md", "exec"), {"__name__": "example"})
    assert bare(printed.getvalue()) == bare(expected)


def test_both_languages_have_the_same_examples():
    assert len(blocks("PYTHON.md")) >= 5
    assert blocks("PYTHON.md") == blocks("PYTHON.zh.md")


def test_notebook_outputs_are_current():
    stored = json.loads(notebook.FILE.read_text())
    code = [cell for cell in stored["cells"] if cell["cell_type"] == "code"]
    shown = [output.get("data", {}) for cell in code for output in cell["outputs"]]
    assert any("image/svg+xml" in data for data in shown)
    for cell, outputs in zip(code, notebook.outputs(stored)):
        assert cell["outputs"] == outputs, "".join(cell["source"])
