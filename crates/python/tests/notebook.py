"""Runs the documentation's notebook without Jupyter.

    python crates/python/tests/notebook.py

runs its cells and stores their outputs in the notebook. `test_docs.py` runs the cells again and
compares their outputs with the stored ones.
"""

import ast
import contextlib
import io
import json
from pathlib import Path

FILE = Path(__file__).resolve().parents[3] / "docs" / "python.ipynb"
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


def main():
    notebook = json.loads(FILE.read_text())
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for count, (cell, shown) in enumerate(zip(code, outputs(notebook)), 1):
        cell["outputs"], cell["execution_count"] = shown, count
    FILE.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
