"""`pacman2.Game` and `pacman2.Bot`: they follow the rules and reject invalid arguments."""

import copy
import json
import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pacman2
import pytest
from conftest import play_at_random, read_traces

Played = Callable[..., pacman2.Game]


def fnv(data: bytes, digest: int = 0xCBF29CE484222325) -> int:
    for byte in data:
        digest = (digest ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return digest


def canonical(game: pacman2.Game) -> bytes:
    """Returns the line of a turn that the hash of a trace covers."""
    report = game.report()
    assert report is not None
    players = [
        [*cell, strength, boost, int(not alive)]
        for cell, strength, boost, alive in zip(
            game.cells, game.strength, game.boost_turns_left, game.alive, strict=True
        )
    ]
    content = 16 * game.small_fruits.astype(int) + 32 * game.large_fruits
    for seat in range(4):
        content[game.cells[seat]] += game.alive[seat] << seat
    counts = [
        game.turn,
        sum(game.alive),
        int(game.small_fruits.sum()),
        game.generator_turns_left,
        int(not game.is_over),
    ]
    record = [*counts, players, content.tolist(), report.change, report.strength_delta]
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("file", "count"), [("botzone-maps.txt", 150), ("odd-settings.txt", 100)])
def test_traces(file: str, count: int) -> None:
    """Replays the sample program's games, compares every reported number, and undoes all turns."""
    traces = list(read_traces(file))
    assert len(traces) == count
    for trace in traces:
        game = pacman2.Game(init_data=trace.init_data)
        passed = []
        record = b""
        for number, actions in enumerate(trace.actions, 1):
            passed.append(game.fingerprint())
            goes_on = game.step(actions)
            assert goes_on == (number < len(trace.actions)), f"{trace.name}, turn {number}"
            record += canonical(game)
        assert f"{fnv(record):016x}" == trace.hash, trace.name
        for fingerprint in reversed(passed):
            assert game.undo()
            assert game.fingerprint() == fingerprint, trace.name
        assert not game.undo()


def test_undo_all_turns_and_play_them_again(played: Played) -> None:
    game = played(turns=100)
    end, history = game.clone(), game.history
    while game.undo():
        pass
    assert game == pacman2.Game(7) and game.turn == 0 and len(game.history) == 0
    for actions in history:
        game.step(actions)
    assert game == end
    assert (game.history == history).all()


COPIES: list[Callable[[pacman2.Game], pacman2.Game]] = [
    pacman2.Game.clone,
    copy.copy,
    copy.deepcopy,
    lambda game: pacman2.Game.from_bytes(game.to_bytes()),
    *(
        lambda game, protocol=protocol: pickle.loads(pickle.dumps(game, protocol))
        for protocol in range(2, 6)
    ),
]


@pytest.mark.parametrize("copied", COPIES)
def test_a_copy_has_the_same_past_and_future(
    copied: Callable[[pacman2.Game], pacman2.Game],
) -> None:
    settings: dict[str, Any] = {
        "turns": 60,
        "skill_cost": 3,
        "generator_interval": 9,
        "ruling": "prose",
    }
    game = pacman2.Game(2**32 - 5, size=(8, 11), **settings)
    game.step([None, 0, 0, 0])
    play_at_random(game, 20, 1)
    twin = copied(game)
    assert (twin.seed, twin.settings, twin.init_data()) == (2**32 - 5, game.settings, game.init_data())
    assert twin == game and hash(twin) == hash(game) and (twin.history == game.history).all()
    for both in (game, twin):
        play_at_random(both, 60, 2)
    assert twin == game and twin.is_over and twin.scores == game.scores
    twin.undo()
    assert twin != game
    while game.undo():
        pass
    assert game.turn == 0 and twin.turn > 0


def test_damaged_bytes_are_rejected(played: Played) -> None:
    data = played(turns=12).to_bytes()
    for place in range(len(data)):
        for change in (1, 0x80, 0xFF):
            damaged = bytearray(data)
            damaged[place] ^= change
            with pytest.raises(ValueError, match="expected a saved game, got other bytes"):
                pacman2.Game.from_bytes(bytes(damaged))
        with pytest.raises(ValueError, match="expected a saved game, got other bytes"):
            pacman2.Game.from_bytes(data[:place])
    for stranger in (b"", data + b"\0", bytes(1000), random.Random(1).randbytes(1000)):
        with pytest.raises(ValueError, match="expected a saved game, got other bytes"):
            pacman2.Game.from_bytes(stranger)
    with pytest.raises(TypeError):
        pacman2.Game.from_bytes("text")


