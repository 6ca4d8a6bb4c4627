"""Exported bots see what environments show, compute what their nets compute, and play by Botzone's protocol."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pacman2
import pytest
from conftest import Trace, need, read_traces
from numpy.typing import NDArray
from pacman2 import export
from pacman2._net import ACTIVATIONS, Net

FORMATS: list[dict[str, Any]] = [
    {"observation": "planes_centred", "dtype": "float32"},
    {"observation": "compact", "dtype": "float32", "history": 2},
    {"observation": "compact"},
    {"observation": "planes", "dtype": "float32", "history": 1},
    {"observation": "compact", "history": 3},
    {"observation": "planes_centred", "window": 15},
    {"observation": "compact", "dtype": "float32"},
    {"observation": "features", "history": 1},
    {"observation": "action_features", "dtype": "float32"},
]
FILES = ("botzone-maps.txt", "odd-settings.txt")
# Reads lines: options of observations, init data, or the actions of a turn and a seat. Answers the latter with the
# observation of that seat, its decision, and the net's numbers.
DRIVER = """
#define main bot_main
#include "bot.cpp"
#undef main
#include <cstdio>

int main() {
    unpack();
    std::optional<pacman2::Game> game;
    for (std::string line; std::getline(std::cin, line);) {
        const auto message = pacman2::json::Value::parse(line);
        if (message.isArray()) {
            options = OPTIONS;
        } else if (message["static"].isArray()) {
            game.emplace(pacman2::readMaze(message), pacman2::Position());
            game->positions[0] = pacman2::readStart(game->maze, message);
        } else {
            if (message["actions"].isObject())
                game->play(pacman2::readActions(message["actions"]));
            const int seat = message["seat"].asInt();
            Numbers seen = observe(*game, seat);
            if (message["decide"].asBool()) {
                const Numbers values = evaluate(seen);
                seen.insert(seen.end(), values.begin(), values.end());
                seen.push_back(static_cast<float>(decide(*game, seat)));
            }
            std::fwrite(seen.data(), sizeof(float), seen.size(), stdout);
        }
    }
}
"""
OPTIONS = {
    "views": "{static_cast<View>(message[0].asInt()), message[1].asInt() != 0, message[2].asInt() != 0, "
    "message[3].asInt(), message[4].asInt()}",
    "features": "{message[0].asInt() != 0, message[1].asInt()}",
}
# The form with which each driver decides, and how it is compiled.
DECIDES = {"views": (FORMATS[0], "-O1"), "features": (FORMATS[-1], "-O0")}


def some_traces(file: str) -> list[Trace]:
    """The traces of a file: all of them with `PACMAN2_PYTHON=must`, otherwise every ninth one, since all take half a minute."""
    return list(read_traces(file))[:: 1 if os.environ.get("PACMAN2_PYTHON") == "must" else 9]


def kind_of(form: dict[str, Any]) -> str:
    return "features" if "features" in form["observation"] else "views"


def shape_of(form: dict[str, Any]) -> tuple[int, ...]:
    return pacman2.VecEngine(1, 0, **form).arrays["observations"].shape[1:]


def some_layers(shape: tuple[int, ...], seed: int = 1) -> list[Any]:
    """A small net with a hidden layer; of features of actions, the same for each action."""
    rng = np.random.default_rng(seed)
    per_action = shape[0] == 9
    size = shape[-1] if per_action else int(np.prod(shape))
    hidden = export.Linear(rng.normal(size=(16, size)) / np.sqrt(size), rng.normal(size=16))
    outputs = 1 if per_action else 9
    last = export.Linear(rng.normal(size=(outputs, 16)), rng.normal(size=outputs))
    return [*([] if per_action else [export.Flatten()]), hidden, export.Activation("tanh"), last, export.Flatten()]


def compiled(path: Path, driver: str | None = None, flags: tuple[str, ...] = ("-O1",)) -> Path:
    """Compiles an exported file as Botzone does, or a driver that includes it."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("not run: g++ is not installed")
    source = path
    if driver is not None:
        source = path.with_name("driver.cpp")
        source.write_text(driver)
    binary = source.with_suffix("")
    command = [compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", *flags, str(source), "-o", str(binary)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return binary


def requests_of(trace: Trace) -> list[dict[str, Any]]:
    """The turns of a trace as Botzone sends them."""
    numbers = lambda actions: {str(seat): {"action": -10 if one is None else one - 1} for seat, one in enumerate(actions)}
    return [numbers(actions) for actions in trace.actions]


class Replayed:
    """A trace with the observations of an environment."""

    def __init__(self, trace: Trace, form: dict[str, Any]) -> None:
        self.game = pacman2.Game(init_data=trace.init_data)
        self.engine = pacman2.VecEngine(1, 0, **form)
        self.trace = trace

    def positions(self) -> Any:
        """Yields for each position the request before it, a player, and what that player sees."""
        turns = zip([None, *requests_of(self.trace)], [None, *self.trace.actions])
        for turn, (request, actions) in enumerate(turns):
            if actions is not None:
                self.game.step(actions)
            self.engine.put(0, self.game)
            living = [(turn + after) % 4 for after in range(4) if self.game.alive[(turn + after) % 4]]
            seat = living[0] if living else turn % 4
            yield request, seat, self.engine.arrays["observations"][seat].astype(np.float32)


@pytest.fixture(scope="module")
def drivers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Net]]:
    """By kind of observation: a driver, and the net that it decides with."""
    made = {}
    for kind, (form, level) in DECIDES.items():
        folder = tmp_path_factory.mktemp(kind)
        layers = some_layers(shape_of(form))
        export.to_cpp(layers, folder / "bot.cpp", **form)
        binary = compiled(folder / "bot.cpp", DRIVER.replace("OPTIONS", OPTIONS[kind]), (level,))
        made[kind] = binary, net_of(form, layers)
    return made


