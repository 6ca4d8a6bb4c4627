"""Which part of a cluster run is the limit at which size, by simulation of the driver's rules.

    python lab/python/cluster_limits.py

The clock is simulated: nodes play blocks, the driver passes results on one after another, and the coordinator
records them one after another, with the costs below, which were measured (docs/SCALE.md says how). Sizes of
blocks and games in flight follow the rules of `pacman2.cluster.driver`.
"""

from __future__ import annotations

import argparse
import heapq
import math
import random
from dataclasses import dataclass

from pacman2.cluster.driver import MAX_GAMES, MAX_RESULT_BYTES
from pacman2.cluster.__main__ import SEQUENTIAL_AHEAD, SEQUENTIAL_TASK_SECONDS, TASK_SECONDS

#: Seconds: to start a task and its program; of the driver for a task and for a game; to record a game.
TASK_START = 0.4
DRIVER_PER_TASK = 2e-3
DRIVER_PER_GAME = 350e-6
RECORD = 2.0e-3
#: Compressed bytes of a result.
RESULT_BYTES = 3_000
#: The spread of the length of games, as that of the logarithm.
SPREAD = 0.5


@dataclass(frozen=True)
class Run:
    """A run to be simulated."""

    cores: int
    games: int
    seconds_per_game: float
    #: How many games there are between points at which all results have to be known; 0 is all.
    stage: int = 0
    task_seconds: float = TASK_SECONDS
    ahead: float = 3.0
    #: Only this many games are needed, as the test then knows.
    needed: int | None = None


@dataclass(frozen=True)
class Outcome:
    """What came of it."""

    seconds: float
    #: The share of time that the cores played.
    busy: float
    recorder: float
    driver: float
    tasks: int
    wasted: int


def simulate(run: Run, seed: int = 1) -> Outcome:
    """Returns what came of a run."""
    rng = random.Random(seed)
    size = MAX_RESULT_BYTES / (run.ahead * run.cores) / RESULT_BYTES
    target = max(1, int(min(MAX_GAMES, run.task_seconds / run.seconds_per_game, size)))
    slots = math.ceil(run.ahead * run.cores * target)
    needed = run.games if run.needed is None else run.needed
    stage = run.stage or run.games
    free, begun, recorded, tasks = run.cores, 0, 0, 0
    driver_free = recorder_free = driver_busy = recorder_busy = played = now = 0.0
    # Ends of blocks, and records of blocks: time, kind, games.
    events: list[tuple[float, int, int]] = []
    while recorded < min(needed, run.games):
        limit = min(run.games, (recorded // stage + 1) * stage, recorded + slots)
        while free and begun < limit:
            waiting = limit - begun
            count = max(1, min(target, math.ceil(waiting / (2 * run.cores)), waiting))
            driver_free = max(driver_free, now) + DRIVER_PER_TASK
            driver_busy += DRIVER_PER_TASK
            length = sum(
                run.seconds_per_game * rng.lognormvariate(-SPREAD**2 / 2, SPREAD) for _ in range(count)
            )
            played += length
            heapq.heappush(events, (driver_free + TASK_START + length, 0, count))
            free, begun, tasks = free - 1, begun + count, tasks + 1
        now, kind, count = heapq.heappop(events)
        if kind == 0:
            free += 1
            driver_free = max(driver_free, now) + count * DRIVER_PER_GAME
            driver_busy += count * DRIVER_PER_GAME
            recorder_free = max(recorder_free, driver_free) + count * RECORD
            recorder_busy += count * RECORD
            heapq.heappush(events, (recorder_free, 1, count))
        else:
            recorded += count
    return Outcome(
        now, played / (run.cores * now), recorder_busy / now, driver_busy / now, tasks, begun - needed
    )


def main() -> None:
    """Prints the tables of docs/SCALE.md."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.parse_args()
    print("| cores | games of 1 s: cores busy | recorder busy | driver busy | games of 10 s: cores busy | recorder busy |")
    print("|---:|---:|---:|---:|---:|---:|")
    for cores in (2, 16, 64, 256, 1024, 4096):
        short, long = (
            simulate(Run(cores, int(min(cores * 600 / seconds, 2_000_000)), seconds)) for seconds in (1.0, 10.0)
        )
        print(
            f"| {cores} | {short.busy:.0%} | {short.recorder:.0%} | {short.driver:.0%} | {long.busy:.0%} | {long.recorder:.0%} |"
        )
    print("\n| cores | Swiss or matchmaking, 1,000 bots: cores busy | of 100 bots | compare, 1,000 games: wasted |")
    print("|---:|---:|---:|---:|")
    for cores in (2, 16, 64, 256, 1024):
        # A round, and a stage of matchmaking, has a block of four games for each four bots.
        swiss = simulate(Run(cores, 20 * 1000, 3.0, stage=1000))
        small = simulate(Run(cores, 20 * 100, 3.0, stage=100))
        compare = simulate(
            Run(
                cores,
                1_000_000,
                3.0,
                task_seconds=SEQUENTIAL_TASK_SECONDS,
                ahead=SEQUENTIAL_AHEAD,
                needed=1000,
            )
        )
        share = compare.wasted / (1000 + compare.wasted)
        print(f"| {cores} | {swiss.busy:.0%} | {small.busy:.0%} | {compare.wasted} ({share:.0%}) |")


if __name__ == "__main__":
    main()
