"""Memory of ``pacman2.VecEnv``: copies, the caller's arrays, threads, forks; and other threads while the engine works."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing import shared_memory

import numpy as np
import pacman2
import pytest

pytest.importorskip("gymnasium")


def played(env: pacman2.VecEnv, turns: int) -> list[np.ndarray]:
    """Plays at random and returns all actions and results, turn by turn."""
    results = []
    for _ in range(turns):
        actions = env.random_actions()
        observations, rewards, terminations, _, infos = env.step(actions)
        results += [actions, observations, rewards, terminations, infos["action_mask"]]
    return results


def test_copies_never_change() -> None:
    env = pacman2.VecEnv(3, seed=2, autoreset_mode="SameStep", turns=4)
    kept = [list(env.reset())]
    for _ in range(9):
        kept.append(list(env.step(env.random_actions())))

    def arrays(value) -> list[np.ndarray]:
        if isinstance(value, np.ndarray):
            return [value]
        parts = value.values() if isinstance(value, dict) else value
        return [array for part in parts for array in arrays(part)]

    before = [array.copy() for array in arrays(kept)]
    played(env, 9)
    env.reset(seed=3)
    for array, value in zip(arrays(kept), before):
        np.testing.assert_array_equal(array, value)
        assert not any(np.shares_memory(array, own) for own in env.arrays.values())


def test_without_copies_the_arrays_are_always_the_same() -> None:
    env = pacman2.VecEnv(3, seed=2, copy=False)
    observations, infos = env.reset()
    first, second = env.step(env.random_actions()), env.step(env.random_actions())
    fast = env.step_fast(env.random_actions())
    for one, other, third in zip(first, second, fast):
        assert one is other is third
    assert observations is first[0] is env.arrays["observations"]
    assert infos is first[4] and infos["alive"] is env.alive
    for name, array in env.arrays.items():
        view = getattr(env.by_game, name)
        assert view.shape == (3, 4, *array.shape[1:]) and np.shares_memory(view, array)


def wanted_buffers(env: pacman2.VecEnv) -> dict[str, np.ndarray]:
    return {name: np.empty(array.shape, array.dtype) for name, array in env.arrays.items()}


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_buffers_are_written_in_place(mode: str) -> None:
    reference = pacman2.VecEnv(3, seed=6, turns=5, autoreset_mode=mode)
    buffers = wanted_buffers(reference)
    env = pacman2.VecEnv(3, seed=6, turns=5, autoreset_mode=mode, buffers=buffers, copy=False)
    for name, array in buffers.items():
        assert env.arrays[name] is array
    for _ in range(12):
        reference.step(reference.random_actions())
        env.step(env.random_actions())
        for name, array in buffers.items():
            if name != "final_observations":
                np.testing.assert_array_equal(array, reference.arrays[name])


# Plays five turns in a process of its own, whose observations are in shared memory.
WRITER = """
import sys
from multiprocessing import resource_tracker, shared_memory

import numpy as np
import pacman2

# Otherwise this process would remove the memory, which is the test's.
resource_tracker.register = lambda *_: None
count = int(sys.argv[2])
memory = shared_memory.SharedMemory(sys.argv[1])
observations = np.ndarray((4 * count, 150), np.uint8, memory.buf)
env = pacman2.VecEnv(count, seed=6, buffers={"observations": observations}, copy=False)
for _ in range(5):
    env.step(env.random_actions())
