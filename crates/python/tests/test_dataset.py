"""Datasets: what is in them, that they continue, and that bad options are rejected."""

import subprocess
import sys

import numpy as np
import pacman2
import pytest
from pacman2 import dataset

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
