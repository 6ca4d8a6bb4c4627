"""Formats of observations: numbers as floats, past actions, larger windows and features, the same
in all environments."""

from typing import Any

import numpy as np
import pacman2
import pytest
from conftest import play_at_random
from numpy.typing import NDArray

VIEWS = ["compact", "planes", "planes_centred"]
#: What the documentation says about float32.
PLAYER = [16, 16, 1, 32, 16]
REST = [128, 32, 16, 16, 4, 32, 16, 16, 8]
PLANES = [1] * 8 + [32, 16] * 4 + [128, 32]
FORMATS: list[dict[str, Any]] = [
    *({"observation": view} for view in VIEWS),
    *({"observation": view, "dtype": "float32"} for view in VIEWS),
    *({"observation": view, "history": 3} for view in VIEWS),
    {"observation": "planes_centred", "history": 2, "window": 21},
    {"observation": "planes_centred", "dtype": "float32", "history": 1, "window": 13},
    {"observation": "features"},
    {"observation": "features", "history": 4},
    {"observation": "action_features"},
    {"observation": "action_features", "dtype": "float32"},
]


def past(game: pacman2.Game, seat: int, turns: int) -> NDArray[np.int64]:
    """The last actions, latest turn first and the own one first; -1 for no action."""
    actions = np.full((turns, 4), -1)
    earlier = game.clone()
    for turn in range(min(turns, game.turn)):
        last = earlier.history[-1]
        earlier.undo()
        for after in range(4):
            other = (seat + after) % 4
            if earlier.alive[other] and last[other] != 255:
                actions[turn, after] = last[other]
    return actions


def one_hot(actions: NDArray[np.int64]) -> NDArray[np.float32]:
    return (actions.reshape(-1, 1) == np.arange(9)).astype(np.float32)


def tiled(window: NDArray[Any], game: pacman2.Game, side: int) -> NDArray[Any]:
    """A larger window, made from one of 11 rows of 11 of the repeated maze."""
    steps = np.arange(side) - side // 2
    rows, cols = ((5 + steps) % sides for sides in (game.height, game.width))
    return window[..., rows[:, None], cols]


def expected(
    game: pacman2.Game,
    seat: int,
    observation: str,
    dtype: str | None = None,
    history: int = 0,
    window: int = 11,
) -> NDArray[Any]:
    """An observation as the documentation describes it, made of the views of 11 rows of 11."""
    acts = past(game, seat, history)
    if observation == "features":
        features = np.roll(game.features(), -seat, axis=0).reshape(-1)
        return np.concatenate([features, one_hot(acts).reshape(-1)])
    seen = game.observe(observation, seat)
    if observation == "action_features":
        return seen.astype(dtype or np.uint8)
    if observation.startswith("planes"):
        inside = seen[7]
        if window != 11:
            seen, inside = tiled(seen, game, window), tiled(inside, game, window)
        planes = one_hot(acts).reshape(-1, 1, 1) * inside
        if dtype == "float32":
            return np.concatenate([seen / np.float32(PLANES).reshape(-1, 1, 1), planes])
        return np.concatenate([seen, planes.astype(np.uint8)])
    cells, numbers = seen[:121].reshape(11, 11), seen[121:]
    if dtype == "float32":
        bits = cells >> np.arange(8).reshape(8, 1, 1) & 1
        scaled = numbers / np.float32(PLAYER * 4 + REST)
        return np.concatenate([bits.reshape(-1), scaled, one_hot(acts).reshape(-1)])
    return np.concatenate([cells.reshape(-1), numbers, (acts + 1).astype(np.uint8).reshape(-1)])


def assert_shows(seen: NDArray[Any], game: pacman2.Game, seat: int, form: dict[str, Any]) -> None:
    want = expected(game, seat, **form)
    floats = form.get("dtype") == "float32" or form["observation"] == "features"
    assert seen.dtype == (np.float32 if floats else np.uint8)
    assert seen.shape == want.shape
    assert (seen == want).all()


def observed(game: pacman2.Game, seat: int, form: dict[str, Any]) -> NDArray[Any]:
    options = {name: value for name, value in form.items() if name != "observation"}
    return game.observe(form["observation"], seat, **options)


@pytest.mark.parametrize("form", FORMATS, ids=str)
def test_games_show_what_the_documentation_says(form: dict[str, Any]) -> None:
    for turns, size in [(0, (6, 9)), (1, (11, 7)), (40, (8, 8)), (1000, None)]:
        game = play_at_random(pacman2.Game(turns + 3, size=size), turns, 5)
        if not game.is_over:
            # The dead and those without an action have none.
            game.step([None, 1, 2, 0])
            game.step([3, 0, 0, 0])
        for seat in range(4):
            assert_shows(observed(game, seat, form), game, seat, form)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("form", FORMATS, ids=str)
