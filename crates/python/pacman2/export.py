"""Nets as single files that can be uploaded to Botzone.

    from pacman2 import export

    print(export.to_cpp(module, "bot.cpp", observation="planes_centred", dtype="float32", weights="float16"))

writes a bot that plays a net of PyTorch: one C++ file without dependencies that makes the observations itself,
contains the weights in base64, and plays the legal action with the largest of the net's nine numbers.

The net is a ``torch.nn.Module``, or a sequence of :class:`Linear`, :class:`Conv2d`, :class:`Activation` and
:class:`Flatten` with weights in NumPy. A module is traced by ``torch.fx`` with a batch of one observation of
``float32``. It may branch, and have several heads, of which `output` selects one. It may contain linear layers,
convolutions, pooling, normalisation, dropout, the usual activations, sums, products, slices and reshaping.
"""

from __future__ import annotations

import base64
import itertools
import math
import os
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pacman2._checks import wrong
from pacman2._engine import Game, cpp_header
from pacman2._export_sections import sections
from pacman2._net import ACTIVATIONS, Net
from pacman2.typing import Dtype, View

__all__ = ["Activation", "Conv2d", "Exported", "Flatten", "Linear", "to_cpp"]

#: How weights are stored.
Weights = Literal["float32", "float16", "int8"]

VIEWS: tuple[str, ...] = get_args(View)
#: On how many positions of random games the error is measured.
POSITIONS = 400
_FOLDER = Path(__file__).parent
_LINE = 120
_KINDS = {"float32": "f", "float16": "e", "int8": "b"}


@dataclass
class Linear:
    """A linear layer: `weight` has a row for each output, and `bias`, if there is one, a number for each.

    Examples:
        >>> import numpy as np
        >>> from pacman2 import export
        >>> layer = export.Linear(np.zeros((9, 150)), np.zeros(9))
    """

    weight: Any
    bias: Any = None


@dataclass
class Conv2d:
    """A convolution: `weight` has the shape (outputs, inputs, rows, columns), and `bias` a number for each
    output. `stride`, `padding` and `dilation` are whole numbers, or one for rows and one for columns.

    Examples:
        >>> import numpy as np
        >>> from pacman2 import export
        >>> layer = export.Conv2d(np.zeros((32, 18, 3, 3)), np.zeros(32), padding=1)
    """

    weight: Any
    bias: Any = None
    stride: int | tuple[int, int] = 1
    padding: int | tuple[int, int] = 0
    dilation: int | tuple[int, int] = 1


@dataclass
class Activation:
    """A function of each number: `name` is ``"relu"``, ``"tanh"``, ``"sigmoid"``, ``"silu"``, ``"gelu"``,
    ``"gelu_tanh"`` or ``"softplus"``.

    Examples:
        >>> from pacman2 import export
        >>> layer = export.Activation("tanh")
    """

    name: str


@dataclass
class Flatten:
    """Makes one dimension of all.

    Examples:
        >>> from pacman2 import export
        >>> layer = export.Flatten()
    """


_SIMPLE = ("relu", "tanh", "sigmoid", "silu", "gelu", "gelu_tanh", "softplus")


@dataclass(frozen=True)
class Exported:
    """What was written, and how exact it is: the net of the file is compared with the original one on positions of
    random games.

    Attributes:
        path: the file.
        size: its bytes.
        weights: how the weights are stored.
        multiplications: those of a decision, which take about 1 ns each.
        positions: the number of positions on which the nets were compared.
        max_error: the largest difference between a number of the original net and that of the file.
        differences: the number of positions in which the net of the file chooses an action that is not the best
            of the original net.
    """

    path: Path
    size: int
    weights: Weights
    multiplications: int
    positions: int
    max_error: float
    differences: int

    def __str__(self) -> str:
        return (
            f"{self.path}: {self.size:,} bytes, weights of {self.weights}, {self.multiplications:,} multiplications; "
            f"{self.differences} of {self.positions} decisions differ, largest error {self.max_error:.2g}"
        )


