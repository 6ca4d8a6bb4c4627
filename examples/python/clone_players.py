"""Clones the players of a pack of matches into a policy, and plays it against a built-in bot.

    python clone_players.py Pacman2-2020-3.zip --opponent greedy
"""

import argparse

import numpy as np

import pacman2
from pacman2.datasets import load_matches

#: A row of numbers for each action. The policy weighs them, the same for all actions.
VIEW = "action_features"


def probabilities(weights, features, masks):
    logits = np.where(masks, features @ weights, -np.inf)
    odds = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return odds / odds.sum(axis=-1, keepdims=True)


def clone(pack, epochs, rate):
    """Fits the weights, a match at a time: the pack need not fit into memory."""
    weights = np.zeros(len(pacman2.Game(1).observe(VIEW, 0)[0]))
    for epoch in range(epochs):
        agreed = decisions = 0
        for match in load_matches(pack, observation=VIEW):
            rows, features = np.arange(len(match.action)), match.observation.astype(np.float32)
            likely = probabilities(weights, features, match.action_mask)
            agreed += (likely.argmax(axis=1) == match.action).sum()
            decisions += len(rows)
            likely[rows, match.action] -= 1
            weights -= rate * np.einsum("na,naf->f", likely, features) / max(len(rows), 1)
        print(f"epoch {epoch + 1}: {agreed / max(decisions, 1):.1%} of {decisions} decisions")
    return weights


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pack")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--rate", type=float, default=0.01)
    parser.add_argument("--opponent", default="greedy")
    args = parser.parse_args()

    weights = clone(args.pack, args.epochs, args.rate)
    game, others = pacman2.Game(seed=1), [pacman2.Bot(args.opponent, seed=seat) for seat in (1, 2, 3)]
    while not game.is_over:
        likely = probabilities(weights, game.observe(VIEW, 0), game.action_mask()[0])
        actions = [bot.act(game, seat) if game.alive[seat] else 0 for seat, bot in enumerate(others, 1)]
        game.step([int(likely.argmax()), *actions])
    print("points:", *(f"{points:.1f}" for points in game.scores))


if __name__ == "__main__":
    main()
