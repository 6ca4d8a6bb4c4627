"""How fast the package's environments are, beside PufferLib's rware and Gymnasium's CartPole.

    python crates/python/benches/speed.py            # a table
    python crates/python/benches/speed.py --json     # the same for programs
    python crates/python/benches/speed.py --only vec --rounds 20

All run in this one process on one thread, with random actions that were drawn before the clock
started, and take turns: a round gives each of them the same short time. So what else the machine
does hits them alike, and ratios hold better than the figures themselves. A figure is the median of
its rounds, with the best beside it.

A step of an environment is one turn of one game, a step of an agent that of one of its players.
rware has four agents, CartPole one. What is measured writes observations, and ours masks, too.
"""

import argparse
import json
import platform
import random
import statistics
import time
from dataclasses import dataclass
from typing import Callable

import gymnasium
import numpy as np

import pacman2
import peers

GAMES = 1024
AGENTS = 4
DRAWN = 256  # steps whose actions are drawn beforehand, and repeated
SEED = 1


@dataclass
class Contender:
    """Something that is measured: `run(first, count)` makes so many calls, from the first on."""

    name: str
    run: Callable[[int, int], None]
    turns: float = 1  # of a call
    agents: int = AGENTS


def contenders():
    """All that are measured: a name, and what makes it ready or raises `NotBuilt`."""
    return {
        f"VecEnv compact, {GAMES} games": lambda name: vec(name, "compact", GAMES),
        f"VecEnv planes, {GAMES} games": lambda name: vec(name, "planes", GAMES),
        "VecEnv compact, 1 game": lambda name: vec(name, "compact", 1),
        f"VecEnv compact, {GAMES}, copies": lambda name: vec(name, "compact", GAMES, copy=True),
        "Game.step": game_step,
        "parallel_env": parallel_env,
        "SoloEnv": solo_env,
        f"PufferLib rware, {GAMES} envs": rware,
        f"Gymnasium CartPole, {GAMES} envs": cart_pole,
    }


def draw(choices, *shape):
    return np.random.default_rng(SEED).integers(0, choices, shape)


def with_each(step, inputs):
    """Calls with one input after another, and then again."""

    def run(first, count):
        for n in range(first, first + count):
            step(inputs[n % len(inputs)])

    return run


def vec(name, observation, games, copy=False):
    env = pacman2.VecEnv(games, observation=observation, seed=SEED, copy=copy)
    env.reset(seed=SEED)
    actions = list(draw(9, DRAWN, games * AGENTS).astype(np.uint8))
    step = env.step if copy else env.step_fast
    return Contender(name, with_each(step, actions), games)


def game_step(name):
    """Whole games of legal actions, one after another; each is a copy of the first position."""
    start = pacman2.Game(SEED)

    def play(turns):
        step = start.clone().step
        for actions in turns:
            step(actions)

    games = [random_game(start, seed) for seed in range(DRAWN)]
    return Contender(name, with_each(play, games), sum(map(len, games)) / len(games))


def random_game(start, seed):
    """The actions of a game in which everybody chooses among what is legal."""
    game, dice, turns = start.clone(), random.Random(seed), []
    while not game.is_over:
        legal = [game.legal_actions(seat) or [0] for seat in range(AGENTS)]
        turns.append(tuple(dice.choice(actions) for actions in legal))
        game.step(turns[-1])
    return turns


def parallel_env(name):
    """PettingZoo's dicts. Random actions kill quickly, so that resets are a part of it."""
    env = pacman2.parallel_env()
    env.reset(seed=SEED)

    def step(actions):
        if not env.agents:
            env.reset()
        env.step({agent: actions[agent] for agent in env.agents})

    drawn = [dict(zip(env.possible_agents, four)) for four in draw(9, DRAWN, AGENTS).tolist()]
    return Contender(name, with_each(step, drawn))


def solo_env(name):
    """One player against three of `random`, the quickest built-in bot."""
    env = pacman2.SoloEnv(opponents="random")
    env.reset(seed=SEED)

    def step(action):
        _, _, terminated, _, _ = env.step(action)
        if terminated:
            env.reset()

    return Contender(name, with_each(step, draw(9, DRAWN).tolist()))


