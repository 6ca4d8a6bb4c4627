"""The PettingZoo environments: PettingZoo's own tests, play agent by agent, and spaces."""

import copy
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("pettingzoo")

from gymnasium import spaces
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
)
from pettingzoo.test.state_test import state_test
from pettingzoo.utils.conversions import aec_to_parallel, parallel_to_aec_wrapper

import pacman2
from parallel_games import AGENTS, every_option, same, turns

# PettingZoo expects dict observations only from a fixed list of its own environments.
NOISE = [
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
]


# PettingZoo's own tests.


@every_option
@pytest.mark.filterwarnings("error")
def test_parallel_api(options):
    parallel_api_test(pacman2.parallel_env(**options), num_cycles=300)


@every_option
@pytest.mark.filterwarnings("error", *NOISE)
def test_api(options):
    api_test(pacman2.env(**options), num_cycles=60)


@pytest.mark.filterwarnings("error")
def test_api_has_no_warnings_with_array_observations():
    api_test(pacman2.env(action_mask="info"), num_cycles=60)


@every_option
def test_seeds(options):
    parallel_seed_test(lambda: pacman2.parallel_env(**options), num_cycles=50)
    seed_test(lambda: pacman2.env(**options), num_cycles=50)


@pytest.mark.parametrize("black_death", [False, True])
def test_max_cycles(black_death):
    def seeded(env):
        env.reset(seed=5)
        for number, agent in enumerate(AGENTS):
            env.action_space(agent).seed(number)
        return env

    module = SimpleNamespace(
        parallel_env=lambda **kw: seeded(pacman2.parallel_env(black_death=black_death, **kw)),
        env=lambda **kw: seeded(pacman2.env(black_death=black_death, **kw)),
    )
    max_cycles_test(module)


def test_render(capsys):
    is_page = {"html": lambda page: page.lstrip().lower().startswith("<!doctype html")}
    render_test(pacman2.env, custom_tests=is_page)
    assert capsys.readouterr().out.strip()
    env = pacman2.parallel_env(render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == env.game.render("ansi")
    assert pacman2.parallel_env().render_mode is None


def test_state():
    state_test(pacman2.env(), pacman2.parallel_env())


# Agent by agent.


def choices(env, seed):
    """Plays a game agent by agent: yields all that can be seen before each choice."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, info = env.last()
        rewards = {agent: float(reward) for agent, reward in env.rewards.items()}
        outcome = (float(reward), rewards, env.terminations, env.truncations)
        yield copy.deepcopy((agent, list(env.agents), seen, info, *outcome))
        if terminated or truncated:
            env.step(None)
        else:
            wild = rng.random() < 0.01
            env.step(rng.integers(9) if wild else rng.choice(np.flatnonzero(info["action_mask"])))
    yield list(env.agents), env.rewards, env.state()


@every_option
def test_choices_equal_those_of_the_generic_conversion(options):
    env = pacman2.env(**options)
    generic = parallel_to_aec_wrapper(pacman2.parallel_env(**options))
    seen = 0
    for seed in range(12):
        for one, other in zip(choices(env, seed), choices(generic, seed), strict=True):
            assert same(one, other)
            seen += 1
    assert seen > 500


def test_choices_make_a_parallel_environment_again():
    back, plain = aec_to_parallel(pacman2.env()), pacman2.parallel_env()
    for (_, one), (_, other) in zip(turns(back, 3, True), turns(plain, 3, True), strict=True):
        assert same(dict(sorted(one[0].items())), other[0])
    assert back.unwrapped.game.scores == plain.game.scores


def test_choices_need_a_game():
    env = pacman2.env()
    for use in (
        lambda: env.step(0),
        lambda: env.last(),
        lambda: env.observe("player_0"),
        lambda: env.agent_iter(),
        lambda: env.rewards["player_0"],
        lambda: env.state(),
    ):
        with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
            use()
    assert env.agents == []


def test_invalid_choices_are_rejected_at_once():
    env = pacman2.env()
    env.reset(seed=1)
    for wrong, error in ((9, ValueError), (-1, ValueError), (None, TypeError), (0.5, TypeError)):
        with pytest.raises(error, match="action of player_0: expected .* from 0 to 8, got"):
            env.step(wrong)
        assert env.agent_selection == "player_0"
    with pytest.raises(RuntimeError, match=r"a call of step\(\)"):
        for _ in env.agent_iter():
            pass
    for _ in env.agent_iter(max_iter=3):
        env.step(0)
    assert env.agent_selection == "player_3"


def test_choices_after_the_end_change_nothing(caplog):
    env = pacman2.env(turns=1)
    env.reset(seed=1)
    for _ in range(8):
        env.step(None if env.last()[2] else 0)
    assert env.agents == []
    env.step(0)
    assert "step() called after all agents" in caplog.text


def test_choices_can_be_copied():
    env = pacman2.env()
    env.reset(seed=1)
    env.step(1)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        for action in (2, 3, 4):
            other.step(action)
        assert other.unwrapped.game.turn == 1
    assert env.unwrapped.game.turn == 0 and env.agent_selection == "player_1"


# Spaces.


def test_spaces():
    env = pacman2.parallel_env()
    with pytest.raises(KeyError):
        env.action_space("player_4")
    space = env.action_space("player_0")
    assert space == spaces.Discrete(9)
    assert env.observation_space("player_0")["action_mask"].dtype == np.int8
    # Before the first reset any action may be drawn.
    assert {int(space.sample()) for _ in range(300)} == set(range(9))
    env.reset(seed=1)
    legal_now = set(np.flatnonzero(env.game.action_mask()[0]))
    assert {int(space.sample()) for _ in range(300)} == legal_now
    only = np.zeros(9, np.int8)
    only[7] = 1
    assert space.sample(only) == 7
    assert space.sample(probability=only.astype(float)) == 7
    alone = pickle.loads(pickle.dumps(space))
    assert type(alone) is spaces.Discrete and alone == space


def test_names():
    env = pacman2.parallel_env(reward="rank")
    assert str(env) == "pacman2_v0" and str(pacman2.env()) == "pacman2_v0"
    assert repr(env) == "pacman2.parallel_env(reward='rank')"
    assert env.unwrapped is env and env.metadata["is_parallelizable"]
