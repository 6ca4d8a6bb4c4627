"""The stubs match the engine, and type checkers accept the package and reject misspelt options."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import typing
from pathlib import Path

import pacman2.typing
import pytest
from conftest import ROOT
from pacman2 import _engine

SAMPLE = Path(__file__).with_name("misspelt.py")


def needs(module: str) -> pytest.MarkDecorator:
    found = importlib.util.find_spec(module)
    return pytest.mark.skipif(not found, reason=f"not run: {module} is not installed")


def run(config: pytest.Config, *command: str) -> subprocess.CompletedProcess[str]:
    assert config.cache is not None
    places = {"MYPY_CACHE_DIR": str(config.cache.mkdir("mypy")), "MYPYPATH": str(SAMPLE.parent)}
    environment = {**os.environ, **places}
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, env=environment, capture_output=True, text=True
    )


@needs("mypy")
def test_the_stub_matches_the_engine(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    # Names, parameters and defaults are compared, which NumPy's types do not touch; reading them takes most of the time.
    settings = tmp_path / "mypy.ini"
    settings.write_text("[mypy]\n[mypy-numpy.*]\nfollow_imports = skip\nfollow_imports_for_stubs = True\n")
    ran = run(pytestconfig, "mypy.stubtest", "pacman2._engine", f"--mypy-config-file={settings}")
    assert ran.returncode == 0, ran.stdout + ran.stderr


def expected_lines() -> list[int]:
    lines = SAMPLE.read_text().splitlines()
    return [number for number, line in enumerate(lines, 1) if line.endswith("# wrong")]


@needs("mypy")
@pytest.mark.skipif(not importlib.util.find_spec("pettingzoo"), reason="not run: no pettingzoo")
def test_mypy_accepts_the_package_and_rejects_misspelt_options(pytestconfig: pytest.Config) -> None:
    # One run for both, since each reads the stubs of NumPy and Gymnasium.
    ran = run(pytestconfig, "mypy", "--strict", "--package=pacman2", f"--module={SAMPLE.stem}")
    errors = [line for line in ran.stdout.splitlines() if ": error: " in line]
    found = [re.search(r"\bmisspelt\.py:(\d+): error", line) for line in errors]
    assert all(found), ran.stdout + ran.stderr
    assert sorted({int(one[1]) for one in found if one}) == expected_lines(), ran.stdout + ran.stderr
    assert ran.returncode == 1, ran.stdout + ran.stderr


@needs("basedpyright")
@pytest.mark.skipif(not importlib.util.find_spec("pettingzoo"), reason="not run: no pettingzoo")
def test_pyright_rejects_misspelt_options(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    # The rules of plain pyright, for the installed package.
    settings = {"typeCheckingMode": "standard", "include": [str(SAMPLE)]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    python = ["--pythonpath", sys.executable]
    ran = run(pytestconfig, "basedpyright", "--outputjson", "--project", str(tmp_path), *python)
    found = json.loads(ran.stdout)["generalDiagnostics"]
    lines = {one["range"]["start"]["line"] + 1 for one in found if one["severity"] == "error"}
    assert sorted(lines) == expected_lines(), json.dumps(found, indent=1)


def test_the_names_of_the_types_are_those_of_the_engine() -> None:
    """One list of names for the engine and the types; the stub and the environments use the types."""
    types = {
        "observation": pacman2.typing.View,
        "dtype": pacman2.typing.Dtype,
        "reward": pacman2.typing.Reward,
        "autoreset_mode": pacman2.typing.AutoresetName,
        "opponents_mode": pacman2.typing.OpponentsMode,
        "without": pacman2.typing.Component,
        "ruling": pacman2.typing.Ruling,
        "mode": pacman2.typing.Picture,
    }
    names = {option: typing.get_args(alias) for option, alias in types.items()}
    assert names == _engine.option_names()
    rules = set(pacman2.typing.Rules.__annotations__)
    assert rules == set(pacman2.Game(1).settings)


def test_only_one_file_lists_the_names() -> None:
    """A list of names elsewhere would not be compared with the engine."""
    package = ROOT / "crates/python/pacman2"
    lists = [set(names) for names in _engine.option_names().values()]
    for path in [*package.glob("*.py"), *package.glob("*.pyi")]:
        for literal in re.findall(r"Literal\[([^\]]*)\]", path.read_text()):
            is_list = set(re.findall(r'"(\w+)"', literal)) in lists
            assert path.name == "typing.py" or not is_list, f"{path.name}: Literal[{literal}]"
