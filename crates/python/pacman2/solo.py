"""``pacman2.SoloEnv``: a Gymnasium environment of one player against three built-in bots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, get_args

try:
    import gymnasium
except ImportError as error:
    from pacman2._checks import lacks

    raise lacks("pacman2.SoloEnv", "gymnasium>=1.1") from error

import numpy as np
from numpy.typing import NDArray

from pacman2._checks import (
    check_render_mode,
    check_reset_options,
    check_rules,
    check_seed,
    check_whole,
    wrong,
)
from pacman2._engine import Bot, Game
from pacman2._episodes import Episodes, masks
from pacman2._rendered import rendered
from pacman2._rewards import final_rewards, gains, shares
from pacman2.typing import Dtype, RenderMode, Reward, View

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from pacman2.typing import Rules


class SoloEnv(gymnasium.Env[NDArray[Any], np.int64]):
    """Pacman2 for Gymnasium: a learner on one seat, built-in bots on the other three.

    ``gymnasium.make("pacman2:Pacman2-v0", ...)`` creates it with the same options.

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

    metadata = {"render_modes": list(get_args(RenderMode)), "render_fps": 4}

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
        size: int | tuple[int, int] | None = None,
        init_data: dict[str, Any] | str | None = None,
        **rules: Unpack[Rules],
    ) -> None:
        check_rules("SoloEnv", SoloEnv.__init__, rules)
        self._opponents = _checked_opponents(opponents)
        self._seat = _checked_seat(seat)
        self.render_mode = check_render_mode(render_mode)
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
        self.observation_space = self._episodes.space
        self.action_space = gymnasium.spaces.Discrete(9)
        self._game: Game | None = None
        # The learner's seat, the bots of the other seats, and whether the learner's episode is over.
        self._own = 0
        self._bots: dict[int, Bot] = {}
        self._is_over = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Starts a new game.

        Args:
            seed: Botzone's map of this seed, -2147483648 to 4294967295; ``None`` continues the
                sequence that follows from the last seed.
            options: there are none; an empty dict is fine.

        Returns:
            The observation and an info with ``"action_mask"``, ``int8`` (9,).

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: the seed is out of range, or ``options`` contains something. The game stays.
        """
        seed = None if seed is None else check_seed(seed)
        check_reset_options(options)
        super().reset(seed=seed)
        if seed is None:
            seed = int(self.np_random.integers(1 << 31))
        seat = int(self.np_random.integers(4)) if self._seat == "random" else self._seat
        self._game, self._own, self._is_over = self._episodes.game(seed), seat, False
        others = [(seat + after) % 4 for after in (1, 2, 3)]
        seed = self._game.seed
        self._bots = {other: Bot(bot, seed) for other, bot in zip(others, self._opponents)}
        return self._episodes.observe(self._game, seat), {"action_mask": masks(self._game)[seat]}

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
        game = self._started()
        action = check_whole("action", action, 0, 8)
        if self._is_over:
            raise RuntimeError("the episode is over; call reset() for the next one")
        kind, before = self._episodes.reward, shares(game)
        self._play(game, action)
        reward = gains(before, game)[self._own] if kind == "share" else 0.0
        is_dead = not game.alive[self._own]
        # The other rewards are known at the end of the game only.
        while kind != "share" and is_dead and not game.is_over:
            self._play(game, 0)
        self._is_over = is_dead or game.is_over
        info: dict[str, Any] = {"action_mask": masks(game)[self._own]}
        if game.is_over:
            reward += final_rewards(kind, game)[self._own]
            info["final_score"], info["rank"] = game.scores[self._own], game.ranks[self._own]
        return self._episodes.observe(game, self._own), reward, self._is_over, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns which actions are legal now, ``bool`` (9,)."""
        legal: NDArray[np.bool_] = self._started().action_mask()[self._own]
        return legal

    @property
    def seat(self) -> int:
        """The learner's seat in this game."""
        self._started()
        return self._own

    @property
    def game(self) -> Game:
        """An independent copy of the game, with all turns so far."""
        return self._started().clone()

    def render(self) -> Any:
        """Renders the position in ``render_mode``: text, pixels (height, width, 3) or a page."""
        return rendered(self.game, self.render_mode) if self.render_mode else None

    def _started(self) -> Game:
        if self._game is None:
            raise RuntimeError("no game has started; call reset() first")
        return self._game

    def _play(self, game: Game, action: int) -> None:
        """Plays one turn with this action of the learner."""
        alive = game.alive
        actions = [action] * 4
        for seat, bot in self._bots.items():
            actions[seat] = bot.act(game, seat) if alive[seat] else 0
        game.step(actions)


def _checked_opponents(opponents: Any) -> tuple[str, ...]:
    """Returns the bots of the three seats after the learner's."""
    expected = "a sequence of 3 str"
    if isinstance(opponents, str):
        opponents = (opponents,) * 3
    if not isinstance(opponents, Sequence) or isinstance(opponents, bytes):
        raise wrong(TypeError, "opponents", expected, opponents)
    if len(opponents) != 3:
        raise ValueError(f"opponents: expected {expected}, got {len(opponents)} of them")
    for place, bot in enumerate(opponents):
        if not isinstance(bot, str):
            raise wrong(TypeError, f"opponents[{place}]", "a str", bot)
        try:
            Bot(bot)
        except ValueError as error:
            raise ValueError(f"opponents{str(error).removeprefix('name')}") from None
    return tuple(opponents)


def _checked_seat(seat: Any) -> int | Literal["random"]:
    if isinstance(seat, str) and seat == "random":
        return "random"
    expected = 'a whole number from 0 to 3 or "random"'
    try:
        return check_whole("seat", seat, 0, 3)
    except (TypeError, ValueError) as error:
        raise wrong(type(error), "seat", expected, seat) from None
