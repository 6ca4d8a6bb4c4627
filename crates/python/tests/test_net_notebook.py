"""The notebook that leads from a net to an uploaded bot runs, at small sizes."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import notebook
import pytest
from conftest import need
from pacman2.__main__ import program

FILE = notebook.FILE.with_name("net.ipynb")
# What is large in the notebook, or depends on how busy the machine is.
SMALL = {
    "GAMES = 60": "GAMES = 2",
    "epochs=12": "epochs=1",
    "MOST_BLOCKS = 24": "MOST_BLOCKS = 1",
    "check large.cpp": "check large.cpp --time-limit 60000",
    "play large.cpp greedy sample random": "play large.cpp small.cpp greedy random --turns 2 --time-limit 60000",
    "arena init": "arena init --turns 2 --time-limit 60000",
}


def printed(cells):
    return "".join("".join(output["text"]) for outputs in cells for output in outputs)


def test_a_net_becomes_a_bot_that_is_checked_plays_and_is_compared(tmp_path, monkeypatch):
    need("torch")
    if shutil.which("g++") is None:
        pytest.skip("not run: g++ is not installed")
    path = os.environ.get("PACMAN2") or program()
    if path is None:
        pytest.skip("not run: the program pacman2 is not installed with the package")
    tier = json.loads(subprocess.run([path, "doctor", "--json"], check=True, capture_output=True, text=True).stdout)["tier"]
    if tier == "C":
        pytest.skip("not run: this machine has no sandbox for bots")
    monkeypatch.setenv("PATH", str(Path(path).parent), prepend=os.pathsep)
    monkeypatch.chdir(tmp_path)
    stored = json.loads(FILE.read_text())
    before = printed(cell["outputs"] for cell in stored["cells"] if cell["cell_type"] == "code")
    assert "Better: +" in before and before.count("no faults found") == 1
    text = FILE.read_text()
    for large, small in SMALL.items():
        quoted = json.dumps(large)[1:-1]
        assert quoted in text, large
        text = text.replace(quoted, json.dumps(small)[1:-1])
    ran = printed(notebook.outputs(json.loads(text)))
    assert "large.cpp: no faults found" in ran
    assert ran.count("OK 2") == 4
    assert "large@1 compared with small@1" in ran and "4 games" in ran
    assert all(f"{name}: " in ran for name in ("small.cpp", "large.cpp"))
