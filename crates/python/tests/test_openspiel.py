"""The OpenSpiel game, compared with `Game` and run by OpenSpiel's own tests and algorithms."""

import json
import pickle

import numpy as np
import pacman2
import pytest
from conftest import need

SMALL = "python_pacman2(seed=42,width=6,height=6,turns=3)"


@pytest.fixture(scope="module")
def spiel():
    need("pyspiel")
    import pacman2.openspiel  # noqa: F401
    import pyspiel

    return pyspiel


@pytest.fixture(scope="module")
def load(spiel):
    import pacman2.openspiel

    return pacman2.openspiel.load_game


def expected_returns(reward, start, game):
    if reward == "rank":
        return game.ranks
    if reward == "share":
        before, after = np.array(start.strength), np.array(game.strength)
        return after / after.sum() - before / before.sum()
    scores = np.array(game.scores)
    return scores - scores.mean() if reward == "zero_sum" else scores


@pytest.mark.parametrize("reward", ["zero_sum", "score", "rank", "share"])
def test_states_agree_with_the_game(spiel, load, reward):
    kinds = spiel.IIGObservationType
    spiel_game = load(7, turns=40, reward=reward)
    observer = spiel_game.make_py_observer(kinds(perfect_recall=True))
    rng = np.random.default_rng(3)
    for _ in range(4):
        state, game = spiel_game.new_initial_state(), pacman2.Game(7, turns=40)
        start, returns = game.clone(), np.zeros(4)
        while not game.is_over:
            assert not state.is_terminal() and state.is_simultaneous_node()
            for seat in range(4):
                masked = np.flatnonzero(game.action_mask()[seat])
                assert state.legal_actions(seat) == masked.tolist()
                assert state.legal_actions_mask(seat) == game.action_mask()[seat].tolist()
                seen = state.observation_tensor(seat)
                np.testing.assert_array_equal(seen, game.observe("compact", seat))
                observer.set_from(state, seat)
                np.testing.assert_array_equal(observer.dict["observation"], seen)
                past = np.zeros((40, 4, 9))
                for turn, four in enumerate(game.history):
                    past[turn, range(4), four] = 1
                np.testing.assert_array_equal(observer.dict["history"], past)
                np.testing.assert_array_equal(
                    state.information_state_tensor(seat), observer.tensor
                )
                assert state.observation_string(seat) == f"player {seat}\n{game}"
            actions = [rng.choice(state.legal_actions(seat)) for seat in range(4)]
            state.apply_actions(actions)
            game.step(actions)
            returns += state.rewards()
            np.testing.assert_allclose(returns, state.returns(), atol=1e-9)
        assert state.is_terminal() and state.current_player() == spiel.PlayerId.TERMINAL
        np.testing.assert_allclose(
            state.returns(), expected_returns(reward, start, game), atol=1e-9
        )


def test_information_states_are_the_actions_so_far(spiel):
    state = spiel.load_game(SMALL).new_initial_state()
    state.apply_actions([0, 3, 0, 1])
    state.apply_actions([0, 0, 2, 0])
    assert state.information_state_string(2) == "player 2, actions 0301 0020"


@pytest.mark.parametrize("reward", ["zero_sum", "score", "rank", "share"])
def test_random_simulations_of_openspiel(spiel, load, reward):
    game = load(5, turns=25, reward=reward)
    spiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)
    turn_based = spiel.convert_to_turn_based(game)
    spiel.random_sim_test(turn_based, num_sims=2, serialize=True, verbose=False)


def test_type_of_the_game(spiel, load):
    kinds = spiel.GameType
    game = load(1, size=(6, 7), turns=9)
    assert game.num_players() == 4 and game.num_distinct_actions() == 9
    assert game.max_game_length() == 9 and game.max_chance_outcomes() == 0
    assert game.get_type().chance_mode == kinds.ChanceMode.DETERMINISTIC
    assert game.get_type().dynamics == kinds.Dynamics.SIMULTANEOUS
    assert game.get_type().utility == kinds.Utility.ZERO_SUM and game.utility_sum() == 0
    share = load(1, reward="share").get_type()
    assert share.utility == kinds.Utility.GENERAL_SUM
    assert share.reward_model == kinds.RewardModel.REWARDS


