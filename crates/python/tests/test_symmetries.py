"""The symmetries of the game: a mirrored game goes on as the mirror image of the game."""

import random
import subprocess
import sys
from typing import Any

import numpy as np
import pacman2
import pytest
from numpy.typing import NDArray
from pacman2 import symmetries
from pacman2.symmetries import ALL, Symmetry

VIEWS = ["compact", "planes", "planes_centred", "features"]
#: Whether the simple rule of sage's playouts would choose the action; it prefers some directions.
QUICK_ACTION = slice(273, 275)
FORMATS: list[tuple[str, dict[str, Any]]] = [
    *((view, {}) for view in VIEWS),
    *((view, {"dtype": "float32"}) for view in VIEWS),
    ("action_features", {}),
    *((view, {"history": 2}) for view in VIEWS),
    *((view, {"dtype": "float32", "history": 1}) for view in VIEWS),
    ("planes_centred", {"window": 17, "history": 1}),
    ("planes_centred", {"window": 13, "dtype": "float32"}),
]


def mirrored_init_data(data: dict[str, Any], symmetry: Symmetry) -> dict[str, Any]:
    """Mirrors a map by the meaning of the words, cell by cell."""

    def moved(array: list[list[int]]) -> list[list[int]]:
        moved = np.array(array)
        if symmetry.transposes:
            moved = moved.T
        if symmetry.flips_rows:
            moved = moved[::-1]
        return (moved[:, ::-1] if symmetry.flips_columns else moved).tolist()

    def walls(bits: int) -> int:
        up, right, down, left = (bits >> side & 1 for side in range(4))
        if symmetry.transposes:
            up, right, down, left = left, down, right, up
        if symmetry.flips_rows:
            up, down = down, up
        if symmetry.flips_columns:
            right, left = left, right
        return bits & 16 | up | right << 1 | down << 2 | left << 3

    static = [[walls(bits) for bits in row] for row in moved(data["static"])]
    sides = {"height": len(static), "width": len(static[0])}
    return {**data, "static": static, "content": moved(data["content"]), **sides}


def random_init_data(rng: random.Random) -> dict[str, Any]:
    """A map without any symmetry, even with walls that only one side has."""
    width, height = rng.randint(6, 11), rng.randint(6, 11)
    cells = [(row, col) for row in range(height) for col in range(width)]
    wall = rng.choice([0, 0.1, 0.3, 0.6])
    static = [
        [sum((rng.random() < wall) << side for side in range(4)) for _ in range(width)]
        for _ in range(height)
    ]
    content = [[rng.choice([0, 0, 0, 16, 32]) for _ in range(width)] for _ in range(height)]
    for row, col in rng.sample(cells, rng.randint(0, 4)):
        static[row][col] |= 16
        content[row][col] = 0
    for player in range(4):
        row, col = rng.choice(cells)
        content[row][col] |= 1 << player
    return {
        "width": width,
        "height": height,
        "static": static,
        "content": content,
        "GENERATOR_INTERVAL": rng.choice([1, 3, 20]),
        "LARGE_FRUIT_DURATION": rng.choice([1, 3, 10]),
        "LARGE_FRUIT_ENHANCEMENT": rng.choice([1, 10]),
        "SKILL_COST": rng.choice([1, 2, 4]),
    }


def pairs(
    rng: random.Random, symmetry: Symmetry, of_botzone: bool = False
) -> tuple[pacman2.Game, pacman2.Game]:
    """A game and its mirror image, some of them on maps of Botzone."""
    data = pacman2.Game(rng.randrange(1 << 31)).init_data()
    if not of_botzone and rng.random() < 0.7:
        data = random_init_data(rng)
    ruling = rng.choice(["sample", "judge", "prose"])
    options: dict[str, Any] = dict(ruling=ruling, turns=rng.choice([30, 100]))
    mirrored = mirrored_init_data(data, symmetry)
    return pacman2.Game(init_data=data, **options), pacman2.Game(init_data=mirrored, **options)


