"""Measures the speed of the package's environments, PufferLib's rware and Gymnasium's CartPole.

    pip install ".[pettingzoo]"                      # in a fresh environment, from the checkout
    python lab/python/speed.py                       # prints a table
    python lab/python/speed.py --json                # prints JSON
    python lab/python/speed.py --only vec --rounds 20

All contenders run in one process on one thread, with random actions drawn before the clock starts.
They take turns in rounds, and each gets the same short time in a round. Other load on the machine
then affects all of them alike, so the ratios are more reliable than the figures themselves. A
figure is the median over the rounds; the table also shows the best round.

A step of an environment is one turn of one game; a step of an agent is a turn of one of its
players. rware has four agents, CartPole has one. All contenders write observations; ours also
write masks.

Our random actions are legal, so that games have a realistic length; they are recorded beforehand in
the same games. With actions drawn from all nine, players die within a few turns, which measures
mainly how games begin; the table has a separate line for this. rware and CartPole have no illegal
actions.
"""

import argparse
import json
import platform
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

try:
    import gymnasium
    import pettingzoo  # noqa: F401
except ImportError as error:
    raise SystemExit(f"{error}; install what is measured: pip install '.[pettingzoo]'") from None

import pacman2
import peers

GAMES = 1024
AGENTS = 4
SEED = 1


@dataclass
class Contender:
    """Something to measure: `run()` plays `turns` turns, counted over all games."""

    name: str
    run: Callable[[], None]
    turns: int
    agents: int = AGENTS
    # Returns to the state in which the actions were recorded; not measured.
    rewind: Callable[[], None] = lambda: None


def contenders(instruction_set):
    """Returns all contenders by name, as functions that prepare them or raise `NotBuilt`."""

    def vec(name, *arguments, **options):
        return vec_env(name, *arguments, **options, instruction_set=instruction_set)

    return {
        f"VecEnv compact, {GAMES} games": lambda name: vec(name, "compact", GAMES, 128),
        f"VecEnv planes, {GAMES} games": lambda name: vec(name, "planes", GAMES, 128),
        f"VecEnv compact, {GAMES}, fresh maps": lambda name: vec(name, "compact", GAMES, 128, maps="fresh"),
        "VecEnv compact, 1 game": lambda name: vec(name, "compact", 1, 16384),
        f"VecEnv compact, {GAMES}, copies": lambda name: vec(name, "compact", GAMES, 128, True),
        f"VecEnv compact, {GAMES}, any of 9": lambda name: deadly(name, instruction_set),
        f"random_actions, {GAMES} games": lambda name: random_actions(name, instruction_set),
        f"sample(logits), {GAMES} games": lambda name: sample(name, instruction_set),
        "Game.step": game_step,
        "parallel_env": parallel_env,
        "env (agent by agent)": agent_env,
        "SoloEnv": solo_env,
        f"PufferLib rware, {GAMES} envs": rware,
        f"Gymnasium CartPole, {GAMES} envs": cart_pole,
    }


def with_each(step, inputs):
    """Returns a function that calls `step` with each input in order."""

    def run():
        for one in inputs:
            step(one)

    return run


def draw(choices, *shape):
    return np.random.default_rng(SEED).integers(0, choices, shape)


def spread(games, **options):
    """Returns games that have spread over all phases of a game."""
    env = pacman2.VecEnv(games, seed=SEED, **options)
    env.reset()
    for _ in range(100):
        env.step(env.random_actions())
    return env


def vec_env(name, observation, games, steps, copy=False, **options):
    env = spread(games, observation=observation, copy=copy, **options)
    start = env.get_state()
    recorded = []
    for _ in range(steps):
        recorded.append(env.random_actions())
        env.step(recorded[-1])
    step = env.step if copy else env.step_fast
    run = with_each(step, recorded)
    return Contender(name, run, steps * games, rewind=lambda: env.set_state(start))


def deadly(name, instruction_set):
    env = pacman2.VecEnv(GAMES, seed=SEED, copy=False, instruction_set=instruction_set)
    env.reset()
    actions = list(draw(9, 128, GAMES * AGENTS).astype(np.uint8))
    return Contender(name, with_each(env.step_fast, actions), len(actions) * GAMES)


def random_actions(name, instruction_set):
    """Measures drawing the actions of one turn, uniformly."""
    env = spread(GAMES, instruction_set=instruction_set)
    out = np.zeros(env.num_envs, np.uint8)
    return Contender(name, with_each(env.random_actions, [out] * 128), 128 * GAMES)


def sample(name, instruction_set):
    """Measures drawing the actions of one turn from logits, with their log-probabilities."""
    env = spread(GAMES, instruction_set=instruction_set)
    out, log_prob = np.zeros(env.num_envs, np.uint8), np.zeros(env.num_envs, np.float32)
    normal = np.random.default_rng(SEED).standard_normal
    logits = [normal((env.num_envs, 9), np.float32) for _ in range(8)]
    return Contender(
        name, with_each(lambda given: env.sample(given, out, log_prob), logits * 16), 128 * GAMES
    )


def game_step(name):
    """Measures whole games in sequence, each on a copy of the first position."""
    start, games = pacman2.Game(SEED), []
    for seed in range(64):
        game, dice, turns = start.clone(), random.Random(seed), []
        while not game.is_over:
            legal = [game.legal_actions(seat) or [0] for seat in range(AGENTS)]
            turns.append(tuple(dice.choice(actions) for actions in legal))
            game.step(turns[-1])
        games.append(turns)

    def play(turns):
        step = start.clone().step
        for actions in turns:
            step(actions)

    return Contender(name, with_each(play, games), sum(map(len, games)))