def test_utilities_have_the_stated_bounds(load):
    # One player has all the strength, or the three others do and differ.
    highest = [10 * 4 + 100, 10, 10, 10]
    lowest = [10, 20, 30, 40 + 100]
    scores = load(1, reward="zero_sum")
    assert scores.max_utility() == highest[0] - np.mean(highest)
    assert scores.min_utility() == lowest[0] - np.mean(lowest)
    assert load(1, reward="score").max_utility() == highest[0]


def test_parameters_are_those_of_the_game(spiel, load):
    rules = dict(generator_interval=7, large_fruit_duration=3, large_fruit_enhancement=5)
    rules |= dict(skill_cost=2, turns=11, ruling="prose")
    game = load(3, size=(8, 6), **rules)
    assert game.start == pacman2.Game(3, size=(8, 6), **rules)
    again = spiel.load_game(str(game))
    assert again.start == game.start and again.start.settings == game.start.settings


def test_init_data_survive_openspiels_strings(spiel, load):
    init_data = pacman2.Game(11, size=(7, 9), turns=5, skill_cost=1).init_data()
    for given in (init_data, json.dumps(init_data)):
        game = load(init_data=given)
        assert game.start.init_data() == init_data
        assert spiel.load_game(str(game)).start == game.start
        spiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


def test_states_are_copied_and_pickled(spiel):
    state = spiel.load_game(SMALL).new_initial_state()
    copied = state.clone()
    copied.apply_actions([0, 0, 0, 0])
    assert state.game.turn == 0 and copied.game.turn == 1
    assert pickle.loads(pickle.dumps(copied)).game == copied.game


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"reward": "points"}, 'unknown reward "points"; expected "zero_sum", "score"'),
        ({"width": 6}, "expected width and height or neither, got 6 and -1"),
        ({"width": 5, "height": 6}, "size"),
        ({"map": "x"}, 'expected a map that pacman2.openspiel.load_game encoded, got "x"'),
        ({"turns": 0}, "turns"),
    ],
)
def test_wrong_parameters_are_refused(spiel, params, message):
    with pytest.raises(Exception, match=message):
        spiel.load_game("python_pacman2", params)


def test_mcts_plays_games(spiel):
    from open_spiel.python.algorithms import mcts

    game = spiel.convert_to_turn_based(spiel.load_game(SMALL))
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    bot = mcts.MCTSBot(game, 2, 30, evaluator, random_state=np.random.RandomState(2))
    state = game.new_initial_state()
    while not state.is_terminal():
        action = bot.step(state)
        assert action in state.legal_actions()
        state.apply_action(action)
    assert sum(state.returns()) == pytest.approx(0)


@pytest.mark.parametrize("name", ["external", "outcome"])
def test_cfr_by_sampling(spiel, name):
    from open_spiel.python.algorithms import external_sampling_mccfr, outcome_sampling_mccfr

    solvers = {
        "external": external_sampling_mccfr.ExternalSamplingSolver,
        "outcome": outcome_sampling_mccfr.OutcomeSamplingSolver,
    }
    np.random.seed(1)
    game = spiel.convert_to_turn_based(
        spiel.load_game("python_pacman2(seed=42,width=6,height=6,turns=1)")
    )
    solver = solvers[name](game)
    for _ in range(60 if name == "external" else 4000):
        solver.iteration()
    policy = solver.average_policy()
    state = game.new_initial_state()
    probabilities = policy.action_probabilities(state)
    assert sum(probabilities.values()) == pytest.approx(1)
    # In a single turn, only the actions that lead to fruit gain anything.
    best = max(state.legal_actions(), key=lambda action: gain(action))
    assert max(probabilities, key=probabilities.get) == best


def gain(action):
    game = pacman2.Game(42, size=6, turns=1)
    game.step((action, 0, 0, 0))
    return game.scores[0]


def test_rl_environment(spiel):
    from open_spiel.python import rl_environment

    env = rl_environment.Environment(spiel.load_game(SMALL))
    step = env.reset()
    turns = 0
    while not step.last():
        actions = [legal[0] for legal in step.observations["legal_actions"]]
        step = env.step(actions)
        turns += 1
    assert turns == 3
