"""Reads sources as lines of JSON and prints what they import and which strings they contain. Run by `pacman2 bundle`."""
import ast
import io
import json
import sys
import sysconfig
import tokenize
import pathlib

# What an import may fail with, without an end of the program.
CAUGHT = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}


def standard_modules():
    known = getattr(sys, "stdlib_module_names", None)
    if known is None:  # Python before 3.10
        folder = pathlib.Path(sysconfig.get_paths()["stdlib"])
        known = {path.stem for path in folder.iterdir()} | set(sys.builtin_module_names)
    return known


def catches_import_errors(node):
    for handler in node.handlers:
        types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        if any(kind is None or getattr(kind, "id", "") in CAUGHT for kind in types):
            return True
    return False


class Reader(ast.NodeVisitor):
    def __init__(self):
        self.imports, self.computed, self.strings, self.optional = [], [], [], False

    def add(self, node, module, level=0, names=()):
        self.imports.append({
            "line": node.lineno, "module": module, "level": level, "names": list(names), "optional": self.optional,
            "standard": level == 0 and module.split(".")[0] in STANDARD,
        })

    def visit_Import(self, node):
        for alias in node.names:
            self.add(node, alias.name)

    def visit_ImportFrom(self, node):
        self.add(node, node.module or "", node.level, [alias.name for alias in node.names])

    def visit_Try(self, node):
        before, self.optional = self.optional, self.optional or catches_import_errors(node)
        for child in node.body:
            self.visit(child)
        self.optional = before
        for child in node.handlers + node.orelse + node.finalbody:
            self.visit(child)

    def visit_Call(self, node):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name in ("__import__", "import_module") and node.args:
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                self.add(node, first.value.lstrip("."), len(first.value) - len(first.value.lstrip(".")))
            else:
                self.computed.append(node.lineno)
        self.generic_visit(node)

    def visit_Constant(self, node):
        if isinstance(node.value, str) and len(node.value) < 200:
            self.strings.append([node.lineno, node.value])


def head(tree):
    """The last line of the docstring and of the imports from __future__, which have to stay at the top."""
    last = 0
    for number, node in enumerate(tree.body):
        is_docstring = number == 0 and isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)
        if is_docstring or isinstance(node, ast.ImportFrom) and node.module == "__future__":
            last = node.end_lineno
        else:
            # A statement on the same line could not be moved away.
            return last if node.lineno > last else None
    return last


def facts(source):
    try:
        tree = ast.parse(source)
        reader = Reader()
        reader.visit(tree)
        tokens = tokenize.generate_tokens(io.StringIO(source).readline)
        comments = [token.start for token in tokens if token.type == tokenize.COMMENT]
    except SyntaxError as error:
        return {"error": error.msg or "it is no Python", "line": error.lineno or 1}
    except (ValueError, RecursionError, MemoryError, tokenize.TokenError) as error:
        return {"error": str(error) or type(error).__name__, "line": 1}
    return {
        "imports": reader.imports, "computed": reader.computed, "strings": reader.strings, "head": head(tree), "comments": comments,
    }


STANDARD = standard_modules()
for line in sys.stdin:
    print(json.dumps([facts(source) for source in json.loads(line)]), "MORE", sep="\n", flush=True)
