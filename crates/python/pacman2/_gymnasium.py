"""Registers the environments in Gymnasium, whichever of the two packages is imported first."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

SOLO = "Pacman2-v0"
SELF_PLAY = "Pacman2SelfPlay-v0"


def register() -> None:
    """Registers the environments, or does so when Gymnasium is imported.

    Importing Gymnasium takes longer than importing this package, so users of :class:`pacman2.Game`
    do not pay for it.
    """
    if sys.modules.get("gymnasium") is not None:
        _register()
    else:
        sys.meta_path.insert(0, _GymnasiumFinder())


def _register() -> None:
    from gymnasium.envs import registration

    if SOLO in registration.registry:
        return
    registration.register(
        id=SOLO,
        entry_point="pacman2.solo:SoloEnv",
        vector_entry_point="pacman2.vector:make_solo",
    )
    registration.register(id=SELF_PLAY, vector_entry_point="pacman2.vector:make_self_play")


class _GymnasiumFinder(MetaPathFinder):
    """Finds Gymnasium as other finders do, with a loader that registers the environments."""

    def __init__(self) -> None:
        self._is_asking_others = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "gymnasium" or self._is_asking_others:
            return None
        self._is_asking_others = True
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._is_asking_others = False
        if spec is not None and spec.loader is not None:
            spec.loader = _RegisteringLoader(spec.loader, self)
        return spec


class _RegisteringLoader(Loader):
    def __init__(self, loader: Loader, finder: MetaPathFinder) -> None:
        self._loader = loader
        self._finder = finder

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # The module keeps its own loader, which also finds its files.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
        _register()
