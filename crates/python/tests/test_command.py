"""The command `pacman2` of the wheel."""

import json
import os
import pathlib
import subprocess
import sys

import pacman2
import pytest

PROGRAM = pathlib.Path(sys.executable).parent / ("pacman2.exe" if os.name == "nt" else "pacman2")


@pytest.fixture(autouse=True)
def program() -> None:
    if not PROGRAM.exists():
        pytest.skip("not run: the command is a part of the wheel, which was not built (PACMAN2_PYTHON=must builds it)")


def test_it_has_the_version_of_the_package() -> None:
    printed = subprocess.run([PROGRAM, "--version"], check=True, capture_output=True, text=True).stdout
    assert printed.split() == ["pacman2", pacman2.__version__]


def test_it_plays_a_match_with_processes(tmp_path: pathlib.Path) -> None:
    """The program starts itself as the bots and, where there is one, as the supervisors of the sandbox."""
    command = [PROGRAM, "match", "greedy", "sample", "random", "greedy", "--as-process", "--seed", "1"]
    played = subprocess.run([*command, "--json"], check=True, capture_output=True, text=True, cwd=tmp_path)
    result = json.loads(played.stdout.splitlines()[-1])
    assert len(result["seats"]) == 4
