"""Positions of games with an expert's decisions, for imitation learning.

``python -m pacman2.dataset FOLDER`` plays games in which an expert, by default ``sage``, meets other
built-in bots, and writes what the expert saw and decided. A dataset is a folder of shards, each with
the same number of games: ``00000.npz``, ``00001.npz``, … for NumPy, or ``00000.parquet``, … for
Parquet. Shards are written one after another, so memory stays small, and a run that was stopped
continues with the first missing shard. A shard depends on the options and its number alone.

Each row is a decision of the expert among several legal actions:

=============== =========== ===================================================================
``observation`` as the view what the expert saw
``action_mask`` ``(9,)``    bool: the legal actions
``action``      uint8       the action of the expert
``policy``      ``(9,)``    float32: how often the expert's search tried each action; an expert that
                            does not search has 1 for its action
``value``       float32     the official points that the expert expected, or NaN without a search
``score``       float32     the official points of the player at the end of the game
``rank``        uint8       its rank, 1 to 4, where 4 is best
``seed``        uint32      the seed of the map
``turn``        uint16      the number of turns played before
``seat``        uint8       the seat of the player
=============== =========== ===================================================================
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
from numpy.typing import NDArray

from pacman2._checks import check_seed, check_whole, lacks, wrong
from pacman2._engine import Bot, Game
from pacman2.typing import View

__all__ = ["load", "make", "play"]

Columns = dict[str, NDArray[Any]]

#: In this many turns at the beginning of a game, some actions are random, so that games differ.
OPENING = 5
#: The share of random actions in the opening.
RANDOM_SHARE = 0.3
#: The share of seats that the expert plays. Its opponents play the others.
EXPERT_SHARE = 0.6

EXPERT = "sage --simulations 200"
OPPONENTS = ("greedy", "hunter")
#: The greatest seed of a map.
LAST_SEED = 2**32 - 1
MOST_THREADS = 1024
_DTYPES = {
    "action": np.uint8,
    "policy": np.float32,
    "value": np.float32,
    "score": np.float32,
    "rank": np.uint8,
    "seed": np.uint32,
    "turn": np.uint16,
    "seat": np.uint8,
}


def play(
    seed: int,
    expert: str = EXPERT,
    opponents: Sequence[str] = OPPONENTS,
    observation: View = "compact",
) -> Columns:
    """Plays a game on Botzone's map of that seed and returns the expert's decisions.

    Each seat is drawn: the expert or one of the opponents. The result depends on the arguments
    alone.

    Args:
        seed: The seed of the map and of everything that is drawn.
        expert: A built-in bot as on the command line.
        opponents: Built-in bots as on the command line, at least one; or a single one.
        observation: A view as :meth:`pacman2.Game.observe` takes it.

    Returns:
        The columns of this module by name, a row for each decision; none at all if the expert had
        nothing to decide.

    Raises:
        TypeError: An argument has a wrong type.
        ValueError: The seed is out of range, a bot cannot be played, or the view is unknown.
    """
    seed = check_seed(seed)
    opponents = _checked_bots(opponents)
    random = np.random.default_rng(seed)
    is_expert = random.random(4) < EXPERT_SHARE
    players = [expert if own else str(random.choice(opponents)) for own in is_expert]
    bots = [Bot(player, seed) for player in players]
    game = Game(seed)
    Bot(expert), game.observe(observation, 0)  # even if no seat is the expert's
    rows: list[dict[str, Any]] = []
    while not game.is_over:
        actions = [0] * 4
        masks = game.action_mask()
        for seat in np.flatnonzero(game.alive).tolist():
            if is_expert[seat] and masks[seat].sum() > 1:
                row = {"observation": game.observe(observation, seat), "action_mask": masks[seat]}
                row |= _decision(bots[seat], game, seat)
                rows.append(row | {"turn": game.turn, "seat": seat})
                actions[seat] = row["action"]
            else:
                actions[seat] = bots[seat].act(game, seat)
            if game.turn < OPENING and random.random() < RANDOM_SHARE:
                actions[seat] = int(random.choice(np.flatnonzero(masks[seat])))
        game.step(actions)
    for row in rows:
        seat = row["seat"]
        row |= {"score": game.scores[seat], "rank": game.ranks[seat], "seed": seed}
    names = rows[0] if rows else {}
    return {name: np.array([row[name] for row in rows], _DTYPES.get(name)) for name in names}


def _decision(bot: Bot, game: Game, seat: int) -> dict[str, Any]:
    if bot.name != "sage":
        action = bot.act(game, seat)
        return {"action": action, "policy": np.arange(9) == action, "value": np.nan}
    found = bot.search(game, seat)
    visits = found.visits[seat]
    return {"action": found.action, "policy": visits / visits.sum(), "value": found.points[seat]}


def make(
    folder: str | os.PathLike[str],
    games: int,
    *,
    form: Literal["npz", "parquet"] = "npz",
    expert: str = EXPERT,
    opponents: Sequence[str] = OPPONENTS,
    observation: View = "compact",
    first_seed: int = 1,
    games_per_shard: int = 64,
    threads: int | None = None,
) -> Iterator[Path]:
    """Plays games and writes them, shard by shard, to a folder.

    Args:
        folder: The folder, which is created. Shards that are there already are not made again.
        games: The number of games, rounded up to whole shards.
        form: ``"npz"``, compressed, for NumPy, or ``"parquet"``, which requires PyArrow.
        expert: A built-in bot as on the command line.
        opponents: Built-in bots as on the command line, at least one; or a single one.
        observation: A view as :meth:`pacman2.Game.observe` takes it.
        first_seed: The seed of the first map; those of the next games follow.
        games_per_shard: The number of games in a shard. A game has about 250 decisions.
        threads: How many games are played at the same time; by default one on each core.

    Yields:
        The path of each shard once it is complete.

    Raises:
        TypeError: An argument has a wrong type.
        ValueError: The folder has a dataset with other options, or an option cannot be played.
        ImportError: PyArrow is missing.
    """
    place = _checked_folder(folder)
    games = check_whole("games", games, 1)
    if not isinstance(form, str) or form not in _WRITERS:
        kind = ValueError if isinstance(form, str) else TypeError
        raise wrong(kind, "form", f"one of {', '.join(map(repr, _WRITERS))}", form)
    opponents = _checked_bots(opponents)
    games_per_shard = check_whole("games_per_shard", games_per_shard, 1)
    shards = math.ceil(games / games_per_shard)
    first_seed = check_whole("first_seed", first_seed, 0, LAST_SEED)
    if first_seed + shards * games_per_shard - 1 > LAST_SEED:
        expected = f"at most {max(LAST_SEED + 1 - first_seed, 0)} after the first seed"
        raise wrong(ValueError, "games", expected, games)
    if threads is not None:
        threads = check_whole("threads", threads, 1, MOST_THREADS)
    if form == "parquet":
        _parquet()
    options = {
        "version": 1,
        "expert": Bot(expert).spec,
        "opponents": [Bot(opponent).spec for opponent in opponents],
        "observation": observation,
        "first_seed": first_seed,
        "games_per_shard": games_per_shard,
    }
    Game(first_seed).observe(observation, 0)
    return _make(place, shards, form, options, lambda seed: play(seed, expert, opponents, observation), threads)


def _make(
    place: Path,
    shards: int,
    form: str,
    options: dict[str, Any],
    rows: Callable[[int], Columns],
    threads: int | None,
) -> Iterator[Path]:
    place.mkdir(parents=True, exist_ok=True)
    _check_options(place / "dataset.json", options)
    first_seed, games_per_shard = options["first_seed"], options["games_per_shard"]
    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        for number in range(shards):
            path = place / f"{number:05}.{form}"
            if not path.exists():
                first = first_seed + number * games_per_shard
                seeds = range(first, first + games_per_shard)
                played = [columns for columns in pool.map(rows, seeds) if columns]
                names = played[0] if played else {}
                shard = {name: np.concatenate([part[name] for part in played]) for name in names}
                unfinished = path.with_suffix(".unfinished")
                with open(unfinished, "wb") as file:
                    _WRITERS[form](file, shard)
                unfinished.replace(path)
            yield path


def load(folder: str | os.PathLike[str]) -> Iterator[Columns]:
    """Reads a dataset shard by shard, so that it need not fit into memory.

    Yields:
        The columns of each shard by name, with the shapes and dtypes of this module.

    Raises:
        TypeError: The folder is not a path.
        FileNotFoundError: The folder has no shards.
    """
    place = _checked_folder(folder)
    shards = sorted([*place.glob("[0-9]*.npz"), *place.glob("[0-9]*.parquet")])
    if not shards:
        raise FileNotFoundError(
            f"expected a folder that pacman2.dataset wrote, got {place}, which has no shards"
        )
    return _load(shards)


def _load(shards: list[Path]) -> Iterator[Columns]:
    for path in shards:
        if path.suffix == ".npz":
            with np.load(path) as shard:
                yield dict(shard)
        else:
            yield _read_parquet(path)


def _checked_folder(folder: Any) -> Path:
    try:
        place = Path(folder)
        os.fsencode(place)
    except TypeError:
        raise wrong(TypeError, "folder", "a path", folder) from None
    except UnicodeEncodeError:
        raise wrong(ValueError, "folder", "a path in the encoding of the file system", folder) from None
    return place


def _checked_bots(opponents: Any) -> list[str]:
    if isinstance(opponents, str):
        return [opponents]
    expected = "a list of bots"
    if not isinstance(opponents, Sequence) or not all(isinstance(bot, str) for bot in opponents):
        raise wrong(TypeError, "opponents", expected, opponents)
    if not opponents:
        raise wrong(ValueError, "opponents", f"{expected}, at least one", opponents)
    return list(opponents)


def _check_options(file: Path, options: dict[str, Any]) -> None:
    """Writes the options of a new dataset, or checks that an old one has the same."""
    try:
        old = json.loads(file.read_text())
    except FileNotFoundError:
        file.write_text(json.dumps(options, indent=1) + "\n")
        return
    for name, value in options.items():
        if old.get(name) != value:
            expected = f"{old.get(name)!r} as in {file}, or another folder"
            raise wrong(ValueError, name, expected, value)


def _parquet() -> Any:
    try:
        import pyarrow.parquet  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError as error:
        raise lacks("pacman2.dataset with the form parquet", "pyarrow>=15") from error
    return pyarrow


def _write_parquet(file: IO[bytes], shard: Columns) -> None:
    pyarrow = _parquet()
    columns, shapes = {}, {}
    for name, array in shard.items():
        shapes[name] = array.shape[1:]
        flat = pyarrow.array(array.reshape(-1))
        size = math.prod(shapes[name])
        if shapes[name]:
            flat = pyarrow.FixedSizeListArray.from_arrays(flat, size)
        columns[name] = flat
    table = pyarrow.table(columns).replace_schema_metadata({"shapes": json.dumps(shapes)})
    pyarrow.parquet.write_table(table, file, compression="zstd")


def _read_parquet(path: Path) -> Columns:
    table = _parquet().parquet.read_table(path)
    shapes = json.loads(table.schema.metadata[b"shapes"])
    columns = {}
    for name, shape in shapes.items():
        column = table.column(name).combine_chunks()
        flat = column.flatten() if shape else column
        columns[name] = flat.to_numpy(zero_copy_only=False).reshape(-1, *shape)
    return columns


def _write_npz(file: IO[bytes], shard: Columns) -> None:
    arrays: dict[str, Any] = dict(shard)
    np.savez_compressed(file, **arrays)


_WRITERS: dict[str, Callable[[IO[bytes], Columns], None]] = {
    "npz": _write_npz,
    "parquet": _write_parquet,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line with these ``arguments``, by default those of the process; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m pacman2.dataset",
        description="Write positions with an expert's decisions, for imitation learning.",
        epilog="example: python -m pacman2.dataset positions --games 640 --observation planes",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("folder", help="where to write; a run that was stopped continues")
    parser.add_argument("--games", type=int, default=1024, metavar="N")
    parser.add_argument("--format", choices=sorted(_WRITERS), default="npz")
    parser.add_argument("--expert", default=EXPERT, metavar="BOT")
    parser.add_argument("--opponents", nargs="+", default=OPPONENTS, metavar="BOT")
    parser.add_argument("--observation", default="compact", metavar="VIEW")
    parser.add_argument("--first-seed", type=int, default=1, metavar="SEED")
    parser.add_argument("--games-per-shard", type=int, default=64, metavar="N")
    parser.add_argument("--threads", type=int, metavar="N", help="default: one on each core")
    given = parser.parse_args(arguments)
    shard_count = math.ceil(given.games / max(given.games_per_shard, 1))
    try:
        shards = make(
            given.folder,
            given.games,
            form=given.format,
            expert=given.expert,
            opponents=given.opponents,
            observation=given.observation,
            first_seed=given.first_seed,
            games_per_shard=given.games_per_shard,
            threads=given.threads,
        )
        for number, path in enumerate(shards, start=1):
            print(f"{path} ({number} of {shard_count})", file=sys.stderr, flush=True)
    except (ValueError, ImportError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; the same command continues", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
