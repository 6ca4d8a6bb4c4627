"""The programs that a node has received, each in a folder named by its hash."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from pacman2.cluster.stream import Program

if sys.platform != "win32":
    import fcntl

#: How large all programs together may become before the oldest are removed.
MAX_TOTAL_BYTES = 1024**3
#: Programs that were used in this time stay: a task may be about to start them.
IN_USE_SECONDS = 3600.0


class WrongProgram(RuntimeError):
    """A program whose bytes do not have the hash that names it."""


def folder() -> Path:
    """Returns the folder of this node's programs."""
    cache = os.environ.get("XDG_CACHE_HOME")
    base = Path(cache) if cache and os.path.isabs(cache) else Path.home() / ".cache"
    return base / "pacman2" / "cluster"


def keep(program: Program, fetch: Callable[[], bytes]) -> None:
    """Makes sure that the node has the program; fetches it if it has not. Several tasks may do so at the same time."""
    path = folder() / program.path_on_node
    path.parent.parent.mkdir(parents=True, exist_ok=True)
    with _locked():
        if path.is_file():
            os.utime(path.parent)
            return
        content = fetch()
        check(program, content)
        _shrink(len(content))
        path.parent.mkdir(exist_ok=True)
        descriptor, unfinished = tempfile.mkstemp(dir=path.parent, prefix=".unfinished-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            os.chmod(unfinished, 0o755)
            os.replace(unfinished, path)
        except BaseException:
            os.unlink(unfinished)
            raise


@contextlib.contextmanager
def _locked() -> Iterator[None]:
    """Holds the lock of the folder. The system gives it back if the process is killed. Windows has no such locks."""
    with open(folder() / ".lock", "ab") as file:
        if sys.platform != "win32":
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def check(program: Program, content: bytes) -> None:
    """Raises :class:`WrongProgram` if the content is not that of the program."""
    found = hashlib.sha256(content).hexdigest()
    if found != program.content:
        raise WrongProgram(f"expected a program with the hash {program.content}, got {found}")


def _shrink(more: int) -> None:
    """Removes the programs that were not used for longest until this many more bytes fit."""
    known = []
    for entry in os.scandir(folder()):
        if entry.is_dir():
            size = sum(file.stat().st_size for file in os.scandir(entry.path))
            known.append((entry.stat().st_mtime, size, entry.path))
    total = sum(size for _, size, _ in known) + more
    for used, size, path in sorted(known):
        if total <= MAX_TOTAL_BYTES or used > time.time() - IN_USE_SECONDS:
            return
        shutil.rmtree(path, ignore_errors=True)
        total -= size
