"""Matches of others: packs of Botzone, logs, replays and arenas."""

import json
import pathlib
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from conftest import ROOT
from pacman2.datasets import load_matches

PROGRAM = pathlib.Path(sys.executable).parent / "pacman2"

LOG = json.loads((ROOT / "crates/replay/tests/it/fixtures/match.json").read_text())


@pytest.fixture
def pack(tmp_path):
    lines = [json.dumps({**LOG, "_id": "first"}), '{"log": 1}', json.dumps({**LOG, "_id": "second"})]
    path = tmp_path / "Pacman2-2016-11.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("1-3.matches", "\n".join(lines))
    return path


def test_a_pack_of_matches(pack):
    with pytest.warns(UserWarning, match=r"1-3\.matches, line 2.*skipped"):
        matches = list(load_matches(pack, observation="planes"))
    assert [(match.id, match.source) for match in matches] == [
        ("first", f"{pack}, 1-3.matches, line 1"),
        ("second", f"{pack}, 1-3.matches, line 3"),
    ]
    match = matches[0]
    assert match.players == tuple(player["bot"] for player in LOG["players"])
    final = LOG["log"][-1]["output"]["display"]["result"]
    assert match.scores == tuple(final[str(seat)] for seat in range(4))
    count = len(match.action)
    assert match.observation.shape == (count, 18, 11, 11) and match.observation.dtype == np.uint8
    assert match.action_mask[np.arange(count), match.action].all()
    # The positions are those of the game: it can be played again with the decisions.
    again = match.game.clone()
    while again.undo():
        pass
    for seen, seat, turn in zip(match.observation, match.seat, match.turn):
        while again.turn < turn:
            again.step([int(action) for action in match.game.history[again.turn]])
        assert (again.observe("planes", seat) == seen).all()


def test_decisions_of_some_players(pack):
    chosen = LOG["players"][2]["bot"]
    match = next(load_matches(pack, players={chosen}))
    assert set(match.seat) == {2} and match.observation.shape[1:] == (150,)
    match = next(load_matches(pack, players=set()))
    assert match.action.shape == (0,) and match.action_mask.shape == (0, 9)


def test_the_games_of_an_arena(tmp_path):
    if not PROGRAM.exists():
        pytest.skip("not run: the program, which wheels contain, is not installed")

    def arena(*arguments):
        subprocess.run([PROGRAM, "arena", *arguments], cwd=tmp_path, check=True, capture_output=True)

    arena("init", "--turns", "5")
    arena("add", "greedy", "random", "hunter", "style sniper")
    arena("run", "--maps", "1")
    matches = list(load_matches(tmp_path / "arena"))
    assert len(matches) == 4 and all(match.game.turn == 5 for match in matches)
    assert {player.partition("@")[0] for match in matches for player in match.players} >= {"greedy", "random"}
    with pytest.raises(ValueError, match="a file, or the folder of an arena"):
        next(load_matches(tmp_path))
