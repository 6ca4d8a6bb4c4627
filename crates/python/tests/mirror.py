"""Games played with `pacman2.Game`, to compare with what environments of other packages return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pacman2


# A view of bytes, and one of floats that depends on past turns.
VIEWS = [
    {"observation": "compact"},
    {"observation": "planes_centred", "dtype": "float32", "history": 2},
]


class Mirror:
    """The same games as an environment plays, with rows `4 * game + seat`."""

    def __init__(self, games: Sequence[pacman2.Game], reward: str = "share", **view: Any) -> None:
        self.games = list(games)
        self.reward = reward
        self.view = {"observation": "compact", **view}

    def some_actions(self, rng: np.random.Generator) -> np.ndarray:
        """Returns mostly legal actions, so that games last, and occasionally any action."""
        legal = [rng.choice(np.flatnonzero(mask)) for mask in self.masks()]
        wild = rng.random(len(legal)) < 0.01
        return np.where(wild, rng.integers(0, 9, len(legal)), legal)

    def play(self, actions: Sequence[int]) -> np.ndarray:
        """Plays a turn of all games and returns the rewards."""
        rewards = []
        for game, four in zip(self.games, np.asarray(actions).reshape(-1, 4)):
            before = shares(game)
            game.step(four)
            rewards.append(reward(self.reward, before, game))
        return np.concatenate(rewards)

    def over(self) -> np.ndarray:
        """Returns the indices of the games that are over."""
        return np.flatnonzero([game.is_over for game in self.games])

    def observations(self) -> np.ndarray:
        view = dict(self.view)
        name = view.pop("observation")
        seen = [game.observe(name, seat, **view) for game in self.games for seat in range(4)]
        return np.stack(seen)

    def masks(self) -> np.ndarray:
        return np.concatenate([game.action_mask() for game in self.games])

    def alive(self) -> np.ndarray:
        return np.concatenate([game.alive for game in self.games])

    def final_scores(self) -> np.ndarray:
        return self._ended(np.float32, lambda game: game.scores)

    def ranks(self) -> np.ndarray:
        return self._ended(np.uint8, lambda game: game.ranks)

    def rows_over(self) -> np.ndarray:
        return np.repeat([game.is_over for game in self.games], 4)

    def _ended(self, dtype, of) -> np.ndarray:
        rows = [of(game) if game.is_over else (0, 0, 0, 0) for game in self.games]
        return np.concatenate(rows).astype(dtype)


def shares(game: pacman2.Game) -> np.ndarray:
    strength = np.array(game.strength, np.float32)
    return strength / np.float32(strength.sum() or 1)


def reward(name: str, before: np.ndarray, game: pacman2.Game) -> np.ndarray:
    """Returns the expected rewards of a turn."""
    if name == "share":
        return shares(game) - before
    if not game.is_over:
        return np.zeros(4, np.float32)
    scores = np.array(game.scores)
    last = {"score": scores, "rank": np.array(game.ranks), "zero_sum": scores - scores.mean()}
    return last[name].astype(np.float32)
