"""Checks and messages that the environments in Python share."""

from __future__ import annotations

from typing import Any, get_args

from pacman2.typing import RenderMode

RENDER_MODES: tuple[RenderMode, ...] = get_args(RenderMode)


def wrong(kind: type[Exception], name: str, expected: str, got: Any) -> Exception:
    """Returns the exception for an invalid argument, worded as by the engine."""
    return kind(f"{name}: expected {expected}, got {got!r}")


def check_render_mode(mode: Any) -> None:
    """Raises ``TypeError`` or ``ValueError`` if the mode is unknown."""
    if mode is None or (isinstance(mode, str) and mode in RENDER_MODES):
        return
    known = ", ".join(f'"{known}"' for known in RENDER_MODES)
    kind = ValueError if isinstance(mode, str) else TypeError
    raise wrong(kind, "render_mode", f"{known} or None", mode)


def check_flag(name: str, value: Any) -> None:
    """Raises ``TypeError`` if the value is not a bool."""
    if not isinstance(value, bool):
        raise wrong(TypeError, name, "a bool", value)


def lacks(what: str, requirement: str) -> ImportError:
    """Returns the exception for a package that is not installed, with what to do."""
    return ImportError(f"{what} requires {requirement}, which is not installed: pip install '{requirement}'")
