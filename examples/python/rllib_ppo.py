"""Masked PPO in self-play with RLlib's new API stack: one policy plays all four players.

    pip install "pacman2[rllib]"
    python rllib_ppo.py run --iterations 100 --num-env-runners 2 --arena-every 25

`run` is a folder for everything: checkpoints, nets, and an arena. A run that was stopped continues with
the same command from its last checkpoint. With `--arena-every`, the net plays rated games against
built-in bots and its earlier versions; `rllib_bot.py` plays it there, without Ray. `--address`
learns on a cluster, whose nodes play in the environment runners.

RLlib plays one game at a time in each of its environments; for speed, see `ppo.py`.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from pacman2.rllib import Pacman2Env

JUDGES = ["random", "greedy", "hunter"]


def algorithm_of(args):
    module = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule,
        model_config=DefaultModelConfig(fcnet_hiddens=[128, 128], vf_share_layers=True),
    )
    config = (
        PPOConfig()
        .environment(Pacman2Env, env_config={"observation": "compact"})
        .env_runners(num_env_runners=args.num_env_runners)
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
    return config.build_algo()


def checkpoints(folder):
    """Returns the complete checkpoints, the newest one last. Their names end with the iteration."""
    found = (folder / "checkpoints").glob("iteration-[0-9]*")
    return sorted((path for path in found if path.name[10:].isdigit()), key=lambda path: int(path.name[10:]))


def save(algorithm, folder, iteration):
    """Writes a checkpoint completely or not at all, and removes the one before the last."""
    place = folder / "checkpoints" / f"iteration-{iteration}"
    unfinished = place.with_name(f"unfinished-{os.getpid()}")
    algorithm.save_to_path(unfinished.resolve())
    unfinished.rename(place)
    for old in checkpoints(folder)[:-2]:
        old.rename(unfinished)
        subprocess.run(["rm", "-r", str(unfinished)], check=True)


def save_for_bot(algorithm, path):
    """Writes the layers of the policy, for `rllib_bot.py`."""
    state = algorithm.get_module("player").get_state()
    layers = [name for name in state if name.startswith(("encoder.encoder.", "pi.")) and name.endswith(".weight")]
    weights = {}
    for number, name in enumerate(layers):
        weights[f"{number}.weight"] = state[name]
        weights[f"{number}.bias"] = state[name.removesuffix("weight") + "bias"]
    np.savez(path, **weights)


def play_in_arena(folder, net):
    """Adds the net to the arena as the next version of "net", plays rated games, and shows the table."""
    arena = folder / "arena"
    program = [sys.executable, "-m", "pacman2", "arena", "--arena", str(arena)]

    def call(*arguments):
        subprocess.run([*program, *arguments], check=True)

    if not arena.exists():
        call("init")
        call("add", *JUDGES)
    bot = f'"{sys.executable}" "{Path(__file__).resolve().with_name("rllib_bot.py")}" "{net.resolve()}"'
    version = net.stem.removeprefix("net-")
    call("add", bot, "--name", "net", "--version", version, "--trust", bot)
    call("run", "--schedule", "gauntlet", "--bot", "net", "--maps", "4", "--trust", f"net@{version}")
    call("table", "--all")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=Path("rllib-run"))
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--turns", type=int, default=2000, help="turns per iteration")
    parser.add_argument("--num-env-runners", type=int, default=0, help="processes that play besides")
    parser.add_argument("--checkpoint-every", type=int, default=10, metavar="N", help="iterations")
    parser.add_argument("--arena-every", type=int, default=0, metavar="N", help="iterations; 0 is never")
    parser.add_argument("--address", help="address of a Ray cluster; default: this machine alone")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    (args.folder / "checkpoints").mkdir(parents=True, exist_ok=True)
    if args.address:
        ray.init(address=args.address)
    else:
        ray.init(address="local", include_dashboard=False)
    algorithm = algorithm_of(args)
    first = 1
    if kept := checkpoints(args.folder):
        algorithm.restore_from_path(kept[-1].resolve())
        first = int(kept[-1].name[10:]) + 1
        print(f"continues after iteration {first - 1}", flush=True)
    for iteration in range(first, args.iterations + 1):
        result = algorithm.train()
        played = result["env_runners"]
        learnt = result["learners"]["player"]
        print(
            f"iteration {iteration}: {played['num_env_steps_sampled']} turns, "
            f"{played['episode_len_mean']:.0f} per game, entropy {learnt['entropy']:.2f}",
            flush=True,
        )
        if iteration % args.checkpoint_every == 0 or iteration == args.iterations:
            save(algorithm, args.folder, iteration)
            save_for_bot(algorithm, args.folder / "net.npz")
        if args.arena_every and iteration % args.arena_every == 0:
            net = args.folder / f"net-{iteration}.npz"
            save_for_bot(algorithm, net)
            play_in_arena(args.folder, net)
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
