"""Runs the notebook of the documentation without Jupyter.

    python crates/python/tests/notebook.py

runs its cells and stores what they print and show; `test_docs.py` compares that with what is
stored.
"""

import ast
import contextlib
import io
import json
from pathlib import Path

FILE = Path(__file__).resolve().parents[3] / "docs" / "python.ipynb"
# What a notebook can show of an object, and which method says it.
SHOWN = {"image/svg+xml": "_repr_svg_", "text/html": "_repr_html_", "text/plain": "__repr__"}


def outputs(notebook):
    """Runs the code cells one after another; the outputs of each."""
    names = {"__name__": "__main__"}
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [run("".join(cell["source"]), names, count) for count, cell in enumerate(code, 1)]


def run(source, names, count):
    """What a cell prints, and what its last line shows if it is an expression."""
    *body, last = ast.parse(source).body
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        value = None
        if isinstance(last, ast.Expr):
            exec(compile(ast.Module(body, []), FILE.name, "exec"), names)
            value = eval(compile(ast.Expression(last.value), FILE.name, "eval"), names)
        else:
            exec(compile(ast.Module([*body, last], []), FILE.name, "exec"), names)
    told = []
    if printed.getvalue():
        told.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if value is not None:
        ways = [(kind, name) for kind, name in SHOWN.items() if hasattr(value, name)]
        data = {kind: lines(getattr(value, name)()) for kind, name in ways}
        result = {"data": data, "execution_count": count, "metadata": {}}
        told.append({**result, "output_type": "execute_result"})
    return told


def lines(text):
    """Text as notebooks keep it."""
    return text.splitlines(keepends=True)


def main():
    notebook = json.loads(FILE.read_text())
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for count, (cell, told) in enumerate(zip(code, outputs(notebook)), 1):
        cell["outputs"], cell["execution_count"] = told, count
    FILE.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
