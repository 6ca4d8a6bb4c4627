"""``python -m pacman2.cluster``: the command line."""

from __future__ import annotations

import argparse
import queue
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from pacman2.cluster import process
from pacman2.cluster.coordinator import Coordinator
from pacman2.cluster.driver import INTERRUPTED, Driver, Options, report
from pacman2.cluster.process import MissingProgram
from pacman2.cluster.ray_cluster import NoCluster, RayCluster

ARENA_VERBS = ("run", "compare", "gate", "tournament")
#: How long a task should take.
TASK_SECONDS = 20.0
#: Tests that stop by their results waste what is under way: for these verbs that is less.
SEQUENTIAL = ("compare", "gate")
SEQUENTIAL_TASK_SECONDS = 5.0
SEQUENTIAL_AHEAD = 1.5

EPILOG = """\
All other options are those of the same verb of pacman2, which keeps the store and shows the progress.
However a run ends, the same command continues it.

examples:
  python -m pacman2.cluster arena run --arena arena --address auto --maps 50
  python -m pacman2.cluster arena compare mybot@2 mybot@1
  python -m pacman2.cluster train --out run

exit codes: 0 success, 1 failure, 2 bad input, 130 interrupted
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line with these ``arguments``, by default those of the process; returns the exit code."""
    given, others = _parser().parse_known_args(arguments)
    command = [given.what]
    if given.what == "arena":
        if not others or others[0] not in ARENA_VERBS:
            got = others[0] if others else "none"
            print(f"error: expected arena {', '.join(ARENA_VERBS)}, got {got}", file=sys.stderr)
            return 2
        command.append(others.pop(0))
    if "--parallel" in others:
        print(
            "error: --parallel has no effect on a cluster, which plays a game on each core that its "
            "nodes offer; leave it out",
            file=sys.stderr,
        )
        return 2
    is_json = "--json" in others
    seconds = given.task_seconds or TASK_SECONDS
    folder = _option(others, "--out") or "."
    player, trust = _sandbox(others)
    options = Options(seconds, folder=folder, player=player, trust=trust, prints_events=is_json)
    if command[-1] in SEQUENTIAL:
        seconds = given.task_seconds or SEQUENTIAL_TASK_SECONDS
        options = replace(options, task_seconds=seconds, ahead=SEQUENTIAL_AHEAD)
    try:
        cluster = RayCluster(given.address)
        try:
            code, end = play([*command, "--elsewhere", *others], cluster, options)
            return code if is_json else _report(command, others, code, end)
        finally:
            cluster.close()
    except (ImportError, MissingProgram, NoCluster) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        # Before the first game, or after the last.
        return INTERRUPTED


def play(
    command: Sequence[str], cluster: RayCluster, options: Options
) -> tuple[int, dict[str, Any] | None]:
    """Returns the exit code, and the last event."""
    events: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
    coordinator = Coordinator(
        command,
        lambda line: events.put(lambda: driver.on_line(line)),
        lambda code: events.put(lambda: driver.on_end(code)),
    )
    driver = Driver(coordinator, cluster, options, events, report)
    # Ray has set handlers of its own.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: driver.interrupt())
    return driver.run(), driver.end


def _report(command: list[str], others: list[str], code: int, end: dict[str, Any] | None) -> int:
    """Prints the results as the program prints those of a run without a cluster, and returns the exit code."""
    if code == INTERRUPTED:
        print("Interrupted; run the same command to continue.")
    if code != 0 or end is None:
        return code
    if command == ["arena", "run"]:
        arena = _option(others, "--arena")
        code = process.run(["arena", "table", *(["--arena", arena] if arena else [])])
        print(f"Complete: {end['played']} games played, {end['known']} already known.")
        return code
    # All its games are known, so the same command without a cluster only prints the results.
    return process.run([*command, *others])


def _option(arguments: Sequence[str], name: str) -> str | None:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument(name, dest="value")
    value: str | None = parser.parse_known_args(arguments)[0].value
    return value


def _sandbox(arguments: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns those of the options that the nodes need, too, and the names of trusted bots."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--trust", action="append", default=[])
    parser.add_argument("--require-tier")
    given, _ = parser.parse_known_args(arguments)
    trusts_all = ["--trust", "all"] if "all" in given.trust else []
    tier = [] if given.require_tier is None else ["--require-tier", given.require_tier]
    return (*trusts_all, *tier), tuple(given.trust)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pacman2.cluster",
        description="Play the games of an arena or of a training run on a Ray cluster.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    verbs = f"arena {'|'.join(ARENA_VERBS)}, or train"
    parser.add_argument("what", choices=["arena", "train"], help=verbs)
    parser.add_argument(
        "--address", default="auto", help="address of the cluster, as for ray.init (default: auto)"
    )
    parser.add_argument(
        "--task-seconds",
        type=_seconds,
        metavar="S",
        help="how long a task should take (default: 20, for compare and gate 5)",
    )
    return parser


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0.1 <= seconds <= 3600:
        raise argparse.ArgumentTypeError(f"expected 0.1 to 3600, got {text}")
    return seconds


if __name__ == "__main__":
    sys.exit(main())
