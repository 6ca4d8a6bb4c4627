"""What the PettingZoo environments return does not change, and invalid arguments are refused."""

import copy
import re

import numpy as np
import pytest

pytest.importorskip("pettingzoo")

import pacman2
from parallel_games import AGENTS, legal, named, same, turns


# Returned values do not change.


@pytest.mark.parametrize("options", [{}, {"action_mask": "info", "black_death": True}], ids=named)
def test_returned_values_never_change(options):
    """Any part of a result that is kept stays unchanged; the rest may be reused."""
    env = pacman2.parallel_env(**options)
    rng = np.random.default_rng(9)
    kept = []
    with_mask = options.get("action_mask", "observation") == "observation"
    for seed in range(20):
        for _, result in turns(env, seed, with_reset=True):
            agent = list(result[0])[int(rng.integers(len(result[0])))]
            seen = result[0][agent]["observation"] if with_mask else result[0][agent]
            parts = [
                result,
                result[0],
                result[-1],
                result[0][agent],
                result[-1][agent],
                seen,
                result[-1][agent]["action_mask"],
                seen[3:],
                seen.T,
                memoryview(seen),
            ]
            part = parts[int(rng.integers(len(parts)))] if rng.random() < 0.7 else None
            kept.append((part, copy.deepcopy(as_arrays(part))))
            del result, seen, parts, part
    for part, was in kept:
        assert same(as_arrays(part), was)


def as_arrays(part):
    return np.asarray(part) if isinstance(part, memoryview) else part


def test_changes_by_callers_do_not_affect_later_turns():
    """Wrappers may modify the returned dicts and arrays."""
    env, plain = pacman2.parallel_env(), pacman2.parallel_env()
    rng = np.random.default_rng(2)

    def spoil(result):
        agent = next(iter(result[0]))
        [
            lambda: result[0].clear(),
            lambda: result[0].pop(agent),
            lambda: result[0].update({agent: "mine"}),
            lambda: result[0].update({"stranger": 1}),
            lambda: result[0][agent].update({"observation": 1}),
            lambda: result[0][agent].pop("action_mask"),
            lambda: result[0][agent].update({"more": 1}),
            lambda: result[-1][agent].update({"more": 1}),
            lambda: result[-1][agent].clear(),
            lambda: result[-1].update({"stranger": 1}),
            lambda: result[0][agent]["observation"].fill(9),
            lambda: result[0][agent]["action_mask"].fill(9),
            lambda: result[0].update({agent: dict(result[0][agent])}),
            lambda: setattr(result[0][agent]["observation"], "shape", (10, 15)),
            lambda: result[0][agent]["observation"].setflags(write=False),
        ][int(rng.integers(15))]()

    for seed in range(20):
        infos = plain.reset(seed=seed)[1]
        spoil(env.reset(seed=seed))
        while plain.agents:
            actions = legal(plain, rng, infos)
            expected = plain.step(actions)
            result = env.step(actions)
            assert same(result, expected)
            assert all(row["observation"].flags.writeable for row in result[0].values())
            spoil(result)
            infos = expected[4]


def test_without_copies_the_values_are_the_same():
    env = pacman2.parallel_env(copy=False, black_death=True)
    other = pacman2.parallel_env(black_death=True)
    for seed in range(5):
        for (_, one), (_, two) in zip(turns(env, seed), turns(other, seed), strict=True):
            assert same(one, two)


# Invalid arguments.


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"player_1": None}, TypeError, "action of player_1: expected a whole number.*, got None"),
        ({"player_1": 1.0}, TypeError, "action of player_1: expected .*, got 1.0"),
        ({"player_1": "1"}, TypeError, "action of player_1: expected .*, got '1'"),
        ({"player_1": np.array([1, 2])}, TypeError, "action of player_1: expected .*, got array"),
        ({"player_3": 9}, ValueError, "action of player_3: expected .* from 0 to 8.*, got 9"),
        ({"player_3": -1}, ValueError, "action of player_3: expected .* from 0 to 8.*, got -1"),
        ({"player_3": 1 << 70}, ValueError, "action of player_3: expected .* from 0 to 8, got"),
        ({"player_4": 0}, ValueError, "actions: expected .*\"player_0\" to .*, got one of 'player_4'"),
        ({0: 0}, ValueError, "actions: expected .*, got one of 0"),
    ],
)
def test_invalid_actions_are_rejected(change, error, match):
    env = pacman2.parallel_env()
    env.reset(seed=1)
    with pytest.raises(error, match=match):
        env.step(dict.fromkeys(AGENTS, 0) | change)
    assert env.game.turn == 0
    env.step(dict.fromkeys(AGENTS, 0))


