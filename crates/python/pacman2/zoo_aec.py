"""The environment of ``pacman2.env()``, in which players choose one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pettingzoo  # type: ignore[import-untyped]
from pettingzoo.utils.env_logger import EnvLogger  # type: ignore[import-untyped]

from pacman2._checks import check_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gymnasium import spaces
    from numpy.typing import NDArray


class _NoGame(dict[str, Any]):
    """The dicts of an environment before its first reset."""

    def __missing__(self, key: str) -> Any:
        raise RuntimeError(_NO_GAME)


_NO_GAME = "no game has started; call reset() first"


class AgentCycleEnv(pettingzoo.AECEnv):  # type: ignore[misc]
    """The turns of a parallel environment, with one choice per :meth:`step`.

    The turn is played after the choice of the last player. A player that is terminated or truncated
    comes first in the next turn, and its only choice is ``None``.

    PettingZoo's own conversion of a parallel environment does the same with less exact errors.
    """

    agents: list[str]
    agent_selection: str
    observations: dict[str, Any]
    rewards: dict[str, float]
    terminations: dict[str, bool]
    truncations: dict[str, bool]
    infos: dict[str, dict[str, Any]]
    _cumulative_rewards: dict[str, float]

    def __init__(self, parallel: Any) -> None:
        self.env = parallel
        self.metadata = parallel.metadata
        self.render_mode = parallel.render_mode
        self.possible_agents = parallel.possible_agents
        self.state_space = parallel.state_space
        self.agents = []
        self.agent_selection = ""
        self.observations = self.rewards = self.infos = self._cumulative_rewards = _NoGame()
        self.terminations = self.truncations = _NoGame()
        # Whether `step` has to look for players to remove.
        self._any_removed = True
        # The number of calls of reset() and step(), by which agent_iter() notices a missing one.
        self._calls = 0

    @property
    def unwrapped(self) -> Any:
        """The parallel environment that plays the turns."""
        return self.env

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Returns the space of an agent's observations, always the same object."""
        space: spaces.Space[Any] = self.env.observation_space(agent)
        return space

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Returns the space of an agent's actions, always the same object."""
        space: spaces.Space[Any] = self.env.action_space(agent)
        return space

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game, as :meth:`pacman2.zoo.ParallelEnv.reset` does with ``seed`` and ``options``."""
        self.observations, self.infos = self.env.reset(seed=seed, options=options)
        self._calls += 1
        self.agents = list(self.env.agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self._begin_turn(list(self.env.agents))

    def step(self, action: int | None) -> None:
        """Takes the choice of the player ``agent_selection``; the last one's choice plays the turn.

        Args:
            action: a whole number from 0 to 8. A player that is terminated or truncated can only
                choose ``None``, which removes it.

        Raises:
            TypeError: the action is not a whole number.
            ValueError: the action is not 0 to 8, or a removed player chooses one. Nothing changes.
        """
        agent = self.agent_selection
        if self._any_removed and self._remove(agent, action):
            return
        self._calls += 1
        check_whole(f"action of {agent}", action, 0, 8)
        chosen, players = self._chosen, self._players
        chosen[agent] = action
        place = len(chosen)
        if place == len(players):
            self._play(chosen)
            return
        if place == 1:
            self.rewards = dict.fromkeys(self.rewards, 0.0)
        self.agent_selection = players[place]

    def observe(self, agent: str) -> Any:
        """Returns what an agent sees of the position before the current turn."""
        return self.observations[agent]

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Returns the observation, cumulative reward, termination, truncation and info of
        ``agent_selection``; ``None`` as the observation with ``observe=False``."""
        agent = self.agent_selection
        return (
            self.observations[agent] if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """Yields ``agent_selection`` while there are agents, at most ``max_iter`` times; call :meth:`step` for each."""
        if not self._calls:
            raise RuntimeError(_NO_GAME)
        return self._selections(max_iter)

    def _selections(self, max_iter: int) -> Iterator[str]:
        while self.agents and max_iter > 0:
            max_iter -= 1
            calls = self._calls
            yield self.agent_selection
            if self._calls == calls:
                raise RuntimeError("expected a call of step() for each agent of agent_iter()")

    def state(self) -> NDArray[Any]:
        """Returns the whole position, as :meth:`pacman2.zoo.ParallelEnv.state` does."""
        state: NDArray[Any] = self.env.state()
        return state

    def render(self) -> Any:
        """Renders the position, as :meth:`pacman2.zoo.ParallelEnv.render` does."""
        return self.env.render()

    def close(self) -> None:
        """Closes the parallel environment."""
        self.env.close()

    def _begin_turn(self, players: list[str]) -> None:
        self._players = players
        self._any_removed = False
        self._chosen: dict[str, int | None] = {}
        if players:
            self.agent_selection = players[0]

    def _play(self, chosen: dict[str, int | None]) -> None:
        """Plays the turn when all players have chosen."""
        played = self.env.step(chosen)
        self.observations, self.rewards, self.terminations, self.truncations, self.infos = played
        self._cumulative_rewards = self.rewards.copy()
        before, players = self._players, list(self.env.agents)
        self._begin_turn(players)
        if len(players) < len(before):
            self.agents = players + [agent for agent in before if agent not in players]
            self._any_removed = True
            self._deads_step_first()

    def _remove(self, agent: str, action: int | None) -> bool:
        """Removes a player that is terminated or truncated; returns whether there is no choice."""
        if self.observations is self.rewards:
            raise RuntimeError(_NO_GAME)
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
        elif self.terminations[agent] or self.truncations[agent]:
            self._calls += 1
            self._was_dead_step(action)
        else:
            return False
        return True
