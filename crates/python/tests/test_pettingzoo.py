"""The PettingZoo environments: PettingZoo's own tests, and comparisons with `Game`."""

import copy
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("pettingzoo")

from gymnasium import spaces
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
)
from pettingzoo.test.state_test import state_test
from pettingzoo.utils.conversions import aec_to_parallel, parallel_to_aec_wrapper

import pacman2

AGENTS = ["player_0", "player_1", "player_2", "player_3"]
VIEWS = ["compact", "planes", "compact_centred", "planes_centred"]
REWARDS = ["share", "score", "rank", "zero_sum"]

# PettingZoo expects dict observations only from a fixed list of its own environments, and passes options to all.
NOISE = [
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
    OPTIONS := "ignore:options. expected None or an empty dict, got {'options'. 1}",
]


def some_options():
    for view in VIEWS:
        yield {"observation": view}
    for reward in REWARDS:
        yield {"reward": reward, "action_mask": "info"}
    for black_death in (False, True):
        for kept in (False, True):
            yield {"black_death": black_death, "copy": kept, "max_cycles": 30}


def named(options):
    return ",".join(f"{name}={value}" for name, value in options.items())


every_option = pytest.mark.parametrize("options", list(some_options()), ids=named)


def seat(agent):
    return AGENTS.index(agent)


def legal(env, rng, infos):
    """Returns a legal action for each agent, or occasionally any action."""
    actions = {}
    for agent in env.agents:
        mask = infos[agent]["action_mask"]
        wild = mask.sum() > 1 and rng.random() < 0.01
        actions[agent] = int(rng.integers(9) if wild else rng.choice(np.flatnonzero(mask)))
    return actions


def turns(env, seed, with_reset=False):
    """Plays a game: yields the actions and the result of each step until no agent is left."""
    rng = np.random.default_rng(seed)
    observations, infos = env.reset(seed=seed)
    if with_reset:
        yield None, (observations, infos)
    while env.agents:
        actions = legal(env, rng, infos)
        result = env.step(actions)
        infos = result[4]
        yield actions, result


def shares(strength):
    """Returns each player's share of the total strength; a total of 0 counts as 1."""
    return strength / (strength.sum() or 1)


def same(one, other):
    """Whether two structures of dicts, tuples, arrays and numbers are equal."""
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and np.array_equal(one, other)


# PettingZoo's own tests.


@every_option
@pytest.mark.filterwarnings("error", OPTIONS)
def test_parallel_api(options):
    parallel_api_test(pacman2.parallel_env(**options), num_cycles=300)


@every_option
@pytest.mark.filterwarnings("error", *NOISE)
def test_api(options):
    api_test(pacman2.env(**options), num_cycles=60)


@pytest.mark.filterwarnings("error", OPTIONS)
def test_api_has_no_warnings_with_array_observations():
    api_test(pacman2.env(action_mask="info"), num_cycles=60)


@every_option
def test_seeds(options):
    parallel_seed_test(lambda: pacman2.parallel_env(**options), num_cycles=50)
    seed_test(lambda: pacman2.env(**options), num_cycles=50)


@pytest.mark.parametrize("black_death", [False, True])
def test_max_cycles(black_death):
    def seeded(env):
        env.reset(seed=5)
        for number, agent in enumerate(AGENTS):
            env.action_space(agent).seed(number)
        return env

    module = SimpleNamespace(
        parallel_env=lambda **kw: seeded(pacman2.parallel_env(black_death=black_death, **kw)),
        env=lambda **kw: seeded(pacman2.env(black_death=black_death, **kw)),
    )
    max_cycles_test(module)


