"""The default nets of frameworks learn from observations without a wrapper in between."""

import importlib
from typing import Any

import pacman2
import pytest
from conftest import need

#: What a net of float weights can read at once.
FLAT: list[dict[str, Any]] = [
    {"dtype": "float32"},
    {"observation": "compact", "dtype": "float32", "history": 1},
    {"observation": "features"},
]


@pytest.mark.parametrize(
    ("policy", "options"),
    [
        *(("MlpPolicy", options) for options in FLAT),
        ("MlpPolicy", {}),
        ("CnnPolicy", {"observation": "planes_centred", "window": 37}),
    ],
    ids=str,
)
def test_sb3(policy: str, options: dict[str, Any]) -> None:
    need("stable_baselines3", "torch")
    sb3 = importlib.import_module("stable_baselines3")
    env = pacman2.SoloEnv("random", **options)
    algorithm = sb3.PPO(policy, env, n_steps=16, batch_size=16, n_epochs=1, device="cpu")
    algorithm.learn(32)
    action, _ = algorithm.predict(env.reset(seed=1)[0])
    assert env.action_space.contains(action)


@pytest.mark.parametrize(
    "options", [*FLAT, {"observation": "planes_centred", "dtype": "float32"}], ids=str
)
def test_torchrl(options: dict[str, Any]) -> None:
    need("torchrl", "torch")
    envs = importlib.import_module("torchrl.envs")
    nets = importlib.import_module("torchrl.modules")
    rollout = envs.GymWrapper(pacman2.SoloEnv("random", **options)).rollout(3)
    seen = rollout["observation"]
    if seen.ndim == 4:
        # No padding: the window has what is around the player.
        net = nets.ConvNet(in_features=18, num_cells=[8, 8], kernel_sizes=3, paddings=0)
    else:
        net = nets.MLP(in_features=seen.shape[-1], out_features=9, num_cells=[16])
    assert net(seen).isfinite().all()


@pytest.mark.parametrize("options", FLAT, ids=str)
@pytest.mark.xdist_group("ray")
def test_rllib(options: dict[str, Any]) -> None:
    need("ray.rllib", "torch")
    registry = importlib.import_module("ray.tune.registry")
    registry.register_env("pacman2-solo", lambda config: pacman2.SoloEnv("random", **config))
    learn_once("pacman2-solo", options)


@pytest.mark.parametrize("options", FLAT, ids=str)
@pytest.mark.xdist_group("ray")
def test_rllib_with_masks(options: dict[str, Any]) -> None:
    need("ray.rllib", "torch")
    models = importlib.import_module("ray.rllib.core.rl_module.default_model_config")
    modules = importlib.import_module("ray.rllib.core.rl_module.rl_module")
    masking = importlib.import_module("ray.rllib.examples.rl_modules.classes.action_masking_rlm")
    shared = models.DefaultModelConfig(vf_share_layers=True)
    module = modules.RLModuleSpec(module_class=masking.ActionMaskingTorchRLModule, model_config=shared)
    learn_once(importlib.import_module("pacman2.rllib").Pacman2Env, options, module)


def learn_once(env: Any, options: dict[str, Any], module: Any = None) -> None:
    """Learns from 32 turns with RLlib's default net, or the given one for all players."""
    ppo = importlib.import_module("ray.rllib.algorithms.ppo")
    config = ppo.PPOConfig().environment(env, env_config=options)
    config = config.env_runners(num_env_runners=0, rollout_fragment_length=32)
    config = config.training(train_batch_size_per_learner=32, minibatch_size=32, num_epochs=1)
    if module is not None:
        multi = importlib.import_module("ray.rllib.core.rl_module.multi_rl_module")
        config = config.multi_agent(policies={"player"}, policy_mapping_fn=lambda agent, *_, **__: "player")
        config = config.rl_module(rl_module_spec=multi.MultiRLModuleSpec(rl_module_specs={"player": module}))
    algorithm = config.build_algo()
    try:
        assert algorithm.train()["training_iteration"] == 1
    finally:
        algorithm.stop()
