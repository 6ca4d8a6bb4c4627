"""Rendering shared by the environments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pacman2._engine import Game

if TYPE_CHECKING:
    import numpy as np
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
