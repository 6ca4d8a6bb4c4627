"""PettingZoo environments: ``pacman2.parallel_env()`` and ``pacman2.env()``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, get_args

try:
    import pettingzoo  # type: ignore[import-untyped]
    from gymnasium import spaces

    from pacman2.zoo_aec import AgentCycleEnv
except ImportError as error:
    from pacman2._checks import lacks

    raise lacks("pacman2.parallel_env and pacman2.env", "pettingzoo>=1.25") from error

import numpy as np

from pacman2._checks import wrong
from pacman2._engine import Table
from pacman2._rendered import rendered
from pacman2._spaces import observation_box
from pacman2.typing import RenderMode

Space = TypeVar("Space", bound=spaces.Space[Any])

if TYPE_CHECKING:
    from collections.abc import Callable

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


class ParallelEnv(Table, pettingzoo.ParallelEnv):  # type: ignore[misc]
    """Pacman2 for PettingZoo: four players, ``"player_0"`` to ``"player_3"``, act at once.

    Actions are 0 to 8: stay; walk up, right, down, left; shoot up, right, down, left. An illegal
    action kills its player.

    Args:
        observation: ``"compact"`` or ``"compact_centred"`` (150,), ``"planes"`` or
            ``"planes_centred"`` (18, 11, 11), ``"image"`` (11, 11, 18), ``"features"`` (128,) or
            ``"action_features"`` (9, 279).
        dtype: ``"uint8"``, or ``"float32"`` for scaled numbers; compact views are then unpacked.
            ``None`` means ``"uint8"``, and ``"float32"`` for features.
        history: how many of the last turns' actions follow in the observation; ``None`` means 0.
        window: the side of a centred view, an odd number from 11 to 63, or of an image, 11 to 63;
            ``None`` means 11.
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
        copy: with ``False``, every call returns the same dicts and arrays with new content, which
            you must neither keep nor change. With ``True`` they are yours, and the environment
            never changes them again.
        render_mode: ``"human"`` (prints), ``"ansi"``, ``"rgb_array"`` or ``"html"``.
        size: a side of the maze or ``(width, height)``, 6 to 11. Default: chosen by the seed.
        init_data: Botzone's init data as a dict or JSON; all games use this map.
        turns, generator_interval, large_fruit_duration, large_fruit_enhancement, skill_cost,
            ruling: as for :class:`pacman2.Game`.

    Raises:
        TypeError: an argument has a wrong type, or an option does not exist.
        ValueError: a value is out of range, or the map cannot be played.

    ``reset(seed=s)`` plays Botzone's map of seed ``s``, 0 to 4294967295. It has no options, and
    others are a ``ValueError``; only ``{"options": 1}``, which PettingZoo's own tests pass to every
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
        seen = observation_box(self)
        with_mask = options.get("action_mask", "observation") == "observation"
        self._observation_spaces = {agent: _observation_space(seen, with_mask) for agent in AGENTS}
        self._action_spaces = {agent: LegalActions(_MaskOf(self, agent)) for agent in AGENTS}

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


class _MaskOf:
    """The mask of an agent's legal actions, computed at each call."""

    def __init__(self, table: Table, agent: str) -> None:
        self._table = table
        self._agent = agent

    def __call__(self) -> NDArray[np.int8] | None:
        return self._table.action_mask(self._agent) if self._table.has_begun else None


def _of_agent(spaces: dict[str, Space], agent: str) -> Space:
    try:
        return spaces[agent]
    except (KeyError, TypeError):
        raise wrong(KeyError, "agent", '"player_0" to "player_3"', agent) from None


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
