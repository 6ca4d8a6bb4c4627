"""Datasets: what is in them, that they continue, and that bad options are rejected; matches of others."""

import json
import pathlib
import subprocess
import sys
import zipfile

import numpy as np
import pacman2
import pytest
from conftest import ROOT
from pacman2 import dataset
from pacman2.datasets import load_matches

PROGRAM = pathlib.Path(sys.executable).parent / "pacman2"
LOG = json.loads((ROOT / "crates/replay/tests/it/fixtures/match.json").read_text())
FAST = {"expert": "sage --simulations 10", "games_per_shard": 2}


def test_rows_are_positions_of_the_games():
    rows = dataset.play(7, "sage --simulations 10", observation="planes_centred")
    assert {name: column.dtype for name, column in rows.items()} == {
        "observation": np.uint8,
        "action_mask": bool,
        "action": np.uint8,
        "policy": np.float32,
        "value": np.float32,
        "turn": np.uint16,
        "seat": np.uint8,
        "score": np.float32,
        "rank": np.uint8,
        "seed": np.uint32,
    }
    count = len(rows["action"])
    assert count > 50 and {len(column) for column in rows.values()} == {count}
    assert rows["observation"].shape[1:] == (18, 11, 11)
    # Nothing is illegal, and there is always a choice.
    assert rows["action_mask"][np.arange(count), rows["action"]].all()
    assert (rows["action_mask"].sum(axis=1) > 1).all()
    assert not rows["policy"][~rows["action_mask"]].any()
    np.testing.assert_allclose(rows["policy"].sum(axis=1), 1, rtol=1e-5)
    assert (rows["policy"][np.arange(count), rows["action"]] == rows["policy"].max(axis=1)).all()
    assert np.isfinite(rows["value"]).all() and (rows["seed"] == 7).all()
    start = rows["turn"] == 0
    game = pacman2.Game(7)
    for seat, seen in zip(rows["seat"][start], rows["observation"][start]):
        assert (seen == game.observe("planes_centred", seat)).all()
    # A player has one score.
    assert len(set(zip(rows["seat"], rows["score"], rows["rank"]))) == len(set(rows["seat"]))


def test_the_last_seed_and_a_single_opponent():
    rows = dataset.play(2**32 - 1, "greedy", "random")
    assert (rows["seed"] == 2**32 - 1).all()
    again = dataset.play(2**32 - 1, "greedy", ["random"])
    np.testing.assert_array_equal(rows["observation"], again["observation"])


def test_experts_that_do_not_search():
    rows = dataset.play(3, "hunter", ["random"])
    assert np.isnan(rows["value"]).all()
    assert (rows["policy"].argmax(axis=1) == rows["action"]).all()
    assert (rows["policy"].max(axis=1) == 1).all()


@pytest.mark.parametrize("form", ["npz", "parquet"])
def test_a_stopped_run_continues(form, tmp_path):
    if form == "parquet":
        pytest.importorskip("pyarrow")
    shards = list(dataset.make(tmp_path / "a", 4, form=form, **FAST))
    assert [shard.name for shard in shards] == [f"00000.{form}", f"00001.{form}"]
    assert len(list(dataset.make(tmp_path / "b", 1, form=form, threads=1, **FAST))) == 1
    first = (tmp_path / "b" / f"00000.{form}").stat().st_mtime_ns
    assert len(list(dataset.make(tmp_path / "b", 4, form=form, threads=1, **FAST))) == 2
    assert (tmp_path / "b" / f"00000.{form}").stat().st_mtime_ns == first
    parts = [list(dataset.load(tmp_path / name)) for name in "ab"]
    assert len(parts[0]) == len(parts[1]) == 2
    for one, other in zip(*parts):
        assert list(one) == list(other)
        for name, column in one.items():
            assert column.dtype == other[name].dtype
            np.testing.assert_array_equal(column, other[name])
    games = [dataset.play(seed, FAST["expert"]) for seed in (1, 2)]
    for name, column in parts[0][0].items():
        np.testing.assert_array_equal(column, np.concatenate([game[name] for game in games]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"form": "csv"}, "form: expected one of 'npz', 'parquet', got 'csv'"),
        ({"games": 0}, "games: expected a whole number of at least 1, got 0"),
        ({"games": 65, "first_seed": 2**32 - 100}, "games: expected at most 100 after the first seed, got 65"),
        ({"opponents": []}, r"opponents: expected a list of bots, at least one, got \[\]"),
        ({"expert": "sagee"}, "sagee"),
        ({"observation": "pixels"}, "pixels"),
    ],
)
def test_bad_options_leave_nothing(options, message, tmp_path):
    options = {"games": 1, **options}
    with pytest.raises(ValueError, match=message):
        dataset.make(tmp_path / "new", options.pop("games"), **options)
    assert not (tmp_path / "new").exists()


def command(*arguments):
    call = [sys.executable, "-m", "pacman2.dataset", *map(str, arguments)]
    return subprocess.run(call, capture_output=True, text=True, check=False)


def test_the_command(tmp_path):
    fast = ["--games", 2, "--games-per-shard", 1, "--expert", "greedy", "--opponents", "random"]
    done = command(tmp_path, *fast)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[1] == f"{tmp_path / '00001.npz'} (2 of 2)"
    # Another dataset is not mixed with this one.
    refused = command(tmp_path, *fast, "--observation", "planes")
    assert refused.returncode == 1
    assert "observation: expected 'compact' as in" in refused.stderr
    assert len(list(dataset.load(tmp_path))) == 2


def test_an_empty_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match="expected a folder that pacman2.dataset wrote, got .*, which has no shards"):
        list(dataset.load(tmp_path))


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
