"""The process that keeps the store: ``pacman2 arena …`` or ``pacman2 train``, with ``--elsewhere``."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Callable, Sequence
from typing import Any

from pacman2.cluster import process


class Coordinator:
    """The program, which writes jobs and reads results.

    Args:
        arguments: The arguments of the program.
        on_line: Called for each line that it writes, in a thread.
        on_end: Called with its exit code after its last line, in the same thread.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        on_line: Callable[[bytes], None],
        on_end: Callable[[int], None],
    ) -> None:
        # Its line of progress is that of the driver.
        self._process = process.start(arguments, stdin=subprocess.PIPE, stderr=None)
        self._lines: queue.SimpleQueue[Callable[[], bytes] | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, args=(on_line, on_end), daemon=True)
        self._writer = threading.Thread(target=self._write, daemon=True)
        self._reader.start()
        self._writer.start()

    def send(self, line: Callable[[], bytes]) -> None:
        """Sends a line, which is made when it is written. Returns at once: while games are recorded, nodes are given others."""
        self._lines.put(line)

    def tell(self, **control: Any) -> None:
        """Sends a control line."""
        self.send(json.dumps(control).encode)

    def close(self) -> None:
        """Ends its input after what was sent; it stops as at Ctrl-C unless it was done."""
        self._lines.put(None)

    def wait(self, seconds: float) -> int:
        """Returns its exit code. Ends it if it takes longer than that."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.end(self._process)
            return self._process.wait()

    def _read(self, on_line: Callable[[bytes], None], on_end: Callable[[int], None]) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            on_line(line.rstrip(b"\n"))
        on_end(self._process.wait())

    def _write(self) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        try:
            while (line := self._lines.get()) is not None:
                pipe.write(line() + b"\n")
                if self._lines.empty():
                    pipe.flush()
            pipe.close()
        except BrokenPipeError:
            # It has ended; its exit code says why.
            while self._lines.get() is not None:
                pass
