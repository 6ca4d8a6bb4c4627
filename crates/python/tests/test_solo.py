"""`SoloEnv`: one learner against built-in bots."""

import copy
import pathlib
import pickle
import threading
import time

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env

import pacman2

NET = pathlib.Path(__file__).parents[2] / "bots" / "nets" / "sage.net"
VIEWS = ["compact", "planes", "planes_centred"]
REWARDS = ["share", "score", "rank", "zero_sum"]


def episode(env, seed=None, chooser=0, wild=0.0):
    """Plays an episode with mostly legal actions; yields what each step returns."""
    rng = np.random.default_rng(chooser)
    observation, info = env.reset(seed=seed)
    terminated = False
    while not terminated:
        legal = np.flatnonzero(info["action_mask"])
        action = rng.integers(9) if rng.random() < wild else rng.choice(legal)
        observation, reward, terminated, truncated, info = env.step(action)
        assert truncated is False
        yield observation, reward, terminated, info


def same(one, other):
    (seen, *numbers, info), (seen2, *numbers2, info2) = one, other
    return (
        np.array_equal(seen, seen2)
        and numbers == numbers2
        and list(info) == list(info2)
        and all(np.array_equal(info[key], info2[key]) for key in info)
    )


@pytest.mark.parametrize("observation", VIEWS)
@pytest.mark.parametrize("seat", [0, 3, "random"])
@pytest.mark.filterwarnings("error")
def test_check_env(observation, seat):
    env = gymnasium.make(
        "pacman2.solo:Pacman2-v0", observation=observation, seat=seat, disable_env_checker=True
    )
    assert type(env.unwrapped) is pacman2.SoloEnv
    check_env(env.unwrapped, skip_render_check=True)


def test_check_env_with_pictures(capsys):
    env = gymnasium.make("pacman2.solo:Pacman2-v0", render_mode="rgb_array")
    check_env(env.unwrapped)
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize("reward", REWARDS)
def test_the_opponents_are_the_bots(reward):
    """The opponents play like the same bots outside the environment; rewards match the game."""
    bots = ("greedy", "hunter", "sample --simulations 3")
    env = pacman2.SoloEnv(bots, seat=1, reward=reward)
    deaths = 0
    for seed in range(12):
        rewards = []
        for _, value, terminated, info in episode(env, seed, chooser=seed, wild=0.02):
            assert type(value) is float
            rewards.append(value)
        game = pacman2.Game(seed)
        reference = [
            pacman2.Bot("sample", seed, simulations=3),
            None,
            pacman2.Bot("greedy", seed),
            pacman2.Bot("hunter", seed),
        ]
        shares = [0.25]
        for actions in env.game.history:
            for seat in (0, 2, 3):
                if game.alive[seat]:
                    assert reference[seat].act(game, seat) == actions[seat]
            game.step(actions)
            shares.append(game.strength[1] / sum(game.strength))
        assert game == env.game
        dead = not game.alive[1]
        deaths += dead
        assert dead or game.is_over
        if reward == "share":
            assert rewards == pytest.approx(list(np.diff(shares)), abs=1e-6)
            assert ("final_score" in info) is game.is_over
            continue
        assert game.is_over
        assert info["final_score"] == game.scores[1] and info["rank"] == game.ranks[1]
        due = {
            "score": game.scores[1],
            "rank": game.ranks[1],
            "zero_sum": game.scores[1] - np.mean(game.scores),
        }
        assert set(rewards[:-1]) <= {0.0} and rewards[-1] == pytest.approx(due[reward], abs=1e-5)
    assert deaths > 2


@pytest.mark.parametrize("observation", VIEWS)
def test_observations_and_masks_match_the_game(observation):
    env = pacman2.SoloEnv(seat=2, observation=observation)
    for seen, _, _, info in episode(env, 5):
        assert seen.dtype == np.uint8 and seen in env.observation_space
        assert np.array_equal(seen, env.game.observe(observation, 2))
        assert np.array_equal(info["action_mask"], env.game.action_mask()[2])
        assert np.array_equal(env.action_masks(), env.game.action_mask()[2])
        assert env.action_masks().dtype == np.bool_


def test_seeds():
    one, other = (pacman2.SoloEnv(("sage --simulations 5", "random", "sample")) for _ in range(2))
    for seed in (3, None, None):
        both = zip(episode(one, seed), episode(other, seed), strict=True)
        assert all(same(first, second) for first, second in both)
    maps = []
    for _ in range(2):
        one.reset(seed=8)
        assert one.game == pacman2.Game(8)
        for _ in range(3):
            one.reset()
            maps.append(one.game.seed)
    assert maps[:3] == maps[3:] and len(set(maps)) == 3


def test_seats():
    env = pacman2.SoloEnv(seat="random")
    seats = []
    for seed in range(40):
        env.reset(seed=seed)
        seats.append(env.seat)
    assert set(seats) == {0, 1, 2, 3}
    env.reset(seed=3)
    assert env.seat == seats[3]


@pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_have_the_same_future(way):
    env = pacman2.SoloEnv("sage --simulations 20", seat="random", reward="score")
    env.reset(seed=6)
    env.action_space.seed(7)
    for _ in range(6):
        env.step(int(np.flatnonzero(env.action_masks())[-1]))
    other = way(env)
    assert other.game == env.game and other.seat == env.seat
    rng = np.random.default_rng(0)
    terminated = False
    while not terminated:
        action = rng.choice(np.flatnonzero(env.action_masks()))
        result = env.step(action)
        assert same(result, other.step(action))
        terminated = result[2]
    env.reset()
    other.reset()
    assert env.game == other.game and env.seat == other.seat
    assert env.action_space.sample() == other.action_space.sample()


def test_other_threads_run_while_bots_think():
    env = pacman2.SoloEnv("sage --time 100")
    env.reset(seed=1)
    woken = []
    stop = threading.Event()

    def wake():
        while not stop.is_set():
            woken.append(time.monotonic())
            time.sleep(0.005)

    thread = threading.Thread(target=wake)
    thread.start()
    begun = time.monotonic()
    env.step(0)
    ended = time.monotonic()
    stop.set()
    thread.join()
    # The thread woke every few milliseconds while three bots thought for 0.1 s each.
    assert sum(begun < moment < ended for moment in woken) > 3


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"opponents": ("greedy", "greedy")}, ValueError, "opponents: expected a sequence of 3 str, got 2"),
        ({"opponents": (1, 2, 3)}, TypeError, r"opponents\[0\]: expected a str, got 1"),
        ({"opponents": 3}, TypeError, "opponents: expected a sequence of 3 str, got 3"),
        ({"opponents": "gredy"}, ValueError, 'unknown built-in bot "gredy"; expected random,'),
        ({"opponents": ""}, ValueError, 'unknown built-in bot ""; expected random,'),
        ({"opponents": "sage --simulations"}, ValueError, "--simulations: expected a value"),
        ({"opponents": "sage --time=0"}, ValueError, "--time: expected a whole number from 1 to 60000"),
        ({"opponents": "sage --speed 3"}, ValueError, 'unknown option "--speed"; expected --simulations'),
        ({"opponents": "sage --time 5 --time 5"}, ValueError, "--time is given more than once"),
        ({"opponents": "greedy --time 5"}, ValueError, "greedy does not simulate"),
        ({"seat": 4}, ValueError, 'seat: expected a whole number from 0 to 3 or "random", got 4'),
        ({"seat": "first"}, TypeError, "seat: expected .*, got 'first'"),
        ({"observation": "pixels"}, ValueError, "observation: .*pixels"),
        ({"reward": "money"}, ValueError, "reward: .*money"),
        ({"render_mode": "film"}, ValueError, 'render_mode: expected "human", .*, got \'film\''),
        ({"size": 12}, ValueError, "size: expected .*, got 12"),
        ({"sizes": 6}, TypeError, "sizes"),
    ],
)
def test_invalid_options_are_rejected(options, error, match):
    with pytest.raises(error, match=match):
        pacman2.SoloEnv(**options)


def test_invalid_resets_are_rejected():
    env = pacman2.SoloEnv()
    env.reset(seed=3)
    env.reset()
    later = env.game
    env.reset(seed=3)
    for wrong, error, match in (
        (
            {"seed": -(2**31) - 1},
            ValueError,
            "seed: expected a whole number from -2147483648 to 4294967295, got -2147483649",
        ),
        ({"seed": 1 << 32}, ValueError, "seed: expected .*, got 4294967296"),
        ({"seed": "3"}, TypeError, "seed: expected .*, got '3'"),
        ({"options": {"seat": 1}}, ValueError, "options: expected .*, got {'seat': 1}"),
        ({"seed": 9, "options": 1}, TypeError, "options: expected None or an empty dict, got 1"),
    ):
        with pytest.raises(error, match=match):
            env.reset(**wrong)
        assert env.game == pacman2.Game(3)
    env.reset(options={})
    assert env.game == later


def test_invalid_steps_are_rejected():
    env = pacman2.SoloEnv()
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        env.step(0)
    env.reset(seed=1)
    for wrong, error in ((9, ValueError), (-1, ValueError), (1.0, TypeError), (None, TypeError)):
        with pytest.raises(error, match="action: expected a whole number from 0 to 8, got"):
            env.step(wrong)
    assert env.game.turn == 0
    illegal = int(np.flatnonzero(~env.action_masks())[0])
    *_, terminated, _, info = env.step(illegal)
    assert terminated and info["action_mask"].tolist() == [1] + [0] * 8
    with pytest.raises(RuntimeError, match=r"the episode is over; call reset\(\)"):
        env.step(0)


@pytest.mark.parametrize(
    "bots",
    [
        "style sniper",
        f"sage --simulations 3 --threads 2 --net '{NET}'",
        ("greedy", "style shy", "sage --simulations=2 --without net"),
    ],
)
def test_opponents_have_all_options_of_the_command_line(bots):
    env = pacman2.SoloEnv(bots)
    *_, (_, _, terminated, _) = episode(env, 4)
    assert terminated
