"""A TorchRL environment of many games, without conversions through dicts of Python.

    from pacman2.torchrl import Pacman2Env

    env = Pacman2Env(64, observation="planes_centred", seed=1)
    played = env.rollout(200, break_when_any_done=False)
"""

from __future__ import annotations

from typing import Any

import numpy as np

try:
    import torch  # type: ignore[import-not-found, unused-ignore]
    from tensordict import TensorDict  # type: ignore[import-not-found, unused-ignore]
    from torchrl.data import (  # type: ignore[import-not-found, import-untyped, unused-ignore]
        Binary,
        Categorical,
        Composite,
        Unbounded,
    )
    from torchrl.envs import (  # type: ignore[import-not-found, import-untyped, unused-ignore]
        EnvBase,
    )
except ImportError as error:
    from pacman2._checks import lacks

    raise lacks("pacman2.torchrl", "torchrl>=0.10") from error

from pacman2._engine import Game
from pacman2.vector import VecEnv

ACTIONS = 9


class Pacman2Env(EnvBase):  # type: ignore[misc, unused-ignore]
    """``num_games`` games, whose players are the group ``"player"`` of four agents.

    The batch size is ``(num_games,)``. In ``"player"`` lie ``"observation"``, ``"action_mask"``,
    ``"alive"``, ``"action"``, ``"reward"`` and, in the last turn of a game, ``"final_score"`` and
    ``"rank"``; all have the shape ``(num_games, 4, …)``. Games end for all players together. A dead
    player stays until then; its mask allows only action 0. With ``opponents``, the group has only the
    learners. :attr:`env` is the ``pacman2.VecEnv`` that plays.

    TorchRL starts the next game of a slot when its collectors and ``rollout`` find ``"done"``.
    Random actions (``rand_action``, and ``rollout`` without a policy) are legal ones.

    Args:
        num_games: the number of games.
        seed: determines all games; ``None`` draws a seed. ``set_seed`` selects those of the next
            complete reset.
        device: where tensors are returned; the games are played on the CPU.
        **options: the options of :class:`pacman2.VecEnv` except ``autoreset_mode`` and ``copy``.
    """

    batch_locked = True

    def __init__(
        self, num_games: int, *, seed: int | None = None, device: Any = "cpu", **options: Any
    ) -> None:
        super().__init__(device=device, batch_size=[num_games])
        self.env = VecEnv(num_games, seed=seed, autoreset_mode="Disabled", copy=False, **options)
        self._next_seed: int | None = None
        self._players = (num_games, self.env.num_learners)
        self._make_specs()

    def game(self, index: int) -> Game:
        """Returns the position of the game ``index`` as an independent :class:`pacman2.Game`."""
        return self.env.game(index)

    def rand_action(self, tensordict: Any = None) -> Any:
        """Draws legal actions."""
        if tensordict is None:
            tensordict = TensorDict({}, batch_size=self.batch_size, device=self.device)
        drawn = self.env.random_actions().reshape(self._players).astype(np.int64)
        tensordict["player", "action"] = torch.from_numpy(drawn).to(self.device)
        return tensordict

    def _make_specs(self) -> None:
        games, device = self.batch_size[0], self.device
        players = self._players
        seen = torch.from_numpy(self.env.by_game.observations)

        def group(**specs: Any) -> Any:
            player = Composite(specs, shape=players, device=device)
            return Composite({"player": player}, shape=(games,), device=device)

        def flag(*shape: int) -> Any:
            return Categorical(2, shape=shape, dtype=torch.bool, device=device)

        def numbers(*shape: int, dtype: Any) -> Any:
            return Unbounded(shape=shape, dtype=dtype, device=device)

        self.observation_spec = group(
            observation=numbers(*seen.shape, dtype=seen.dtype),
            action_mask=Binary(shape=(*players, ACTIONS), dtype=torch.bool, device=device),
            alive=Binary(shape=players, dtype=torch.bool, device=device),
            final_score=numbers(*players, dtype=torch.float32),
            rank=numbers(*players, dtype=torch.uint8),
        )
        self.action_spec = group(
            action=Categorical(ACTIONS, shape=players, dtype=torch.int64, device=device)
        )
        self.reward_spec = group(reward=numbers(*players, 1, dtype=torch.float32))
        ends = ("done", "terminated", "truncated")
        done = group(**{name: flag(*players, 1) for name in ends})
        for name in ends:
            done[name] = flag(games, 1)
        self.done_spec = done

    def _reset(self, tensordict: Any = None, **_: Any) -> Any:
        which = None if tensordict is None else tensordict.get("_reset", None)
        if which is None or which.all():
            self.env.reset(seed=self._next_seed)
            self._next_seed = None
        else:
            self.env.reset(options={"reset_mask": which.reshape(-1).cpu().numpy()})
        return self._result()

    def _step(self, tensordict: Any) -> Any:
        self.env.step(tensordict["player", "action"].cpu().numpy())
        result = self._result()
        result["player", "reward"] = self._tensor("rewards").unsqueeze(-1)
        return result

    def _result(self) -> Any:
        names = ("action_mask", "alive", "final_score", "rank")
        player = {name: self._tensor(name) for name in names}
        player["observation"] = self._tensor("observations")
        over = self._tensor("terminations").unsqueeze(-1)
        ends = {"done": over, "terminated": over.clone(), "truncated": torch.zeros_like(over)}
        games = {name: end[:, 0].clone() for name, end in ends.items()}
        players = TensorDict(player | ends, batch_size=self._players, device=self.device)
        return TensorDict(
            {"player": players, **games}, batch_size=self.batch_size, device=self.device
        )

    def _tensor(self, name: str) -> Any:
        # The environment overwrites its arrays with the next step.
        return torch.from_numpy(getattr(self.env.by_game, name).copy()).to(self.device)

    def _set_seed(self, seed: int | None) -> None:
        self._next_seed = seed
