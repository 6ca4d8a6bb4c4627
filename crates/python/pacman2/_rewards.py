"""The rewards of the environments that play one :class:`pacman2.Game`."""

from __future__ import annotations

from pacman2._engine import Game
from pacman2.typing import Reward


def shares(game: Game) -> list[float]:
    """Returns each player's share of the total strength; a total of 0 counts as 1."""
    strength = game.strength
    total = sum(strength) or 1
    return [own / total for own in strength]


def gains(before: list[float], game: Game) -> list[float]:
    """Returns how much each player's share has grown."""
    return [after - share for after, share in zip(shares(game), before)]


def final_rewards(reward: Reward, game: Game) -> list[float]:
    """Returns each player's reward for the end of the game, if it ended now; 0 for ``"share"``."""
    if reward == "share":
        return [0.0] * 4
    if reward == "rank":
        return [float(rank) for rank in game.ranks]
    mean = sum(game.scores) / 4 if reward == "zero_sum" else 0.0
    return [score - mean for score in game.scores]
