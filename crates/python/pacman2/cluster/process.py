"""Runs the program ``pacman2`` of this package as a child that ends with this process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import IO, Any

from pacman2.__main__ import program
from pacman2.cluster import child

#: How long the program may take to end its bots.
PATIENCE_SECONDS = 10.0


class MissingProgram(RuntimeError):
    """The package was installed without the program."""


def start(
    arguments: Sequence[str], *, stdin: int | IO[bytes], stderr: int | IO[bytes] | None
) -> subprocess.Popen[bytes]:
    """Starts the program in a process group of its own, with its standard output as a pipe."""
    starter = [sys.executable, "-I", "-S", child.__file__, str(os.getpid())]
    return subprocess.Popen(
        [*starter, path_of_program(), *arguments],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=stderr,
        start_new_session=True,
    )


def run(arguments: Sequence[str]) -> int:
    """Runs the program in the foreground, and returns its exit code."""
    return subprocess.run([path_of_program(), *arguments], check=False).returncode


def end(process: subprocess.Popen[Any]) -> None:
    """Ends the program and its bots, if they still run."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def path_of_program() -> str:
    path = program()
    if path is None:
        raise MissingProgram(
            "expected the program pacman2 beside this Python, got none; "
            "install the package as a wheel, which contains it"
        )
    return path