def cart_pole(name):
    env = gymnasium.make_vec("CartPole-v1", GAMES, vectorization_mode="vector_entry_point")
    env.reset(seed=SEED)
    return Contender(name, with_each(env.step, list(draw(2, DRAWN, GAMES))), GAMES, 1)


def rware(name):
    """As the class `Rware` of PufferLib does it, but for the statistics that it gathers."""
    binding = peers.rware()
    rows = GAMES * AGENTS
    shapes = [(rows, 27), rows, rows, rows, rows]
    dtypes = [np.float32, np.int32, np.float32, bool, bool]
    arrays = [np.zeros(shape, dtype) for shape, dtype in zip(shapes, dtypes)]
    handles = []
    for env in range(GAMES):
        own = [array[env * AGENTS : (env + 1) * AGENTS] for array in arrays]
        numbers = dict(width=1280, height=640, map_choice=1, num_agents=AGENTS)
        numbers |= dict(num_requested_shelves=4, grid_square_size=64, human_agent_idx=0)
        handles.append(binding.env_init(*own, env + SEED * GAMES, **numbers))
    envs = binding.vectorize(*handles)
    binding.vec_reset(envs, SEED)

    def step(actions):
        arrays[1][:] = actions
        binding.vec_step(envs)

    return Contender(name, with_each(step, list(draw(5, DRAWN, rows).astype(np.int32))), GAMES)


def measure(everybody, rounds, seconds):
    """Turns a second of each, round by round; they take turns within a round."""
    speeds = {contender.name: [] for contender in everybody}
    made = dict.fromkeys(speeds, 0)
    for round_number in range(rounds + 1):
        for contender in everybody:
            calls, spent = run_for(contender, made[contender.name], seconds)
            made[contender.name] += calls
            # The first round warms up: pages, caches, maps that are made when they are wanted.
            if round_number:
                speeds[contender.name].append(calls * contender.turns / spent)
    return speeds


def run_for(contender, first, seconds):
    """Makes calls for so long: how many, and how long it took."""
    # The clock takes a while, too: it is looked at every few calls.
    at_once = max(1, 128 // int(contender.turns))
    calls, began = 0, time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds:
        contender.run(first + calls, at_once)
        calls += at_once
    return calls, spent


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.3, help="of each in a round")
    parser.add_argument("--only", help="those whose name contains this")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()

    ready, missing = [], {}
    for name, prepare in contenders().items():
        if args.only and args.only.lower() not in name.lower():
            continue
        try:
            ready.append(prepare(name))
        except peers.NotBuilt as reason:
            missing[name] = str(reason)
    speeds = measure(ready, args.rounds, args.seconds)
    results = [result(contender, speeds[contender.name]) for contender in ready]
    for told in results:
        told["ratios"] = {
            other["name"]: told["median"] / other["median"] for other in results if is_peer(other)
        }
    if args.json:
        machine = {"machine": platform.platform(), "python": platform.python_version()}
        report = {"version": pacman2.__version__, **machine, "rounds": args.rounds}
        print(json.dumps({**report, "results": results, "not_measured": missing}, indent=1))
    else:
        print_table(results, missing)


def result(contender, speeds):
    median, best = statistics.median(speeds), max(speeds)
    return {
        "name": contender.name,
        "median": median,
        "best": best,
        "agents_median": median * contender.agents,
        "ns_per_turn": 1e9 / median,
    }


def is_peer(told):
    return told["name"].startswith(("PufferLib", "Gymnasium"))


def print_table(results, missing):
    peers_there = [told["name"] for told in results if is_peer(told)]
    heads = ["steps/s", "best", "agent steps/s", "ns a step"]
    heads += [f"× {name.split()[1].rstrip(',')}" for name in peers_there]
    print(f"{'':32}" + "".join(f"{head:>15}" for head in heads))
    for told in results:
        numbers = [told["median"], told["best"], told["agents_median"]]
        row = "".join(f"{number / 1e6:13.3f} M" for number in numbers)
        row += f"{told['ns_per_turn']:15.1f}"
        row += "".join(f"{told['ratios'][name]:15.2f}" for name in peers_there)
        print(f"{told['name']:32}{row}")
    for name, reason in missing.items():
        print(f"{name}: not measured: {reason}")


if __name__ == "__main__":
    main()
