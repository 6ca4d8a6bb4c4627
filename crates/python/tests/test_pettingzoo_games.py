"""Games of the PettingZoo environments, compared with `Game`: turns, rewards, seeds and copies."""

import copy
import pickle

import numpy as np
import pytest

pytest.importorskip("pettingzoo")

import pacman2
from parallel_games import AGENTS, REWARDS, VIEWS, legal, same, seat, shares, turns


# Comparison with the game.


@pytest.mark.parametrize("black_death", [False, True])
def test_environment_agrees_with_the_game(black_death):
    """Plays 40 games and compares every turn with `Game`."""
    env = pacman2.parallel_env(black_death=black_death, reward="share")
    deaths = 0
    for seed in range(40):
        game = pacman2.Game(seed)
        ended = set()
        for actions, (observations, rewards, terminations, truncations, infos) in turns(env, seed):
            before = np.array(game.strength)
            living = [agent for agent in AGENTS if game.alive[seat(agent)]]
            game.step([actions.get(agent, 0) for agent in AGENTS])
            after = np.array(game.strength)
            rows = AGENTS if black_death else living
            for result in (observations, rewards, terminations, truncations, infos):
                assert list(result) == rows
            for agent in rows:
                assert agent not in ended
                observation = observations[agent]["observation"]
                assert np.array_equal(observation, game.observe("compact", seat(agent)))
                mask = observations[agent]["action_mask"]
                assert mask.dtype == np.int8
                assert np.array_equal(mask, game.action_mask()[seat(agent)])
                assert infos[agent]["action_mask"] is mask
                gone = game.is_over or (not black_death and not game.alive[seat(agent)])
                assert terminations[agent] is gone and truncations[agent] is False
                gain = shares(after)[seat(agent)] - shares(before)[seat(agent)]
                assert rewards[agent] == pytest.approx(gain, abs=1e-6)
                if gone:
                    ended.add(agent)
                if game.is_over:
                    assert infos[agent]["final_score"] == game.scores[seat(agent)]
                    assert infos[agent]["rank"] == game.ranks[seat(agent)]
                else:
                    assert list(infos[agent]) == ["action_mask"]
            assert env.agents == [agent for agent in rows if agent not in ended]
            assert env.game == game and np.array_equal(env.state(), game.state())
            deaths += len(living) - sum(game.alive)
        assert game.is_over and ended == set(AGENTS)
        assert np.array_equal(env.game.history, game.history)
    assert deaths > 30


@pytest.mark.parametrize("view", VIEWS)
def test_views(view):
    env = pacman2.parallel_env(observation=view, action_mask="info", black_death=True)
    for seed in range(5):
        for _, result in turns(env, seed):
            for agent in AGENTS:
                seen = result[0][agent]
                assert seen.dtype == np.uint8
                assert seen.shape == env.observation_space(agent).shape
                assert np.array_equal(seen, env.game.observe(view, seat(agent)))


def test_an_illegal_action_kills_without_raising():
    env = pacman2.parallel_env()
    observations, _ = env.reset(seed=3)
    illegal = int(np.flatnonzero(observations["player_2"]["action_mask"] == 0)[0])
    actions = dict.fromkeys(AGENTS, 0) | {"player_2": illegal}
    observations, _, terminations, _, _ = env.step(actions)
    assert [agent for agent in AGENTS if terminations[agent]] == ["player_2"]
    assert observations["player_2"]["action_mask"].tolist() == [1] + [0] * 8
    assert env.agents == ["player_0", "player_1", "player_3"]
    observations, *others = env.step(dict.fromkeys(env.agents, 0))
    for result in (observations, *others):
        assert "player_2" not in result


def test_max_cycles_truncates_games():
    env = pacman2.parallel_env(max_cycles=7, reward="score", black_death=True)
    for _ in range(3):
        env.reset()
        for turn in range(1, 8):
            _, rewards, terminations, truncations, infos = env.step(dict.fromkeys(AGENTS, 0))
            assert set(truncations.values()) == {turn == 7}
            assert set(terminations.values()) == {False} and set(rewards.values()) == {0.0}
        assert env.agents == [] and "final_score" not in infos["player_0"]
    env.max_cycles = 1
    env.reset()
    env.step(dict.fromkeys(AGENTS, 0))
    assert env.agents == []
    env.max_cycles = None
    assert env.max_cycles is None
    for wrong in (0, -1):
        with pytest.raises(ValueError, match="max_cycles: expected .*from 1 to .*, got"):
            env.max_cycles = wrong


# Rewards.


@pytest.mark.parametrize("reward", REWARDS)
def test_rewards_over_whole_games(reward):
    env = pacman2.parallel_env(reward=reward, black_death=True if reward == "share" else None)
    for seed in range(40):
        sums = dict.fromkeys(AGENTS, 0.0)
        for _, (_, rewards, terminations, _, _) in turns(env, seed):
            if reward == "share":
                # Unless the total strength is 0, so that there is nothing to share.
                gained = sum(rewards.values())
                assert gained == pytest.approx(0, abs=1e-6) or not any(env.game.strength)
            elif not any(terminations.values()):
                assert set(rewards.values()) == {0.0}
            for agent in AGENTS:
                assert type(rewards[agent]) is float
                sums[agent] += rewards[agent]
        game = env.game
        scores, strength = np.array(game.scores), np.array(game.strength)
        expected = {
            "share": shares(strength) - 0.25,
            "score": scores,
            "rank": np.array(game.ranks),
            "zero_sum": scores - scores.mean(),
        }[reward]
        assert list(sums.values()) == pytest.approx(list(expected), abs=1e-5)


