"""Every parameter of every public function, with values of wrong types, ranges and shapes.

A call either takes the value, if it is listed as fine, or raises one exception of the form
"expected X, got Y" and changes nothing.
"""

import copy
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pacman2
import pytest
from pacman2 import dataset, export, symmetries

pytest.importorskip("pettingzoo")

# Values by name, made anew for each call, since a call could use up an iterator.
STRANGE: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "False": lambda: False,
    "-1": lambda: -1,
    "5": lambda: 5,
    "2**40": lambda: 2**40,
    "-2**70": lambda: -(2**70),
    "1.5": lambda: 1.5,
    "nan": lambda: float("nan"),
    "complex": lambda: 1j,
    "''": lambda: "",
    "'x'": lambda: "x",
    "'\\ud800'": lambda: "\ud800",
    "b'x'": lambda: b"x",
    "()": lambda: (),
    "(7,)": lambda: (7,),
    "(7, 8)": lambda: (7, 8),
    "('x', 'x', 'x', 'x')": lambda: ("x",) * 4,
    "(1.5,) * 4": lambda: (1.5,) * 4,
    "[]": list,
    "nested": lambda: [[[]]],
    "{}": dict,
    "{'x': 1}": lambda: {"x": 1},
    "{1: 2}": lambda: {1: 2},
    "set": lambda: {1, 2, 3, 4},
    "object": object,
    "type": lambda: int,
    "function": lambda: len,
    "iterator": lambda: iter([0, 0, 0, 0]),
    "empty array": lambda: np.zeros(0),
    "float array": lambda: np.zeros(8),
    "bool array": lambda: np.zeros(8, bool),
    "odd shape": lambda: np.zeros((2, 2, 2), int),
    "object array": lambda: np.array([None] * 8),
    "0-d array": lambda: np.array(1.5),
    "a game": lambda: pacman2.Game(1),
}
SEEDS = ["None", "False", "-1", "5"]
NUMBERS = ["False", "5"]
OPTIONAL = ["None"]
FORM = re.compile(r"expected .+, got .+", re.DOTALL)


def game() -> pacman2.Game:
    return pacman2.Game(1)


def vec() -> pacman2.VecEnv:
    return pacman2.VecEnv(2, seed=1, maps=1)


def sage() -> pacman2.Bot:
    return pacman2.Bot("sage", simulations=5)


def against() -> pacman2.VecEnv:
    return pacman2.VecEnv(2, seed=1, maps=1, opponents="random")


def solo() -> pacman2.SoloEnv:
    env = pacman2.SoloEnv("random")
    env.reset(seed=1)
    return env


def parallel() -> Any:
    env = pacman2.parallel_env()
    env.reset(seed=1)
    return env


def assigned(name: str) -> Callable[[Any, Any], None]:
    return lambda env, value: setattr(env, name, value)


def mirrored(name: str) -> Callable[[Any, Any], Any]:
    return lambda _, value: getattr(symmetries.ROTATE_RIGHT, name)(value)


def seen_mirrored(option: str) -> Callable[[Any, Any], Any]:
    call = {"observations": np.zeros((4, 150), np.uint8), "view": "compact"}
    return lambda _, value: symmetries.ROTATE_RIGHT.observations(**{**call, option: value})


ACTIONS = dict.fromkeys(("player_0", "player_1", "player_2", "player_3"), 0)
LOGITS = np.zeros((8, 9), np.float32)

# What is called on what, and the values that are fine.
Row = tuple[str, Callable[[], Any], Callable[[Any, Any], Any], list[str]]