def to_cpp(
    net: Any,
    path: str | os.PathLike[str],
    *,
    observation: View = "compact",
    dtype: Dtype | None = None,
    history: int = 0,
    window: int = 11,
    weights: Weights = "float32",
    output: int | str | None = None,
) -> Exported:
    """Writes a bot in C++17 that plays a net.

    Args:
        net: a ``torch.nn.Module``, or a sequence of layers. From an observation, it computes nine numbers, one
            for each action, of which the bot plays the largest that is legal.
        path: the file to write, such as ``"bot.cpp"``.
        observation: the view for which the net was trained: ``"compact"``, ``"planes"``, ``"planes_centred"``,
            ``"features"`` or ``"action_features"``.
        dtype: the type of the view's numbers, ``"uint8"`` or ``"float32"``. Numbers of ``uint8`` reach the net as
            floats of 0 to 255.
        history: how many turns of past actions the observation contains.
        window: the rows and columns of ``"planes_centred"``.
        weights: how weights are stored: ``"float32"``, ``"float16"`` or ``"int8"``, which has a scale for each
            output.
        output: the output of a net with several: a place in a tuple, or a key. By default, it is the first.

    Raises:
        ValueError: the net has a part that cannot be exported, or shapes that do not fit.

    Examples:
        >>> import tempfile, numpy as np
        >>> from pathlib import Path
        >>> from pacman2 import export
        >>> rng = np.random.default_rng(1)
        >>> hidden = export.Linear(rng.normal(size=(32, 997)) / 30, np.zeros(32))
        >>> layers = [hidden, export.Activation("relu"), export.Linear(rng.normal(size=(9, 32)) / 5)]
        >>> path = Path(tempfile.mkdtemp()) / "bot.cpp"
        >>> bot = export.to_cpp(layers, path, observation="compact", dtype="float32")
        >>> bot.multiplications, bot.differences
        (32192, 0)
    """
    shown = _Shown(observation, dtype, history, window)
    target = _target(path)
    if not isinstance(weights, str):
        raise wrong(TypeError, "weights", "float32, float16 or int8", weights)
    if weights not in _KINDS:
        raise wrong(ValueError, "weights", "float32, float16 or int8", weights)
    if output is not None and (isinstance(output, bool) or not isinstance(output, (int, str))):
        raise wrong(TypeError, "output", "a place, a key or None", output)
    read, run = _read(net, shown.shape, output)
    if read.ops[-1].size != 9:
        raise ValueError(f"net: expected 9 outputs, one for each action, got the shape {read.ops[-1].shape}")
    observations, masks = _positions(shown)
    expected = run(observations).reshape(len(masks), 9)
    if not np.isfinite(expected).all():
        raise ValueError("net: expected finite outputs, got infinity or NaN")
    if not np.allclose(read.run(observations).reshape(len(masks), 9), expected, rtol=1e-3, atol=1e-3):
        raise ValueError("net: expected outputs that follow from the observation alone, got others in a second run")
    for op in read.ops:
        op.arrays = [_rounded(array, weights) for array in op.arrays]
    actual = read.run(observations).reshape(len(masks), 9)
    text = _source(read, shown, weights)
    _write(target, text)
    legal, chosen = np.where(masks, expected, -np.inf), np.where(masks, actual, -np.inf).argmax(1)
    # Two actions with the same features are equally good, up to rounding.
    agrees = np.isclose(legal[np.arange(len(legal)), chosen], legal.max(1), rtol=1e-5, atol=1e-6)
    return Exported(
        path=target,
        size=len(text.encode()),
        weights=weights,
        multiplications=sum(op.multiplications for op in read.ops),
        positions=len(masks),
        max_error=float(np.abs(expected - actual).max()),
        differences=int((~agrees).sum()),
    )


