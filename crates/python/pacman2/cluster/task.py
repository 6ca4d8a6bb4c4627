"""What runs on a node: a block of jobs, played by the program ``pacman2`` of this node."""

from __future__ import annotations

import subprocess
import tempfile
import threading
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from pacman2.cluster import process, programs
from pacman2.cluster.stream import PLAYERS, Failure, Header, Program, Result, parse

#: How much of the standard error of the program an error message shows.
STDERR_CHARACTERS = 500
#: A verdict of Botzone: the bot took more time than it had.
TIME_OUT = "TLE"


@dataclass(frozen=True)
class Block:
    """Jobs for one task. Without jobs, the node only says what it has."""

    header: Header
    programs: tuple[Program, ...]
    jobs: tuple[bytes, ...]
    node: str
    #: Options of the sandbox.
    options: tuple[str, ...]


@dataclass(frozen=True)
class Played:
    """What a task returns."""

    #: The header of the results.
    header: bytes
    results: list[Result]
    failures: list[Failure]
    #: How long the program ran.
    seconds: float


class PlayError(RuntimeError):
    """The program ended before all jobs were played."""


def run(block: Block, references: Mapping[str, Any]) -> Played:
    """Plays a block as a task of Ray. ``references`` are those of the programs' contents, by hash."""
    for one in block.programs:
        if one.file is not None:
            programs.keep(one, partial(_content, references[one.content]))
    return play(block)


def play(block: Block) -> Played:
    """Plays a block with the programs that the node has."""
    begin = time.monotonic()
    output = _Output()
    with tempfile.TemporaryFile() as jobs, tempfile.TemporaryFile() as complaints:
        lines = [block.header.line, *(program.line for program in block.programs), *block.jobs]
        jobs.write(b"".join(line + b"\n" for line in lines))
        jobs.seek(0)
        player = process.start(_arguments(block), stdin=jobs, stderr=complaints)
        try:
            output.read(player)
            code = player.wait()
        finally:
            # `ray.cancel` interrupts the task.
            process.end(player)
        complaints.seek(0)
        stderr = complaints.read().decode(errors="replace").strip()[-STDERR_CHARACTERS:]
    if output.header is None or code != 0 or output.count() < len(block.jobs):
        raise PlayError(
            f"`pacman2 {' '.join(PLAYERS[block.header.kind][0])}` ended with code {code} after "
            f"{output.count()} of {len(block.jobs)} games: {stderr or 'without a message'}"
        )
    return Played(output.header, output.results, output.failures, time.monotonic() - begin)


def _content(reference: Any) -> bytes:
    import ray  # type: ignore[import-not-found, unused-ignore]

    content: Any = ray.get(reference)
    return bytes(content)


def _arguments(block: Block) -> list[str]:
    verb, folder = PLAYERS[block.header.kind]
    return [*verb, "--node", block.node, folder, str(programs.folder()), *block.options]


class _Output:
    """The lines of the program so far."""

    def __init__(self) -> None:
        self.header: bytes | None = None
        self.results: list[Result] = []
        self.failures: list[Failure] = []
        self.error: Exception | None = None

    def count(self) -> int:
        return len(self.results) + len(self.failures)

    def read(self, player: subprocess.Popen[bytes]) -> None:
        """Reads to the end in a thread of its own: `ray.cancel` does not interrupt a read."""
        reader = threading.Thread(target=self._read_all, args=(player,), daemon=True)
        reader.start()
        while reader.is_alive():
            reader.join(0.1)
        if self.error is not None:
            raise self.error

    def _read_all(self, player: subprocess.Popen[bytes]) -> None:
        assert player.stdout is not None
        try:
            for line in player.stdout:
                self._add(line.rstrip(b"\n"))
        except Exception as error:
            self.error = error

    def _add(self, line: bytes) -> None:
        value = parse(line)
        if "result" in value:
            seats = value.get("seats", [])
            is_late = any(((seat.get("fault") or {}).get("kind")) == TIME_OUT for seat in seats)
            seconds, stalled = value.get("seconds", 0.0), value.get("stalled_ms", 0.0)
            compressed = zlib.compress(line, 1)
            self.results.append(Result(value["result"], compressed, seconds, stalled, is_late))
        elif "failed" in value:
            reason = value.get("reason") or {}
            failure = Failure(value["failed"], reason.get("code", ""), reason.get("message", ""))
            self.failures.append(failure)
        elif "pacman2" in value:
            self.header = line