def rows() -> Iterator[Row]:
    def make(
        label: str, kind: Callable[..., Any], fine: dict[str, list[str]], /, **others: Any
    ) -> Iterator[Row]:
        for option, values in fine.items():
            call = lambda _, value, option=option: kind(**{**others, option: value})
            yield f"{label}({option})", lambda: None, call, values

    rules = {
        "turns": ["None", "5"],
        "generator_interval": ["None", "5"],
        "large_fruit_duration": ["None", *NUMBERS],
        "large_fruit_enhancement": ["None", *NUMBERS],
        "skill_cost": ["None", *NUMBERS],
        "ruling": [],
    }
    maps = {"size": ["None", "(7, 8)"], "init_data": ["None", "{'x': 1}", "{1: 2}"]}
    seen = {"observation": [], "dtype": OPTIONAL, "history": ["None", *NUMBERS], "window": OPTIONAL}
    yield from make("Game", pacman2.Game, {"seed": SEEDS, **maps, **rules})
    yield from make("Bot", pacman2.Bot, {"name": []})
    bot = {
        "seed": SEEDS,
        "simulations": ["None", "5"],
        "time_ms": ["None", "5"],
        "threads": ["None", "5"],
        "without": ["None", "()", "[]", "empty array"],
        "net": OPTIONAL,
    }
    yield from make("Bot", pacman2.Bot, bot, name="sage")
    yield from make("parallel_env", pacman2.parallel_env, {**maps, **rules})
    parallel_options = {
        **seen,
        "reward": [],
        "action_mask": [],
        "max_cycles": ["None", "5", "2**40"][:2],
        "black_death": ["None", "False"],
        "copy": ["False"],
        "render_mode": OPTIONAL,
    }
    yield from make("parallel_env", pacman2.parallel_env, parallel_options)
    yield from make("env", pacman2.env, parallel_options)
    solo_options = {
        "opponents": [],
        "seat": ["False"],
        **seen,
        "reward": [],
        "render_mode": OPTIONAL,
    }
    yield from make("SoloEnv", pacman2.SoloEnv, {**solo_options, **maps, **rules})
    vec_options = {
        **seen,
        "reward": [],
        "autoreset_mode": [],
        "threads": ["5"],
        "maps": ["None", "5", "(7,)", "(7, 8)", "set", "iterator"],
        "size": maps["size"],
        **rules,
        "buffers": ["None", "{}"],
    }
    opponents = {
        "opponents": ["None", "type", "function"],
        "opponents_mode": [],
        "opponent_weights": OPTIONAL,
        "seat": ["None", "False"],
    }
    yield from make("VecEnv", pacman2.VecEnv, opponents, num_games=1, opponents="random")
    yield from make("VecEngine", pacman2.VecEngine, {"num_games": ["5"]}, seed=1)
    yield from make("VecEngine", pacman2.VecEngine, {"seed": ["-1", *NUMBERS]}, num_games=1)
    yield from make("VecEngine", pacman2.VecEngine, vec_options, num_games=1, seed=1)
    yield from make("VecEnv", pacman2.VecEnv, {"num_games": ["5"]})
    yield from make("VecEnv", pacman2.VecEnv, {**vec_options, "seed": SEEDS, "copy": ["False"]}, num_games=1)
    exported = {"net": [], "path": ["'x'"], **seen, "weights": [], "output": OPTIONAL}
    layers = [export.Linear(np.zeros((9, 150)))]
    # Past actions make an observation longer, and the net fits no longer.
    exported["history"] = ["None", "False"]
    yield from make("to_cpp", export.to_cpp, exported, net=layers, path="bot.cpp")

    made = {
        "folder": ["''", "'x'"],
        "games": ["5"],
        "form": [],
        "expert": [],
        "opponents": [],
        "observation": [],
        "first_seed": NUMBERS,
        "games_per_shard": ["5"],
        "threads": ["None", "5"],
    }
    yield from make("dataset.make", dataset.make, made, folder="x", games=1)
    played = {"seed": ["-1", *NUMBERS], "expert": [], "opponents": [], "observation": []}
    yield from make("dataset.play", dataset.play, played, seed=1, expert="random", opponents="random")
    yield from make("dataset.load", dataset.load, {"folder": []})
    yield from make("symmetries.of_size", symmetries.of_size, {"width": ["5"], "height": ["5"]}, width=7, height=7)
    methods: list[Row] = [
        ("Symmetry.actions", lambda: None, mirrored("actions"), ["-1", "5", "2**40", "(7,)", "(7, 8)", "odd shape"]),
        ("Symmetry.masks", lambda: None, mirrored("masks"), []),
        ("Symmetry.policies", lambda: None, mirrored("policies"), []),
        *(
            (f"Symmetry.observations({option})", lambda: None, seen_mirrored(option), fine)
            for option, fine in {"observations": [], "view": [], "history": ["None", "False"], "window": OPTIONAL}.items()
        ),
        ("Game.step", game, lambda g, value: g.step(value), []),
        ("Game.step[2]", game, lambda g, value: g.step([0, 0, value, 0]), ["None", *NUMBERS]),
        ("Game.legal_actions", game, lambda g, value: g.legal_actions(value), ["False"]),
        ("Game.observe(view)", game, lambda g, value: g.observe(value, 0), []),
        ("Game.observe(seat)", game, lambda g, value: g.observe("planes", value), ["False"]),
        ("Game.from_bytes", game, lambda g, value: pacman2.Game.from_bytes(value), []),
        ("Game.replay", game, lambda g, value: g.replay(value), ["None", "('x', 'x', 'x', 'x')"]),
        ("Game.render", game, lambda g, value: g.render(value), []),
        ("Bot.act(game)", game, lambda g, value: pacman2.Bot("random").act(value, 0), ["a game"]),
        ("Bot.act(seat)", game, lambda g, value: pacman2.Bot("random").act(g, value), ["False"]),
        ("Bot.act_all(games)", game, lambda g, value: pacman2.Bot("random").act_all(value, 0), ["()", "[]", "empty array"]),
        ("Bot.act_all(seats)", game, lambda g, value: pacman2.Bot("random").act_all([g], value), ["False"]),
        ("Bot.act_all(threads)", game, lambda g, value: pacman2.Bot("random").act_all([g], 0, threads=value), ["5"]),
        ("Bot.search(game)", game, lambda g, value: sage().search(value), ["a game"]),
        ("Bot.search(seat)", game, lambda g, value: sage().search(g, value), ["None", "False"]),
        ("Bot.search_all(games)", game, lambda g, value: sage().search_all(value), ["()", "[]", "empty array"]),
        ("Bot.search_all(seats)", game, lambda g, value: sage().search_all([g], value), ["None", "False"]),
        ("SearchResult.pv(seat)", game, lambda g, value: sage().search(g).pv(value), ["None", "False"]),
        ("SearchResult.pv(action)", game, lambda g, value: sage().search(g).pv(0, value), ["None", "False"]),
        ("VecEnv.set_opponents", against, lambda e, value: e.set_opponents(value), ["type", "function"]),
        ("VecEnv.set_opponents(mode)", against, lambda e, value: e.set_opponents("random", opponents_mode=value), []),
        (
            "VecEnv.set_opponents(weights)",
            against,
            lambda e, value: e.set_opponents("random", opponents_mode="drawn", opponent_weights=value),
            ["None", "(7,)"],
        ),
        ("VecEnv.reset(seed)", vec, lambda e, value: e.reset(seed=value), [*SEEDS, "(7, 8)"]),
        ("VecEnv.reset(options)", vec, lambda e, value: e.reset(options=value), ["None", "{}"]),
        (
            "VecEnv.reset(reset_mask)",
            vec,
            lambda e, value: e.reset(options={"reset_mask": value}),
            ["None", "bool array"],
        ),
        ("VecEnv.step", vec, lambda e, value: e.step(value), []),
        ("Game.observe(dtype)", game, lambda g, value: g.observe("planes", 0, dtype=value), OPTIONAL),
        ("Game.observe(history)", game, lambda g, value: g.observe("planes", 0, history=value), ["None", *NUMBERS]),
        ("Game.observe(window)", game, lambda g, value: g.observe("planes", 0, window=value), OPTIONAL),
        ("VecEnv.random_actions", vec, lambda e, value: e.random_actions(value), OPTIONAL),
        ("VecEnv.sample(logits)", vec, lambda e, value: e.sample(value), []),
        ("VecEnv.sample(out)", vec, lambda e, value: e.sample(LOGITS, value), OPTIONAL),
        ("VecEnv.sample(log_prob)", vec, lambda e, value: e.sample(LOGITS, None, value), OPTIONAL),
        ("VecEnv.set_state", vec, lambda e, value: e.set_state(value), []),
        ("VecEnv.game", vec, lambda e, value: e.game(value), ["False", "-1"]),
        ("VecEnv.put(index)", vec, lambda e, value: e.put(value, game()), ["False", "-1"]),
        ("VecEnv.put(game)", vec, lambda e, value: e.put(0, value), ["a game"]),
        ("SoloEnv.reset(seed)", solo, lambda e, value: e.reset(seed=value), SEEDS),
        ("SoloEnv.reset(options)", solo, lambda e, value: e.reset(options=value), ["None", "{}"]),
        ("SoloEnv.step", solo, lambda e, value: e.step(value), NUMBERS),
        ("ParallelEnv.reset(seed)", parallel, lambda e, value: e.reset(seed=value), SEEDS),
        (
            "ParallelEnv.reset(options)",
            parallel,
            lambda e, value: e.reset(options=value),
            ["None", "{}"],
        ),
        ("ParallelEnv.step", parallel, lambda e, value: e.step(value), []),
        (
            "ParallelEnv.step[player]",
            parallel,
            lambda e, value: e.step({**ACTIONS, "player_1": value}),
            NUMBERS,
        ),
        ("ParallelEnv.action_mask", parallel, lambda e, value: e.action_mask(value), []),
        ("ParallelEnv.action_space", parallel, lambda e, value: e.action_space(value), []),
        ("ParallelEnv.observation_space", parallel, lambda e, value: e.observation_space(value), []),
        ("ParallelEnv.restore", parallel, lambda e, value: e.restore(value), []),
        ("ParallelEnv.game", parallel, assigned("game"), ["a game"]),
        ("ParallelEnv.max_cycles", parallel, assigned("max_cycles"), ["None", "5"]),
    ]
    yield from methods


