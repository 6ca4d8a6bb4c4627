"""Helpers and fixtures shared by the tests."""

import importlib.util
import os
import pathlib
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pacman2
import pytest

ROOT = pathlib.Path(__file__).parents[3]
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"


def need(*modules: str) -> None:
    """Skips the test if a module is missing; fails instead with `PACMAN2_FRAMEWORKS=must`."""
    missing = [name for name in modules if not is_installed(name)]
    if missing:
        reason = f"not run: {', '.join(missing)} is not installed"
        if os.environ.get("PACMAN2_FRAMEWORKS") == "must":
            pytest.fail(reason)
        pytest.skip(reason)


def is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of the package that contains the module
        return False


@dataclass
class Trace:
    """A game of the wiki's sample program; `crates/rules/fixtures/make.py` documents the format."""

    name: str
    init_data: dict[str, Any]
    actions: list[list[int | None]]
    hash: str


def read_traces(file: str) -> Iterator[Trace]:
    lines = iter((ROOT / "crates/rules/fixtures" / file).read_text().splitlines())
    for head in lines:
        name, numbers = head.split(": ")
        size, _, light, _, interval, _, duration, _, boost = numbers.split()
        width, height = map(int, size.split("x"))
        static, content = (
            [[DIGITS.index(bits) for bits in row] for row in next(lines).split()] for _ in range(2)
        )
        actions = []
        while not (line := next(lines)).startswith("end "):
            actions.append([action_of(symbol) for symbol in line.split()[0]])
        init_data = {
            "width": width,
            "height": height,
            "SKILL_COST": int(light),
            "GENERATOR_INTERVAL": int(interval),
            "LARGE_FRUIT_DURATION": int(duration),
            "LARGE_FRUIT_ENHANCEMENT": int(boost),
            "static": static,
            "content": content,
        }
        yield Trace(f"{file}, {name}", init_data, actions, line.removeprefix("end "))


def action_of(symbol: str) -> int | None:
    """Converts Botzone's -1 (`-`) to 7 into 0 to 8; anything else is a missing action."""
    if symbol in ".-":
        return 0
    return int(symbol) + 1 if symbol in "01234567" else None


def play_at_random(game: pacman2.Game, turns: int, seed: int) -> pacman2.Game:
    """Plays up to `turns` turns of random legal actions."""
    rng = random.Random(seed)
    for _ in range(turns):
        if game.is_over:
            break
        game.step([rng.choice(game.legal_actions(seat) or [0]) for seat in range(4)])
    return game


@pytest.fixture
def played() -> Callable[..., pacman2.Game]:
    """Returns a function that plays the start of a game: `played(seed, turns)`."""
    return lambda seed=7, turns=30: play_at_random(pacman2.Game(seed), turns, seed)
