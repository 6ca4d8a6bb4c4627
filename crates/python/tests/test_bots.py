"""``Bot`` takes what the command line takes, reports its search, and plays many games at once."""

from __future__ import annotations

import pathlib
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pacman2

NET = pathlib.Path(__file__).parents[2] / "bots" / "nets" / "sage.net"

Played = Callable[..., pacman2.Game]


@pytest.fixture
def zeros(tmp_path: pathlib.Path) -> pathlib.Path:
    """Returns a net of zeros, in a file whose name has to be quoted."""
    first, origin, weights = NET.read_bytes().split(b"\n", 2)
    file = tmp_path / "a net of zeros.net"
    file.write_bytes(first + b"\nzeros\n" + bytes(len(weights)))
    return file


def test_options_as_on_the_command_line(zeros: pathlib.Path) -> None:
    for typed, keywords, spec in [
        ("greedy", {}, "greedy"),
        ("sage", {}, "sage --simulations 2000"),
        ("sage --simulations=9 --threads 2", {}, "sage --simulations 9 --threads 2"),
        ("sage", {"simulations": 9, "threads": 2}, "sage --simulations 9 --threads 2"),
        ("sage --time 7", {}, "sage --time 7"),
        ("sage", {"time_ms": np.int64(7)}, "sage --time 7"),
        ("sage --without net", {"without": ["others"], "simulations": 1}, None),
        ("sage", {"without": "net"}, "sage --simulations 2000 --without net"),
        ("style sniper", {}, "style sniper"),
        ("sage --simulations 1", {"net": zeros}, f"sage --simulations 1 --net '{zeros}'"),
        (f"sage --simulations 1 --net '{zeros}'", {}, f"sage --simulations 1 --net '{zeros}'"),
    ]:
        bot = pacman2.Bot(typed, 3, **keywords)
        assert bot.spec == (spec or "sage --simulations 1 --without net --without others")
        again = pickle.loads(pickle.dumps(bot))
        assert (again.spec, again.seed, again.name) == (bot.spec, 3, typed.split()[0])
        assert again.act(pacman2.Game(1), 0) in pacman2.Game(1).legal_actions(0)
    assert pacman2.Bot("style sniper").description.startswith("shoots whenever")


def test_a_net_changes_the_search(zeros: pathlib.Path, played: Played) -> None:
    game = played()
    one, same, other = (
        pacman2.Bot("sage --simulations 50", **options).search(game).points
        for options in ({}, {"net": NET}, {"net": zeros})
    )
    assert one == same != other