def state(thing: Any) -> Any:
    """Returns what a refused call must not change."""
    match thing:
        case None:
            return None
        case pacman2.Game():
            return thing.to_bytes()
        case pacman2.VecEnv():
            return thing.get_state()
        case pacman2.SoloEnv():
            return thing.game.to_bytes(), copy.deepcopy(thing.np_random.bit_generator.state)
        case _:
            return thing.save()


ROWS = list(rows())


@pytest.mark.filterwarnings("ignore:init data has no key")
@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_value_is_taken_or_refused(row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, make, call, fine = row
    thing = make()
    before = state(thing)
    for name, value in STRANGE.items():
        if name in fine:
            call(make(), value())
            continue
        with pytest.raises((TypeError, ValueError, LookupError, FileNotFoundError)) as caught:
            call(thing, value())
        error = caught.value
        assert type(error) in (TypeError, ValueError, IndexError, KeyError, FileNotFoundError), name
        text = str(error.args[0])
        assert FORM.search(text), f"{name}: {text}"
        assert "\n" not in text and len(text) < 500, f"{name}: {text}"
        is_alone = error.__suppress_context__ or error.__context__ is None
        assert error.__cause__ is None and is_alone, f"{name}: {text}"
        assert state(thing) == before, name


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (pacman2.Game, "Game"),
        (pacman2.parallel_env, "parallel_env"),
        (pacman2.env, "parallel_env"),
        (pacman2.SoloEnv, "SoloEnv"),
        (lambda **rules: pacman2.VecEnv(1, **rules), "VecEnv"),
        (lambda **rules: pacman2.VecEnv(1, opponents="random", **rules), "VecEnv"),
        (lambda **rules: pacman2.VecEngine(1, 1, **rules), "VecEngine"),
    ],
)
def test_a_misspelt_option_is_answered_with_those_that_exist(make: Any, name: str) -> None:
    with pytest.raises(TypeError, match=f"{name}: expected the keywords .*skill_cost.*, got .*'skill'"):
        make(skill=3)


def test_every_public_name_is_probed() -> None:
    """A new public class or method needs a row above, unless it takes no argument."""
    probed = {re.split(r"[(\[]", row[0])[0] for row in ROWS}
    assert probed >= {"Game", "Bot", "VecEnv", "VecEngine", "SoloEnv", "parallel_env", "env", "to_cpp"}
    assert probed >= {f"dataset.{name}" for name in dataset.__all__}
    for kind in (pacman2.Game, pacman2.Bot, pacman2.SearchResult, pacman2.VecEnv, symmetries.Symmetry):
        for name in vars(kind):
            method = getattr(kind, name)
            if not name.startswith("_") and callable(method):
                parameters = set(inspect.signature(method).parameters) - {"self"}
                assert not parameters or f"{kind.__name__}.{name}" in probed, (name, parameters)
