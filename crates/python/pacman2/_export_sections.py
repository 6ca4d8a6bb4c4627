"""The sections of `pacman2.hpp` that an exported bot needs."""

from __future__ import annotations

import re

_MARK = re.compile(r"// \[pacman2:section (?P<name>\w+) needs: (?P<needs>[^;]*); names: ")
_END = re.compile(r"// \[pacman2:end \w+\]")


def sections(header: str, wanted: set[str]) -> str:
    """Returns the licence of the header and the wanted sections with all that they need, without comments."""
    kept: list[str] = []
    licence = [line for line in header.splitlines() if "SPDX-License-Identifier" in line]
    found = {match["name"]: set(match["needs"].split(", ")) - {"-"} for match in _MARK.finditer(header)}
    needed = set(wanted)
    for name in reversed(found):
        if name in needed:
            needed |= found[name]
    name = None
    for line in header.splitlines():
        if mark := _MARK.match(line):
            name = mark["name"]
        elif _END.match(line):
            name = None
        elif name in needed and line.strip() and not line.lstrip().startswith("//"):
            kept.append(line)
    return "\n".join([*licence, *kept, ""])
