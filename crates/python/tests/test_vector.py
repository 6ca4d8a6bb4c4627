"""``pacman2.VecEnv`` and its engine, compared with single games."""

from __future__ import annotations

import copy
import pickle
import platform
import subprocess
import sys
from typing import Any

import numpy as np
import pacman2
import pytest

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics
from mirror import reward, shares

VIEWS = ["compact", "planes", "planes_centred"]
REWARDS = ["share", "score", "rank", "zero_sum"]
NO_OP = np.arange(9) == 0


def some_actions(env: pacman2.VecEnv, rng: np.random.Generator) -> np.ndarray:
    """Returns mostly legal actions, so that games last, and occasionally any action."""
    actions = env.random_actions()
    wild = rng.random(actions.shape) < 0.01
    return np.where(wild, rng.integers(0, 9, actions.shape), actions)


def assert_rows(
    env: pacman2.VecEnv, result: dict, view: str, index: int, game: pacman2.Game
) -> None:
    """Asserts that the rows of a game agree with the game itself."""
    rows = slice(4 * index, 4 * index + 4)
    for seat in range(4):
        np.testing.assert_array_equal(result["observations"][rows][seat], game.observe(view, seat))
    np.testing.assert_array_equal(result["action_mask"][rows], game.action_mask())
    np.testing.assert_array_equal(result["alive"][rows], game.alive)


def as_dict(observations, rewards, terminations, truncations, infos) -> dict:
    assert not truncations.any()
    result = {"observations": observations, "rewards": rewards, "terminations": terminations}
    return result | infos


def assert_final(infos: dict, rows: slice, game: pacman2.Game) -> None:
    assert infos["_final_score"][rows].all() and infos["_rank"][rows].all()
    np.testing.assert_array_equal(infos["final_score"][rows], np.float32(game.scores))
    np.testing.assert_array_equal(infos["rank"][rows], game.ranks)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", REWARDS)
def test_next_step_agrees_with_single_games(view: str, name: str) -> None:
    env = pacman2.VecEnv(5, seed=3, observation=view, reward=name, turns=30)
    observations, infos = env.reset()
    games = [env.game(index) for index in range(5)]
    for index, game in enumerate(games):
        assert_rows(env, {"observations": observations} | infos, view, index, game)
    rng, over, ends = np.random.default_rng(0), [False] * 5, 0
    for _ in range(120):
        actions = some_actions(env, rng)
        result = as_dict(*env.step(actions))
        for index, rows in enumerate(slice(4 * index, 4 * index + 4) for index in range(5)):
            if over[index]:
                games[index] = env.game(index)
                assert games[index].turn == 0
                expected = np.zeros(4)
            else:
                before = shares(games[index])
                games[index].step(list(actions[rows]))
                expected = reward(name, before, games[index])
            over[index] = games[index].is_over
            assert_rows(env, result, view, index, games[index])
            np.testing.assert_allclose(result["rewards"][rows], expected, rtol=0, atol=1e-5)
            assert (result["terminations"][rows] == over[index]).all()
            if over[index]:
                ends += 1
                assert_final(result, rows, games[index])
                assert (result["action_mask"][rows] == NO_OP).all()
        assert ("final_score" in result) == any(over)
    assert ends > 10


def test_same_step_agrees_with_single_games() -> None:
    env = pacman2.VecEnv(5, seed=3, autoreset_mode=AutoresetMode.SAME_STEP, turns=30)
    env.reset()
    games, rng, ends = [env.game(index) for index in range(5)], np.random.default_rng(0), 0
    for _ in range(120):
        actions = some_actions(env, rng)
        result = as_dict(*env.step(actions))
        for index, rows in enumerate(slice(4 * index, 4 * index + 4) for index in range(5)):
            before = shares(games[index])
            games[index].step(list(actions[rows]))
            expected = reward("share", before, games[index])
            np.testing.assert_allclose(result["rewards"][rows], expected, rtol=0, atol=1e-6)
            assert (result["terminations"][rows] == games[index].is_over).all()
            if not games[index].is_over:
                assert_rows(env, result, "compact", index, games[index])
                continue
            ends += 1
            assert result["final_obs"].shape == result["observations"].shape
            assert result["_final_obs"][rows].all() and result["_final_info"][rows].all()
            for seat in range(4):
                last = games[index].observe("compact", seat)
                np.testing.assert_array_equal(result["final_obs"][rows][seat], last)
            assert_final(result, rows, games[index])
            assert_final(result["final_info"], rows, games[index])
            games[index] = env.game(index)
            assert games[index].turn == 0
            assert_rows(env, result, "compact", index, games[index])
        assert ("final_obs" in result) == result["terminations"].any()
    assert ends > 10


