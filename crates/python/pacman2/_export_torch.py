"""Modules of PyTorch as nets of `pacman2._net`, read by ``torch.fx``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    import torch  # type: ignore[import-not-found, unused-ignore]
    from torch import fx, nn  # type: ignore[import-not-found, unused-ignore]
except ImportError as error:
    from pacman2._checks import lacks

    raise lacks("pacman2.export", "torch>=2.4") from error

from pacman2._net import Net

__all__ = ["read"]

KNOWN = "linear layers, convolutions, pooling, normalisation, activations, sums, products, slices and reshaping"


@dataclass
class _Value:
    """The result of an operation. Its shape has the batch, which is 1, in front."""

    x: int
    shape: tuple[int, ...]


def read(
    module: nn.Module, shape: tuple[int, ...], output: int | str | None
) -> tuple[Net, Callable[[NDArray[Any]], NDArray[Any]]]:
    """Returns the net of a module, and the function that computes the module itself."""
    was_training = module.training
    module.eval()
    try:
        try:
            graph = fx.symbolic_trace(module)
        except Exception as error:
            reason = " ".join(str(error).split())[:200]
            raise ValueError(f"net: expected a module that torch.fx can trace, got {type(error).__name__}: {reason}") from None
        net = Net(shape)
        found = _select(_Reader(graph, net).run(), output)
        net.finish(found.x)
    finally:
        module.train(was_training)
    return net, lambda observations: _run(module, observations, output)


def _run(module: nn.Module, observations: NDArray[Any], output: int | str | None) -> NDArray[Any]:
    was_training = module.training
    module.eval()
    try:
        device = next((one.device for one in module.parameters()), torch.device("cpu"))
        with torch.no_grad():
            found = _select(module(torch.from_numpy(observations).to(device)), output)
        return np.asarray(found.cpu().float().numpy())
    finally:
        module.train(was_training)


def _select(outputs: Any, output: int | str | None) -> Any:
    """Returns one of a module's outputs."""
    if isinstance(outputs, Mapping):
        key = next(iter(outputs), None) if output is None else output
        if key not in outputs:
            raise ValueError(f"output: expected one of {list(outputs)}, got {output!r}")
        outputs = outputs[key]
    elif isinstance(outputs, (tuple, list)):
        place = 0 if output is None else output
        if not isinstance(place, int) or not 0 <= place < len(outputs):
            raise ValueError(f"output: expected a place from 0 to {len(outputs) - 1}, got {output!r}")
        outputs = outputs[place]
    elif output is not None:
        raise ValueError(f"output: expected None for a net with one output, got {output!r}")
    if not isinstance(outputs, (_Value, torch.Tensor)):
        raise ValueError(f"net: expected a tensor as output, got {type(outputs).__name__}")
    return outputs


