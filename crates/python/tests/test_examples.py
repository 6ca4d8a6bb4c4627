"""The examples run, for a few updates, and the bot speaks Botzone's JSON."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pacman2

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples" / "python"
MARKER = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
BOT = [sys.executable, str(EXAMPLES / "botzone_bot.py")]


def need(*modules):
    """Says that a test was not run where a module is missing; fails if it must be there."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        reason = f"not run: {', '.join(missing)} is not installed"
        if os.environ.get("PACMAN2_PYTHON") == "must":
            pytest.fail(reason)
        pytest.skip(reason)


def run(name, *arguments):
    """What an example prints."""
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    # So little is multiplied that threads would only wait for each other.
    one = {**os.environ, "OMP_NUM_THREADS": "1"}
    ran = subprocess.run(command, capture_output=True, text=True, env=one, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_ppo():
    need("torch", "gymnasium")
    few = ["--updates", "2", "--games", "8", "--steps", "8", "--measure-games", "2"]
    printed = run("ppo.py", *few, "--seed", "3")
    assert re.search(r"update 2: 128 turns in \d+ s\n", printed)
    for opponent in ("random", "greedy"):
        points = r"([\d.]+) points, theirs ([\d.]+); nobody stronger in \d+%"
        own, theirs = re.search(rf"against {opponent}: {points}", printed).groups()
        # Four players share 100 points, and for their places have 40 to 100 among them.
        assert 40 <= float(own) + 3 * float(theirs) <= 201


def test_torchrl():
    need("torch", "torchrl", "tensordict", "pettingzoo")
    printed = run("torchrl_ppo.py", "--updates", "2", "--turns", "110", "--epochs", "1")
    # A game has a hundred turns at most, so one at least has ended.
    assert re.search(r"update 2: 220 turns, best reward of a game: -?\d\.\d\d\n", printed)


def asked_of(game, seat, turns):
    """What a bot that has just been started reads: the map, then what everybody asked for."""
    requests = [{**game.init_data(), "id": seat}, *turns]
    return {"requests": requests, "responses": [], "data": "", "globaldata": ""}


def told(actions, alive):
    """A turn as Botzone tells it: Botzone's numbers, and nothing of the dead."""
    told = {}
    for seat, action in enumerate(actions):
        asked = {"action": -10, "reason": "INVALID_INPUT_VERDICT_TLE"}
        if action is not None:
            asked = {"action": action - 1}
        told[str(seat)] = asked if alive[seat] else None
    return told


class Bot:
    """The bot as a process that keeps running."""

    def __init__(self):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(BOT, stdin=pipe, stdout=pipe, text=True)

    def ask(self, message):
        """Its answer to a line."""
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert self.process.stdout.readline().strip() == MARKER
        return answer

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        assert self.process.wait(timeout=60) == 0


def test_bot_plays_a_whole_game_with_one_process():
    game, seat = pacman2.Game(5), 2
    others = [pacman2.Bot("greedy", other) for other in range(4)]
    turns = []
    with Bot() as bot:
        message = asked_of(game, seat, [])
        while not game.is_over and game.alive[seat]:
            answer = bot.ask(message)
            # It has played the game along: its strengths are ours.
            assert answer["debug"] == f"strengths {game.strength}"
            action = answer["response"]["action"] + 1
            assert action in game.legal_actions(seat)
            actions = [
                others[other].act(game, other) if game.alive[other] else 0 for other in range(4)
            ]
            actions[seat] = action
            if game.turn == 3:
                actions[0] = None  # says nothing that can be understood, and dies
            turns.append(told(actions, game.alive))
            game.step(actions)
            message = turns[-1]
    assert not game.alive[0] and game.turn > 3
    assert len(turns) == game.turn


def test_bot_started_afresh_knows_the_game():
    game, seat = pacman2.Game(9), 1
    turns = []
    for _ in range(10):
        actions = [pacman2.Bot("greedy", other).act(game, other) for other in range(4)]
        turns.append(told(actions, game.alive))
        game.step(actions)
        assert all(game.alive)
    with Bot() as bot:
        answer = bot.ask(asked_of(game, seat, turns))
    assert answer["debug"] == f"strengths {game.strength}"
    assert answer["response"]["action"] + 1 in game.legal_actions(seat)


def test_bot_without_the_package_stays():
    message = asked_of(pacman2.Game(1), 0, [])
    # Isolated and without site-packages there is neither NumPy nor this package.
    command = [sys.executable, "-I", "-S", BOT[1]]
    asked = json.dumps(message)
    ran = subprocess.run(command, input=asked, capture_output=True, text=True, check=True)
    answer = json.loads(ran.stdout.splitlines()[0])
    assert answer == {"response": {"action": -1}, "debug": "the package pacman2 is not installed"}
