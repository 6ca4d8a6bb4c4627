"""Trains a net that plays well: it first imitates `sage`, then learns from play in a league.

    pip install "pacman2[examples]"
    python train.py run

`run` is a folder for everything: positions with sage's decisions, checkpoints, the curve
(`curve.csv`) and the net that played best so far, `net.npz`, which `net_bot.py` plays in matches. A
run that was stopped continues with the same command. `--arena` lets the best net so far play rated
games; each net that it has played with stays in the table.

The net sees the features of actions, and has 35,000 weights.
"""

import argparse
import csv
import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

import pacman2
from pacman2 import dataset

VIEW = "action_features"
FEATURES = 279
POINTS = 50  # the unit of values: the mean score is about 1
BUILT_IN = ["greedy", "hunter", "style all-round", "style sniper", "style ambusher"]
PAST_SELVES = 8  # opponents in the league that the net was earlier
JUDGES = ["greedy", "hunter"]


class Net(nn.Module):
    """Maps the features of all actions to logits, and to the score that the player can expect."""

    def __init__(self, width=64):
        super().__init__()
        self.actions = nn.Linear(FEATURES, width)
        self.compared = nn.Linear(3 * width, width)
        self.logits = nn.Linear(width, 1)
        self.value = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, features, mask):
        """Takes (n, 9, 279) and (n, 9); returns logits (n, 9) and values (n,) in POINTS."""
        legal = mask[..., None]
        actions = self.actions(features.float()).relu() * legal
        together = torch.cat([actions.sum(1) / legal.sum(1), actions.amax(1)], dim=-1)
        context = together[:, None].expand(-1, actions.shape[1], -1)
        hidden = self.compared(torch.cat([actions, context], dim=-1)).relu()
        logits = self.logits(hidden).squeeze(-1).masked_fill(~mask, -1e9)
        return logits, self.value(together).squeeze(-1)

    @torch.inference_mode()
    def policy(self, features, mask):
        """Returns logits in NumPy: an opponent of a `VecEnv`, which draws the actions."""
        return self(torch.from_numpy(features), torch.from_numpy(mask))[0].numpy()

    def copy(self):
        twin = Net()
        twin.load_state_dict(self.state_dict())
        return twin


def replace(path, write):
    """Writes a file so that it is complete or not there."""
    unfinished = path.with_name(path.name + ".unfinished")
    with open(unfinished, "wb") as file:
        write(file)
    unfinished.replace(path)


def save_for_bot(net, path):
    """Writes the weights as 16-bit floats, as `net_bot.py` reads them."""
    weights = {name: tensor.numpy().astype(np.float16) for name, tensor in net.state_dict().items()}
    replace(path, lambda file: np.savez(file, **weights))


def measure(net, opponent, games, seed=1_000_000):
    """Plays the net's likeliest actions against three copies of a bot, on each map in every seat.
    Returns its mean points, their mean points, and the standard error of the difference."""
    count = games // 4
    own, theirs = np.zeros((2, 4, count))
    for seat in range(4):
        env = pacman2.VecEnv(
            count,
            observation=VIEW,
            reward="score",
            autoreset_mode="Disabled",
            copy=False,
            maps="fresh",
            seed=seed,
            opponents=opponent,
            seat=seat,
        )
        features, infos = env.reset()
        while not env.arrays["terminations"].all():
            env.step(net.policy(features, infos["action_mask"]).argmax(-1))
        scores = np.array([env.game(index).scores for index in range(count)])
        own[seat] = scores[:, seat]
        theirs[seat] = (scores.sum(axis=1) - own[seat]) / 3
    # The games on a map depend on each other.
    error = (own - theirs).mean(axis=0).std() / count**0.5
    return own.mean(), theirs.mean(), error


