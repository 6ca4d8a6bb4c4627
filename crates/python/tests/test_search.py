"""``Search``: the tree of ``sage`` with leaves that a function evaluates."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest
from conftest import need

import pacman2

VIEWS = ["compact", "planes", "planes_centred"]


def strengths(observations: np.ndarray) -> np.ndarray:
    """Returns the strengths of all seats from the compact observations of all seats, (n, 4)."""
    return observations[:, :, 124].astype(np.float32)


def simple(observations: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All actions are equally likely, and shares stay as they are."""
    strong = strengths(observations)
    return np.zeros((len(masks), 4, 9), np.float32), strong / strong.sum(axis=1, keepdims=True)


def some_games(count: int = 4, turns: int = 12) -> list[pacman2.Game]:
    games = [pacman2.Game(seed, turns=40) for seed in range(count)]
    for game in games:
        bots = [pacman2.Bot("greedy", seat) for seat in range(4)]
        for _ in range(turns):
            game.step([bots[seat].act(game, seat) if game.alive[seat] else 0 for seat in range(4)])
    return games


def test_results_are_consistent() -> None:
    games = some_games()
    games[1].step([0, 0, 8 if 8 not in games[1].legal_actions(2) else None, 0])
    assert not games[1].alive[2]
    before = [game.clone() for game in games]
    found = pacman2.Search(simple, 100, value="share")(games)
    assert games == before and len(found) == 4
    assert found.visits.shape == found.values.shape == (4, 4, 9) and found.value.shape == (4, 4)
    alive = np.array([game.alive for game in games])
    np.testing.assert_array_equal(found.visits.sum(axis=-1), np.where(alive, 100, 0))
    legal = np.array([game.action_mask() for game in games]) & alive[..., None]
    assert not found.visits[~legal].any()
    np.testing.assert_array_equal(np.isnan(found.values), found.visits == 0)
    mean = np.nansum(found.values * found.visits, axis=-1)[alive] / 100
    np.testing.assert_allclose(mean, found.value[alive], rtol=1e-4)
    np.testing.assert_allclose(found.value.sum(axis=-1), 1, rtol=1e-4)
    for index, game in enumerate(games):
        one = found[index]
        assert isinstance(one, pacman2.SearchResult) and one.simulations == 100
        np.testing.assert_array_equal(one.visits, found.visits[index])
        twin = game.clone()
        for actions in found.pv(index, 0):
            assert twin.action_mask()[range(4), actions].all()
            twin.step([int(action) for action in actions])