def net_of(form: dict[str, Any], layers: list[Any]) -> Net:
    net, x = Net(shape_of(form)), 0
    for layer in layers:
        x = export._add_layer(net, x, layer, "net")
    return net


@pytest.mark.xdist_group("export in C++")
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("file", FILES)
def test_cpp_sees_and_decides_as_in_numpy_in_all_traces(file: str, drivers: dict[str, tuple[Path, Net]]) -> None:
    count, traces = 0, some_traces(file)
    for first, form in enumerate(FORMATS):
        binary, net = drivers[kind_of(form)]
        decides = form == DECIDES[kind_of(form)][0]
        lines, expected, masks = [options_of(form)], [], []
        for trace in traces[first :: len(FORMATS)]:
            lines.append(trace.init_data)
            replayed = Replayed(trace, form)
            for request, seat, seen in replayed.positions():
                lines.append({"actions": request, "seat": seat, "decide": decides})
                expected.append(seen.reshape(-1))
                legal = [0, *replayed.game.legal_actions(seat)] if replayed.game.alive[seat] else [0]
                masks.append(np.isin(np.arange(9), legal))
        text = "".join(json.dumps(line) + "\n" for line in lines)
        ran = subprocess.run([binary], input=text.encode(), capture_output=True, check=True)
        rows = np.frombuffer(ran.stdout, "<f4").reshape(len(expected), -1)
        wanted = np.stack(expected)
        assert np.array_equal(rows[:, : wanted.shape[1]], wanted), form
        if decides:
            values = net.run(wanted.reshape(-1, *shape_of(form)))
            assert np.allclose(rows[:, -10:-1], values, atol=1e-5)
            # After the end of a game there is nothing to decide.
            going = [not (mask.sum() == 1 and mask[0]) for mask in masks]
            masked = np.where(masks, values, -np.inf)
            chosen = masked[np.arange(len(masked)), rows[:, -1].astype(int)]
            # Two actions with the same features are equally good, up to rounding.
            assert np.allclose(chosen[going], masked.max(1)[going], atol=1e-5)
        count += len(expected)
    assert count > 50 * len(traces)


def options_of(form: dict[str, Any]) -> list[int]:
    view = form["observation"]
    if kind_of(form) == "features":
        return [int(view == "action_features"), form.get("history", 0)]
    is_float = form.get("dtype") == "float32"
    number = ["compact", "planes"].index(view.split("_")[0])
    return [number, int("centred" in view), int(is_float), form.get("history", 0), form.get("window", 11)]


