"""Helpers for the tests of PettingZoo's environments."""

import numpy as np
import pytest

AGENTS = ["player_0", "player_1", "player_2", "player_3"]
VIEWS = ["compact", "planes", "planes_centred"]
REWARDS = ["share", "score", "rank", "zero_sum"]

def some_options():
    for view in VIEWS:
        yield {"observation": view}
    for reward in REWARDS:
        yield {"reward": reward, "action_mask": "info"}
    for black_death in (False, True):
        for kept in (False, True):
            yield {"black_death": black_death, "copy": kept, "max_cycles": 30}


def named(options):
    return ",".join(f"{name}={value}" for name, value in options.items())


every_option = pytest.mark.parametrize("options", list(some_options()), ids=named)


def seat(agent):
    return AGENTS.index(agent)


def legal(env, rng, infos):
    """Returns a legal action for each agent, or occasionally any action."""
    actions = {}
    for agent in env.agents:
        mask = infos[agent]["action_mask"]
        wild = mask.sum() > 1 and rng.random() < 0.01
        actions[agent] = int(rng.integers(9) if wild else rng.choice(np.flatnonzero(mask)))
    return actions


def turns(env, seed, with_reset=False):
    """Plays a game: yields the actions and the result of each step until no agent is left."""
    rng = np.random.default_rng(seed)
    observations, infos = env.reset(seed=seed)
    if with_reset:
        yield None, (observations, infos)
    while env.agents:
        actions = legal(env, rng, infos)
        result = env.step(actions)
        infos = result[4]
        yield actions, result


def shares(strength):
    """Returns each player's share of the total strength; a total of 0 counts as 1."""
    return strength / (strength.sum() or 1)


def same(one, other):
    """Whether two structures of dicts, tuples, arrays and numbers are equal."""
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and np.array_equal(one, other)