def turn(game: pacman2.Game, rng: random.Random) -> list[int]:
    """Actions of which most are legal."""
    legal = [game.legal_actions(seat) or [0] for seat in range(4)]
    return [rng.choice(actions) if rng.random() < 0.99 else rng.randrange(9) for actions in legal]


def observed(game: pacman2.Game, view: str, options: dict[str, Any]) -> NDArray[Any]:
    return np.stack([game.observe(view, seat, **options) for seat in range(4)])  # type: ignore[arg-type]


def history_and_window(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name != "dtype"}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("symmetry", ALL, ids=lambda symmetry: symmetry.name)
def test_the_mirror_image_of_a_game_is_a_game(symmetry: Symmetry) -> None:
    """The rules know no direction: every game has the same events in the mirrored maze."""
    rng = random.Random(symmetry.name)
    deaths = turns = 0
    for _ in range(120):
        game, mirrored = pairs(rng, symmetry)
        while not game.is_over:
            actions = turn(game, rng)
            game.step(actions)
            mirrored.step(symmetry.actions(np.array(actions)).tolist())
            assert game.strength == mirrored.strength and game.alive == mirrored.alive
            assert game.boost_turns_left == mirrored.boost_turns_left
            turns += 1
        assert mirrored.is_over and game.scores == mirrored.scores
        here = symmetry.observations(observed(game, "compact", {}), "compact")
        assert (here == observed(mirrored, "compact", {})).all()
        deaths += 4 - sum(game.alive)
    assert deaths > 100 and turns > 1000


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_shifting_the_maze_changes_nothing_but_where_things_are() -> None:
    rng = random.Random(5)
    for _ in range(120):
        data = random_init_data(rng)
        down, right = rng.randrange(data["height"]), rng.randrange(data["width"])
        shifted = {
            **data,
            **{name: np.roll(data[name], (down, right), (0, 1)).tolist() for name in ("static", "content")},
        }
        game, other = pacman2.Game(init_data=data), pacman2.Game(init_data=shifted)
        while not game.is_over:
            actions = turn(game, rng)
            game.step(actions)
            other.step(actions)
            assert game.strength == other.strength and game.alive == other.alive
            assert (observed(game, "planes_centred", {}) == observed(other, "planes_centred", {})).all()


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("symmetry", ALL, ids=lambda symmetry: symmetry.name)
@pytest.mark.parametrize(("view", "options"), FORMATS, ids=str)
def test_observations_of_the_mirrored_game_are_mirrored_observations(
    view: str, options: dict[str, Any], symmetry: Symmetry
) -> None:
    rng = random.Random(f"{view} {symmetry.name}")
    seen, expected, masks, expected_masks = [], [], [], []
    for _ in range(8):
        # Areas that are closed off have no exit, so features need one of Botzone's maps.
        game, mirrored = pairs(rng, symmetry, of_botzone="features" in view)
        while not game.is_over:
            actions = turn(game, rng)
            game.step(actions)
            mirrored.step(symmetry.actions(np.array(actions)).tolist())
            if rng.random() < 0.2:
                seen.append(observed(game, view, options))
                expected.append(observed(mirrored, view, options))
                masks.append(game.action_mask())
                expected_masks.append(mirrored.action_mask())
    before = np.stack(seen)
    # Mazes of all sizes, in one call.
    found = symmetry.observations(before, view, **history_and_window(options))
    assert found.dtype == before.dtype and not np.shares_memory(found, before)
    if view == "action_features":
        there = np.delete(np.stack(expected), QUICK_ACTION, axis=-1)
        assert (np.delete(found, QUICK_ACTION, axis=-1) == there).all()
    elif view == "features":
        # The order of the fruit decides how sums are rounded.
        assert np.allclose(found, np.stack(expected), atol=1e-4)
    else:
        assert (found == np.stack(expected)).all()
    assert (before == np.stack(seen)).all(), "the observations given do not change"
    assert (symmetry.masks(np.stack(masks)) == np.stack(expected_masks)).all()
    back = symmetry.inverse.observations(found, view, **history_and_window(options))
    assert (back == before).all()
    # A single observation, too.
    one = symmetry.observations(before[0, 2], view, **history_and_window(options))
    assert (one == found[0, 2]).all()


