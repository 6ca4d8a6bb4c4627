"""PettingZoo environments: ``pacman2.parallel_env()`` and ``pacman2.env()``."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, TypeVar, get_args

try:
    import pettingzoo  # type: ignore[import-untyped]
    from gymnasium import spaces

    from pacman2.zoo_aec import AgentCycleEnv
except ImportError as error:
    from pacman2._checks import lacks

    raise lacks("pacman2.parallel_env and pacman2.env", "pettingzoo>=1.25") from error

import secrets

import numpy as np

from pacman2._checks import (
    check_flag,
    check_name,
    check_render_mode,
    check_reset_options,
    check_rules,
    check_seed,
    check_whole,
    wrong,
)
from pacman2._engine import Game, seed_of_game
from pacman2._episodes import Episodes, masks
from pacman2._rendered import rendered
from pacman2._rewards import final_rewards, gains, shares
from pacman2.typing import MaskPlace, RenderMode

T = TypeVar("T")

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import SupportsIndex

    from numpy.typing import NDArray
    from pettingzoo import AECEnv
    from typing_extensions import Unpack

    from pacman2.typing import ParallelOptions

AGENTS = ("player_0", "player_1", "player_2", "player_3")
METADATA = {
    "name": "pacman2_v0",
    "render_modes": list(get_args(RenderMode)),
    "is_parallelizable": True,
    "render_fps": 4,
}
STATE_LENGTH = 150
PLAYERS = '"player_0" to "player_3"'


def parallel_env(**options: Unpack[ParallelOptions]) -> ParallelEnv:
    """Creates an environment in which all players act at once.

    See :class:`pacman2.zoo.ParallelEnv` for the options.

    Examples:
        >>> env = pacman2.parallel_env(reward="zero_sum")
        >>> observations, infos = env.reset(seed=42)
        >>> observations["player_0"]["observation"].shape, infos["player_0"]["action_mask"].shape
        ((150,), (9,))
        >>> observations, rewards, *_ = env.step({agent: 0 for agent in env.agents})
        >>> rewards
        {'player_0': 0.0, 'player_1': 0.0, 'player_2': 0.0, 'player_3': 0.0}
    """
    return ParallelEnv(**options)


def env(**options: Unpack[ParallelOptions]) -> AECEnv:
    """Creates an environment in which players act one after another.

    The turn is played after the last choice, and no player sees the choices of the others. See
    :class:`pacman2.zoo.ParallelEnv` for the options.

    Examples:
        >>> env = pacman2.env()
        >>> env.reset(seed=42)
        >>> for agent in env.agent_iter(max_iter=4):
        ...     observation, reward, termination, truncation, info = env.last()
        ...     env.step(int(info["action_mask"].nonzero()[0][0]))
        >>> env.agent_selection
        'player_0'
    """
    return AgentCycleEnv(ParallelEnv(**options))


class LegalActions(spaces.Discrete):
    """``Discrete(9)`` whose :meth:`sample` draws legal actions by default.

    All nine actions belong to the space. An illegal action kills its player, so players that sample
    from all nine die within a few turns.

    Args:
        mask: returns the legal actions, or ``None`` if there is no game.
    """

    def __init__(self, mask: Callable[[], NDArray[np.int8] | None]) -> None:
        super().__init__(9)
        self._mask = mask

    def sample(self, mask: NDArray[np.int8] | None = None, probability: Any = None) -> np.int64:
        """Draws an action from ``mask``, by ``probability``, or from those that are legal now."""
        if mask is None and probability is None:
            mask = self._mask()
        return super().sample(mask, probability)

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy has no game to ask for legal actions, so it becomes a plain space.
        state = {name: value for name, value in self.__dict__.items() if name != "_mask"}
        return spaces.Discrete, (9,), state


class ParallelEnv(pettingzoo.ParallelEnv):  # type: ignore[misc]
    """Pacman2 for PettingZoo: four players, ``"player_0"`` to ``"player_3"``, act at once.

    Actions are 0 to 8: stay; walk up, right, down, left; shoot up, right, down, left. An illegal
    action kills its player.

    Args:
        observation: ``"compact"`` (150,), ``"planes"`` or ``"planes_centred"`` (18, 11, 11),
            ``"features"`` (128,) or ``"action_features"`` (9, 279).
        dtype: ``"uint8"``, or ``"float32"`` for scaled numbers; compact views are then unpacked.
            ``None`` means ``"uint8"``, and ``"float32"`` for features.
        history: how many of the last turns' actions follow in the observation; ``None`` means 0.
        window: the side of ``"planes_centred"``, an odd number from 11 to 63; ``None`` means 11.
        reward: ``"share"``, the change of a player's share of the total strength each turn; or, in
            the last turn of the game, ``"score"``, ``"rank"`` (4 is best) or ``"zero_sum"``, the
            score minus the mean of all four. Over a game, the rewards of ``"zero_sum"`` sum to 0.
        action_mask: where to put the mask of legal actions, ``int8`` (9,). With ``"observation"``,
            observations are dicts of ``"observation"`` and ``"action_mask"``; with ``"info"`` they
            are arrays. Infos contain the mask in both cases.
        max_cycles: truncate the game after this many turns; ``None`` never truncates.
        black_death: whether dead players keep their rows until the game ends. ``None`` means
            ``False`` with ``"share"``, which rewards each turn, and ``True`` with the other
            rewards, which are known at the end only. With ``False``, a player that dies gets one
            more row, in which it is terminated; ``"score"``, ``"rank"`` and ``"zero_sum"`` are then
            an estimate, what the player would get if the game ended in that turn.
        copy: ``False`` is accepted and changes nothing: returned dicts and arrays are always new.
        render_mode: ``"human"`` (prints), ``"ansi"``, ``"rgb_array"`` or ``"html"``.
        size: a side of the maze or ``(width, height)``, 6 to 11. Default: chosen by the seed.
        init_data: Botzone's init data as a dict or JSON; all games use this map.
        turns, generator_interval, large_fruit_duration, large_fruit_enhancement, skill_cost,
            ruling: as for :class:`pacman2.Game`.

    Raises:
        TypeError: an argument has a wrong type, or an option does not exist.
        ValueError: a value is out of range, or the map cannot be played.

    ``reset(seed=s)`` plays Botzone's map of seed ``s``, -2147483648 to 4294967295. It has no options,
    and others are a ``ValueError``; only ``{"options": 1}``, which PettingZoo's own tests pass to every
    environment, has no effect. Resets without a seed continue a sequence
    that follows from the last seed given. When the game is over, the infos of its last turn contain
    ``final_score`` and ``rank``.

    ``game`` is an independent :class:`pacman2.Game` with all turns so far; assigning to it replaces
    the current game. ``save`` and ``restore`` do the same with the complete state, including what
    determines later games.
    """

    metadata = METADATA
    possible_agents = list(AGENTS)
    state_space = spaces.Box(0, 255, (STATE_LENGTH,), np.uint8)

    def __init__(self, **options: Unpack[ParallelOptions]) -> None:
        self._options = options
        self.possible_agents = list(AGENTS)
        #: The players with a row in the next turn.
        self.agents: list[str] = []
        self._game: Game | None = None
        # Turns since the reset.
        self._cycles = 0
        # The seed of the last seeded reset, and how many seeds were derived from it.
        self._seeds = secrets.randbits(31), 0
        self._set_options(**options)
        space = self._episodes.space
        self._observation_spaces = {
            agent: _observation_space(space, self._with_mask) for agent in AGENTS
        }
        self._action_spaces = {agent: LegalActions(_MaskOf(self, agent)) for agent in AGENTS}

    def _set_options(
        self,
        *,
        observation: Any = "compact",
        dtype: Any = None,
        history: Any = None,
        window: Any = None,
        reward: Any = "share",
        action_mask: Any = "observation",
        max_cycles: Any = None,
        black_death: Any = None,
        copy: Any = True,
        render_mode: Any = None,
        size: Any = None,
        init_data: Any = None,
        **rules: Any,
    ) -> None:
        check_rules("parallel_env", self._set_options, rules)
        check_flag("copy", copy)
        if black_death is not None:
            check_flag("black_death", black_death)
        self._episodes = Episodes(
            observation=observation,
            dtype=dtype,
            history=history,
            window=window,
            reward=reward,
            size=size,
            init_data=init_data,
            rules=rules,
        )
        self._with_mask = check_name("action_mask", action_mask, get_args(MaskPlace)) == "observation"
        self.max_cycles = max_cycles
        # All rewards but the share depend on the end of the game, for which dead players must stay.
        self._black_death = bool(reward != "share" if black_death is None else black_death)
        self.render_mode = check_render_mode(render_mode)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Starts a game on Botzone's map of ``seed``; returns observations and infos."""
        if not isinstance(options, dict) or options != {"options": 1}:
            check_reset_options(options)
        if seed is not None:
            self._seeds = check_seed(seed), 0
            number = self._seeds[0]
        else:
            self._seeds = self._seeds[0], self._seeds[1] + 1
            number = seed_of_game(*self._seeds)
        self._game = self._episodes.game(number)
        self._cycles = 0
        self.agents = list(AGENTS)
        return self._seen(self._game, self.agents)

    def step(
        self, actions: Mapping[str, SupportsIndex]
    ) -> tuple[
        dict[str, Any],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Plays one turn.

        Args:
            actions: a dict with a whole number from 0 to 8 for each living player.

        Returns:
            Observations, rewards, terminations, truncations and infos of the players in ``agents``.

        Raises:
            TypeError: the actions are not a dict of whole numbers.
            ValueError: an action is out of range, missing, or that of an unknown player. Nothing is
                played.
            RuntimeError: there is no game, or it is over.
        """
        game = self._started()
        if not isinstance(actions, dict):
            raise wrong(TypeError, "actions", "a dict with an action for every living player", actions)
        rows = self.agents
        if not rows:
            if actions:
                raise RuntimeError("the game is over; call reset() to start the next one")
            return {}, {}, {}, {}, {}
        chosen = _chosen(actions, game)
        before = shares(game)
        goes_on = game.step(chosen)
        self._cycles += 1
        stay = self._agents_now(game)
        is_cut = goes_on and self._max_cycles is not None and self._cycles >= self._max_cycles
        self.agents = [] if is_cut else stay
        terminations = {agent: agent not in stay for agent in rows}
        truncations = {agent: is_cut and agent in stay for agent in rows}
        reward = self._episodes.reward
        due = gains(before, game) if reward == "share" else final_rewards(reward, game)
        is_due = reward == "share"
        rewards = {
            agent: due[AGENTS.index(agent)] if is_due or terminations[agent] else 0.0
            for agent in rows
        }
        observations, infos = self._seen(game, rows)
        if not goes_on:
            for agent, info in infos.items():
                seat = AGENTS.index(agent)
                info["final_score"], info["rank"] = game.scores[seat], game.ranks[seat]
        return observations, rewards, terminations, truncations, infos

    def state(self) -> NDArray[np.uint8]:
        """Returns the whole position: the compact observation of seat 0, ``uint8`` (150,)."""
        return self._started().state()

    def action_mask(self, agent: str) -> NDArray[np.int8]:
        """Returns which actions are legal for ``agent``, ``int8`` (9,). For dead players only stay is set."""
        seat = _of_agent({name: seat for seat, name in enumerate(AGENTS)}, agent)
        mask: NDArray[np.int8] = masks(self._started())[seat]
        return mask

    @property
    def max_cycles(self) -> int | None:
        """After how many turns the game is cut short; ``None`` if only its own end ends it."""
        return self._max_cycles

    @max_cycles.setter
    def max_cycles(self, most: SupportsIndex | None) -> None:
        self._max_cycles = None if most is None else check_whole("max_cycles", most, 1, 2**32 - 1)

    @property
    def game(self) -> Game:
        """An independent copy of the game, with all turns so far."""
        return self._started().clone()

    @game.setter
    def game(self, game: Game) -> None:
        if not isinstance(game, Game):
            raise wrong(TypeError, "game", "a pacman2.Game", game)
        self._game = game.clone()
        self._cycles = 0
        self.agents = self._agents_now(game)

    def save(self) -> bytes:
        """Returns the complete state of the environment as bytes for :meth:`restore`."""
        head = struct.pack(_HEAD, _VERSION, *self._seeds, self._max_cycles or 0)
        if self._game is None:
            return head
        game = struct.pack(_GAME_HEAD, self._cycles, bool(self.agents)) + self._game.to_bytes()
        return head + game

    def restore(self, data: bytes, /) -> None:
        """Restores ``data``, the state of an environment with the same options."""
        if not isinstance(data, (bytes, bytearray)):
            raise wrong(TypeError, "data", "bytes", data)
        size, rest = struct.calcsize(_HEAD), struct.calcsize(_HEAD + _GAME_HEAD[1:])
        if data[:1] != bytes([_VERSION]) or len(data) != size and len(data) < rest:
            raise ValueError("expected a saved environment of this version, got other bytes")
        _, given, drawn, most = struct.unpack_from(_HEAD, data)
        game, cycles, agents = None, 0, []
        if len(data) > size:
            game = Game.from_bytes(bytes(data[rest:]))
            cycles, goes_on = struct.unpack_from(_GAME_HEAD, data, size)
            agents = self._agents_now(game) if goes_on else []
        self._game, self._cycles, self.agents = game, cycles, agents
        self._seeds, self._max_cycles = (given, drawn), most or None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Returns the space of an agent's observations, always the same object."""
        return _of_agent(self._observation_spaces, agent)

    def action_space(self, agent: str) -> spaces.Discrete[np.int64]:
        """Returns the space of an agent's actions, always the same object."""
        return _of_agent(self._action_spaces, agent)

    def render(self) -> str | NDArray[np.uint8] | None:
        """Renders the position in ``render_mode``: text, pixels (height, width, 3) or a page."""
        return rendered(self.game, self.render_mode) if self.render_mode else None

    def close(self) -> None:
        """Does nothing: there are no resources to release."""

    def __reduce__(self) -> tuple[Any, ...]:
        chances = {agent: space._np_random for agent, space in self._action_spaces.items()}
        return _made_again, (type(self), self._options, self.save(), chances)

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in self._options.items())
        return f"pacman2.parallel_env({options})"

    def _started(self) -> Game:
        if self._game is None:
            raise RuntimeError("no game has started; call reset() first")
        return self._game

    def _agents_now(self, game: Game) -> list[str]:
        """Returns the players with a row if the game continues from this position."""
        if game.is_over:
            return []
        return [agent for agent, alive in zip(AGENTS, game.alive) if alive or self._black_death]

    def _seen(
        self, game: Game, rows: list[str]
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Returns observations and infos of players."""
        legal = masks(game)
        observations: dict[str, Any] = {}
        infos: dict[str, dict[str, Any]] = {}
        for agent in rows:
            seat = AGENTS.index(agent)
            mask, seen = legal[seat], self._episodes.observe(game, seat)
            observations[agent] = (
                {"observation": seen, "action_mask": mask} if self._with_mask else seen
            )
            infos[agent] = {"action_mask": mask}
        return observations, infos


# What `save` writes: the version, both seeds and `max_cycles`; with a game, the turns since the
# reset, whether players have a row, and the game.
_VERSION = 1
_HEAD = "<BQQI"
_GAME_HEAD = "<I?"


class _MaskOf:
    """The mask of an agent's legal actions, computed at each call."""

    def __init__(self, env: ParallelEnv, agent: str) -> None:
        self._env = env
        self._agent = agent

    def __call__(self) -> NDArray[np.int8] | None:
        return self._env.action_mask(self._agent) if self._env._game is not None else None


def _chosen(actions: Mapping[str, Any], game: Game) -> list[int]:
    """Returns the actions of all seats. Dead players need no action."""
    chosen = [0] * 4
    for seat, agent in enumerate(AGENTS):
        if agent in actions:
            chosen[seat] = check_whole(f"action of {agent}", actions[agent], 0, 8)
    living = [agent for agent, alive in zip(AGENTS, game.alive) if alive]
    if missing := [f'"{agent}"' for agent in living if agent not in actions]:
        expected = "an action for every living player"
        raise ValueError(f"actions: expected {expected}, got none for {', '.join(missing)}")
    if unknown := [name for name in actions if name not in AGENTS]:
        raise ValueError(f"actions: expected actions of {PLAYERS}, got one of {unknown[0]!r}")
    return chosen


def _of_agent(values: dict[str, T], agent: str) -> T:
    try:
        return values[agent]
    except (KeyError, TypeError):
        raise wrong(KeyError, "agent", PLAYERS, agent) from None


def _observation_space(seen: spaces.Box, with_mask: bool) -> spaces.Space[Any]:
    # Each agent has a space of its own, because a space draws its own random numbers.
    seen = spaces.Box(seen.low, seen.high, dtype=seen.dtype.type)
    if not with_mask:
        return seen
    return spaces.Dict({"observation": seen, "action_mask": spaces.Box(0, 1, (9,), np.int8)})


def _made_again(kind: type, options: dict[str, Any], saved: bytes, chances: dict[str, Any]) -> Any:
    made = kind(**options)
    made.restore(saved)
    for agent, chance in chances.items():
        made.action_space(agent)._np_random = chance
    return made