class _Shown:
    """The options of observations."""

    def __init__(self, observation: Any, dtype: Any, history: Any, window: Any) -> None:
        if not isinstance(observation, str):
            raise wrong(TypeError, "observation", "the name of a view", observation)
        if observation not in VIEWS:
            raise wrong(ValueError, "observation", f"one of {', '.join(VIEWS)}", observation)
        self.view: Any = observation
        self.options: dict[str, Any] = {"dtype": dtype, "history": history, "window": window}
        shown = self.of(Game(0), 0)
        self.shape = shown.shape
        self.is_float = shown.dtype == np.float32
        self.history, self.window = int(history or 0), int(window or 11)
        # Whose features the observation has, if it is no view of the maze.
        self.features = {"features": "player", "action_features": "action"}.get(observation)

    def of(self, game: Game, seat: int) -> NDArray[Any]:
        return game.observe(self.view, seat, **self.options)


def _target(path: Any) -> Path:
    if not isinstance(path, (str, os.PathLike)) or not isinstance(os.fspath(path), str):
        raise wrong(TypeError, "path", "the name of a file", path)
    text = os.fspath(path)
    if not text or "\0" in text or any(0xD800 <= ord(letter) < 0xDC80 for letter in text):
        raise wrong(ValueError, "path", "the name of a file", path)
    return Path(text)


def _read(source: Any, shape: tuple[int, ...], output: Any) -> tuple[Net, Callable[[NDArray[Any]], NDArray[Any]]]:
    """Returns a net and the function that computes the original one."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(source, torch.nn.Module):
        from pacman2 import _export_torch

        return _export_torch.read(source, shape, output)
    if not isinstance(source, (list, tuple)) or not source:
        expected = "a torch.nn.Module (pip install 'torch>=2.4') or a sequence of layers of pacman2.export"
        raise wrong(TypeError, "net", expected, source)
    if output is not None:
        raise wrong(ValueError, "output", "None with a sequence of layers", output)
    net, x = Net(shape), 0
    for number, layer in enumerate(source):
        x = _add_layer(net, x, layer, f"net[{number}]")
    net.finish(x)
    return net, net.run


def _add_layer(net: Net, x: int, layer: Any, what: str) -> int:
    if isinstance(layer, Linear):
        return net.linear(x, layer.weight, layer.bias, what)
    if isinstance(layer, Conv2d):
        return net.conv2d(x, layer.weight, layer.bias, layer.stride, layer.padding, layer.dilation, what)
    if isinstance(layer, Flatten):
        return net.reshape(x, (-1,), what)
    if isinstance(layer, Activation):
        if layer.name not in _SIMPLE:
            raise wrong(ValueError, what, f"one of the activations {', '.join(_SIMPLE)}", layer.name)
        return net.activation(x, layer.name)
    raise wrong(TypeError, what, "a layer: Linear, Conv2d, Activation or Flatten", layer)


def _positions(shown: _Shown) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Returns observations and legal actions of living players in random games."""
    rng = random.Random(0)
    observations, masks = [], []
    for seed in itertools.count():
        game = Game(seed)
        while not game.is_over:
            seat = rng.randrange(4)
            if game.alive[seat] and game.turn % 5 == seed % 5:
                observations.append(shown.of(game, seat).astype(np.float32))
                masks.append(np.isin(np.arange(9), game.legal_actions(seat)))
                if len(masks) == POSITIONS:
                    return np.stack(observations), np.stack(masks)
            game.step([rng.choice(game.legal_actions(each) or [0]) for each in range(4)])
    raise AssertionError("unreachable")


def _is_matrix(array: NDArray[np.float32]) -> bool:
    return array.ndim > 1


