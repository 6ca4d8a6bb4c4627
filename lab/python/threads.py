"""Measures what two threads of a `VecEnv` cost and save.

    python lab/python/threads.py

One thread and two play the same turns in rounds by turns. For each size the table shows the best
round of each: the time of a step by the clock, and its CPU time in all threads. Two threads save
time by the clock and cost CPU time for waking and waiting; they pay while they save more than they
cost.
"""

import argparse
import time

import pacman2

SIZES = (64, 256, 1024, 2048, 4096, 8192, 16384)


def spread(games, threads, observation):
    """Returns games that have spread over all phases of a game, and some of their turns."""
    env = pacman2.VecEnv(games, seed=1, observation=observation, copy=False, threads=threads)
    env.reset()
    for _ in range(60):
        env.step(env.random_actions())
    return env, env.get_state()


def time_of(env, state, turns):
    """Returns the microseconds by the clock and of CPU time of a step."""
    env.set_state(state)
    actions = []
    for _ in range(turns):
        actions.append(env.random_actions())
        env.step(actions[-1])
    env.set_state(state)
    clock, cpu = time.perf_counter(), time.process_time()
    for chosen in actions:
        env.step_fast(chosen)
    clock, cpu = time.perf_counter() - clock, time.process_time() - cpu
    return clock / turns * 1e6, cpu / turns * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--observation", default="compact")
    parser.add_argument("--rounds", type=int, default=15)
    args = parser.parse_args()
    heads = ("clock, 1", "clock, 2", "saves", "CPU, 1", "CPU, 2", "costs")
    print(f"{'games':>6}" + "".join(f"{head + ' (µs)':>16}" for head in heads))
    for games in SIZES:
        turns = max(8, min(200, 100_000 // games))
        contenders = [spread(games, threads, args.observation) for threads in (1, 2)]
        rounds = [
            [time_of(env, state, turns) for env, state in contenders] for _ in range(args.rounds)
        ]
        (clock_1, cpu_1), (clock_2, cpu_2) = (
            [min(times[number][kind] for times in rounds) for kind in (0, 1)] for number in (0, 1)
        )
        numbers = (clock_1, clock_2, clock_1 - clock_2, cpu_1, cpu_2, cpu_2 - cpu_1)
        print(f"{games:6}" + "".join(f"{number:16.1f}" for number in numbers))


if __name__ == "__main__":
    main()
