"""Pacman2 for RLlib's new API stack: an environment of four agents with action masks.

    from pacman2.rllib import Pacman2Env
    from ray.rllib.algorithms.ppo import PPOConfig

    config = PPOConfig().environment(Pacman2Env, env_config={"reward": "share"})

Observations have the keys that RLlib's own ``ActionMaskingTorchRLModule`` reads, so that masked PPO
needs no model of your own; ``examples/python/rllib_ppo.py`` shows the whole configuration.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

try:
    from ray.rllib.env.multi_agent_env import (  # type: ignore[import-not-found, unused-ignore]
        MultiAgentEnv,
    )
except ImportError as error:
    from pacman2._checks import lacks

    raise lacks("pacman2.rllib", "ray[rllib]>=2.50") from error

from pacman2._engine import Game
from pacman2.zoo import AGENTS, ParallelEnv

Observations = dict[str, dict[str, Any]]


class Pacman2Env(MultiAgentEnv):  # type: ignore[misc, unused-ignore]
    """:func:`pacman2.parallel_env` for RLlib; ``config`` are its options.

    An observation is a dict of ``"observations"`` and ``"action_mask"``, both ``float32``, since
    RLlib passes them to networks without conversion; ``dtype`` is ``"float32"`` by default. A player that dies gets one more row, in which
    it is terminated, or with ``black_death`` stays until the end of the game.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self.env = ParallelEnv(**{"dtype": "float32", **(config or {}), "action_mask": "info"})
        # RLlib checks that the agents of a row, of which some have just died, are among these.
        self.possible_agents = self.agents = list(AGENTS)
        seen: Any = self.env.observation_space(AGENTS[0])
        space = spaces.Dict(
            {
                "observations": spaces.Box(seen.low, seen.high, dtype=np.float32),
                "action_mask": spaces.Box(0, 1, (9,), np.float32),
            }
        )
        self.observation_spaces = {agent: space for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(9) for agent in AGENTS}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, dict[str, Any]]]:
        """Starts a new game."""
        observations, infos = self.env.reset(seed, options)
        return _with_masks(observations, infos), infos

    def step(
        self, action_dict: Mapping[str, Any]
    ) -> tuple[
        Observations,
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Plays one turn."""
        observations, rewards, terminations, truncations, infos = self.env.step(dict(action_dict))
        over = not self.env.agents
        truncated = over and all(truncations.values())
        return (
            _with_masks(observations, infos),
            rewards,
            {**terminations, "__all__": over and not truncated},
            {**truncations, "__all__": truncated},
            infos,
        )

    def render(self) -> Any:
        """Renders the position in the ``render_mode`` of the options."""
        return self.env.render()

    @property
    def game(self) -> Game:
        """An independent copy of the game, with all turns so far."""
        return self.env.game


def _with_masks(observations: Mapping[str, Any], infos: Mapping[str, Any]) -> Observations:
    return {
        agent: {
            "observations": observation.astype(np.float32),
            "action_mask": infos[agent]["action_mask"].astype(np.float32),
        }
        for agent, observation in observations.items()
    }