def test_actions_of_any_integer_type():
    for kind in (int, bool, np.int8, np.uint8, np.int32, np.int64, np.array):
        env = pacman2.parallel_env()
        env.reset(seed=1)
        env.step({agent: kind(0) for agent in AGENTS})
        assert env.game.turn == 1


def test_actions_for_the_wrong_players():
    env = pacman2.parallel_env()
    env.reset(seed=1)
    with pytest.raises(ValueError, match='got none for "player_1", "player_3"'):
        env.step({"player_0": 0, "player_2": 0})
    with pytest.raises(TypeError, match=r"actions: expected a dict .*, got \[0, 0, 0, 0\]"):
        env.step([0, 0, 0, 0])
    illegal = int(np.flatnonzero(~env.game.action_mask()[1])[0])
    env.step(dict.fromkeys(AGENTS, 0) | {"player_1": illegal})
    # Actions of dead players are ignored but must be valid numbers.
    env.step(dict.fromkeys(AGENTS, 0))
    with pytest.raises(ValueError, match="action of player_1: expected .*, got 10"):
        env.step(dict.fromkeys(AGENTS, 0) | {"player_1": 10})


def test_steps_at_the_wrong_time():
    env = pacman2.parallel_env(max_cycles=1)
    for ask in (lambda: env.step({}), env.state, lambda: env.game):
        with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
            ask()
    assert env.agents == [] and env.num_agents == 0 and env.max_num_agents == 4
    env.reset(seed=1)
    env.step(dict.fromkeys(AGENTS, 0))
    with pytest.raises(RuntimeError, match=r"the game is over; call reset\(\)"):
        env.step(dict.fromkeys(AGENTS, 0))
    assert env.step({}) == ({}, {}, {}, {}, {})


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"observation": "pixels"}, ValueError, "observation: expected .*compact.*, got 'pixels'"),
        ({"reward": "money"}, ValueError, "reward: expected .*share.*, got 'money'"),
        ({"action_mask": "face"}, ValueError, "action_mask: expected \"observation\", \"info\", got 'face'"),
        ({"render_mode": "film"}, ValueError, "render_mode: expected .*, got 'film'"),
        ({"max_cycles": 0}, ValueError, "max_cycles: expected .*, got 0"),
        ({"max_cycles": 1.5}, TypeError, "max_cycles: expected .*, got 1.5"),
        ({"size": 5}, ValueError, "size: expected .*, got 5"),
        ({"turns": 0}, ValueError, "turns: expected .*, got 0"),
        ({"init_data": "{"}, ValueError, "init_data: expected .*, which is not JSON"),
        ({"sizes": 6}, TypeError, "sizes"),
    ],
)
def test_invalid_options_are_rejected(options, error, match):
    for make in (pacman2.parallel_env, pacman2.env):
        with pytest.raises(error, match=match):
            make(**options)


@pytest.mark.parametrize("make", [pacman2.parallel_env, pacman2.env])
def test_unknown_options_of_a_reset_are_refused(make):
    env = make()
    # PettingZoo's own tests pass the last ones to every environment.
    for fine in (None, {}, {"options": 1}):
        env.reset(seed=3, options=fine)
    for wrong in ({"map": 7}, {"options": 2}, {"options": 1, "map": 7}, {"options": None}):
        expected = f"options: expected None or an empty dict, got {wrong}"
        with pytest.raises(ValueError, match=re.escape(expected)):
            env.reset(seed=4, options=wrong)
    with pytest.raises(TypeError, match="options: expected None or an empty dict, got 'map'"):
        env.reset(seed=5, options="map")
    assert env.unwrapped.game == pacman2.Game(3)


def test_invalid_seeds_are_rejected():
    env = pacman2.parallel_env()
    for wrong, error in ((1 << 32, ValueError), (-(2**31) - 1, ValueError), (0.5, TypeError)):
        with pytest.raises(error, match="seed: expected a whole number from -2147483648 to 4294967295, got"):
            env.reset(seed=wrong)
