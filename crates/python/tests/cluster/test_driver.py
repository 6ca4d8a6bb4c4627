"""The driver of a cluster, with nodes and a coordinator that are played by this file."""

import hashlib
import json
import queue
import threading
import time
import zlib

import pytest
from pacman2.cluster import driver as module
from pacman2.cluster import programs
from pacman2.cluster.driver import Driver, Options
from pacman2.cluster.stream import Failure, Header, Program, Result
from pacman2.cluster.task import Played

BOT = b"print('a bot')\n"
HASH = hashlib.sha256(BOT).hexdigest()
ENGINE = {"engine": "1.0", "signature": "abc"}


class Machine:
    def __init__(self, name, cores=1, **header):
        self.id = self.name = name
        self.cores = cores
        self.header = {"pacman2": "arena results", "version": 1, **ENGINE, "tier": "A", **header}
        self.is_alive = True
        self.blocks = []


class Cluster:
    """Nodes that play a block when the test says so."""

    def __init__(self, *machines):
        self.all = {machine.id: machine for machine in machines}
        self.pending = []
        self.contents = []
        self.cancelled, self.interrupted = [], []

    def machines(self):
        return [machine for machine in self.all.values() if machine.is_alive]

    def put(self, content):
        self.contents.append(content)
        return len(self.contents) - 1

    def submit(self, node, block, references, done):
        machine = self.all[node]
        machine.blocks.append(block)
        assert all(self.contents[one] == BOT for one in references.values())
        self.pending.append((machine, block, done))
        return len(self.pending)

    def interrupt(self, task):
        self.interrupted.append(task)

    def cancel(self, tasks):
        self.cancelled += tasks


class Coordinator:
    """Has a number of games played, as many at once as its slots allow."""

    def __init__(self, games):
        self.left = [f"game{number}" for number in range(games)]
        self.slots = 1
        self.in_flight = set()
        self.recorded, self.cancelled = [], []
        self.headers = []
        self.notes = []
        self.is_closed = False

    def send(self, line):
        value = json.loads(line())
        if "pacman2" in value:
            self.headers.append(value)
        else:
            assert value["result"] in self.in_flight
            self.recorded.append(value)
            self.in_flight.remove(value["result"])
            self.driver.on_line(json.dumps({"recorded": value["result"]}).encode())
            self.give()

    def tell(self, slots=None, note=None, failed=None, reason=None):
        if failed is not None:
            self.cancelled.append(failed)
            refused = {"refused": failed, "reason": reason}
            self.driver.on_line(json.dumps(refused).encode())
        if note is not None:
            self.notes.append(note)
        if slots is not None:
            self.slots = slots
            self.give()

    def give(self):
        while self.left and len(self.in_flight) < self.slots:
            game = self.left.pop(0)
            self.in_flight.add(game)
            job = {"job": game, "block": "b", "seats": [{"name": "x", "program": HASH}] * 4}
            self.driver.on_line(json.dumps(job).encode())
        if not self.left and not self.in_flight:
            self.driver.on_end(0)

    def close(self):
        self.is_closed = True

    def wait(self, seconds):
        return 130


class Scene:
    """A run, step by step."""

    def __init__(self, tmp_path, games, *machines, task_seconds=10.0, tier=None):
        (tmp_path / "bot.py").write_bytes(BOT)
        self.cluster = Cluster(*machines)
        self.coordinator = Coordinator(games)
        self.reports = []
        self.driver = self.coordinator.driver = Driver(
            self.coordinator, self.cluster, Options(task_seconds), queue.SimpleQueue(), self.reports.append
        )
        header = {"pacman2": "arena jobs", "version": 1, **ENGINE, "tier": tier, "folder": str(tmp_path)}
        program = {"program": HASH, "name": "x", "file": "bot.py"}
        for value in (header, program):
            self.driver.on_line(json.dumps(value).encode())
        self.seconds, self.late, self.stalled = 1.0, set(), 0
        self.play = self.answer

    def answer(self, machine, block):
        """Returns what a node says to a block."""
        results, failures = [], []
        for line in block.jobs:
            game = json.loads(line)["job"]
            is_late = (machine.id, game) in self.late
            result = {"result": game, "node": machine.id, "replayed": 0, "is_late": is_late}
            results.append(
                Result(game, zlib.compress(json.dumps(result).encode()), self.seconds, self.stalled, is_late)
            )
        header = json.dumps({**machine.header, "node": machine.id}).encode()
        return Played(header, results, failures, self.seconds * len(results))

    def run(self, most_rounds=200):
        """Lets all nodes play until the run ends."""
        for _ in range(most_rounds):
            self.driver._last_job = self.driver._last_poll = -1e9
            self.driver._poll()
            self.driver._dispatch()
            pending, self.cluster.pending = self.cluster.pending, []
            for machine, block, done in pending:
                try:
                    done(self.play(machine, block))
                except Exception as error:
                    done(error)
            while not self.driver.events.empty():
                self.driver.events.get()()
            if self.driver._code is not None:
                return
        raise AssertionError("the run did not end")

    def ids(self):
        return [value["result"] for value in self.coordinator.recorded]