def test_forged_bytes_are_a_game_or_rejected(played: Played) -> None:
    """Forged bytes have a correct hash, so that the parser has to check each of them."""
    body = played(turns=12).to_bytes()[:-8]
    read = rejected = 0
    for place in range(len(body)):
        for value in (0, 1, 4, 16, 255):
            forged = body[:place] + bytes([value]) + body[place + 1 :]
            forged += fnv(forged).to_bytes(8, "little")
            try:
                game = pacman2.Game.from_bytes(forged)
            except ValueError as error:
                assert "expected a saved game, got other bytes" in str(error)
                rejected += 1
                continue
            read += 1
            assert pacman2.Game.from_bytes(game.to_bytes()) == game
            play_at_random(game, 100, place)
    assert read > 100 and rejected > 100


def test_later_versions_read_saved_games() -> None:
    """Reads what version 1 wrote. Never change this test; add one for each new version."""
    data = bytes.fromhex(SAVED_BY_VERSION_1)
    game = pacman2.Game.from_bytes(data)
    assert game.to_bytes() == data
    assert (game.seed, game.turn, game.fingerprint()) == (7, 3, SAVED_POSITION)


SAVED_BY_VERSION_1 = (
    "7061636d616e32000100090a07000000140000000a0000000a00000004000000640000000b080405"
    "000504020b020a0b1f0a1f0b0a080a0e08030a09020e0a0a09060c04060c030a0c00010505050100"
    "060900040505050400030a0c0309010309060a0a0b08060a0c020b0a020a0e1f0a1f0e0a080e0801"
    "05000501020e10001000000010001010000100000002001020000010001000002000001000000010"
    "00000000000000000000000000000000000000000000100000001000002000001000100000201000"
    "04000000080010100010000000100010000301000303ff01040200017f44d225c03029ca"
)
SAVED_POSITION = 0xCD8153F085D867CF


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: pacman2.Game("7"), TypeError, "seed: expected a whole number.*, got '7'"),
        (lambda: pacman2.Game(1.5), TypeError, "seed: expected a whole number.*, got 1.5"),
        (
            lambda: pacman2.Game(2**32),
            ValueError,
            "seed: expected a whole number from -2147483648 to 4294967295, got 4294967296",
        ),
        (lambda: pacman2.Game(10**30), ValueError, "seed: expected .*, got 1000000000000000000000000000000"),
        (
            lambda: pacman2.Game(1, size=5),
            ValueError,
            "size: expected a whole number from 6 to 11.*, got 5",
        ),
        (
            lambda: pacman2.Game(1, size=(6, 12)),
            ValueError,
            "height in size: expected a whole number from 6 to 11.*, got 12",
        ),
        (
            lambda: pacman2.Game(1, size=(6, 7, 8)),
            ValueError,
            r"size: expected a side or \(width, height\).*, got \(6, 7, 8\)",
        ),
        (lambda: pacman2.Game(1, size="big"), TypeError, "size: expected a whole number.*, got 'big'"),
        (
            lambda: pacman2.Game(1, turns=0),
            ValueError,
            "turns: expected a whole number from 1 to 10000.*, got 0",
        ),
        (
            lambda: pacman2.Game(1, skill_cost=-1),
            ValueError,
            "skill_cost: expected a whole number from 0 to 10000.*, got -1",
        ),
        (
            lambda: pacman2.Game(1, ruling="mine"),
            ValueError,
            'ruling: expected "sample", "judge", "prose", got \'mine\'',
        ),
        (lambda: pacman2.Game(1, speed=3), TypeError, "speed"),
        (
            lambda: pacman2.Game(init_data=3),
            TypeError,
            "init_data: expected a dict or a str of JSON, got 3",
        ),
        (lambda: pacman2.Game(init_data="{"), ValueError, "init_data: expected .*, got '{', which is not JSON: EOF"),
        (lambda: pacman2.Game(init_data="\ud800"), ValueError, "init_data: expected valid Unicode, got"),
        (
            lambda: pacman2.Game(init_data="[" * 10_000),
            ValueError,
            "init_data: expected .*, which is not JSON: recursion limit",
        ),
        (
            lambda: pacman2.Game(init_data="[]"),
            ValueError,
            r"init_data: expected an object with .*, got '\[]'",
        ),
        (
            lambda: pacman2.Game(init_data={"width": {1}}),
            ValueError,
            "init_data: expected .*, which is not JSON: .*set",
        ),
        (
            lambda: pacman2.Game(init_data={"width": float("nan")}),
            ValueError,
            "init_data: expected .*, which is not JSON",
        ),
        (
            lambda: pacman2.Game(init_data={"width": 6, "static": []}),
            ValueError,
            "init_data: expected .*, got .* height is missing; .*content must be a list of rows",
        ),
        (
            lambda: pacman2.Game(init_data={"seed": 1}, size=6),
            ValueError,
            "expected size or init_data, .*, got both",
        ),
        (
            lambda: pacman2.Game(1).step([0, 0, 0]),
            ValueError,
            "actions: expected .*four whole numbers, seat 0 first, got 3",
        ),
        (
            lambda: pacman2.Game(1).step([0, 0, 0, 9]),
            ValueError,
            "action of seat 3: expected a whole number from 0 to 8.*, got 9",
        ),
        (
            lambda: pacman2.Game(1).step((0, -1, 0, 0)),
            ValueError,
            "action of seat 1: expected a whole number from 0 to 8.*, got -1",
        ),
        (
            lambda: pacman2.Game(1).step([0, 0, 2**80, 0]),
            ValueError,
            "action of seat 2: expected .*, got 1208925819614629174706176",
        ),
        (
            lambda: pacman2.Game(1).step([0.0, 0, 0, 0]),
            TypeError,
            "action of seat 0: expected a whole number.*, got 0.0",
        ),
        (
            lambda: pacman2.Game(1).step(np.zeros(4)),
            TypeError,
            "action of seat 0: expected a whole number.*, got .*0.0.*",
        ),
        (
            lambda: pacman2.Game(1).step(np.zeros((4, 2), int)),
            TypeError,
            "action of seat 0: expected .*, got array",
        ),
        (
            lambda: pacman2.Game(1).step(np.zeros(5, int)),
            ValueError,
            "actions: expected .*four whole numbers, seat 0 first, got 5",
        ),
        (
            lambda: pacman2.Game(1).step("0000"),
            TypeError,
            "actions: expected a sequence of four whole numbers.*, got '0000'",
        ),
        (
            lambda: pacman2.Game(1).step({0: 1, 1: 1, 2: 1, 3: 1}),
            TypeError,
            "actions: expected a sequence of four.*, got {0: 1.*",
        ),
        (
            lambda: pacman2.Game(1).step({1, 2, 3, 4}),
            TypeError,
            "actions: expected a sequence of four.*, got {1, 2, 3, 4}",
        ),
        (
            lambda: pacman2.Game(1).step(0),
            TypeError,
            "actions: expected a sequence of four whole numbers.*, got 0",
        ),
        (
            lambda: pacman2.Game(1).step(iter([0] * 4)),
            TypeError,
            "actions: expected a sequence of four.*, got <list_iterator .*",
        ),
        (
            lambda: pacman2.Game(1).legal_actions(4),
            ValueError,
            "seat: expected a whole number from 0 to 3.*, got 4",
        ),
        (
            lambda: pacman2.Game(1).observe("compact", "0"),
            TypeError,
            "seat: expected a whole number.*, got '0'",
        ),
        (
            lambda: pacman2.Game(1).observe("flat", 0),
            ValueError,
            'view: expected "compact", "planes", .*, got \'flat\'',
        ),
        (
            lambda: pacman2.Game(1).render("human"),
            ValueError,
            'mode: expected "ansi", "rgb_array", "html", got \'human\'',
        ),
        (lambda: pacman2.Game(1).replay(["a", "b"]), ValueError, "names: expected .* 4 str, got 2"),
        (
            lambda: pacman2.Bot("gredy"),
            ValueError,
            'name: expected a built-in bot .*, got "gredy": unknown built-in bot "gredy"; expected random, sample, greedy',
        ),
        (lambda: pacman2.Bot("greedy", simulations=5), ValueError, "greedy does not simulate"),
        (
            lambda: pacman2.Bot("sage", simulations=5, time_ms=5),
            ValueError,
            "name: expected .*--simulations cannot be combined with --time",
        ),
        (
            lambda: pacman2.Bot("sage", simulations=0),
            ValueError,
            "simulations: expected a whole number from 1 to 4294967295, got 0",
        ),
        (lambda: pacman2.Bot("greedy").act(pacman2.Game(1), 4), ValueError, "seat: expected .*, got 4"),
        (lambda: pacman2.Bot("greedy").act("game", 0), TypeError, "Game"),
    ],
)
def test_invalid_arguments_are_rejected(
    make: Callable[[], object], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        make()


def test_a_rejected_step_changes_nothing(played: Played) -> None:
    game, twin = played(), played()
    for actions in ([0, 0, 0, 9], [0, 0, 0], [0, 0, 0, "x"]):
        with pytest.raises((ValueError, TypeError)):
            game.step(actions)
    assert game == twin and len(game.history) == len(twin.history)


def test_all_kinds_of_sequences_play_the_same_turn() -> None:
    actions = [3, 0, 1, 2]
    kinds: list[Any] = [
        actions,
        tuple(actions),
        bytes(actions),
        np.array(actions),
        np.array(actions, np.uint8),
    ]
    kinds.append([np.int64(action) for action in actions])
    games = [pacman2.Game(5) for _ in kinds]
    for game, kind in zip(games, kinds, strict=True):
        game.step(kind)
        assert game == games[0]
        assert game.history.tolist() == [actions]


def test_a_finished_game_rejects_further_turns(played: Played) -> None:
    game = played(turns=1000)
    assert game.is_over
    assert all(game.legal_actions(seat) == [] for seat in range(4))
    assert (game.action_mask() == [[True] + [False] * 8] * 4).all()
    with pytest.raises(
        ValueError, match=f"expected a game that is not over, got one that is over after turn {game.turn}"
    ):
        game.step([0, 0, 0, 0])
    with pytest.raises(ValueError, match="expected a game that is not over"):
        pacman2.Bot("random").act(game, 0)
    assert sum(game.scores) > 100 and sorted(game.ranks)[0] == 1
    assert game.undo() and not game.is_over


def test_illegal_actions_kill_and_actions_of_the_dead_are_ignored() -> None:
    game = pacman2.Game(7)
    walled = next(action for action in range(1, 5) if action not in game.legal_actions(2))
    assert game.step([0, 0, walled, 0])
    assert game.alive == (True, True, False, True)
    assert game.legal_actions(2) == [] and game.action_mask()[2].tolist() == [True] + [False] * 8
    report = game.report()
    assert report is not None and report.turn == 1
    cause = {"cause": "illegal", "action": walled}
    assert {
        "event": "died",
        "seat": 2,
        "cell": game.cells[2],
        "lost": 1,
        "cause": cause,
    } in report.events
    with pytest.raises(ValueError, match="seat: expected .*, got player 2, which is dead"):
        pacman2.Bot("greedy").act(game, 2)
    twin = game.clone()
    game.step([0, 0, 8, 0])
    twin.step([0, 0, None, 0])
    assert game == twin
    game.step([None, None, None, 0])
    assert game.is_over and game.alive == (False, False, False, True)


def test_masks_agree_with_legal_actions(played: Played) -> None:
    game = played(turns=60)
    while game.undo():
        mask = game.action_mask()
        assert mask.shape == (4, 9) and mask.dtype == np.bool_
        for seat in range(4):
            assert np.flatnonzero(mask[seat]).tolist() == (game.legal_actions(seat) or [0])


def test_views(played: Played) -> None:
    game = played()
    planes = (18, 11, 11)
    for view, shape in [("compact", (150,)), ("planes", planes), ("planes_centred", planes)]:
        for seat in range(4):
            seen = game.observe(view, seat)  # type: ignore[arg-type]
            assert seen.shape == shape and seen.dtype == np.uint8
            seen[:] = 0
    state = game.state()
    assert (state == game.observe("compact", 0)).all()
    cells = state[:121].reshape(11, 11)[: game.height, : game.width]
    assert (cells & 15 == game.walls).all()
    assert (cells & 16 > 0).tolist() == game.small_fruits.tolist()
    assert (cells & 32 > 0).tolist() == game.large_fruits.tolist()
    assert (cells & 64 > 0).tolist() == game.generators.tolist()
    players = state[121:141].reshape(4, 5)
    assert [tuple(cell) for cell in players[:, :2].tolist()] == list(game.cells)
    assert players[:, 3].tolist() == [min(strength, 255) for strength in game.strength]


def tiled(array: np.ndarray, row: int, col: int) -> np.ndarray:
    """The 11 rows of 11 around a cell of the repeated array."""
    near = np.arange(11) - 5
    return array[np.ix_((row + near) % array.shape[0], (col + near) % array.shape[1])]


@pytest.mark.parametrize("size", [(6, 9), (11, 7), (10, 10)])
def test_centred_views_tile_the_maze_around_the_player(size: tuple[int, int]) -> None:
    for turns in (0, 13, 60):
        game = play_at_random(pacman2.Game(5, size=size), turns, 5)
        for seat in range(4):
            row, col = game.cells[seat]
            planes = game.observe("planes", seat)[:, : game.height, : game.width]
            centred = game.observe("planes_centred", seat)
            for plane, expected in zip(centred, planes):
                assert (plane == tiled(expected, row, col)).all()
            assert centred[8, 5, 5] == min(game.strength[seat], 255) * game.alive[seat]


def test_seeds_and_maps() -> None:
    assert pacman2.Game(11) == pacman2.Game(11) != pacman2.Game(12)
    assert pacman2.Game(2**32 - 1).init_data()["seed"] == -1
    assert pacman2.Game(-1) == pacman2.Game(2**32 - 1) and pacman2.Game(-1).seed == 2**32 - 1
    negative = pacman2.Game(init_data={"seed": -1, "SKILL_COST": 3})
    assert negative.seed == 2**32 - 1 and pacman2.Game(negative.seed, skill_cost=3) == negative
    assert len({pacman2.Game().seed for _ in range(20)}) > 10
    small = pacman2.Game(3, size=6)
    assert (small.width, small.height, small.walls.shape) == (6, 6, (6, 6))
    game = pacman2.Game(3, size=(7, 9), turns=50, skill_cost=2, large_fruit_duration=3)
    assert (game.width, game.height, game.settings["turns"]) == (7, 9, 50)
    assert pacman2.Game(3, size=(7, 9), **game.settings) == game
    for data in (game.init_data(), json.dumps(game.init_data()), {"requests": [game.init_data()]}):
        again = pacman2.Game(init_data=data)
        assert again == game and again.seed == 3
    assert pacman2.Game(9, init_data=game.init_data(), turns=7).settings == {
        **game.settings,
        "turns": 7,
    }
    with pytest.warns(UserWarning, match='no key "extra"'):
        pacman2.Game(init_data={**game.init_data(), "extra": 1})


def test_equality_compares_positions_not_histories() -> None:
    game, other = pacman2.Game(7), pacman2.Game(7)
    game.step([0, 0, 0, 0])
    other.step([3, 0, 0, 0])
    assert game != other
    game.step([3, 0, 0, 0])
    other.step([0, 0, 0, 0])
    assert game == other and hash(game) == hash(other) and game.fingerprint() == other.fingerprint()
    assert game != "game" and game != pacman2.Game(7, turns=99)


def test_reports_explain_every_change_of_strength(played: Played) -> None:
    assert pacman2.Game(7).report() is None
    game = played(seed=3, turns=100)
    seen = set()
    while report := game.report():
        assert report.turn == game.turn
        twin = game.clone()
        twin.undo()
        strength = list(twin.strength)
        for event in report.events:
            seen.add(event["event"])
            change_strength(strength, event)
        assert strength == list(game.strength), report.events
        game.undo()
    assert {"ordered", "moved", "fired", "ate", "born"} <= seen


def change_strength(strength: list[int], event: dict[str, Any]) -> None:
    match event:
        case {"event": "fought", "winners": winners, "share": share}:
            for winner in winners:
                strength[winner] += share
        case {"event": "hit", "shooter": shooter, "victim": victim, "gained": gained, "lost": lost}:
            strength[shooter] += gained
            strength[victim] -= lost
        case {"event": "fired", "seat": seat, "cost": lost} | {
            "event": "looted" | "died" | "boost-ended",
            "seat": seat,
            "lost": lost,
        }:
            strength[seat] -= lost
        case {"event": "ate" | "settled", "seat": seat, "gained": gained} | {
            "event": "inherited",
            "seat": seat,
            "fruits": gained,
        }:
            strength[seat] += gained


@pytest.mark.parametrize("name", pacman2.bot_names())
def test_bots(name: str, played: Played) -> None:
    options = {"simulations": 30} if name in ("sample", "sage") else {}
    bot, twin = pacman2.Bot(name, 5, **options), pacman2.Bot(name, 5, **options)
    game = played(turns=10)
    for _ in range(5):
        actions = [bot.act(game, seat) if game.alive[seat] else 0 for seat in range(4)]
        assert actions == [twin.act(game, seat) if game.alive[seat] else 0 for seat in range(4)]
        assert all(
            action in game.legal_actions(seat)
            for seat, action in enumerate(actions)
            if game.alive[seat]
        )
        game.step(actions)
        twin = pickle.loads(pickle.dumps(twin))
    assert (twin.name, twin.seed) == (name, 5) and repr(twin) == repr(bot)
    assert len(bot.description) > 10


def test_a_bot_with_a_time_limit() -> None:
    bot = pacman2.Bot("sage", time_ms=5)
    assert bot.act(pacman2.Game(7), 1) in pacman2.Game(7).legal_actions(1)
    assert (bot.simulations, bot.time_ms) == (None, 5)