def test_disabled_waits_for_a_reset() -> None:
    env = pacman2.VecEnv(4, seed=9, autoreset_mode="Disabled", turns=6, reward="score")
    env.reset()
    for _ in range(6):
        result = as_dict(*env.step(env.random_actions()))
    assert result["terminations"].all()
    last = [env.game(index) for index in range(4)]
    result = as_dict(*env.step(env.random_actions()))
    assert result["terminations"].all() and not result["rewards"].any()
    assert "final_score" not in result
    for index in range(4):
        assert_rows(env, result, "compact", index, last[index])

    mask = np.array([False, True, False, True])
    observations, infos = env.reset(options={"reset_mask": np.repeat(mask, 4)})
    for index in range(4):
        assert (env.game(index) == last[index]) != mask[index]
        assert_rows(env, {"observations": observations} | infos, "compact", index, env.game(index))
    result = as_dict(*env.step(env.random_actions()))
    np.testing.assert_array_equal(result["terminations"].reshape(4, 4)[:, 0], ~mask)


def test_metadata_contains_the_autoreset_mode() -> None:
    for mode in AutoresetMode:
        for given in (mode, mode.value):
            assert pacman2.VecEnv(1, autoreset_mode=given).metadata["autoreset_mode"] is mode
    with pytest.raises(ValueError, match="Sometimes"):
        pacman2.VecEnv(1, autoreset_mode="Sometimes")


def played(env: pacman2.VecEnv, turns: int) -> list[np.ndarray]:
    """Plays at random and returns all actions and results, turn by turn."""
    result = []
    for _ in range(turns):
        actions = env.random_actions()
        observations, rewards, terminations, _, infos = env.step(actions)
        result += [actions, observations, rewards, terminations, infos["action_mask"]]
    return result


def assert_same(one: list[np.ndarray], other: list[np.ndarray], rows: int | None = None) -> None:
    assert len(one) == len(other) > 0
    for a, b in zip(one, other):
        np.testing.assert_array_equal(a[:rows], b[:rows])


@pytest.mark.parametrize("maps", [None, 3, "fresh", [1, 2, 3]])
def test_games_do_not_depend_on_their_number_or_on_threads(maps) -> None:
    small = played(pacman2.VecEnv(3, seed=7, maps=maps, turns=20), 60)
    large = played(pacman2.VecEnv(150, seed=7, maps=maps, turns=20), 60)
    threaded = played(pacman2.VecEnv(150, seed=7, maps=maps, turns=20, threads=3), 60)
    assert_same(small, large, rows=12)
    assert_same(large, threaded)
    other = played(pacman2.VecEnv(3, seed=8, maps=maps, turns=20), 60)
    assert any((a != b).any() for a, b in zip(small, other))


@pytest.mark.parametrize(
    ("games", "form"),
    [
        (16384, {"observation": "compact"}),
        (2048, {"observation": "planes"}),
        (1024, {"observation": "compact", "dtype": "float32"}),
    ],
)
def test_threads_that_have_enough_work_change_nothing(games, form) -> None:
    """With fewer games than these, one thread does all the work of at least one kind."""
    one, several = (
        played(pacman2.VecEnv(games, seed=7, maps=3, turns=2, threads=threads, **form), 3)
        for threads in (1, 3)
    )
    assert_same(one, several)


@pytest.mark.parametrize("games", [1, 2, 3, 8, 9, 20, 21, 70])
def test_instruction_sets_change_nothing(games) -> None:
    expected = played(pacman2.VecEnv(games, seed=7, turns=20), 60)
    x86_64 = ["portable", "avx2"]
    aarch64 = ["portable", "neon"]
    sets = aarch64 if platform.machine() in {"aarch64", "arm64"} else x86_64
    for name in sets[: sets.index(pacman2.VecEngine(1, 1).instruction_set) + 1]:
        assert pacman2.VecEngine(1, 1, instruction_set=name).instruction_set == name
        env = pacman2.VecEnv(games, seed=7, turns=20, instruction_set=name)
        assert_same(played(env, 60), expected)


