"""The features of actions: what they say, and that single games and vectors of games agree."""

import re
from collections import Counter

import numpy as np
import pacman2
import pytest
from conftest import ROOT

NAMES = pacman2.action_feature_names()


def test_names():
    assert len(NAMES) == len(set(NAMES)) == 279
    assert NAMES[:3] == ("kind: stay", "kind: move", "kind: shoot")


def of(features, action):
    """Returns the features of an action by property."""
    return dict(NAMES[index].rsplit(": ", 1) for index in np.flatnonzero(features[action]))


def test_a_position():
    game = pacman2.Game(42, size=(9, 7))
    features = game.action_features(0)
    assert features.shape == (9, 279) and features.dtype == np.uint8
    assert np.flatnonzero(features.any(axis=1)).tolist() == game.legal_actions(0) == [0, 1, 2]
    stay, up = of(features, 0), of(features, 1)
    assert stay["kind"] == "stay" and up["kind"] == "move"
    assert stay["turns left"] == up["turns left"] == "≥71"
    assert stay["turns until fruit spawns"] == "≥13"
    assert stay["own strength"] == "≤4" and stay["living players"] == "4"
    assert stay["steps to a spawn cell"] > up["steps to a spawn cell"]


def test_vectors_agree_with_games():
    env = pacman2.VecEngine(40, 3, autoreset_mode="Disabled")
    out = np.ones((160, 9, 279), np.uint8)
    for _ in range(60):
        env.step(env.random_actions())
        assert env.action_features(out) is out
        mask = env.arrays["action_mask"].copy()
        for index in range(0, 40, 7):
            game = env.game(index)
            for seat in range(4):
                features = game.action_features(seat)
                assert np.array_equal(out[4 * index + seat], features)
                assert np.flatnonzero(features.any(axis=1)).tolist() == game.legal_actions(seat)
        # A dead player can only stay, and that has no features.
        mask[~env.arrays["alive"]] = False
        mask[env.arrays["terminations"]] = False
        assert np.array_equal(out.any(axis=2), mask)
    assert np.array_equal(env.action_features(), out)


@pytest.mark.parametrize(
    ("out", "error", "message"),
    [
        (np.zeros((4, 9, 279), np.uint8), ValueError, r"has shape \(4, 9, 279\); expected \(8, 9, 279\)"),
        (np.zeros((8, 9, 279)), TypeError, "has dtype float64; expected a numpy.ndarray of uint8"),
        ([1], TypeError, "out is of type list; expected a numpy.ndarray of uint8"),
        (np.broadcast_to(np.uint8(0), (8, 9, 279)), ValueError, "out is not C-contiguous"),
    ],
)
def test_bad_arrays(out, error, message):
    with pytest.raises(error, match=message):
        pacman2.VecEngine(2, 1).action_features(out)


def test_bad_seat():
    with pytest.raises(ValueError, match="seat is 4; expected a whole number from 0 to 3"):
        pacman2.Game(1).action_features(4)


@pytest.mark.parametrize("page", ["PYTHON.md", "PYTHON.zh.md"])
def test_every_property_is_documented(page):
    text = (ROOT / "docs" / page).read_text()
    properties = Counter(name.rpartition(": ")[0] for name in NAMES)
    first = 0
    for name, bins in properties.items():
        assert re.search(rf"^\| {first}( – |至){first + bins - 1} \| {re.escape(name)} \|", text, re.M)
        first += bins
