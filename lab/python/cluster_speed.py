"""How fast two nodes of one core each play on this machine, compared with the program alone on two cores.

    python lab/python/cluster_speed.py

plays the same games alternately with `pacman2 arena run --parallel 2` and on a Ray cluster of two nodes, which it starts and
ends. Both begin with an arena without games. It needs the package as a wheel with `pacman2[ray]`, and a machine without other work:
with the default options, 3 rounds of 80 games on each side, it takes about 3 minutes on two cores.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import secrets
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

#: The simulations per turn of the bots. None of them uses a clock, so all runs play the same games.
SIMULATIONS = (500, 800, 1100, 1500)
#: The cluster and what it starts inherit it. Without the niceness, other work of the machine counts twice against Ray.
ENVIRONMENT = {"RAY_AUTH_MODE": "token", "RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}


def main() -> int:
    """Measures, and prints a table. Returns 1 if the median ratio is below 90 %."""
    options = _options()
    os.environ.update(ENVIRONMENT, RAY_AUTH_TOKEN=secrets.token_hex(32))
    # Ray reads the environment when it is imported.
    from pacman2.cluster import process
    from pacman2.cluster.ray_cluster import RayCluster

    # The paths of sockets may not be long.
    with tempfile.TemporaryDirectory(prefix="p2-") as name, _nodes(Path(name)) as address:
        empty = Path(name, "empty")
        bots = [f"sage --simulations {simulations}" for simulations in SIMULATIONS]
        process.run(["arena", "init", "--time-limit", "60000", "--arena", str(empty)])
        process.run(["arena", "add", "--arena", str(empty), *bots])
        begin = time.monotonic()
        cluster = RayCluster(address)
        print(f"connected to Ray in {time.monotonic() - begin:.1f} s", flush=True)
        # Starts the workers, and loads the program into memory.
        _measure(empty, Path(name, "warm-up"), 2, cluster)
        print("games  local s  cluster s  local games/s  cluster games/s  ratio", flush=True)
        ratios = []
        for number in range(options.rounds):
            sides = [None, cluster] if number % 2 == 0 else [cluster, None]
            taken = {
                side is None: _measure(empty, Path(name, "arena"), options.maps, side) for side in sides
            }
            games, (local, remote) = 4 * options.maps, (taken[True], taken[False])
            ratios.append(local / remote)
            print(
                f"{games:5}  {local:7.1f}  {remote:9.1f}  {games / local:13.3f}  {games / remote:15.3f}  {ratios[-1]:5.1%}",
                flush=True,
            )
        cluster.close()
    print(f"median ratio: {statistics.median(ratios):.1%} of the games per second of one machine")
    return int(statistics.median(ratios) < 0.9)


def _measure(empty: Path, arena: Path, maps: int, cluster: object | None) -> float:
    """Returns how long a run takes, on the cluster or here, in seconds."""
    from pacman2.cluster import __main__ as command_line
    from pacman2.cluster import process
    from pacman2.cluster.driver import Options

    shutil.copytree(empty, arena)
    command = ["arena", "run"]
    options = ["--arena", str(arena), "--maps", str(maps)]
    begin = time.monotonic()
    if cluster is None:
        with open(os.devnull, "wb") as nothing:
            path = process.path_of_program()
            subprocess.run(
                [path, *command, *options, "--parallel", "2"], check=True, stdout=nothing, stderr=nothing
            )
    else:
        code, _ = command_line.play(
            [*command, "--elsewhere", *options], cluster, Options(command_line.TASK_SECONDS)
        )
        assert code == 0
    taken = time.monotonic() - begin
    shutil.rmtree(arena)
    return taken


@contextlib.contextmanager
def _nodes(folder: Path) -> Iterator[str]:
    """Starts two nodes with a core each, and ends them."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"127.0.0.1:{port}"
    first = ["--head", f"--port={port}", "--include-dashboard=false", f"--temp-dir={folder}/ray"]
    processes = []
    try:
        for name, options in [("one", first), ("two", [f"--address={address}"])]:
            log = (folder / f"{name}.log").open("w+")
            command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--num-cpus=1"]
            node = [f"--node-name={name}", "--object-store-memory=200000000", *options]
            environment = {**os.environ, "XDG_CACHE_HOME": f"{folder}/{name}"}
            processes.append(
                subprocess.Popen([*command, *node], env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
            )
            while "Ray runtime started" not in (folder / f"{name}.log").read_text():
                if processes[-1].poll() is not None:
                    raise SystemExit(f"Ray does not start: {(folder / f'{name}.log').read_text()}")
                time.sleep(0.2)
        yield address
    finally:
        # `--block` ends the node with its process.
        for one in reversed(processes):
            one.terminate()
        for one in processes:
            one.wait()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="how often each side plays")
    parser.add_argument("--maps", type=int, default=20, help="maps of a run; four games on each")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