def test_seeds() -> None:
    made = played(pacman2.VecEnv(3, seed=7), 20)
    env = pacman2.VecEnv(3, seed=1)
    env.reset(seed=7)
    assert_same(played(env, 20), made)
    env.reset(seed=np.uint64(7))
    assert_same(played(env, 20), made)
    env.reset(seed=2**32 - 1)

    env.reset(seed=[5, 6, 7])
    listed = played(env, 20)
    longer = pacman2.VecEnv(4, seed=100)
    longer.reset(seed=[5, 6, 7, 8])
    assert_same(listed, played(longer, 20), rows=12)

    # Two environments without a seed play different games.
    one, other = (played(pacman2.VecEnv(8), 5) for _ in range(2))
    assert any((a != b).any() for a, b in zip(one, other))

    for bad, message in [
        (
            -(2**31) - 1,
            "seed: expected a whole number from -2147483648 to 4294967295, got -2147483649",
        ),
        (2**32, "seed: expected .*, got 4294967296"),
        ([1, 2], "seed: expected 3 seeds, .*, got 2"),
        ([1, -(2**40), 3], r"seed\[1\]: expected .*, got -1099511627776"),
    ]:
        with pytest.raises(ValueError, match=message):
            env.reset(seed=bad)
    for bad in ["7", 1.5, [1, 2, "3"], {1: 2}]:
        with pytest.raises(TypeError, match="whole number"):
            env.reset(seed=bad)


def test_a_reset_without_a_seed_continues() -> None:
    env = pacman2.VecEnv(2, seed=4)
    first = env.game(0)
    assert first == pacman2.VecEnv(2, seed=4).game(0)
    env.reset()
    assert env.game(0) == first
    env.reset()
    second = env.game(0)
    assert second != first
    env.reset(seed=4)
    assert env.game(0) == first
    env.reset()
    assert env.game(0) == second
    env.reset(seed=[None, 9])
    assert env.game(0) not in (first, second)


def test_a_partial_reset_starts_the_same_games_as_a_full_one() -> None:
    env, whole = pacman2.VecEnv(3, seed=4, maps="fresh"), pacman2.VecEnv(3, seed=8, maps="fresh")
    untouched = env.game(0)
    env.reset(seed=8, options={"reset_mask": np.array([False, True, True])})
    assert [env.game(index) for index in (1, 2)] == [whole.game(index) for index in (1, 2)]
    assert env.game(0) == untouched != whole.game(0)


def test_unknown_options_of_a_reset_are_rejected() -> None:
    env = pacman2.VecEnv(2, seed=4)
    state = env.get_state()
    env.reset(options={})
    for bad, error in [({"mask": np.ones(2, bool)}, ValueError), ([("reset_mask", None)], TypeError)]:
        with pytest.raises(error, match='options: expected .* with the key "reset_mask", got '):
            env.reset(seed=5, options=bad)
    assert env.game(0) == pacman2.VecEnv(2, seed=4).game(0) and len(state) == len(env.get_state())


def test_invalid_reset_masks_are_rejected() -> None:
    env = pacman2.VecEnv(3)
    for bad, error, message in [
        (np.ones(3, int), TypeError, "int64"),
        ([True] * 3, TypeError, "got \\[True"),
        (np.ones(5, bool), ValueError, r"\(5,\)"),
        (np.ones((4, 3), bool), ValueError, r"\(4, 3\)"),
        (np.arange(12) < 6, ValueError, "game 1"),
    ]:
        with pytest.raises(error, match=message):
            env.reset(options={"reset_mask": bad})


def test_saved_states_have_the_same_future() -> None:
    env = pacman2.VecEnv(70, seed=5, maps="fresh", turns=15)
    played(env, 20)
    state, future = env.get_state(), played(env, 40)
    env.set_state(state)
    assert_same(played(env, 40), future)
    # The state contains everything, even for another map pool, more threads or another process.
    other = pacman2.VecEnv(70, seed=77, maps=2, threads=2)
    other.set_state(state)
    assert_same(played(other, 40), future)

    code = (
        "import pacman2, sys; env = pacman2.VecEnv(70); env.set_state(sys.stdin.buffer.read());"
        "[env.step(env.random_actions()) for _ in range(40)];"
        "sys.stdout.buffer.write(env.get_state())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=state, stdout=subprocess.PIPE, check=True
    )
    assert done.stdout == other.get_state()


