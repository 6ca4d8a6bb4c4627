"""The build backend of the package: Maturin, with the program `pacman2` in the wheel.

Maturin builds either a library or programs. So the program is built first, and Maturin adds the
folder in which it lies as the wheel's scripts, which pip installs as executable files.
"""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import maturin
from maturin import (
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

# As `data` of Maturin's settings in pyproject.toml.
SCRIPTS = pathlib.Path("crates/python/data/scripts")


def build_wheel(*arguments: Any, **options: Any) -> str:
    with _scripts(_build_program()):
        return maturin.build_wheel(*arguments, **options)


def build_editable(*arguments: Any, **options: Any) -> str:
    with _scripts(_build_program()):
        return maturin.build_editable(*arguments, **options)


def build_sdist(*arguments: Any, **options: Any) -> str:
    with _scripts():
        return maturin.build_sdist(*arguments, **options)


def prepare_metadata_for_build_wheel(*arguments: Any, **options: Any) -> str:
    with _scripts():
        return maturin.prepare_metadata_for_build_wheel(*arguments, **options)


def prepare_metadata_for_build_editable(*arguments: Any, **options: Any) -> str:
    with _scripts():
        return maturin.prepare_metadata_for_build_editable(*arguments, **options)


def _build_program() -> str:
    """Returns the path of the program, which is built unless PACMAN2_PROGRAM names it."""
    if program := os.environ.get("PACMAN2_PROGRAM"):
        return program
    command = ["cargo", "build", "--locked", "--profile", "dist", "--package", "pacman2"]
    # Cargo is asked for the path, which depends on its settings.
    built = subprocess.run(
        [*command, "--message-format", "json-render-diagnostics"], check=True, stdout=subprocess.PIPE
    )
    messages = map(json.loads, built.stdout.splitlines())
    (program,) = [message["executable"] for message in messages if message.get("executable")]
    return program


@contextlib.contextmanager
def _scripts(*programs: str) -> Iterator[None]:
    """Puts programs where Maturin looks for scripts. It expects the folder even if it needs none."""
    shutil.rmtree(SCRIPTS, ignore_errors=True)
    SCRIPTS.mkdir(parents=True)
    try:
        for program in programs:
            shutil.copy(program, SCRIPTS / os.path.basename(program))
        yield
    finally:
        shutil.rmtree(SCRIPTS.parent, ignore_errors=True)
