"""Matches that others played, as positions and decisions for imitation learning.

:func:`load_matches` reads what people keep of matches: Botzone's monthly packs (``.zip`` or ``.matches``),
its match logs, replays of this package, and the games of an arena.
"""

from __future__ import annotations

import gzip
import os
import sqlite3
import warnings
from collections.abc import Container, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pacman2._checks import wrong
from pacman2._engine import Game, Matches
from pacman2.typing import View

__all__ = ["Match", "load_matches"]

#: The database of an arena, in its folder.
ARENA = "arena.sqlite"


@dataclass(frozen=True)
class Match:
    """A match, and a row for each decision of a player, in the order in which they were made.

    A turn in which a player gave no legal action is no decision.

    Args:
        source: Where it was read: the file, and its place in it.
        id: Its id on Botzone or in the arena, if it has one.
        players: Who played on each seat: the ids of bots on Botzone, else names.
        scores: The official points of each seat.
        game: The game with all its turns.
        observation: What the players saw: ``(n, ...)``, as the view.
        action_mask: The legal actions: bool ``(n, 9)``.
        action: What the players did: uint8 ``(n,)``.
        seat: Their seats: uint8 ``(n,)``.
        turn: The number of turns played before: uint16 ``(n,)``.
    """

    source: str
    id: str | None
    players: tuple[str, ...]
    scores: tuple[float, ...]
    game: Game
    observation: NDArray[Any]
    action_mask: NDArray[np.bool_]
    action: NDArray[np.uint8]
    seat: NDArray[np.uint8]
    turn: NDArray[np.uint16]


def load_matches(
    source: str | os.PathLike[str],
    *,
    observation: View = "compact",
    players: Container[str] | None = None,
) -> Iterator[Match]:
    """Reads matches one after another, so that a pack need not fit into memory.

    Every match is played again by the rules. One that cannot be read, or contradicts them, is skipped with a
    warning that names it.

    Args:
        source: A file as ``pacman2 replay show`` takes it, such as a pack of matches; or the folder of an arena.
        observation: A view as :meth:`pacman2.Game.observe` takes it.
        players: Whose decisions are returned, as a match names them; by default everyone's.

    Yields:
        The matches in their order, those without such a decision too.

    Raises:
        OSError: The file cannot be opened.
        ValueError: The folder is no arena.
    """
    place = Path(source)
    Game(1).observe(observation, 0)
    found = _in_arena(place) if place.is_dir() else _in_file(place)
    for where, name, names, game in found:
        yield _match(where, name, tuple(names), game, observation, players)


def _in_file(path: Path) -> Iterator[tuple[str, str | None, list[str], Game]]:
    matches = Matches(path)
    while True:
        try:
            found = matches.read()
        except ValueError as error:
            warnings.warn(f"{path}: {error}; skipped", stacklevel=3)
            continue
        if found is None:
            return
        place, name, names, game = found
        yield f"{path}, {place}" if place else str(path), name, names, game


def _in_arena(folder: Path) -> Iterator[tuple[str, str | None, list[str], Game]]:
    database = folder / ARENA
    if not database.is_file():
        raise wrong(ValueError, "source", "a file, or the folder of an arena", str(folder))
    with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as arena:
        rows = "SELECT id, public FROM games JOIN replays ON game = id ORDER BY number"
        for name, public in arena.execute(rows):
            replay = '{"format":"pacman2 replay","version":1,"public":%s,"private":{"turns":[]}}'
            try:
                found = Matches((replay % gzip.decompress(public).decode()).encode()).read()
            except ValueError as error:
                warnings.warn(f"{folder}, {name}: {error}; skipped", stacklevel=3)
                continue
            if found is not None:
                yield f"{folder}, {name}", name, found[2], found[3]


def _match(
    source: str,
    name: str | None,
    players: tuple[str, ...],
    game: Game,
    view: View,
    chosen: Container[str] | None,
) -> Match:
    seats = [seat for seat in range(4) if chosen is None or players[seat] in chosen]
    position = game.clone()
    while position.undo():
        pass
    seen, masks, rows = [], [], []
    for actions in game.history.tolist():
        legal = position.action_mask()
        for seat in seats:
            action = actions[seat]
            if position.alive[seat] and action < 9 and legal[seat, action]:
                seen.append(position.observe(view, seat))
                masks.append(legal[seat])
                rows.append((action, seat, position.turn))
        position.step([action if action < 9 else None for action in actions])
    shape = position.observe(view, 0)
    columns = np.array(rows, np.uint16).reshape(-1, 3)
    return Match(
        source,
        name,
        players,
        game.scores,
        game,
        np.array(seen, shape.dtype).reshape(-1, *shape.shape),
        np.array(masks, bool).reshape(-1, 9),
        columns[:, 0].astype(np.uint8),
        columns[:, 1].astype(np.uint8),
        columns[:, 2],
    )
