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
TRAINING = ["--generations", "2", "--games", "20", "--simulations", "4", "--measure", "2"]
# A bot that takes this long for a turn, without using a processor.
BOT = """
import time

while True:
    try:
        input()
    except EOFError:
        break
    time.sleep({})
    print('{{"response": {{"action": -1}}}}')
    print(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<", flush=True)
"""

pytestmark = [
    # One cluster for all tests, and no test beside it that would connect to any.
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
            # Otherwise, beside other work, games take many times as long.
            "RAY_worker_niceness": "0",
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

    def begin(self, *arguments):
        address = ["--address", self.address, "--task-seconds", "1"]
        return Run([sys.executable, "-m", "pacman2.cluster", *arguments, *address], self.environment)

    def stop(self):
        kill(lambda: marked(self.mark))


class Run:
    """A command that plays on the cluster."""

    def __init__(self, command, environment):
        self.outputs = [tempfile.TemporaryFile("w+") for _ in range(2)]
        stdout, stderr = self.outputs
        self.process = subprocess.Popen(command, env=environment, stdout=stdout, stderr=stderr, text=True)

    def printed(self):
        """Returns what it has printed on standard output and standard error so far."""
        # Another file position than that of the process.
        return [pathlib.Path(f"/proc/self/fd/{output.fileno()}").read_text() for output in self.outputs]

    def wait_for(self, words):
        """Waits until it has said this on standard error."""

        def is_said():
            assert self.process.poll() is None or words in self.printed()[1], self.printed()
            return words in self.printed()[1]

        wait_until(is_said, words)

    def finish(self, code=0, patience=PATIENCE):
        """Waits for its end, and returns what it has printed."""
        assert self.process.wait(patience) == code, self.printed()
        return self.printed()


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


def make_arena(folder, seconds):
    """Makes an arena without games, with a bot that takes so long for a turn."""
    (folder / "slow.py").write_text(BOT.format(seconds))
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


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    return make_arena(tmp_path_factory.mktemp("arena"), 0.01)


@pytest.fixture(scope="module")
def long_arena(tmp_path_factory):
    """An arena whose games last so long that a run goes on while Ray notices that a node is gone, which can take 10 s."""
    return make_arena(tmp_path_factory.mktemp("long-arena"), 0.1)


@pytest.fixture
def copy(long_arena, tmp_path):
    """Arguments for a copy of the arena with long games."""
    original, trust = long_arena
    shutil.copytree(original, tmp_path / "arena")
    return ["--arena", str(tmp_path / "arena"), *trust]


def games(copy):
    """Returns the games of an arena by id, without what depends on time and place."""
    printed = program("arena", "games", "--json", "--limit", "100000", *copy[:2])
    lines = [json.loads(line) for line in printed.splitlines()]
    seat = ("label", "bot", "score", "place", "strength", "fault")
    found = {
        line["id"]: (line["seed"], line["turns"], [{key: one.get(key) for key in seat} for one in line["seats"]])
        for line in lines
    }
    assert len(found) == len(lines)
    return found


@pytest.fixture(scope="module")
def expected(long_arena, tmp_path_factory):
    """The games of a run on this machine alone."""
    original, trust = long_arena
    folder = tmp_path_factory.mktemp("local") / "arena"
    shutil.copytree(original, folder)
    copy = ["--arena", str(folder), *trust]
    # They mostly wait.
    program("arena", "run", "--maps", "5", "--parallel", "8", *copy)
    found = games(copy)
    assert len(found) == 20
    return found


#: Runs commands one after another, as `python -m pacman2.cluster` does, but connects to Ray once: that takes most of the time.
SEVERAL = """
import json, sys
from pacman2.cluster import __main__ as command_line
from pacman2.cluster.ray_cluster import RayCluster

class Shared(RayCluster):
    def close(self):
        pass

cluster = Shared(sys.argv[1])
command_line.RayCluster = lambda address: cluster
for command in json.loads(sys.argv[2]):
    code = command_line.main(command)
    print(f"\\n=== {code}", flush=True)
RayCluster.close(cluster)
"""
TOURNAMENT = """
name = "two bots"
submissions = "submissions"
references = ["random"]
games = {{ seeds = [3], schedule = "swiss", rounds = 1 }}
limits = {{ time_ms = 20000, sandbox = "{}" }}
[grades]
otherwise = 10
thresholds = [{{ bot = "random", at_least = 0, grade = 60 }}]
"""


@pytest.fixture(scope="module")
def several(nodes, arena, tmp_path_factory):
    """Every verb, here and on the cluster: its arguments, the folder of each, and what each printed."""
    original, trust = arena
    folders = [tmp_path_factory.mktemp(place) for place in ("here", "there")]
    tests = ["--points1", "30", "--most-blocks", "2"]

    def commands(folder):
        place = ["--arena", str(folder / "arena"), *trust]
        return {
            "run": ["arena", "run", "--maps", "3", *place],
            "again": ["arena", "run", "--maps", "3", *place],
            "swiss": ["arena", "run", "--schedule", "swiss", "--rounds", "2", "--maps", "2", *place],
            "compare": ["arena", "compare", "hunter", "greedy", *tests, *place],
            "gate": ["arena", "gate", "hunter", "random", *tests, "--arena", str(folder / "gate"), *trust],
            "tournament": ["arena", "tournament", str(folder / "class/tournament.toml"), *trust],
            "train": ["train", "--out", str(folder / "net"), *TRAINING],
        }

    for folder in folders:
        shutil.copytree(original, folder / "arena")
        program("arena", "init", "--turns", "8", "--arena", str(folder / "gate"))
        (folder / "class/submissions").mkdir(parents=True)
        for bot in ("a", "b"):
            (folder / f"class/submissions/{bot}.py").write_text(BOT.format(0))
        (folder / "class/tournament.toml").write_text(TOURNAMENT.format("none" if trust else "B"))
    there = commands(folders[1])
    options = ["--task-seconds", "1"]
    listed = json.dumps([[*command, *options] for command in there.values()])
    run = Run([sys.executable, "-c", SEVERAL, nodes.address, listed], nodes.environment)
    # Much of the time on the cluster is waiting.
    here = {verb: program(*command) for verb, command in commands(folders[0]).items()}
    stdout, stderr = run.finish(patience=len(there) * PATIENCE)
    parts = stdout.split("\n=== 0\n")
    assert parts.pop() == "" and len(parts) == len(there), stdout + stderr
    return folders, here, dict(zip(there, parts, strict=True)), stderr


def test_the_games_are_those_of_a_single_machine(several, nodes):
    folders, here, there, _ = several
    assert here["run"].endswith("Complete: 12 games played, 0 already known.\n")
    assert there["run"].endswith("Complete: 12 games played, 0 already known.\n")
    assert "greedy@1" in there["run"], "the table is printed as by a local run"
    assert there["again"].endswith("Complete: 0 games played, 12 already known.\n")
    played, expected = (games(["--arena", str(folder / "arena")]) for folder in reversed(folders))
    # A comparison on the cluster may have begun games that it did not need.
    assert {game: played.get(game) for game in expected} == expected
    # The programs were sent to both nodes.
    for node in ("one", "two"):
        cache = nodes.folder / node / "pacman2"
        assert len(list((cache / "cluster").glob("*/slow.py"))) == 1
        # What was compiled has a hash as its name.
        compiled = [path for path in cache.iterdir() if path.is_file() and len(path.name) == 64]
        assert len(compiled) == bool(shutil.which("g++"))


def test_comparisons_gates_and_tournaments_end_as_on_a_single_machine(several):
    folders, here, there, _ = several
    assert there["compare"] == here["compare"]
    assert there["gate"] == here["gate"] and "against the pool" in there["gate"]
    grades = [(folder / "class/results/grades.csv").read_bytes() for folder in folders]
    assert grades[0] == grades[1]
    arena = str(folders[1] / "class/results/arena")
    printed = program("arena", "games", "--json", "--limit", "1000", "--arena", arena).splitlines()
    found = {json.loads(line)["node"] for line in printed}
    assert found and found <= {"one", "two"}, "all games of the tournament were played on the cluster"


def test_a_net_is_the_same_to_the_byte(several):
    folders, _, there, stderr = several
    nets = [(folder / "net/sage.net").read_bytes() for folder in folders]
    assert nets[0] == nets[1]
    assert "The net is in" in there["train"]
    lines = [line for line in stderr.splitlines() if line.startswith("generation 2 of 2: game")]
    assert lines and lines[-1].endswith(", 2 nodes, 2 cores"), "the line of progress shows where games are played"


def playing(nodes, node=None):
    """Waits until a game is played on a node, and returns the processes of the program there."""
    return wait_until(lambda: nodes.processes("jobs\0play", node), "the first game")


def check_deserted(nodes):
    """Whatever was killed, all that it had started ends."""
    wait_until(lambda: not nodes.processes("/pacman2\0"), "the end of all games")


def continue_to_the_end(nodes, copy, expected, during=lambda: None):
    known = len(games(copy))
    assert known < len(expected)
    run = nodes.begin("arena", "run", "--maps", "5", *copy)
    during()
    stdout, _ = run.finish()
    assert stdout.endswith(f"Complete: {len(expected) - known} games played, {known} already known.\n")
    assert games(copy) == expected
    assert nodes.processes("jobs\0play") == []


def test_a_killed_worker_and_a_killed_driver_lose_no_game(nodes, copy, expected):
    run = nodes.begin("arena", "run", "--maps", "5", *copy)
    wait_until(lambda: len(games(copy)) >= 2, "the first games")
    playing(nodes)
    (worker, *_) = wait_until(lambda: nodes.processes("ray::run"), "a worker that plays")
    os.kill(worker, signal.SIGKILL)
    run.wait_for("they are tried again")
    run.process.send_signal(signal.SIGKILL)
    run.finish(-signal.SIGKILL)
    check_deserted(nodes)
    continue_to_the_end(nodes, copy, expected)


def test_a_killed_node_and_an_interruption_lose_no_game(nodes, copy, expected):
    run = nodes.begin("arena", "run", "--maps", "5", *copy)
    playing(nodes, "two")
    (raylet,) = nodes.processes("raylet/raylet", "two")
    os.kill(raylet, signal.SIGKILL)
    run.wait_for("node two is gone")
    run.process.send_signal(signal.SIGINT)
    stdout, _ = run.finish(130)
    assert "Interrupted; run the same command to continue." in stdout
    check_deserted(nodes)
    # A node may join during a run, too.
    continue_to_the_end(nodes, copy, expected, lambda: nodes.start("two", f"--address={nodes.address}"))


def test_without_a_cluster_it_says_what_to_do():
    need("ray")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
        command = [sys.executable, "-m", "pacman2.cluster", "arena", "run", "--address", address]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert f"expected a Ray cluster at the address '{address}', got none; start one with" in ran.stderr
