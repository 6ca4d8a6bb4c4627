"""What type checkers accept and what they reject. `test_types.py` runs them over this file, Python never does.

They have to report each line that ends with `# wrong`, and no other.
"""

import numpy as np
from gymnasium.vector import AutoresetMode

import pacman2
from pacman2.typing import Reward, View

view: View = "planes"
reward: Reward = "zero_sum"
settings = {"turns": 50}

pacman2.Game(1, size=(6, 7), ruling="judge", turns=np.int64(9))
pacman2.Game(1, ruling="jugde")  # wrong
pacman2.Game(1, turn=9)  # wrong
pacman2.Game(1).observe("planes", 0)
pacman2.Game(1).observe("plane", 0)  # wrong
pacman2.Game(1).render("html")
pacman2.Game(1).render("human")  # wrong

pacman2.VecEnv(2, observation=view, reward=reward, autoreset_mode="SameStep", maps=[1, {"seed": 2}])
pacman2.VecEnv(2, autoreset_mode=AutoresetMode.DISABLED, maps="fresh")
pacman2.VecEnv(2, observation="pixels")  # wrong
pacman2.VecEnv(2, reward="zero-sum")  # wrong
pacman2.VecEnv(2, autoreset_mode="same_step")  # wrong
pacman2.VecEngine(2, 1, autoreset_mode="NextStep")
pacman2.VecEngine(2, 1, reward="scores")  # wrong

pacman2.SoloEnv("greedy", seat="random", render_mode="ansi", turns=30)
pacman2.SoloEnv("greedy", seat="any")  # wrong
pacman2.SoloEnv("greedy", render_mode="text")  # wrong
pacman2.SoloEnv("greedy", turn=30)  # wrong

pacman2.parallel_env(observation=view, reward=reward, action_mask="info", size=6, black_death=True)
pacman2.parallel_env(reward="zerosum")  # wrong
pacman2.parallel_env(action_mask="infos")  # wrong
pacman2.parallel_env(blackdeath=True)  # wrong
pacman2.env(observation="compact", init_data={"seed": 1})
pacman2.env(observation="compacts")  # wrong
