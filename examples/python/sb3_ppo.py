"""MaskablePPO of Stable-Baselines3's contributions: one policy plays all four players of many games.

    pip install "pacman2[sb3]"
    python sb3_ppo.py --steps 1000000

Then it plays against three built-in bots.
"""

import argparse

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecMonitor

import pacman2
from pacman2.sb3 import Pacman2VecEnv

VIEW = dict(observation="planes_centred", dtype="float32")


def measure(model, opponent, games):
    """Returns the mean points of the policy and of three copies of a bot."""
    env = pacman2.SoloEnv(opponent, seat="random", reward="score", **VIEW)
    points = []
    for seed in range(games):
        observation, info = env.reset(seed=1_000_000 + seed)
        over = False
        while not over:
            masks = info["action_mask"].astype(bool)
            action, _ = model.predict(observation, action_masks=masks)
            observation, _, over, _, info = env.step(action)
        scores = np.array(env.game.scores)
        points.append((scores[env.seat], (scores.sum() - scores[env.seat]) / 3))
    return np.mean(points, axis=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=1_000_000, help="steps of players")
    parser.add_argument("--games", type=int, default=32, help="games side by side")
    parser.add_argument("--measure-games", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    envs = VecMonitor(Pacman2VecEnv(args.games, seed=args.seed, **VIEW))
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        n_steps=64,
        batch_size=512,
        n_epochs=4,
        gamma=0.99,
        gae_lambda=0.9,
        ent_coef=0.01,
        seed=args.seed,
        device="cpu",
    )
    model.learn(args.steps)
    for opponent in ("random", "greedy"):
        own, theirs = measure(model, opponent, args.measure_games)
        print(f"against {opponent}: {own:.1f} points, theirs {theirs:.1f}", flush=True)


if __name__ == "__main__":
    main()
