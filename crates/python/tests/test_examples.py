"""The example programs run for a few updates, and the example bot speaks Botzone's protocol."""

import csv
import importlib.util
import json
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pacman2
import pytest
from conftest import need
from pacman2.__main__ import program

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples" / "python"
MARKER = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
BOT = [sys.executable, str(EXAMPLES / "botzone_bot.py")]


def run(name, *arguments):
    """Runs an example and returns what it prints."""
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    # The matrices are so small that more threads would only slow each other down.
    one = {**os.environ, "OMP_NUM_THREADS": "1"}
    ran = subprocess.run(command, capture_output=True, text=True, env=one, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_ppo():
    need("torch", "gymnasium")
    few = ["--updates", "2", "--games", "8", "--steps", "8", "--measure-games", "2"]
    printed = run("ppo.py", *few, "--seed", "3")
    shares = r"environment (\d+)%, inference (\d+)%, learning (\d+)%"
    speeds = r"turns per CPU second: collecting [\d,]+, with learning [\d,]+"
    found = re.search(rf"update 2: 128 turns; {shares}; {speeds}\n", printed)
    assert 98 <= sum(map(int, found.groups())) <= 102
    for opponent in ("random", "greedy"):
        points = r"([\d.]+) points, theirs ([\d.]+); nobody stronger in \d+%"
        own, theirs = re.search(rf"against {opponent}: {points}", printed).groups()
        # The four players share 100 points, and 40 to 100 more for their ranks.
        assert 40 <= float(own) + 3 * float(theirs) <= 201


def test_alphazero():
    need("torch", "gymnasium")
    few = ["--rounds", "2", "--games", "3", "--simulations", "6", "--steps", "3", "--turns", "8"]
    printed = run("alphazero.py", *few, "--measure-games", "4")
    points = r"[\d.]+ points against random, [\d.]+ points against greedy\n"
    losses = r"round {}: policy loss [\d.]+, value loss [\d.]+, \d+ s\n"
    assert re.fullmatch(
        f"before: {points}{losses.format(1)}{losses.format(2)}after: {points}", printed
    )


def module(name):
    """Imports an example."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    loaded = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(EXAMPLES))
    try:
        spec.loader.exec_module(loaded)
    finally:
        sys.path.remove(str(EXAMPLES))
    return loaded


def test_train(tmp_path):
    need("torch", "gymnasium")
    import torch

    few = ["--imitation-games", "1", "--epochs", "1", "--games", "8", "--steps", "4"]
    few += ["--measure-every", "1", "--measure-games", "4", "--threads", "1"]
    runs = [tmp_path / "once", tmp_path / "stopped"]
    run("train.py", str(runs[0]), *few, "--updates", "2")
    run("train.py", str(runs[1]), *few, "--updates", "1")
    run("train.py", str(runs[1]), *few, "--updates", "2")
    once, stopped = (torch.load(each / "checkpoint.pt", weights_only=False) for each in runs)
    assert once["league"]["games"] == stopped["league"]["games"]
    assert all(torch.equal(once["net"][name], stopped["net"][name]) for name in once["net"])
    curve = list(csv.DictReader((runs[0] / "curve.csv").open()))
    assert [row["stage"] for row in curve] == ["imitation", "league", "league"]
    assert [int(row["decisions"]) for row in curve[1:]] == [32, 64]


def test_train_plays_rated_games(tmp_path):
    need("torch", "gymnasium")
    if not (Path(sysconfig.get_path("scripts")) / "pacman2").exists():
        pytest.skip("not run: the program, which wheels contain, is not installed")
    none = subprocess.run(
        [sys.executable, str(EXAMPLES / "train.py"), str(tmp_path), "--arena"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert none.returncode == 1 and "expected a net in" in none.stderr, none.stderr
    weights = dict(np.load(EXAMPLES / "net.npz"))
    for version in (1, 2):
        np.savez_compressed(tmp_path / "net.npz", **weights)
        printed = run("train.py", str(tmp_path), "--arena", "--arena-maps", "1")
        assert re.search(rf"net@{version} .* 8 +\n", printed), printed
        weights = {name: array * 0.9 for name, array in weights.items()}


def test_nets_in_torch_and_numpy_agree(tmp_path):
    need("torch", "gymnasium")
    import torch

    train, net_bot = module("train"), module("net_bot")
    net = train.Net()
    train.save_for_bot(net, tmp_path / "net.npz")
    bot = net_bot.Net(tmp_path / "net.npz")
    game = pacman2.Game(3)
    for _ in range(20):
        legal = game.legal_actions(1)
        features, mask = game.observe("action_features", 1), game.action_mask()[1]
        with torch.inference_mode():
            logits = net(torch.from_numpy(features[None]), torch.from_numpy(mask[None]))[0][0]
        # The bot's weights have 16 bits.
        assert bot.logits(features[legal]) == pytest.approx(logits[legal].numpy(), abs=0.01)
        game.step([0, bot.decide(game, 1), 0, 0])
        if not game.alive[1]:
            break


def test_torchrl():
    need("torch", "torchrl", "tensordict")
    few = ["--updates", "2", "--games", "2", "--turns", "110", "--epochs", "1"]
    printed = run("torchrl_ppo.py", *few)
    # A game has at most 100 turns, so at least one has ended.
    assert re.search(r"update 2: 440 turns, best reward of a game: -?\d\.\d\d\n", printed)


# It has a Ray of its own, whatever cluster other tests have.
def test_rllib(tmp_path):
    need("ray.rllib", "torch")
    few = [str(tmp_path), "--turns", "200", "--checkpoint-every", "1"]
    printed = run("rllib_ppo.py", *few, "--iterations", "1")
    assert re.search(r"iteration 1: 2\d\d turns, \d+ per game, entropy \d\.\d\d\n", printed)
    # Where the program is, the net plays rated games.
    arena = ["--arena-every", "2"] if program() else []
    printed = run("rllib_ppo.py", *few, "--iterations", "2", "--num-env-runners", "1", *arena)
    assert "continues after iteration 1\niteration 2: 2" in printed
    assert not arena or re.search(r"net@2 .* 16 ", printed), printed
    # The bot's sums are those of the net: its actions are legal, and differ from position to position.
    bot = module("rllib_bot").Net(tmp_path / "net.npz")
    assert [weight.shape for weight, _ in bot.layers] == [(997, 128), (128, 128), (128, 9)]
    game = pacman2.Game(3)
    assert bot.decide(game, 1) in game.legal_actions(1)


def test_sb3():
    need("stable_baselines3", "sb3_contrib")
    printed = run("sb3_ppo.py", "--steps", "2048", "--games", "4", "--measure-games", "2")
    assert re.search(r"against greedy: \d+\.\d points, theirs \d+\.\d\n", printed)


def test_clone_players(tmp_path):
    pack = tmp_path / "pack.json"
    pack.write_text(f"[{(ROOT / 'crates/replay/tests/it/fixtures/match.json').read_text()}]")
    printed = run("clone_players.py", str(pack), "--epochs", "2", "--opponent", "random")
    assert re.search(r"epoch 2: \d+\.\d% of \d+ decisions\npoints:( \d+\.\d){4}\n", printed), printed


def test_openspiel():
    need("pyspiel")
    printed = run("openspiel_cfr.py", "--iterations", "40")
    # The only thing to gain in a single turn is the fruit on the right.
    assert re.search(r"player 0: stay 0\.\d\d, right (0\.[5-9]\d|1\.00)\n", printed)


def first_message(game, seat, turns):
    """Returns the first message to a new process: the map, then the actions of each turn."""
    requests = [{**game.init_data(), "id": seat}, *turns]
    return {"requests": requests, "responses": [], "data": "", "globaldata": ""}


def botzone_turn(actions, alive):
    """Converts a turn to Botzone's JSON: Botzone's numbers, and null for dead players."""
    turn = {}
    for seat, action in enumerate(actions):
        asked = {"action": -10, "reason": "INVALID_INPUT_VERDICT_TLE"}
        if action is not None:
            asked = {"action": action - 1}
        turn[str(seat)] = asked if alive[seat] else None
    return turn


class Bot:
    """The example bot as a process that keeps running."""

    def __init__(self, command=BOT):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)

    def ask(self, message):
        """Sends one line and returns the answer."""
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


def test_bot_plays_a_whole_game_in_one_process():
    game, seat = pacman2.Game(5), 2
    others = [pacman2.Bot("greedy", other) for other in range(4)]
    turns = []
    with Bot() as bot:
        message = first_message(game, seat, [])
        while not game.is_over and game.alive[seat]:
            answer = bot.ask(message)
            # The bot tracks the game, so its strengths are ours.
            assert answer["debug"] == f"strengths {game.strength}"
            action = answer["response"]["action"] + 1
            assert action in game.legal_actions(seat)
            actions = [
                others[other].act(game, other) if game.alive[other] else 0 for other in range(4)
            ]
            actions[seat] = action
            if game.turn == 3:
                actions[0] = None  # an unreadable answer, which kills the player
            turns.append(botzone_turn(actions, game.alive))
            game.step(actions)
            message = turns[-1]
    assert not game.alive[0] and game.turn > 3
    assert len(turns) == game.turn


def test_the_trained_net_plays():
    game, seat = pacman2.Game(9), 3
    command = [sys.executable, str(EXAMPLES / "net_bot.py"), str(EXAMPLES / "net.npz")]
    with Bot(command) as bot:
        answer = bot.ask(first_message(game, seat, []))
    assert answer["response"]["action"] + 1 in game.legal_actions(seat)


def test_restarted_bot_reconstructs_the_game():
    game, seat = pacman2.Game(9), 1
    turns = []
    for _ in range(10):
        actions = [pacman2.Bot("greedy", other).act(game, other) for other in range(4)]
        turns.append(botzone_turn(actions, game.alive))
        game.step(actions)
        assert all(game.alive)
    with Bot() as bot:
        answer = bot.ask(first_message(game, seat, turns))
    assert answer["debug"] == f"strengths {game.strength}"
    assert answer["response"]["action"] + 1 in game.legal_actions(seat)


def test_bot_without_the_package_stays():
    message = first_message(pacman2.Game(1), 0, [])
    # With -I and -S, Python finds neither NumPy nor this package.
    command = [sys.executable, "-I", "-S", BOT[1]]
    asked = json.dumps(message)
    ran = subprocess.run(command, input=asked, capture_output=True, text=True, check=True)
    answer = json.loads(ran.stdout.splitlines()[0])
    assert answer == {"response": {"action": -1}, "debug": "the package pacman2 is not installed"}
