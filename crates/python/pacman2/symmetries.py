"""The symmetries of the game, for augmenting training data.

Rotate or mirror a maze with everything in it, and the game goes on in the same way: the rules know no
direction. There are eight such :data:`ALL` symmetries. A maze of `height × width` cells becomes one of
`width × height` by those that transpose; :func:`of_size` returns those that keep the size.

    from pacman2 import symmetries

    for symmetry in symmetries.ALL:
        more = symmetry.observations(observations, "planes_centred")
        actions = symmetry.actions(actions)

All methods take arrays of NumPy or tensors of PyTorch with any number of leading axes, compute on all
rows at once, and return new ones of the same kind.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from pacman2._checks import check_whole, wrong
from pacman2.typing import View

#: An array of NumPy or a tensor of PyTorch.
Array: TypeAlias = Any

SIDE = 11
CELLS = SIDE * SIDE
PLANES = 18
NUMBERS = 29
PLAYERS = 20
ACTIONS = 9
FEATURES = 128
#: Where width and height are among the numbers of a compact view.
WIDTH, HEIGHT = 22, 23
#: What the rows, columns, widths and heights of an unpacked compact view are divided by.
UNIT = 16
MOST_HISTORY = 64
MOST_WINDOW = 63
ACTION_FEATURES = 279
_VIEWS: tuple[str, ...] = get_args(View)


@dataclass(frozen=True)
class Symmetry:
    """A rotation or reflection: first the transposition, then the reflections, if any.

    Attributes:
        name: a name, such as ``"rotate_right"``.
        transposes: whether rows become columns.
        flips_rows: whether up and down are exchanged.
        flips_columns: whether left and right are exchanged.
    """

    name: str
    transposes: bool
    flips_rows: bool
    flips_columns: bool

    @property
    def inverse(self) -> Symmetry:
        """The symmetry that undoes this one."""
        if not self.transposes:
            return self
        return _find(True, self.flips_columns, self.flips_rows)

    def actions(self, actions: Array) -> Array:
        """Returns the actions, 0 to 8, in the mirrored maze; other numbers stay as they are.

        Raises:
            TypeError: these are not whole numbers.
        """
        actions = _array("actions", actions, "whole numbers")
        is_action = (actions >= 0) & (actions < ACTIONS)
        moved = _like(np.array(self._new_actions()), actions)[_indices(actions * is_action)]
        return _where(is_action, _cast(moved, actions), actions)

    def masks(self, masks: Array) -> Array:
        """Returns action masks in the mirrored maze: arrays whose last axis has the nine actions.

        Raises:
            TypeError: these are not numbers.
            ValueError: the last axis has not nine of them.
        """
        return self._permute_actions(_rows_of_actions("masks", masks))

    def policies(self, policies: Array) -> Array:
        """Returns ``policies``, probabilities or logits of the nine actions, the last axis, in the mirrored maze.

        Raises:
            TypeError: these are not numbers.
            ValueError: the last axis has not nine of them.
        """
        return self._permute_actions(_rows_of_actions("policies", policies))

    def observations(
        self,
        observations: Array,
        view: str,
        *,
        history: int | None = None,
        window: int | None = None,
    ) -> Array:
        """Returns what the players see in the mirrored maze.

        Args:
            observations: observations of this view, as ``uint8`` or ``float32``. Planes and features may
                be of any dtype.
            view: the name of the view.
            history: the number of turns whose actions the observations hold; ``None`` means 0.
            window: the rows and columns of ``"planes_centred"``, an odd number; ``None`` means 11.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: the view is unknown, or the shape is not that of the view with these options.
        """
        if not isinstance(view, str) or view not in _VIEWS:
            names = ", ".join(f'"{name}"' for name in _VIEWS)
            raise wrong(ValueError if isinstance(view, str) else TypeError, "view", names, view)
        history = check_whole("history", 0 if history is None else history, 0, MOST_HISTORY)
        if view == "action_features" and history:
            raise wrong(ValueError, "history", f'0 with the view "{view}"', history)
        window = check_whole("window", SIDE if window is None else window, SIDE, MOST_WINDOW)
        if window % 2 == 0:
            raise wrong(ValueError, "window", "an odd number, so that there is a middle", window)
        if window != SIDE and view != "planes_centred":
            raise wrong(ValueError, "window", f'{SIDE} with the view "{view}"', window)
        observations = _array("observations", observations, "an array of numbers")
        shape = tuple(observations.shape)
        if view.startswith("planes"):
            _check_shape(shape, [(PLANES + 4 * ACTIONS * history, window, window)])
            return self._planes(observations, history, view == "planes_centred")
        if view == "action_features":
            _check_shape(shape, [(ACTIONS, ACTION_FEATURES)])
            return observations[..., _like(np.array(self._old_actions()), observations), :]
        if view == "features":
            _check_shape(shape, [(FEATURES + 4 * ACTIONS * history,)])
            return self._with_history(observations[..., :FEATURES], observations, history)
        packed = CELLS + NUMBERS + 4 * history
        unpacked = 8 * CELLS + NUMBERS + 4 * ACTIONS * history
        _check_shape(shape, [(packed,), (unpacked,)])
        return self._packed(observations) if shape[-1] == packed else self._unpacked(observations, history)

    def _planes(self, seen: Any, history: int, centred: bool) -> Any:
        sides = None if centred else _sides_of_plane(seen[..., 7, :, :])
        mirrored = self._cells(seen, sides)
        planes = np.arange(seen.shape[-3])
        planes[:4] = [self._old_directions()[side] for side in range(4)]
        acts = planes[PLANES:].reshape(4 * history, ACTIONS)
        planes[PLANES:] = acts[:, self._old_actions()].reshape(-1)
        return mirrored[..., _like(planes, seen), :, :]

    def _packed(self, seen: Any) -> Any:
        cells, numbers, acts = _split(seen, CELLS, CELLS + NUMBERS)
        sides = numbers[..., HEIGHT], numbers[..., WIDTH]
        rows = cells.reshape(*cells.shape[:-1], SIDE, SIDE)
        codes = np.arange(256)
        walls = sum((codes >> old & 1) << new for new, old in enumerate(self._old_directions()))
        table = codes & 0xF0 | walls
        mirrored = _look_up(table, self._cells(rows, sides)).reshape(cells.shape)
        # An action has a number more than in a list of actions, and 0 is none.
        moved = np.arange(256)
        moved[1 : ACTIONS + 1] = np.array(self._new_actions()) + 1
        return _concatenate([mirrored, self._numbers(numbers, 1), _look_up(moved, acts)])

    def _unpacked(self, seen: Any, history: int) -> Any:
        cells, numbers, _ = _split(seen, 8 * CELLS, 8 * CELLS + NUMBERS)
        planes = cells.reshape(*cells.shape[:-1], 8, SIDE, SIDE)
        sides = _sides_of_plane(planes[..., 7, :, :])
        order = np.array([*self._old_directions(), 4, 5, 6, 7])
        mirrored = self._cells(planes, sides)[..., _like(order, seen), :, :]
        tail = self._numbers(numbers, UNIT)
        return self._with_history(_concatenate([mirrored.reshape(cells.shape), tail]), seen, history)

    def _with_history(self, first: Any, seen: Any, history: int) -> Any:
        """Appends the actions at the end of `seen`, one of nine each, to what comes first."""
        if not history:
            return _copy(first)
        acts = seen[..., seen.shape[-1] - 4 * ACTIONS * history :]
        each = acts.reshape(*acts.shape[:-1], 4 * history, ACTIONS)
        return _concatenate([first, self._permute_actions(each).reshape(acts.shape)])

    def _permute_actions(self, values: Any) -> Any:
        return values[..., _like(np.array(self._old_actions()), values)]

    def _cells(self, rows: Any, sides: tuple[Any, Any] | None) -> Any:
        """Mirrors the last two axes, or only the mazes of these heights and widths in their corner."""
        side = rows.shape[-1]
        flat = rows.reshape(*rows.shape[:-2], side * side)
        if sides is None:
            index = _sources(self, side)[side, side]
            return flat[..., _like(index, rows)].reshape(rows.shape)
        height, width = sides
        tables = _like(_sources(self, side), rows)
        index = tables[_indices(height), _indices(width)]
        # The planes of an observation have the same sides.
        extra = flat.ndim - index.ndim
        index = index.reshape(*index.shape[:-1], *(1,) * extra, side * side)
        if _is_numpy(rows):
            return np.take_along_axis(flat, np.broadcast_to(index, flat.shape), -1).reshape(rows.shape)
        return flat.take_along_dim(index.expand(flat.shape), -1).reshape(rows.shape)

    def _numbers(self, numbers: Any, unit: int) -> Any:
        """Mirrors the numbers after the cells: places of players, height and width."""
        numbers = _copy(numbers)
        places = numbers[..., :PLAYERS].reshape(*numbers.shape[:-1], 4, 5)
        exact = [_whole(places[..., axis] * unit) for axis in (0, 1)]
        sides = [_whole(numbers[..., axis] * unit)[..., None] for axis in (HEIGHT, WIDTH)]
        if self.transposes:
            exact.reverse()
            sides.reverse()
        for axis, flips in enumerate((self.flips_rows, self.flips_columns)):
            place = _cast(sides[axis] - 1 - exact[axis] if flips else exact[axis], numbers)
            numbers[..., axis:PLAYERS:5] = place if unit == 1 else place / unit
        if self.transposes:
            swapped = _copy(numbers)
            swapped[..., HEIGHT], swapped[..., WIDTH] = numbers[..., WIDTH], numbers[..., HEIGHT]
            return swapped
        return numbers

    def _old_directions(self) -> list[int]:
        """For each direction, the one that becomes it; up, right, down, left are 0 to 3."""
        new = [self._direction(direction) for direction in range(4)]
        return [new.index(direction) for direction in range(4)]

    def _direction(self, direction: int) -> int:
        if self.transposes:
            direction = 3 - direction
        flips = self.flips_columns if direction % 2 else self.flips_rows
        return (direction + 2) % 4 if flips else direction

    def _new_actions(self) -> list[int]:
        """For each action, what it becomes."""
        moves = [self._direction(direction) for direction in range(4)]
        return [0, *(1 + move for move in moves), *(5 + move for move in moves)]

    def _old_actions(self) -> list[int]:
        """For each action, the one that becomes it."""
        new = self._new_actions()
        return [new.index(action) for action in range(ACTIONS)]

    def _source(self, row: int, col: int, height: int, width: int) -> tuple[int, int]:
        """Returns the cell of a maze of this height and width that comes to a row and a column."""
        new_height, new_width = (width, height) if self.transposes else (height, width)
        if row < new_height and col < new_width:
            row = new_height - 1 - row if self.flips_rows else row
            col = new_width - 1 - col if self.flips_columns else col
        return (col, row) if self.transposes else (row, col)


IDENTITY = Symmetry("identity", False, False, False)
MIRROR_ROWS = Symmetry("mirror_rows", False, True, False)
MIRROR_COLUMNS = Symmetry("mirror_columns", False, False, True)
ROTATE_HALF = Symmetry("rotate_half", False, True, True)
TRANSPOSE = Symmetry("transpose", True, False, False)
ROTATE_LEFT = Symmetry("rotate_left", True, True, False)
ROTATE_RIGHT = Symmetry("rotate_right", True, False, True)
ANTITRANSPOSE = Symmetry("antitranspose", True, True, True)

#: The eight symmetries of the square. The first four keep the size of every maze.
ALL = (
    IDENTITY,
    MIRROR_ROWS,
    MIRROR_COLUMNS,
    ROTATE_HALF,
    TRANSPOSE,
    ROTATE_LEFT,
    ROTATE_RIGHT,
    ANTITRANSPOSE,
)


def of_size(width: int, height: int) -> tuple[Symmetry, ...]:
    """Returns the symmetries that keep width and height: all eight of a square, else four.

    Raises:
        TypeError: an argument is not a whole number.
        ValueError: a side is not from 1 to 11.
    """
    sides = [check_whole(name, side, 1, SIDE) for name, side in (("width", width), ("height", height))]
    return ALL if sides[0] == sides[1] else ALL[:4]


def _find(transposes: bool, flips_rows: bool, flips_columns: bool) -> Symmetry:
    wanted = (transposes, flips_rows, flips_columns)
    return next(s for s in ALL if (s.transposes, s.flips_rows, s.flips_columns) == wanted)


@lru_cache(maxsize=None)
def _sources(symmetry: Symmetry, side: int) -> NDArray[np.int64]:
    """For each height and width of a maze in the corner, the cell that comes to each cell."""
    sources = np.zeros((side + 1, side + 1, side * side), np.int64)
    sizes = range(side + 1) if side == SIDE else (side,)
    for height in sizes:
        for width in sizes:
            cells = [divmod(index, side) for index in range(side * side)]
            places = [symmetry._source(row, col, height, width) for row, col in cells]
            sources[height, width] = [row * side + col for row, col in places]
    sources.flags.writeable = False
    return sources


def _array(name: str, values: Any, expected: str) -> Any:
    """Returns numbers as an array or a tensor; `expected` is "whole numbers" if they must be."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(values, torch.Tensor):
        is_whole = not (values.is_floating_point() or values.dtype == torch.bool)
        kind = "c" if values.is_complex() else "i" if is_whole else "f"
    else:
        try:
            values = np.asarray(values)
        except (TypeError, ValueError):  # rows of different lengths
            raise wrong(ValueError, name, expected, values) from None
        kind = values.dtype.kind
    if kind not in ("iu" if expected == "whole numbers" else "biuf"):
        got = values.item() if values.shape == () else f"{values.dtype} of shape {tuple(values.shape)}"
        raise wrong(TypeError, name, expected, got)
    return values


