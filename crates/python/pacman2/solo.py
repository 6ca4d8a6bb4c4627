"""``pacman2.SoloEnv``: a Gymnasium environment of one player against three built-in bots."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

try:
    import gymnasium
except ImportError as error:
    from pacman2._checks import lacks

    raise lacks("pacman2.SoloEnv", "gymnasium>=1.1") from error

import numpy as np
from numpy.typing import NDArray

from pacman2._checks import wrong
from pacman2._engine import (
    Game,
    Solo,
    checked_options,
    checked_render_mode,
    checked_seed,
    option_names,
)
from pacman2._rendered import rendered
from pacman2._spaces import observation_box
from pacman2.typing import Dtype, RenderMode, Reward, View

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from pacman2.typing import MapOptions

# ``gymnasium.make("pacman2.solo:Pacman2-v0")`` imports this module before the lookup.
gymnasium.register(id="Pacman2-v0", entry_point="pacman2.solo:SoloEnv")


class SoloEnv(gymnasium.Env[NDArray[Any], np.int64]):
    """Pacman2 for Gymnasium: a learner on one seat, built-in bots on the other three.

    ``gymnasium.make("pacman2.solo:Pacman2-v0", ...)`` creates it with the same options.

    Args:
        opponents: the bots of the other seats, starting with the seat after the learner's; or one
            for all three. Each is written as on the command line: ``"greedy"``,
            ``"sage --simulations 200"``.
        seat: 0 to 3, or ``"random"`` to draw it at each reset.
        observation, dtype, history, window: as for :func:`pacman2.parallel_env`.
        reward: as for :func:`pacman2.parallel_env`. With ``"score"``, ``"rank"`` and
            ``"zero_sum"`` the bots finish the game after the learner's death, so that its last
            reward is its actual result.
        render_mode: ``"human"`` (prints), ``"ansi"``, ``"rgb_array"`` or ``"html"``.
        **rules: ``size``, ``init_data``, ``turns`` and the other settings of
            :class:`pacman2.Game`.

    Raises:
        TypeError: an argument has a wrong type, or an option does not exist.
        ValueError: a value is out of range, a bot is unknown, or the map cannot be played.

    Examples:
        >>> env = pacman2.SoloEnv("greedy", seat=1)
        >>> observation, info = env.reset(seed=7)
        >>> observation.shape, info["action_mask"]
        ((150,), array([1, 0, 0, 1, 0, 0, 0, 0, 0], dtype=int8))
        >>> observation, reward, terminated, truncated, info = env.step(0)
        >>> reward, terminated, truncated
        (0.0, False, False)

    Actions are 0 to 8; an illegal action kills the learner. Infos contain ``"action_mask"``,
    ``int8`` (9,), and :meth:`action_masks` returns it as MaskablePPO of sb3-contrib expects it. The
    episode terminates when the learner dies or the game ends. If the game is over, the last info
    contains ``final_score`` and ``rank``.

    ``reset(seed=s)`` plays Botzone's map of seed ``s``. The seed also determines the bots' random
    numbers and the maps of later resets without a seed. Bots with ``--time`` depend on the clock.
    """

    metadata = {"render_modes": list(option_names()["render_mode"]), "render_fps": 4}

    def __init__(
        self,
        opponents: str | Sequence[str] = ("greedy", "greedy", "greedy"),
        *,
        seat: int | Literal["random"] = 0,
        observation: View = "compact",
        dtype: Dtype | None = None,
        history: int | None = None,
        window: int | None = None,
        reward: Reward = "share",
        render_mode: RenderMode | None = None,
        **rules: Unpack[MapOptions],
    ) -> None:
        if isinstance(opponents, str):
            opponents = (opponents,) * 3
        seat = _checked_seat(seat)
        checked_render_mode(render_mode)
        self._solo = Solo(
            opponents,
            observation=observation,
            dtype=dtype,
            history=history,
            window=window,
            reward=reward,
            **rules,
        )
        self._options = {
            "opponents": tuple(opponents),
            "seat": seat,
            "observation": observation,
            "dtype": dtype,
            "history": history,
            "window": window,
            "reward": reward,
            "render_mode": render_mode,
            **rules,
        }
        self._seat: int | Literal["random"] = seat
        self.render_mode = render_mode
        self.observation_space = observation_box(self._solo)
        self.action_space = gymnasium.spaces.Discrete(9)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Starts a new game.

        Args:
            seed: Botzone's map of this seed, 0 to 4294967295; ``None`` continues the sequence that
                follows from the last seed.
            options: there are none; an empty dict is fine.

        Returns:
            The observation and an info with ``"action_mask"``, ``int8`` (9,).

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: the seed is out of range, or ``options`` contains something. The game stays.
        """
        seed = None if seed is None else checked_seed(seed)
        checked_options(options)
        super().reset(seed=seed)
        if seed is None:
            seed = int(self.np_random.integers(1 << 31))
        seat = self._seat if self._seat != "random" else int(self.np_random.integers(4))
        self._solo.begin(seed, seat)
        return self._solo.observation(), {"action_mask": self._solo.action_mask()}

    def step(
        self, action: SupportsIndex
    ) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Plays one turn; the bots choose their actions at the same time.

        Args:
            action: a whole number from 0 to 8.

        Returns:
            The observation, the reward, whether the episode is over, ``False`` (games are never
            truncated), and the info.

        Raises:
            TypeError: the action is not a whole number.
            ValueError: the action is not 0 to 8. Nothing is played.
            RuntimeError: there is no game, or the episode is over.
        """
        reward, terminated, end = self._solo.step(action)
        info: dict[str, Any] = {"action_mask": self._solo.action_mask()}
        if end is not None:
            info["final_score"], info["rank"] = end
        return self._solo.observation(), reward, terminated, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns which actions are legal now, ``bool`` (9,)."""
        return self._solo.action_mask().astype(bool)

    @property
    def seat(self) -> int:
        """The learner's seat in this game."""
        return self._solo.seat

    @property
    def game(self) -> Game:
        """An independent copy of the game, with all turns so far."""
        return self._solo.game

    def render(self) -> Any:
        """Renders the position in ``render_mode``: text, pixels (height, width, 3) or a page."""
        return rendered(self.game, self.render_mode) if self.render_mode else None

    def __reduce__(self) -> tuple[Any, ...]:
        chances = self._np_random, self._np_random_seed, self.action_space
        return _made_again, (type(self), self._options, self._solo.save(), chances, self.spec)


def _checked_seat(seat: Any) -> int | Literal["random"]:
    if isinstance(seat, str) and seat == "random":
        return "random"
    expected = 'a whole number from 0 to 3 or "random"'
    try:
        number = operator.index(seat)
    except TypeError:
        raise wrong(TypeError, "seat", expected, seat) from None
    if number not in range(4):
        raise wrong(ValueError, "seat", expected, seat)
    return number


def _made_again(
    kind: type, options: dict[str, Any], saved: bytes, chances: tuple[Any, ...], spec: Any
) -> Any:
    made = kind(**options)
    made._solo.restore(saved)
    made._np_random, made._np_random_seed, made.action_space = chances
    made.spec = spec
    return made
