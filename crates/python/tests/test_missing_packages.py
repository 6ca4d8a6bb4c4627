"""Without an optional package, its module says what to install; the rest of the package works."""

import subprocess
import sys

import pytest

EXTRAS = {
    "openspiel": ["pyspiel"],
    "sb3": ["stable_baselines3"],
    "torchrl": ["torch", "tensordict", "torchrl"],
    "tianshou": ["tianshou"],
    "rllib": ["ray"],
}


@pytest.mark.parametrize(
    ("extra", "package"), [(extra, name) for extra, names in EXTRAS.items() for name in names]
)
def test_a_module_says_what_to_install(extra, package):
    code = f"import sys; sys.modules['{package}'] = None; import pacman2.{extra}"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    last = ran.stderr.splitlines()[-1]
    assert last.startswith(f"ImportError: pacman2.{extra} requires ")
    assert last.endswith(f": pip install 'pacman2[{extra}]'")


def test_the_package_works_without_gymnasium():
    code = "import sys; sys.modules['gymnasium'] = None; import pacman2; print(pacman2.Game(1).turn)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout == "0\n", ran.stderr