def test_the_symmetries_form_a_group() -> None:
    actions = np.arange(9)
    images = {symmetry: tuple(symmetry.actions(actions).tolist()) for symmetry in ALL}
    assert len(set(images.values())) == 8
    for first in ALL:
        assert (first.inverse.actions(first.actions(actions)) == actions).all()
        for second in ALL:
            assert tuple(second.actions(first.actions(actions)).tolist()) in images.values()
        policy = np.arange(9.0)
        assert (first.policies(policy)[first.actions(actions)] == policy).all()
    assert images[symmetries.ROTATE_RIGHT] == (0, 2, 3, 4, 1, 6, 7, 8, 5)
    assert images[symmetries.MIRROR_ROWS] == (0, 3, 2, 1, 4, 7, 6, 5, 8)
    assert symmetries.of_size(9, 9) == ALL
    assert {symmetry.transposes for symmetry in symmetries.of_size(9, 7)} == {False}


def test_actions_may_be_lists_and_other_numbers_stay() -> None:
    assert symmetries.ROTATE_RIGHT.actions([1, 4, 0]).tolist() == [2, 1, 0]
    assert symmetries.ROTATE_RIGHT.actions([-1, 300, 8]).tolist() == [-1, 300, 5]
    assert symmetries.ROTATE_RIGHT.masks([True] + 8 * [False]).tolist() == [True] + 8 * [False]
    history = np.array([[1, 255, 8, 0]], np.uint8)
    found = symmetries.ROTATE_RIGHT.actions(history)
    assert found.tolist() == [[2, 255, 5, 0]] and found.dtype == np.uint8


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: s.observations(np.zeros((4, 150)), "flat"), 'view: expected "comp.*, got .flat'),
        (lambda s: s.observations(np.zeros((4, 151)), "compact"), r"expected the shape \(…, 150\) or .*, got \(4, 151\)"),
        (lambda s: s.observations(np.zeros((18, 11, 11)), "planes", history=1), r"\(…, 54, 11, 11\)"),
        (lambda s: s.observations(np.zeros((18, 42, 42)), "planes_centred", window=42), "window: expected an odd number, .*, got 42"),
        (lambda s: s.observations(np.zeros((18, 13, 13)), "planes", window=13), 'window: expected 11 with .*, got 13'),
        (lambda s: s.observations(np.zeros((9, 279)), "action_features", history=1), "history: expected 0 with .*, got 1"),
        (lambda s: s.masks(np.zeros((4, 8))), r"masks: expected 9 actions .*, got the shape \(4, 8\)"),
        (lambda s: s.policies(np.zeros(8)), r"policies: expected 9 actions .*, got the shape \(8,\)"),
        (lambda s: symmetries.of_size(12, 9), "width: expected a whole number from 1 to 11, got 12"),
    ],
)
def test_wrong_shapes_are_rejected(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call(symmetries.TRANSPOSE)


@pytest.mark.parametrize(("view", "options"), FORMATS, ids=str)
def test_tensors_are_mirrored_like_arrays(view: str, options: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    game = pacman2.Game(5, size=(7, 9))
    rng = random.Random(3)
    for _ in range(10):
        game.step([rng.choice(game.legal_actions(seat)) for seat in range(4)])
    seen = np.stack([observed(game, view, options)] * 2)
    for symmetry in ALL:
        keywords = history_and_window(options)
        found = symmetry.observations(torch.from_numpy(seen), view, **keywords)
        assert isinstance(found, torch.Tensor) and found.numpy().dtype == seen.dtype
        assert (found.numpy() == symmetry.observations(seen, view, **keywords)).all()
        masks = torch.from_numpy(game.action_mask())
        assert (symmetry.masks(masks).numpy() == symmetry.masks(game.action_mask())).all()
        assert symmetry.actions(torch.arange(9)).tolist() == symmetry.actions(np.arange(9)).tolist()


def test_torch_is_not_imported() -> None:
    code = "import sys, pacman2.symmetries; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
