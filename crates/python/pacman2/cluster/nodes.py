"""The nodes of a cluster as the driver sees them: what they may play, and how fast they are."""

from __future__ import annotations

import statistics
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from pacman2.cluster.task import Played

#: The cores of a task. It plays one game at a time, whose bots think one after another.
CORES = 1
#: A node whose calibration takes this many times as long as that of the typical node is slow.
SLOW = 2.0
#: A node that stalls for this share of its time is overloaded.
OVERLOADED = 0.05
#: After this many tasks in a row that failed, a node gets no more.
MAX_FAILURES_IN_A_ROW = 3
#: Of how many calibrations, and of how many seconds of games, a node is judged. A calibration takes milliseconds.
CALIBRATIONS = 9
MIN_CALIBRATIONS = 3
JUDGED_SECONDS = 20.0


@dataclass(frozen=True)
class Machine:
    """A node as the cluster has it."""

    id: str
    name: str
    cores: int


@dataclass
class Node:
    """A node, and what is known about it."""

    id: str
    name: str
    #: How many tasks run at the same time.
    slots: int
    #: Whether it has what the jobs need; ``None`` until that is known.
    is_fit: bool | None = None
    running: int = 0
    failures_in_a_row: int = 0
    games: int = 0
    #: How long its games took in total, and for how much of that the machine stood still.
    seconds: float = 0.0
    stalled_seconds: float = 0.0
    #: Games that are played again elsewhere.
    rejected: int = 0
    calibrations: deque[float] = field(default_factory=lambda: deque(maxlen=CALIBRATIONS))
    reported: set[str] = field(default_factory=set)

    @property
    def free(self) -> int:
        """How many more tasks it may have."""
        return max(0, self.slots - self.running) if self.is_fit else 0

    @property
    def calibration_ms(self) -> float | None:
        """How long the fixed work takes on it, if that was measured often enough."""
        is_known = len(self.calibrations) >= MIN_CALIBRATIONS
        return statistics.median(self.calibrations) if is_known else None

    @property
    def is_overloaded(self) -> bool:
        """Whether programs were often kept from running."""
        return self.seconds >= JUDGED_SECONDS and self.stalled_seconds > OVERLOADED * self.seconds

    def is_slow(self, nodes: Iterable[Node]) -> bool:
        """Returns whether it is slower than most of these nodes."""
        known = [node.calibration_ms for node in nodes]
        known_ms = [ms for ms in known if ms is not None]
        own = self.calibration_ms
        if own is None or len(known_ms) < 2:
            return False
        # Of two nodes, the faster one is the measure.
        return own > SLOW * statistics.median_low(known_ms)

    def add(self, played: Played) -> None:
        """Counts the games of a task."""
        self.failures_in_a_row = 0
        self.games += len(played.results)
        self.seconds += sum(result.seconds for result in played.results)
        self.stalled_seconds += sum(result.stalled_ms for result in played.results) / 1000


class Speed:
    """How long games take, and how large their results are. Recent blocks count more."""

    #: What an earlier block still counts.
    DECAY = 0.7

    def __init__(self) -> None:
        self._games = self._seconds = self._bytes = 0.0

    def add(self, played: Played) -> None:
        """Counts a block."""
        if played.results:
            self._games = self.DECAY * self._games + len(played.results)
            seconds = sum(result.seconds for result in played.results)
            self._seconds = self.DECAY * self._seconds + seconds
            size = sum(len(result.compressed) for result in played.results)
            self._bytes = self.DECAY * self._bytes + size

    def games_in(self, seconds: float, size: float) -> int:
        """Returns how many games take this long, or have results of this size; 1 if nothing is known."""
        if not self._games:
            return 1
        per_game = max(self._seconds / self._games, 1e-6)
        return max(1, int(min(seconds / per_game, size / max(self._bytes / self._games, 1.0))))