def test_it_finds_the_action_that_wins() -> None:
    """In the last turn, every simulation ends the game, and the function is not asked for values."""
    game = pacman2.Game(3, turns=5)
    for _ in range(4):
        game.step([0, 0, 0, 0])
    calls = []

    def wrong(observations: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        calls.append(len(masks))
        return np.zeros((len(masks), 4, 9)), np.full((len(masks), 4), 1000.0)

    for value in ("share", "score", "rank", "zero_sum"):
        calls.clear()
        found = pacman2.Search(wrong, 400, value=value)([game])
        assert calls == [1]
        results = {}
        for actions in np.ndindex(9, 9, 9, 9):
            if any(found.visits[0, seat, action] == 0 for seat, action in enumerate(actions)):
                continue
            twin = game.clone()
            twin.step(actions)
            scores = np.array(twin.scores)
            results[actions] = {
                "share": np.array(twin.strength) / max(sum(twin.strength), 1),
                "score": scores,
                "rank": np.array(twin.ranks),
                "zero_sum": scores - scores.mean(),
            }[value]
        all_results = np.array(list(results.values()))
        assert (found.value >= all_results.min(axis=0) - 1e-3).all()
        assert (found.value <= all_results.max(axis=0) + 1e-3).all()
        best = found.actions()[0]
        mean = {
            action: np.mean([result[0] for actions, result in results.items() if actions[0] == action])
            for action in {actions[0] for actions in results}
        }
        assert mean[int(best[0])] == max(mean.values())


def test_the_policy_and_the_values_guide_the_search() -> None:
    game = pacman2.Game(1)
    legal = game.legal_actions(0)
    favourite = legal[-1]

    def biased(observations: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        logits = np.zeros((len(masks), 4, 9), np.float32)
        logits[:, :, favourite] = 5
        logits[:, :, [action for action in range(9) if action not in legal]] = -np.inf
        return logits.reshape(-1, 9), np.zeros(4 * len(masks), np.float32)

    found = pacman2.Search(biased, 60)(game)
    assert found.actions()[0, 0] == favourite and found.visits[0, 0, favourite] > 50
    hopeless = pacman2.Search(lambda *batch: (np.full((len(batch[0]), 4, 9), -np.inf), simple(*batch)[1]), 60)(game)
    assert (hopeless.visits[0, 0, legal] > 0).all()

    # Those who are in column 0 expect most.
    def westward(observations: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros((len(masks), 4, 9)), -1.0 * observations[:, :, 122]

    middle = pacman2.Game(size=9, seed=4, skill_cost=1000)
    for seat in range(4):
        if 4 in middle.legal_actions(seat) and middle.cells[seat][1] > 2:
            found = pacman2.Search(westward, 300, exploration=1.0)(middle)
            assert found.actions()[0, seat] == 4
            break
    else:
        raise AssertionError("no seat can move left")


@pytest.mark.parametrize("view", VIEWS)
def test_leaves_are_observed_like_games(view: str) -> None:
    game = some_games(1)[0]
    batches: list[Any] = []

    def keep(observations: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        batches.append((observations.copy(), masks.copy()))
        return np.zeros((len(masks), 4, 9)), np.zeros((len(masks), 4))

    pacman2.Search(keep, 20, observation=view)(game)
    seen, masks = batches[0]
    for seat in range(4):
        np.testing.assert_array_equal(seen[0, seat], game.observe(view, seat))
    np.testing.assert_array_equal(masks[0], game.action_mask())
    assert [len(masks) for _, masks in batches][0] == 1
    # The root, and a leaf for each simulation.
    assert sum(len(masks) for _, masks in batches) == 21
    count = len(batches)
    pacman2.Search(keep, 20, observation=view, per_seat=False)(game)
    for (one, _), (all_seats, _) in zip(batches[count:], batches):
        np.testing.assert_array_equal(one, all_seats[:, 0])


@pytest.mark.parametrize(
    "options",
    [
        {"observation": "planes_centred", "history": 3},
        {"observation": "planes_centred", "dtype": "float32", "window": 13, "history": 2},
        {"observation": "features", "history": 1},
        {"observation": "action_features", "dtype": "float32"},
    ],
)
def test_leaves_have_all_forms_of_observations(options: dict[str, Any]) -> None:
    """The leaves of a search that makes one simulation at a time are positions of the game."""
    game = some_games(1)[0]
    batches: list[Any] = []

    def keep(observations: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        batches.append(observations.copy())
        # Each seat's last legal action leads on.
        logits = np.where(np.arange(9) == 8 - np.argmax(masks[..., ::-1], axis=-1)[..., None], 30.0, 0)
        return logits, np.zeros((len(masks), 4))

    pacman2.Search(keep, 5, leaves=1, **options)(game)
    first = options["observation"]
    rest = {name: value for name, value in options.items() if name != "observation"}
    for seen in batches:
        for seat in range(4):
            np.testing.assert_array_equal(seen[0, seat], game.observe(first, seat, **rest))
        game.step([8 - int(np.argmax(mask[::-1])) for mask in game.action_mask()])
    assert len(batches) == 6


def test_leaves_of_many_games_form_batches() -> None:
    games, sizes = some_games(6), []

    def counted(observations: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        sizes.append(len(masks))
        return simple(observations, masks)

    many = pacman2.Search(counted, 64, leaves=4, value="share", threads=2)(games)
    assert sizes[0] == 6 and max(sizes) == 24 and len(sizes) < 60
    # A game is searched alike, whatever is searched with it.
    for index, game in enumerate(games):
        alone = pacman2.Search(simple, 64, leaves=4, value="share")(game)
        np.testing.assert_array_equal(alone.visits[0], many.visits[index])
        np.testing.assert_array_equal(alone.values[0], many.values[index])
    # A batch changes little.
    one = pacman2.Search(simple, 256, leaves=1, value="share")(games)
    eight = pacman2.Search(simple, 256, leaves=8, value="share")(games)
    assert np.median(abs(one.value - eight.value)) < 0.02
    assert (one.visits.sum(axis=-1) == eight.visits.sum(axis=-1)).all()


def test_noise_and_temperature_follow_the_seed() -> None:
    games = some_games(3)

    def found(**options: Any) -> Any:
        return pacman2.Search(simple, 50, value="share", **options)(games)

    plain, one, same, other = found(), found(noise=0.5, seed=3), found(noise=0.5, seed=3), found(noise=0.5, seed=4)
    np.testing.assert_array_equal(one.visits, same.visits)
    assert (one.visits != other.visits).any() and (one.visits != plain.visits).any()
    np.testing.assert_array_equal(one.actions(1.0), same.actions(1.0))
    assert not one.visits[~np.array([game.action_mask() for game in games])].any()

    probabilities = plain.policy()
    np.testing.assert_allclose(probabilities, plain.visits / 50, rtol=1e-5)
    sharp = plain.policy(0.25)
    assert (sharp.max(axis=-1) >= probabilities.max(axis=-1) - 1e-6).all()
    np.testing.assert_allclose(sharp.sum(axis=-1), 1, rtol=1e-5)
    np.testing.assert_array_equal(plain.policy(0).argmax(axis=-1), plain.actions())
    drawn = np.array([plain.actions(1.0) for _ in range(3000)])
    frequency = (drawn[..., None] == np.arange(9)).mean(axis=0)
    assert abs(frequency - probabilities).max() < 0.05
    with pytest.raises(ValueError, match="temperature: expected .*, got -1"):
        plain.policy(-1)


def test_dead_players_stay() -> None:
    game = pacman2.Game(1)
    game.step([0, 0, 8, 0])
    found = pacman2.Search(simple, 10, noise=0.3)(game)
    assert found.actions()[0, 2] == 0 and found.policy()[0, 2].tolist() == [1] + [0] * 8
    assert not found.visits[0, 2].any() and np.isfinite(found.value).all()
    assert pacman2.Search(simple, 10)([]).visits.shape == (0, 4, 9)


def test_invalid_arguments_are_rejected() -> None:
    over = pacman2.Game(1, turns=1)
    over.step([0, 0, 0, 0])
    for options, error, words in [
        ({"simulations": 0}, ValueError, "simulations: expected a whole number from 1 .*, got 0"),
        ({"leaves": 0}, ValueError, "leaves: expected a whole number from 1 .*, got 0"),
        ({"observation": "pixels"}, ValueError, "observation: expected .*, got 'pixels'"),
        ({"value": "money"}, ValueError, 'value: expected "share", .*, got .money'),
        ({"exploration": -1}, ValueError, "exploration: expected a number of at least 0 .*, got -1"),
        ({"exploration": float("nan")}, ValueError, "exploration: expected .*, got nan"),
        ({"noise": 1.5}, ValueError, "noise: expected a number from 0 to 1, got 1.5"),
        ({"alpha": 0}, ValueError, "alpha: expected a number above 0, got 0"),
        ({"threads": 0}, ValueError, "threads: expected .*, got 0"),
        ({"policy_value": 3}, TypeError, "policy_value: expected a function, got 3"),
    ]:
        with pytest.raises(error, match=words):
            pacman2.Search(**({"policy_value": simple} | options))
    with pytest.raises(ValueError, match=r"games\[1\]: expected a game that is not over, got one .* turn 1"):
        pacman2.Search(simple)([pacman2.Game(1), over])
    with pytest.raises(TypeError, match="Game"):
        pacman2.Search(simple)([3])


def test_invalid_answers_are_rejected() -> None:
    game = pacman2.Game(1)
    good, values = np.zeros((1, 4, 9)), np.zeros((1, 4))
    for answer, error, words in [
        (None, TypeError, r"policy_value: expected \(logits, values\) .*, got None"),
        ((good,), TypeError, "expected"),
        ((good.astype(int), values), TypeError, "expected floats as logits, got dtype int64"),
        ((good[:, :3], values), ValueError, r"expected logits of shape \(1, 4, 9\) or \(4, 9\), got \(1, 3, 9\)"),
        ((good, values[0, :3]), ValueError, r"expected values of shape \(1, 4\) or \(4,\), got \(3,\)"),
        ((good * np.nan, values), ValueError, "expected logits .*, got NaN or infinity"),
        ((good, values + np.inf), ValueError, "expected finite values, got NaN or infinity"),
    ]:
        answers = [answer]
        search = pacman2.Search(lambda *_: answers[0])
        with pytest.raises(error, match=words):
            search(game)
        # The search can be used again.
        answers[0] = None
        search.policy_value = simple
        assert search(game).visits.sum() == 512


@pytest.mark.parametrize("per_row", [True, False])
def test_nets_in_onnx(per_row: bool, tmp_path: pathlib.Path) -> None:
    need("onnx", "onnxruntime")
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    rng = np.random.default_rng(0)
    weights = rng.normal(0, 0.01, (150, 10)).astype(np.float32)
    rows: list[int | str] = ["n", 150] if per_row else ["n", 4, 150]
    nodes = [
        helper.make_node("MatMul", ["seen", "weights"], ["both"]),
        helper.make_node("Split", ["both", "sizes"], ["logits", "values"], axis=-1),
    ]
    graph = helper.make_graph(
        nodes if per_row else [*nodes[:-1], helper.make_node("Split", ["both", "sizes"], ["logits", "wide"], axis=-1), helper.make_node("Squeeze", ["wide", "last"], ["values"])],
        "net",
        [helper.make_tensor_value_info("seen", TensorProto.FLOAT, rows)],
        [
            helper.make_tensor_value_info("logits", TensorProto.FLOAT, None),
            helper.make_tensor_value_info("values", TensorProto.FLOAT, None),
        ],
        [
            numpy_helper.from_array(weights, "weights"),
            numpy_helper.from_array(np.array([9, 1]), "sizes"),
            numpy_helper.from_array(np.array([-1]), "last"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    file = tmp_path / "net.onnx"
    onnx.save(model, file)

    def same(observations: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        both = observations.astype(np.float32) @ weights
        return both[..., :9], both[..., 9]

    games = some_games(2)
    expected = pacman2.Search(same, 40, exploration=2.0)(games)
    for source in (file, str(file), file.read_bytes()):
        found = pacman2.Search.from_onnx(source, 40, exploration=2.0)(games)
        np.testing.assert_array_equal(found.visits, expected.visits)
        np.testing.assert_allclose(found.value, expected.value, atol=1e-4)
