"""The driver: takes jobs from the coordinator, has nodes play them, and hands back the results."""

from __future__ import annotations

import math
import queue
import sys
import time
import zlib
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pacman2.cluster import programs
from pacman2.cluster.coordinator import Coordinator
from pacman2.cluster.nodes import CORES, MAX_FAILURES_IN_A_ROW, MIN_CALIBRATIONS, Machine, Node, Speed
from pacman2.cluster.stream import (
    BadLine,
    Failure,
    Header,
    Job,
    Program,
    ProgramKey,
    Result,
    parse,
    with_replays,
)
from pacman2.cluster.task import Block, Played

#: How often the driver looks for nodes that came or went, in seconds.
POLL_SECONDS = 2.0
#: How long it waits for more jobs before it sends out fewer than fit into a block.
GATHER_SECONDS = 0.05
#: Most games of a block, and most bytes of results that wait in the driver.
MAX_GAMES = 5000
MAX_RESULT_BYTES = 256 * 1024**2
#: How often a game is tried before the run ends, and how often it is played again because a bot ran out of time.
MAX_TRIES = 5
MAX_REPLAYS = 3
#: How long the coordinator and the tasks may take to end.
PATIENCE_SECONDS = 20.0
#: The exit code after Ctrl-C, as shells return it.
INTERRUPTED = 130
#: Why a node, and not a game, is at fault.
OF_NODES = {"engine", "signature", "settings", "tier"}


class Cluster(Protocol):
    """What the driver needs of Ray."""

    def machines(self) -> Sequence[Machine]:
        """Returns the nodes that are alive."""

    def put(self, content: bytes) -> Any:
        """Makes a content available to all nodes, and returns a reference."""

    def submit(
        self, node: str, block: Block, references: dict[str, Any], done: Callable[[Played | Exception], None]
    ) -> Any:
        """Has a node play a block. ``done`` may be called in any thread."""

    def interrupt(self, task: Any) -> None:
        """Ends a task."""

    def cancel(self, tasks: Sequence[Any]) -> None:
        """Ends tasks and waits until they have ended."""


@dataclass(frozen=True)
class Options:
    """How a run is spread over the cluster."""

    #: How long a task should take.
    task_seconds: float
    #: How many games are under way or wait, as a multiple of those that nodes play in this time.
    ahead: float = 3.0
    #: The folder of a training run.
    folder: str = "."
    #: Options of the sandbox, for the nodes.
    player: tuple[str, ...] = ()
    #: The names of the bots that run outside the sandbox; ``all`` is an option for the nodes.
    trust: tuple[str, ...] = ()
    #: Whether the events of the coordinator go to standard output.
    prints_events: bool = False


class Stop(Exception):
    """A run that cannot go on."""


@dataclass
class _Task:
    node: Node
    jobs: list[Job]
    is_check: bool
    handle: Any = None


@dataclass
class _Counts:
    tasks: int = 0
    games: int = 0
    replayed: int = 0
    retried: int = 0

    def sentence(self) -> str:
        """Returns what the cluster did."""
        return (
            f"{self.games} games in {self.tasks} tasks; {self.retried} were tried again because a task "
            f"failed, {self.replayed} because a bot ran out of time on a slow node"
        )


