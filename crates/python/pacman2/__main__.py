"""``python -m pacman2 ARGUMENTS`` runs the program ``pacman2`` that the wheel contains."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path


def program() -> str | None:
    """Returns the path of the program that was installed with this package."""
    name = "pacman2.exe" if os.name == "nt" else "pacman2"
    schemes = [sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")]
    folders = [sysconfig.get_path("scripts", scheme) for scheme in schemes]
    # `pip install --target DIR` puts programs into `DIR/bin`.
    folders.append(str(Path(__file__).parents[1] / "bin"))
    paths = (os.path.join(folder, name) for folder in folders)
    return next((path for path in paths if os.access(path, os.X_OK)), None)


def main() -> int:
    """Runs the program with the arguments of this process and returns its exit code."""
    path = program()
    if path is None:
        print(
            "pacman2: expected the program pacman2 beside this Python, got none; install the "
            "package as a wheel, which contains it: pip install . in a checkout",
            file=sys.stderr,
        )
        return 1
    arguments = [path, *sys.argv[1:]]
    if os.name != "nt":
        # The program takes the place of this process, so that signals reach it.
        sys.stdout.flush()
        os.execv(path, arguments)
    return subprocess.run(arguments, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
