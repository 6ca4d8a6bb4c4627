"""The RLlib environment, compared with single games and checked by RLlib."""

import numpy as np
import pacman2
import pytest
from conftest import need
from mirror import reward, shares


@pytest.fixture(scope="module")
def kind():
    need("ray.rllib")
    from pacman2.rllib import Pacman2Env

    return Pacman2Env


@pytest.mark.parametrize("name", ["share", "zero_sum"])
def test_rows_agree_with_the_game(kind, name):
    env = kind({"reward": name, "black_death": True, "turns": 30, "observation": "planes"})
    rng = np.random.default_rng(5)
    for seed in range(4):
        observations, infos = env.reset(seed=seed)
        game = pacman2.Game(seed, turns=30)
        assert game == env.game
        while True:
            for seat, agent in enumerate(env.possible_agents):
                seen = observations[agent]
                assert env.observation_spaces[agent].contains(seen)
                expected = game.observe("planes", seat, dtype="float32")
                np.testing.assert_array_equal(seen["observations"], expected)
                mask = game.action_mask()[seat]
                np.testing.assert_array_equal(seen["action_mask"], mask)
                np.testing.assert_array_equal(infos[agent]["action_mask"], mask)
            if game.is_over:
                break
            legal = [rng.choice(np.flatnonzero(mask)) for mask in game.action_mask()]
            wild = rng.random(4) < 0.01
            actions = np.where(wild, rng.integers(0, 9, 4), legal)
            before = shares(game)
            game.step(actions)
            observations, rewards, terminations, truncations, infos = env.step(
                dict(zip(env.possible_agents, actions))
            )
            expected = reward(name, before, game)
            np.testing.assert_allclose(list(rewards.values()), expected, atol=1e-6)
            assert set(terminations.values()) == {game.is_over}
            assert set(truncations.values()) == {False}
        assert [info["rank"] for info in infos.values()] == list(game.ranks)


def test_the_dead_leave_and_the_last_row_ends_the_episode(kind):
    env = kind({"turns": 3})
    observations, _ = env.reset(seed=1)
    illegal = int(np.flatnonzero(observations["player_2"]["action_mask"] == 0)[0])
    actions = {agent: 0 for agent in env.possible_agents}
    observations, _, terminations, _, _ = env.step({**actions, "player_2": illegal})
    assert terminations == {**{agent: agent == "player_2" for agent in actions}, "__all__": False}
    del actions["player_2"]
    observations, *_ = env.step(actions)
    assert list(observations) == list(actions)
    _, _, terminations, truncations, _ = env.step(actions)
    assert set(terminations.values()) == {True} and not truncations["__all__"]


def test_max_cycles_truncates(kind):
    env = kind({"max_cycles": 2})
    env.reset(seed=1)
    env.step({agent: 0 for agent in env.possible_agents})
    _, _, terminations, truncations, _ = env.step({agent: 0 for agent in env.possible_agents})
    assert set(truncations.values()) == {True} and not terminations["__all__"]


def test_rllib_accepts_it(kind):
    from ray.rllib.utils.pre_checks.env import check_multiagent_environments

    check_multiagent_environments(kind())