def _rows_of_actions(name: str, values: Any) -> Any:
    values = _array(name, values, "an array of numbers")
    if tuple(values.shape[-1:]) != (ACTIONS,):
        expected = f"{ACTIONS} actions along the last axis"
        raise ValueError(f"{name}: expected {expected}, got the shape {tuple(values.shape)}")
    return values


def _check_shape(shape: tuple[int, ...], expected: list[tuple[int, ...]]) -> None:
    if not any(shape[-len(possible) :] == possible for possible in expected):
        texts = " or ".join(f"(…, {', '.join(map(str, possible))})" for possible in expected)
        raise ValueError(f"observations: expected the shape {texts}, got {shape}")


def _sides_of_plane(inside: Any) -> tuple[Any, Any]:
    """Returns height and width of the mazes whose cells are not 0."""
    inside = inside != 0
    return inside[..., :, 0].sum(-1), inside[..., 0, :].sum(-1)


def _split(values: Any, *ends: int) -> list[Any]:
    edges = [0, *ends, values.shape[-1]]
    return [values[..., first:end] for first, end in zip(edges, edges[1:])]


def _is_numpy(values: Any) -> bool:
    return isinstance(values, (np.ndarray, np.generic))


def _like(array: NDArray[Any], other: Any) -> Any:
    """Returns an array of indices or numbers as what `other` is, on the same device."""
    if _is_numpy(other):
        return array
    # A tensor exists, so its package is loaded.
    return sys.modules["torch"].as_tensor(array.copy(), device=other.device)


def _indices(values: Any) -> Any:
    return values.astype(np.int64) if _is_numpy(values) else values.long()


def _whole(values: Any) -> Any:
    return _indices(values.round())


def _cast(values: Any, other: Any) -> Any:
    if _is_numpy(other):
        return values.astype(other.dtype)
    return values.to(other.dtype)


def _look_up(table: NDArray[Any], values: Any) -> Any:
    return _cast(_like(table, values)[_indices(values)], values)


def _where(condition: Any, values: Any, others: Any) -> Any:
    if _is_numpy(others):
        return np.where(condition, values, others)
    return sys.modules["torch"].where(condition, values, others)


def _copy(values: Any) -> Any:
    return values.copy() if _is_numpy(values) else values.clone(memory_format=sys.modules["torch"].contiguous_format)


def _concatenate(parts: list[Any]) -> Any:
    if _is_numpy(parts[0]):
        return np.concatenate(parts, -1)
    return sys.modules["torch"].cat(parts, -1)
