"""The environment for Stable-Baselines3, compared with single games and run by its algorithms."""

import numpy as np
import pacman2
import pytest
from conftest import need
from mirror import VIEWS, Mirror

REWARDS = ["share", "zero_sum"]


@pytest.fixture(scope="module")
def sb3():
    need("stable_baselines3", "sb3_contrib")
    import pacman2.sb3

    return pacman2.sb3


def mirror_of(envs, **options):
    return Mirror([envs.env.game(index) for index in range(envs.env.num_games)], **options)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("reward", REWARDS)
def test_rows_agree_with_single_games(sb3, view, reward):
    envs = sb3.Pacman2VecEnv(3, seed=4, reward=reward, turns=20, **view)
    rng, ends = np.random.default_rng(1), 0
    observations = envs.reset()
    games = mirror_of(envs, reward=reward, **view)
    for _ in range(80):
        np.testing.assert_array_equal(observations, games.observations())
        np.testing.assert_array_equal(envs.env_method("action_masks"), games.masks())
        actions = games.some_actions(rng)
        observations, rewards, dones, infos = envs.step(actions)
        np.testing.assert_allclose(rewards, games.play(actions), atol=1e-6)
        np.testing.assert_array_equal(dones, games.rows_over())
        last, scores, ranks = games.observations(), games.final_scores(), games.ranks()
        for row, info in enumerate(infos):
            assert info["TimeLimit.truncated"] is False
            assert ("terminal_observation" in info) == dones[row]
            if dones[row]:
                np.testing.assert_array_equal(info["terminal_observation"], last[row])
                assert np.float32(info["final_score"]) == scores[row]
                assert info["rank"] == ranks[row]
        for index in games.over():
            games.games[index] = envs.env.game(index)
            ends += 1
    assert ends >= 9


@pytest.mark.parametrize("reward", REWARDS)
def test_opponents_leave_only_the_rows_of_learners(sb3, reward):
    options = dict(opponents=["greedy", None, "random"], seat="random", reward=reward, turns=20)
    envs = sb3.Pacman2VecEnv(4, seed=4, **options)
    twin = pacman2.VecEnv(4, seed=4, autoreset_mode="SameStep", **options)
    np.testing.assert_array_equal(envs.reset(), twin.reset()[0])
    ends = 0
    for _ in range(60):
        actions = np.random.default_rng(ends).integers(0, 5, 8)
        observations, rewards, dones, infos = envs.step(actions)
        expected = twin.step(actions)
        for ours, theirs in zip((observations, rewards, dones), expected[:3]):
            np.testing.assert_array_equal(ours, theirs)
        for row in np.flatnonzero(dones):
            ends += 1
            last = expected[4]["final_obs"][row]
            np.testing.assert_array_equal(infos[row]["terminal_observation"], last)
            assert ("rank" in infos[row]) == expected[4]["_rank"][row]
            if "rank" in infos[row]:
                assert infos[row]["rank"] == expected[4]["rank"][row]
    assert ends > 20


def test_results_stay_as_they_are(sb3):
    envs = sb3.Pacman2VecEnv(2, seed=1)
    first = envs.reset()
    kept = first.copy()
    masks = envs.env_method("action_masks")
    kept_masks = np.array(masks)
    envs.step(envs.env.random_actions())
    np.testing.assert_array_equal(first, kept)
    np.testing.assert_array_equal(masks, kept_masks)


def test_seed_selects_the_games_of_the_next_reset(sb3):
    envs = sb3.Pacman2VecEnv(2, seed=1)
    assert envs.seed(9) == [9] * 8
    seeded = envs.reset()
    np.testing.assert_array_equal(seeded, envs.env.reset(seed=9)[0])
    assert not np.array_equal(envs.reset(), seeded), "the seed was used twice"


def test_monitor_counts_episodes(sb3):
    from stable_baselines3.common.vec_env import VecMonitor

    envs = VecMonitor(sb3.Pacman2VecEnv(2, seed=2, turns=6))
    envs.reset()
    sums, episodes = np.zeros(8), []
    for _ in range(30):
        _, rewards, dones, infos = envs.step(envs.unwrapped.env.random_actions())
        sums += rewards
        for row in np.flatnonzero(dones):
            episodes.append(infos[row]["episode"])
            assert abs(infos[row]["episode"]["r"] - sums[row]) < 1e-5
            sums[row] = 0
    assert len(episodes) >= 40
    assert all(1 <= episode["l"] <= 6 for episode in episodes)


def test_maskable_ppo_chooses_legal_actions(sb3):
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

    envs = sb3.Pacman2VecEnv(4, seed=3, turns=30)
    assert is_masking_supported(envs)
    model = MaskablePPO("MlpPolicy", envs, n_steps=16, batch_size=64, n_epochs=1, device="cpu")
    model.learn(512)
    observations = envs.reset()
    for _ in range(30):
        masks = get_action_masks(envs)
        actions, _ = model.predict(observations, action_masks=masks)
        assert masks[np.arange(16), actions].all()
        observations, *_ = envs.step(actions)


def test_dqn_learns_a_little(sb3):
    from stable_baselines3 import DQN

    envs = sb3.Pacman2VecEnv(2, seed=3, turns=10)
    options = dict(learning_starts=50, buffer_size=1000, policy_kwargs=dict(net_arch=[16]))
    assert DQN("MlpPolicy", envs, device="cpu", **options).learn(400).num_timesteps >= 400


def test_render(sb3, capsys):
    envs = sb3.Pacman2VecEnv(4, seed=1, render_mode="rgb_array")
    picture = envs.render()
    height, width, _ = envs.get_images()[0].shape
    assert picture.shape == (2 * height, 2 * width, 3)
    np.testing.assert_array_equal(picture[:height, :width], envs.env.render()[0])
    sb3.Pacman2VecEnv(2, seed=1, render_mode="human").render()
    assert "fruit in" in capsys.readouterr().out
    with pytest.raises(ValueError, match='expected render_mode "rgb_array", got None'):
        sb3.Pacman2VecEnv(2).get_images()


def test_videos_show_all_games(sb3, tmp_path):
    need("moviepy")
    from stable_baselines3.common.vec_env import VecVideoRecorder

    envs = sb3.Pacman2VecEnv(4, seed=1, render_mode="rgb_array")
    video = VecVideoRecorder(envs, str(tmp_path), lambda step: step == 0, video_length=3)
    video.reset()
    shown = [envs.render()]
    for _ in range(2):
        video.step(envs.env.random_actions())
        shown.append(envs.render())
    np.testing.assert_array_equal(video.recorded_frames, shown)
    video.step(envs.env.random_actions())
    assert [path.suffix for path in tmp_path.iterdir()] == [".mp4"]
    assert not np.array_equal(shown[0], shown[2])


def test_rows_have_no_attributes_of_their_own(sb3):
    envs = sb3.Pacman2VecEnv(1, seed=1)
    assert envs.get_attr("num_games", [0, 2]) == [1, 1]
    assert not envs.has_attr("reward_range")
    with pytest.raises(AttributeError, match='"turns" cannot be set for a row'):
        envs.set_attr("turns", 3)
    with pytest.raises(AttributeError, match='expected the method "action_masks", got "reset"'):
        envs.env_method("reset")
    envs.set_options({"seed": 3})
    with pytest.raises(ValueError, match="expected no reset options"):
        envs.reset()
