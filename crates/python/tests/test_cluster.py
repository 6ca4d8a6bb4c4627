"""Runs on a real Ray cluster of two nodes on this machine: equal results, and nothing lost, whatever dies.

The nodes, the driver and all that they start carry a mark in their environment. Whatever happens, the
processes with this mark are killed at the end; those of anyone else are left alone.
"""

import contextlib
import json
import os
import pathlib
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import pytest
from conftest import is_installed, need
from pacman2.__main__ import program as path_of_program

PROGRAM = path_of_program()
MARK = "PACMAN2_TEST_CLUSTER"
# A machine with other work needs a minute to start a node.
PATIENCE = 240
# A bot that takes a while without using a processor.
SLOW_BOT = """
import json, time

while True:
    try:
        input()
    except EOFError:
        break
    time.sleep(0.01)
    print(json.dumps({"response": {"action": -1}}))
    print(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<", flush=True)
"""

pytestmark = [
    # One cluster for all tests, and no other at the same time.
    pytest.mark.xdist_group("ray"),
    pytest.mark.skipif(sys.platform != "linux", reason="not run: this test kills processes as on Linux"),
    pytest.mark.skipif(
        is_installed("ray") and PROGRAM is None,
        reason="not run: the command is a part of the wheel, which was not built (PACMAN2_PYTHON=must builds it)",
    ),
]


def marked(mark, word="", variable=None):
    """Returns the processes with the mark, and perhaps another variable, whose command line contains a word."""
    expected = {f"{MARK}={mark}".encode(), *([variable.encode()] if variable else [])}
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            is_ours = expected <= set((entry / "environ").read_bytes().split(b"\0"))
            if is_ours and word.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
    return found


def kill(processes):
    """Kills processes until there are none."""
    for _ in range(20):
        left = processes()
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if not left:
            return
        time.sleep(0.2)


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE
    while not (value := condition()):
        assert time.monotonic() < end, f"{what} takes too long"
        time.sleep(0.1)
    return value


class Nodes:
    """A cluster of two nodes with a core each."""

    def __init__(self, folder):
        self.folder = folder
        self.mark = secrets.token_hex(16)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        self.environment = {
            **os.environ,
            MARK: self.mark,
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": secrets.token_hex(32),
            "RAY_USAGE_STATS_ENABLED": "0",
        }
        port = self.address.rpartition(":")[2]
        self.start("one", "--head", f"--port={port}", "--include-dashboard=false", f"--temp-dir={folder}/ray")
        self.start("two", f"--address={self.address}")

    def start(self, name, *options):
        # Ray gives a node 30 s, which is not enough on a machine that others use.
        log = self.folder / f"{name}.log"
        for _ in range(5):
            if self.try_to_start(name, log, *options) == 0:
                return
            kill(lambda: self.processes("", name))
        raise AssertionError(log.read_text())

    def try_to_start(self, name, log, *options):
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--num-cpus=1", f"--node-name={name}"]
        with log.open("w") as output:
            started = subprocess.run(
                [*command, "--object-store-memory=80000000", *options],
                env={**self.environment, "XDG_CACHE_HOME": f"{self.folder}/{name}", "NODE": name},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                timeout=PATIENCE,
                check=False,
            )
        return started.returncode

    def processes(self, word, node=None):
        """Returns our processes with a word in the command line, all of them or those of a node."""
        return marked(self.mark, word, None if node is None else f"NODE={node}")

    def command(self, *arguments):
        address = ["--address", self.address, "--task-seconds", "1"]
        return [sys.executable, "-m", "pacman2.cluster", *arguments, *address]

    def begin(self, *arguments):
        pipe = subprocess.PIPE
        command = self.command(*arguments)
        return subprocess.Popen(command, env=self.environment, stdout=pipe, stderr=pipe, text=True)

    def run(self, *arguments):
        return finish(self.begin(*arguments))

    def stop(self):
        kill(lambda: marked(self.mark))


def finish(process, code=0):
    stdout, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode == code, stdout + stderr
    return stdout, stderr


@pytest.fixture(scope="module")
def nodes():
    need("ray")
    # The paths of sockets may not be long.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="p2-"))
    cluster = Nodes.__new__(Nodes)
    try:
        cluster.__init__(folder)
        yield cluster
    finally:
        cluster.stop()
        left = marked(cluster.mark)
        shutil.rmtree(folder, ignore_errors=True)
    assert left == []


