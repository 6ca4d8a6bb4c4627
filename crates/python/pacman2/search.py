"""``pacman2.Search``: the tree search of ``sage`` with the leaves evaluated by your own function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike, fspath
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pacman2._checks import check_number, check_seed, lacks, wrong
from pacman2._engine import Game, SearchCore, SearchResult
from pacman2.typing import Dtype, Reward, View

__all__ = ["PolicyValue", "Search", "SearchResults"]

#: A function that evaluates positions. It takes the observations of ``n`` leaves, ``(n, 4, …)``, or
#: ``(n, …)`` with ``per_seat=False``, and their action masks ``(n, 4, 9)``. It returns the logits
#: of all seats' actions, floats ``(n, 4, 9)`` or ``(4 * n, 9)``, and the values of all seats,
#: floats ``(n, 4)`` or ``(4 * n,)``.
PolicyValue: TypeAlias = Callable[[NDArray[Any], NDArray[np.bool_]], tuple[Any, Any]]


class Search:
    """Searches many games at once; a Python function evaluates the leaves of all of them in batches.

    It is decoupled PUCT over the joint actions of all four players, as in the bot ``sage``: in each
    node, every seat selects its own action from its own statistics, whose priors are your policy.

    Args:
        policy_value: The ``PolicyValue`` function. Logits of illegal actions have no effect.
        simulations: The number of simulations for each game.
        observation, dtype, history, window: As for :class:`pacman2.VecEnv`.
        per_seat: Whether leaves are observed from all four seats, or with ``False`` from seat 0
            alone. The function returns logits and values of all seats in both cases.
        value: What the values are: what a seat can expect at the end of the game as ``"share"`` of
            the total strength, or as the reward ``"score"``, ``"rank"`` or ``"zero_sum"``. The
            search uses the actual result where a game ends.
        exploration: The constant of PUCT in the unit of the values; ``None`` is that of ``sage``,
            7 points of score.
        leaves: How many leaves of each game are evaluated at a time. More leaves make larger
            batches, and a search that is slightly less well informed.
        noise: The part of Dirichlet noise in the priors of the root, for self-play; 0.25 in
            AlphaZero.
        alpha: The parameter of the Dirichlet distribution.
        seed: -2147483648 to 4294967295; determines noise and sampled actions.
        threads: The number of threads that walk in the trees and write observations.

    The same games and the same seed give the same results, if the function returns the same numbers.

    Raises:
        TypeError: An argument has a wrong type.
        ValueError: A value is out of range, or a name is unknown.

    Examples:
        >>> import numpy as np
        >>> def evaluate(observations, masks):
        ...     return np.zeros(masks.shape, np.float32), np.zeros(masks.shape[:2], np.float32)
        >>> search = pacman2.Search(evaluate, simulations=32)
        >>> found = search([pacman2.Game(seed=1), pacman2.Game(seed=2)])
        >>> found.visits.shape, found.policy().shape, found.actions().shape
        ((2, 4, 9), (2, 4, 9), (2, 4))
    """

    def __init__(
        self,
        policy_value: PolicyValue,
        simulations: int = 128,
        *,
        observation: View = "compact",
        dtype: Dtype | None = None,
        history: int | None = None,
        window: int | None = None,
        per_seat: bool = True,
        value: Reward = "zero_sum",
        exploration: float | None = None,
        leaves: int = 8,
        noise: float = 0.0,
        alpha: float = 0.3,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        if not callable(policy_value):
            raise wrong(TypeError, "policy_value", "a function", policy_value)
        check_number("noise", noise, "a number from 0 to 1", lambda noise: 0 <= noise <= 1)
        check_number("alpha", alpha, "a number above 0", lambda alpha: 0 < alpha < np.inf)
        self.policy_value = policy_value
        self.noise = noise
        self.alpha = alpha
        self.rng = np.random.default_rng(check_seed(seed))
        self._core = SearchCore(
            simulations,
            leaves,
            observation=observation,
            dtype=dtype,
            history=history,
            window=window,
            per_seat=per_seat,
            value=value,
            exploration=exploration,
            threads=threads,
        )

    @classmethod
    def from_onnx(
        cls,
        model: str | PathLike[str] | bytes,
        simulations: int = 128,
        *,
        providers: Sequence[str | tuple[str, Mapping[str, Any]]] = ("CPUExecutionProvider",),
        **options: Any,
    ) -> Search:
        """Creates a search with a net in ONNX, run by ``onnxruntime``.

        Args:
            model: A file or its content. The net has one input, the observations, of ``uint8`` or
                ``float32``, or two, observations and masks, and two outputs, logits and values. It
                is called with one row for each leaf and seat if its input has as many axes as
                observations with one more for rows, and otherwise as a ``PolicyValue``.
            simulations: As for :class:`Search`.
            providers: The execution providers of ``onnxruntime``.
            **options: The keywords of :class:`Search`.

        Raises:
            ImportError: ``onnxruntime`` is not installed.
            ValueError: The net has other numbers of inputs or outputs.
        """
        return cls(_onnx_function(model, providers), simulations, **options)

    @property
    def exploration(self) -> float:
        """The constant of PUCT, in the unit of the values."""
        return self._core.exploration

    def __call__(self, games: Game | Sequence[Game]) -> SearchResults:
        """Searches ``games`` that are not over, which do not change.

        Raises:
            ValueError: A game is over, or ``policy_value`` returned arrays of a wrong shape or NaN.
            TypeError: ``policy_value`` returned no floats.
        """
        games = [games] if isinstance(games, Game) else games
        if not isinstance(games, Sequence):
            raise wrong(TypeError, "games", "a pacman2.Game or a list of them", games)
        noise = None
        if self.noise > 0:
            draws = self.rng.gamma(self.alpha, size=(len(games), 4, 9))
            # For a small alpha, all draws of a seat can be too small for a float32.
            noise = np.maximum(draws, 1e-30).astype(np.float32)
        self._core.begin(games, self.noise, noise)
        while (batch := self._core.select()) is not None:
            answer = self.policy_value(*batch)
            if not isinstance(answer, (tuple, list)) or len(answer) != 2:
                raise wrong(TypeError, "policy_value", "(logits, values) as its result", answer)
            self._core.evaluate(*answer)
        return SearchResults(self._core.results(), self.rng)


class SearchResults(Sequence[SearchResult]):
    """What a search found: a :class:`pacman2.SearchResult` for each game, and arrays of all games.

    Attributes:
        visits: The number of simulations that began with each action, ``uint32`` ``(n, 4, 9)``.
        values: The mean value of each action for its seat, ``float32`` ``(n, 4, 9)``; NaN without
            visits.
        value: The value of each seat, ``float32`` ``(n, 4)``.

    :class:`Search` creates it from ``results``, and draws actions with its ``rng``.
    """

    def __init__(self, results: list[SearchResult], rng: np.random.Generator) -> None:
        self._results = results
        self._rng = rng
        empty = np.zeros((0, 4, 9))
        self.visits = np.array([found.visits for found in results] or empty, np.uint32)
        self.values = np.array([found.values for found in results] or empty, np.float32)
        self.value = np.array([found.points for found in results] or empty[..., 0], np.float32)

    def __len__(self) -> int:
        return len(self._results)

    def __getitem__(self, index: Any) -> Any:
        return self._results[index]

    def policy(self, temperature: float = 1.0) -> NDArray[np.float32]:
        """Returns the probability of each action, ``float32`` ``(n, 4, 9)``.

        It is proportional to the visits to the power of ``1 / temperature``; with 0, the most
        visited action has probability 1. Dead players stay.
        """
        if not temperature >= 0:
            raise wrong(ValueError, "temperature", "a number of at least 0", temperature)
        visits = self.visits.astype(np.float64)
        visits[..., 0] += visits.sum(axis=-1) == 0
        most = visits.max(axis=-1, keepdims=True)
        if temperature == 0:
            weights = (np.arange(9) == visits.argmax(axis=-1)[..., None]).astype(np.float64)
        else:
            weights = (visits / most) ** (1 / temperature)
        chances: NDArray[np.float32] = (weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32)
        return chances

    def actions(self, temperature: float = 0.0) -> NDArray[np.uint8]:
        """Draws an action for each seat, ``uint8`` ``(n, 4)``; with temperature 0 the most visited."""
        chances = self.policy(temperature).astype(np.float64).cumsum(axis=-1)
        if temperature == 0:
            actions = chances.argmax(axis=-1)
        else:
            drawn = self._rng.random((*chances.shape[:-1], 1)) * chances[..., -1:]
            actions = (drawn >= chances).sum(axis=-1)
        numbers: NDArray[np.uint8] = actions.astype(np.uint8)
        return numbers

    def pv(self, index: int, seat: int = 0, action: int | None = None) -> NDArray[np.uint8]:
        """Returns the principal variation of the game ``index``, ``uint8`` ``(turns, 4)``.

        It begins with an ``action`` of a ``seat``, by default the most visited one.
        """
        line: NDArray[np.uint8] = self._results[index].pv(seat, action)
        return line


def _onnx_function(model: str | PathLike[str] | bytes, providers: Sequence[Any]) -> PolicyValue:
    try:
        import onnxruntime  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError as error:
        raise lacks("pacman2.Search.from_onnx", "onnxruntime>=1.17") from error
    source = model if isinstance(model, bytes) else fspath(model)
    session = onnxruntime.InferenceSession(source, providers=list(providers))
    inputs, outputs = session.get_inputs(), session.get_outputs()
    if len(inputs) not in (1, 2) or len(outputs) != 2:
        raise ValueError(
            "model: expected the input observations, and possibly masks, and the outputs logits and "
            f"values, got {len(inputs)} inputs and {len(outputs)} outputs"
        )
    kinds = {"tensor(float)": np.float32, "tensor(uint8)": np.uint8, "tensor(bool)": np.bool_}
    dtypes = []
    for each in inputs:
        if each.type not in kinds:
            raise ValueError(f"input {each.name}: expected {', '.join(kinds)}, got {each.type}")
        dtypes.append(kinds[each.type])

    def policy_value(observations: NDArray[Any], masks: NDArray[np.bool_]) -> tuple[Any, Any]:
        given: dict[str, NDArray[Any]] = {}
        for each, dtype, array in zip(inputs, dtypes, (observations, masks)):
            if len(each.shape) < array.ndim:
                array = array.reshape(-1, *array.shape[2:])
            given[each.name] = np.ascontiguousarray(array, dtype)
        logits, values = session.run([output.name for output in outputs], given)
        # A net of one value has an axis of length 1.
        return logits, values[..., 0] if values.ndim == 2 and values.shape[1] == 1 else values

    return policy_value
