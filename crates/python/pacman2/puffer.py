"""A native PufferLib 3 environment of many games.

    import pufferlib.vector
    from pacman2.puffer import Pacman2

    envs = pufferlib.vector.make(
        Pacman2, env_kwargs=dict(num_games=256), backend=pufferlib.vector.Multiprocessing,
        num_envs=2, num_workers=2,
    )

An agent is a seat of a game. The engine writes directly into PufferLib's buffers, which are shared
between processes; nothing is copied.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from pacman2._checks import check_flag, lacks, wrong
from pacman2._engine import VecEngine
from pacman2.typing import Dtype, Reward, View

try:
    import gymnasium
except ImportError as error:
    raise lacks("pacman2.puffer", "gymnasium>=1.1") from error
try:
    import pufferlib  # type: ignore[import-not-found, import-untyped, unused-ignore]
except ImportError as error:
    raise lacks("pacman2.puffer", "pufferlib>=3,<4") from error

from pacman2._spaces import observation_box

ACTIONS = 9


class Pacman2(pufferlib.PufferEnv):  # type: ignore[misc, unused-ignore]
    """`num_games` games of four agents each; row `4 * game + seat` of every buffer is an agent.

    - `observations`: `observation`, `dtype`, `history` and `window` select the view and so the
      shape. With `action_mask=True`, which requires a view of one dimension, each row ends with
      nine more numbers: 1 for each legal action. PufferLib has no other channel for action masks.
    - `actions`: `int32`, 0 to 8. An illegal action kills its player.
    - `rewards`: `float32`, selected by `reward`. Dead players receive rewards until their game is
      over.
    - `terminals`: true in all four rows of a game that ended with this step. The next game begins
      in the same step, as PufferLib expects: the observations already show its first position.
    - `truncations`: never true.
    - `masks`: whether the agent is alive. For a dead agent only the no-op, action 0, is legal.

    `reset` and `step` return these arrays themselves, and the next step overwrites them. `infos`
    is empty except after steps in which games ended; then it holds one dict of means over these
    games.

    `maps`, `size`, `turns` and `threads` are those of `pacman2.VecEnv`. The same `seed`,
    -2147483648 to 4294967295, gives the same games, regardless of the number of games, threads and
    processes. `buf` holds PufferLib's buffers.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a value is out of range, or `action_mask=True` with planes.
    """

    def __init__(
        self,
        num_games: int = 1,
        *,
        observation: View = "compact",
        dtype: Dtype | None = None,
        history: int | None = None,
        window: int | None = None,
        reward: Reward = "share",
        action_mask: bool = False,
        maps: int | str | Sequence[int | str | Mapping[str, Any]] | None = None,
        size: int | tuple[int, int] | None = None,
        turns: int | None = None,
        threads: int = 1,
        buf: Mapping[str, NDArray[Any]] | None = None,
        seed: int = 0,
    ) -> None:
        check_flag("action_mask", action_mask)
        self.action_mask = action_mask
        seen: dict[str, Any] = {
            "observation": observation,
            "dtype": dtype,
            "history": history,
            "window": window,
        }
        space = observation_box(VecEngine(1, 0, maps=1, **seen))
        if action_mask and len(space.shape) != 1:
            raise wrong(ValueError, "observation", "a flat one with action_mask=True", observation)
        if action_mask:
            bits = np.ones(ACTIONS, space.dtype)
            space = gymnasium.spaces.Box(
                np.concatenate([space.low, 0 * bits]),
                np.concatenate([space.high, bits]),
                dtype=space.dtype.type,
            )
        self.single_observation_space = space
        self.single_action_space = gymnasium.spaces.Discrete(ACTIONS)
        if not isinstance(num_games, SupportsIndex):
            raise wrong(TypeError, "num_games", "a whole number", num_games)
        self.num_agents = 4 * operator.index(num_games)
        if self.num_agents < 4:
            raise wrong(ValueError, "num_games", "a whole number of at least 1", num_games)
        super().__init__(buf)
        shared = {
            "rewards": self.rewards,
            "terminations": self.terminals,
            "truncations": self.truncations,
            "alive": self.masks,
        }
        if not action_mask:
            shared["observations"] = self.observations
        self.engine = VecEngine(
            num_games,
            seed,
            **seen,
            reward=reward,
            autoreset_mode="SameStep",
            maps=maps,
            size=size,
            turns=turns,
            threads=threads,
            buffers=shared,
        )
        self._told = self.engine.arrays
        self._began = np.zeros(num_games, np.int64)
        self._steps = 0

    def reset(self, seed: int | None = None) -> tuple[NDArray[Any], list[dict[str, Any]]]:
        """Restarts all games, from `seed` if given; returns observations and infos."""
        self.engine.reset(seed)
        self._began[:] = self._steps
        self._gather()
        return self.observations, []

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[
        NDArray[Any],
        NDArray[np.float32],
        NDArray[np.bool_],
        NDArray[np.bool_],
        list[dict[str, Any]],
    ]:
        """Plays one turn of every game and returns the arrays and infos.

        `actions` are whole numbers 0 to 8, `(4 * num_games,)`. Raises `TypeError` or `ValueError` for
        others; nothing is played then.
        """
        self.engine.step(actions)
        self._steps += 1
        self._gather()
        infos = [self._means()] if self.terminals.any() else []
        return self.observations, self.rewards, self.terminals, self.truncations, infos

    def render(self) -> str:
        """Returns the first game as a text picture."""
        return str(self.engine.game(0))

    def close(self) -> None:
        """Does nothing: there are no resources to release."""

    def _gather(self) -> None:
        if self.action_mask:
            self.observations[:, :-ACTIONS] = self._told["observations"]
            self.observations[:, -ACTIONS:] = self._told["action_mask"]

    def _means(self) -> dict[str, float]:
        """Means over the games that ended: best score and turns, and the number of games."""
        ended = self.terminals[::4]
        points = self._told["final_score"].reshape(-1, 4)[ended]
        turns = self._steps - self._began[ended]
        self._began[ended] = self._steps
        return {
            "best_score": float(points.max(axis=1).mean()),
            "episode_length": float(turns.mean()),
            "n": int(ended.sum()),
        }
