"""For PufferLib 3: many games as one of its native environments.

    import pufferlib.vector
    from pacman2.puffer import Pacman2

    envs = pufferlib.vector.make(
        Pacman2, env_kwargs=dict(num_games=256), backend=pufferlib.vector.Multiprocessing,
        num_envs=2, num_workers=2,
    )

An agent is a seat of a game. The engine writes into PufferLib's own buffers, which different
processes share, and nothing is copied on the way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from pacman2._engine import VecEngine

try:
    import pufferlib  # type: ignore[import-not-found, import-untyped, unused-ignore]
except ImportError as error:
    raise ImportError("pacman2.puffer needs PufferLib 3, which is not installed") from error

ACTIONS = 9


class Pacman2(pufferlib.PufferEnv):  # type: ignore[misc, unused-ignore]
    """`num_games` games of four agents each; row `4 * game + seat` of every buffer is an agent.

    - `observations`: `uint8`, of the shape of `observation`, one of `pacman2.observation.SHAPES`.
      With `action_mask=True`, for which a compact one is needed, nine more follow in each row: 1
      for each action that is legal. PufferLib has no other way to tell a policy of them.
    - `actions`: `int32`, 0 to 8. An illegal one kills its player.
    - `rewards`: `float32`, as `reward` names it. The dead have rewards until their game is over.
    - `terminals`: true in all four rows of a game that ended with this step. The next game begins
      in the same step, as PufferLib expects: the observations are already of its first position.
    - `truncations`: never true.
    - `masks`: whether the agent lives. Only the no-op, action 0, is legal for the dead.

    `reset` and `step` return these very arrays, whose numbers the next step replaces. `infos` is
    empty but for steps in which games ended; then it holds one dict with means over these games.

    `maps`, `size`, `turns` and `threads` are those of `pacman2.VecEnv`. The same `seed` gives the
    same games, whatever the number of games, threads and processes.
    """

    def __init__(
        self,
        num_games: int = 1,
        *,
        observation: str = "compact",
        reward: str = "share",
        action_mask: bool = False,
        maps: int | str | Sequence[int | str | Mapping[str, Any]] | None = None,
        size: int | tuple[int, int] | None = None,
        turns: int | None = None,
        threads: int = 1,
        buf: Mapping[str, NDArray[Any]] | None = None,
        seed: int = 0,
    ) -> None:
        self.action_mask = action_mask
        shape: tuple[int, ...] = VecEngine(1, 0, observation=observation, maps=1).observation_shape
        if action_mask and len(shape) != 1:
            raise ValueError(
                f'action_mask stands behind a compact observation; "{observation}" is none'
            )
        if action_mask:
            shape = (shape[0] + ACTIONS,)
        self.single_observation_space = gymnasium.spaces.Box(0, 255, shape, np.uint8)
        self.single_action_space = gymnasium.spaces.Discrete(ACTIONS)
        self.num_agents = 4 * num_games
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
            observation=observation,
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

    def reset(self, seed: int | None = None) -> tuple[NDArray[np.uint8], list[dict[str, Any]]]:
        """Begins all games anew, those of `seed` if there is one; returns observations, infos."""
        self.engine.reset(seed)
        self._began[:] = self._steps
        self._gather()
        return self.observations, []

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[
        NDArray[np.uint8],
        NDArray[np.float32],
        NDArray[np.bool_],
        NDArray[np.bool_],
        list[dict[str, Any]],
    ]:
        """Plays a turn of all games: observations, rewards, terminals, truncations, infos."""
        self.engine.step(actions)
        self._steps += 1
        self._gather()
        infos = [self._means()] if self.terminals.any() else []
        return self.observations, self.rewards, self.terminals, self.truncations, infos

    def render(self) -> str:
        """The first game as a picture in text."""
        return str(self.engine.game(0))

    def close(self) -> None:
        """Nothing is open."""

    def _gather(self) -> None:
        if self.action_mask:
            self.observations[:, :-ACTIONS] = self._told["observations"]
            self.observations[:, -ACTIONS:] = self._told["action_mask"]

    def _means(self) -> dict[str, float]:
        """Of the games that ended: points of the strongest, turns, and how many games there are."""
        ended = self.terminals[::4]
        points = self._told["final_score"].reshape(-1, 4)[ended]
        turns = self._steps - self._began[ended]
        self._began[ended] = self._steps
        return {
            "best_score": float(points.max(axis=1).mean()),
            "episode_length": float(turns.mean()),
            "n": int(ended.sum()),
        }
