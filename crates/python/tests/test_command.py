"""The command `pacman2` of the wheel, and `python -m pacman2`."""

import json
import os
import pathlib
import subprocess
import sys

import pacman2
import pytest

PROGRAM = pathlib.Path(sys.executable).parent / ("pacman2.exe" if os.name == "nt" else "pacman2")
needs_the_program = pytest.mark.skipif(
    not PROGRAM.exists(),
    reason="not run: the command is a part of the wheel, which was not built (PACMAN2_PYTHON=must builds it)",
)


@needs_the_program
def test_it_has_the_version_of_the_package() -> None:
    for command in ([PROGRAM], [sys.executable, "-m", "pacman2"]):
        printed = subprocess.run([*command, "--version"], check=True, capture_output=True, text=True)
        assert printed.stdout.split() == ["pacman2", pacman2.__version__]


@needs_the_program
def test_it_plays_a_match_with_processes(tmp_path: pathlib.Path) -> None:
    """The program starts itself as the bots and, where there is one, as the supervisors of the sandbox."""
    command = [PROGRAM, "match", "greedy", "sample", "random", "greedy", "--as-process", "--seed", "1"]
    played = subprocess.run([*command, "--json"], check=True, capture_output=True, text=True, cwd=tmp_path)
    result = json.loads(played.stdout.splitlines()[-1])
    assert len(result["seats"]) == 4


@needs_the_program
def test_it_contains_the_documentation_and_the_examples(tmp_path: pathlib.Path) -> None:
    for name, file in (("lessons", "pacman2.hpp"), ("class", "submissions/lilei.py")):
        subprocess.run([PROGRAM, "new", name, f"--{name}"], check=True, cwd=tmp_path)
        assert (tmp_path / name / file).is_file()
    # Nothing is found that could open a browser.
    environment = {**os.environ, "PATH": "", "TMPDIR": str(tmp_path), "LC_ALL": "zh_CN.UTF-8"}
    ran = subprocess.run([PROGRAM, "docs", "python"], check=True, capture_output=True, env=environment)
    assert '<h1 id="python-' in pathlib.Path(ran.stdout.decode().strip()).read_text(encoding="utf-8")


# `python -m pacman2` in an environment whose programs are in the folder that is the first argument.
MODULE = """
import runpy, sys, sysconfig

folder = sys.argv.pop(1)
sysconfig.get_path = lambda *_: folder
runpy.run_module("pacman2", run_name="__main__", alter_sys=True)
"""


def run_module(folder: pathlib.Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", MODULE, str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.skipif(os.name == "nt", reason="not run: the stand-in for the program is a script")
def test_the_module_runs_the_program_with_its_arguments_and_exit_code(tmp_path: pathlib.Path) -> None:
    program = tmp_path / "pacman2"
    program.write_text('#!/bin/sh\necho "$#: $*"\nexit 7\n')
    program.chmod(0o755)
    ran = run_module(tmp_path, "match", "two words", "--json")
    assert (ran.returncode, ran.stdout) == (7, "3: match two words --json\n")


def test_without_the_program_the_module_says_what_to_do(tmp_path: pathlib.Path) -> None:
    beside = pathlib.Path(pacman2.__file__).parents[1] / "bin/pacman2"
    assert not beside.exists()
    ran = run_module(tmp_path, "--version")
    assert ran.returncode == 1 and ran.stdout == ""
    assert "expected the program pacman2 beside this Python, got none; install" in ran.stderr