def every_operation(seed: int = 3) -> Net:
    """A net that has all operations and activations, and odd strides, paddings and dilations."""
    rng = np.random.default_rng(seed)
    net = Net((18, 11, 11))
    weights = lambda *shape: rng.normal(size=shape) / np.sqrt(np.prod(shape[1:]))
    x = net.conv2d(0, weights(6, 18, 3, 2), weights(6), (2, 1), (1, 2), (1, 2), "net")
    x = net.affine(x, weights(6), weights(6), int(np.prod(net.shape(x)[1:])), "net")
    for number, name in enumerate(ACTIVATIONS):
        numbers = {"hardtanh": (-1.5, 0.75), "leaky_relu": (0.1,), "elu": (0.7,)}.get(name, ())
        y = net.conv2d(x, weights(6, 6, 1, 1), weights(6), 1, 0, 1, "net")
        y = net.activation(y, name, *numbers)
        x = net.combine("multiply" if number % 3 == 2 else "add", x, net.scale(y, 1.25, -0.5), "net")
    x = net.pool(x, True, (3, 2), (1, 2), (1, 1), "net")
    x = net.pool(x, False, 2, 1, 0, "net")
    rows = net.reshape(x, (6, -1), "net")
    rows = net.layer_norm(rows, weights(net.shape(rows)[1]), weights(net.shape(rows)[1]), 1e-5, "net")
    rows = net.linear(rows, weights(4, net.shape(rows)[1]), weights(4), "net")
    parts = [net.reduce(rows, is_max, 4, (6,)) for is_max in (True, False)]
    x = net.concatenate([*parts, net.part(net.reshape(rows, (-1,), "net"), 3, 20)], "net")
    net.finish(net.linear(x, weights(9, 29), weights(9), "net"))
    return net


OPERATIONS = {op.name for op in every_operation().ops} - {"input", "reshape"}


WEIGHTS = ("float32", "float16", "int8")
# Reads observations, and writes what each of the nets computes from each of them.
EVALUATE = """
#include <cstdio>
using Numbers = std::vector<float>;

int main() {
    std::vector<Numbers> all;
    for (Numbers seen(18 * 121); std::fread(seen.data(), sizeof(float), seen.size(), stdin) == seen.size();)
        all.push_back(seen);
    const struct {
        void (*unpack)();
        Numbers (*evaluate)(const Numbers &);
    } nets[] = {NETS};
    for (const auto &net : nets) {
        net.unpack();
        for (const Numbers &seen : all) {
            const Numbers values = net.evaluate(seen);
            std::fwrite(values.data(), sizeof(float), values.size(), stdout);
        }
    }
}
"""


def test_cpp_computes_every_operation(tmp_path: Path) -> None:
    shown = export._Shown("planes_centred", "float32", 0, 11)
    seen = np.random.default_rng(1).normal(size=(3, 18, 11, 11)).astype(np.float32)
    head, bodies, expected = "", [], []
    for weights in WEIGHTS:
        net = every_operation()
        for op in net.ops:
            op.arrays = [export._rounded(array, weights) for array in op.arrays]
        values = net.run(seen)
        assert np.ptp(values) > 0.1
        expected.append(values)
        # The nets become one program, so that the header is compiled once.
        head, start, body = export._source(net, shown, weights).partition("\nnamespace {\n")
        bodies.append(f"namespace of_{weights} {{{start}{body.replace('int main()', 'inline int botMain()')}}}\n")
    nets = ", ".join(f"{{of_{weights}::unpack, of_{weights}::evaluate}}" for weights in WEIGHTS)
    main = EVALUATE.replace("NETS", nets)
    binary = compiled(tmp_path / "bot.cpp", head + "".join(bodies) + main, ("-O0",))
    ran = subprocess.run([binary], input=seen.astype("<f4").tobytes(), capture_output=True, check=True)
    assert np.allclose(np.frombuffer(ran.stdout, "<f4").reshape(-1, 9), np.concatenate(expected), rtol=1e-4, atol=1e-5)


def test_every_operation_of_the_files_is_tested() -> None:
    text = (Path(export.__file__).parent / "export_bot.cpp.in").read_text()
    defined = set(re.findall(r"^inline Numbers (\w+)\(", text, re.M)) - {"each", "observe"}
    assert OPERATIONS == defined


