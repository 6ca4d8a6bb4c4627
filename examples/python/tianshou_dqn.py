"""Masked DQN with Tianshou 2: one network plays all four players of many games.

    pip install "pacman2[tianshou]"
    python tianshou_dqn.py --rounds 50
"""

import argparse

import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.utils.torch_utils import policy_within_training_step
from torch import nn

from pacman2.tianshou import Pacman2VectorEnv


class Net(nn.Module):
    """Maps views of `float32` to the value of each action."""

    def __init__(self, inputs, width=256):
        super().__init__()
        self.layers = nn.Sequential(
            *(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()),
            nn.Linear(width, 9),
        )

    def forward(self, obs, state=None, info=None):
        return self.layers(torch.as_tensor(obs)), state


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--games", type=int, default=16, help="games side by side")
    parser.add_argument("--turns", type=int, default=100, help="turns per game and round")
    parser.add_argument("--updates", type=int, default=50, help="updates per round")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    view = dict(observation="compact_centred", dtype="float32")
    envs = Pacman2VectorEnv(args.games, seed=args.seed, **view)
    policy = DiscreteQLearningPolicy(
        model=Net(*envs.observation_space[0].shape),
        action_space=envs.action_space[0],
        eps_training=1.0,
    )
    algorithm = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=3e-4),
        gamma=0.97,
        n_step_return_horizon=3,
        target_update_freq=200,
    )
    collector = Collector(algorithm, envs, VectorReplayBuffer(200_000, len(envs)))
    collector.reset()
    turns = 0
    for number in range(1, args.rounds + 1):
        with policy_within_training_step(policy):
            policy.set_eps_training(max(0.05, 1 - number / 20))
            played = collector.collect(n_step=args.turns * len(envs))
            losses = [
                algorithm.update(buffer=collector.buffer, sample_size=256).loss
                for _ in range(args.updates)
            ]
        turns += played.n_collected_steps // 4
        print(f"round {number}: {turns} turns, loss {np.mean(losses):.4f}", flush=True)


if __name__ == "__main__":
    main()
