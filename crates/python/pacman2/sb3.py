"""A vector environment of Stable-Baselines3: each player of each game is one of its environments.

    from pacman2.sb3 import Pacman2VecEnv
    from sb3_contrib import MaskablePPO

    model = MaskablePPO("MlpPolicy", Pacman2VecEnv(64, seed=1)).learn(100_000)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

try:
    from stable_baselines3.common.vec_env import (  # type: ignore[import-not-found, unused-ignore]
        VecEnv as BaseVecEnv,
    )
except ImportError as error:
    from pacman2._checks import lacks

    raise lacks("pacman2.sb3", "stable-baselines3>=2.6") from error

from pacman2._rendered import Frames
from pacman2.vector import VecEnv

if TYPE_CHECKING:
    from collections.abc import Iterable


class Pacman2VecEnv(BaseVecEnv):  # type: ignore[misc, unused-ignore]
    """The rows of a :class:`pacman2.VecEnv` as environments of Stable-Baselines3.

    Args:
        num_games: the number of games.
        **options: the options of :class:`pacman2.VecEnv` except ``autoreset_mode`` and ``copy``.

    A row is a player: ``num_envs`` is that of :attr:`env`, the ``pacman2.VecEnv``. A game that ends
    is followed by the next one in the same step, as Stable-Baselines3 expects. The infos of its
    rows then contain ``terminal_observation``, ``final_score`` and ``rank``; only the first of them
    if the opponents go on without the learner.
    ``TimeLimit.truncated`` is always false: the last turn is the true end of a game.

    ``env_method("action_masks")`` returns the masks of legal actions, as MaskablePPO of sb3-contrib
    expects them. Without masks, players often die of illegal actions.

    ``seed(s)`` selects the games of the next :meth:`reset`; they are those of
    ``pacman2.VecEnv.reset(seed=s)``.
    """

    def __init__(self, num_games: int, **options: Any) -> None:
        self.env = VecEnv(num_games, autoreset_mode="SameStep", copy=True, **options)
        self._actions: NDArray[Any] | None = None
        super().__init__(
            self.env.num_envs, self.env.single_observation_space, self.env.single_action_space
        )
        self.metadata = self.env.metadata

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Sets the seed of the next reset; ``None`` draws one."""
        self._seeds = [super().seed(seed)[0]] * self.num_envs
        return self._seeds

    def reset(self) -> NDArray[Any]:
        """Starts new games and returns their observations."""
        if any(self._options):
            raise ValueError(f"expected no reset options, got {self._options[0]}")
        observations, _ = self.env.reset(seed=self._seeds[0])
        self._reset_seeds()
        return observations

    def step_async(self, actions: NDArray[Any]) -> None:
        """Stores the actions for :meth:`step_wait`."""
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Plays one turn of every game; returns observations, rewards, dones and infos."""
        if self._actions is None:
            raise RuntimeError("expected step_async before step_wait")
        actions, self._actions = self._actions, None
        observations, rewards, dones, _, all_infos = self.env.step(actions)
        infos: list[dict[str, Any]] = [{"TimeLimit.truncated": False} for _ in dones]
        for row in np.flatnonzero(dones):
            infos[row]["terminal_observation"] = all_infos["final_obs"][row]
            if all_infos["_final_score"][row]:
                infos[row]["final_score"] = float(all_infos["final_score"][row])
                infos[row]["rank"] = int(all_infos["rank"][row])
        return observations, rewards, dones, infos

    def close(self) -> None:
        """Closes the environment."""
        self.env.close()

    def get_images(self) -> Sequence[NDArray[np.uint8]]:
        """Returns a picture of each game; requires ``render_mode="rgb_array"``."""
        if self.render_mode != "rgb_array":
            raise ValueError(f'expected render_mode "rgb_array", got {self.render_mode!r}')
        frames: Frames = self.env.render()
        return frames.by_game()

    def render(self, mode: str | None = None) -> Any:
        """Renders all games as one picture, or the first one as text."""
        if self.render_mode in (None, "rgb_array"):
            return super().render(mode)
        return self.env.render()

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """Returns an attribute of :attr:`env` for each row; ``action_masks`` are functions."""
        rows = self._get_indices(indices)
        if attr_name == "action_masks":
            return [lambda row=row: self.env.action_mask[row].copy() for row in rows]
        value = getattr(self.env, attr_name)
        return [value for _ in rows]

    def set_attr(
        self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None
    ) -> None:
        """Raises ``AttributeError``: rows have no attributes of their own."""
        raise AttributeError(
            f'"{attr_name}" cannot be set for a row; set it in the attribute "env" instead'
        )

    def env_method(
        self,
        method_name: str,
        *method_args: Any,
        indices: int | Iterable[int] | None = None,
        **method_kwargs: Any,
    ) -> list[Any]:
        """Calls ``action_masks``, the only method that each row has."""
        if method_name != "action_masks":
            raise AttributeError(
                f'expected the method "action_masks", got "{method_name}"; '
                'call methods of the attribute "env" instead'
            )
        functions = self.get_attr(method_name, indices)
        return [function(*method_args, **method_kwargs) for function in functions]

    def env_is_wrapped(
        self, wrapper_class: type[Any], indices: int | Iterable[int] | None = None
    ) -> list[bool]:
        """Returns false for each row."""
        return [False for _ in self._get_indices(indices)]
