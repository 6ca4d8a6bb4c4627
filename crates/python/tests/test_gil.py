"""Whoever waits for the engine does not keep the interpreter from others."""

import threading
import time
from collections.abc import Callable

import pacman2
import pytest

# An engine that kept the interpreter would let others have a turn or two, before and after.
FEW = 10


def turns_of_another_thread(work: Callable[[], object]) -> int:
    """How often a thread that sleeps a millisecond each time gets its turn while `work` is done."""
    worker = threading.Thread(target=work)
    worker.start()
    turns = 0
    while worker.is_alive():
        time.sleep(0.001)
        turns += 1
    return turns


def test_a_bot_thinks_beside_others() -> None:
    bot, game = pacman2.Bot("sage", simulations=100_000), pacman2.Game(1)
    assert turns_of_another_thread(lambda: bot.act(game, 0)) > FEW


def test_games_begin_beside_others() -> None:
    pytest.importorskip("gymnasium")
    env = pacman2.VecEnv(8192, maps="fresh", copy=False)
    assert turns_of_another_thread(lambda: env.reset(seed=1)) > FEW
