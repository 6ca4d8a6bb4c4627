"""Nets as lists of operations on arrays: what `pacman2.export` reads, computes and writes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["ACTIVATIONS", "Net", "Op"]

Floats: TypeAlias = NDArray[Any]


def _erf(x: Floats) -> Floats:
    return np.asarray(np.vectorize(math.erf, otypes=[np.float64])(x))


def _logistic(x: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-x.astype(np.float64)))


#: The activations by name; they may have numbers.
ACTIVATIONS: dict[str, Callable[..., NDArray[Any]]] = {
    "relu": lambda x: np.maximum(x, 0),
    "hardtanh": lambda x, low, high: np.clip(x, low, high),
    "leaky_relu": lambda x, slope: np.where(x > 0, x, x * np.float32(slope)),
    "elu": lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0).astype(np.float64))),
    "gelu": lambda x: 0.5 * x * (1 + _erf(x / math.sqrt(2))),
    "gelu_tanh": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x * _logistic(x),
    "sigmoid": _logistic,
    "softplus": lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x.astype(np.float64)))),
    "tanh": np.tanh,
}


@dataclass
class Op:
    """An operation: its name in the exported file, the operations whose results it reads, and the shape of
    its own result."""

    name: str
    inputs: tuple[int, ...]
    shape: tuple[int, ...]
    arrays: list[Floats] = field(default_factory=list)
    numbers: tuple[float, ...] = ()
    multiplications: int = 0

    @property
    def size(self) -> int:
        return math.prod(self.shape)


def pair(value: Any, what: str) -> tuple[int, int]:
    """Reads a size that may be one number or two."""
    both = (value, value) if isinstance(value, (int, np.integer)) else value
    if not (isinstance(both, Sequence) and len(both) == 2 and all(isinstance(one, (int, np.integer)) for one in both)):
        raise ValueError(f"{what}: expected a whole number or two, got {value!r}")
    return int(both[0]), int(both[1])


class Net:
    """A net under construction. Methods add an operation and return its number; 0 is the observation."""

    def __init__(self, shape: Sequence[int]) -> None:
        self.ops = [Op("input", (), tuple(shape))]

    def shape(self, x: int) -> tuple[int, ...]:
        return self.ops[x].shape

    def _add(self, name: str, inputs: tuple[int, ...], shape: Sequence[int], **more: Any) -> int:
        self.ops.append(Op(name, inputs, tuple(map(int, shape)), **more))
        return len(self.ops) - 1

    def _array(self, value: Any, what: str) -> Floats:
        try:
            array = np.asarray(value, np.float32)
        except (TypeError, ValueError):
            raise ValueError(f"{what}: expected an array of numbers, got {type(value).__name__}") from None
        if not np.isfinite(array).all():
            raise ValueError(f"{what}: expected finite numbers, got infinity or NaN")
        return array

    def _bias(self, bias: Any, count: int, what: str) -> Floats:
        array = np.zeros(count, np.float32) if bias is None else self._array(bias, what)
        if array.shape != (count,):
            raise ValueError(f"{what}: expected a bias of shape {(count,)}, got {array.shape}")
        return array

    def linear(self, x: int, weight: Any, bias: Any, what: str) -> int:
        rows, shape = self._array(weight, what), self.shape(x)
        if rows.ndim != 2 or not rows.size:
            raise ValueError(f"{what}: expected weights of two dimensions, got the shape {rows.shape}")
        if not shape or shape[-1] != rows.shape[1]:
            raise ValueError(f"{what}: expected an input that ends with {rows.shape[1]}, got the shape {shape}")
        arrays = [rows, self._bias(bias, len(rows), what)]
        count = math.prod(shape[:-1]) * rows.size
        return self._add(
            "linear", (x,), (*shape[:-1], len(rows)), arrays=arrays, numbers=(rows.shape[1],), multiplications=count
        )

    def conv2d(self, x: int, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, what: str) -> int:
        kernels, shape = self._array(weight, what), self.shape(x)
        if kernels.ndim != 4 or not kernels.size:
            raise ValueError(f"{what}: expected weights of four dimensions, got the shape {kernels.shape}")
        if len(shape) != 3 or shape[0] != kernels.shape[1]:
            expected = f"an input of {kernels.shape[1]} channels, rows and columns"
            raise ValueError(f"{what}: expected {expected}, got the shape {shape}")
        kernel = kernels.shape[2], kernels.shape[3]
        if padding == "same":
            if pair(stride, what) != (1, 1) or any(pair(dilation, what)[axis] * (kernel[axis] - 1) % 2 for axis in (0, 1)):
                raise ValueError(f"{what}: expected a kernel of odd sides and stride 1 with padding \"same\", got {kernel}")
            padding = tuple(pair(dilation, what)[axis] * (kernel[axis] - 1) // 2 for axis in (0, 1))
        elif padding == "valid":
            padding = 0
        steps, around, spread = pair(stride, what), pair(padding, what), pair(dilation, what)
        sides = self._windows(shape, kernel, steps, around, spread, what)
        arrays = [kernels.reshape(len(kernels), -1), self._bias(bias, len(kernels), what)]
        return self._add(
            "conv2d",
            (x,),
            (len(kernels), *sides),
            arrays=arrays,
            numbers=(*shape, *kernel, *steps, *around, *spread),
            multiplications=kernels.size * math.prod(sides),
        )

    def _windows(
        self,
        shape: tuple[int, ...],
        kernel: tuple[int, int],
        steps: tuple[int, int],
        around: tuple[int, int],
        spread: tuple[int, int],
        what: str,
    ) -> tuple[int, ...]:
        if min(steps) < 1 or min(spread) < 1 or min(around) < 0 or min(kernel) < 1:
            raise ValueError(f"{what}: expected a stride and a dilation of at least 1 and a padding of at least 0")
        reach = [shape[1 + axis] + 2 * around[axis] - spread[axis] * (kernel[axis] - 1) - 1 for axis in (0, 1)]
        if min(reach) < 0:
            raise ValueError(f"{what}: expected a kernel no larger than its input, got {kernel} for {shape[1:]}")
        return tuple(reach[axis] // steps[axis] + 1 for axis in (0, 1))

    def pool(self, x: int, is_max: bool, kernel: Any, stride: Any, padding: Any, what: str) -> int:
        shape = self.shape(x)
        if len(shape) != 3:
            raise ValueError(f"{what}: expected an input of channels, rows and columns, got the shape {shape}")
        size = pair(kernel, what)
        steps, around = pair(size if stride is None else stride, what), pair(padding, what)
        if any(2 * around[axis] > size[axis] for axis in (0, 1)) or (not is_max and any(around)):
            expected = "no padding" if not is_max else "a padding of at most half the kernel"
            raise ValueError(f"{what}: expected {expected}, got {around}")
        sides = self._windows(shape, size, steps, around, (1, 1), what)
        return self._add("pool", (x,), (shape[0], *sides), numbers=(int(is_max), *shape, *size, *steps, *around))

    def activation(self, x: int, name: str, *numbers: float) -> int:
        return self._add(name, (x,), self.shape(x), numbers=numbers)

    def scale(self, x: int, factor: float, offset: float) -> int:
        if not (math.isfinite(factor) and math.isfinite(offset)):
            raise ValueError(f"net: expected finite constants, got {factor} and {offset}")
        return self._add("scale", (x,), self.shape(x), numbers=(float(factor), float(offset)))

    def affine(self, x: int, factors: Any, offsets: Any, inner: int, what: str) -> int:
        """Multiplies by factors and adds offsets: one for each `inner` numbers, again and again."""
        arrays = [self._array(factors, what).reshape(-1), self._array(offsets, what).reshape(-1)]
        if arrays[0].shape != arrays[1].shape or self.ops[x].size % (inner * len(arrays[0])):
            raise ValueError(f"{what}: expected constants for the shape {self.shape(x)}, got {arrays[0].shape}")
        return self._add("affine", (x,), self.shape(x), arrays=arrays, numbers=(inner,))

    def layer_norm(self, x: int, weight: Any, bias: Any, epsilon: float, what: str) -> int:
        arrays = [self._array(weight, what).reshape(-1), self._array(bias, what).reshape(-1)]
        if self.ops[x].size % len(arrays[0]):
            raise ValueError(f"{what}: expected weights for the shape {self.shape(x)}, got {len(arrays[0])}")
        return self._add("layer_norm", (x,), self.shape(x), arrays=arrays, numbers=(float(epsilon),))

    def reduce(self, x: int, is_max: bool, inner: int, shape: Sequence[int]) -> int:
        """Replaces each `inner` numbers by their mean or maximum."""
        return self._add("largest" if is_max else "mean", (x,), shape, numbers=(inner,))

    def combine(self, name: str, x: int, y: int, what: str) -> int:
        if self.shape(x) != self.shape(y):
            raise ValueError(f"{what}: expected two inputs of one shape, got {self.shape(x)} and {self.shape(y)}")
        return self._add(name, (x, y), self.shape(x))

    def concatenate(self, parts: Sequence[int], what: str) -> int:
        shapes = [self.shape(x) for x in parts]
        if len({shape[1:] for shape in shapes}) != 1 or not all(shapes):
            raise ValueError(f"{what}: expected inputs that differ in their first dimension alone, got {shapes}")
        return self._add("concatenate", tuple(parts), (sum(shape[0] for shape in shapes), *shapes[0][1:]))

    def part(self, x: int, first: int, last: int) -> int:
        shape = self.shape(x)
        inner = math.prod(shape[1:])
        return self._add("part", (x,), (last - first, *shape[1:]), numbers=(first * inner, last * inner))

    def reshape(self, x: int, shape: Sequence[int], what: str) -> int:
        sides = list(map(int, shape))
        if sides.count(-1) == 1:
            known = math.prod(side for side in sides if side != -1)
            sides[sides.index(-1)] = self.ops[x].size // known if known else 0
        if math.prod(sides) != self.ops[x].size or min(sides, default=1) < 1:
            raise ValueError(f"{what}: expected a shape for {self.ops[x].size} numbers, got {tuple(shape)}")
        return self._add("reshape", (x,), sides)

    def finish(self, output: int) -> None:
        """Makes an operation the last one and removes those that it does not need."""
        needed, waiting = {0, output}, [output]
        while waiting:
            new = set(self.ops[waiting.pop()].inputs) - needed
            needed |= new
            waiting += new
        number = {old: new for new, old in enumerate(sorted(needed))}
        self.ops = [self.ops[old] for old in sorted(needed)]
        for op in self.ops:
            op.inputs = tuple(number[old] for old in op.inputs)

    def run(self, observations: Floats) -> Floats:
        """Returns the numbers of the last operation for each observation."""
        values = [np.asarray(observations, np.float32)]
        for op in self.ops[1:]:
            inputs = [values[index] for index in op.inputs]
            shape = (len(inputs[0]), *op.shape)
            values.append(np.ascontiguousarray(_compute(op, inputs).reshape(shape), np.float32))
        return values[-1]


def _compute(op: Op, inputs: list[Floats]) -> NDArray[Any]:
    x, rows = inputs[0], len(inputs[0])
    if op.name in ACTIVATIONS:
        return ACTIVATIONS[op.name](x, *op.numbers)
    return _OPERATIONS[op.name](op, rows, inputs)


def _windows_of(x: Floats, kernel: Sequence[Any], steps: Sequence[Any], spread: Sequence[Any]) -> NDArray[Any]:
    """Returns the windows of images: (images, channels, rows, columns, kernel rows, kernel columns)."""
    sides = [int(spread[axis] * (kernel[axis] - 1) + 1) for axis in (0, 1)]
    windows = np.lib.stride_tricks.sliding_window_view(x, sides, axis=(2, 3))
    return np.asarray(windows[:, :, :: steps[0], :: steps[1], :: spread[0], :: spread[1]])


def _conv2d(op: Op, rows: int, inputs: list[Floats]) -> NDArray[Any]:
    channels, height, width, *more = map(int, op.numbers)
    kernel, steps, around, spread = (more[at : at + 2] for at in range(0, 8, 2))
    sides = ((0, 0), (0, 0), (around[0],) * 2, (around[1],) * 2)
    x = np.pad(inputs[0].reshape(rows, channels, height, width), sides)
    windows = _windows_of(x, kernel, steps, spread)
    kernels = op.arrays[0].reshape(-1, channels, *kernel)
    sums = np.einsum("nchwij,ocij->nohw", windows, kernels, optimize=True)
    return np.asarray(sums + op.arrays[1].reshape(-1, 1, 1))


def _pool(op: Op, rows: int, inputs: list[Floats]) -> NDArray[Any]:
    is_max, channels, height, width, *more = map(int, op.numbers)
    kernel, steps, around = (more[at : at + 2] for at in range(0, 6, 2))
    sides = ((0, 0), (0, 0), (around[0],) * 2, (around[1],) * 2)
    x = np.pad(inputs[0].reshape(rows, channels, height, width), sides, constant_values=-np.inf)
    windows = _windows_of(x, kernel, steps, (1, 1))
    return np.asarray(windows.max((-2, -1)) if is_max else windows.mean((-2, -1)))


def _layer_norm(op: Op, rows: int, inputs: list[Floats]) -> NDArray[Any]:
    x = inputs[0].reshape(rows, -1, len(op.arrays[0])).astype(np.float64)
    root = np.sqrt(x.var(-1, keepdims=True) + op.numbers[0])
    return np.asarray((x - x.mean(-1, keepdims=True)) / root * op.arrays[0] + op.arrays[1])


def _affine(op: Op, rows: int, inputs: list[Floats]) -> NDArray[Any]:
    x = inputs[0].reshape(rows, -1, len(op.arrays[0]), int(op.numbers[0]))
    return np.asarray(x * op.arrays[0].reshape(-1, 1) + op.arrays[1].reshape(-1, 1))


_OPERATIONS: dict[str, Callable[[Op, int, list[Floats]], NDArray[Any]]] = {
    "linear": lambda op, rows, inputs: inputs[0] @ op.arrays[0].T + op.arrays[1],
    "conv2d": _conv2d,
    "pool": _pool,
    "layer_norm": _layer_norm,
    "affine": _affine,
    "scale": lambda op, rows, inputs: inputs[0] * np.float32(op.numbers[0]) + np.float32(op.numbers[1]),
    "mean": lambda op, rows, inputs: inputs[0].reshape(rows, -1, int(op.numbers[0])).mean(-1),
    "largest": lambda op, rows, inputs: inputs[0].reshape(rows, -1, int(op.numbers[0])).max(-1),
    "add": lambda op, rows, inputs: inputs[0] + inputs[1],
    "multiply": lambda op, rows, inputs: inputs[0] * inputs[1],
    "concatenate": lambda op, rows, inputs: np.concatenate([x.reshape(rows, -1) for x in inputs], 1),
    "part": lambda op, rows, inputs: inputs[0].reshape(rows, -1)[:, int(op.numbers[0]) : int(op.numbers[1])],
    "reshape": lambda op, rows, inputs: inputs[0],
}
