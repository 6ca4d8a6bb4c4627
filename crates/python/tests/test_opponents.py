"""``VecEnv`` with opponents: built-in bots and policies on the seats of others."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pacman2
import pytest

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.vector import AutoresetMode

MODES = [mode.value for mode in AutoresetMode]
REWARDS = ["share", "score", "rank", "zero_sum"]


def last_legal(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """A policy of actions: the last legal one."""
    assert observations.shape == (len(masks), 150) and masks.dtype == np.bool_
    return 8 - np.argmax(masks[:, ::-1], axis=1)


def even(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """A policy of logits: all legal actions are equally likely."""
    return np.zeros((len(masks), 9))


def learner(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """A choice that depends on the observation alone; now and then it is any of the nine actions."""
    numbers = (observations.astype(np.int64) * np.arange(1, 151)).sum(axis=1) * 7919 % 10_007
    legal = [np.flatnonzero(mask) for mask in masks]
    pick = [rows[number % len(rows)] for rows, number in zip(legal, numbers)]
    return np.where(numbers % 61 == 0, numbers % 9, pick)


def answer(opponent: Any, game: pacman2.Game, seat: int) -> int:
    """Returns what an opponent does, asked outside the environment."""
    if isinstance(opponent, str):
        return pacman2.Bot(opponent, game.seed).act(game, seat)
    return int(opponent(game.observe("compact", seat)[None], game.action_mask()[seat][None])[0])


def before(game: pacman2.Game, turn: int) -> pacman2.Game:
    """Returns a game as it was, with its seed and its earlier turns."""
    game = game.clone()
    while game.turn > turn:
        game.undo()
    return game


def share(game: pacman2.Game, seat: int) -> float:
    return game.strength[seat] / max(sum(game.strength), 1)


@pytest.mark.parametrize("reward", REWARDS)
def test_a_row_agrees_with_its_game(reward: str) -> None:
    lineup = ["greedy", last_legal, "sample --simulations 2"]
    env = pacman2.VecEnv(6, seed=4, opponents=lineup, seat="random", reward=reward, turns=25)
    assert env.num_envs == 6 and env.by_game.rewards.shape == (6, 1)
    observations, infos = env.reset()
    games, over, deaths, ends = [env.game(row) for row in range(6)], [False] * 6, 0, 0
    for _ in range(110):
        actions = learner(observations, env.action_mask)
        observations, rewards, terminations, _, infos = env.step(actions)
        for row in range(6):
            then, now, seat = games[row], env.game(row), int(infos["seat"][row])
            games[row] = now
            assert seat == env.seats[row] and infos["opponents"][row].tolist() == [0, 1, 2]
            np.testing.assert_array_equal(observations[row], now.observe("compact", seat))
            np.testing.assert_array_equal(infos["action_mask"][row], now.action_mask()[seat])
            assert infos["alive"][row] == now.alive[seat]
            if over[row]:
                assert now.turn == 0 and rewards[row] == 0 and not terminations[row]
                over[row] = False
                continue
            assert now.history[then.turn][seat] == actions[row]
            # After the learner's death, opponents may have finished the game.
            for turn in range(then.turn, now.turn):
                past = before(now, turn)
                for after, opponent in enumerate(lineup, 1):
                    other = (seat + after) % 4
                    if past.alive[other]:
                        assert answer(opponent, past, other) == now.history[turn][other]
            dead = not now.alive[seat]
            over[row] = dead or now.is_over
            assert terminations[row] == over[row]
            deaths, ends = deaths + dead, ends + (over[row] and not dead)
            due = {
                "share": share(before(now, then.turn + 1), seat) - share(then, seat),
                "score": now.scores[seat],
                "rank": now.ranks[seat],
                "zero_sum": now.scores[seat] - np.mean(now.scores),
            }[reward]
            due = due if over[row] or reward == "share" else 0
            assert rewards[row] == pytest.approx(due, abs=1e-5)
            if reward == "share":
                assert now.turn == then.turn + 1
            else:
                assert now.is_over or not over[row]
            if over[row]:
                assert infos["_final_score"][row] == infos["_rank"][row] == now.is_over
                if now.is_over:
                    assert infos["final_score"][row] == pytest.approx(now.scores[seat])
                    assert infos["rank"][row] == now.ranks[seat]
    assert deaths > 5 and ends > 2


def episodes(count: int, turns: int, shown: int, **options: Any) -> list[list[Any]]:
    """Plays and returns the episodes of the first slots: who played, rewards, and the last infos."""
    env = pacman2.VecEnv(count, seed=8, turns=15, maps=50, **options)
    observations, infos = env.reset()
    made: list[list[Any]] = [[] for _ in range(count)]
    rewards_so_far: list[list[float]] = [[] for _ in range(count)]
    over = np.zeros(count, bool)
    for _ in range(turns):
        actions = learner(observations, infos["action_mask"])
        observations, rewards, terminations, _, infos = env.step(actions)
        for row in np.flatnonzero(~over):
            rewards_so_far[row].append(float(rewards[row]))
        for row in np.flatnonzero(terminations & ~over):
            last = infos["final_obs"][row] if "final_obs" in infos else observations[row]
            players = (int(infos["seat"][row]), infos["opponents"][row].tolist())
            result = float(infos["final_score"][row]), int(infos["rank"][row])
            made[row].append((players, rewards_so_far[row], result, last.tolist()))
            rewards_so_far[row] = []
        if options["autoreset_mode"] == "SameStep":
            continue
        over = terminations & ~over if options["autoreset_mode"] == "NextStep" else terminations
        if options["autoreset_mode"] == "Disabled" and over.sum() > 2:
            observations, infos = env.reset(options={"reset_mask": over})
            assert not env.arrays["terminations"].any()
            over = np.zeros(count, bool)
    return made[:shown]


@pytest.mark.parametrize("reward", ["share", "score"])
@pytest.mark.parametrize("seat", ["random", "rotate"])
def test_episodes_depend_neither_on_the_mode_nor_on_threads_and_other_games(reward, seat) -> None:
    options = {
        "opponents": ["hunter", "sample --simulations 2", last_legal, even],
        "opponents_mode": "drawn",
        "opponent_weights": [1, 2, 1, 1],
        "reward": reward,
        "seat": seat,
    }
    first = episodes(5, 150, 5, autoreset_mode="NextStep", **options)
    assert sum(map(len, first)) > 40
    drawn = np.array([players[1] for slot in first for players, *_ in slot])
    assert set(drawn.flat) == {0, 1, 2, 3}
    seats = [players[0] for players, *_ in first[1]]
    assert set(seats) == {0, 1, 2, 3}
    if seat == "rotate":
        assert seats[:5] == [1, 2, 3, 0, 1]
    same = episodes(5, 150, 5, autoreset_mode="SameStep", **options)
    more = episodes(70, 150, 5, autoreset_mode="NextStep", threads=2, **options)
    disabled = episodes(5, 150, 5, autoreset_mode="Disabled", **options)
    for other in (same, more, disabled):
        for one, two in zip(first, other, strict=True):
            count = min(len(one), len(two))
            assert count > 4 and one[:count] == two[:count]


def test_draws_follow_the_weights() -> None:
    weights = [1, 0, 3]
    env = pacman2.VecEnv(
        4000,
        seed=1,
        maps=1,
        opponents=["random", "greedy", last_legal],
        opponents_mode="drawn",
        opponent_weights=weights,
        seat="random",
    )
    _, infos = env.reset()
    counts = np.bincount(infos["opponents"].ravel(), minlength=3)
    assert counts[1] == 0 and abs(counts[2] / counts.sum() - 0.75) < 0.02
    assert (abs(np.bincount(infos["seat"]) - 1000) < 130).all()
    # The opponents of one game are drawn independently.
    assert abs(np.mean(infos["opponents"][:, 0] == infos["opponents"][:, 1]) - 10 / 16) < 0.03


def test_several_learners() -> None:
    env = pacman2.VecEnv(3, seed=2, opponents=[None, "greedy", None], seat="rotate", turns=9)
    assert env.num_envs == 9 and env.by_game.observations.shape == (3, 3, 150)
    observations, infos = env.reset()
    assert infos["seat"].tolist() == [0, 1, 3, 1, 2, 0, 2, 3, 1]
    assert infos["opponents"][:3].tolist() == [[-1, 1, -1], [1, -1, -1], [-1, -1, 1]]
    for _ in range(12):
        actions = env.random_actions(out=np.zeros((3, 3), int))
        observations, rewards, terminations, _, infos = env.step(actions)
        for row, seat in enumerate(env.seats.tolist()):
            game = env.game(row // 3)
            np.testing.assert_array_equal(observations[row], game.observe("compact", seat))
            assert infos["alive"][row] == game.alive[seat]
        assert (env.by_game.terminations == env.by_game.terminations[:, :1]).all()
    bad = np.zeros(9, int)
    bad[4] = 9
    with pytest.raises(ValueError, match="actions: expected .* from 0 to 8, got 9 for game 1, row 4"):
        env.step(bad)
    with pytest.raises(ValueError, match=r"expected the shape \(9,\) or \(3, 3\), .*, got \(12,\)"):
        env.step(np.zeros(12, int))


def test_a_policy_is_called_once_per_turn_for_all_its_rows() -> None:
    calls = []

    def policy(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        calls.append(len(masks))
        assert masks.any(axis=1).all() and observations.shape == (len(masks), 18, 11, 11)
        return np.zeros(len(masks), np.int8)

    env = pacman2.VecEnv(20, seed=1, opponents=policy, observation="planes")
    assert calls == []
    env.reset()
    for _ in range(4):
        env.step(np.zeros(20, int))
    assert calls == [60] * 4


def test_logits_are_drawn_among_legal_actions() -> None:
    preferred = np.log(np.array([4.0, 1, 1, 1, 1, 1, 1, 1, 1]))

    def policy(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return np.tile(preferred, (len(masks), 1)).astype(np.float32)

    env = pacman2.VecEnv(800, seed=3, opponents=policy, maps=200)
    env.reset()
    env.step(np.zeros(800, int))
    stayed, expected = 0, 0.0
    for row in range(800):
        game = env.game(row)
        start = before(game, 0)
        for seat in (1, 2, 3):
            legal = start.legal_actions(seat)
            assert game.history[0][seat] in legal
            stayed += game.history[0][seat] == 0
            expected += 4 / (3 + len(legal))
    assert abs(stayed - expected) < 5 * np.sqrt(2400) / 2


@pytest.mark.parametrize("mode", MODES)
def test_saved_states_have_the_same_future(mode: str) -> None:
    options: dict[str, Any] = {
        "opponents": ["sage --simulations 12", last_legal, even],
        "reward": "score",
        "autoreset_mode": mode,
        "seat": "random",
        "turns": 12,
    }
    env = pacman2.VecEnv(6, seed=5, **options)

    def future(env: pacman2.VecEnv) -> list[Any]:
        result = []
        for turn in range(25):
            actions = env.random_actions()
            observations, rewards, terminations, _, infos = env.step(actions)
            result += [actions, observations, rewards, terminations, infos["opponents"]]
            if turn % 9 == 8:
                env.reset(options={"reset_mask": env.arrays["terminations"].copy()})
        return result

    future(env)
    state = env.get_state()
    copies = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
    fresh = pacman2.VecEnv(6, seed=99, threads=2, **options)
    fresh.set_state(state)
    expected = future(env)
    env.set_state(state)
    for other in (env, fresh, *copies):
        for one, two in zip(expected, future(other), strict=True):
            np.testing.assert_array_equal(one, two)


def test_new_opponents_play_the_games_that_begin_later() -> None:
    env = pacman2.VecEnv(3, seed=5, opponents="greedy", turns=4, autoreset_mode="SameStep")
    env.reset()
    env.step(np.zeros(3, int))
    env.set_opponents(["random", last_legal], opponents_mode="drawn", opponent_weights=[0, 1])
    kept = pickle.loads(pickle.dumps(env))
    for one in (env, kept):
        for turn in range(1, 8):
            _, _, _, _, infos = one.step(np.zeros(3, int))
            expected = [[0, 1, 2]] * 3 if turn < 4 else [[1, 1, 1]] * 3
            assert infos["opponents"].tolist() == expected
    assert env.get_state() == kept.get_state()
    with pytest.raises(ValueError, match="opponents: expected 0 of them to be None, .*, got 1"):
        env.set_opponents([None, "greedy", "greedy"])
    with pytest.raises(RuntimeError, match="expected an environment with opponents"):
        pacman2.VecEnv(1).set_opponents("greedy")


def test_put_and_reset() -> None:
    env = pacman2.VecEnv(3, seed=5, opponents="sage --simulations 9", seat=2)
    env.reset()
    first = [env.game(row) for row in range(3)]
    game = pacman2.Game(9)
    for _ in range(7):
        game.step([pacman2.Bot("hunter").act(game, seat) for seat in range(4)])
    env.put(1, game)
    assert env.game(1) == game and len(env.game(1).history) == 7
    np.testing.assert_array_equal(env.arrays["observations"][1], game.observe("compact", 2))
    env.step(env.random_actions())
    now = env.game(1)
    for seat in (0, 1, 3):
        assert answer("sage --simulations 9", before(now, 7), seat) == now.history[7][seat]
    env.reset(seed=5)
    assert [env.game(row) for row in range(3)] == first
    dead = game.clone()
    dead.step([0, 0, 8, 0])
    assert not dead.alive[2]
    env.put(0, dead)
    assert env.arrays["terminations"].tolist() == [True, False, False]
    env.step(np.zeros(3, int))
    assert env.game(0).turn == 0 and not env.arrays["terminations"].any()


def test_buffers_and_copies() -> None:
    arrays = {
        "observations": np.zeros((4, 150), np.uint8),
        "rewards": np.zeros(4, np.float32),
        "terminations": np.zeros(4, np.uint8),
    }
    env = pacman2.VecEnv(4, seed=1, opponents="greedy", buffers=arrays, copy=False)
    result = env.step(env.random_actions())
    assert result[0] is arrays["observations"] and result[0].any()
    assert result[2] is arrays["terminations"]
    assert env.step(env.random_actions())[0] is result[0]
    kept = pacman2.VecEnv(4, seed=1, opponents="greedy")
    one, two = kept.step(kept.random_actions()), kept.step(kept.random_actions())
    assert (one[0] != two[0]).any() and one[4]["seat"] is not two[4]["seat"]
    with pytest.raises(ValueError, match=r"expected the shape \(4, 150\), got \(16, 150\)"):
        wrong = {"observations": np.zeros((16, 150), np.uint8)}
        pacman2.VecEnv(4, opponents="greedy", buffers=wrong)


@pytest.mark.parametrize("observation", ["planes_centred", "features", "action_features"])
def test_learners_and_policies_see_all_kinds_of_observations(observation: str) -> None:
    form: dict[str, Any] = {"observation": observation, "history": 0}
    if observation != "action_features":
        form["history"] = 2
    seen: list[np.ndarray] = []

    def policy(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        seen.append(observations)
        return np.where(masks, np.arange(9), -1).argmax(axis=1)

    env = pacman2.VecEnv(
        3, seed=1, opponents=[policy, "greedy", policy], seat="random", reward="score", **form
    )
    env.reset()
    for _ in range(130):
        observations = env.arrays["observations"]
        for row, seat in enumerate(env.seats.tolist()):
            shown = env.game(row).observe(observation, seat, history=form["history"])
            np.testing.assert_array_equal(observations[row], shown)
        env.step(env.random_actions())
    # Policies also finish games whose learner is dead.
    assert len(seen) > 130
    assert {part.shape[1:] for part in seen} == {observations.shape[1:]}
    assert {part.dtype for part in seen} == {observations.dtype}


def test_a_saved_league_continues_after_its_list_grew() -> None:
    def policy(weight: float) -> Callable[..., np.ndarray]:
        return lambda observations, masks: np.sin(weight * np.arange(9)) * np.ones((len(masks), 1))

    policies = [policy(weight) for weight in (1, 2, 3)]

    def league() -> pacman2.VecEnv:
        env = pacman2.VecEnv(
            20,
            seed=1,
            opponents=["greedy", *policies[:2]],
            opponents_mode="drawn",
            autoreset_mode="SameStep",
        )
        env.reset()
        return env

    def grow(env: pacman2.VecEnv) -> None:
        env.set_opponents(["greedy", *policies], opponents_mode="drawn")

    env, other = league(), league()
    for _ in range(30):
        env.step(env.random_actions())
    # Games are played whose opponents were chosen from the old list.
    grow(env)
    grow(other)
    other.set_state(env.get_state())
    for _ in range(60):
        actions = env.random_actions()
        np.testing.assert_array_equal(actions, other.random_actions())
        assert (env.step(actions)[0] == other.step(actions)[0]).all()


def test_samples_and_random_actions() -> None:
    env = pacman2.VecEnv(500, seed=1, opponents="random", seat="random")
    env.reset()
    for _ in range(20):
        logits = np.random.default_rng(0).normal(size=(500, 9)).astype(np.float32)
        actions, log_prob = env.sample(logits)
        assert env.action_mask[np.arange(500), actions].all() and (log_prob <= 0).all()
        masked = np.where(env.action_mask, logits, -np.inf)
        chances = np.exp(masked - np.log(np.exp(masked).sum(axis=1, keepdims=True)))
        np.testing.assert_allclose(np.exp(log_prob), chances[np.arange(500), actions], rtol=1e-4)
        env.step(actions)
        assert env.action_mask[np.arange(500), env.random_actions()].all()


def test_a_policy_that_fails_changes_nothing() -> None:
    calls = []
    answers: list[Any] = [None]

    def policy(observations: np.ndarray, masks: np.ndarray) -> Any:
        calls.append(len(masks))
        given = answers[0]
        return given(len(masks)) if callable(given) else given

    lineup = [policy, "sage --simulations 5", "greedy"]
    env = pacman2.VecEnv(4, seed=1, opponents=lineup, reward="score")
    env.reset()
    state = env.get_state()
    for answer_, error, words in [
        (None, TypeError, r"a policy: expected actions, .*, got an array of shape \(\) and dtype object"),
        (lambda n: np.zeros(n + 1, int), TypeError, r"expected .* \(4,\), .*, got .* shape \(5,\) and dtype int64"),
        (lambda n: np.zeros(n), TypeError, r"expected actions, .*, got .* dtype float64"),
        (lambda n: np.full(n, 9), ValueError, "expected actions from 0 to 8, got 9 in row 0"),
        (lambda n: np.zeros((n, 8)), TypeError, r"shape \(4, 8\)"),
        (lambda n: 1 // 0, ZeroDivisionError, "division"),
        (lambda n: env.step(np.zeros(4, int)), RuntimeError, "in use"),
    ]:
        answers[0] = answer_
        with pytest.raises(error, match=words):
            env.step(np.zeros(4, int))
        assert env.get_state() == state
    # The policy fails while it finishes a game after the learner's death.
    answers[0] = lambda n: np.zeros(n, int) if len(calls) < 3 else 1 // 0
    calls.clear()
    illegal = np.argmin(env.action_mask, axis=1)
    with pytest.raises(ZeroDivisionError):
        env.step(illegal)
    assert len(calls) == 3 and env.get_state() == state
    answers[0] = lambda n: np.zeros(n, int)
    env.step(illegal)
    assert env.arrays["ended"].all() and env.arrays["final_score"].all()


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"opponents": ["greedy", "greedy"]}, ValueError, "opponents: expected 3, .* got 2"),
        ({"opponents": []}, ValueError, "opponents: expected 3, .* got 0"),
        ({"opponents": [], "opponents_mode": "drawn"}, ValueError, "opponents: expected at least one to draw from, got"),
        ({"opponents": "gredy"}, ValueError, r'opponents\[0\]: expected .*, got "gredy": unknown built-in bot "gredy"'),
        ({"opponents": ["greedy", 3, "greedy"]}, TypeError, r"opponents\[1\]: expected a built-in .*, got 3"),
        ({"opponents": "greedy --time 5"}, ValueError, "greedy does not simulate"),
        ({"opponents": "sage --net /nowhere.net"}, ValueError, r"--net: /nowhere.net: No such file"),
        ({"opponents": ["greedy", None], "opponents_mode": "drawn"}, ValueError, "cannot be drawn"),
        ({"opponents": "greedy", "opponents_mode": "random"}, ValueError, 'opponents_mode: expected "seats", "drawn", got .random'),
        ({"opponents": "greedy", "opponent_weights": [1]}, ValueError, "opponent_weights: expected None unless .*, got"),
        ({"opponents": "greedy", "seat": 4}, ValueError, "seat: expected .*, got 4"),
        ({"opponents": "greedy", "seat": "any"}, ValueError, "seat: expected .*, \"random\" or \"rotate\", got 'any'"),
        ({"seat": 1}, ValueError, "seat: expected None without opponents, got 1"),
    ]
    + [
        (
            {"opponents": ["greedy", "random"], "opponents_mode": "drawn", "opponent_weights": weights},
            ValueError,
            "opponent_weights: expected 2 numbers of at least 0, not all of them 0, got",
        )
        for weights in ([1], [0, 0], [1, -1], [1, float("nan")])
    ],
)
def test_invalid_options_are_rejected(options, error, match) -> None:
    with pytest.raises(error, match=match):
        pacman2.VecEnv(2, **options)


def test_invalid_states_are_rejected() -> None:
    env = pacman2.VecEnv(2, seed=1, opponents=["greedy", last_legal, "random"])
    env.step(env.random_actions())
    state = env.get_state()
    for place in range(0, len(state), 97):
        damaged = bytearray(state)
        damaged[place] ^= 0x10
        with pytest.raises(ValueError, match="expected a saved state .*, got other bytes"):
            env.set_state(bytes(damaged))
    for other, words in [
        (pacman2.VecEnv(3, opponents="greedy"), "expected 2 games|expected 3 games"),
        (pacman2.VecEnv(2, opponents=["greedy", None, "random"]), "expected 2 learners"),
        (pacman2.VecEnv(2, opponents="greedy"), "1 policies among the opponents, this environment 0"),
        (pacman2.VecEnv(2), "expected a saved state .*, got other bytes"),
    ]:
        with pytest.raises(ValueError, match=words):
            other.set_state(state)
    with pytest.raises(ValueError, match="expected a saved state .*, got other bytes"):
        env.set_state(pacman2.VecEnv(2).get_state())
    assert env.get_state() == state


def test_rule_settings_and_sizes_are_those_of_a_game() -> None:
    rules: dict[str, Any] = {
        "turns": 33,
        "generator_interval": 4,
        "large_fruit_duration": 5,
        "large_fruit_enhancement": 6,
        "skill_cost": 2,
        "ruling": "judge",
    }
    for options in ({}, {"opponents": "greedy"}, {"maps": "fresh"}, {"maps": [3, 4]}):
        env = pacman2.VecEnv(2, size=(7, 9), **rules, **options)
        game = env.game(0)
        assert game.settings == rules == pacman2.Game(1, **rules).settings
        assert (game.width, game.height) == (7, 9)
        again = pickle.loads(pickle.dumps(env))
        again.reset()
        assert again.game(0).settings == rules
    with pytest.raises(TypeError, match="unexpected keyword argument 'turn'"):
        pacman2.VecEnv(1, turn=3)
    with pytest.raises(ValueError, match="skill_cost: expected .*, got -1"):
        pacman2.VecEnv(1, skill_cost=-1)