def test_render(capsys):
    is_page = {"html": lambda page: page.lstrip().lower().startswith("<!doctype html")}
    render_test(pacman2.env, custom_tests=is_page)
    assert capsys.readouterr().out.strip()
    env = pacman2.parallel_env(render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == env.game.render("ansi")
    assert pacman2.parallel_env().render_mode is None


def test_state():
    state_test(pacman2.env(), pacman2.parallel_env())


# Agent by agent.


def choices(env, seed):
    """Plays a game agent by agent: yields all that can be seen before each choice."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, info = env.last()
        rewards = {agent: float(reward) for agent, reward in env.rewards.items()}
        outcome = (float(reward), rewards, env.terminations, env.truncations)
        yield copy.deepcopy((agent, list(env.agents), seen, info, *outcome))
        if terminated or truncated:
            env.step(None)
        else:
            wild = rng.random() < 0.01
            env.step(rng.integers(9) if wild else rng.choice(np.flatnonzero(info["action_mask"])))
    yield list(env.agents), env.rewards, env.state()


@every_option
def test_choices_equal_those_of_the_generic_conversion(options):
    env = pacman2.env(**options)
    generic = parallel_to_aec_wrapper(pacman2.parallel_env(**options))
    seen = 0
    for seed in range(12):
        for one, other in zip(choices(env, seed), choices(generic, seed), strict=True):
            assert same(one, other)
            seen += 1
    assert seen > 500


def test_choices_make_a_parallel_environment_again():
    back, plain = aec_to_parallel(pacman2.env()), pacman2.parallel_env()
    for (_, one), (_, other) in zip(turns(back, 3, True), turns(plain, 3, True), strict=True):
        assert same(dict(sorted(one[0].items())), other[0])
    assert back.unwrapped.game.scores == plain.game.scores


def test_choices_need_a_game():
    env = pacman2.env()
    for use in (
        lambda: env.step(0),
        lambda: env.last(),
        lambda: env.observe("player_0"),
        lambda: env.agent_iter(),
        lambda: env.rewards["player_0"],
        lambda: env.state(),
    ):
        with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
            use()
    assert env.agents == []


def test_invalid_choices_are_rejected_at_once():
    env = pacman2.env()
    env.reset(seed=1)
    for wrong, error in ((9, ValueError), (-1, ValueError), (None, TypeError), (0.5, TypeError)):
        with pytest.raises(error, match="action of player_0: expected .* from 0 to 8, got"):
            env.step(wrong)
        assert env.agent_selection == "player_0"
    with pytest.raises(RuntimeError, match=r"a call of step\(\)"):
        for _ in env.agent_iter():
            pass
    for _ in env.agent_iter(max_iter=3):
        env.step(0)
    assert env.agent_selection == "player_3"


def test_choices_after_the_end_change_nothing(caplog):
    env = pacman2.env(turns=1)
    env.reset(seed=1)
    for _ in range(8):
        env.step(None if env.last()[2] else 0)
    assert env.agents == []
    env.step(0)
    assert "step() called after all agents" in caplog.text


def test_choices_can_be_copied():
    env = pacman2.env()
    env.reset(seed=1)
    env.step(1)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        for action in (2, 3, 4):
            other.step(action)
        assert other.unwrapped.game.turn == 1
    assert env.unwrapped.game.turn == 0 and env.agent_selection == "player_1"


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


# Returned values do not change.


@pytest.mark.parametrize("options", [{}, {"action_mask": "info", "black_death": True}], ids=named)
def test_returned_values_never_change(options):
    """Any part of a result that is kept stays unchanged; the rest may be reused."""
    env = pacman2.parallel_env(**options)
    rng = np.random.default_rng(9)
    kept = []
    with_mask = options.get("action_mask", "observation") == "observation"
    for seed in range(20):
        for _, result in turns(env, seed, with_reset=True):
            agent = list(result[0])[int(rng.integers(len(result[0])))]
            seen = result[0][agent]["observation"] if with_mask else result[0][agent]
            parts = [
                result,
                result[0],
                result[-1],
                result[0][agent],
                result[-1][agent],
                seen,
                result[-1][agent]["action_mask"],
                seen[3:],
                seen.T,
                memoryview(seen),
            ]
            part = parts[int(rng.integers(len(parts)))] if rng.random() < 0.7 else None
            kept.append((part, copy.deepcopy(as_arrays(part))))
            del result, seen, parts, part
    for part, was in kept:
        assert same(as_arrays(part), was)


def as_arrays(part):
    return np.asarray(part) if isinstance(part, memoryview) else part


def test_changes_by_callers_do_not_affect_later_turns():
    """Wrappers may modify the returned dicts and arrays."""
    env, plain = pacman2.parallel_env(), pacman2.parallel_env()
    rng = np.random.default_rng(2)

    def spoil(result):
        agent = next(iter(result[0]))
        [
            lambda: result[0].clear(),
            lambda: result[0].pop(agent),
            lambda: result[0].update({agent: "mine"}),
            lambda: result[0].update({"stranger": 1}),
            lambda: result[0][agent].update({"observation": 1}),
            lambda: result[0][agent].pop("action_mask"),
            lambda: result[0][agent].update({"more": 1}),
            lambda: result[-1][agent].update({"more": 1}),
            lambda: result[-1][agent].clear(),
            lambda: result[-1].update({"stranger": 1}),
            lambda: result[0][agent]["observation"].fill(9),
            lambda: result[0][agent]["action_mask"].fill(9),
            lambda: result[0].update({agent: dict(result[0][agent])}),
            lambda: setattr(result[0][agent]["observation"], "shape", (10, 15)),
            lambda: result[0][agent]["observation"].setflags(write=False),
        ][int(rng.integers(15))]()

    for seed in range(20):
        infos = plain.reset(seed=seed)[1]
        spoil(env.reset(seed=seed))
        while plain.agents:
            actions = legal(plain, rng, infos)
            expected = plain.step(actions)
            result = env.step(actions)
            assert same(result, expected)
            assert all(row["observation"].flags.writeable for row in result[0].values())
            spoil(result)
            infos = expected[4]


def test_without_copies_the_objects_are_always_the_same():
    env = pacman2.parallel_env(copy=False, black_death=True)
    first = env.reset(seed=1)
    result = env.step(dict.fromkeys(AGENTS, 0))
    assert result[0] is first[0] and result[4] is first[1]
    assert result[0]["player_1"]["observation"] is first[0]["player_1"]["observation"]
    other = pacman2.parallel_env(black_death=True)
    for seed in range(5):
        for (_, one), (_, two) in zip(turns(env, seed), turns(other, seed), strict=True):
            assert same(one, two)


def resize(result):
    result[0]["player_0"]["observation"].base.resize((1, 1), refcheck=False)


def test_resized_arrays_are_detected():
    env = pacman2.parallel_env()
    for _ in range(4):
        resize(env.reset(seed=1))
    assert same(env.reset(seed=1), pacman2.parallel_env().reset(seed=1))
    env = pacman2.parallel_env(copy=False)
    resize(env.reset())
    with pytest.raises(RuntimeError, match="arrays of this environment were resized"):
        env.reset()


# Invalid arguments.


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"player_1": None}, TypeError, "action of player_1: expected a whole number.*, got None"),
        ({"player_1": 1.0}, TypeError, "action of player_1: expected .*, got 1.0"),
        ({"player_1": "1"}, TypeError, "action of player_1: expected .*, got '1'"),
        ({"player_1": np.array([1, 2])}, TypeError, "action of player_1: expected .*, got array"),
        ({"player_3": 9}, ValueError, "action of player_3: expected .* from 0 to 8.*, got 9"),
        ({"player_3": -1}, ValueError, "action of player_3: expected .* from 0 to 8.*, got -1"),
        ({"player_3": 1 << 70}, ValueError, "action of player_3: expected .* from 0 to 8, got"),
        ({"player_4": 0}, ValueError, "actions: expected .*\"player_0\" to .*, got one of 'player_4'"),
        ({0: 0}, ValueError, "actions: expected .*, got one of 0"),
    ],
)
def test_invalid_actions_are_rejected(change, error, match):
    env = pacman2.parallel_env()
    env.reset(seed=1)
    with pytest.raises(error, match=match):
        env.step(dict.fromkeys(AGENTS, 0) | change)
    assert env.game.turn == 0
    env.step(dict.fromkeys(AGENTS, 0))


def test_actions_of_any_integer_type():
    for kind in (int, bool, np.int8, np.uint8, np.int32, np.int64, np.array):
        env = pacman2.parallel_env()
        env.reset(seed=1)
        env.step({agent: kind(0) for agent in AGENTS})
        assert env.game.turn == 1


def test_actions_for_the_wrong_players():
    env = pacman2.parallel_env()
    env.reset(seed=1)
    with pytest.raises(ValueError, match='got none for "player_1", "player_3"'):
        env.step({"player_0": 0, "player_2": 0})
    with pytest.raises(TypeError, match=r"actions: expected a dict .*, got \[0, 0, 0, 0\]"):
        env.step([0, 0, 0, 0])
    illegal = int(np.flatnonzero(~env.game.action_mask()[1])[0])
    env.step(dict.fromkeys(AGENTS, 0) | {"player_1": illegal})
    # Actions of dead players are ignored but must be valid numbers.
    env.step(dict.fromkeys(AGENTS, 0))
    with pytest.raises(ValueError, match="action of player_1: expected .*, got 10"):
        env.step(dict.fromkeys(AGENTS, 0) | {"player_1": 10})


def test_steps_at_the_wrong_time():
    env = pacman2.parallel_env(max_cycles=1)
    for ask in (lambda: env.step({}), env.state, lambda: env.game):
        with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
            ask()
    assert env.agents == [] and env.num_agents == 0 and env.max_num_agents == 4
    env.reset(seed=1)
    env.step(dict.fromkeys(AGENTS, 0))
    with pytest.raises(RuntimeError, match=r"the game is over; call reset\(\)"):
        env.step(dict.fromkeys(AGENTS, 0))
    assert env.step({}) == ({}, {}, {}, {}, {})


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"observation": "pixels"}, ValueError, "observation: expected .*compact.*, got 'pixels'"),
        ({"reward": "money"}, ValueError, "reward: expected .*share.*, got 'money'"),
        ({"action_mask": "face"}, ValueError, "action_mask: expected \"observation\", \"info\", got 'face'"),
        ({"render_mode": "film"}, ValueError, "render_mode: expected .*, got 'film'"),
        ({"max_cycles": 0}, ValueError, "max_cycles: expected .*, got 0"),
        ({"max_cycles": 1.5}, TypeError, "max_cycles: expected .*, got 1.5"),
        ({"size": 5}, ValueError, "size: expected .*, got 5"),
        ({"turns": 0}, ValueError, "turns: expected .*, got 0"),
        ({"init_data": "{"}, ValueError, "init_data: expected .*, which is not JSON"),
        ({"sizes": 6}, TypeError, "sizes"),
    ],
)
def test_invalid_options_are_rejected(options, error, match):
    for make in (pacman2.parallel_env, pacman2.env):
        with pytest.raises(error, match=match):
            make(**options)


def test_unknown_options_of_a_reset_are_reported():
    env = pacman2.parallel_env()
    for fine in (None, {}):
        env.reset(seed=3, options=fine)
    with pytest.warns(UserWarning, match="options: expected None or an empty dict, got {'map': 7}"):
        env.reset(seed=4, options={"map": 7})
    with pytest.raises(TypeError, match="options: expected None or an empty dict, got 'map'"):
        env.reset(seed=5, options="map")
    assert env.game == pacman2.Game(4)


def test_invalid_seeds_are_rejected():
    env = pacman2.parallel_env()
    for wrong, error in ((1 << 32, ValueError), (-1, ValueError), (0.5, TypeError)):
        with pytest.raises(error, match="seed: expected a whole number from 0 to 4294967295, got"):
            env.reset(seed=wrong)


# Spaces.


def test_spaces():
    env = pacman2.parallel_env()
    with pytest.raises(KeyError):
        env.action_space("player_4")
    space = env.action_space("player_0")
    assert space == spaces.Discrete(9)
    assert env.observation_space("player_0")["action_mask"].dtype == np.int8
    # Before the first reset any action may be drawn.
    assert {int(space.sample()) for _ in range(300)} == set(range(9))
    env.reset(seed=1)
    legal_now = set(np.flatnonzero(env.game.action_mask()[0]))
    assert {int(space.sample()) for _ in range(300)} == legal_now
    only = np.zeros(9, np.int8)
    only[7] = 1
    assert space.sample(only) == 7
    assert space.sample(probability=only.astype(float)) == 7
    alone = pickle.loads(pickle.dumps(space))
    assert type(alone) is spaces.Discrete and alone == space


def test_names():
    env = pacman2.parallel_env(reward="rank")
    assert str(env) == "pacman2_v0" and str(pacman2.env()) == "pacman2_v0"
    assert repr(env) == "pacman2.parallel_env(reward='rank')"
    assert env.unwrapped is env and env.metadata["is_parallelizable"]
