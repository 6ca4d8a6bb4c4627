"""The lines that the coordinator, the driver and the tasks exchange; ``docs/SCALE.md`` describes them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

#: The version of the lines that this package reads.
VERSION = 1
#: How the jobs below a header of this kind are played on one core: the verb with its options, and the option that names
#: the folder of the programs or nets. The commands of an arena are those of whoever plays in it.
PLAYERS = {
    "arena jobs": (("jobs", "play", "--cores", "1", "--allow-command", "all"), "--programs"),
    "train jobs": (("jobs", "play", "--parallel", "1"), "--nets"),
}


class BadLine(ValueError):
    """A line that this version does not understand."""


@dataclass(frozen=True)
class Header:
    """The first line of the jobs: what a node must have to play them."""

    line: bytes
    kind: str
    engine: Any
    signature: Any
    tier: str | None
    #: The folder in which the files of programs lie; that of a training run is not in the header.
    folder: str | None

    @classmethod
    def read(cls, line: bytes) -> Header:
        """Reads the line."""
        value = _object(line)
        kind, version = value.get("pacman2"), value.get("version")
        if kind not in PLAYERS or version != VERSION:
            kinds = " or ".join(repr(one) for one in PLAYERS)
            raise BadLine(
                f"expected {kinds} of version {VERSION}, got {kind!r} of version {version!r}; "
                "install the same version of pacman2 everywhere"
            )
        engine, signature, tier = value["engine"], value["signature"], value.get("tier")
        return cls(line, kind, engine, signature, tier, value.get("folder"))

    def refusal(self, results: dict[str, Any]) -> str | None:
        """Returns why a node with this header of results cannot play the jobs."""
        for name, expected in [("engine", self.engine), ("signature", self.signature)]:
            if results.get(name) != expected:
                return f"expected the {name} {expected}, got {results.get(name)}; install the same version of pacman2 there"
        tier = results.get("tier")
        # The tiers are A, B and C, from the strongest.
        if self.tier is not None and (tier is None or tier > self.tier):
            return f"expected a sandbox of tier {self.tier} or better, got tier {tier}; see `pacman2 doctor` there"
        return None


#: What jobs name a program by: its hash, and the name of the bot.
ProgramKey = tuple[str, str | None]


@dataclass(frozen=True)
class Program:
    """A program that jobs need: a bot of an arena, or a net."""

    #: What jobs name it by.
    hash: str
    #: Several bots may have the same program. A net has no name.
    name: str | None
    #: The path in the folder of the coordinator; ``None`` if nothing need be shipped.
    file: str | None
    #: The hash of the file. That of a built-in bot with a net, or of an archive, is not the hash of the bot.
    content: str
    #: The line for a node, which keeps each file in a folder named by the hash.
    line: bytes

    @classmethod
    def read(cls, value: dict[str, Any]) -> Program:
        """Reads a line that was parsed."""
        file, bot = value.get("file"), value.get("program") or value["net"]
        digest = value.get("content") or value.get("net") or bot
        if file is None:
            return cls(bot, value.get("name"), None, digest, _line(value))
        if not _is_hash(digest):
            raise BadLine(f"expected a hash of 64 hexadecimal digits, got {digest!r}")
        name = PurePosixPath(file).name
        if name in ("", ".."):
            raise BadLine(f"expected a file, got {file!r}")
        return cls(bot, value.get("name"), file, digest, _line({**value, "file": f"{digest}/{name}"}))

    def trust(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Returns the options for a node, which trusts by hash, if the program has one of these names."""
        label = f"{self.name}@{json.loads(self.line).get('version')}"
        is_meant = _is_hash(self.hash) and not {self.name, label}.isdisjoint(names)
        return ("--trust", self.hash) if is_meant else ()

    @property
    def key(self) -> ProgramKey:
        """What jobs name it by."""
        return self.hash, self.name

    @property
    def path_on_node(self) -> str:
        """The path in the folder of a node's programs."""
        return str(json.loads(self.line)["file"])


@dataclass
class Job:
    """A job, and what became of it so far."""

    id: str
    line: bytes
    programs: tuple[ProgramKey, ...]
    #: How often the task failed that had it.
    failures: int = 0
    #: How often it was played again because it ran out of time on a slow or stalled node.
    replays: int = 0
    #: The nodes that shall not play it.
    avoids: set[str] = field(default_factory=set)

    @classmethod
    def read(cls, line: bytes, value: dict[str, Any]) -> Job:
        """Reads a line that was parsed."""
        keys: list[ProgramKey] = [(digest, None) for digest in value.get("nets", [])]
        keys += [(seat["program"], seat["name"]) for seat in value.get("seats", [])]
        return cls(value["job"], line, tuple(dict.fromkeys(keys)))


@dataclass(frozen=True)
class Result:
    """A result that a node made. Its line is compressed: replays are most of it."""

    id: str
    compressed: bytes
    seconds: float
    stalled_ms: float
    #: Whether a bot ran out of time.
    is_late: bool


@dataclass(frozen=True)
class Failure:
    """A job that a node could not play, and why."""

    id: str
    code: str
    message: str


def parse(line: bytes) -> dict[str, Any]:
    """Parses a line of the coordinator or of a node."""
    return _object(line)


def with_replays(line: bytes, replays: int) -> bytes:
    """Returns the line of a result with this many more replays."""
    if replays == 0:
        return line
    value = _object(line)
    return _line({**value, "replayed": value.get("replayed", 0) + replays})


def _is_hash(text: str) -> bool:
    return re.fullmatch("[0-9a-f]{64}", text) is not None


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _object(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError as error:
        raise BadLine(f"expected a line of JSON, got {line[:80]!r}") from error
    if not isinstance(value, dict):
        raise BadLine(f"expected an object of JSON, got {line[:80]!r}")
    return value
