"""AlphaZero in one file: a small net learns from its own search by self-play.

    pip install "pacman2[examples]"
    python alphazero.py

In each round, `pacman2.Search` searches all positions of many games at once, and the net evaluates the leaves of all
of them in batches. The players draw their actions from the visits. Then the net learns to predict these visits and
each player's share of the strength at the end. The games are small and short, so that the default takes about a minute
on one core.
"""

import argparse
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import pacman2

VIEW = "planes_centred"
PLANES, ACTIONS = 18, 9


class Net(nn.Module):
    """Maps the planes of a player to the logits of its actions and its share at the end."""

    def __init__(self, width=24):
        super().__init__()
        self.body = nn.Sequential(
            *(nn.Conv2d(PLANES, width, 3, padding=1), nn.ReLU()),
            *(nn.Conv2d(width, width, 3, padding=1), nn.ReLU(), nn.Flatten()),
            *(nn.Linear(width * 11 * 11, 64), nn.ReLU()),
        )
        self.policy = nn.Linear(64, ACTIONS)
        self.value = nn.Linear(64, 1)

    def forward(self, planes):
        # Strengths reach 255, but most are small, and the square root resolves small differences.
        seen = self.body(planes.float().sqrt())
        return self.policy(seen), self.value(seen).squeeze(-1).sigmoid()

    @torch.no_grad()
    def policy_value(self, observations, masks):
        """Evaluates leaves for `pacman2.Search`: every seat of each is a row of the batch."""
        logits, shares = self(torch.from_numpy(observations).flatten(0, 1))
        return logits.numpy(), shares.numpy()

    @torch.no_grad()
    def act(self, observations, masks):
        """Returns logits; so the net can be an opponent in `pacman2.VecEnv`, too."""
        return self(torch.from_numpy(observations))[0].numpy()


def self_play(search, games, free_turns):
    """Plays games to their end; returns observations, visits, and shares at the end, by player."""
    playing = list(games)
    samples = []
    while playing:
        found = search(playing)
        # Early turns are varied, so that games differ; later the best action counts.
        varied, best = found.actions(temperature=1.0), found.actions()
        visits = found.policy()
        for index, game in enumerate(playing):
            for seat in range(4):
                if game.alive[seat]:
                    samples.append((game, seat, game.observe(VIEW, seat), visits[index, seat]))
            game.step((varied if game.turn < free_turns else best)[index])
        playing = [game for game in playing if not game.is_over]
    shares = {id(game): np.array(game.strength) / max(sum(game.strength), 1) for game in games}
    observations = torch.from_numpy(np.array([seen for _, _, seen, _ in samples]))
    policies = torch.from_numpy(np.array([visits for *_, visits in samples]))
    values = torch.tensor([shares[id(game)][seat] for game, seat, *_ in samples]).float()
    return observations, policies, values


def learn(net, optimiser, batches, steps, rows=256):
    """Fits the net to the visits and the results; returns the mean losses of both."""
    observations, policies, values = (torch.cat(part) for part in zip(*batches))
    losses = []
    for _ in range(steps):
        some = torch.randint(len(values), (rows,))
        logits, shares = net(observations[some])
        policy_loss = functional.cross_entropy(logits, policies[some])
        value_loss = functional.mse_loss(shares, values[some])
        optimiser.zero_grad()
        (policy_loss + 4 * value_loss).backward()
        optimiser.step()
        losses.append((policy_loss.item(), value_loss.item()))
    return np.mean(losses, axis=0)


def measure(net, opponent, games, rules):
    """Returns the mean points of the net, without a search, against three copies of a bot."""
    options = {"opponents": opponent, "seat": "rotate", "reward": "score", "copy": False}
    env = pacman2.VecEnv(games, seed=1_000_000, observation=VIEW, maps="fresh", **options, **rules)
    observations, _ = env.reset()
    points = np.full(games, np.nan)
    while np.isnan(points).any():
        actions, _ = env.sample(net.act(observations, env.action_mask))
        observations, _, _, _, infos = env.step(actions)
        first = infos["_final_score"] & np.isnan(points)
        points[first] = infos["final_score"][first]
    return points.mean()


def compared(net, games, rules):
    """Returns a text with the points against two bots."""
    against = [f"{measure(net, bot, games, rules):.1f} points against {bot}" for bot in ("random", "greedy")]
    return ", ".join(against)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--games", type=int, default=16, help="games of self-play per round")
    parser.add_argument("--simulations", type=int, default=32)
    parser.add_argument("--steps", type=int, default=60, help="steps of learning per round")
    parser.add_argument("--size", type=int, default=7)
    parser.add_argument("--turns", type=int, default=30)
    parser.add_argument("--measure-games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", metavar="FILE", help="save the net's weights")
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    rules = {"size": args.size, "turns": args.turns}
    net = Net()
    optimiser = torch.optim.Adam(net.parameters(), lr=2e-3, weight_decay=1e-4)
    options = {"value": "share", "noise": 0.25, "seed": args.seed}
    search = pacman2.Search(net.policy_value, args.simulations, observation=VIEW, **options)
    print(f"before: {compared(net, args.measure_games, rules)}", flush=True)
    batches = []
    began = time.monotonic()
    for number in range(1, args.rounds + 1):
        seeds = range(number * args.games, (number + 1) * args.games)
        games = [pacman2.Game(args.seed * 100_000 + seed, **rules) for seed in seeds]
        batches = [*batches[-4:], self_play(search, games, free_turns=args.turns // 2)]
        policy_loss, value_loss = learn(net, optimiser, batches, args.steps)
        losses = f"policy loss {policy_loss:.3f}, value loss {value_loss:.4f}"
        print(f"round {number}: {losses}, {time.monotonic() - began:.0f} s", flush=True)
    print(f"after: {compared(net, args.measure_games, rules)}")
    if args.save:
        torch.save(net.state_dict(), args.save)


if __name__ == "__main__":
    main()
