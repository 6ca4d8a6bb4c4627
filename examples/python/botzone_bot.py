"""A bot for Botzone's Pacman2 that tries its actions in the engine before it chooses one.

    pacman2 play --trust "python3 botzone_bot.py" "python3 botzone_bot.py" greedy greedy random

It tracks the game in a `pacman2.Game`, looks one turn ahead, and takes the action with the best
average over random actions of the others. Without the package it always stays. A sandbox hides your
home directory; if the package is installed there, run the bot outside the sandbox with `--trust`.
"""

import json
import random
import sys

try:
    import numpy as np
    import pacman2
except ImportError:
    pacman2 = None

STAY = 0
GUESSES = 20  # number of random draws of the others' actions


def played_along(game, turn):
    """Plays the actions of one turn. `None` is a missing action, which kills a living player."""
    asked = [turn[str(seat)] for seat in range(4)]
    actions = [None if one is None else one.get("action") for one in asked]
    game.step([number + 1 if number in range(-1, 8) else None for number in actions])


def steps_to_fruit(game, seat):
    """Returns the steps from a player to the nearest fruit, or to where fruit will spawn."""
    fruits = game.small_fruits | game.large_fruits
    if not fruits.any():
        near = [(row, col) for row in (-1, 0, 1) for col in (-1, 0, 1)]
        fruits = np.any([np.roll(game.generators, by, (0, 1)) for by in near], axis=0)
        fruits &= ~game.generators
    walls = game.walls
    border, reached, steps = [game.cells[seat]], {game.cells[seat]}, 0
    while border and not any(fruits[cell] for cell in border):
        beyond = set()
        for row, col in border:
            for bit, (down, right) in enumerate([(-1, 0), (0, 1), (1, 0), (0, -1)]):
                if not walls[row, col] >> bit & 1:
                    beyond.add(((row + down) % game.height, (col + right) % game.width))
        border = list(beyond - reached)
        reached |= beyond
        steps += 1
    return steps


def worth(game, seat):
    """Evaluates a position for a player: its score if the game ended now, and nearby fruit."""
    if game.is_over or not game.alive[seat]:
        return game.scores[seat]
    return game.scores[seat] - 0.1 * steps_to_fruit(game, seat)


def decide(game, seat):
    """Returns the action with the best average value, using `step` and `undo`."""
    legal = [game.legal_actions(other) or [STAY] for other in range(4)]
    guesses = [[random.choice(actions) for actions in legal] for _ in range(GUESSES)]

    def mean_worth(action):
        total = 0
        for guess in guesses:
            guess[seat] = action
            game.step(guess)
            total += worth(game, seat)
            game.undo()
        return total / GUESSES

    return max(legal[seat], key=mean_worth)


def main(decide=decide):
    """Speaks Botzone's protocol with Python's standard streams; ``decide`` chooses the actions."""
    game, seat = None, None
    for line in sys.stdin:
        if not line.strip():
            continue
        message = json.loads(line)
        if pacman2 is None:
            action, debug = STAY, "the package pacman2 is not installed"
        else:
            if "requests" in message:  # first message: the game so far
                first, *turns = message["requests"]
                game, seat = pacman2.Game(init_data=first), first["id"]
            else:  # kept running: only the last turn
                turns = [message]
            for turn in turns:
                played_along(game, turn)
            action, debug = decide(game, seat), f"strengths {game.strength}"
        # Botzone counts actions from -1, the package from 0.
        print(json.dumps({"response": {"action": action - 1}, "debug": debug}))
        print(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<", flush=True)


if __name__ == "__main__":
    main()
