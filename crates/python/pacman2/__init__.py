"""Botzone's game Pacman2: a rules engine for search and environments for learning."""

from typing import TYPE_CHECKING, Any

from pacman2._engine import (
    Bot,
    Game,
    Report,
    SearchResult,
    VecEngine,
    __version__,
    action_feature_names,
    bot_names,
)

if TYPE_CHECKING:
    from pacman2.search import Search
    from pacman2.solo import SoloEnv
    from pacman2.vector import VecEnv
    from pacman2.zoo import env, parallel_env

__all__ = [
    "Bot",
    "Game",
    "Report",
    "Search",
    "SearchResult",
    "SoloEnv",
    "VecEngine",
    "VecEnv",
    "__version__",
    "action_feature_names",
    "bot_names",
    "env",
    "parallel_env",
]

# Most of these need packages other than NumPy, so they are imported on first use.
_LAZY = {
    "Search": "pacman2.search",
    "SoloEnv": "pacman2.solo",
    "VecEnv": "pacman2.vector",
    "env": "pacman2.zoo",
    "parallel_env": "pacman2.zoo",
}


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'pacman2' has no attribute '{name}'")
    from importlib import import_module

    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


try:
    from gymnasium.envs import registration
except ImportError:  # it is optional
    pass
else:
    registration.register(
        id="Pacman2-v0",
        entry_point="pacman2.solo:SoloEnv",
        vector_entry_point="pacman2.vector:make_solo",
    )
    registration.register(
        id="Pacman2SelfPlay-v0", vector_entry_point="pacman2.vector:make_self_play"
    )
