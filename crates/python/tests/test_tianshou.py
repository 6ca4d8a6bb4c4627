"""The Tianshou environment, compared with single games and run by Tianshou's collectors."""

import numpy as np
import pacman2
import pytest
from conftest import need
from mirror import VIEWS, Mirror


@pytest.fixture(scope="module")
def kind():
    need("tianshou")
    from pacman2.tianshou import Pacman2VectorEnv

    return Pacman2VectorEnv


def mirror_of(envs, **options):
    return Mirror([envs.env.game(index) for index in range(envs.env.num_games)], **options)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("reward", ["share", "rank"])
def test_rows_agree_with_single_games(kind, view, reward):
    envs = kind(3, seed=4, reward=reward, turns=20, **view)
    assert len(envs) == 12
    rng, ends = np.random.default_rng(1), 0
    observations, _ = envs.reset()
    games = mirror_of(envs, reward=reward, **view)
    for _ in range(60):
        np.testing.assert_array_equal(observations.obs, games.observations())
        np.testing.assert_array_equal(observations.mask, games.masks())
        actions = games.some_actions(rng)
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        np.testing.assert_allclose(rewards, games.play(actions), atol=1e-6)
        np.testing.assert_array_equal(observations.obs, games.observations())
        np.testing.assert_array_equal(terminated, games.rows_over())
        assert not truncated.any()
        assert [info["env_id"] for info in infos] == list(range(12))
        assert [info["alive"] for info in infos] == games.alive().tolist()
        assert [np.float32(info["final_score"]) for info in infos] == games.final_scores().tolist()
        assert [info["rank"] for info in infos] == games.ranks().tolist()
        over = np.flatnonzero(terminated)
        if len(over):
            first, infos = envs.reset(over)
            assert [info["env_id"] for info in infos] == over.tolist()
            assert not any(info["rank"] for info in infos)
            for index in games.over():
                games.games[index] = envs.env.game(index)
                ends += 1
            np.testing.assert_array_equal(first.obs, games.observations()[over])
            observations[over] = first
    assert ends >= 6


def test_games_that_are_not_stepped_keep_their_positions(kind):
    envs = kind(3, seed=1)
    envs.reset()
    games = mirror_of(envs)
    rows = np.r_[0:4, 8:12]
    for _ in range(5):
        actions = games.some_actions(np.random.default_rng(2))
        observations, rewards, *_ = envs.step(actions[rows], rows)
        waiting = games.games[1].clone()
        expected = games.play(actions)
        games.games[1] = waiting
        np.testing.assert_allclose(rewards, expected[rows], atol=1e-6)
        np.testing.assert_array_equal(observations.obs, games.observations()[rows])
        assert envs.env.game(1) == waiting


def test_rows_of_a_game_play_together(kind):
    envs = kind(2, seed=1)
    message = r"expected all 4 rows of each game, got \[0, 1, 2, 3, 4\]; collect steps"
    with pytest.raises(ValueError, match=message):
        envs.step([0] * 5, range(5))
    with pytest.raises(ValueError, match="expected all 4 rows"):
        envs.reset([1])


@pytest.mark.parametrize("reward", ["share", "rank"])
def test_opponents_leave_only_the_rows_of_learners(kind, reward):
    options = dict(opponents="random", seat="rotate", reward=reward, turns=20)
    envs = kind(5, seed=4, **options)
    twin = pacman2.VecEnv(5, seed=4, autoreset_mode="Disabled", **options)
    observations, seen, ends = envs.reset()[0].obs, twin.reset()[0], 0
    assert len(envs) == 5
    for _ in range(60):
        np.testing.assert_array_equal(observations, seen)
        actions = np.random.default_rng(ends).integers(0, 5, 5)
        observations, rewards, over, _, infos = envs.step(actions)
        expected = twin.step(actions)
        np.testing.assert_array_equal(observations.obs, expected[0])
        np.testing.assert_array_equal(rewards, expected[1])
        np.testing.assert_array_equal(over, expected[2])
        assert [info["rank"] for info in infos] == twin.arrays["rank"].tolist()
        observations, seen = observations.obs, expected[0]
        if over.any():
            observations[over] = envs.reset(np.flatnonzero(over))[0].obs
            seen, _ = twin.reset(options={"reset_mask": over})
            ends += int(over.sum())
    assert ends > 20
    collector, _ = collector_of(kind(5, seed=4, **options))
    assert collector.collect(n_episode=7).n_collected_episodes == 7


def test_seed_selects_the_games_of_the_next_reset(kind):
    envs = kind(2, seed=1)
    assert envs.seed(9) == [9] * 8
    seeded, _ = envs.reset()
    np.testing.assert_array_equal(seeded.obs, envs.env.reset(seed=9)[0])
    assert not np.array_equal(envs.reset()[0].obs, seeded.obs), "the seed was used twice"


class Recorder:
    """Remembers what a collector saw."""

    def __init__(self):
        self.steps = []

    def __call__(self, _, step):
        self.steps.append(step)


def collector_of(envs):
    from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
    from tianshou.data import Collector, VectorReplayBuffer

    algorithm = MARLRandomDiscreteMaskedOffPolicyAlgorithm(envs.action_space[0])
    recorder = Recorder()
    buffer = VectorReplayBuffer(8000, len(envs))
    collector = Collector(algorithm, envs, buffer, on_step_hook=recorder)
    collector.reset()
    return collector, recorder


def test_a_collector_plays_whole_games_with_legal_actions(kind):
    envs = kind(2, seed=5, turns=12)
    collector, recorder = collector_of(envs)
    games = mirror_of(envs)
    stats = collector.collect(n_step=40 * len(envs))
    assert stats.n_collected_steps == 320 and stats.n_collected_episodes >= 24
    first = [step for step in recorder.steps][:12]
    for step in first:
        np.testing.assert_array_equal(step.obs.obs, games.observations())
        assert games.masks()[np.arange(8), step.act].all()
        np.testing.assert_allclose(step.rew, games.play(step.act), atol=1e-6)
        np.testing.assert_array_equal(step.obs_next.obs, games.observations())
        if step.done.any():
            return
    pytest.fail("no game ended")


def test_a_collector_counts_episodes(kind):
    envs = kind(3, seed=5, turns=12)
    collector, _ = collector_of(envs)
    assert collector.collect(n_episode=20).n_collected_episodes == 20
    assert collector.collect(n_episode=8).n_collected_episodes == 8
    with pytest.raises(ValueError, match="a multiple of 4 episodes"):
        collector.collect(n_episode=7)


def test_rows_have_no_attributes_of_their_own(kind):
    envs = kind(1)
    assert envs.get_env_attr("num_games", [0, 1]) == [1, 1]
    assert [space.n for space in envs.action_space] == [9] * 4
    with pytest.raises(AttributeError, match='"turns" cannot be set for a row'):
        envs.set_env_attr("turns", 3)
    envs.close()
    assert envs.is_closed