def test_nodes_trust_by_hash():
    program = Program.read({"program": HASH, "name": "x", "version": "2", "file": "bot.py"})
    assert program.trust(("other", "x")) == program.trust(("x@2",)) == ("--trust", HASH)
    assert program.trust(("x@1", HASH)) == ()
    built_in = Program.read({"program": "built-in 0.2.0", "name": "x", "version": "2", "file": None})
    assert built_in.trust(("x",)) == ()


def test_all_games_are_recorded_once_and_blocks_grow_to_the_time_of_a_task(tmp_path):
    one, two = Machine("one"), Machine("two", cores=2)
    scene = Scene(tmp_path, 300, one, two)
    scene.run()
    assert sorted(scene.ids()) == sorted(f"game{number}" for number in range(300))
    sizes = [len(block.jobs) for machine in (one, two) for block in machine.blocks]
    assert max(sizes) == 10, "ten seconds of games that take one"
    assert scene.driver.counts.tasks < 80
    assert scene.coordinator.slots == 3 * 3 * 10
    assert scene.coordinator.notes[-1] == "2 nodes, 3 cores"
    assert scene.cluster.contents == [BOT], "a program is sent once"
    (program,) = one.blocks[-1].programs
    assert program.path_on_node == f"{HASH}/bot.py"


def test_a_node_that_differs_plays_nothing(tmp_path):
    machines = [
        Machine("good"),
        Machine("old", engine="0.9"),
        Machine("wrong", signature="xyz"),
        Machine("open", tier="C"),
        Machine("coreless", cores=0),
    ]
    scene = Scene(tmp_path, 20, *machines, tier="B")
    scene.run()
    assert len(scene.ids()) == 20
    assert {value["node"] for value in scene.coordinator.recorded} == {"good"}
    for name, reason in [
        ("old", "the engine 1.0, got 0.9"),
        ("wrong", "the signature abc, got xyz"),
        ("open", "tier B or better, got tier C"),
    ]:
        (said,) = [text for text in scene.reports if f"node {name}" in text]
        assert "plays nothing: " in said and reason in said
    assert machines[-1].blocks == []


def test_games_of_a_lost_node_and_of_a_killed_worker_are_played_again(tmp_path):
    one, two = Machine("one"), Machine("two")
    scene = Scene(tmp_path, 100, one, two)
    calls = []

    def play(machine, block):
        calls.append(machine.id)
        if machine is two and block.jobs and len(calls) > 10:
            two.is_alive = False
            raise RuntimeError("the node died")
        if len(calls) == 8:
            raise RuntimeError("the worker was killed\nand more lines")
        return scene.answer(machine, block)

    scene.play = play
    scene.run()
    assert sorted(scene.ids()) == sorted(f"game{number}" for number in range(100))
    assert any("is gone after" in text for text in scene.reports)
    assert any(text.endswith("tried again: the worker was killed") for text in scene.reports)


def test_a_game_that_fails_everywhere_ends_the_run_with_its_reason(tmp_path):
    scene = Scene(tmp_path, 30, Machine("one"), Machine("two"), Machine("three"))

    def play(machine, block):
        played = scene.answer(machine, block)
        bad = [result for result in played.results if result.id == "game7"]
        for result in bad:
            played.results.remove(result)
            played.failures.append(Failure("game7", "bot-no-compiler", "no compiler"))
        return played

    scene.play = play
    with pytest.raises(module.Stop, match=r"game game7 failed 5 times, at last on node \w+: no compiler"):
        scene.run()
    assert len(set(scene.ids())) == len(scene.ids()) >= 7


