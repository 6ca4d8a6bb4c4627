"""The docstrings and the pages: complete, naming only what exists, with examples that print what they show."""

import contextlib
import doctest
import importlib
import inspect
import io
import os
import pkgutil
import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pacman2
import pytest
from conftest import ROOT, need

for module in ("gymnasium", "pettingzoo"):
    pytest.importorskip(module)

# PufferLib takes long to install; of its package, `pacman2.puffer` needs only a base class.
if not importlib.util.find_spec("pufferlib"):
    puffer = types.ModuleType("pufferlib")
    puffer.PufferEnv = type("PufferEnv", (), {})  # type: ignore[attr-defined]
else:
    puffer = None


def modules() -> list[types.ModuleType]:
    """Returns the modules of the package, except those for frameworks that are not installed."""
    found = [pacman2]
    with pytest.MonkeyPatch.context() as patch:
        if puffer is not None and "pufferlib" not in sys.modules:
            patch.setitem(sys.modules, "pufferlib", puffer)
        for module in pkgutil.iter_modules(pacman2.__path__, "pacman2."):
            try:
                found.append(importlib.import_module(module.name))
            except ImportError as error:
                must = os.environ.get("PACMAN2_FRAMEWORKS") == "must"
                if must or "got none; pip install" not in str(error):
                    raise
    if puffer is not None and sys.modules.pop("pacman2.puffer", None) is not None:
        # Other tests shall import it with the real base class.
        del pacman2.puffer
    return found


MODULES = modules()
IMPORTED = sys.modules | {module.__name__: module for module in MODULES}
ABSENT = {module.name for module in pkgutil.iter_modules(pacman2.__path__)}
ABSENT -= {module.__name__.removeprefix("pacman2.") for module in MODULES}
PUBLIC = [module for module in MODULES if not module.__name__.rpartition(".")[2].startswith("_")]


def is_own(value: Any) -> bool:
    return getattr(value, "__module__", "").startswith("pacman2")


def members(owner: Any) -> Iterator[tuple[str, Any]]:
    """Returns the public functions, classes, methods and properties that are defined in an object."""
    for name, value in sorted(vars(owner).items()):
        member = inspect.unwrap(getattr(value, "__func__", value))
        is_property = isinstance(member, property | types.GetSetDescriptorType)
        is_here = inspect.isclass(owner) or getattr(member, "__module__", "") == owner.__name__
        if not name.startswith("_") and is_here and (callable(member) or is_property):
            yield name, member


def objects() -> dict[str, Any]:
    """Returns all public objects by qualified name."""
    found: dict[str, Any] = {module.__name__: module for module in PUBLIC}
    for module in PUBLIC:
        found |= {f"{module.__name__}.{name}": value for name, value in members(module)}
    found |= {f"pacman2.{name}": getattr(pacman2, name) for name in pacman2.__all__}
    for name, value in list(found.items()):
        if inspect.isclass(value) and not hasattr(value, "__total__"):
            found |= {f"{name}.{inner}": member for inner, member in members(value)}
    del found["pacman2.__version__"]
    return found


OBJECTS = objects()
# What the docstrings call by its bare name and is not ours.
FOREIGN = {"tensor.numpy()"}


def docs() -> Iterator[tuple[str, str]]:
    """Returns the docstrings of the public objects and of the private modules."""
    for name, value in OBJECTS.items():
        if doc := inspect.getdoc(value):
            yield name, doc
    for module in MODULES:
        for name, value in vars(module).items():
            is_here = is_own(value) and value.__module__ == module.__name__
            if is_here and (doc := getattr(value, "__doc__", None)):
                yield f"{module.__name__}.{name}", doc


def resolve(path: str, owner: str) -> bool:
    """Returns whether a name exists: in its object, beside it, in its module or in the package."""
    parts = owner.split(".")
    scopes = [".".join(parts[:count]) for count in range(len(parts), 0, -1)]
    # Attributes that a constructor assigns exist in objects only.
    if any(is_assigned(scope, path) for scope in scopes):
        return True
    candidates = [path, *(f"{scope}.{path}" for scope in scopes), f"pacman2._engine.{path}"]
    return any(map(exists, candidates))


