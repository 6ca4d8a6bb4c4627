"""The PufferLib environment, run by PufferLib's own vectorisation."""

import importlib.util
import os
import sys
from pathlib import Path

import numpy as np
import pytest

import pacman2

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "lab/python"))
import peers  # noqa: E402


@pytest.fixture(scope="module")
def puffer(tmp_path_factory):
    """Gives `pacman2.puffer`, with PufferLib if it is installed, or downloaded now or earlier."""
    must = os.environ.get("PACMAN2_PYTHON") == "must"
    # The download takes longer than all other tests.
    if not must and not peers.has_pufferlib() and not importlib.util.find_spec("pufferlib"):
        pytest.skip("not run: PufferLib is not there; PACMAN2_PYTHON=must downloads it")
    with pytest.MonkeyPatch.context() as patch:
        # Importing PufferLib leaves a link in the current folder. Started processes may import it, too.
        patch.chdir(tmp_path_factory.mktemp("puffer"))
        try:
            if "pufferlib" not in sys.modules:
                sys.path += peers.pufferlib()
            import pufferlib.vector  # noqa: F401
        except (peers.NotBuilt, ImportError) as error:
            if must:
                raise
            pytest.skip(f"not run: PufferLib is not there: {error}")
        import pacman2.puffer

        yield pacman2.puffer


def vec(games, seed, **options):
    """Returns the same games without PufferLib."""
    env = pacman2.VecEnv(games, seed=seed, autoreset_mode="SameStep", copy=True, **options)
    return env


def played(envs, actions):
    """Returns copies of each step's observations, rewards, terminals, truncations and masks."""
    results = []
    for some in actions:
        envs.send(some)
        observations, rewards, terminals, truncations, _, _, masks = envs.recv()
        parts = (observations, rewards, terminals, truncations, masks)
        results.append([np.array(part) for part in parts])
    return results


def draw(steps, rows, seed=5):
    return np.random.default_rng(seed).integers(0, 9, (steps, rows)).astype(np.int32)


def test_native_environment_equals_vec_env(puffer):
    import pufferlib.vector

    actions = draw(150, 12)
    envs = pufferlib.vector.make(puffer.Pacman2, env_kwargs=dict(num_games=3, seed=7, maps=4))
    observations, infos = envs.reset(seed=7)
    assert envs.driver_env is envs and infos == []
    env = vec(3, 7, maps=4)
    first, info = env.reset(seed=7)
    assert np.array_equal(observations, first)
    assert envs.masks.all()
    ends = 0
    for some in actions:
        seen = envs.step(some)
        assert seen[0] is envs.observations and seen[1] is envs.rewards
        results = env.step(some)
        for ours, theirs in zip(seen[:4], results):
            assert np.array_equal(ours, theirs)
        assert np.array_equal(envs.masks, results[4]["alive"])
        ends += envs.terminals[::4].sum()
        assert bool(seen[4]) == envs.terminals.any()
        if seen[4]:
            assert seen[4][0]["n"] == envs.terminals[::4].sum()
            assert 1 <= seen[4][0]["episode_length"] <= 100
    assert ends > 3


@pytest.mark.parametrize("backend", ["Serial", "Multiprocessing"])
def test_backends_play_the_same_games(puffer, backend):
    import pufferlib.vector

    options = dict(num_games=2, maps=4, observation="planes_centred")
    kind = dict(num_workers=2, overwork=True) if backend == "Multiprocessing" else {}
    envs = pufferlib.vector.make(
        puffer.Pacman2, env_kwargs=options, backend=backend, num_envs=2, seed=3, **kind
    )
    try:
        assert envs.num_agents == 16
        assert envs.single_observation_space.shape == (18, 11, 11)
        assert envs.single_action_space.n == 9
        envs.async_reset(3)
        observations = np.array(envs.recv()[0])
        actions = draw(120, 16)
        results = played(envs, actions)
    finally:
        envs.close()
    # Compare each of the two environments with a VecEnv that starts from the same games.
    for part in range(2):
        rows = slice(8 * part, 8 * part + 8)
        env = twin(options, observations[rows])
        for some, seen in zip(actions, results):
            expected = env.step(some[rows])
            for ours, theirs in zip(seen, [*expected[:4], expected[4]["alive"]]):
                assert np.array_equal(ours[rows], theirs)
    assert any(seen[2].any() for seen in results)
    assert any(not seen[4].all() for seen in results)


def twin(options, observations):
    """Returns the same games, found by their first position: PufferLib derives its own seeds."""
    env = vec(options["num_games"], 0, maps=options["maps"], observation=options["observation"])
    for seed in range(16):
        if np.array_equal(env.reset(seed=seed)[0], observations):
            return env
    raise AssertionError("no seed below 16 gives these first positions")


def test_the_mask_follows_the_observation(puffer):
    env = puffer.Pacman2(2, action_mask=True, seed=1, maps=2)
    plain = puffer.Pacman2(2, seed=1, maps=2)
    for some in draw(30, 8):
        env.step(some)
        plain.step(some)
        assert np.array_equal(env.observations[:, :150], plain.observations)
        assert np.array_equal(env.observations[:, 150:], plain.engine.arrays["action_mask"])
    assert not plain.masks.all(), "no player died, so the masks of dead players were not tested"
    dead = env.observations[~env.masks, 150:]
    assert (dead == [1] + [0] * 8).all()


def test_action_mask_requires_a_compact_observation(puffer):
    with pytest.raises(ValueError, match="observation: expected .* with action_mask=True, got 'planes'"):
        puffer.Pacman2(1, observation="planes", action_mask=True)


def test_render_is_a_text_picture(puffer):
    assert puffer.Pacman2(1, seed=3).render() == str(pacman2.VecEnv(1, seed=3).game(0))