@pytest.mark.parametrize("maps", [None, 5, "fresh", [3, 4, pacman2.Game(9).init_data()]])
@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_copies_and_pickles_have_the_same_future(maps, mode) -> None:
    env = pacman2.VecEnv(
        6, seed=5, maps=maps, size=7, turns=9, autoreset_mode=mode, observation="planes"
    )
    played(env, 13)
    copies = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
    future = played(env, 30)
    for other in copies:
        assert_same(played(other, 30), future)
        assert other.metadata == env.metadata
        assert other.observation_space == env.observation_space


def test_invalid_states_are_rejected() -> None:
    env = pacman2.VecEnv(2, seed=1)
    state = env.get_state()
    before = env.game(0)
    for bad in [b"", b"pacman2v", state[:-1], state[:40], state + b"x", pacman2.Game(1).to_bytes()]:
        with pytest.raises(ValueError, match="expected a saved state of a VecEnv, got other bytes"):
            env.set_state(bad)
    for place in range(0, len(state), 7):
        damaged = bytearray(state)
        damaged[place] ^= 0x10
        with pytest.raises(ValueError):
            env.set_state(bytes(damaged))
    with pytest.raises(ValueError, match="expected 3 games as in this environment, got 2"):
        pacman2.VecEnv(3).set_state(state)
    with pytest.raises(TypeError):
        env.set_state("text")
    assert env.game(0) == before


def signed(body: bytes) -> bytes:
    """Appends a correct hash, so that the parser has to detect what is wrong with the body."""
    value = 0xCBF29CE484222325
    for byte in body:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return body + value.to_bytes(8, "little")


def test_forged_states_do_no_harm() -> None:
    env = pacman2.VecEnv(1, seed=1, size=6)
    env.step(env.random_actions())
    body = env.get_state()[:-8]
    assert signed(body) == env.get_state()
    taken = 0
    rng = np.random.default_rng(0)
    for place in range(len(body)):
        forged = bytearray(body)
        forged[place] = rng.choice([0, 1, 0x7F, 0x80, 0xFF])
        try:
            env.set_state(signed(bytes(forged)))
        except ValueError:
            continue
        taken += 1
        for _ in range(3):
            env.step(env.random_actions())
    assert 0 < taken < len(body)


def test_every_integer_dtype_of_actions_gives_the_same_result() -> None:
    env = pacman2.VecEnv(3, seed=2)
    actions = env.random_actions()
    state = env.get_state()
    assert actions.dtype == np.uint8 and actions.shape == (12,)
    env.step(actions)
    expected = env.get_state()
    given = [actions.astype(dtype) for dtype in "bBhHiIlLqQ"]
    given += [np.asfortranarray(actions.reshape(3, 4).astype(int)), actions.reshape(3, 4)]
    given += [np.repeat(actions, 3).astype(np.int16)[::3], actions[::-1].copy()[::-1]]
    packed = np.zeros(12, [("pad", "u1"), ("action", "<i8")])
    packed["action"] = actions
    assert not packed["action"].flags.aligned
    for one in [*given, packed["action"]]:
        env.set_state(state)
        env.step(one)
        assert env.get_state() == expected


def test_invalid_actions_are_rejected() -> None:
    env = pacman2.VecEnv(3, seed=2)
    state = env.get_state()
    nine = np.zeros((3, 4), int)
    nine[1, 2] = 9
    for bad, error, message in [
        ([0] * 12, TypeError, "got \\[0, 0"),
        (None, TypeError, "got None"),
        (np.zeros(12), TypeError, "float64"),
        (np.zeros(12, bool), TypeError, "bool"),
        (np.zeros(12, object), TypeError, "object"),
        (np.zeros(12, ">i4"), TypeError, ">i4"),
        (np.zeros(11, int), ValueError, r"expected the shape \(12,\) or \(3, 4\), .*, got \(11,\)"),
        (np.zeros((4, 3), int), ValueError, r"\(4, 3\)"),
        (np.zeros((12, 1), int), ValueError, r"\(12, 1\)"),
        (np.zeros((), int), ValueError, r"\(\)"),
        (nine, ValueError, "got 9 for game 1, seat 2"),
        (np.full(12, -1, np.int8), ValueError, "got -1 for game 0, seat 0"),
        (np.full(12, 255, np.uint8), ValueError, "got 255"),
        (np.full(12, 2**32, np.int64), ValueError, f"got {2**32}"),
        (np.full(12, 2**63, np.uint64), ValueError, f"got {2**63}"),
        (np.full((4, 3), 9).T, ValueError, "got 9"),
    ]:
        with pytest.raises(error, match=message):
            env.step(bad)
        assert env.get_state() == state