def parallel_env(name):
    """Measures whole games with PettingZoo's dicts, including the reset with a seed."""
    env, games = pacman2.parallel_env(), []
    for seed in range(32):
        observations, _ = env.reset(seed=seed)
        dice, turns = random.Random(seed), []
        while env.agents:
            masks = {agent: observations[agent]["action_mask"] for agent in env.agents}
            chosen = {
                agent: dice.choice(mask.nonzero()[0].tolist()) for agent, mask in masks.items()
            }
            turns.append(chosen)
            observations, *_ = env.step(chosen)
        games.append((seed, turns))

    def play(game):
        seed, turns = game
        env.reset(seed=seed)
        for actions in turns:
            env.step(actions)

    return Contender(name, with_each(play, games), sum(len(turns) for _, turns in games))


def agent_env(name):
    """Measures whole games in PettingZoo's usual loop over agents. A turn is a choice of each."""
    games, turns = [], 0
    env = pacman2.env()
    for seed in range(32):
        env.reset(seed=seed)
        dice, actions = random.Random(seed), []
        for agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            legal = observation["action_mask"].nonzero()[0].tolist()
            actions.append(None if terminated or truncated else dice.choice(legal))
            env.step(actions[-1])
        games.append((seed, actions))
        turns += env.unwrapped.game.turn

    def play(game):
        seed, actions = game
        env.reset(seed=seed)
        for _, action in zip(env.agent_iter(), actions):
            env.last()
            env.step(action)

    return Contender(name, with_each(play, games), turns)


def solo_env(name):
    """Measures whole games against three `random`, the fastest built-in bot."""
    env, games = pacman2.SoloEnv(opponents="random"), []
    for seed in range(32):
        _, info = env.reset(seed=seed)
        dice, actions, terminated = random.Random(seed), [], False
        while not terminated:
            actions.append(dice.choice(info["action_mask"].nonzero()[0].tolist()))
            _, _, terminated, _, info = env.step(actions[-1])
        games.append((seed, actions))

    def play(game):
        seed, actions = game
        env.reset(seed=seed)
        for action in actions:
            env.step(action)

    return Contender(name, with_each(play, games), sum(len(actions) for _, actions in games))


def cart_pole(name):
    env = gymnasium.make_vec("CartPole-v1", GAMES, vectorization_mode="vector_entry_point")
    env.reset(seed=SEED)
    actions = list(draw(2, 128, GAMES))
    return Contender(name, with_each(env.step, actions), len(actions) * GAMES, agents=1)


def rware(name):
    """Measures rware as PufferLib's class `Rware` runs it, but without its statistics."""
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

    actions = list(draw(5, 128, rows).astype(np.int32))
    return Contender(name, with_each(step, actions), len(actions) * GAMES)


def measure(ready, rounds, seconds, clock):
    """Returns the turns per second of each contender, round by round."""
    speeds = {contender.name: [] for contender in ready}
    for round_number in range(rounds + 1):
        for contender in ready:
            speed = speed_of(contender, seconds, clock)
            # The first round warms up pages, caches and lazily generated maps.
            if round_number:
                speeds[contender.name].append(speed)
    return speeds


def speed_of(contender, seconds, clock):
    """Plays for the given time and returns the turns per second."""
    turns, spent = 0, 0.0
    while spent < seconds:
        contender.rewind()
        began = clock()
        contender.run()
        spent += clock() - began
        turns += contender.turns
    return turns / spent


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9, help="number of rounds [default: 9]")
    parser.add_argument(
        "--seconds", type=float, default=0.3, help="time per contender and round [default: 0.3]"
    )
    parser.add_argument("--only", help="measure only contenders whose name contains this text")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--cpu-time", action="store_true", help="measure CPU time of this thread, not wall time"
    )
    parser.add_argument(
        "--instruction-set",
        metavar="NAME",
        help="instruction set of VecEnv: portable, neon or avx2 [default: the fastest]",
    )
    args = parser.parse_args()

    ready, missing = [], {}
    for name, prepare in contenders(args.instruction_set).items():
        if args.only and args.only.lower() not in name.lower():
            continue
        try:
            ready.append(prepare(name))
        except peers.NotBuilt as reason:
            missing[name] = str(reason)
    clock = time.thread_time if args.cpu_time else time.perf_counter
    speeds = measure(ready, args.rounds, args.seconds, clock)
    results = [result(contender, speeds[contender.name]) for contender in ready]
    for measured in results:
        measured["ratios"] = {
            other["name"]: measured["median"] / other["median"] for other in results if is_peer(other)
        }
    if args.json:
        machine = {"machine": platform.platform(), "python": platform.python_version()}
        report = {
            "version": pacman2.__version__,
            **machine,
            "rounds": args.rounds,
            "cpu_time": args.cpu_time,
            "instruction_set": args.instruction_set,
        }
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


def is_peer(measured):
    return measured["name"].startswith(("PufferLib", "Gymnasium"))


def print_table(results, missing):
    peers_there = [measured["name"] for measured in results if is_peer(measured)]
    heads = ["steps/s", "best", "agent steps/s", "ns per step"]
    heads += [f"× {name.split()[1].rstrip(',')}" for name in peers_there]
    print(f"{'':34}" + "".join(f"{head:>15}" for head in heads))
    for measured in results:
        numbers = [measured["median"], measured["best"], measured["agents_median"]]
        row = "".join(f"{number / 1e6:13.3f} M" for number in numbers)
        row += f"{measured['ns_per_turn']:15.1f}"
        row += "".join(f"{measured['ratios'][name]:15.2f}" for name in peers_there)
        print(f"{measured['name']:34}{row}")
    for name, reason in missing.items():
        print(f"{name}: not measured: {reason}")


if __name__ == "__main__":
    main()
