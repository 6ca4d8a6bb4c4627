"""What the environments that play one :class:`pacman2.Game` share: maps and views."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from gymnasium import spaces

from pacman2._checks import check_name
from pacman2._engine import Game, VecEngine
from pacman2._spaces import observation_box
from pacman2.typing import Reward

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Episodes:
    """Starts the games of an environment and shows them to players.

    Invalid options are rejected here, so later calls cannot fail because of them.
    """

    def __init__(
        self,
        *,
        observation: Any,
        dtype: Any,
        history: Any,
        window: Any,
        reward: Any,
        size: Any,
        init_data: Any,
        rules: Mapping[str, Any],
    ) -> None:
        seen: dict[str, Any] = {"dtype": dtype, "history": history, "window": window}
        #: The space of the observations of one player.
        self.space: spaces.Box = observation_box(VecEngine(1, 0, maps=1, observation=observation, **seen))
        self.reward: Reward = check_name("reward", reward, get_args(Reward))
        self._observation = observation
        self._seen = seen
        self._map: dict[str, Any] = {"size": size, **rules}
        first = Game(init_data=init_data, **self._map)
        # Init data are a map for all games.
        self._only = first if init_data is not None else None

    def game(self, seed: int) -> Game:
        """Returns a new game on the map of a seed."""
        return Game(seed, **self._map) if self._only is None else self._only.clone()

    def observe(self, game: Game, seat: int) -> NDArray[Any]:
        """Returns what a player sees, in a new array."""
        seen: NDArray[Any] = game.observe(self._observation, seat, **self._seen)
        return seen


def masks(game: Game) -> NDArray[np.int8]:
    """Returns which actions are legal for each player, (4, 9), in a new array."""
    return game.action_mask().view(np.int8)
