"""A bot for Botzone's protocol that plays a net of `train.py`, without PyTorch.

    pacman2 play --trust all "python3 net_bot.py net.npz" greedy greedy greedy

It needs the packages pacman2 and NumPy. `net.npz` here is what `train.py` made in PYTHON.md.
"""

import sys

import numpy as np

import botzone_bot


class Net:
    """A policy that `train.py` wrote: the same sums as its `Net`, in NumPy."""

    def __init__(self, file):
        with np.load(file) as weights:
            self.weights = {name: weights[name].astype(np.float32) for name in weights}

    def layer(self, name, values):
        return values @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def logits(self, features):
        """Returns a number for each action, given the features of the legal ones, (n, 279)."""
        actions = np.maximum(self.layer("actions", features.astype(np.float32)), 0)
        together = np.concatenate([actions.mean(0), actions.max(0)])
        context = np.broadcast_to(together, (len(actions), len(together)))
        hidden = np.maximum(self.layer("compared", np.concatenate([actions, context], axis=1)), 0)
        return self.layer("logits", hidden)[:, 0]

    def decide(self, game, seat):
        """Returns the best action."""
        legal = game.legal_actions(seat)
        return legal[int(self.logits(game.observe("action_features", seat)[legal]).argmax())]


if __name__ == "__main__":
    botzone_bot.main(Net(sys.argv[1]).decide)