def is_assigned(scope: str, name: str) -> bool:
    value = OBJECTS.get(scope)
    is_python = inspect.isclass(value) and not scope.startswith("pacman2._engine")
    try:
        return is_python and f"self.{name} = " in inspect.getsource(value)
    except (OSError, TypeError):
        return False


def exists(path: str) -> bool:
    head, *rest = path.split(".")
    value: Any = sys.modules.get(head)
    for place, name in enumerate(rest, 1):
        module = IMPORTED.get(".".join([head, *rest[:place]]))
        value = module if module is not None else getattr(value, name, None)
    return value is not None


def test_docstrings_name_only_what_exists() -> None:
    wrong = []
    count = 0
    for name, doc in docs():
        roles = re.findall(r":(?:class|func|meth|attr|mod|data):`~?([^`]+)`", doc)
        quoted = re.findall(r"(?<![:`])`{1,2}([^`]+)`{1,2}", doc)
        calls = [text for text in quoted if re.fullmatch(r"[\w.]+\(\)", text) and text not in FOREIGN]
        ours = [text for text in quoted if re.fullmatch(r"pacman2(\.\w+)+(\(.*\))?", text)]
        for text in [*roles, *calls, *ours]:
            count += 1
            if not resolve(re.sub(r"\(.*\)$", "", text), name):
                wrong.append(f"{name}: `{text}`")
    assert not wrong, "\n".join(wrong)
    assert count > 30


def test_the_pages_name_only_what_exists() -> None:
    for page in ("docs/PYTHON.md", "docs/PYTHON.zh.md", "crates/python/README.md"):
        text = (ROOT / page).read_text()
        names = set(re.findall(r"\bpacman2(?:\.[A-Za-z_]\w*)+", text))
        # Modules for frameworks that are not installed are there, but cannot be looked into.
        absent = tuple(f"pacman2.{name}" for name in ABSENT)
        missing = sorted(name for name in names if not exists(name) and not name.startswith(absent))
        # `pacman2.solo:Pacman2-v0` is a name of Gymnasium.
        assert not missing, f"{page}: {missing}"


def test_every_public_object_is_documented() -> None:
    lacking = [name for name, value in OBJECTS.items() if not inspect.getdoc(value)]
    assert not lacking, "\n".join(lacking)
    assert len(OBJECTS) > 100


def overrides(name: str) -> bool:
    """Returns whether a method of this name comes from a base class of another package."""
    owner, _, method = name.rpartition(".")
    bases = inspect.getmro(OBJECTS[owner]) if inspect.isclass(OBJECTS.get(owner)) else ()
    return any(hasattr(base, method) for base in bases if not is_own(base) and base is not object)


@pytest.mark.parametrize("name", [name for name, value in OBJECTS.items() if inspect.isroutine(value) or inspect.isclass(value)])
def test_parameters_are_described(name: str) -> None:
    """A docstring mentions each parameter; those of a class may be in that of its constructor. What
    overrides a method of a framework has the parameters that the framework describes."""
    value = OBJECTS[name]
    if hasattr(value, "__total__") or overrides(name):
        return
    try:
        parameters = inspect.signature(value).parameters.values()
    except ValueError:
        return
    doc = inspect.getdoc(value) or ""
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    is_named = lambda one: one.name not in ("self", "cls") and one.kind not in kinds
    named = [one.name for one in parameters if is_named(one)]
    lacking = [name for name in named if not re.search(rf"\b{name}\b", doc)]
    assert not lacking, f"{name}{inspect.signature(value)} does not mention {lacking}"


@pytest.mark.parametrize("name", sorted({*pacman2.__all__} - {"__version__"}))
def test_every_name_of_the_package_has_an_example(name: str) -> None:
    doc = inspect.getdoc(getattr(pacman2, name)) or ""
    assert ">>> " in doc, f"pacman2.{name} has no example"


@pytest.mark.parametrize("name", [name for name, doc in docs() if ">>> " in doc])
def test_examples_print_what_they_show(name: str) -> None:
    value = OBJECTS.get(name)
    doc = inspect.getdoc(value) if value is not None else dict(docs())[name]
    test = doctest.DocTestParser().get_doctest(doc or "", {"pacman2": pacman2}, name, name, 0)
    output: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    runner.run(test, out=output.append)
    assert runner.failures == 0, "".join(output)


PACKAGE = ROOT / "crates/python"
DOCS = ROOT / "docs"
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