def test_random_actions_are_legal() -> None:
    env = pacman2.VecEnv(100, seed=6, copy=False)
    seen = set()
    for _ in range(100):
        actions = env.random_actions()
        assert env.action_mask[np.arange(400), actions].all()
        assert not actions[~env.alive].any()
        seen.update(actions.tolist())
        env.step(actions)
    assert seen == set(range(9))


def test_random_actions_into_an_array() -> None:
    for out in [np.full(12, 77), np.full((3, 4), 77, np.int32), np.full(24, 77, np.uint8)[::2]]:
        env = pacman2.VecEnv(3, seed=6)
        expected = pacman2.VecEnv(3, seed=6).random_actions()
        assert env.random_actions(out=out) is out
        np.testing.assert_array_equal(out.reshape(12), expected)
    frozen = np.zeros(12, int)
    frozen.flags.writeable = False
    state = env.get_state()
    for bad, error in [
        (frozen, ValueError),
        (np.zeros(11, int), ValueError),
        (np.zeros(12), TypeError),
    ]:
        with pytest.raises(error, match="out"):
            env.random_actions(out=bad)
    # Rejected calls draw no random numbers.
    assert env.get_state() == state


def test_samples_follow_the_logits() -> None:
    env = pacman2.VecEnv(2000, seed=6, copy=False)
    for _ in range(12):
        env.step(env.random_actions())
    logits = np.random.default_rng(0).normal(0, 2, (8000, 9)).astype(np.float32)
    masked = np.where(env.action_mask, logits.astype(float), -np.inf)
    chances = np.exp(masked - masked.max(1, keepdims=True))
    chances /= chances.sum(1, keepdims=True)
    actions, log_prob = env.sample(logits)
    rows = np.arange(8000)
    assert env.action_mask[rows, actions].all() and not env.action_mask.all()
    np.testing.assert_allclose(log_prob, np.log(chances[rows, actions]), atol=1e-5)
    # Each of the nine actions is drawn as often as expected, within five standard deviations.
    counts = np.bincount(actions, minlength=9)
    deviations = np.sqrt((chances * (1 - chances)).sum(0))
    assert (abs(counts - chances.sum(0)) < 5 * deviations).all()


def test_samples_into_arrays() -> None:
    logits = np.zeros((3, 4, 9), np.float32)
    logits[..., 0] = np.inf
    env = pacman2.VecEnv(3, seed=6)
    out, log_prob = np.full((3, 4), 7), np.full(12, 7, np.float32)
    drawn = env.sample(logits, out=out, log_prob=log_prob)
    assert drawn[0] is out and drawn[1] is log_prob
    assert not out.any() and not log_prob.any()

    state = env.get_state()
    frozen = np.zeros(12, np.float32)
    frozen.flags.writeable = False
    shared = np.zeros(108, np.float32)
    good = {"logits": logits, "out": out, "log_prob": log_prob}
    for bad, error in [
        ({"logits": logits.astype(float)}, TypeError),
        ({"logits": logits.tolist()}, TypeError),
        ({"logits": np.zeros((12, 8), np.float32)}, ValueError),
        ({"logits": np.zeros((9, 12), np.float32).T}, ValueError),
        ({"out": out.astype(float)}, TypeError),
        ({"out": np.zeros(11, int)}, ValueError),
        ({"log_prob": np.zeros(12)}, TypeError),
        ({"log_prob": np.zeros(11, np.float32)}, ValueError),
        ({"log_prob": frozen}, ValueError),
        ({"logits": shared.reshape(12, 9), "log_prob": shared[:12]}, ValueError),
    ]:
        with pytest.raises(error, match=next(reversed(bad))):
            env.sample(**(good | bad))
    assert env.get_state() == state


