"""The documentation's notebooks: run without Jupyter, and compared with the outputs that are stored in them.

    python crates/python/tests/test_notebooks.py

runs the cells of the first notebook and stores their outputs in it.
"""

import ast
import contextlib
import io
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, need
from pacman2.__main__ import program

FILE = ROOT / "docs/python.ipynb"
# The notebook that leads from a net to an uploaded bot.
NET = FILE.with_name("net.ipynb")
# What is large in the notebook, or depends on how busy the machine is.
SMALL = {
    "GAMES = 60": "GAMES = 2",
    "epochs=12": "epochs=1",
    "MOST_BLOCKS = 24": "MOST_BLOCKS = 1",
    "check large.cpp": "check large.cpp --time-limit 60000",
    "play large.cpp greedy sample random": "play large.cpp small.cpp greedy random --turns 2 --time-limit 60000",
    "arena init": "arena init --turns 2 --time-limit 60000",
}
# The formats in which a notebook can show an object, and the methods that produce them.
SHOWN = {"image/svg+xml": "_repr_svg_", "text/html": "_repr_html_", "text/plain": "__repr__"}


def outputs(notebook):
    """Runs the code cells in order and returns the outputs of each."""
    names = {"__name__": "__main__"}
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [run("".join(cell["source"]), names, count) for count, cell in enumerate(code, 1)]


def run(source, names, count):
    """Returns what a cell prints and, if its last line is an expression, what that line shows."""
    *body, last = ast.parse(source).body
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        value = None
        if isinstance(last, ast.Expr):
            exec(compile(ast.Module(body, []), FILE.name, "exec"), names)
            value = eval(compile(ast.Expression(last.value), FILE.name, "eval"), names)
        else:
            exec(compile(ast.Module([*body, last], []), FILE.name, "exec"), names)
    shown = []
    if printed.getvalue():
        shown.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if value is not None:
        ways = [(kind, name) for kind, name in SHOWN.items() if hasattr(value, name)]
        data = {kind: lines(getattr(value, name)()) for kind, name in ways}
        result = {"data": data, "execution_count": count, "metadata": {}}
        shown.append({**result, "output_type": "execute_result"})
    return shown


def lines(text):
    """Splits text into lines, as notebooks store it."""
    return text.splitlines(keepends=True)


def test_notebook_outputs_are_current():
    stored = json.loads(FILE.read_text())
    code = [cell for cell in stored["cells"] if cell["cell_type"] == "code"]
    assert any("image/svg+xml" in output.get("data", {}) for cell in code for output in cell["outputs"])
    for cell, shown in zip(code, outputs(stored)):
        assert cell["outputs"] == shown, "".join(cell["source"])


def printed(cells):
    return "".join("".join(output["text"]) for shown in cells for output in shown)


def test_a_net_becomes_a_bot_that_is_checked_plays_and_is_compared(tmp_path, monkeypatch):
    need("torch")
    if shutil.which("g++") is None:
        pytest.skip("not run: g++ is not installed")
    path = os.environ.get("PACMAN2") or program()
    if path is None:
        pytest.skip("not run: the program pacman2 is not installed with the package")
    tier = json.loads(subprocess.run([path, "doctor", "--json"], check=True, capture_output=True, text=True).stdout)["tier"]
    if tier == "C":
        pytest.skip("not run: this machine has no sandbox for bots")
    monkeypatch.setenv("PATH", str(Path(path).parent), prepend=os.pathsep)
    monkeypatch.chdir(tmp_path)
    stored = json.loads(NET.read_text())
    before = printed(cell["outputs"] for cell in stored["cells"] if cell["cell_type"] == "code")
    assert "Better: +" in before and before.count("no faults found") == 1
    text = NET.read_text()
    for large, small in SMALL.items():
        quoted = json.dumps(large)[1:-1]
        assert quoted in text, large
        text = text.replace(quoted, json.dumps(small)[1:-1])
    ran = printed(outputs(json.loads(text)))
    assert "large.cpp: no faults found" in ran
    assert ran.count("OK 2") == 4
    assert "large@1 compared with small@1" in ran and "4 games" in ran
    assert all(f"{name}: " in ran for name in ("small.cpp", "large.cpp"))


@pytest.mark.parametrize("name", ["python", "net"])
def test_a_chinese_notebook_has_the_same_code_and_outputs(name):
    english, chinese = (
        json.loads(FILE.with_name(file).read_text(encoding="utf-8"))
        for file in (f"{name}.ipynb", f"{name}.zh.ipynb")
    )
    for ours, theirs in zip(english["cells"], chinese["cells"], strict=True):
        if ours["cell_type"] == "code":
            assert theirs == ours
        else:
            assert theirs["cell_type"] == "markdown"
            assert re.search("[\u4e00-\u9fff]", "".join(theirs["source"]))


def main():
    notebook = json.loads(FILE.read_text())
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for count, (cell, shown) in enumerate(zip(code, outputs(notebook)), 1):
        cell["outputs"], cell["execution_count"] = shown, count
    FILE.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