def _scales(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Returns what the bytes of each row are multiplied by."""
    scales: NDArray[np.float32] = (np.abs(rows).max(axis=1) / np.float32(127)).astype(np.float32)
    return scales


def _bytes(rows: NDArray[np.float32]) -> NDArray[np.int8]:
    scales = _scales(rows).reshape(-1, 1)
    quotients = np.divide(rows, scales, out=np.zeros_like(rows), where=scales > 0)
    return np.asarray(np.rint(quotients), np.int8)


def _rounded(array: NDArray[np.float32], weights: str) -> NDArray[Any]:
    """Returns the weights as they will be in the file."""
    if not _is_matrix(array) or weights == "float32":
        return array
    if weights == "int8":
        return np.asarray(_bytes(array) * _scales(array).reshape(-1, 1))
    if np.abs(array).max() > np.finfo(np.float16).max:
        raise wrong(ValueError, "weights", "float32 for weights beyond 65504, which is the most of float16", weights)
    return array.astype(np.float16).astype(np.float32)


def _packed(net: Net, weights: str) -> tuple[list[tuple[str, int, int]], list[str]]:
    """Returns the forms of all arrays, and the lines of base64 that contain them."""
    forms, packed = [], b""
    for array in (array for op in net.ops for array in op.arrays):
        if not _is_matrix(array):
            forms.append(("v", 1, array.size))
            packed += array.astype("<f4").tobytes()
            continue
        forms.append((_KINDS[weights], *array.shape))
        if weights == "int8":
            packed += _scales(array).astype("<f4").tobytes() + _bytes(array).tobytes()
        else:
            packed += array.astype("<f4" if weights == "float32" else "<f2").tobytes()
    text = base64.b64encode(packed).decode()
    return forms, [text[at : at + _LINE] for at in range(0, len(text), _LINE)]


def _calls(net: Net) -> tuple[list[str], str]:
    """Returns a call for each operation, and the name of the result."""
    names, calls, arrays = ["x0"], [], 0
    for number, op in enumerate(net.ops[1:], 1):
        inputs = [names[index] for index in op.inputs]
        if op.name == "reshape":
            names.append(inputs[0])
            continue
        weights = [f"W[{arrays + place}]" for place in range(len(op.arrays))]
        arrays += len(op.arrays)
        numbers = [repr(one) if isinstance(one, float) else str(int(one)) for one in op.numbers]
        calls.append(f"x{number} = {op.name}({', '.join([*inputs, *weights, *numbers])})")
        names.append(f"x{number}")
    return calls, names[-1]


def _template(name: str) -> str:
    return (_FOLDER / f"export_{name}.cpp.in").read_text(encoding="utf-8")


def _source(net: Net, shown: _Shown, weights: str) -> str:
    """Returns the source of the bot."""
    forms, lines = _packed(net, weights)
    calls, result = _calls(net)
    flag = {True: "true", False: "false"}
    if shown.features is None:
        view, _, centred = shown.view.partition("_")
        options = f"View::{view}, {flag[bool(centred)]}, {flag[shown.is_float]}, {shown.history}, {shown.window}"
        template, needed = "views", {"io"}
    else:
        options = f"{flag[shown.features == 'action']}, {shown.history}"
        template, needed = "features", {"io", "features"}
    observe = _template(template).replace("// [options]", f"Options options = {{{options}}};")
    arrays = ", ".join(f"{{'{kind}', {rows}, {size}}}" for kind, rows, size in forms)
    inside = [
        f"const Array arrays[] = {{{arrays}}};",
        "const char *const data[] = {",
        *(f'    "{line}",' for line in lines),
        "};",
        "",
        "inline Numbers evaluate(const Numbers &x0) {",
        *(f"    const Numbers {call};" for call in calls),
        f"    return {result};",
        "}",
        "",
    ]
    text = _template("bot").replace("// [net]\n", "\n".join(inside)).replace("// [observe]\n", observe)
    return text.replace("// [header]\n", sections(cpp_header(), needed))


def _write(path: Path, text: str) -> None:
    """Writes a file under a temporary name and renames it."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
