"""The sources of `pacman2 export` decide as the built-in bots do."""

import itertools
import json
import shutil
import subprocess
from pathlib import Path

import pacman2
import pytest
from conftest import ROOT, read_traces

SOURCES = ROOT / "crates/templates/files/export"


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("bot", ["greedy", "hunter"])
def test_sources_decide_as_the_built_in_bots(bot: str, tmp_path: Path) -> None:
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("not run: g++ is not installed")
    command = [compiler, "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'cpp'}"]
    subprocess.run([*command, SOURCES / f"{bot}.cpp", "-o", tmp_path / bot], check=True)
    built_in = pacman2.Bot(bot, seed=0)
    decisions = 0
    for file in ("botzone-maps.txt", "odd-settings.txt"):
        for number, trace in enumerate(itertools.islice(read_traces(file), 0, None, 20)):
            seat = number % 4
            game = pacman2.Game(init_data=trace.init_data)
            lines, expected = [{"requests": [{**trace.init_data, "id": seat}]}], []
            for actions in trace.actions:
                if not game.alive[seat]:
                    break
                expected.append(built_in.act(game, seat) - 1)
                game.step(actions)
                echoed = {str(other): {"action": -10 if one is None else one - 1} for other, one in enumerate(actions)}
                lines.append(echoed)
            text = "".join(json.dumps(line) + "\n" for line in lines[: len(expected)])
            ran = subprocess.run([tmp_path / bot], input=text, capture_output=True, text=True, check=True)
            answers = [json.loads(line)["response"]["action"] for line in ran.stdout.splitlines()[::2]]
            assert answers == expected, f"{trace.name}, seat {seat}"
            decisions += len(expected)
    assert decisions >= 500
