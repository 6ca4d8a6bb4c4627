"""The cluster as Ray has it."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Sequence
from typing import Any

from pacman2._checks import lacks
from pacman2.cluster import task
from pacman2.cluster.nodes import CORES, Machine
from pacman2.cluster.task import Block, Played

REQUIREMENT = "ray>=2.50"
#: How long a task may take to end its program.
PATIENCE_SECONDS = 15.0
CONNECT_SECONDS = 10.0


class NoCluster(RuntimeError):
    """There is no cluster at the address."""


class RayCluster:
    """A connection to a cluster; ``address`` is as that of ``ray.init``."""

    def __init__(self, address: str) -> None:
        try:
            import ray  # type: ignore[import-not-found, unused-ignore]
        except ImportError as error:
            raise lacks("pacman2.cluster", REQUIREMENT) from error
        self._ray: Any = ray
        try:
            _check_that_someone_listens(address)
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        except (OSError, RuntimeError, ValueError) as error:
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise NoCluster(
                f"expected a Ray cluster at the address {address!r}, got none; "
                f"start one with `ray start --head`: {reason}"
            ) from error
        # The driver decides what is tried again: on which node, and how often.
        self._run = ray.remote(max_retries=0)(task.run)

    def machines(self) -> Sequence[Machine]:
        """Returns the nodes that are alive."""
        return [
            Machine(
                node["NodeID"],
                node.get("NodeName") or node["NodeManagerHostname"],
                int(node["Resources"].get("CPU", 0)),
            )
            for node in self._ray.nodes()
            if node["Alive"]
        ]

    def put(self, content: bytes) -> Any:
        """Makes a content available to all nodes, and returns a reference."""
        return self._ray.put(content)

    def submit(
        self,
        node: str,
        block: Block,
        references: dict[str, Any],
        done: Callable[[Played | Exception], None],
    ) -> Any:
        """Has a node play a block. ``done`` is called in a thread of Ray."""
        strategies = self._ray.util.scheduling_strategies
        only_there = strategies.NodeAffinitySchedulingStrategy(node, soft=False)
        options = {"num_cpus": CORES, "scheduling_strategy": only_there}
        reference = self._run.options(**options).remote(block, references)
        reference.future().add_done_callback(lambda future: done(self._outcome(future)))
        return reference

    def interrupt(self, task: Any) -> None:
        """Ends a task."""
        self._ray.cancel(task)

    def cancel(self, tasks: Sequence[Any]) -> None:
        """Ends tasks and waits until they have ended."""
        if not tasks:
            return
        left = list(tasks)
        for is_forced in (False, True):
            for one in left:
                self._ray.cancel(one, force=is_forced)
            _, left = self._ray.wait(left, num_returns=len(left), timeout=PATIENCE_SECONDS)
            if not left:
                return

    def close(self) -> None:
        """Ends the connection."""
        self._ray.shutdown()

    def _outcome(self, future: Any) -> Played | Exception:
        error = future.exception()
        if error is None:
            return future.result()  # type: ignore[no-any-return]
        # What the task raised, without the traces of two processes.
        cause = getattr(error, "cause", None)
        return cause if isinstance(cause, Exception) else error


def _check_that_someone_listens(address: str) -> None:
    """Raises ``OSError`` if the address is a host and a port that refuse connections. Ray would try for long."""
    host, _, port = address.rpartition(":")
    if host and "/" not in address and port.isdecimal():
        socket.create_connection((host, int(port)), CONNECT_SECONDS).close()