@dataclass
class Driver:
    """A run. ``events`` are the lines of the coordinator, results of tasks, and the end."""

    coordinator: Coordinator
    cluster: Cluster
    options: Options
    events: queue.SimpleQueue[Callable[[], None]]
    report: Callable[[str], None]
    nodes: dict[str, Node] = field(default_factory=dict)
    counts: _Counts = field(default_factory=_Counts)

    def __post_init__(self) -> None:
        self._header: Header | None = None
        self._programs: dict[ProgramKey, Program] = {}
        self._references: dict[str, Any] = {}
        # Jobs that wait, and those of them that were tried before.
        self._waiting: deque[Job] = deque()
        self._again: deque[Job] = deque()
        # Jobs that were reported to the coordinator as not played, because it does not need them any more.
        self._obsolete: set[str] = set()
        self._tasks: dict[int, _Task] = {}
        self._next_task = 0
        self._speed = Speed()
        self._slots = 0
        self._note = ""
        self._sent_header = b""
        #: The last event of the coordinator, when it was done.
        self.end: dict[str, Any] | None = None
        self._code: int | None = None
        self._last_poll = -math.inf
        self._last_job = -math.inf
        self._idle_since: float | None = None
        self._is_interrupted = False

    def run(self) -> int:
        """Runs to the end, and returns the exit code."""
        try:
            while self._code is None:
                self._step()
            return self._code
        except Stop as stop:
            self.report(str(stop))
            self._stop()
            return 1
        except KeyboardInterrupt:
            return self._stop() or INTERRUPTED

    def interrupt(self) -> None:
        """Ends the run in order, and at once if called a second time. For handlers of signals."""
        if self._is_interrupted:
            raise KeyboardInterrupt
        self._is_interrupted = True
        # A handler may be called in code that drops exceptions, such as a destructor.
        self.events.put(_raise_interrupt)

    def _step(self) -> None:
        if time.monotonic() > self._last_poll + POLL_SECONDS:
            self._poll()
        try:
            event = self.events.get(timeout=GATHER_SECONDS if self._waiting or self._again else 0.5)
            event()
            while self._code is None:
                self.events.get_nowait()()
        except queue.Empty:
            pass
        if self._code is None:
            self._dispatch()

    def _stop(self) -> int:
        """Ends all tasks, lets the coordinator record what it was sent, and returns its exit code."""
        self.coordinator.close()
        try:
            self.cluster.cancel([task.handle for task in self._tasks.values()])
            return self.coordinator.wait(PATIENCE_SECONDS)
        except KeyboardInterrupt:
            # Asked again: what still runs ends with this process.
            return self.coordinator.wait(0)

    # What the coordinator writes.

    def on_line(self, line: bytes) -> None:
        """Takes a line of the coordinator."""
        try:
            value = parse(line)
            # First: the last event of a training run names its net.
            if "event" in value:
                if value["event"] == "end":
                    self.end = value
                if self.options.prints_events:
                    print(line.decode(errors="replace"), flush=True)
            elif "job" in value:
                self._waiting.append(Job.read(line, value))
                self._last_job = time.monotonic()
            elif "program" in value or "net" in value:
                if value.get("data"):
                    reason = "reads a folder data, which is not sent to nodes; play without a cluster"
                    raise Stop(f"{value['name']} {reason}")
                program = Program.read(value)
                self._programs[program.key] = program
            elif "pacman2" in value:
                self._header = Header.read(line)
                self._last_poll = -math.inf
            elif "refused" in value and value["refused"] in self._obsolete:
                self._obsolete.remove(value["refused"])
            elif "refused" in value:
                message = (value.get("reason") or {}).get("message", "no reason")
                raise Stop(f"game {value['refused']} was not recorded: {message}")
            elif "obsolete" in value:
                self._forget(set(value["obsolete"]))
        except (BadLine, KeyError) as error:
            raise Stop(f"the program wrote a line that this package does not understand: {error}") from error

    def _forget(self, obsolete: set[str]) -> None:
        """Plays jobs no more whose results are not needed. Those of a task that has others, too, are played."""
        dropped = [job for job in (*self._waiting, *self._again) if job.id in obsolete]
        self._waiting = deque(job for job in self._waiting if job.id not in obsolete)
        self._again = deque(job for job in self._again if job.id not in obsolete)
        for task in self._tasks.values():
            if task.jobs and all(job.id in obsolete for job in task.jobs):
                dropped += task.jobs
                task.jobs = []
                self.cluster.interrupt(task.handle)
        for job in dropped:
            self._obsolete.add(job.id)
            reason = {"code": "cancelled", "message": "its result is not needed any more"}
            self.coordinator.tell(failed=job.id, reason=reason)

    def on_end(self, code: int) -> None:
        """Takes the exit code of the coordinator."""
        self._code = code
        if self.counts.tasks:
            self.report(self.counts.sentence())
        self.cluster.cancel([task.handle for task in self._tasks.values()])

    # Nodes.

    def _poll(self) -> None:
        self._last_poll = time.monotonic()
        if self._header is None:
            return
        machines = {machine.id: machine for machine in self.cluster.machines()}
        for gone in [node for node in self.nodes.values() if node.id not in machines]:
            # Its tasks fail on their own account.
            del self.nodes[gone.id]
            self.report(f"node {gone.name} is gone after {gone.games} games")
        for machine in machines.values():
            slots = machine.cores // CORES
            if machine.id not in self.nodes and slots > 0:
                node = self.nodes[machine.id] = Node(machine.id, machine.name, slots)
                self._submit(node, [])
        self._check_that_some_can_play()
        self._announce()

    def _check_that_some_can_play(self) -> None:
        if any(node.is_fit is not False for node in self.nodes.values()):
            self._idle_since = None
            return
        if self._idle_since is None:
            self._idle_since = time.monotonic()
            if not self.nodes:
                self.report("the cluster has no node with a core; waiting for one")
        # Nodes of a cluster that is starting join one after another.
        if self.nodes and time.monotonic() > self._idle_since + PATIENCE_SECONDS:
            raise Stop("no node of the cluster can play; the reasons are above")

    def _judge(self, node: Node, header: bytes) -> bool:
        """Returns whether a node with this header of results may play; reports it if not."""
        assert self._header is not None
        results = parse(header)
        if (calibration := results.get("calibration_ms")) is not None:
            node.calibrations.append(float(calibration))
        reason = self._header.refusal(results)
        if reason is not None:
            self._refuse(node, reason)
        return reason is None

    def _refuse(self, node: Node, reason: str) -> None:
        node.is_fit = False
        if "refused" not in node.reported:
            node.reported.add("refused")
            self.report(f"node {node.name} plays nothing: {reason}")

    def _is_reliable(self, node: Node, result: Result) -> bool:
        """Returns whether time-outs of this result are those of the bot, not of the node."""
        is_slow = node.is_slow(self.nodes.values())
        if is_slow and "slow" not in node.reported:
            node.reported.add("slow")
            self.report(
                f"node {node.name} is slow: the calibration took {node.calibration_ms:.1f} ms; "
                "games in which a bot runs out of time there are played again elsewhere"
            )
        if node.is_overloaded and "overloaded" not in node.reported:
            node.reported.add("overloaded")
            share = 100 * node.stalled_seconds / node.seconds
            self.report(
                f"node {node.name} is overloaded: it stood still for {share:.0f} % of the time; "
                "games in which a bot runs out of time there are played again elsewhere"
            )
        return not result.is_late or not (is_slow or node.is_overloaded or result.stalled_ms > 0)

    # Tasks.

    def _dispatch(self) -> None:
        """Gives blocks to nodes that are free."""
        target = self._block_size()
        is_gathered = time.monotonic() > self._last_job + GATHER_SECONDS
        free = sorted((node for node in self.nodes.values() if node.free), key=lambda node: -node.free)
        for node in free:
            while node.free and (self._again or self._waiting):
                if not is_gathered and len(self._waiting) < target and not self._again:
                    return
                jobs = self._take(node, target)
                if not jobs:
                    break
                self._submit(node, jobs)

    def _take(self, node: Node, target: int) -> list[Job]:
        """Takes jobs for a node: first those that were tried before."""
        if jobs := self._take_again(node, target):
            return jobs
        # Towards the end of a stage, blocks become smaller, so that the last ones end at about the same time.
        slots = sum(other.slots for other in self.nodes.values() if other.is_fit is not False)
        share = math.ceil(len(self._waiting) / (2 * max(slots, 1)))
        count = min(target, share, len(self._waiting))
        return [self._waiting.popleft() for _ in range(count)]

    def _take_again(self, node: Node, target: int) -> list[Job]:
        """Takes jobs that were tried before and that the node may play. The more often they failed, the fewer at once."""
        fit = {other.id for other in self.nodes.values() if other.is_fit}
        taken: list[Job] = []
        kept: deque[Job] = deque()
        for job in self._again:
            may_play = node.id not in job.avoids or fit <= job.avoids
            is_alike = not taken or job.failures == taken[0].failures
            if may_play and is_alike and len(taken) < max(1, target // 8**job.failures):
                taken.append(job)
            else:
                kept.append(job)
        self._again = kept
        return taken

    def _block_size(self) -> int:
        slots = sum(node.slots for node in self.nodes.values() if node.is_fit)
        size = MAX_RESULT_BYTES / (self.options.ahead * max(slots, 1))
        return min(MAX_GAMES, self._speed.games_in(self.options.task_seconds, size))

    def _submit(self, node: Node, jobs: list[Job]) -> None:
        assert self._header is not None
        needed = dict.fromkeys(key for job in jobs for key in job.programs)
        block_programs = tuple(self._programs[key] for key in needed)
        block = Block(
            self._header,
            block_programs,
            tuple(job.line for job in jobs),
            node.name,
            (*self.options.player, *(word for one in block_programs for word in one.trust(self.options.trust))),
        )
        references = {
            program.content: self._reference(program) for program in block_programs if program.file is not None
        }
        number = self._next_task
        self._next_task += 1
        task = self._tasks[number] = _Task(node, jobs, not jobs)
        node.running += 1
        self.counts.tasks += bool(jobs)

        def done(outcome: Played | Exception) -> None:
            self.events.put(lambda: self._on_done(number, outcome))

        task.handle = self.cluster.submit(node.id, block, references, done)

    def _reference(self, program: Program) -> Any:
        """Returns a reference to the content of a program, which is sent to each node once."""
        if program.content not in self._references:
            assert self._header is not None and program.file is not None
            path = Path(self._header.folder or self.options.folder, program.file)
            try:
                content = path.read_bytes()
                programs.check(program, content)
            except (OSError, programs.WrongProgram) as error:
                raise Stop(f"{path} cannot be sent to the nodes: {error}") from error
            self._references[program.content] = self.cluster.put(content)
        return self._references[program.content]

    def _on_done(self, number: int, outcome: Played | Exception) -> None:
        task = self._tasks.pop(number)
        node, jobs = task.node, task.jobs
        node.running -= 1
        if not task.is_check and not jobs:
            return  # They became obsolete.
        if isinstance(outcome, Exception):
            self._on_error(node, jobs, outcome)
            return
        if not self._judge(node, outcome.header):
            self._waiting.extendleft(reversed(jobs))
            return
        if task.is_check:
            if 0 < len(node.calibrations) < MIN_CALIBRATIONS:
                self._submit(node, [])
            else:
                node.is_fit = True
                self._announce()
            return
        self._speed.add(outcome)
        node.add(outcome)
        by_id = {job.id: job for job in jobs}
        for result in outcome.results:
            if (job := by_id.pop(result.id, None)) is not None:
                self._on_result(node, outcome.header, job, result)
        for failure in outcome.failures:
            if (job := by_id.pop(failure.id, None)) is not None:
                self._on_failure(node, job, failure)
        self._announce()

    def _on_result(self, node: Node, header: bytes, job: Job, result: Result) -> None:
        if not self._is_reliable(node, result) and job.replays < MAX_REPLAYS:
            node.rejected += 1
            self.counts.replayed += 1
            job.replays += 1
            job.avoids.add(node.id)
            self._again.append(job)
            return
        if header != self._sent_header:
            self.coordinator.send(lambda: header)
            self._sent_header = header
        replays = job.replays
        self.coordinator.send(lambda: with_replays(zlib.decompress(result.compressed), replays))
        self.counts.games += 1

    def _on_failure(self, node: Node, job: Job, failure: Failure) -> None:
        if failure.code in OF_NODES:
            self._refuse(node, failure.message)
            self._again.append(job)
            return
        self._retry(node, job, failure.message)

    def _on_error(self, node: Node, jobs: list[Job], error: Exception) -> None:
        """Takes a task that failed: its node is gone, its worker was killed, or the program ended early."""
        message = (str(error).strip() or type(error).__name__).splitlines()[0]
        self.counts.retried += len(jobs)
        self._poll()
        if self.nodes.get(node.id) is not node:
            self._again.extend(jobs)
            return
        if jobs:
            self.report(f"node {node.name} ended a task of {len(jobs)} games early; they are tried again: {message}")
        node.failures_in_a_row += 1
        for job in jobs:
            self._retry(node, job, message)
        if node.failures_in_a_row >= MAX_FAILURES_IN_A_ROW:
            self._refuse(node, message)
        elif not jobs:
            self._submit(node, [])

    def _retry(self, node: Node, job: Job, reason: str) -> None:
        job.failures += 1
        job.avoids.add(node.id)
        if job.failures >= MAX_TRIES:
            raise Stop(f"game {job.id} failed {job.failures} times, at last on node {node.name}: {reason}")
        self._again.append(job)

    def _announce(self) -> None:
        """Says how many games may be in flight, and what the line of progress shows."""
        fit = [node for node in self.nodes.values() if node.is_fit]
        cores = sum(node.slots for node in fit)
        slots = math.ceil(self.options.ahead * cores * self._block_size())
        if abs(slots - self._slots) > 0.1 * self._slots:
            self._slots = slots
            self.coordinator.tell(slots=slots)
        note = f"{len(fit)} node{'s' * (len(fit) != 1)}, {cores} core{'s' * (cores != 1)}"
        if fit and note != self._note:
            self._note = note
            self.coordinator.tell(note=note)


def _raise_interrupt() -> None:
    raise KeyboardInterrupt


def report(message: str) -> None:
    """Prints a message without mixing it with the coordinator's line of progress."""
    begin = "\r\x1b[K" if sys.stderr.isatty() else ""
    print(f"{begin}pacman2.cluster: {message}", file=sys.stderr, flush=True)