class Run:
    """A training run in a folder."""

    def __init__(self, args):
        self.args = args
        self.folder = Path(args.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.curve = self.folder / "curve.csv"
        self.best = self.folder / "net.npz"

    def record(self, stage, seconds, decisions, net):
        """Adds a line to the curve, and keeps the net if it is the best so far."""
        row = {"stage": stage, "cpu_minutes": f"{seconds / 60:.1f}", "decisions": decisions}
        lead = 0
        for bot in JUDGES:
            own, theirs, error = measure(net, bot, self.args.measure_games)
            row |= {bot: f"{own:.1f}", f"three {bot}": f"{theirs:.1f}", f"± {bot}": f"{error:.1f}"}
            lead += own - theirs
        row["lead"] = f"{lead / len(JUDGES):.1f}"
        past = list(csv.DictReader(self.curve.open())) if self.curve.exists() else []
        # A run that was stopped may measure the same net again.
        past = [old for old in past if (old["stage"], int(old["decisions"])) != (stage, decisions)]
        replace(self.curve, lambda file: file.write(table([*past, row]).encode()))
        print(", ".join(f"{name} {value}" for name, value in row.items()), flush=True)
        if all(float(row["lead"]) > float(other["lead"]) for other in past):
            save_for_bot(net, self.best)


def table(rows):
    lines = [",".join(rows[0])] + [",".join(map(str, row.values())) for row in rows]
    return "\n".join(lines) + "\n"


# Imitation


def read_positions(folder):
    """Returns the columns of a dataset that imitation needs. Features are packed into bits, since
    a million positions would take 2.5 GB otherwise."""
    parts = []
    for shard in dataset.load(folder):
        packed = np.packbits(shard["observation"], axis=-1)
        parts.append((packed, shard["action_mask"], shard["policy"], shard["score"] / POINTS))
    features, *others = map(np.concatenate, zip(*parts))
    return [features, *map(torch.from_numpy, others)]


def imitate(run):
    """Fits a net to sage's decisions and to the scores at the end. The first positions are kept
    for measuring."""
    args = run.args
    place = run.folder / "positions"
    began = time.process_time()
    shard = min(args.imitation_games, 64)
    shards = dataset.make(
        place, args.imitation_games, observation=VIEW, games_per_shard=shard, threads=args.threads
    )
    for number, path in enumerate(shards, 1):
        print(f"{path}: {number * shard} of {args.imitation_games} games", flush=True)
    features, masks, policies, scores = read_positions(place)
    kept = len(scores) // 20
    print(f"{len(scores):,} positions, {time.process_time() - began:.0f} s of CPU time", flush=True)

    def outputs(rows):
        unpacked = np.unpackbits(features[rows.numpy()], axis=-1, count=FEATURES)
        return net(torch.from_numpy(unpacked), masks[rows])

    net = Net()
    optimiser = torch.optim.Adam(net.parameters())
    for epoch in range(args.epochs):
        optimiser.param_groups[0]["lr"] = 1e-3 * (1 - epoch / args.epochs)
        for rows in (kept + torch.randperm(len(scores) - kept)).split(512):
            logits, values = outputs(rows)
            loss = nn.functional.cross_entropy(logits, policies[rows])
            loss = loss + 0.5 * (values - scores[rows]).square().mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        with torch.inference_mode():
            logits, values = outputs(torch.arange(kept))
            agree = (logits.argmax(1) == policies[:kept].argmax(1)).float().mean()
            error = (values - scores[:kept]).square().mean().sqrt() * POINTS
        print(f"epoch {epoch + 1}: {agree:.1%} as sage, values wrong by {error:.1f}", flush=True)
    seconds = time.process_time() - began
    run.record("imitation", seconds, len(scores), net)
    return net, seconds


# Play in the league


class League:
    """One learner in each game, against built-in bots and what the net was earlier."""

    def __init__(self, args, net):
        self.selves, self.policies = [], []
        self.append(net)
        self.envs = pacman2.VecEnv(
            args.games,
            observation=VIEW,
            reward="score",
            autoreset_mode="SameStep",
            copy=False,
            seed=args.seed,
            threads=args.threads,
            seat="random",
            **self.opponents(),
        )
        self.envs.reset()

    def opponents(self):
        """The latest past selves play half of the seats."""
        recent = min(len(self.selves), PAST_SELVES)
        weights = [1 / len(BUILT_IN)] * len(BUILT_IN)
        weights += [0] * (len(self.selves) - recent) + [1 / recent] * recent
        players = [*BUILT_IN, *self.policies]
        return dict(opponents=players, opponents_mode="drawn", opponent_weights=weights)

    def append(self, net):
        """Adds a copy of the net to the past selves; games use it after `set_opponents`."""
        self.selves.append(net.copy())
        # Kept, since each look at a method makes another object, which would be another opponent.
        self.policies.append(self.selves[-1].policy)

    def add(self, net):
        """Adds a copy of the net to the opponents of games that begin from now on."""
        self.append(net)
        self.envs.set_opponents(**self.opponents())

    def save(self):
        selves = [past.state_dict() for past in self.selves]
        return {"selves": selves, "games": self.envs.get_state()}

    def load(self, saved):
        self.selves, self.policies = [], []
        for weights in saved["selves"]:
            past = Net()
            past.load_state_dict(weights)
            self.append(past)
        self.envs.set_opponents(**self.opponents())
        self.envs.set_state(saved["games"])


@torch.inference_mode()
def play(envs, net, steps):
    """Continues all games; returns what happened, (steps, games, …), with advantages and returns."""
    arrays = {name: torch.from_numpy(array) for name, array in envs.arrays.items()}
    turns = []
    for _ in range(steps):
        turn = {"features": arrays["observations"].clone(), "mask": arrays["action_mask"].clone()}
        logits, turn["values"] = net(turn["features"], turn["mask"])
        action, log_prob = envs.sample(logits.numpy())
        envs.step(action)
        turn["action"] = torch.from_numpy(action).long()
        turn["log_prob"] = torch.from_numpy(log_prob)
        turn["reward"] = arrays["rewards"] / POINTS
        turn["goes_on"] = 1.0 - arrays["terminations"].float()
        turns.append(turn)
    value = net(arrays["observations"], arrays["action_mask"])[1]
    advantage = torch.zeros_like(value)
    for turn in reversed(turns):
        goes_on = turn.pop("goes_on")
        surprise = turn.pop("reward") + value * goes_on - turn["values"]
        advantage = turn["advantage"] = surprise + 0.95 * goes_on * advantage
        value = turn.pop("values")
        turn["return"] = advantage + value
    return {name: torch.cat([turn[name] for turn in turns]) for name in turns[0]}


def learn(net, optimiser, data, epochs=2, batch=1024, clip=0.15, entropy=0.002):
    """Does one PPO update."""
    scale = data["advantage"].std() + 1e-8
    count = len(data["action"])
    for rows in [part for _ in range(epochs) for part in torch.randperm(count).split(batch)]:
        part = {name: column[rows] for name, column in data.items()}
        logits, values = net(part["features"], part["mask"])
        chosen = torch.distributions.Categorical(logits=logits)
        ratio = (chosen.log_prob(part["action"]) - part["log_prob"]).exp()
        advantage = part["advantage"] / scale
        gain = torch.min(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage).mean()
        loss = 0.5 * (values - part["return"]).square().mean() - gain
        loss = loss - entropy * chosen.entropy().mean()
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        optimiser.step()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", help="the run; one that was stopped continues")
    parser.add_argument("--imitation-games", type=int, default=2048, metavar="N")
    parser.add_argument("--epochs", type=int, default=6, help="of imitation")
    parser.add_argument("--updates", type=int, default=1000, help="of play in the league")
    parser.add_argument("--games", type=int, default=256, help="games side by side")
    parser.add_argument("--steps", type=int, default=32, help="turns per game and update")
    parser.add_argument("--learning-rate", type=float, default=2e-4)
    parser.add_argument("--measure-every", type=int, default=50, metavar="UPDATES")
    parser.add_argument("--measure-games", type=int, default=400, metavar="N")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--arena", action="store_true", help="only play rated games with the net")
    parser.add_argument("--arena-maps", type=int, default=10, metavar="N", help="eight games on each")
    args = parser.parse_args()
    run = Run(args)
    if args.arena:
        return arena(run)
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    checkpoint = run.folder / "checkpoint.pt"
    net, update, seconds, decisions = Net(), 0, 0.0, 0
    if checkpoint.exists():
        saved = torch.load(checkpoint, weights_only=False)
        net.load_state_dict(saved["net"])
        update, seconds, decisions = saved["progress"]
    else:
        net, seconds = imitate(run)
    league = League(args, net)
    optimiser = torch.optim.Adam(net.parameters(), lr=args.learning_rate, eps=1e-5)
    if checkpoint.exists():
        optimiser.load_state_dict(saved["optimiser"])
        league.load(saved["league"])
        torch.set_rng_state(saved["random"])

    def save():
        saved = {
            "net": net.state_dict(),
            "progress": (update, seconds, decisions),
            "optimiser": optimiser.state_dict(),
            "league": league.save(),
            "random": torch.get_rng_state(),
        }
        replace(checkpoint, lambda file: torch.save(saved, file))

    if not checkpoint.exists():
        save()
    while update < args.updates:
        began = time.process_time()
        data = play(league.envs, net, args.steps)
        learn(net, optimiser, data)
        seconds += time.process_time() - began
        update, decisions = update + 1, decisions + len(data["action"])
        if update % args.measure_every == 0 or update == args.updates:
            run.record("league", seconds, decisions, net)
            league.add(net)
            save()


def arena(run):
    """Plays rated games of the best net against built-in bots, and shows the table."""
    if not run.best.exists():
        sys.exit(f"expected a net in {run.best}, got none; make one without --arena first")
    place = str(run.folder / "arena")
    program = [sys.executable, "-m", "pacman2", "arena", "--arena", place]

    def call(*arguments, **options):
        called = subprocess.run([*program, *arguments], check=False, text=True, **options)
        if called.returncode != 0:
            sys.exit(called.returncode)
        return called.stdout

    def added():
        table = json.loads(call("table", "--json", stdout=subprocess.PIPE))
        bots = [row["bot"] for row in table["bots"]]
        return {bot["version"]: bot["command"] for bot in bots if bot["name"] == "net"}

    if not Path(place).exists():
        call("init")
        call("add", "greedy", "hunter")
    # A bot in the arena must not change, so each net has a file of its own, named by its content.
    content = run.best.read_bytes()
    rated = run.folder / "rated" / f"net-{hashlib.sha256(content).hexdigest()[:12]}.npz"
    if not rated.exists():
        rated.parent.mkdir(exist_ok=True)
        replace(rated, lambda file: file.write(content))
    if not any(rated.name in command for command in added().values()):
        bot = f'"{sys.executable}" "{Path(__file__).with_name("net_bot.py")}" "{rated.resolve()}"'
        call("add", bot, "--name", "net", "--trust", bot)
    net = next(f"net@{version}" for version, command in added().items() if rated.name in command)
    maps = ["--maps", str(run.args.arena_maps)]
    call("run", "--schedule", "gauntlet", "--bot", net, *maps, "--trust", net)
    call("table")


if __name__ == "__main__":
    main()
