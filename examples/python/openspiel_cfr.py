"""Counterfactual regret minimisation by sampling, with OpenSpiel, on a short game in a small maze.

    pip install "pacman2[openspiel]"
    python openspiel_cfr.py --turns 2 --iterations 2000
"""

import argparse

import numpy as np
import pyspiel
from open_spiel.python.algorithms.external_sampling_mccfr import ExternalSamplingSolver

from pacman2.openspiel import ACTIONS, load_game


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--map", type=int, default=42, help="seed of the map")
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--iterations", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    np.random.seed(args.seed)
    game = load_game(args.map, size=6, turns=args.turns)
    print(game.start)
    # Without seeing each other's choices, the players choose one after another.
    in_turns = pyspiel.convert_to_turn_based(game)
    solver = ExternalSamplingSolver(in_turns)
    for _ in range(args.iterations):
        solver.iteration()
    policy = solver.average_policy()
    state = in_turns.new_initial_state()
    for player in range(4):
        probabilities = policy.action_probabilities(state)
        shown = ", ".join(f"{ACTIONS[action]} {p:.2f}" for action, p in probabilities.items())
        print(f"player {player}: {shown}")
        state.apply_action(max(probabilities, key=probabilities.get))


if __name__ == "__main__":
    main()
