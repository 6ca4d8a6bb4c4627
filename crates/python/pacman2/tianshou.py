"""A vector environment of Tianshou 2: each player of each game is one of its environments.

    from pacman2.tianshou import Pacman2VectorEnv

    envs = Pacman2VectorEnv(64, observation="planes_centred", seed=1)
    collector = Collector(algorithm, envs, VectorReplayBuffer(100_000, len(envs)))
    collector.reset()
    collector.collect(n_step=100 * len(envs))
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    from tianshou.data import Batch  # type: ignore[import-not-found, unused-ignore]
    from tianshou.env import BaseVectorEnv  # type: ignore[import-not-found, unused-ignore]
except ImportError as error:
    from pacman2._checks import lacks

    raise lacks("pacman2.tianshou", "tianshou>=2") from error

from pacman2.vector import VecEnv


class _Observations(Batch):  # type: ignore[misc, unused-ignore]
    def __copy__(self) -> _Observations:
        # A collector overwrites rows of the copy, and hooks may have kept the original.
        return copy.deepcopy(self)


class Pacman2VectorEnv(BaseVectorEnv):  # type: ignore[misc, unused-ignore]
    """The rows of a :class:`pacman2.VecEnv` as environments of Tianshou.

    Args:
        num_games: the number of games.
        seed: determines all games; ``None`` draws a seed. The method ``seed`` selects those of the
            next complete reset.
        **options: the options of :class:`pacman2.VecEnv` except ``autoreset_mode`` and ``copy``.

    Observations are batches of ``obs``, the observation, and ``mask``, the legal actions, which
    Tianshou's value-based algorithms read. Infos contain ``alive``, and in the last turn of a game
    ``final_score`` and ``rank``, which are 0 before. :attr:`env` is the ``pacman2.VecEnv``.

    A row is a player, and the rows of a game, four if there are no ``opponents``, play together:
    they can only be stepped and reset together. A collector does so if ``n_episode`` is a multiple
    of their number, and always with ``n_step``. Games that are not stepped keep their positions.
    """

    def __init__(self, num_games: int, *, seed: int | None = None, **options: Any) -> None:
        # The base class creates workers for environments; here there is one for all rows.
        self.env = VecEnv(num_games, seed=seed, autoreset_mode="Disabled", copy=True, **options)
        self.env_num = self.env.num_envs
        self.is_async = False
        self.is_closed = False
        self._next_seed: int | None = None

    def reset(
        self, env_id: int | Sequence[int] | NDArray[Any] | None = None, **kwargs: Any
    ) -> tuple[Any, NDArray[Any]]:
        """Resets all games, or those of the rows ``env_id``; returns observations and infos."""
        if env_id is None:
            kwargs.setdefault("seed", self._next_seed)
            self._next_seed = None
            self.env.reset(**kwargs)
            rows = np.arange(self.env_num)
        else:
            rows = np.atleast_1d(env_id)
            self.env.reset(options={"reset_mask": self._games(rows)})
        return self._observations(rows), self._infos(rows, ended=False)

    def step(
        self,
        action: Any,
        id: int | Sequence[int] | NDArray[Any] | None = None,
    ) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], NDArray[Any]]:
        """Plays one turn of all games, or of those of the rows ``id``."""
        rows = np.arange(self.env_num) if id is None else np.atleast_1d(id)
        waiting = np.flatnonzero(~self._games(rows)).tolist()
        actions = np.zeros(self.env_num, np.int64)
        actions[rows] = np.asarray(action)
        kept = [(index, self.env.game(index)) for index in waiting]
        _, rewards, terminations, truncations, _ = self.env.step(actions)
        for index, game in kept:
            self.env.put(index, game)
        return (
            self._observations(rows),
            rewards[rows],
            terminations[rows],
            truncations[rows],
            self._infos(rows, ended=True),
        )

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Sets the seed of the next complete reset."""
        self._next_seed = seed
        return [seed] * self.env_num

    def render(self, **_: Any) -> Any:
        """Renders as :meth:`pacman2.VecEnv.render` does."""
        return self.env.render()

    def close(self) -> None:
        """Closes the environment."""
        self.env.close()
        self.is_closed = True

    def get_env_attr(self, key: str, id: int | Sequence[int] | None = None) -> list[Any]:
        """Returns an attribute of the environment for each row."""
        spaces = {
            "action_space": self.env.single_action_space,
            "observation_space": self.env.single_observation_space,
        }
        value = spaces[key] if key in spaces else getattr(self.env, key)
        return [value] * (self.env_num if id is None else np.size(id))

    def set_env_attr(self, key: str, value: Any, id: int | Sequence[int] | None = None) -> None:
        """Raises ``AttributeError``: rows have no attributes of their own."""
        raise AttributeError(
            f'"{key}" cannot be set for a row; set it in the attribute "env" instead'
        )

    def _games(self, rows: NDArray[Any]) -> NDArray[np.bool_]:
        """Returns which games the rows are those of."""
        chosen = np.zeros(self.env_num, bool)
        chosen[rows] = True
        by_game = chosen.reshape(-1, self.env.num_learners)
        games: NDArray[np.bool_] = by_game[:, 0]
        if (by_game != games[:, None]).any():
            raise ValueError(
                f"expected all {self.env.num_learners} rows of each game, got {rows.tolist()}; "
                f"collect steps, or a multiple of {self.env.num_learners} episodes"
            )
        return games

    def _observations(self, rows: NDArray[Any]) -> Any:
        arrays = self.env.arrays
        return _Observations(obs=arrays["observations"][rows], mask=arrays["action_mask"][rows])

    def _infos(self, rows: NDArray[Any], ended: bool) -> NDArray[Any]:
        arrays = self.env.arrays
        infos = [
            {
                "env_id": int(row),
                "alive": bool(arrays["alive"][row]),
                "final_score": float(arrays["final_score"][row]) if ended else 0.0,
                "rank": int(arrays["rank"][row]) if ended else 0,
            }
            for row in rows
        ]
        return np.array(infos, dtype=object)