def test_bots_play_by_the_protocol(tmp_path: Path) -> None:
    """Started anew for each turn or kept running, a bot answers the same; its decision is that of the net."""
    form = FORMATS[1]
    layers = some_layers(shape_of(form))
    export.to_cpp(layers, tmp_path / "bot.cpp", **form)
    command = [str(compiled(tmp_path / "bot.cpp", flags=("-O2",)))]
    trace = next(read_traces(FILES[0]))
    requests = [{**trace.init_data, "id": 2}, *requests_of(trace)]
    count = next(turn for turn, actions in enumerate(trace.actions) if actions[2] is None or turn == 12)
    envelope = {"requests": requests[:1], "responses": [], "data": "", "globaldata": "", "time_limit": 1}
    kept = "\n".join(map(json.dumps, [envelope, *requests[1:count]])) + "\n"
    ran = subprocess.run(command, input=kept, capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in ran.stdout.splitlines()[::2]]
    assert set(ran.stdout.splitlines()[1::2]) == {">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"}
    assert len(answers) == count
    whole = json.dumps({**envelope, "requests": requests[:count]})
    ran = subprocess.run(command, input=whole, capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout.splitlines()[0]) == answers[-1]
    net = net_of(form, layers)
    game = pacman2.Game(init_data=trace.init_data)
    for actions, answer in zip([*trace.actions], answers):
        values = net.run(game.observe("compact", 2, dtype="float32", history=2)[None])[0]
        best = max(game.legal_actions(2), key=lambda action: values[action])
        assert answer["response"]["action"] == best - 1
        game.step(actions)