def test_a_worker_that_always_dies_does_not_flood_the_cluster(tmp_path):
    one, two = Machine("one"), Machine("two")
    scene = Scene(tmp_path, 400, one, two)

    def play(machine, block):
        if machine is two and block.jobs:
            raise RuntimeError("killed")
        return scene.answer(machine, block)

    scene.play = play
    scene.run()
    assert len(scene.ids()) == len(set(scene.ids())) == 400
    assert len(two.blocks) == 1 + module.MAX_FAILURES_IN_A_ROW
    assert "node two plays nothing: killed" in scene.reports
    assert scene.driver.counts.tasks < 100


def test_time_outs_of_a_slow_node_are_played_again_elsewhere(tmp_path):
    slow = Machine("slow", calibration_ms=40)
    fast = Machine("fast", calibration_ms=10)
    scene = Scene(tmp_path, 60, slow, fast)
    scene.late = {("slow", f"game{number}") for number in range(60)} | {("fast", "game45")}
    scene.run()
    recorded = {value["result"]: value for value in scene.coordinator.recorded}
    assert len(recorded) == 60
    assert {value["node"] for value in recorded.values() if value["is_late"]} == {"fast"}
    assert recorded["game45"]["is_late"], "a time-out on a good node is that of the bot"
    again = {value["replayed"] for value in recorded.values()}
    assert again == {0, 1}
    assert len([text for text in scene.reports if "node slow is slow: the calibration took 40.0 ms" in text]) == 1


def test_time_outs_while_the_only_node_stalls_are_played_again_three_times(tmp_path):
    scene = Scene(tmp_path, 4, Machine("one"))
    scene.late, scene.stalled = {("one", "game2")}, 300
    scene.run()
    again = {value["result"]: value["replayed"] for value in scene.coordinator.recorded}
    assert again == {"game0": 0, "game1": 0, "game2": module.MAX_REPLAYS, "game3": 0}


def test_a_cluster_where_no_node_can_play_ends_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE_SECONDS", -1.0)
    scene = Scene(tmp_path, 4, Machine("old", engine="0.9"))
    with pytest.raises(module.Stop, match="no node of the cluster can play"):
        scene.run()


def test_a_changed_program_ends_the_run(tmp_path):
    scene = Scene(tmp_path, 4, Machine("one"))
    (tmp_path / "bot.py").write_text("something else")
    with pytest.raises(module.Stop, match=r"bot\.py cannot be sent to the nodes: expected a program"):
        scene.run()


def test_an_interruption_records_what_is_done_and_ends_the_tasks(tmp_path):
    scene = Scene(tmp_path, 40, Machine("one"))
    driver = scene.driver
    driver._poll()

    class Interrupted:
        """Python only prints what a destructor raises."""

        def __del__(self):
            driver.interrupt()

    Interrupted()
    assert driver.run() == 130
    assert scene.coordinator.is_closed
    assert scene.cluster.cancelled, "the check of the node was under way"


def test_games_that_are_not_needed_any_more_are_not_played(tmp_path):
    """A comparison that is decided says so."""
    scene = Scene(tmp_path, 100, Machine("one"))
    driver = scene.driver

    def play(machine, block):
        games = [json.loads(line)["job"] for line in block.jobs]
        if "game30" in games:
            obsolete, scene.coordinator.in_flight = scene.coordinator.in_flight, {"game99"}
            scene.coordinator.left = []
            driver.on_line(json.dumps({"obsolete": sorted(obsolete)}).encode())
            assert set(scene.coordinator.cancelled) == obsolete
            driver.on_line(json.dumps({"job": "game99", "seats": [{"name": "x", "program": HASH}]}).encode())
            raise RuntimeError("cancelled")
        return scene.answer(machine, block)

    scene.play = play
    scene.run()
    assert scene.ids()[-1] == "game99" and "game30" not in scene.ids()
    assert len(scene.cluster.interrupted) == 1
    (said,) = scene.reports
    assert said.startswith("21 games in 5 tasks; 0 were tried again"), "nothing is wrong with the node"


