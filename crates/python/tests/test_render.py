"""Pictures of games: SVG, pixels, text and the viewer's page."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable

import numpy as np
import pacman2
import pytest

Played = Callable[..., pacman2.Game]

SEATS = [(0x00, 0x72, 0xB2), (0xC2, 0x48, 0x0A), (0x00, 0x79, 0x5A), (0xA3, 0x40, 0x8A)]
CELL = 40
MARGIN = 10


def shot() -> pacman2.Game:
    """Returns a game in whose last turn one player shoots and another dies."""
    game = pacman2.Game(7, skill_cost=0)
    walled = next(action for action in range(1, 5) if action not in game.legal_actions(2))
    game.step([5, 0, walled, 0])
    return game


def test_svg_shows_all_players_and_has_a_label(played: Played) -> None:
    for game in (
        pacman2.Game(7),
        played(turns=50),
        played(turns=200),
        shot(),
        pacman2.Game(1, size=6),
    ):
        root = ElementTree.fromstring(game._repr_svg_())
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        strength = ", ".join(map(str, game.strength))
        assert root.get("aria-label") == f"Pacman2 after turn {game.turn}; strength {strength}"
        paths = root.findall("{http://www.w3.org/2000/svg}path")
        assert len(paths) == len(root) > 15
        for path in paths:
            assert re.fullmatch(r"(M[-\d. ]+|L[-\d. ]+|C[-\d. ]+|Z)+", path.get("d", ""))
        for red, green, blue in SEATS:
            assert any(
                f"#{red:02x}{green:02x}{blue:02x}" in (path.get("fill"), path.get("stroke"))
                for path in paths
            )


def test_rgb_array(played: Played) -> None:
    game = played()
    dots = game.render("rgb_array")
    assert dots.dtype == np.uint8 and dots.ndim == 3 and dots.shape[2] == 3
    assert dots.shape[0] == game.height * CELL + 2 * MARGIN
    assert (dots == played().render("rgb_array")).all()
    game.undo()
    assert (dots != game.render("rgb_array")).any()


def test_rgb_array_shows_players_and_walls() -> None:
    game = pacman2.Game(7)
    dots = game.render("rgb_array")
    for seat, (row, col) in enumerate(game.cells):
        # A pixel beside the number on the player.
        assert tuple(dots[MARGIN + row * CELL + 21, MARGIN + col * CELL + 14]) == SEATS[seat], seat
    for row, col in np.ndindex(game.walls.shape):
        wall = bool(game.walls[row, col] & 2)
        dot = tuple(dots[MARGIN + row * CELL + 20, MARGIN + (col + 1) * CELL - 1])
        assert (dot == (0x2C, 0x51, 0x46)) == wall, (row, col)


def test_a_light_is_visible_only_in_its_turn() -> None:
    game = shot()
    lit = game.render("rgb_array")
    game.step([0, 0, 0, 0])
    assert (
        lit[: game.height * CELL, : game.width * CELL]
        != game.render("rgb_array")[: game.height * CELL, : game.width * CELL]
    ).any()


def test_coloured_text(played: Played) -> None:
    game = played()
    text = game.render("ansi")
    assert "\x1b[" in text
    plain = re.sub(r"\x1b\[\d+m", "", text)
    field = [line for line in str(game).splitlines() if line[:1] in "+| <>"]
    assert plain.splitlines()[1 : len(field) + 1] == field
    for seat, strength in enumerate(game.strength):
        assert f"{seat}: {strength}" in plain
    assert "2: 0 dead" in re.sub(r"\x1b\[\d+m", "", shot().render("ansi"))


def test_the_replay_contains_the_game(played: Played) -> None:
    game = played(turns=200)
    replay = json.loads(game.replay(["甲", "b", "c", "d"]))
    public = replay["public"]
    assert [seat["name"] for seat in public["seats"]] == ["甲", "b", "c", "d"]
    assert public["init"] == game.init_data()
    assert public["scores"] == list(game.scores)
    assert len(public["turns"]) == game.turn
    assert public["turns"][-1]["position"] == f"{game.fingerprint():016x}"
    assert json.loads(shot().replay())["public"]["scores"] is None


def test_the_page_contains_the_replay(played: Played) -> None:
    for game in (pacman2.Game(7), played(), shot()):
        page = game.render("html")
        assert page.startswith("<!doctype html>")
        data = page.split('id="replay-data">')[1].split("</script>")[0]
        assert json.loads(data) == json.loads(game.replay())


def test_the_page_opens_in_a_browser(played: Played, tmp_path: pathlib.Path) -> None:
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    browser = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if browser is None:
        assert os.environ.get("PACMAN2_BROWSER") != "must", "Chromium is not installed"
        pytest.skip("Chromium is not installed")
    page = tmp_path / "game.html"
    page.write_text(played(turns=17).render("html"), encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile"]
    options += ["--virtual-time-budget=20000", "--dump-dom", page.as_uri()]
    home = {**os.environ, "HOME": str(tmp_path), "LANG": "en"}
    # Virtual time does not wait for the compilation of the page's engine, which takes longer on a busy machine.
    for _ in range(5):
        ran = subprocess.run(
            [browser, *options], capture_output=True, text=True, timeout=120, env=home, check=True
        )
        is_ready = re.search(r"Turn \d+ of 17|第 ?\d+.*17", ran.stdout)
        if is_ready:
            break
    assert is_ready, ran.stderr
    assert "player_3" in ran.stdout
