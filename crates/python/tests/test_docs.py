"""The documentation's examples run and print what it says, and so does the notebook."""

import contextlib
import io
import json
import re
from pathlib import Path

import pytest

import notebook

DOCS = Path(__file__).resolve().parents[3] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)
# An example that shows another package is tested where that package is.
ELSEWHERE = "import pufferlib"


def blocks(name):
    """Code and what it prints, of one page."""
    found = BLOCK.findall((DOCS / name).read_text())
    return [(code, printed) for code, printed in found if not code.startswith(ELSEWHERE)]


def title(block):
    code, _ = block
    return next(line for line in code.splitlines() if "=" in line)


def bare(text):
    """Without the spaces at the ends of lines, which a page does not keep."""
    return [line.rstrip() for line in text.splitlines()]


@pytest.mark.parametrize("block", blocks("PYTHON.md"), ids=title)
def test_example(block):
    code, expected = block
    if "parallel_env" in code:
        pytest.importorskip("pettingzoo")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "PYTHON.md", "exec"), {"__name__": "example"})
    assert bare(printed.getvalue()) == bare(expected)


def test_examples_are_the_same_in_both_languages():
    assert len(blocks("PYTHON.md")) >= 5
    assert blocks("PYTHON.md") == blocks("PYTHON.zh.md")


def test_notebook():
    stored = json.loads(notebook.FILE.read_text())
    code = [cell for cell in stored["cells"] if cell["cell_type"] == "code"]
    shown = [output.get("data", {}) for cell in code for output in cell["outputs"]]
    assert any("image/svg+xml" in data for data in shown)
    for cell, told in zip(code, notebook.outputs(stored)):
        assert cell["outputs"] == told, "".join(cell["source"])