def test_a_list_of_maps() -> None:
    custom = pacman2.Game(20, size=6, skill_cost=2).init_data()
    maps = [pacman2.Game(11), pacman2.Game(12), pacman2.Game(init_data=custom)]
    env = pacman2.VecEnv(64, seed=1, maps=[11, 12, custom])
    games = [env.game(index) for index in range(64)]
    assert all(game in maps for game in games) and all(game in games for game in maps)


def test_sizes_and_turns() -> None:
    for size, possible in [(6, {(6, 6)}), ((7, 9), {(7, 9)})]:
        env = pacman2.VecEnv(8, size=size, turns=3, maps="fresh")
        assert {(env.game(index).width, env.game(index).height) for index in range(8)} == possible
        assert env.game(0).settings["turns"] == 3


def test_a_pool_has_the_requested_number_of_maps() -> None:
    env = pacman2.VecEnv(200, seed=1, maps=3)
    firsts = {env.game(index).fingerprint() for index in range(200)}
    assert len(firsts) == 3
    assert len({pacman2.VecEnv(1, seed=2, maps=1).game(0).fingerprint()} | firsts) == 4
    fresh = pacman2.VecEnv(200, seed=1, maps="fresh")
    assert len({fresh.game(index).fingerprint() for index in range(200)}) == 200


def test_invalid_arguments_are_rejected() -> None:
    for arguments, error in [
        ({"num_games": 0}, ValueError),
        ({"num_games": -1}, ValueError),
        ({"num_games": 10**12}, ValueError),
        ({"num_games": 1.5}, TypeError),
        ({"threads": 0}, ValueError),
        ({"threads": 10**6}, ValueError),
        ({"instruction_set": "sse"}, ValueError),
        ({"observation": "pixels"}, ValueError),
        ({"reward": "fame"}, ValueError),
        ({"seed": -(2**31) - 1}, ValueError),
        ({"seed": 2**32}, ValueError),
        ({"seed": "1"}, TypeError),
        ({"maps": 0}, ValueError),
        ({"maps": "stale"}, ValueError),
        ({"maps": []}, ValueError),
        ({"maps": 1.5}, TypeError),
        ({"maps": {"width": 7}}, TypeError),
        ({"maps": [1, 2**40]}, ValueError),
        ({"maps": [1, {"width": 40}]}, ValueError),
        ({"maps": ["{"]}, ValueError),
        ({"size": 5}, ValueError),
        ({"size": (6, 12)}, ValueError),
        ({"turns": 0}, ValueError),
        ({"buffers": 3}, TypeError),
    ]:
        with pytest.raises(error):
            pacman2.VecEnv(**({"num_games": 1} | arguments))


def test_get_and_put_games() -> None:
    env = pacman2.VecEnv(3, seed=1)
    kept = env.game(-1)
    game = pacman2.Game(99)
    for _ in range(10):
        game.step([0, 0, 0, 0])
    env.put(1, game)
    assert env.game(1) == game and env.game(2) == kept
    assert_rows(env, env.arrays, "compact", 1, game)
    env.step(np.zeros(12, int))
    assert env.game(1) != game
    game.step([0, 0, 0, 0])
    assert env.game(1) == game
    # A game without its first turns can be saved, but has no replay and no init data.
    taken = env.game(1)
    taken.step([0, 0, 0, 0])
    again = pickle.loads(pickle.dumps(taken))
    assert again == taken and again.undo() and again == env.game(1)
    damaged = bytearray(taken.to_bytes())
    damaged[60] ^= 1
    with pytest.raises(ValueError, match="damaged"):
        pacman2.Game.from_bytes(bytes(damaged))
    for tell in (taken.replay, taken.init_data, lambda: taken.render("html")):
        with pytest.raises(ValueError, match="expected a game from the start of its map, got"):
            tell()
    for bad in [3, -4, 2**80]:
        with pytest.raises(IndexError, match="index: expected a whole number from -3 to 2, got"):
            env.game(bad)
    with pytest.raises(TypeError):
        env.game("0")
    with pytest.raises(TypeError):
        env.put(0, "game")


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_a_finished_game_can_be_put(mode) -> None:
    game = pacman2.Game(5, turns=1)
    game.step([0, 0, 0, 0])
    env = pacman2.VecEnv(2, seed=1, autoreset_mode=mode)
    env.put(0, game)
    assert env.arrays["terminations"].tolist() == [True] * 4 + [False] * 4
    _, rewards, terminations, _, infos = env.step(env.random_actions())
    assert "final_score" not in infos and not rewards[:4].any()
    assert terminations[:4].all() == (mode == AutoresetMode.DISABLED)
    assert env.game(0).is_over == (mode == AutoresetMode.DISABLED)


