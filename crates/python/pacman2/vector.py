"""``VecEnv``: many games side by side, as a vector environment of Gymnasium."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    import gymnasium
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise ImportError(
        "pacman2.VecEnv needs gymnasium 1.1 or later: pip install 'pacman2[gymnasium]'. "
        "pacman2.VecEngine does without it."
    ) from error

from pacman2._engine import Game, VecEngine

__all__ = ["VecEnv"]


class VecEnv(VectorEnv):
    """``num_games`` games of four players, of which each player is a row.

    Rows are seats, game by game: seat ``s`` of game ``g`` is row ``4 * g + s``, and
    ``num_envs`` is ``4 * num_games``. :attr:`by_game` has all arrays once more as
    ``(num_games, 4, …)``. The four rows of a game terminate together, when it is over. A row whose
    player has died stays until then: its ``alive`` is false, its mask has only action 0, and what
    it orders is not looked at.

    Args:
        num_games: How many games, at least 1.
        seed: From this follow all maps and random actions, game by game: game ``g`` plays the same
            whatever ``num_games`` and ``threads`` are. ``None`` draws one.
        observation: ``"compact"`` (150 numbers a row), ``"planes"`` (18 × 11 × 11),
            ``"compact_centred"`` or ``"planes_centred"``; all of ``uint8``.
        reward: ``"share"`` (how much more of all strength than before the turn), or at the game's
            end ``"score"`` (the official one), ``"rank"`` (1 to 4) or ``"zero_sum"`` (the score
            less the mean of the four).
        autoreset_mode: An ``AutoresetMode`` of Gymnasium or its value. ``NEXT_STEP``: the step
            after the end begins the next game; it ignores the actions and rewards 0. ``SAME_STEP``:
            the step of the end does, and ``infos["final_obs"]`` has the last observations.
            ``DISABLED``: games that are over stay as they are, terminated and with reward 0, until
            ``reset(options={"reset_mask": …})``.
        copy: Whether what :meth:`reset` and :meth:`step` return is never touched again. Otherwise
            it is the same arrays each time.
        threads: On how many threads a step is played. More pay from some ten thousand games on.
        maps: A number: so many of Botzone's maps, which follow from the seed, and each game is
            played on one of them, all as likely; 1024 if nothing is said. ``"fresh"``: each game
            has a map of its own, which takes some ten times as long as to play it. A list of seeds
            of Botzone's generator and of init data (``dict`` or JSON): these maps.
        size: A side of Botzone's maps, or ``(width, height)``; each 6 to 11. Drawn if ``None``.
        turns: After how many turns a game ends; 100 if ``None``.
        buffers: Arrays to be written in place by their names, as in :attr:`arrays`: say, over shared
            memory, or ``tensor.numpy()`` of a pinned tensor. Each has to have its shape and dtype,
            lie C-contiguous in memory of its own, and be writeable; those that are not given are
            made. Give an array to one environment only.

    The environment is for one thread at a time: a second one gets ``RuntimeError``. Other threads
    may run while it steps; they may read its arrays, of which they then may see some numbers old
    and some new, but may not write to them.
    """

    def __init__(
        self,
        num_games: int,
        *,
        seed: int | None = None,
        observation: str = "compact",
        reward: str = "share",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        threads: int = 1,
        maps: int | str | Sequence[int | str | Mapping[str, Any]] | None = None,
        size: int | tuple[int, int] | None = None,
        turns: int | None = None,
        buffers: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.engine = VecEngine(
            num_games,
            secrets.randbits(64) if seed is None else seed,
            observation=observation,
            reward=reward,
            autoreset_mode=self.autoreset_mode.value,
            threads=threads,
            maps=maps,
            size=size,
            turns=turns,
            buffers=None if buffers is None else dict(buffers),
        )
        self.copy = copy
        self.num_games = self.engine.num_games
        self.num_envs = 4 * self.num_games
        self.metadata = {"render_modes": [], "autoreset_mode": self.autoreset_mode}
        self.arrays = self.engine.arrays
        self.by_game = SimpleNamespace(
            **{
                name: array.reshape(self.num_games, 4, *array.shape[1:])
                for name, array in self.arrays.items()
            }
        )
        shape = self.engine.observation_shape
        self.single_observation_space = gymnasium.spaces.Box(0, 255, shape, np.uint8)
        self.single_action_space = gymnasium.spaces.Discrete(9)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        #: The fast path: as :meth:`step` with ``copy=False``, whatever ``copy`` is.
        self.step_fast = self.engine.step
        self._all = self.engine.infos["_alive"]
        self._arguments = dict(
            num_games=self.num_games,
            observation=observation,
            reward=reward,
            autoreset_mode=self.autoreset_mode,
            copy=copy,
            threads=threads,
        )

    @property
    def action_mask(self) -> NDArray[np.bool_]:
        """Which actions are legal now, ``(num_envs, 9)``; the same array each time."""
        return self.arrays["action_mask"]

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Who lives now, ``(num_envs,)``; the same array each time."""
        return self.arrays["alive"]

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Begins games anew.

        Args:
            seed: A number from which all games follow, or a list with one for each game; where it
                is ``None``, the place goes on to its next game. After the environment was made, the
                first reset without a seed finds the games of the seed it was made with.
            options: ``{"reset_mask": mask}`` resets some games only: an array of bool for each game
                or for each row; of a game all four rows or none.

        Returns:
            Observations ``(num_envs, …)``, and infos with ``action_mask`` and ``alive``.
        """
        options = {} if options is None else options
        self.engine.reset(seed, options.get("reset_mask"))
        observations = self.arrays["observations"]
        if not self.copy:
            return observations, self.engine.infos
        return observations.copy(), self._copied_infos()

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[
        NDArray[np.uint8],
        NDArray[np.float32],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Plays a turn of all games.

        Args:
            actions: Whole numbers 0 to 8 of any dtype, ``(num_envs,)`` or ``(num_games, 4)``. An
                illegal one kills the player.

        Returns:
            Observations ``(num_envs, …)`` of ``uint8``, rewards ``(num_envs,)`` of ``float32``,
            terminations and truncations ``(num_envs,)`` of ``bool``, and infos: ``action_mask``
            ``(num_envs, 9)`` and ``alive`` ``(num_envs,)`` always; if a game has ended in this
            step, ``final_score`` in points and ``rank``, 1 to 4 and 4 the best, for the rows of
            ``_final_score``, which with ``SAME_STEP`` are in ``final_info`` too, and ``final_obs``
            has the observations before the next game began. There are no truncations: the last turn
            is a game's true end. With ``copy=False`` infos have all keys always.

        Raises:
            TypeError: ``actions`` is no array of whole numbers.
            ValueError: It has another shape, or a number that is no action.
        """
        told = self.step_fast(actions)
        if not self.copy:
            return told
        observations, rewards, terminations, truncations, _ = told
        return (
            observations.copy(),
            rewards.copy(),
            terminations.copy(),
            truncations.copy(),
            self._copied_infos(),
        )

    def random_actions(self, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Draws a legal action for each row, all as likely; 0 for the dead.

        A game draws from a chance of its own, which follows from its seed and from how often this
        was asked. Writes into ``out``, an array as :meth:`step` takes it, or else into a new one of
        ``uint8``, ``(num_envs,)``.
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
                nothing else is legal, all that is legal is as likely.
            out: Where to write the actions, as in :meth:`random_actions`.
            log_prob: Where to write the natural logarithms of what was drawn, ``float32``.

        Returns:
            ``out`` and ``log_prob``, or new arrays ``(num_envs,)``. Each game draws from a chance
            of its own.
        """
        return self.engine.sample(logits, out, log_prob)

    def get_state(self) -> bytes:
        """All that the future of the games follows from: positions, maps, seeds and chance."""
        return self.engine.get_state()

    def set_state(self, state: bytes) -> None:
        """Goes on from a state of :meth:`get_state`, which may be of another process.

        The maps are those of the state from now on; observation, reward, autoreset mode, threads
        and arrays stay as they are.

        Raises:
            ValueError: The bytes are damaged, are no such state, or have another number of games.
        """
        self.engine.set_state(state)

    def game(self, index: int) -> Game:
        """The position of a game as a :class:`Game` that knows nothing of this environment."""
        return self.engine.game(index)

    def put(self, index: int, game: Game) -> None:
        """Puts the position of a :class:`Game` in the place of a game.

        The arrays tell of it at once. Which games follow in this place does not change.
        """
        self.engine.put(index, game)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self._arguments, self.get_state())

    def _copied_infos(self) -> dict[str, Any]:
        arrays = self.arrays
        infos = {
            "action_mask": arrays["action_mask"].copy(),
            "_action_mask": self._all,
            "alive": arrays["alive"].copy(),
            "_alive": self._all,
        }
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
            infos["_final_obs"] = ended
            infos["final_info"] = final
            infos["_final_info"] = ended
        return infos


def _restored(kind: type[VecEnv], arguments: dict[str, Any], state: bytes) -> VecEnv:
    # The state brings its maps along, so that those made here are not looked at: one will do.
    env = kind(seed=0, maps=1, **arguments)
    env.set_state(state)
    return env
