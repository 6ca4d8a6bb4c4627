"""The environment for PufferLib, in PufferLib's own vectorisation."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

import pacman2

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benches"))
import peers  # noqa: E402


@pytest.fixture(scope="module")
def puffer(tmp_path_factory):
    """`pacman2.puffer` beside an installed PufferLib, or beside one from its source."""
    here = Path.cwd()
    try:
        if "pufferlib" not in sys.modules:
            sys.path += peers.pufferlib()
        # Importing it leaves a link in the current folder.
        os.chdir(tmp_path_factory.mktemp("puffer"))
        import pufferlib.vector  # noqa: F401
    except (peers.NotBuilt, ImportError) as error:
        if os.environ.get("PACMAN2_PYTHON") == "must":
            raise
        pytest.skip(f"not run: PufferLib is not there: {error}")
    finally:
        os.chdir(here)
    import pacman2.puffer

    return pacman2.puffer


def vec(games, seed, **options):
    """The same games without PufferLib."""
    env = pacman2.VecEnv(games, seed=seed, autoreset_mode="SameStep", copy=True, **options)
    return env


def played(envs, actions):
    """What each step told, copied: observations, rewards, terminals, truncations, masks."""
    told = []
    for some in actions:
        envs.send(some)
        observations, rewards, terminals, truncations, _, _, masks = envs.recv()
        parts = (observations, rewards, terminals, truncations, masks)
        told.append([np.array(part) for part in parts])
    return told


def draw(steps, rows, seed=5):
    return np.random.default_rng(seed).integers(0, 9, (steps, rows)).astype(np.int32)


def test_native_is_the_vec_env(puffer):
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
        told = env.step(some)
        for ours, theirs in zip(seen[:4], told):
            assert np.array_equal(ours, theirs)
        assert np.array_equal(envs.masks, told[4]["alive"])
        ends += envs.terminals[::4].sum()
        assert bool(seen[4]) == envs.terminals.any()
        if seen[4]:
            assert seen[4][0]["n"] == envs.terminals[::4].sum()
            assert 1 <= seen[4][0]["episode_length"] <= 100
    assert ends > 3


@pytest.mark.parametrize("backend", ["Serial", "Multiprocessing"])
def test_backends_play_the_same_games(puffer, backend):
    import pufferlib.vector

    options = dict(num_games=2, maps=4, observation="compact_centred")
    kind = dict(num_workers=2, overwork=True) if backend == "Multiprocessing" else {}
    envs = pufferlib.vector.make(
        puffer.Pacman2, env_kwargs=options, backend=backend, num_envs=2, seed=3, **kind
    )
    try:
        assert envs.num_agents == 16
        assert envs.single_observation_space.shape == (150,)
        assert envs.single_action_space.n == 9
        envs.async_reset(3)
        observations = np.array(envs.recv()[0])
        actions = draw(120, 16)
        told = played(envs, actions)
    finally:
        envs.close()
    # What each of the two environments should have told, from a copy that saw the same first game.
    for part in range(2):
        rows = slice(8 * part, 8 * part + 8)
        env = twin(options, observations[rows])
        for some, seen in zip(actions, told):
            expected = env.step(some[rows])
            for ours, theirs in zip(seen, [*expected[:4], expected[4]["alive"]]):
                assert np.array_equal(ours[rows], theirs)
    assert any(seen[2].any() for seen in told)
    assert any(not seen[4].all() for seen in told)


def twin(options, observations):
    """The games, found by their first position: PufferLib has its own ways with seeds."""
    env = vec(options["num_games"], 0, maps=options["maps"], observation=options["observation"])
    for seed in range(16):
        if np.array_equal(env.reset(seed=seed)[0], observations):
            return env
    raise AssertionError("no seed below 16 gives these first positions")


def test_the_mask_behind_the_observation(puffer):
    env = puffer.Pacman2(2, action_mask=True, seed=1, maps=2)
    plain = puffer.Pacman2(2, seed=1, maps=2)
    for some in draw(30, 8):
        env.step(some)
        plain.step(some)
        assert np.array_equal(env.observations[:, :150], plain.observations)
        assert np.array_equal(env.observations[:, 150:], plain.engine.arrays["action_mask"])
    assert not plain.masks.all(), "nobody has died, so nothing was seen of the dead's masks"
    dead = env.observations[~env.masks, 150:]
    assert (dead == [1] + [0] * 8).all()


def test_planes_have_no_place_for_a_mask(puffer):
    with pytest.raises(ValueError, match='action_mask .* "planes" is none'):
        puffer.Pacman2(1, observation="planes", action_mask=True)


def test_render_is_a_picture(puffer):
    assert puffer.Pacman2(1, seed=3).render() == str(pacman2.VecEnv(1, seed=3).game(0))
