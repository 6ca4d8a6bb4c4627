"""Gymnasium spaces of observations."""

from __future__ import annotations

from typing import Any, Protocol

import gymnasium
import numpy as np
from numpy.typing import NDArray


class Observed(Protocol):
    """An engine that describes its observations."""

    @property
    def observation_bounds(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]: ...
    @property
    def observation_dtype(self) -> str: ...


def observation_box(engine: Observed) -> gymnasium.spaces.Box:
    """Returns the space of the observations of one player."""
    dtype: Any = np.dtype(engine.observation_dtype)
    low, high = engine.observation_bounds
    return gymnasium.spaces.Box(low.astype(dtype), high.astype(dtype), dtype=dtype.type)
