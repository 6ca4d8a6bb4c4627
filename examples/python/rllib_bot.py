"""A bot for Botzone's protocol that plays a net of `rllib_ppo.py`, without Ray and PyTorch.

    pacman2 play --trust all "python3 rllib_bot.py run/net.npz" greedy greedy greedy

It needs the packages pacman2 and NumPy.
"""

import sys

import numpy as np

import botzone_bot


class Net:
    """A policy that `rllib_ppo.py` wrote: dense layers with tanh between them."""

    def __init__(self, file):
        with np.load(file) as weights:
            count = len(weights.files) // 2
            self.layers = [(weights[f"{n}.weight"].T, weights[f"{n}.bias"]) for n in range(count)]

    def logits(self, observation):
        """Returns a number for each action."""
        values = observation
        for number, (weight, bias) in enumerate(self.layers):
            values = (values if number == 0 else np.tanh(values)) @ weight + bias
        return values

    def decide(self, game, seat):
        """Returns the best legal action."""
        legal = game.legal_actions(seat)
        logits = self.logits(game.observe("compact", seat, dtype="float32"))
        return legal[int(logits[legal].argmax())]


if __name__ == "__main__":
    botzone_bot.main(Net(sys.argv[1]).decide)
