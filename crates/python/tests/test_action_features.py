"""The features of actions: what they say, and that they are documented."""

import re

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
    features = game.observe("action_features", 0)
    assert features.shape == (9, 279) and features.dtype == np.uint8
    assert np.flatnonzero(features.any(axis=1)).tolist() == game.legal_actions(0) == [0, 1, 2]
    stay, up = of(features, 0), of(features, 1)
    assert stay["kind"] == "stay" and up["kind"] == "move"
    assert stay["turns left"] == up["turns left"] == "≥71"
    assert stay["turns until fruit spawns"] == "≥13"
    assert stay["own strength"] == "≤4" and stay["living players"] == "4"
    assert stay["steps to a spawn cell"] == "1" and up["steps to a spawn cell"] == "0"


def test_illegal_actions_and_dead_players_have_none():
    env = pacman2.VecEngine(40, 3, observation="action_features", autoreset_mode="Disabled")
    arrays = env.arrays
    assert arrays["observations"].shape == (160, 9, 279)
    for _ in range(110):
        env.step(env.random_actions())
        legal = arrays["action_mask"].copy()
        # Otherwise, the mask allows to stay.
        legal[~arrays["alive"] | arrays["terminations"]] = False
        assert np.array_equal(arrays["observations"].any(axis=2), legal)
    assert arrays["terminations"].all()


@pytest.mark.parametrize("page", ["PYTHON.md", "PYTHON.zh.md"])
def test_every_property_is_in_a_documented_group(page):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    groups = [(int(first), int(last)) for first, last in re.findall(r"[(（](\d+) – (\d+)[)）]", text)]
    assert groups[0][0] == 0 and groups[-1][1] == len(NAMES) - 1
    for (_, last), (first, _) in zip(groups, groups[1:]):
        assert first == last + 1
        assert NAMES[last].rpartition(": ")[0] != NAMES[first].rpartition(": ")[0]
