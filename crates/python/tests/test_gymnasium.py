"""The environments as Gymnasium creates, renders and records them."""

import subprocess
import sys

import numpy as np
import pacman2
import pytest
from conftest import need

gymnasium = pytest.importorskip("gymnasium")

SOLO, SELF_PLAY = "pacman2:Pacman2-v0", "pacman2:Pacman2SelfPlay-v0"
FIRST = ["import pacman2, gymnasium", "import gymnasium", "import pacman2.solo, gymnasium"]


@pytest.mark.parametrize("imports", FIRST)
def test_environments_are_registered_in_every_order_of_imports(imports):
    code = f"{imports}\nprint(gymnasium.make('{SOLO}').unwrapped, gymnasium.make_vec('{SELF_PLAY}', 8))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout.split() == [
        "<SoloEnv<Pacman2-v0>>",
        "VecEnv(Pacman2SelfPlay-v0,",
        "num_envs=8)",
    ], ran.stderr


def test_make_vec_creates_the_vector_environment():
    made = gymnasium.make_vec(SELF_PLAY, num_envs=12, seed=3, observation="planes", maps=2)
    env = pacman2.VecEnv(3, seed=3, observation="planes", maps=2)
    assert isinstance(made, pacman2.VecEnv) and made.num_envs == 12
    np.testing.assert_array_equal(made.reset()[0], env.reset()[0])
    for _ in range(20):
        actions = env.random_actions()
        for ours, theirs in zip(made.step(actions)[:4], env.step(actions)[:4]):
            np.testing.assert_array_equal(ours, theirs)
    explicit = gymnasium.make_vec(SELF_PLAY, 4, vectorization_mode="vector_entry_point")
    assert explicit.num_games == 1
    for number in (1, 6):
        with pytest.raises(ValueError, match=f"a multiple of 4, .*, got {number}"):
            gymnasium.make_vec(SELF_PLAY, number)


@pytest.mark.parametrize("mode", [None, "vector_entry_point", "sync"])
def test_make_vec_creates_games_against_opponents(mode):
    options = dict(opponents="random", seat=2, observation="features", reward="rank", turns=9)
    envs = gymnasium.make_vec(SOLO, num_envs=3, vectorization_mode=mode, **options)
    observations, infos = envs.reset(seed=1)
    assert observations.shape == (3, 128) and infos["action_mask"].shape == (3, 9)
    assert isinstance(envs, pacman2.VecEnv) == (mode != "sync")
    over = np.zeros(3, bool)
    while not over.all():
        legal = [mask.nonzero()[0][0] for mask in infos["action_mask"]]
        observations, rewards, terminations, _, infos = envs.step(np.array(legal))
        assert (rewards[terminations] >= 1).all()
        over |= terminations


def test_make_vec_plays_on_one_map():
    game = pacman2.Game(4, size=(6, 8), turns=7)
    envs = gymnasium.make_vec(SOLO, num_envs=2, init_data=game.init_data(), seed=1)
    assert [envs.game(index) for index in range(2)] == [game] * 2
    with pytest.raises(ValueError, match='unknown built-in bot "nobody"'):
        gymnasium.make_vec(SOLO, num_envs=2, opponents="nobody")


def test_render_modes():
    env = pacman2.VecEnv(3, seed=1)
    assert env.render() is None
    env = pacman2.VecEnv(3, seed=1, render_mode="ansi")
    assert env.render() == env.game(0).render("ansi")
    env = pacman2.VecEnv(3, seed=1, render_mode="html")
    assert env.render() == env.game(0).render("html")
    assert set(env.metadata["render_modes"]) == {"human", "ansi", "rgb_array", "html"}
    with pytest.raises(ValueError, match="render_mode: expected .*, got 'svg'"):
        pacman2.VecEnv(1, render_mode="svg")


def test_human_mode_prints_the_first_game(capsys):
    env = pacman2.VecEnv(2, seed=1, render_mode="human")
    assert env.render() is None
    assert capsys.readouterr().out == env.game(0).render("ansi") + "\n"


def test_pictures_of_all_rows_have_one_size():
    maps = [pacman2.Game(1, size=size).init_data() for size in ((6, 6), (11, 11), (8, 10))]
    env = pacman2.VecEnv(6, seed=1, maps=maps, render_mode="rgb_array")
    env.reset()
    frames = env.render()
    assert len(frames) == env.num_envs == 24
    sizes = set()
    for row in range(0, 24, 4):
        picture = env.game(row // 4).render("rgb_array")
        height, width, _ = picture.shape
        sizes.add((height, width))
        top, left = (frames[row].shape[0] - height) // 2, (frames[row].shape[1] - width) // 2
        np.testing.assert_array_equal(
            frames[row][top : top + height, left : left + width], picture
        )
        assert all(frames[row] is frames[row + seat] for seat in range(4))
    assert len(sizes) > 1, "all games have the same maze"
    assert np.array(frames).shape == (24, *frames[0].shape)
    assert len(frames[4:12]) == 8 and frames[-1] is frames[20]
    with pytest.raises(IndexError):
        frames[24]


def test_pictures_show_the_positions_when_render_was_called():
    env = pacman2.VecEnv(1, seed=1, render_mode="rgb_array")
    env.reset()
    before, frames = env.render()[0], env.render()
    for _ in range(5):
        env.step(env.random_actions())
    np.testing.assert_array_equal(frames[0], before)
    assert not np.array_equal(env.render()[0], before)


@pytest.mark.parametrize("first_only", [True, False])
def test_record_video(tmp_path, first_only, monkeypatch):
    need("moviepy")
    from gymnasium.wrappers.vector import RecordVideo

    env = gymnasium.make_vec(SELF_PLAY, 8, seed=2, turns=4, render_mode="rgb_array")
    video = RecordVideo(
        env, str(tmp_path), record_first_only=first_only, episode_trigger=lambda _: True
    )
    shown = []
    stop = video.stop_recording

    def stop_recording():
        shown.append(list(video.recorded_frames))
        stop()

    monkeypatch.setattr(video, "stop_recording", stop_recording)
    video.reset()
    expected = [env.game(0)]
    for _ in range(20):
        video.step(env.random_actions())
        expected.append(env.game(0))
        if env.game(0).is_over:
            break
    video.step(env.random_actions())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rl-video-episode-0.mp4"]
    assert len(shown[0]) == len(expected)
    height, width, _ = env.render()[0].shape
    for frame, game in zip(shown[0], expected):
        picture = game.render("rgb_array")
        assert frame.shape[:2] == (height, width) if first_only else frame.shape[0] > height
        top, left = (height - picture.shape[0]) // 2, (width - picture.shape[1]) // 2
        np.testing.assert_array_equal(
            frame[top : top + picture.shape[0], left : left + picture.shape[1]], picture
        )
    video.close()


def test_render_mode_survives_pickling():
    import pickle

    env = pickle.loads(pickle.dumps(pacman2.VecEnv(1, seed=1, render_mode="ansi")))
    assert env.render() == env.game(0).render("ansi")
