"""The engine releases the GIL while it works."""

import threading
import time
from collections.abc import Callable

import pacman2
import pytest

# An engine that held the GIL would let another thread run once or twice, before and after.
FEW = 10


def turns_of_another_thread(work: Callable[[], object]) -> int:
    """Counts how often a thread that sleeps for a millisecond at a time wakes during `work`."""
    worker = threading.Thread(target=work)
    worker.start()
    turns = 0
    while worker.is_alive():
        time.sleep(0.001)
        turns += 1
    return turns


def test_other_threads_run_while_a_bot_thinks() -> None:
    bot, game = pacman2.Bot("sage", simulations=100_000), pacman2.Game(1)
    assert turns_of_another_thread(lambda: bot.act(game, 0)) > FEW


def test_other_threads_run_while_games_begin() -> None:
    pytest.importorskip("gymnasium")
    env = pacman2.VecEnv(32768, maps="fresh", copy=False)
    assert turns_of_another_thread(lambda: env.reset(seed=1)) > FEW
