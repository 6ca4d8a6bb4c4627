"""The TorchRL environment, compared with single games and checked by TorchRL."""

import numpy as np
import pacman2
import pytest
from conftest import need
from mirror import VIEWS, Mirror


@pytest.fixture(scope="module")
def kind():
    need("torch", "torchrl", "tensordict")
    from pacman2.torchrl import Pacman2Env

    return Pacman2Env


def flat(tensors, name):
    """Returns the values of a name in rows, `4 * game + seat`."""
    return tensors["player", name].flatten(0, 1).numpy()


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("reward", ["share", "zero_sum"])
def test_rows_agree_with_single_games(kind, view, reward):
    import torch

    env = kind(3, seed=4, reward=reward, turns=20, **view)
    rng, ends = np.random.default_rng(1), 0
    games = Mirror([env.game(index) for index in range(3)], reward, **view)
    now = env.reset()
    for _ in range(80):
        np.testing.assert_array_equal(flat(now, "observation"), games.observations())
        np.testing.assert_array_equal(flat(now, "action_mask"), games.masks())
        np.testing.assert_array_equal(flat(now, "alive"), games.alive())
        assert not now["done"].any() and not now["player", "done"].any()
        actions = games.some_actions(rng)
        now["player", "action"] = torch.from_numpy(actions).reshape(3, 4)
        played, following = env.step_and_maybe_reset(now)
        after = played["next"]
        np.testing.assert_allclose(flat(after, "reward")[:, 0], games.play(actions), atol=1e-6)
        # What TorchRL learns from are the last observations, not those of the next game.
        np.testing.assert_array_equal(flat(after, "observation"), games.observations())
        np.testing.assert_array_equal(flat(after, "action_mask"), games.masks())
        np.testing.assert_array_equal(flat(after, "final_score"), games.final_scores())
        np.testing.assert_array_equal(flat(after, "rank"), games.ranks())
        for name in ("done", "terminated"):
            np.testing.assert_array_equal(flat(after, name)[:, 0], games.rows_over())
            np.testing.assert_array_equal(after[name][:, 0], games.rows_over()[::4])
        assert not after["truncated"].any() and not flat(after, "truncated").any()
        for index in games.over():
            games.games[index] = env.game(index)
            ends += 1
        now = following
    assert ends >= 9


@pytest.mark.parametrize("reward", ["share", "zero_sum"])
def test_opponents_leave_only_the_learners(kind, reward):
    import torch

    options = dict(opponents=["greedy", None, "random"], seat="random", reward=reward, turns=20)
    env = kind(4, seed=4, **options)
    twin = pacman2.VecEnv(4, seed=4, autoreset_mode="Disabled", **options)
    now, (seen, _), ends = env.reset(), twin.reset(), 0
    for _ in range(60):
        np.testing.assert_array_equal(flat(now, "observation"), seen)
        actions = np.random.default_rng(ends).integers(0, 5, 8)
        now["player", "action"] = torch.from_numpy(actions).reshape(4, 2)
        played, now = env.step_and_maybe_reset(now)
        after = played["next"]
        seen, rewards, over, _, _ = twin.step(actions)
        np.testing.assert_array_equal(flat(after, "observation"), seen)
        np.testing.assert_array_equal(flat(after, "reward")[:, 0], rewards)
        np.testing.assert_array_equal(flat(after, "done")[:, 0], over)
        np.testing.assert_array_equal(flat(after, "rank"), twin.arrays["rank"])
        if over.any():
            seen, _ = twin.reset(options={"reset_mask": over})
            ends += int(over.sum())
    assert ends > 20


def test_specs_are_right(kind):
    from torchrl.envs.utils import check_env_specs

    for view in ("compact", "planes"):
        check_env_specs(kind(3, seed=1, observation=view, turns=5))
    check_env_specs(kind(3, seed=1, opponents="random", turns=5))


def test_random_actions_are_legal(kind):
    played = kind(4, seed=2).rollout(150, break_when_any_done=False)
    masks, actions = flat(played, "action_mask"), flat(played, "action")
    assert np.take_along_axis(masks, actions[..., None], -1).all()
    assert played["next", "done"].any()


def test_set_seed_selects_the_games_of_the_next_reset(kind):
    env = kind(2, seed=1)
    env.set_seed(9)
    seeded = env.reset()["player", "observation"].numpy()
    expected, _ = pacman2.VecEnv(2, seed=9).reset()
    np.testing.assert_array_equal(seeded.reshape(expected.shape), expected)
    again = env.reset()["player", "observation"].numpy()
    assert not np.array_equal(again, seeded), "the seed was used twice"


def test_sums_of_rewards_end_with_games(kind):
    from torchrl.envs import RewardSum, TransformedEnv

    rewards, sums = ("player", "reward"), ("player", "episode_reward")
    env = TransformedEnv(kind(3, seed=1, turns=7), RewardSum(in_keys=[rewards], out_keys=[sums]))
    played = env.rollout(30, break_when_any_done=False)
    for game in range(3):
        total = np.zeros(4)
        for step in range(30):
            total += played["next"][rewards][game, step, :, 0].numpy()
            shown = played["next"][sums][game, step, :, 0].numpy()
            np.testing.assert_allclose(shown, total, atol=1e-5)
            if played["next", "done"][game, step]:
                total[:] = 0


@pytest.mark.parametrize("mode", ["SameStep", "Disabled"])
def test_torchrls_own_wrapper_runs_vec_env(kind, mode):
    from torchrl.envs import GymWrapper

    env = pacman2.VecEnv(2, seed=3, turns=8, autoreset_mode=mode)
    wrapped = GymWrapper(env, categorical_action_encoding=True)
    start = wrapped.reset()
    games = Mirror([env.game(index) for index in range(2)])
    played = wrapped.rollout(8, auto_reset=False, tensordict=start, break_when_any_done=False)
    for step in range(8):
        before = played["observation"][:, step].numpy()
        np.testing.assert_array_equal(before, games.observations())
        expected = games.play(played["action"][:, step].numpy())
        np.testing.assert_allclose(played["next", "reward"][:, step, 0], expected, atol=1e-6)
        np.testing.assert_array_equal(
            played["next", "observation"][:, step].numpy(), games.observations()
        )
        np.testing.assert_array_equal(played["next", "done"][:, step, 0], games.rows_over())
        if len(games.over()):
            return
    pytest.fail("no game ended")
