"""Rendering shared by the environments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, overload

import numpy as np

from pacman2._engine import Game

if TYPE_CHECKING:
    from numpy.typing import NDArray


def rendered(game: Game, mode: str) -> str | NDArray[np.uint8] | None:
    """Renders the position: text, pixels (height, width, 3) or a page; "human" prints the text."""
    if mode == "rgb_array":
        return game.render("rgb_array")
    if mode == "html":
        return game.render("html")
    text = game.render("ansi")
    if mode == "ansi":
        return text
    print(text)
    return None


class Frames(Sequence["NDArray[np.uint8]"]):
    """The pictures of many games, one per row, each drawn when it is first read.

    All have the same size, that of the largest maze, so that they can be put into one video.
    """

    def __init__(self, games: Sequence[Game], rows_per_game: int) -> None:
        self._games = games
        self._rows_per_game = rows_per_game
        self._draw = cache(lambda index: _padded(games[index].render("rgb_array")))

    def by_game(self) -> list[NDArray[np.uint8]]:
        """Returns one picture per game."""
        return [self._draw(index) for index in range(len(self._games))]

    def __len__(self) -> int:
        return len(self._games) * self._rows_per_game

    @overload
    def __getitem__(self, row: int) -> NDArray[np.uint8]: ...
    @overload
    def __getitem__(self, row: slice) -> list[NDArray[np.uint8]]: ...
    def __getitem__(self, row: int | slice) -> NDArray[np.uint8] | list[NDArray[np.uint8]]:
        if isinstance(row, slice):
            return [self[one] for one in range(*row.indices(len(self)))]
        return self._draw(range(len(self))[row] // self._rows_per_game)


@cache
def _largest() -> tuple[int, int]:
    height, width, _ = Game(0, size=11).render("rgb_array").shape
    return height, width


def _padded(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Extends a picture on all sides, in the colour of its corner."""
    missing = [most - side for most, side in zip(_largest(), picture.shape)]
    sheet = np.empty((*_largest(), 3), np.uint8)
    sheet[:] = picture[0, 0]
    top, left = (side // 2 for side in missing)
    sheet[top : top + picture.shape[0], left : left + picture.shape[1]] = picture
    return sheet
