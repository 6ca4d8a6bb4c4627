"""Pacman2 for OpenSpiel, registered there as ``python_pacman2``.

    import pyspiel
    import pacman2.openspiel

    game = pyspiel.load_game("python_pacman2(seed=42,width=6,height=6,turns=4)")

It is a simultaneous-move game of perfect information without chance: the parameters determine the
map. For algorithms that need players to move one after another, use
``pyspiel.convert_to_turn_based(game)``; there, no player sees the choices of the others.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    import pyspiel  # type: ignore[import-not-found, import-untyped, unused-ignore]
except ImportError as error:
    from pacman2._checks import lacks

    raise lacks("pacman2.openspiel", "open_spiel>=2") from error

from pacman2._engine import Game
from pacman2._rewards import final_rewards, gains, shares
from pacman2.typing import Reward, Rules

__all__ = ["Pacman2Game", "Pacman2Observer", "Pacman2State", "load_game"]

ACTIONS = (
    *("stay", "up", "right", "down", "left"),
    *("light up", "light right", "light down", "light left"),
)
PLAYERS = 4
DEFAULT = -1
SETTINGS = tuple(name for name in Rules.__annotations__ if name != "ruling")
DEFAULTS: dict[str, Any] = {
    "seed": 0,
    "width": DEFAULT,
    "height": DEFAULT,
    "map": "",
    **dict.fromkeys(SETTINGS, DEFAULT),
    "ruling": "sample",
    "reward": "zero_sum",
}
# The least and the greatest utility. A score is 10 points for each rank and up to 100 for the share
# of the total strength.
UTILITIES = {"zero_sum": (-40.0, 97.5), "score": (10.0, 140.0), "rank": (1, 4), "share": (-1, 1)}


def _game_type(reward: str) -> Any:
    kinds = pyspiel.GameType
    return kinds(
        short_name="python_pacman2",
        long_name="Pacman2 of Botzone",
        dynamics=kinds.Dynamics.SIMULTANEOUS,
        chance_mode=kinds.ChanceMode.DETERMINISTIC,
        information=kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if reward == "zero_sum" else kinds.Utility.GENERAL_SUM,
        reward_model=(
            kinds.RewardModel.REWARDS if reward == "share" else kinds.RewardModel.TERMINAL
        ),
        max_num_players=PLAYERS,
        min_num_players=PLAYERS,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=DEFAULTS,
    )


class Pacman2Game(pyspiel.Game):  # type: ignore[misc, unused-ignore]
    """The game. Its ``params`` are those of :class:`pacman2.Game`; -1 stands for the default.

    - ``seed``, ``width``, ``height``: Botzone's map of this seed and size.
    - ``map``: instead of these, init data as :func:`load_game` encodes them.
    - ``turns``, ``generator_interval``, ``large_fruit_duration``, ``large_fruit_enhancement``,
      ``skill_cost``, ``ruling``: the rules.
    - ``reward``: ``"zero_sum"``, ``"score"`` or ``"rank"`` at the end of the game, or ``"share"``,
      the change of the player's share of the total strength each turn.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = {**DEFAULTS, **(params or {})}
        self.reward: Any = str(given["reward"])
        if self.reward not in UTILITIES:
            known = ", ".join(f'"{name}"' for name in UTILITIES)
            raise ValueError(f'unknown reward "{self.reward}"; expected {known}')
        self.start = _start(given)
        least, greatest = UTILITIES[self.reward]
        turns = int(self.start.settings["turns"])
        info = pyspiel.GameInfo(
            num_distinct_actions=len(ACTIONS),
            max_chance_outcomes=0,
            num_players=PLAYERS,
            min_utility=least,
            max_utility=greatest,
            utility_sum=0.0 if self.reward == "zero_sum" else None,
            max_game_length=turns,
        )
        super().__init__(_game_type(self.reward), info, dict(params or {}))

    def new_initial_state(self) -> Pacman2State:
        """Returns the state before the first turn."""
        return Pacman2State(self)

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None
    ) -> Pacman2Observer:
        """Returns an observer of positions, with the actions so far if ``iig_obs_type`` has perfect
        recall; ``params`` must be empty."""
        if params:
            raise ValueError(f"expected no parameters of the observer, got {dict(params)}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return Pacman2Observer(self.max_game_length(), kind.perfect_recall)


class Pacman2State(pyspiel.State):  # type: ignore[misc, unused-ignore]
    """A position. :attr:`game` is the :class:`pacman2.Game` with all turns so far."""

    def __init__(self, game: Pacman2Game) -> None:
        super().__init__(game)
        self.game = game.start.clone()
        self._reward: Reward = game.reward
        self._rewards = [0.0] * PLAYERS
        self._returns = [0.0] * PLAYERS

    def current_player(self) -> int:
        """Returns whether all players choose or the game is over, as OpenSpiel's number."""
        ids = pyspiel.PlayerId
        return int(ids.TERMINAL if self.game.is_over else ids.SIMULTANEOUS)

    def is_terminal(self) -> bool:
        """Returns whether the game is over."""
        return self.game.is_over

    def _legal_actions(self, player: int) -> list[int]:
        # A simultaneous game needs an action of every player; that of a dead one is ignored.
        return self.game.legal_actions(player) or [0]

    def _apply_actions(self, actions: list[int]) -> None:
        before = shares(self.game)
        self.game.step(actions)
        if self._reward == "share":
            self._rewards = gains(before, self.game)
            self._returns = [sum(both) for both in zip(self._returns, self._rewards)]
        elif self.game.is_over:
            self._rewards = self._returns = final_rewards(self._reward, self.game)

    def _apply_action(self, action: int) -> None:
        raise ValueError(
            f"all players act at once; use apply_actions, got the single action {action}"
        )

    def _action_to_string(self, player: int, action: int) -> str:
        return f"{player}: {ACTIONS[action]}"

    def rewards(self) -> list[float]:
        """Returns the rewards of the last turn."""
        return self._rewards

    def returns(self) -> list[float]:
        """Returns the sums of all rewards so far."""
        return self._returns

    def __str__(self) -> str:
        return str(self.game)


class Pacman2Observer:
    """Observes a position as :meth:`pacman2.Game.observe` does, in ``float32``.

    ``dict["observation"]`` is the compact observation, (150,). With ``perfect_recall``,
    ``dict["history"]``, (``turns``, 4, 9), is 1 for each action so far. ``tensor`` contains both.
    """

    def __init__(self, turns: int, perfect_recall: bool) -> None:
        self._perfect_recall = perfect_recall
        position = 150
        shape = (turns, PLAYERS, len(ACTIONS))
        self.tensor = np.zeros(position + perfect_recall * int(np.prod(shape)), np.float32)
        self.dict = {"observation": self.tensor[:position]}
        if perfect_recall:
            self.dict["history"] = self.tensor[position:].reshape(shape)

    def set_from(self, state: Pacman2State, player: int) -> None:
        """Writes what ``player`` observes in ``state`` into the tensors."""
        self.dict["observation"][:] = state.game.observe("compact", player)
        if self._perfect_recall:
            history = self.dict["history"]
            history[:] = 0
            turn, seat = np.indices(state.game.history.shape)
            history[turn, seat, state.game.history] = 1

    def string_from(self, state: Pacman2State, player: int) -> str:
        """Returns what ``player`` observes in ``state`` as text: the position, or all actions so far if
        recall is perfect."""
        if not self._perfect_recall:
            return f"player {player}\n{state.game}"
        turns = ("".join(str(action) for action in turn) for turn in state.game.history)
        return f"player {player}, actions {' '.join(turns)}"


def load_game(
    seed: int = 0,
    *,
    size: int | tuple[int, int] | None = None,
    init_data: Mapping[str, Any] | str | None = None,
    **options: Any,
) -> Pacman2Game:
    """Returns ``pyspiel.load_game("python_pacman2", …)`` with the arguments of ``pacman2.Game``.

    Args:
        seed: The seed of Botzone's map.
        size: Its side, or its width and height; ``None`` draws them.
        init_data: A map of your own instead. OpenSpiel's parameters alone cannot contain one.
        **options: The other parameters of :class:`Pacman2Game`.
    """
    params: dict[str, Any] = {"seed": seed, **options}
    if size is not None:
        params["width"], params["height"] = (size, size) if isinstance(size, int) else size
    if init_data is not None:
        text = init_data if isinstance(init_data, str) else json.dumps(init_data)
        # OpenSpiel writes parameters into strings, in which commas, brackets and "=" have a meaning.
        packed = base64.urlsafe_b64encode(zlib.compress(text.encode(), 9))
        params["map"] = packed.decode().rstrip("=")
    return pyspiel.load_game("python_pacman2", params)  # type: ignore[no-any-return, unused-ignore]


def _start(params: Mapping[str, Any]) -> Game:
    """Returns the first position."""
    arguments = {name: params[name] for name in SETTINGS if params[name] != DEFAULT}
    arguments["ruling"] = params["ruling"]
    if params["map"]:
        return Game(init_data=_init_data(str(params["map"])), **arguments)
    width, height = params["width"], params["height"]
    if (width == DEFAULT) != (height == DEFAULT):
        raise ValueError(f"expected width and height or neither, got {width} and {height}")
    size = None if width == DEFAULT else (width, height)
    return Game(params["seed"], size=size, **arguments)


def _init_data(packed: str) -> str:
    try:
        return zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))).decode()
    except (ValueError, zlib.error) as error:
        raise ValueError(
            f'expected a map that pacman2.openspiel.load_game encoded, got "{packed}"'
        ) from error


pyspiel.register_game(_game_type("zero_sum"), Pacman2Game)
