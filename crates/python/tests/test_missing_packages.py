"""Without an optional package, an import says what to install, and the rest of the package works."""

import json
import re
import subprocess
import sys

import pytest
from conftest import ROOT

# Gymnasium first: the package imports it if it is there.
MISSING = [
    ("pacman2.VecEnv", "gymnasium", "gymnasium>=1.1"),
    ("pacman2.SoloEnv", "gymnasium", "gymnasium>=1.1"),
    ("__import__('pacman2.puffer')", "gymnasium", "gymnasium>=1.1"),
    ("pacman2.parallel_env", "pettingzoo", "pettingzoo>=1.25"),
    ("pacman2.env", "pettingzoo", "pettingzoo>=1.25"),
    ("__import__('pacman2.puffer')", "pufferlib", "pufferlib>=3,<4"),
    ("__import__('pacman2.sb3')", "stable_baselines3", "stable-baselines3>=2.6"),
    ("__import__('pacman2.torchrl')", "torch", "torchrl>=0.10"),
    ("__import__('pacman2.torchrl')", "torchrl", "torchrl>=0.10"),
    ("__import__('pacman2.rllib')", "ray", "ray[rllib]>=2.50"),
    ("__import__('pacman2.openspiel')", "pyspiel", "open_spiel>=2"),
]
# Extras whose names are not those of the missing modules.
EXTRAS = {
    "stable_baselines3": "sb3",
    "torch": "torchrl",
    "ray": "rllib",
    "pyspiel": "openspiel",
}
# What imports do in a process in which one module after another is missing that was not imported before. Of the package,
# only the compiled engine stays.
PROGRAM = """
import json
import sys

answers = []
for ask, missing in json.loads(sys.argv[1]):
    for name in [name for name in sys.modules if name.partition(".")[0] == "pacman2"]:
        if name != "pacman2._engine":
            del sys.modules[name]
    assert not sys.modules.get(missing), missing
    sys.modules[missing] = None
    import pacman2

    assert pacman2.Game(1).step([0, 0, 0, 0])
    assert {"VecEnv", "SoloEnv", "env", "parallel_env"} <= {*dir(pacman2)}
    try:
        answers.append(repr(eval(ask)))
    except ImportError as error:
        answers.append(str(error))
    del sys.modules[missing]
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def answers() -> list[str]:
    cases = json.dumps([(ask, missing) for ask, missing, _ in MISSING])
    command = [sys.executable, "-c", PROGRAM, cases]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.xdist_group("missing packages")
@pytest.mark.parametrize("case", range(len(MISSING)), ids=[f"{ask}-{missing}" for ask, missing, _ in MISSING])
def test_an_import_says_what_to_install(case: int, answers: list[str]) -> None:
    ask, missing, requirement = MISSING[case]
    if missing != "gymnasium":
        pytest.importorskip("gymnasium")
    name = re.sub(r"__import__\('(.*)'\)", r"\1", ask)
    assert answers[case].startswith(("pacman2.parallel_env and pacman2.env", name))
    assert f"expected {requirement}, got none; pip install '{requirement}'" in answers[case]


def test_the_cluster_says_what_to_install() -> None:
    code = """
import sys
sys.modules["ray"] = None
from pacman2.cluster.__main__ import main
sys.exit(main(["arena", "run", "--arena", "x"]))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    expected = "pacman2.cluster: expected ray>=2.50, got none; pip install 'ray>=2.50'"
    assert ran.stderr == f"error: {expected}\n"
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["optional-dependencies"]["cluster"] == ["ray>=2.50"]


def test_the_requirements_are_those_of_the_extras() -> None:
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    for _, missing, requirement in MISSING:
        if missing != "pufferlib":  # which cannot be an extra: it has no wheels
            assert requirement in extras[EXTRAS.get(missing, missing)]