class _Reader:
    """Goes through the nodes of a traced module."""

    def __init__(self, graph: fx.GraphModule, net: Net) -> None:
        self.graph = graph
        self.net = net
        self.values: dict[fx.Node, Any] = {}

    def run(self) -> Any:
        for node in self.graph.graph.nodes:
            value = self.node(node)
            if node.op == "output":
                return value
            self.values[node] = value
        raise ValueError("net: expected a module with an output, got none")

    def node(self, node: fx.Node) -> Any:
        arguments = fx.node.map_arg(node.args, self.values.__getitem__)
        named = fx.node.map_arg(node.kwargs, self.values.__getitem__)
        if node.op == "placeholder":
            if self.values:
                if node.args:
                    return node.args[0]
                raise ValueError("net: expected a module of one argument, the observation, got more")
            return _Value(0, (1, *self.net.shape(0)))
        if node.op == "output":
            return arguments[0]
        if node.op == "get_attr":
            value: Any = self.graph
            for name in str(node.target).split("."):
                value = getattr(value, name)
            return value.detach().cpu()
        if node.op == "call_module":
            layer = self.graph.get_submodule(str(node.target))
            return self.module(layer, arguments, named, f"net: {node.target} ({type(layer).__name__})")
        name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", str(node.target))
        if not _contains_value((arguments, named)):
            # Constants and sizes.
            call: Any = getattr(arguments[0], name) if node.op == "call_method" else node.target
            return call(*(arguments[1:] if node.op == "call_method" else arguments), **named)
        return self.function(name, arguments, named, f"net: {name}()")

    # Layers

    def module(self, layer: nn.Module, arguments: Sequence[Any], named: dict[str, Any], what: str) -> _Value:
        if named or len(arguments) != 1 or not isinstance(arguments[0], _Value):
            raise ValueError(f"{what}: expected a layer with one input, got {len(arguments) + len(named)}")
        x = arguments[0]
        if isinstance(layer, nn.Linear):
            return self.value(self.net.linear(self.batched(x, what), _array(layer.weight), _array(layer.bias), what))
        if isinstance(layer, nn.Conv2d):
            if layer.groups != 1 or layer.padding_mode != "zeros":
                raise ValueError(f"{what}: expected one group and a padding of zeros, got {layer.groups} and {layer.padding_mode}")
            sizes = (layer.stride, layer.padding, layer.dilation)
            return self.value(self.net.conv2d(self.batched(x, what), _array(layer.weight), _array(layer.bias), *sizes, what))
        if isinstance(layer, (nn.BatchNorm1d, nn.BatchNorm2d)):
            return self.batch_norm(layer, x, what)
        if isinstance(layer, nn.LayerNorm):
            if x.shape[-len(layer.normalized_shape) :] != tuple(layer.normalized_shape):
                raise ValueError(f"{what}: expected an input that ends with {tuple(layer.normalized_shape)}, got {x.shape}")
            size = math.prod(layer.normalized_shape)
            weight = np.ones(size) if layer.weight is None else _array(layer.weight)
            bias = np.zeros(size) if layer.bias is None else _array(layer.bias)
            return self.value(self.net.layer_norm(self.batched(x, what), weight, bias, layer.eps, what))
        if isinstance(layer, (nn.Identity, nn.Dropout, nn.Dropout2d)):
            return x
        if isinstance(layer, nn.Flatten):
            return self.flatten(x, layer.start_dim, layer.end_dim, what)
        if isinstance(layer, nn.Unflatten):
            sides = [*x.shape]
            sides[layer.dim : layer.dim + 1 or None] = [int(side) for side in layer.unflattened_size]
            return self.reshape(x, sides, what)
        if isinstance(layer, nn.MaxPool2d) and not layer.ceil_mode and layer.dilation == 1:
            return self.value(self.net.pool(self.batched(x, what), True, layer.kernel_size, layer.stride, layer.padding, what))
        if isinstance(layer, nn.AvgPool2d) and not layer.ceil_mode and layer.divisor_override is None:
            return self.value(self.net.pool(self.batched(x, what), False, layer.kernel_size, layer.stride, layer.padding, what))
        if isinstance(layer, (nn.AdaptiveAvgPool2d, nn.AdaptiveMaxPool2d)) and layer.output_size in (1, (1, 1)):
            return self.reduce(x, isinstance(layer, nn.AdaptiveMaxPool2d), (-2, -1), True, what)
        return self.activation(layer, x, what)

    def activation(self, layer: nn.Module, x: _Value, what: str) -> _Value:
        numbers: tuple[float, ...] = ()
        if isinstance(layer, (nn.Hardtanh, nn.ReLU6)):
            name, numbers = "hardtanh", (float(layer.min_val), float(layer.max_val))
        elif isinstance(layer, nn.LeakyReLU):
            name, numbers = "leaky_relu", (float(layer.negative_slope),)
        elif isinstance(layer, nn.ELU):
            name, numbers = "elu", (float(layer.alpha),)
        elif isinstance(layer, nn.GELU):
            name = "gelu" if layer.approximate == "none" else "gelu_tanh"
        elif isinstance(layer, nn.Softplus) and layer.beta == 1:
            name = "softplus"
        else:
            simple = {nn.ReLU: "relu", nn.Tanh: "tanh", nn.Sigmoid: "sigmoid", nn.SiLU: "silu"}
            if type(layer) not in simple:
                raise ValueError(f"{what}: expected {KNOWN}, got {layer}")
            name = simple[type(layer)]
        return self.value(self.net.activation(self.batched(x, what), name, *numbers))

    def batch_norm(self, layer: Any, x: _Value, what: str) -> _Value:
        if layer.running_mean is None or len(x.shape) < 2 or x.shape[1] != layer.num_features:
            expected = f"an input of {layer.num_features} channels and stored means"
            raise ValueError(f"{what}: expected {expected}, got the shape {x.shape}")
        factor = 1 / np.sqrt(_array(layer.running_var).astype(np.float64) + layer.eps)
        if layer.weight is not None:
            factor = factor * _array(layer.weight)
        offset = -_array(layer.running_mean) * factor
        if layer.bias is not None:
            offset = offset + _array(layer.bias)
        return self.value(self.net.affine(self.batched(x, what), factor, offset, math.prod(x.shape[2:]), what))

    # Functions and methods

    def function(self, name: str, arguments: Sequence[Any], named: dict[str, Any], what: str) -> Any:
        name = {"mul": "mul", "truediv": "div", "true_divide": "div", "relu_": "relu", "amax": "max"}.get(name, name)
        x = arguments[0] if arguments else None
        if name in ("add", "sub", "mul", "div") and len(arguments) == 2 and not named:
            return self.arithmetic(name, arguments[0], arguments[1], what)
        if name == "neg" and isinstance(x, _Value):
            return self.value(self.net.scale(x.x, -1.0, 0.0))
        if name in ("cat", "concat"):
            return self.concatenate(arguments, named, what)
        if not isinstance(x, _Value):
            raise ValueError(f"{what}: expected {KNOWN}, got other arguments")
        more = arguments[1:]
        if name in ("size", "dim"):
            return x.shape[more[0]] if name == "size" and more else x.shape if name == "size" else len(x.shape)
        if name == "getattr" and more[0] in ("shape", "dtype", "device", "ndim"):
            return {"shape": x.shape, "dtype": torch.float32, "device": torch.device("cpu"), "ndim": len(x.shape)}[more[0]]
        if name in ("float", "contiguous", "to", "dropout", "type_as", "clone"):
            return x
        if name == "getitem":
            return self.part(x, more[0], what)
        if name == "linear":
            weight, bias = (*more, named.get("weight"), named.get("bias"))[:2] if len(more) != 1 else (more[0], named.get("bias"))
            if _contains_value((weight, bias)) or weight is None:
                raise ValueError(f"{what}: expected constant weights, got results")
            return self.value(self.net.linear(self.batched(x, what), _array(weight), _array(bias), what))
        if name in ("view", "reshape"):
            sides = more[0] if len(more) == 1 and isinstance(more[0], (tuple, list)) else more
            return self.reshape(x, sides, what)
        if name == "flatten":
            ends = {"start_dim": 0, "end_dim": -1, **dict(zip(("start_dim", "end_dim"), more)), **named}
            return self.flatten(x, ends["start_dim"], ends["end_dim"], what)
        if name in ("squeeze", "unsqueeze"):
            return self.reshape(x, _squeezed(name, x.shape, [*more, *named.values()], what), what)
        if name in ("mean", "max"):
            options = {**dict(zip(("dim", "keepdim"), more)), **named}
            dims = options.get("dim")
            # Without dimensions it would be over the batch, and `max` with one also returns places.
            if dims is None or (what.endswith(" max()") and name == "max"):
                raise ValueError(f"{what}: expected mean(dim) or amax(dim), got {options}")
            return self.reduce(x, name == "max", dims, bool(options.get("keepdim")), what)
        return self.functional(name, x, more, named, what)

    def functional(self, name: str, x: _Value, more: Sequence[Any], named: dict[str, Any], what: str) -> _Value:
        layers: dict[str, Callable[..., nn.Module]] = {
            "relu": nn.ReLU,
            "relu6": nn.ReLU6,
            "tanh": nn.Tanh,
            "sigmoid": nn.Sigmoid,
            "silu": nn.SiLU,
            "gelu": nn.GELU,
            "elu": nn.ELU,
            "leaky_relu": nn.LeakyReLU,
            "softplus": nn.Softplus,
            "hardtanh": nn.Hardtanh,
            "max_pool2d": nn.MaxPool2d,
            "boolean_dispatch": nn.MaxPool2d,
            "avg_pool2d": nn.AvgPool2d,
            "adaptive_avg_pool2d": nn.AdaptiveAvgPool2d,
        }
        options = {key: value for key, value in named.items() if key not in ("inplace", "return_indices")}
        if name not in layers or _contains_value((more, options)):
            raise ValueError(f"{what}: expected {KNOWN}, got {name}()")
        try:
            layer = layers[name](*more, **options)
        except TypeError as error:
            raise ValueError(f"{what}: expected the arguments of {layers[name].__name__}, got {error}") from None
        return self.module(layer, [x], {}, what)

    def arithmetic(self, name: str, x: Any, y: Any, what: str) -> _Value:
        if isinstance(x, _Value) and isinstance(y, _Value):
            one, other = self.batched(x, what), self.batched(y, what)
            if name == "sub":
                name, other = "add", self.net.scale(other, -1.0, 0.0)
            if name == "div":
                raise ValueError(f"{what}: expected a division by a constant, got one by a result")
            return self.value(self.net.combine({"add": "add", "mul": "multiply"}[name], one, other, what))
        if isinstance(y, _Value):
            if name == "div":
                raise ValueError(f"{what}: expected a division by a constant, got one by a result")
            if name == "sub":
                return self.arithmetic("add", self.value(self.net.scale(y.x, -1.0, 0.0)), x, what)
            x, y = y, x
        constant = np.asarray(_array(y) if isinstance(y, torch.Tensor) else y, np.float64)
        if name == "sub":
            name, constant = "add", -constant
        if name == "div":
            name, constant = "mul", 1 / constant
        at = self.batched(x, what)
        if constant.ndim == 0:
            factor, offset = (1.0, float(constant)) if name == "add" else (float(constant), 0.0)
            return self.value(self.net.scale(at, factor, offset))
        try:
            constant = np.broadcast_to(constant, x.shape).reshape(-1)
        except ValueError:
            raise ValueError(f"{what}: expected a constant for the shape {x.shape}, got {constant.shape}") from None
        ones, zeros = np.ones_like(constant), np.zeros_like(constant)
        both = (ones, constant) if name == "add" else (constant, zeros)
        return self.value(self.net.affine(at, *both, 1, what))

    def concatenate(self, arguments: Sequence[Any], named: dict[str, Any], what: str) -> _Value:
        parts = arguments[0] if arguments else named.get("tensors", ())
        dim = arguments[1] if len(arguments) > 1 else named.get("dim", 0)
        if not parts or not all(isinstance(one, _Value) for one in parts) or dim % len(parts[0].shape) != 1:
            raise ValueError(f"{what}: expected results to join in dimension 1, got dimension {dim}")
        return self.value(self.net.concatenate([self.batched(one, what) for one in parts], what))

    def part(self, x: _Value, index: Any, what: str) -> _Value:
        whole = slice(None)
        places = list(index) if isinstance(index, tuple) else [index]
        places = [whole if one is Ellipsis and len(places) == len(x.shape) else one for one in places]
        if places and places[0] is Ellipsis:
            places[:1] = [whole] * (len(x.shape) - len(places) + 1)
        rest = places[2:]
        is_fine = places[:1] == [whole] and len(places) <= len(x.shape) and all(one == whole for one in rest) and len(x.shape) > 1
        place = places[1] if len(places) > 1 else whole
        if not is_fine or not isinstance(place, (int, slice)):
            raise ValueError(f"{what}: expected a slice of dimension 1, such as x[:, :968], got {index}")
        chosen = range(x.shape[1])[place]
        chosen = range(chosen, chosen + 1) if isinstance(chosen, int) else chosen
        if len(chosen) == 0 or chosen.step != 1:
            raise ValueError(f"{what}: expected a slice without steps, got {index}")
        found = self.value(self.net.part(self.batched(x, what), chosen.start, chosen.stop))
        return self.reshape(found, [1, *found.shape[2:]], what) if isinstance(place, int) else found

    def flatten(self, x: _Value, first: int, last: int, what: str) -> _Value:
        first, last = first % len(x.shape), last % len(x.shape)
        return self.reshape(x, [*x.shape[:first], -1, *x.shape[last + 1 :]], what)

    def reshape(self, x: _Value, sides: Sequence[Any], what: str) -> _Value:
        if not all(isinstance(side, int) for side in sides):
            raise ValueError(f"{what}: expected a shape of numbers, got {sides}")
        numbers = list(sides)
        if numbers[:1] == [-1] and math.prod(numbers[1:]) == math.prod(x.shape):
            numbers[0] = 1
        if numbers[:1] != [1]:
            raise ValueError(f"{what}: expected a shape that begins with the batch, got {tuple(sides)}")
        return self.value(self.net.reshape(x.x, numbers[1:], what))

    def reduce(self, x: _Value, is_max: bool, dims: Any, keeps: bool, what: str) -> _Value:
        places = sorted({dim % len(x.shape) for dim in ([dims] if isinstance(dims, int) else dims)})
        first = len(x.shape) - len(places)
        if places != list(range(first, len(x.shape))) or first < 1:
            raise ValueError(f"{what}: expected the last dimensions, got {dims}")
        inner = math.prod(x.shape[first:])
        sides = [*x.shape[1:first], *([1] * len(places) if keeps else [])]
        return self.value(self.net.reduce(self.batched(x, what), is_max, inner, sides))

    def batched(self, x: _Value, what: str) -> int:
        if x.shape[:1] != (1,):
            raise ValueError(f"{what}: expected an input that begins with the batch, got the shape {x.shape[1:]}")
        return x.x

    def value(self, x: int) -> _Value:
        return _Value(x, (1, *self.net.shape(x)))


def _squeezed(name: str, shape: tuple[int, ...], dims: Sequence[Any], what: str) -> list[int]:
    if len(dims) != 1 or not isinstance(dims[0], int):
        raise ValueError(f"{what}: expected one dimension, got {len(dims)}")
    sides = list(shape)
    if name == "unsqueeze":
        sides.insert(dims[0] % (len(sides) + 1), 1)
    elif sides[dims[0]] == 1:
        del sides[dims[0]]
    return sides


def _array(tensor: torch.Tensor | None) -> Any:
    return None if tensor is None else tensor.detach().cpu().float().numpy()


def _contains_value(arguments: Any) -> bool:
    if isinstance(arguments, dict):
        return any(map(_contains_value, arguments.values()))
    if isinstance(arguments, (tuple, list)):
        return any(map(_contains_value, arguments))
    return isinstance(arguments, _Value)