def test_vec_env_shows_what_games_show(form: dict[str, Any], mode: str) -> None:
    pytest.importorskip("gymnasium")
    env = pacman2.VecEnv(5, seed=3, turns=12, autoreset_mode=mode, **form)
    threads = pacman2.VecEnv(5, seed=3, turns=12, autoreset_mode=mode, threads=2, **form)
    assert env.single_observation_space.shape == observed(pacman2.Game(1), 0, form).shape
    games = [env.game(index) for index in range(5)]
    env.reset()
    for turn in range(40):
        for index, game in enumerate(games):
            for seat in range(4):
                seen = env.by_game.observations[index, seat]
                assert_shows(seen, game, seat, form)
        assert env.observation_space.contains(env.arrays["observations"])
        # Some games end early.
        actions = env.random_actions() if turn % 9 < 7 else np.full(20, 2)
        was_over = [game.is_over for game in games]
        _, _, terminations, _, infos = env.step(actions)
        for index, game in enumerate(games):
            if mode == "NextStep" and was_over[index]:
                games[index] = env.game(index)
                continue
            if not was_over[index]:
                game.step(actions.reshape(5, 4)[index].tolist())
            if mode == "SameStep" and terminations[4 * index]:
                for seat in range(4):
                    assert_shows(infos["final_obs"][4 * index + seat], game, seat, form)
                games[index] = env.game(index)
        if mode == "Disabled" and turn == 30:
            mask = np.array([game.is_over for game in games])
            env.reset(options={"reset_mask": mask})
            games = [env.game(index) if over else game for index, (game, over) in enumerate(zip(games, mask))]
    state = env.get_state()
    threads.set_state(state)
    assert (threads.arrays["observations"] == env.arrays["observations"]).all()


def test_saved_states_and_put_games_keep_the_past() -> None:
    pytest.importorskip("gymnasium")
    form: dict[str, Any] = {"observation": "compact", "history": 3}
    env = pacman2.VecEnv(2, seed=1, **form)
    env.step(env.random_actions())
    env.step(env.random_actions())
    state = env.get_state()
    before = env.arrays["observations"].copy()
    shorter = pacman2.VecEnv(2, seed=2, observation="compact", history=1)
    shorter.set_state(state)
    assert (shorter.arrays["observations"] == before[:, :154]).all()
    longer = pacman2.VecEnv(2, seed=2, observation="compact", history=4)
    longer.set_state(state)
    assert (longer.arrays["observations"][:, :162] == before).all()
    assert (longer.arrays["observations"][:, 162:] == 0).all()
    env.set_state(pacman2.VecEnv(2, seed=3).get_state())
    assert (env.arrays["observations"][:, 150:] == 0).all()
    game = play_at_random(pacman2.Game(5), 6, 5)
    env.put(1, game)
    for seat in range(4):
        assert_shows(env.by_game.observations[1, seat], game, seat, form)


@pytest.mark.parametrize("form", FORMATS, ids=str)
def test_pettingzoo_and_solo_show_what_games_show(form: dict[str, Any]) -> None:
    pytest.importorskip("pettingzoo")
    env = pacman2.parallel_env(action_mask="info", black_death=True, turns=20, **form)
    observations, infos = env.reset(seed=4)
    while True:
        for seat, agent in enumerate(env.possible_agents):
            assert_shows(observations[agent], env.game, seat, form)
            assert env.observation_space(agent).contains(observations[agent])
        if env.game.turn == 9:
            copy = pacman2.parallel_env(action_mask="info", black_death=True, turns=20, **form)
            copy.restore(env.save())
            env = copy
        if not env.agents:
            break
        actions = {agent: env.action_space(agent).sample() for agent in env.agents}
        observations, *_ = env.step(actions)
    solo = pacman2.SoloEnv("random", seat=2, turns=20, **form)
    seen, info = solo.reset(seed=4)
    over = False
    while not over:
        assert_shows(seen, solo.game, 2, form)
        assert solo.observation_space.contains(seen)
        seen, _, over, _, info = solo.step(int(info["action_mask"].nonzero()[0][-1]))


