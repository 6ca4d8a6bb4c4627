"""Starts a program that ends with the process that started it: ``python child.py PARENT PROGRAM ARGUMENT…``.

A killed process cannot end what it has started, so on Linux the kernel is asked to. That has to
happen between ``fork`` and ``exec``, where a process with threads, such as a worker of Ray, may do
hardly anything. Therefore this file runs as a process of its own, and then becomes the program. It
imports nothing of the package, so that it starts quickly.
"""

import os
import sys

PR_SET_PDEATHSIG = 1
SIGTERM = 15


def main() -> None:
    """Becomes the program. The arguments are the id of the process that started this one, and a command."""
    parent, *command = sys.argv[1:]
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, SIGTERM)
    if os.getppid() != int(parent):  # It has ended already.
        sys.exit(1)
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