def test_zero_sum_sums_to_zero_by_default():
    """Dead players stay until the end, in both kinds of environment."""
    deaths = 0
    for seed in range(15):
        env = pacman2.parallel_env(reward="zero_sum")
        rewards = [sum(result[1].values()) for _, result in turns(env, seed)]
        assert sum(rewards) == pytest.approx(0, abs=1e-4)
        deaths += not all(env.game.alive)
        aec, rng = pacman2.env(reward="zero_sum"), np.random.default_rng(seed)
        aec.reset(seed=seed)
        total = dict.fromkeys(AGENTS, 0.0)
        for agent in aec.agent_iter():
            observation, reward, gone, _, _ = aec.last()
            total[agent] += reward
            mask = observation["action_mask"]
            aec.step(None if gone else int(rng.choice(np.flatnonzero(mask))))
        assert sum(total.values()) == pytest.approx(0, abs=1e-4) and any(total.values())
    assert deaths > 8


@pytest.mark.parametrize("reward", REWARDS)
def test_black_death_depends_on_the_reward_by_default(reward):
    env = pacman2.parallel_env(reward=reward)
    env.reset(seed=3)
    illegal = int(np.flatnonzero(~env.game.action_mask()[2])[0])
    env.step(dict.fromkeys(AGENTS, 0) | {"player_2": illegal})
    assert ("player_2" in env.agents) is (reward != "share")


@pytest.mark.parametrize("reward", REWARDS[1:])
def test_without_black_death_a_dying_player_is_rewarded_as_if_the_game_ended_then(reward):
    env = pacman2.parallel_env(reward=reward, black_death=False)
    deaths = 0
    for seed in range(15):
        for _, (_, rewards, terminations, _, _) in turns(env, seed):
            scores = np.array(env.game.scores)
            expected = {"score": scores, "rank": env.game.ranks, "zero_sum": scores - scores.mean()}
            for agent, value in rewards.items():
                due = expected[reward][seat(agent)] if terminations[agent] else 0.0
                assert value == pytest.approx(due, abs=1e-5)
            deaths += not env.game.is_over and any(terminations.values())
    assert deaths > 8


# Seeds, saving and restoring.


def test_resets_continue_from_the_last_seed():
    one, other = pacman2.parallel_env(), pacman2.parallel_env()
    for env in (one, other):
        env.reset(seed=11)
    maps = []
    for _ in range(5):
        one.reset()
        other.reset()
        assert one.game == other.game
        maps.append(one.game.seed)
    assert len(set(maps)) == 5
    one.reset(seed=11)
    assert one.game == pacman2.Game(11)
    one.reset()
    assert one.game.seed == maps[0]
    one.reset(seed=12)
    one.reset()
    assert one.game.seed not in maps


def test_environments_without_a_seed_differ():
    seeds = set()
    for _ in range(5):
        env = pacman2.parallel_env()
        env.reset()
        seeds.add(env.game.seed)
    assert len(seeds) > 1


def test_map_options():
    env = pacman2.parallel_env(size=(7, 9), turns=12, skill_cost=2)
    for seed in range(4):
        env.reset(seed=seed)
        assert (env.game.width, env.game.height) == (7, 9)
        assert env.game == pacman2.Game(seed, size=(7, 9), turns=12, skill_cost=2)
    init_data = pacman2.Game(77).init_data()
    env = pacman2.parallel_env(init_data=init_data)
    for seed in (1, 2):
        env.reset(seed=seed)
        assert env.game == pacman2.Game(77)


def restored(env):
    other = pacman2.parallel_env(black_death=True)
    other.restore(env.save())
    return other


def assigned(env):
    other = pacman2.parallel_env(black_death=True)
    other.game = env.game
    return other


def pickled(env):
    return pickle.loads(pickle.dumps(env))


@pytest.mark.parametrize("way", [copy.deepcopy, pickled, restored, assigned])
def test_copies_have_the_same_future(way):
    env = pacman2.parallel_env(black_death=True)
    rng = np.random.default_rng(1)
    for seed in range(5):
        _, infos = env.reset(seed=seed)
        for _ in range(int(rng.integers(1, 15))):
            if env.agents:
                infos = env.step(legal(env, rng, infos))[4]
        other = way(env)
        assert other.agents == env.agents and other.game == env.game
        while env.agents:
            actions = legal(env, rng, infos)
            result = env.step(actions)
            assert same(result, other.step(actions))
            infos = result[4]
        assert other.agents == []
        # Assigning replaces the game only; the seeds of later games stay the environment's own.
        env.reset()
        other.reset()
        assert (env.game == other.game) is (way is not assigned)


def test_copies_sample_the_same():
    env = pacman2.parallel_env()
    env.reset(seed=1)
    env.action_space("player_1").seed(3)
    other = copy.deepcopy(env)
    for _ in range(20):
        drawn = env.action_space("player_1").sample()
        assert other.action_space("player_1").sample() == drawn
        assert env.game.action_mask()[1][drawn]


def test_the_game_attribute_is_an_independent_copy():
    env = pacman2.parallel_env()
    env.reset(seed=4)
    game = env.game
    game.step([0, 0, 0, 0])
    assert env.game.turn == 0
    env.game = game
    env.step(actions=dict.fromkeys(AGENTS, 0))
    assert env.game.turn == 2 and game.turn == 1


def test_invalid_bytes_are_rejected():
    env = pacman2.parallel_env()
    env.reset(seed=4)
    saved = env.save()
    for wrong in (b"", b"\x02" + saved[1:], saved[:7], saved[:23], saved[:-1], saved + b"\0"):
        with pytest.raises(ValueError, match="expected a saved .*, got other bytes"):
            env.restore(wrong)
    assert env.game == pacman2.Game(4)
    other = pacman2.parallel_env()
    other.restore(pacman2.parallel_env().save())
    assert other.agents == []
