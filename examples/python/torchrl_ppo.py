"""Masked PPO in TorchRL: one policy for all four players of many games.

    pip install "pacman2[examples]"
    python torchrl_ppo.py --updates 50
"""

import argparse

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.data import LazyTensorStorage, ReplayBuffer, SamplerWithoutReplacement
from torchrl.envs import RewardSum, TransformedEnv
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss, ValueEstimators

from pacman2.torchrl import Pacman2Env

SEEN = ("player", "observation")
MASK = ("player", "action_mask")
ACTION = ("player", "action")
REWARD = ("player", "reward")
TOTAL = ("player", "episode_reward")
ADVANTAGE = ("player", "advantage")


def make_env(games, seed):
    """Sums the rewards of each game besides. Dead players stay until their game ends."""
    env = Pacman2Env(games, observation="planes_centred", dtype="float32", seed=seed)
    return TransformedEnv(env, RewardSum(in_keys=[REWARD], out_keys=[TOTAL]))


def net(outputs, width=256):
    """Two hidden layers; the views of `float32` are already scaled."""
    return nn.Sequential(
        *(nn.Flatten(-3), nn.LazyLinear(width), nn.Tanh(), nn.Linear(width, width), nn.Tanh()),
        nn.Linear(width, outputs),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--updates", type=int, default=50)
    parser.add_argument("--games", type=int, default=16, help="games side by side")
    parser.add_argument("--turns", type=int, default=100, help="turns per game and update")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    env = make_env(args.games, args.seed)
    logits = TensorDictModule(net(9), in_keys=[SEEN], out_keys=[("player", "logits")])
    actor = ProbabilisticActor(
        logits,
        in_keys={"logits": ("player", "logits"), "mask": MASK},
        out_keys=[ACTION],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=("player", "log_prob"),
    )
    critic = ValueOperator(net(1), in_keys=[SEEN], out_keys=[("player", "state_value")])
    critic(actor(env.reset()))  # the layers learn the size of their inputs
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01)
    loss.set_keys(
        reward=REWARD,
        action=ACTION,
        sample_log_prob=("player", "log_prob"),
        value=("player", "state_value"),
        advantage=ADVANTAGE,
        value_target=("player", "value_target"),
        done=("player", "done"),
        terminated=("player", "terminated"),
    )
    loss.make_value_estimator(ValueEstimators.GAE, gamma=0.99, lmbda=0.9)
    optimiser = torch.optim.Adam(loss.parameters(), lr=3e-4)
    buffer = ReplayBuffer(
        storage=LazyTensorStorage(args.games * args.turns),
        sampler=SamplerWithoutReplacement(),
        batch_size=min(250, args.games * args.turns),
    )
    for update in range(1, args.updates + 1):
        with torch.no_grad():
            played = env.rollout(args.turns, actor, break_when_any_done=False)
            loss.value_estimator(played)
            advantage = played[ADVANTAGE]
            played[ADVANTAGE] = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        buffer.empty()
        buffer.extend(played.reshape(-1))
        for _ in range(args.epochs):
            for batch in buffer:
                losses = loss(batch)
                total = sum(losses[name] for name in losses.keys() if name.startswith("loss_"))
                optimiser.zero_grad()
                total.backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 1.0)
                optimiser.step()
        ended = played["next", "done"].squeeze(-1)
        best = played["next"][TOTAL][ended].amax(1)
        mean = f"{best.mean():.2f}" if len(best) else "none ended"
        turns = update * args.games * args.turns
        print(f"update {update}: {turns} turns, best reward of a game: {mean}", flush=True)


if __name__ == "__main__":
    main()
