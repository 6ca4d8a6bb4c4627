"""The stubs match the engine, and the package passes mypy in strict mode."""

import importlib.util
import os
import subprocess
import sys

import pytest
from conftest import ROOT

pytestmark = [
    pytest.mark.skipif(not importlib.util.find_spec("mypy"), reason="mypy is not installed"),
    # In one process after another, since they share a cache.
    pytest.mark.xdist_group("mypy"),
]


@pytest.mark.parametrize(
    "command",
    [
        ["mypy.stubtest", "pacman2._engine", "--mypy-config-file=pyproject.toml"],
        ["mypy", "--strict", "--config-file=pyproject.toml", "--package=pacman2"],
    ],
)
def test_types(command: list[str], pytestconfig: pytest.Config) -> None:
    assert pytestconfig.cache is not None
    environment = {**os.environ, "MYPY_CACHE_DIR": str(pytestconfig.cache.mkdir("mypy"))}
    ran = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