@pytest.mark.parametrize("form", FORMATS, ids=str)
def test_spaces_hold_the_extremes(form: dict[str, Any]) -> None:
    """With the largest numbers that the rules know, observations stay within their space."""
    pytest.importorskip("gymnasium")
    env = pacman2.VecEnv(1, seed=0, maps=1, **form)
    space = env.single_observation_space
    huge = dict(turns=1000, generator_interval=1000, large_fruit_duration=1000)
    game = pacman2.Game(1, size=11, large_fruit_enhancement=1000, skill_cost=1000, **huge)
    for _ in range(4):
        for seat in range(4):
            assert space.contains(observed(game, seat, form))
        game.step([0] * 4)
    if space.dtype == np.uint8:
        most = 1 if form["observation"] == "action_features" else 255
        assert (space.low == 0).all() and (space.high == most).all()


def test_features_describe_each_seat() -> None:
    game = pacman2.Game(5, size=9)
    start = game.features()
    assert start.shape == (4, 32) and start.dtype == np.float32
    # Botzone's maps are symmetric, so that all seats are alike at the start.
    assert np.allclose(start, start[0], atol=1e-5)
    assert (start[:, 0] == 1).all() and (start[:, 3] == 1).all() and (start[:, 4] == 1).all()
    play_at_random(game, 30, 5)
    features = game.features()
    assert np.allclose(features[:, 0], (100 - game.turn) / 100)
    assert np.allclose(features[:, 2], game.small_fruits.sum() / 16)
    assert (features[:, 4] == game.alive).all()
    assert np.allclose(features[:, 7], np.array(game.boost_turns_left) / 10)
    assert np.allclose(features[:, 29], np.array(game.strength) / 24)


def test_features_are_finite_when_the_game_is_over() -> None:
    for seed in range(100):
        game = pacman2.Game(seed)
        rng = np.random.default_rng(seed)
        while not game.is_over:
            game.step(rng.integers(9, size=4).tolist() if seed % 2 else [0, 0, 0, seed % 9])
            assert np.isfinite(game.features()).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"observation": "image"}, '(view|observation): expected "compact", "planes", "planes_centred", .*, got .image'),
        ({"observation": "pixels"}, '(view|observation): expected "compact", .*"features", .*, got .pixels'),
        ({"dtype": "float64"}, 'dtype: expected "uint8", "float32", got .float64'),
        ({"observation": "features", "dtype": "uint8"}, 'dtype: expected "float32" or None, .*, got "uint8"'),
        (
            {"observation": "action_features", "history": 1},
            'history: expected 0 with the observation "action_features", got 1',
        ),
        ({"history": -1}, "history: expected a whole number from 0 to 64, got -1"),
        ({"history": 65}, "history: expected a whole number from 0 to 64, got 65"),
        ({"window": 12, "observation": "planes_centred"}, "window: expected an odd number, .*, got 12"),
        ({"window": 9, "observation": "planes_centred"}, "window: expected .* from 11 to 63, got 9"),
        ({"window": 65, "observation": "planes_centred"}, "window: expected .* from 11 to 63, got 65"),
        ({"window": 37}, "window: expected 11 or None with the observation .compact., .*, got 37"),
        ({"window": 37, "observation": "features"}, "window: expected 11 .* .features., .*, got 37"),
    ],
)
def test_invalid_formats_are_rejected(options: dict[str, Any], words: str) -> None:
    pytest.importorskip("pettingzoo")
    form = {"observation": "compact", **options}
    for make in (
        lambda: observed(pacman2.Game(1), 0, form),
        lambda: pacman2.VecEngine(1, 0, **form),
        lambda: pacman2.VecEnv(1, seed=0, **form),
        lambda: pacman2.SoloEnv(**form),
        lambda: pacman2.parallel_env(**form),
    ):
        with pytest.raises(ValueError, match=words):
            make()


def test_wrong_types_are_rejected() -> None:
    for options in ({"history": "2"}, {"window": 11.5}, {"dtype": 8}):
        with pytest.raises(TypeError):
            pacman2.Game(1).observe("planes_centred", 0, **options)  # type: ignore[arg-type]


def test_buffers_have_the_dtype_of_the_observations() -> None:
    floats = np.zeros((8, 997), np.float32)
    engine = pacman2.VecEngine(2, 0, dtype="float32", buffers={"observations": floats})
    assert engine.arrays["observations"] is floats and floats.any()
    assert engine.observation_dtype == "float32" and engine.observation_shape == (997,)
    with pytest.raises(ValueError, match="expected the dtype float32, got uint8"):
        bytes_ = np.zeros((8, 997), np.uint8)
        pacman2.VecEngine(2, 0, dtype="float32", buffers={"observations": bytes_})