def test_weights_and_the_report() -> None:
    layers = some_layers((150,))
    sizes, errors = [], []
    for weights in WEIGHTS:
        bot = export.to_cpp(layers, "bot.cpp", weights=weights)  # type: ignore[arg-type]
        assert bot.path == Path("bot.cpp") and bot.size == Path("bot.cpp").stat().st_size
        assert (bot.weights, bot.positions, bot.multiplications) == (weights, 400, 150 * 16 + 16 * 9)
        assert str(bot).startswith(f"bot.cpp: {bot.size:,} bytes, weights of {weights}")
        sizes.append(bot.size)
        errors.append(bot.max_error)
    assert sizes[0] > sizes[1] > sizes[2] and errors[0] == 0 < errors[1] < errors[2] < 5
    assert not list(Path().glob("*.tmp"))


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("net", "options", "words"),
    [
        ([], {}, "net: expected a torch.nn.Module .* or a sequence of layers .*, got"),
        ([export.Flatten], {}, r"net\[0\]: expected a layer: .*, got"),
        ([export.Activation("softmax")], {}, r"net\[0\]: expected one of the activations relu, .*, got 'softmax'"),
        ([export.Linear(np.zeros((9, 151)))], {}, r"net\[0\]: expected an input that ends with 151, got the shape \(150,\)"),
        ([export.Linear(np.zeros((8, 150)))], {}, r"net: expected 9 outputs, .*, got the shape \(8,\)"),
        ([export.Linear(np.zeros(150))], {}, r"expected weights of two dimensions, got the shape \(150,\)"),
        ([export.Linear(np.zeros((9, 150)), np.zeros(8))], {}, r"expected a bias of shape \(9,\), got \(8,\)"),
        ([export.Linear(np.full((9, 150), np.nan))], {}, "expected finite numbers, got infinity or NaN"),
        ([export.Linear("weights")], {}, r"net\[0\]: expected an array of numbers, got str"),
        ([export.Conv2d(np.zeros((4, 18, 3, 3)))], {}, "expected an input of 18 channels, rows and columns, got the shape"),
        ([export.Conv2d(np.zeros((4, 17, 3, 3)))], {"observation": "planes"}, "expected an input of 17 channels"),
        ([export.Conv2d(np.zeros((4, 18, 12, 1)))], {"observation": "planes"}, "expected a kernel no larger than its input"),
        ([export.Conv2d(np.zeros((4, 18, 1, 1)), stride=0)], {"observation": "planes"}, "expected a stride .* of at least 1"),
        ([export.Conv2d(np.zeros((4, 18, 1, 1)), stride="x")], {"observation": "planes"}, "expected a whole number or two"),
        ([export.Linear(np.full((9, 150), 1e5))], {"weights": "float16"}, "weights: expected float32 for weights beyond"),
        ([export.Linear(np.zeros((9, 150)))], {"weights": "int4"}, "weights: expected float32, float16 or int8, got 'int4'"),
        ([export.Linear(np.zeros((9, 150)))], {"observation": "maze"}, "observation: expected one of compact, .*, got"),
        ([export.Linear(np.zeros((9, 279)))], {"observation": "action_features", "history": 1}, "history: expected 0 with the"),
        ([export.Linear(np.zeros((9, 128)))], {"observation": "features", "dtype": "uint8"}, 'dtype: expected "float32" or None'),
        ([export.Linear(np.zeros((9, 150)))], {"output": 1}, "output: expected None with a sequence of layers, got 1"),
        ([export.Linear(np.zeros((9, 150)))], {"history": 65}, "history: expected a whole number from 0 to 64, got 65"),
    ],
)
def test_what_cannot_be_exported_is_rejected(net: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        export.to_cpp(net, "bot.cpp", **options)
    assert not list(Path().iterdir())


def test_files_that_cannot_be_written_are_reported() -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        export.to_cpp(some_layers((150,)), "nowhere/bot.cpp")


# With PyTorch


def modules() -> dict[str, tuple[Any, dict[str, Any]]]:
    """Modules of many kinds, each with the options of its export."""
    import torch
    from torch import nn
    from torch.nn import functional as f

    torch.manual_seed(1)

    class Heads(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(18, 8, 3, padding="same"), nn.BatchNorm2d(8), nn.ReLU(), nn.Dropout(0.5))
            self.body[1].running_mean.uniform_()
            self.policy, self.value = nn.Linear(8 * 121, 9), nn.Linear(8, 1)
            self.register_buffer("gain", torch.rand(8, 1, 1))

        def forward(self, x: Any) -> Any:
            y = self.body(x.float() / 4)
            y = y + f.gelu(y) * self.gain
            return {"value": self.value(y.mean((2, 3))), "logits": self.policy(y.view(y.size(0), -1))}

    class Split(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cells = nn.Conv2d(8, 6, 3, stride=2)
            self.numbers = nn.Linear(29, 10)
            self.last = nn.Linear(6 * 4 + 10, 9)

        def forward(self, x: Any) -> Any:
            cells = f.max_pool2d(f.relu(self.cells(x[:, :968].reshape(-1, 8, 11, 11))), 2)
            numbers = torch.tanh(self.numbers(x[:, 968:]))
            return 2 - self.last(torch.cat([cells.flatten(1), numbers], dim=1)), None

    floats = {"observation": "compact", "dtype": "float32"}
    planes = {"observation": "planes_centred", "dtype": "float32"}
    mlp = nn.Sequential(nn.Linear(997, 32), nn.LayerNorm(32), nn.ELU(), nn.Linear(32, 9, bias=False))
    return {
        "mlp": (mlp, floats),
        "linear": (nn.Linear(150, 9), {}),
        "heads": (Heads(), {**planes, "output": "logits"}),
        "split": (Split(), floats),
        "features": (nn.Sequential(nn.Linear(128, 16), nn.Tanh(), nn.Linear(16, 9)), {"observation": "features"}),
        "actions": (nn.Sequential(nn.Linear(279, 16), nn.ReLU(), nn.Linear(16, 1), nn.Flatten()), {"observation": "action_features"}),
    }


@pytest.mark.parametrize("name", ["mlp", "linear", "heads", "split", "features", "actions"])
def test_modules_of_pytorch(name: str) -> None:
    """The report compares the numbers of the file's net with those of the module."""
    need("torch")
    module, options = modules()[name]
    module.train()
    report = export.to_cpp(module, "bot.cpp", **options)
    assert module.training and report.differences == 0 and report.max_error < 1e-3


def test_modules_that_cannot_be_exported() -> None:
    need("torch")
    import torch
    from torch import nn

    class Branches(nn.Module):
        def forward(self, x: Any) -> Any:
            return x[:, :9] if x.sum() > 0 else x[:, 9:18]

    class Random(nn.Module):
        def forward(self, x: Any) -> Any:
            return x[:, :9] + torch.rand(1)

    linear = nn.Linear(150, 9)
    for module, options, words in [
        (nn.Sequential(nn.GRU(150, 9)), {}, r"net: 0 \(GRU\): expected linear layers, .*, got GRU"),
        (nn.Sequential(linear, nn.Softmax(1)), {}, r"net: 1 \(Softmax\): expected .*, got Softmax"),
        (nn.Sequential(nn.Linear(151, 9)), {}, r"net: 0 \(Linear\): expected an input that ends with 151, got the shape"),
        (nn.Sequential(nn.Conv2d(18, 9, 3, groups=9)), {"observation": "planes"}, "expected one group"),
        (Branches(), {}, "expected a module that torch.fx can trace, got TraceError"),
        (Random(), {}, "expected outputs that follow from the observation alone"),
        (linear, {"output": 1}, "output: expected None for a net with one output, got 1"),
        (nn.Linear(150, 8), {}, "net: expected 9 outputs"),
    ]:
        with pytest.raises(ValueError, match=words):
            export.to_cpp(module, "bot.cpp", **options)
    assert not list(Path().iterdir())