del env, observations
memory.close()
"""


def test_shared_memory() -> None:
    count = 5
    expected = pacman2.VecEnv(count, seed=6)
    played(expected, 5)
    memory = shared_memory.SharedMemory(create=True, size=count * 4 * 150)
    try:
        subprocess.run([sys.executable, "-c", WRITER, memory.name, str(count)], check=True)
        observations = np.ndarray((4 * count, 150), np.uint8, memory.buf)
        np.testing.assert_array_equal(observations, expected.arrays["observations"])
        del observations
    finally:
        memory.close()
        memory.unlink()


def bad_buffers() -> list[tuple[dict, type[Exception], str]]:
    block = np.zeros(4096, np.uint8)
    frozen = np.zeros(12, np.float32)
    frozen.flags.writeable = False
    unaligned = np.zeros(49, np.uint8)[1:].view(np.float32)
    return [
        ({"observation": block}, ValueError, "buffers: expected the names observations, .*, got 'observation'"),
        ({"final_observations": block}, ValueError, "buffers: expected .*, got 'final_observations'"),
        ({"rewards": [0.0] * 12}, TypeError, r'buffers\["rewards"\]: expected a numpy.ndarray .*, got \[0.0'),
        ({"rewards": np.zeros(12)}, ValueError, "expected the dtype float32, got float64"),
        ({"rewards": np.zeros(12, ">f4")}, ValueError, "expected the dtype float32, got >f4"),
        ({"alive": np.zeros(12, np.int8)}, ValueError, "expected the dtype bool or uint8, got int8"),
        ({"rewards": np.zeros(13, np.float32)}, ValueError, r"expected the shape \(12,\), got \(13,\)"),
        (
            {"action_mask": np.zeros((9, 12), bool)},
            ValueError,
            r"expected the shape \(12, 9\), got \(9, 12\)",
        ),
        ({"rewards": np.zeros(24, np.float32)[::2]}, ValueError, "not C-contiguous"),
        ({"action_mask": np.zeros((9, 12), bool).T}, ValueError, "not C-contiguous"),
        ({"rewards": frozen}, ValueError, "read-only"),
        ({"rewards": unaligned}, ValueError, "not aligned"),
        (
            {"alive": block[:12], "ended": block[11:23]},
            ValueError,
            r'memory of its own .*, got "alive" and "ended" overlap',
        ),
        ({"rewards": block[:48].view(np.float32), "rank": block[4:16]}, ValueError, "overlap"),
    ]


@pytest.mark.parametrize("case", range(len(bad_buffers())))
def test_invalid_buffers_are_rejected(case: int) -> None:
    buffers, error, message = bad_buffers()[case]
    with pytest.raises(error, match=message):
        pacman2.VecEnv(3, buffers=buffers)


def test_buffers_side_by_side_in_one_block() -> None:
    block = np.zeros(100, np.uint8)
    buffers = {
        "alive": block[:12].view(bool),
        "rank": block[12:24],
        "rewards": block[24:72].view("f4"),
    }
    env = pacman2.VecEnv(3, seed=1, buffers=buffers)
    env.step(env.random_actions())
    assert block[:12].all() and not block[72:].any()


def test_a_resized_buffer_is_detected() -> None:
    rewards = np.zeros(12, np.float32)
    env = pacman2.VecEnv(3, buffers={"rewards": rewards})
    rewards.resize(4096, refcheck=False)
    with pytest.raises(RuntimeError, match="rewards was resized"):
        env.step(env.random_actions())


def test_concurrent_threads_are_rejected_or_wait() -> None:
    env = pacman2.VecEnv(4096, seed=1)
    actions, errors, steps = env.random_actions(), [], []

    def play() -> None:
        for _ in range(30):
            try:
                env.step_fast(actions)
                steps.append(1)
            except RuntimeError as error:
                errors.append(str(error))

    threads = [threading.Thread(target=play) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(steps) + len(errors) == 120 and steps
    assert all("in use by another thread" in error for error in errors)
    env.step(env.random_actions())


@pytest.mark.skipif(sys.platform == "win32", reason="fork is not available")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_threads_after_a_fork() -> None:
    # So many planes that threads work.
    env = pacman2.VecEnv(2048, seed=1, maps=3, observation="planes", threads=2)
    state = env.get_state()
    expected = played(env, 5)
    env.set_state(state)
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(
        target=lambda: sender.send([array.tobytes() for array in played(env, 5)])
    )
    process.start()
    assert receiver.poll(60)
    assert receiver.recv() == [array.tobytes() for array in expected]
    process.join()
    for one, other in zip(played(env, 5), expected):
        np.testing.assert_array_equal(one, other)


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
    env = pacman2.VecEnv(32768, maps="fresh", copy=False)
    assert turns_of_another_thread(lambda: env.reset(seed=1)) > FEW