def test_spaces() -> None:
    env = pacman2.VecEnv(3, observation="planes")
    assert isinstance(env, gymnasium.vector.VectorEnv)
    assert env.num_envs == 12 and env.num_games == 3
    assert env.single_action_space == gymnasium.spaces.Discrete(9)
    assert env.single_observation_space.shape == (18, 11, 11)
    assert env.action_space is env.action_space
    assert env.observation_space is env.observation_space
    observations, _ = env.reset(seed=1)
    assert env.observation_space.contains(observations)
    for _ in range(20):
        actions = env.action_space.sample()
        observations, rewards, terminations, truncations, infos = env.step(actions)
        assert env.observation_space.contains(observations)
        assert rewards.dtype == np.float32 and rewards.shape == (12,)
        assert terminations.dtype == truncations.dtype == np.bool_
        assert infos["action_mask"].dtype == infos["alive"].dtype == np.bool_


@pytest.mark.parametrize(("games", "opponents", "fewest"), [(3, None, 20), (6, "greedy", 15)])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_episode_statistics(mode: str, games: int, opponents: str | None, fewest: int) -> None:
    options: dict[str, Any] = {"opponents": opponents, "reward": "score", "autoreset_mode": mode}
    env = RecordEpisodeStatistics(pacman2.VecEnv(games, seed=1, turns=10, **options))
    env.reset(seed=1)
    episodes = 0
    for _ in range(40):
        _, _, terminations, _, infos = env.step(env.unwrapped.random_actions())
        if terminations.any():
            rows = infos["_episode"]
            np.testing.assert_array_equal(rows, terminations)
            np.testing.assert_allclose(infos["episode"]["r"][rows], infos["final_score"][rows])
            assert (infos["episode"]["l"][rows] <= 10).all()
            episodes += rows.sum()
    assert episodes > fewest


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_infos_as_lists(mode: str) -> None:
    listed = DictInfoToList(pacman2.VecEnv(3, seed=1, turns=10, autoreset_mode=mode))
    _, infos = listed.reset(seed=1)
    for _ in range(10):
        _, _, terminations, _, infos = listed.step(listed.unwrapped.random_actions())
        assert len(infos) == 12 and all(info["action_mask"].shape == (9,) for info in infos)
        assert [("rank" in info) for info in infos] == terminations.tolist()


def test_the_engine_requires_only_numpy_and_vec_env_names_its_dependency() -> None:
    code = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "gymnasium":
            raise ImportError("there is none")
sys.meta_path.insert(0, Refuse())
import pacman2
engine = pacman2.VecEngine(2, 1)
observations, rewards, terminations, truncations, infos = engine.step(engine.random_actions())
assert observations.shape == (8, 150) and infos["alive"].all()
try:
    pacman2.VecEnv
except ImportError as error:
    assert "pip install" in str(error), error
else:
    raise AssertionError("it was there")
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_planes_follow_every_change(mode: str) -> None:
    """Steps write only what has changed in planes, whatever happened in between."""
    env = pacman2.VecEnv(
        70, seed=4, observation="planes", turns=25, maps=3, autoreset_mode=mode, copy=False
    )
    seen = env.arrays["observations"]
    rng = np.random.default_rng(4)
    state = env.get_state()
    for turn in range(120):
        env.step(env.random_actions() if turn % 7 else rng.integers(9, size=280))
        if turn == 40:
            env.put(3, pacman2.Game(5))
        if turn == 60:
            env.set_state(state)
        if turn == 80:
            env.reset(options={"reset_mask": rng.integers(2, size=70).astype(bool)})
        if turn % 10 == 0:
            for row in range(280):
                expected = env.game(row // 4).observe("planes", row % 4)
                assert (seen[row] == expected).all(), (turn, row)
            # A row that is overwritten as a whole is written anew.
            seen[rng.integers(280)] = rng.integers(2)