def program(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    """An arena without games."""
    folder = tmp_path_factory.mktemp("arena")
    (folder / "slow.py").write_text(SLOW_BOT)
    (folder / "stay.cpp").write_text(
        '#include <cstdio>\nint main() { puts("{\\"response\\": {\\"action\\": -1}}"); }\n'
    )
    fourth = str(folder / "stay.cpp") if shutil.which("g++") else "random"
    tier = json.loads(program("doctor", "--json"))["tier"]
    trust = ["--trust", "all"] if tier == "C" else []
    place = ["--arena", str(folder / "arena")]
    program("arena", "init", "--turns", "20", *place)
    program("arena", "add", *place, *trust, "greedy", "hunter", fourth, str(folder / "slow.py"))
    return folder / "arena", trust


@pytest.fixture
def copy(arena, tmp_path):
    """Arguments for a copy of the arena."""
    original, trust = arena
    shutil.copytree(original, tmp_path / "arena")
    return ["--arena", str(tmp_path / "arena"), *trust]


def games(copy):
    """Returns the games of an arena by id, without what depends on time and place."""
    printed = program("arena", "games", "--json", "--limit", "100000", *copy[:2])
    lines = [json.loads(line) for line in printed.splitlines()]
    seat = ("label", "bot", "hundredths", "score", "place", "strength", "fault")
    found = {
        line["id"]: (line["seed"], line["turns"], [{key: one.get(key) for key in seat} for one in line["seats"]])
        for line in lines
    }
    assert len(found) == len(lines)
    return found


@pytest.fixture(scope="module")
def expected(arena, tmp_path_factory):
    """The games of a run on this machine alone."""
    original, trust = arena
    folder = tmp_path_factory.mktemp("local") / "arena"
    shutil.copytree(original, folder)
    copy = ["--arena", str(folder), *trust]
    program("arena", "run", "--maps", "8", *copy)
    found = games(copy)
    assert len(found) == 32
    return found


def test_the_games_are_those_of_a_single_machine(nodes, copy, expected):
    stdout, _ = nodes.run("arena", "run", "--maps", "8", *copy)
    assert games(copy) == expected
    assert stdout.endswith("Complete: 32 games played, 0 already known.\n")
    assert "greedy@1" in stdout, "the table is printed as by a local run"
    # The programs were sent to both nodes.
    for node in ("one", "two"):
        cache = nodes.folder / node / "pacman2"
        assert len(list((cache / "cluster").glob("*/slow.py"))) == 1
        # What was compiled has a hash as its name.
        compiled = [path for path in cache.iterdir() if path.is_file() and len(path.name) == 64]
        assert len(compiled) == bool(shutil.which("g++"))
    # Nothing is left to play.
    stdout, _ = nodes.run("arena", "run", "--maps", "8", *copy)
    assert stdout.endswith("Complete: 0 games played, 32 already known.\n")


def test_comparisons_and_tournaments_that_depend_on_results(nodes, copy, tmp_path):
    comparison = ["arena", "compare", "hunter", "greedy", "--points1", "30", "--most-blocks", "6"]
    swiss = ["arena", "run", "--schedule", "swiss", "--rounds", "2", "--maps", "2"]
    local = tmp_path / "local"
    shutil.copytree(copy[1], local)
    at_home = ["--arena", str(local), *copy[2:]]
    assert nodes.run(*comparison, *copy)[0] == program(*comparison, *at_home)
    nodes.run(*swiss, *copy)
    program(*swiss, *at_home)
    # The cluster may have begun games that the comparison did not need.
    found, expected = games(copy), games(at_home)
    assert {game: found[game] for game in expected} == expected


def test_a_net_is_the_same_to_the_byte(nodes, tmp_path):
    few = ["--generations", "2", "--games", "20", "--simulations", "4", "--measure", "2"]
    program("train", "--out", str(tmp_path / "local"), *few)
    nodes.run("train", "--out", str(tmp_path / "cluster"), *few)
    nets = [(tmp_path / run / "sage.net").read_bytes() for run in ("local", "cluster")]
    assert nets[0] == nets[1]


def playing(nodes, node=None):
    """Waits until a game is played on a node, and returns the processes of the program there."""
    return wait_until(lambda: nodes.processes("arena\0play", node), "the first game")


def test_a_killed_worker_loses_no_game(nodes, copy, expected):
    run = nodes.begin("arena", "run", "--maps", "8", *copy)
    wait_until(lambda: len(games(copy)) >= 2, "the first games")
    playing(nodes)
    (worker, *_) = wait_until(lambda: nodes.processes("ray::run"), "a worker that plays")
    os.kill(worker, signal.SIGKILL)
    _, stderr = finish(run)
    assert "they are tried again" in stderr
    assert games(copy) == expected
    assert nodes.processes("arena\0play") == []


def test_an_interrupted_run_continues(nodes, copy, expected):
    for number, code in [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)]:
        before = len(games(copy))
        run = nodes.begin("arena", "run", "--maps", "8", *copy)
        wait_until(lambda: len(games(copy)) > before, "the next game")
        run.send_signal(number)
        finish(run, code)
        # Whatever was killed, all that it had started ends.
        wait_until(lambda: not nodes.processes("/pacman2\0"), "the end of all games")
    known = len(games(copy))
    assert known < 32
    stdout, _ = nodes.run("arena", "run", "--maps", "8", *copy)
    assert stdout.endswith(f"Complete: {32 - known} games played, {known} already known.\n")
    assert games(copy) == expected


def test_a_killed_node_loses_no_game(nodes, copy, expected):
    run = nodes.begin("arena", "run", "--maps", "8", *copy)
    playing(nodes, "two")
    (raylet,) = nodes.processes("raylet/raylet", "two")
    os.kill(raylet, signal.SIGKILL)
    _, stderr = finish(run)
    assert "node two is gone" in stderr
    assert games(copy) == expected
    # A node may join during a run, too, and takes part.
    run = nodes.begin("arena", "run", "--maps", "12", *copy)
    nodes.start("two", f"--address={nodes.address}")
    finish(run)
    assert len(games(copy)) == 48


def test_without_a_cluster_it_says_what_to_do():
    need("ray")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
        command = [sys.executable, "-m", "pacman2.cluster", "arena", "run", "--address", address]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert f"expected a Ray cluster at the address '{address}', got none; start one with" in ran.stderr