@pytest.mark.parametrize(
    ("name", "options", "error", "words"),
    [
        ("sage --net /nowhere.net", {}, ValueError, "--net: /nowhere.net: No such file"),
        ("sage", {"net": "/"}, ValueError, "--net: /: expected a regular file"),
        ("sage", {"net": __file__}, ValueError, "not a net of this version"),
        ("sage", {"net": 3}, TypeError, "net"),
        ("hunter", {"net": NET}, ValueError, "hunter does not search"),
        ("hunter", {"threads": 2}, ValueError, "hunter does not search"),
        ("sage", {"threads": 65}, ValueError, '--threads: expected .* 1 to 64, got "65"'),
        ("sage --simulations 3", {"simulations": 3}, ValueError, "given more than once"),
        ("sage", {"simulations": "3"}, TypeError, "simulations: expected a whole number .*, got '3'"),
        ("sage", {"without": "nets"}, ValueError, '--without: expected net, others, .*, got "nets"'),
        ("sage", {"without": 3}, TypeError, "without: expected the name of a component .*, got 3"),
        ("style", {}, ValueError, "expected the name of a style"),
        ("style snipper", {}, ValueError, 'unknown style "snipper"; did you mean sniper?'),
        ("sage '", {}, ValueError, "a quotation mark is missing"),
        ("", {}, ValueError, 'unknown built-in bot ""'),
    ],
)
def test_invalid_options_are_rejected(
    name: str, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        pacman2.Bot(name, **options)


def test_a_search_reports_visits_values_and_lines(played: Played) -> None:
    game = played(turns=20)
    bot = pacman2.Bot("sage --simulations 300", 5)
    for seat in (seat for seat in range(4) if game.alive[seat]):
        found = bot.search(game, seat)
        assert found.seat == seat and found.simulations <= 300
        assert found.action == bot.act(game, seat) == found.visits[seat].argmax()
        assert found.visits.sum(axis=1).tolist() == [
            found.simulations if lives else 0 for lives in game.alive
        ]
        np.testing.assert_array_equal(np.isnan(found.values), found.visits == 0)
        mean = np.nansum(found.values * found.visits, axis=1) / found.simulations
        np.testing.assert_allclose(mean[seat], found.points[seat], rtol=1e-4)
        assert (found.errors[found.visits > 1] >= 0).all()
        line = found.pv()
        assert line.dtype == np.uint8 and line.shape[1] == 4 and line[0, seat] == found.action
        twin = game.clone()
        for actions in line:
            assert all(twin.action_mask()[range(4), actions])
            twin.step(actions)
        least = min(np.flatnonzero(found.visits[seat]), key=lambda one: found.visits[seat, one])
        assert found.pv(action=least)[0, seat] == least
        assert "300" in repr(found) or found.simulations < 300
    everyone = bot.search(game)
    assert everyone.seat is None and everyone.action is None
    assert ((everyone.visits > 0) == game.action_mask() * np.array(game.alive)[:, None]).all()
    assert everyone.actions == tuple(everyone.visits.argmax(axis=1))
    assert everyone.pv(2).shape == everyone.pv(seat=2, action=everyone.actions[2]).shape


def test_searches_that_are_impossible(played: Played) -> None:
    sage, game = pacman2.Bot("sage --simulations 5"), played(turns=1000)
    with pytest.raises(ValueError, match="expected a bot that searches, such as sage, got greedy"):
        pacman2.Bot("greedy").search(pacman2.Game(1), 0)
    with pytest.raises(ValueError, match="expected a game that is not over, got"):
        sage.search(game)
    found = sage.search(pacman2.Game(1), 0)
    with pytest.raises(ValueError, match="action: expected one of seat 0 that was searched, .*, got"):
        found.pv(0, 8)
    with pytest.raises(ValueError, match="action: expected a whole number from 0 to 8, got 9"):
        found.pv(0, 9)


@pytest.mark.parametrize("name", ["greedy", "sage --simulations 20", "style expect-points"])
@pytest.mark.parametrize("threads", [1, 2])
def test_many_games_in_one_call(name: str, threads: int) -> None:
    games = [pacman2.Game(seed) for seed in range(12)]
    seats = [seed % 4 for seed in range(12)]
    bot, alone = pacman2.Bot(name, 7), [pacman2.Bot(name, 7) for _ in range(12)]
    for _ in range(6):
        actions = bot.act_all(games, seats, threads=threads)
        assert actions.dtype == np.uint8
        expected = [one.act(game, seat) for one, game, seat in zip(alone, games, seats)]
        assert actions.tolist() == expected
        for game, seat, action in zip(games, seats, actions):
            game.step([action if other == seat else 0 for other in range(4)])
    # What it has learned about a place in the list does not matter.
    actions = bot.act_all(games[::-1], seats[::-1], threads=threads)
    assert actions[::-1].tolist() == bot.act_all(games, seats).tolist()
    assert bot.act_all(games, 2).tolist() == [bot.act(game, 2) for game in games]
    assert bot.act_all([], []).shape == (0,)


def test_searches_of_many_games() -> None:
    games = [pacman2.Game(seed) for seed in range(5)]
    bot = pacman2.Bot("sage --simulations 30")
    for seats in (None, 1, [0, 1, 2, 3, 0]):
        many = bot.search_all(games, seats, threads=2)
        for place, (found, game) in enumerate(zip(many, games, strict=True)):
            seat = seats[place] if isinstance(seats, list) else seats
            one = bot.search(game, seat)
            np.testing.assert_array_equal(found.visits, one.visits)
            assert found.points == one.points and found.seat == seat


def test_invalid_lists_are_rejected(played: Played) -> None:
    bot, games = pacman2.Bot("greedy"), [pacman2.Game(1), pacman2.Game(2)]
    over = played(turns=1000)
    for call, error, words in [
        (lambda: bot.act_all(games, [0]), ValueError, "seats: expected 2 seats, one for each game, got 1"),
        (lambda: bot.act_all(games, [0, 4]), ValueError, "seat: expected .*, got 4"),
        (lambda: bot.act_all(games, "01"), TypeError, "seats: expected a seat or a list of seats, got '01'"),
        (lambda: bot.act_all(games, None), TypeError, "seats: expected a seat or a list of seats, got None"),
        (lambda: bot.act_all([*games, over], 0), ValueError, r"games\[2\]: expected a game that is not over, got"),
        (lambda: bot.act_all([1], 0), TypeError, "Game"),
        (lambda: bot.act_all(games, 0, threads=0), ValueError, "threads: expected .* from 1 to 1024, got 0"),
        (lambda: bot.search_all(games), ValueError, "expected a bot that searches, .*, got greedy"),
    ]:
        with pytest.raises(error, match=words):
            call()


