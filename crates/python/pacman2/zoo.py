"""The game as an environment of PettingZoo: ``pacman2.parallel_env()`` and ``pacman2.env()``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

try:
    import pettingzoo  # type: ignore[import-untyped]
    from gymnasium import spaces
    from pettingzoo.utils.conversions import (  # type: ignore[import-untyped]
        parallel_to_aec_wrapper,
    )
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper  # type: ignore[import-untyped]
except ImportError as error:
    raise ImportError(
        "pacman2.parallel_env and pacman2.env need PettingZoo: pip install 'pacman2[pettingzoo]'"
    ) from error

import numpy as np

from pacman2._engine import Table
from pacman2._rendered import RENDER_MODES, check_render_mode, rendered

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from pettingzoo import AECEnv

AGENTS = ("player_0", "player_1", "player_2", "player_3")
METADATA = {
    "name": "pacman2_v0",
    "render_modes": list(RENDER_MODES),
    "is_parallelizable": True,
    "render_fps": 4,
}
STATE_LENGTH = 150


def parallel_env(**options: Any) -> ParallelEnv:
    """Makes an environment in which all living players act at once; see :class:`ParallelEnv`."""
    return ParallelEnv(**options)


def env(**options: Any) -> AECEnv:
    """Makes an environment in which players act one after another, and a turn is played after the
    last; see :class:`ParallelEnv` for the options. Nobody sees what others chose in a turn.
    """
    return OrderEnforcingWrapper(parallel_to_aec_wrapper(ParallelEnv(**options)))


class LegalActions(spaces.Discrete):
    """``Discrete(9)``, of which :meth:`sample` draws legal actions if it is not told otherwise.

    Every action of the nine belongs to the space. An illegal one kills the player that takes it, so
    players that sample from all nine die within a few turns.
    """

    def __init__(self, mask: Callable[[], NDArray[np.int8] | None]) -> None:
        super().__init__(9)
        self._mask = mask

    def sample(self, mask: NDArray[np.int8] | None = None, probability: Any = None) -> np.int64:
        """Draws an action: of ``mask``, by ``probability``, or any that is legal now."""
        if mask is None and probability is None:
            mask = self._mask()
        return super().sample(mask, probability)

    def __reduce__(self) -> tuple[Any, ...]:
        # By itself it knows no game any more, so what arrives elsewhere is a plain space.
        state = {name: value for name, value in self.__dict__.items() if name != "_mask"}
        return spaces.Discrete, (9,), state


class ParallelEnv(Table, pettingzoo.ParallelEnv):  # type: ignore[misc]
    """Pacman2 for PettingZoo: four players, ``"player_0"`` to ``"player_3"``, who act at once.

    Actions are 0 to 8: stay; walk up, right, down, left; shoot up, right, down, left. An illegal
    one kills its player.

    Args:
        observation: ``"compact"`` (150,), ``"planes"`` (18, 11, 11), or either of them as
            ``"compact_centred"`` and ``"planes_centred"``; all ``uint8``.
        reward: ``"share"``, the change of a player's share of all strength; or, in its last turn,
            ``"score"``, ``"rank"`` (4 the best) or ``"zero_sum"``, the score less the mean of all.
        action_mask: where the mask of legal actions is, ``int8`` (9,). With ``"observation"``
            observations are dicts of ``"observation"`` and ``"action_mask"``, with ``"info"`` they
            are arrays. Infos have it in both cases.
        max_cycles: after so many turns the game is truncated; ``None``: its own end ends it.
        black_death: whether dead players keep their rows until the game ends. Without it a player
            that dies has one more row, in which it is terminated and is rewarded as if the game
            ended then.
        copy: ``False`` gives the same dicts and arrays each time, with new content; so they may
            neither be kept nor changed. With ``True`` they are changed by nobody but their owner.
        render_mode: ``"human"`` (prints), ``"ansi"``, ``"rgb_array"`` or ``"html"``.
        size: a side of the field or ``(width, height)``, 6 to 11; by itself the seed draws it.
        init_data: Botzone's init data, a dict or JSON: all games are played on that map.
        turns, generator_interval, large_fruit_duration, large_fruit_enhancement, skill_cost,
            ruling: as for :class:`pacman2.Game`.

    ``reset(seed=s)`` plays Botzone's map of seed ``s``. Resets without a seed go through a sequence
    that follows from the last one given. When the game is over, the infos of its last turn hold
    ``final_score`` and ``rank``.

    ``game`` is a :class:`pacman2.Game` of its own, with all turns so far; one that is assigned
    takes the place of the game. ``save`` and ``restore`` do so with all that the future depends on.
    """

    metadata = METADATA
    possible_agents = list(AGENTS)
    state_space = spaces.Box(0, 255, (STATE_LENGTH,), np.uint8)

    def __init__(self, **options: Any) -> None:
        check_render_mode(options.get("render_mode"))
        self._options = options
        self.possible_agents = list(AGENTS)
        shape = tuple(self.observation_shape)
        with_mask = options.get("action_mask", "observation") == "observation"
        self._observation_spaces = {agent: _observation_space(shape, with_mask) for agent in AGENTS}
        self._action_spaces = {agent: LegalActions(_MaskOf(self, agent)) for agent in AGENTS}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations: the same object each time."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete[np.int64]:
        """The space of an agent's actions: the same object each time."""
        return self._action_spaces[agent]

    def render(self) -> str | NDArray[np.uint8] | None:
        """The position as ``render_mode`` has it: text, dots (height, width, 3), or a page."""
        return rendered(self.game, self.render_mode) if self.render_mode else None

    def close(self) -> None:
        """Does nothing, for there is nothing to be released."""

    def __reduce__(self) -> tuple[Any, ...]:
        chances = {agent: space._np_random for agent, space in self._action_spaces.items()}
        return _made_again, (type(self), self._options, self.save(), chances)

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in self._options.items())
        return f"pacman2.parallel_env({options})"


class _MaskOf:
    """The mask of an agent's legal actions, asked anew each time."""

    def __init__(self, table: Table, agent: str) -> None:
        self._table = table
        self._agent = agent

    def __call__(self) -> NDArray[np.int8] | None:
        return self._table.action_mask(self._agent) if self._table.has_begun else None


def _observation_space(shape: tuple[int, ...], with_mask: bool) -> spaces.Space[Any]:
    seen = spaces.Box(0, 255, shape, np.uint8)
    if not with_mask:
        return seen
    return spaces.Dict({"observation": seen, "action_mask": spaces.Box(0, 1, (9,), np.int8)})


def _made_again(kind: type, options: dict[str, Any], saved: bytes, chances: dict[str, Any]) -> Any:
    made = kind(**options)
    made.restore(saved)
    for agent, chance in chances.items():
        made.action_space(agent)._np_random = chance
    return made