def test_a_result_that_is_refused_ends_the_run(tmp_path):
    scene = Scene(tmp_path, 4, Machine("one"))
    reason = {"code": "scores", "message": "the result differs from its replay"}
    with pytest.raises(module.Stop, match="game g7 was not recorded: the result differs from its replay"):
        scene.driver.on_line(json.dumps({"refused": "g7", "reason": reason}).encode())


def test_other_versions_of_the_lines_are_refused(tmp_path):
    for header in ({"pacman2": "arena jobs", "version": 2}, {"pacman2": "other", "version": 1}):
        with pytest.raises(ValueError, match="install the same version"):
            Header.read(json.dumps({**header, **ENGINE, "folder": "."}).encode())
    with pytest.raises(module.Stop, match="does not understand"):
        Scene(tmp_path, 1, Machine("one")).driver.on_line(b"not JSON")


def test_a_net_is_sent_by_its_own_hash_and_once_for_all_bots_that_use_it(tmp_path):
    scene = Scene(tmp_path, 1, Machine("one"))
    net = {"file": "bot.py", "net": HASH, "command": "sage --net bot.py"}
    seats = []
    for simulations in (5, 9):
        bot = f"built-in 0.1.0 sage --simulations {simulations} --net {HASH}"
        seats.append({"name": f"sage{simulations}", "program": bot})
        scene.driver.on_line(json.dumps({"program": bot, "name": f"sage{simulations}", **net}).encode())
    job = {"job": "netted", "seats": [*seats, *seats]}
    scene.coordinator.in_flight.add("netted")
    scene.driver.on_line(json.dumps(job).encode())
    scene.coordinator.left = []
    scene.run()
    (block,) = [block for block in scene.cluster.all["one"].blocks if block.jobs]
    assert [program.path_on_node for program in block.programs] == [f"{HASH}/bot.py"] * 2
    assert scene.cluster.contents == [BOT]


def test_tasks_of_a_node_that_start_together_keep_a_program_once(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    program = Program.read({"program": HASH, "file": "bot.py"})
    fetched = []

    def fetch():
        fetched.append(1)
        time.sleep(0.05)
        return BOT

    tasks = [threading.Thread(target=programs.keep, args=(program, fetch)) for _ in range(8)]
    for task in tasks:
        task.start()
    for task in tasks:
        task.join()
    kept = tmp_path / "pacman2/cluster" / HASH
    assert len(fetched) == 1 and [path.name for path in kept.iterdir()] == ["bot.py"]
    with pytest.raises(programs.WrongProgram, match="expected a program with the hash"):
        programs.keep(Program.read({"program": "0" * 64, "file": "x"}), lambda: BOT)
    assert not (kept.parent / ("0" * 64)).exists()


def test_a_program_is_kept_by_the_hash_of_its_file():
    program = Program.read({"program": "0" * 64, "content": HASH, "file": "bots/x/bot.zip"})
    programs.check(program, BOT)
    assert (program.hash, program.path_on_node) == ("0" * 64, f"{HASH}/bot.zip")


def test_a_bot_with_a_folder_data_is_not_sent(tmp_path):
    line = {"program": HASH, "name": "x", "file": "bot.py", "data": True}
    with pytest.raises(module.Stop, match="x reads a folder data, which is not sent to nodes"):
        Scene(tmp_path, 1, Machine("one")).driver.on_line(json.dumps(line).encode())


def test_the_last_event_of_a_training_run_is_no_net(tmp_path):
    scene = Scene(tmp_path, 1, Machine("one"))
    event = {"event": "end", "net": "run/sage.net"}
    scene.driver.on_line(json.dumps(event).encode())
    assert scene.driver.end == event


def test_names_of_programs_cannot_leave_the_folder_of_a_node():
    program = Program.read({"program": HASH, "file": "../../etc/passwd"})
    assert program.path_on_node == f"{HASH}/passwd"
    with pytest.raises(ValueError, match="expected a hash"):
        Program.read({"program": "../evil", "file": "x"})
    with pytest.raises(ValueError, match="expected a file"):
        Program.read({"program": HASH, "file": ".."})
