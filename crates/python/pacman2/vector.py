"""``VecEnv``: a Gymnasium vector environment of many games."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

try:
    import gymnasium
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    from pacman2._checks import lacks

    raise lacks("pacman2.VecEnv", "gymnasium>=1.1") from error

from pacman2._checks import (
    check_flag,
    check_render_mode,
    check_reset_options,
    check_rules,
    wrong,
)
from pacman2._engine import Game, LearnerEngine, VecEngine
from pacman2._rendered import Frames, rendered
from pacman2._spaces import observation_box
from pacman2.typing import (
    AutoresetName,
    Dtype,
    OpponentsMode,
    RenderMode,
    Reward,
    Rules,
    SeatChoice,
    View,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Opponent", "Policy", "VecEnv"]

#: A function that plays opponents. It takes the observations ``(n, …)`` and the action masks
#: ``(n, 9)`` of all rows that it plays in this turn, and returns their actions, whole numbers
#: ``(n,)``, or logits, floats ``(n, 9)``, from which the environment draws legal actions.
Policy: TypeAlias = Callable[[NDArray[Any], NDArray[np.bool_]], Any]
#: A built-in bot as on the command line, a ``Policy``, or ``None`` for another learner.
Opponent: TypeAlias = str | Policy | None


class VecEnv(VectorEnv):
    """``num_games`` games of four players, with one row per player.

    Rows are seats, game by game: seat ``s`` of game ``g`` is row ``4 * g + s``, and
    ``num_envs`` is ``4 * num_games``. :attr:`by_game` gives all arrays as ``(num_games, 4, …)``.
    The four rows of a game terminate together when the game is over. The row of a dead player stays
    until then: its ``alive`` is false, its mask allows only action 0, and its actions are ignored.

    Args:
        num_games: The number of games, at least 1.
        seed: -2147483648 to 4294967295. Determines all maps and random actions, game by game: game ``g`` is
            the same for every ``num_games`` and ``threads``. ``None`` draws a seed.
        observation: ``"compact"`` (150 numbers a row), ``"planes"`` (18 × 11 × 11),
            ``"planes_centred"``, ``"features"`` (128 numbers) or ``"action_features"`` (9 × 279).
        dtype: ``"uint8"``, or ``"float32"`` for scaled numbers; compact views are then unpacked.
            ``None`` means ``"uint8"``, and ``"float32"`` for features.
        history: How many of the last turns' actions follow in the observation.
        window: The side of ``"planes_centred"``, an odd number from 11 to 63; ``None`` means 11.
        reward: ``"share"`` (the change of the player's share of the total strength), or at the end
            of the game ``"score"`` (the official one), ``"rank"`` (1 to 4) or ``"zero_sum"`` (the
            score minus the mean of the four).
        autoreset_mode: An ``AutoresetMode`` of Gymnasium or its value. ``NEXT_STEP``: the step
            after the end starts the next game; it ignores the actions, and its rewards are 0.
            ``SAME_STEP``: the last step of a game starts the next one, and ``infos["final_obs"]``
            holds the last observations. ``DISABLED``: games that are over stay terminated, with
            reward 0, until ``reset(options={"reset_mask": …})``.
        copy: With ``True``, what :meth:`reset` and :meth:`step` return never changes afterwards.
            With ``False``, they return the same arrays each time.
        threads: The most threads that play a step. Several work only where they save more time
            than they cost: from about ten thousand games on, with planes from about a thousand.
        maps: An integer generates this many Botzone maps from the seed and plays each game on one
            of them, chosen uniformly; the default is 1024. ``"fresh"`` generates a new map for each
            game, which takes about ten times as long as playing it. A list of seeds of Botzone's
            generator and of init data (``dict`` or JSON) gives the maps directly.
        size: A side of Botzone's maps, or ``(width, height)``; each 6 to 11. ``None`` draws it.
        opponents: The players of the seats that are not the learner's; ``None`` makes all four seats
            rows. Each opponent is a built-in bot as on the command line, such as ``"hunter"``,
            ``"style sniper"`` or ``"sage --simulations 64 --net FILE"``, or a ``Policy``, which
            is called once per turn for all rows it plays. A single one plays all three seats; a
            list of three names the opponents of the three seats after the learner's, where ``None``
            is another learner.
        opponents_mode: With ``"drawn"``, ``opponents`` is a list of any length, and each seat of
            each game draws one of them.
        opponent_weights: How likely each opponent is to be drawn; by default all are equally
            likely.
        seat: The learner's seat: 0 to 3, ``"random"`` to draw it for each game, or ``"rotate"`` for
            the next seat with each game of a slot. Only with opponents.
        **rules: ``turns``, ``generator_interval``, ``large_fruit_duration``,
            ``large_fruit_enhancement``, ``skill_cost`` and ``ruling``, as for
            :class:`pacman2.Game`.
        buffers: Arrays to write in place, by the names of :attr:`arrays`: for example shared
            memory, or ``tensor.numpy()`` of a pinned tensor. Each must have the expected shape and
            dtype, be C-contiguous and writeable, and not overlap the others; missing ones are
            allocated. Use an array in one environment only.
        instruction_set: ``"portable"``, ``"neon"`` or ``"avx2"``, for comparisons of speed; the
            games are the same. ``None`` is the fastest that this CPU has.
        render_mode: what :meth:`render` returns: ``"rgb_array"``, ``"human"`` (prints), ``"ansi"``
            or ``"html"``.

    **Opponents.** With ``opponents``, rows are learners only: ``num_envs`` is ``num_games`` times the
    number of learners in a game. A row terminates when its game is over or all learners in it are
    dead; with the rewards ``"score"``, ``"rank"`` and ``"zero_sum"`` the opponents then finish the
    game within the same step. ``ended``, ``final_score`` and ``rank`` are set if the game itself is
    over. ``infos["seat"]`` and ``infos["opponents"]`` show the learner's seat and the opponents of
    the three seats after it, as indices in ``opponents``, in the game whose turn was played.
    Everything follows from the seed, independent of ``num_games`` and ``threads``, unless a policy
    draws random numbers of its own or a bot has ``--time``. Bots of one game need some 100 KB each.

    Raises:
        TypeError: An argument has a wrong type.
        ValueError: A value is out of range, a name is unknown, a map cannot be played, or a buffer
            does not fit.

    Examples:
        >>> env = pacman2.VecEnv(2, seed=1)
        >>> observations, infos = env.reset()
        >>> observations.shape, infos["action_mask"].shape
        ((8, 150), (8, 9))
        >>> observations, rewards, terminations, truncations, infos = env.step(env.random_actions())
        >>> env.by_game.rewards.shape
        (2, 4)
        >>> pacman2.VecEnv(2, seed=1, opponents="greedy").reset()[0].shape
        (2, 150)

    An environment may be used by one thread at a time; a second thread gets ``RuntimeError``. Other
    threads may run while it steps. They may read its arrays, and may then see a mix of old and new
    numbers, but must not write to them.
    """

    def __init__(
        self,
        num_games: int,
        *,
        seed: int | None = None,
        observation: View = "compact",
        dtype: Dtype | None = None,
        history: int | None = None,
        window: int | None = None,
        reward: Reward = "share",
        autoreset_mode: AutoresetMode | AutoresetName = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        threads: int = 1,
        maps: int | str | Sequence[int | str | Mapping[str, Any]] | None = None,
        size: int | tuple[int, int] | None = None,
        opponents: Opponent | Sequence[Opponent] = None,
        opponents_mode: OpponentsMode = "seats",
        opponent_weights: Sequence[float] | None = None,
        seat: SupportsIndex | SeatChoice | None = None,
        buffers: Mapping[str, NDArray[Any]] | None = None,
        instruction_set: str | None = None,
        render_mode: RenderMode | None = None,
        **rules: Unpack[Rules],
    ) -> None:
        self.render_mode = check_render_mode(render_mode)
        check_flag("copy", copy)
        check_rules("VecEnv", VecEnv.__init__, rules)
        mode = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        # A value that is no mapping is refused by the engine.
        arrays: Any = dict(buffers) if isinstance(buffers, Mapping) else buffers
        if opponents is None:
            for name, given, default in (
                ("seat", seat, None),
                ("opponent_weights", opponent_weights, None),
                ("opponents_mode", opponents_mode, "seats"),
            ):
                if given is not default and not (isinstance(given, str) and given == default):
                    raise wrong(ValueError, name, f"{default!r} without opponents", given)
        engine = VecEngine(
            num_games,
            secrets.randbits(32) if seed is None else seed,
            observation=observation,
            dtype=dtype,
            history=history,
            window=window,
            reward=reward,
            # With opponents, a game can be over for the learner alone, so that another engine
            # decides about resets.
            autoreset_mode=mode if opponents is None else "Disabled",
            threads=threads,
            maps=maps,
            size=size,
            buffers=arrays if opponents is None else None,
            instruction_set=instruction_set,
            **rules,
        )
        self.engine: VecEngine | LearnerEngine = engine
        #: The number of rows of each game.
        self.num_learners = 4
        if opponents is not None:
            self.engine = LearnerEngine(
                engine,
                _opponents(opponents, opponents_mode),
                opponents_mode=opponents_mode,
                opponent_weights=opponent_weights,
                seat=seat,
                autoreset_mode=mode,
                buffers=arrays,
            )
            self.num_learners = self.engine.num_learners
        self.autoreset_mode = AutoresetMode(mode)
        self.copy = copy
        self.num_games = self.engine.num_games
        self.num_envs = self.num_learners * self.num_games
        self.metadata = {
            "render_modes": list(get_args(RenderMode)),
            "render_fps": 4,
            "autoreset_mode": self.autoreset_mode,
        }
        self.arrays = self.engine.arrays
        self.by_game = SimpleNamespace(
            **{
                name: array.reshape(self.num_games, self.num_learners, *array.shape[1:])
                for name, array in self.arrays.items()
            }
        )
        self.single_observation_space = observation_box(engine)
        self.single_action_space = gymnasium.spaces.Discrete(9)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        #: The fast path: like :meth:`step`, but never copies.
        self.step_fast = self.engine.step
        self._all = self.engine.infos["_alive"]
        self._arguments: dict[str, Any] = dict(
            num_games=self.num_games,
            observation=observation,
            dtype=dtype,
            history=history,
            window=window,
            reward=reward,
            autoreset_mode=self.autoreset_mode,
            copy=copy,
            threads=threads,
            render_mode=render_mode,
        )
        if opponents is not None:
            self._arguments.update(seat=seat)

    @property
    def action_mask(self) -> NDArray[np.bool_]:
        """Which actions are legal now, ``(num_envs, 9)``; always the same array."""
        return self.arrays["action_mask"]

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Which players are alive, ``(num_envs,)``; always the same array."""
        return self.arrays["alive"]

    @property
    def seats(self) -> NDArray[np.uint8]:
        """The seat of each row in its current game, ``(num_envs,)``."""
        if isinstance(self.engine, LearnerEngine):
            return self.engine.seats
        return np.tile(np.arange(4, dtype=np.uint8), self.num_games)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Restarts games.

        Args:
            seed: An integer that determines all games, or a list with one per game. A slot with
                ``None`` continues with its next game. The first reset after construction, if
                without a seed, starts the games of the constructor's seed.
            options: ``{"reset_mask": mask}`` resets only some games. ``mask`` is an array of bool
                per game or per row; the four rows of a game must agree. There are no other options.

        Returns:
            Observations ``(num_envs, …)``, and infos with ``action_mask`` and ``alive``.

        Raises:
            TypeError: An argument has a wrong type.
            ValueError: A seed is out of range, there is not one for each game, the mask has a wrong
                shape, or an option is unknown. The games stay as they are.
        """
        check_reset_options(options, "reset_mask")
        self.engine.reset(seed, (options or {}).get("reset_mask"))
        observations = self.arrays["observations"]
        if not self.copy:
            return observations, self.engine.infos
        return observations.copy(), self._copied_infos()

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[
        NDArray[Any],
        NDArray[np.float32],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Plays one turn of every game.

        Args:
            actions: Integers 0 to 8 of any integer dtype, ``(num_envs,)`` or ``(num_games, 4)``. An
                illegal action kills its player.

        Returns:
            Observations ``(num_envs, …)``, rewards ``(num_envs,)`` of ``float32``,
            terminations and truncations ``(num_envs,)`` of ``bool``, and infos. Infos always
            contain ``action_mask`` ``(num_envs, 9)`` and ``alive`` ``(num_envs,)``. If a game ended
            in this step, they also contain ``final_score`` in points and ``rank``, 1 to 4 where 4
            is best, for the rows of ``_final_score``. With ``SAME_STEP`` these are in
            ``final_info`` too, and ``final_obs`` holds the observations from before the next game
            began. Truncations are always false: the last turn is the true end of a game. With
            ``copy=False``, infos always contain all keys.

        Raises:
            TypeError: ``actions`` is not an array of integers.
            ValueError: ``actions`` has a wrong shape or contains a number outside 0 to 8.
        """
        result = self.step_fast(actions)
        if not self.copy:
            return result
        observations, rewards, terminations, truncations, _ = result
        return (
            observations.copy(),
            rewards.copy(),
            terminations.copy(),
            truncations.copy(),
            self._copied_infos(),
        )

    def random_actions(self, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Draws a legal action for each row, uniformly; 0 for dead players.

        Each game has its own random numbers, which depend on its seed and on the number of calls.
        Writes into ``out``, an array as :meth:`step` takes it, or into a new one of ``uint8``,
        ``(num_envs,)``.
        """
        return self.engine.random_actions(out)

    def sample(
        self,
        logits: NDArray[np.float32],
        out: NDArray[Any] | None = None,
        log_prob: NDArray[np.float32] | None = None,
    ) -> tuple[NDArray[Any], NDArray[np.float32]]:
        """Draws an action for each row from the softmax of its logits over its mask.

        Args:
            logits: ``(num_envs, 9)`` or ``(num_games, 4, 9)`` of ``float32``. NaN counts as -∞; if
                all legal actions have -∞, the draw among them is uniform.
            out: Where to write the actions, as in :meth:`random_actions`.
            log_prob: Where to write the natural logarithms of the probabilities of the drawn
                actions, ``float32``.

        Returns:
            ``out`` and ``log_prob``, or new arrays ``(num_envs,)``. Each game has its own random
            numbers.
        """
        return self.engine.sample(logits, out, log_prob)

    def render(self) -> Any:
        """Renders the positions in ``render_mode``.

        ``"rgb_array"`` returns one picture per row, ``(height, width, 3)``, all of the same size, as
        wrappers for videos expect; the rows of a game have the same picture. A picture is drawn
        when it is read, so that a video of the first row draws one game only. The other modes
        render the first game: ``"ansi"`` and ``"html"`` return its text or page, and ``"human"``
        prints it. Without a ``render_mode``, the result is ``None``.
        """
        if self.render_mode is None:
            return None
        if self.render_mode == "rgb_array":
            games = [self.game(index) for index in range(self.num_games)]
            return Frames(games, self.num_envs // self.num_games)
        return rendered(self.game(0), self.render_mode)

    def set_opponents(
        self,
        opponents: Opponent | Sequence[Opponent],
        *,
        opponents_mode: OpponentsMode = "seats",
        opponent_weights: Sequence[float] | None = None,
    ) -> None:
        """Replaces the opponents of games that begin from now on, as a league grows.

        Games that are played keep theirs. Append new opponents to the list, so that the indices in
        ``infos["opponents"]`` keep their meaning.

        Args:
            opponents: As for the constructor.
            opponents_mode: As for the constructor.
            opponent_weights: As for the constructor.

        Raises:
            TypeError: An argument has a wrong type.
            RuntimeError: The environment was made without opponents.
            ValueError: There are other numbers of learners than before, or an opponent is unknown.
        """
        if not isinstance(self.engine, LearnerEngine):
            raise RuntimeError("expected an environment with opponents, got one without; create it with opponents=…")
        self.engine.set_opponents(
            _opponents(opponents, opponents_mode),
            opponents_mode=opponents_mode,
            opponent_weights=opponent_weights,
        )

    def get_state(self) -> bytes:
        """Returns all that determines the future: positions, maps, seeds and random numbers.

        Built-in bots are part of it, since what they learn follows from their games; policies are
        not.
        """
        return self.engine.get_state()

    def set_state(self, state: bytes) -> None:
        """Continues from a state of :meth:`get_state`, which may come from another process.

        The environment takes over the maps and opponents of the state; observation, reward,
        autoreset mode, threads, seat and arrays stay as they are. Policies of this environment
        stand for those of the state, in the same order.

        Raises:
            ValueError: The bytes are damaged, are not a state, or have a different number of games.
        """
        self.engine.set_state(state)

    def game(self, index: int) -> Game:
        """Returns the position of the game ``index`` as an independent :class:`pacman2.Game`.

        A negative index counts from the end. Raises ``IndexError`` if there is no such game.
        """
        return self.engine.game(index)

    def put(self, index: int, game: Game) -> None:
        """Replaces the position of the game ``index`` by that of ``game``.

        The arrays show it at once. The games that follow in this slot do not change.
        """
        self.engine.put(index, game)

    def __reduce__(self) -> tuple[Any, ...]:
        if isinstance(self.engine, LearnerEngine):
            policies = self.engine.policies
            arguments = self._arguments | {"learners": self.num_learners}
            return _restored_with_opponents, (type(self), arguments, self.get_state(), policies)
        return _restored, (type(self), self._arguments, self.get_state())

    def _copied_infos(self) -> dict[str, Any]:
        arrays = self.arrays
        infos = {
            "action_mask": arrays["action_mask"].copy(),
            "_action_mask": self._all,
            "alive": arrays["alive"].copy(),
            "_alive": self._all,
        }
        if isinstance(self.engine, LearnerEngine):
            for name in ("seat", "opponents"):
                infos[name] = self.engine.infos[name].copy()
                infos[f"_{name}"] = self._all
        if not self.engine.num_ended:
            return infos
        ended = arrays["ended"].copy()
        final = {
            "final_score": arrays["final_score"].copy(),
            "_final_score": ended,
            "rank": arrays["rank"].copy(),
            "_rank": ended,
        }
        infos.update(final)
        if "final_observations" in arrays:
            infos["final_obs"] = arrays["final_observations"].copy()
            infos["_final_obs"] = (
                ended if isinstance(self.engine, VecEngine) else arrays["terminations"].copy()
            )
            infos["final_info"] = final
            infos["_final_info"] = ended
        return infos


def _restored(kind: type[VecEnv], arguments: dict[str, Any], state: bytes) -> VecEnv:
    # The state contains its maps, so those generated here are not used: one is enough.
    env = kind(seed=0, maps=1, **arguments)
    env.set_state(state)
    return env


def _restored_with_opponents(
    kind: type[VecEnv], arguments: dict[str, Any], state: bytes, policies: list[Policy]
) -> VecEnv:
    # These opponents are replaced by those of the state; only the number of learners is kept.
    opponents = [None] * (arguments.pop("learners") - 1) + ["random"] * 3
    env = kind(seed=0, maps=1, opponents=opponents[:3], **arguments)
    assert isinstance(env.engine, LearnerEngine)
    env.engine.set_state(state, policies)
    return env


def _opponents(given: Opponent | Sequence[Opponent], mode: str) -> list[Opponent]:
    """Returns a list; a single opponent plays all seats."""
    if isinstance(given, str) or callable(given):
        return [given] * (1 if isinstance(mode, str) and mode == "drawn" else 3)
    # A value that is no sequence is refused by the engine.
    return list(given) if isinstance(given, Sequence) else given  # type: ignore[return-value]


def make_solo(
    num_envs: int,
    opponents: Opponent | Sequence[Opponent] = "greedy",
    *,
    init_data: str | Mapping[str, Any] | None = None,
    **options: Any,
) -> VecEnv:
    """Creates the environment of ``gymnasium.make_vec("pacman2:Pacman2-v0", num_envs)``.

    Args:
        num_envs: The number of games. You play one seat of each.
        opponents: The players of the other seats, as in :class:`VecEnv`.
        init_data: A map of your own for all games, as in :class:`pacman2.Game`.
        **options: The other options of :class:`VecEnv`.
    """
    if init_data is not None:
        options["maps"] = [init_data]
    return VecEnv(num_envs, opponents=opponents, **options)


def make_self_play(num_envs: int, **options: Any) -> VecEnv:
    """Creates the environment of ``gymnasium.make_vec("pacman2:Pacman2SelfPlay-v0", num_envs)``."""
    if num_envs < 4 or num_envs % 4:
        raise ValueError(
            f"expected num_envs to be a multiple of 4, since a row is a player, got {num_envs}"
        )
    return VecEnv(num_envs // 4, **options)
