"""Masked PPO with RLlib's new API stack: one policy plays all four players.

    pip install "pacman2[rllib]" torch
    python rllib_ppo.py --iterations 20

RLlib plays one game at a time in each of its environments; for speed, see `ppo.py`.
"""

import argparse

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from pacman2.rllib import Pacman2Env


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--turns", type=int, default=2000, help="turns per iteration")
    parser.add_argument("--runners", type=int, default=0, help="processes that play besides")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    module = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule,
        model_config=DefaultModelConfig(fcnet_hiddens=[128, 128], vf_share_layers=True),
    )
    config = (
        PPOConfig()
        .environment(Pacman2Env, env_config={"observation": "compact_centred"})
        .env_runners(num_env_runners=args.runners)
        .multi_agent(policies={"player"}, policy_mapping_fn=lambda agent, *_, **__: "player")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"player": module}))
        .training(
            train_batch_size_per_learner=args.turns,
            minibatch_size=min(256, args.turns),
            num_epochs=4,
            lr=3e-4,
            gamma=0.99,
            lambda_=0.9,
            entropy_coeff=0.01,
        )
        .debugging(seed=args.seed)
    )
    ray.init(include_dashboard=False)
    algorithm = config.build_algo()
    for iteration in range(1, args.iterations + 1):
        result = algorithm.train()
        played = result["env_runners"]
        learnt = result["learners"]["player"]
        print(
            f"iteration {iteration}: {played['num_env_steps_sampled']} turns, "
            f"{played['episode_len_mean']:.0f} per game, entropy {learnt['entropy']:.2f}",
            flush=True,
        )
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
