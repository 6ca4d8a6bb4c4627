"""Checks and messages that the environments in Python share."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from numbers import Real
from typing import Any, get_args

import numpy as np

from pacman2.typing import RenderMode, Rules


def wrong(kind: type[Exception], name: str, expected: str, got: Any) -> Exception:
    """Returns the exception for an invalid argument, worded as by the engine."""
    text = " ".join(repr(got).split())
    return kind(f"{name}: expected {expected}, got {text if len(text) <= 60 else text[:60] + '…'}")


def check_flag(name: str, value: Any) -> None:
    """Raises ``TypeError`` if the value is not a bool."""
    if not isinstance(value, (bool, np.bool_)):
        raise wrong(TypeError, name, "a bool", value)


def check_name(option: str, value: Any, names: Sequence[str]) -> Any:
    """Returns the value of an option that has names.

    Raises ``TypeError`` if it is not a str, and ``ValueError`` if it is another one.
    """
    expected = ", ".join(f'"{name}"' for name in names)
    if not isinstance(value, str):
        raise wrong(TypeError, option, expected, value)
    if value not in names:
        raise wrong(ValueError, option, expected, value)
    return value


def check_render_mode(mode: Any) -> RenderMode | None:
    """Returns a render mode, or ``None``."""
    return None if mode is None else check_name("render_mode", mode, get_args(RenderMode))


def check_seed(seed: Any) -> int:
    """Returns a seed as an ``int`` without a sign. Raises as :func:`check_whole` does."""
    return check_whole("seed", seed, -(2**31), 2**32 - 1) % 2**32


def check_reset_options(options: Any, known: str | None = None) -> None:
    """Raises ``TypeError`` if the options of a reset are not ``None`` or a dict, and ``ValueError``
    if the dict has a key other than ``known``."""
    expected = f'None or a dict with the key "{known}"' if known else "None or an empty dict"
    if options is not None and not isinstance(options, dict):
        raise wrong(TypeError, "options", expected, options)
    if any(known is None or key != known for key in options or ()):
        raise wrong(ValueError, "options", expected, options)


def check_number(name: str, value: Any, expected: str, is_fine: Callable[[Any], bool]) -> None:
    """Raises ``TypeError`` if the value is not a number, and ``ValueError`` if it is not fine."""
    if not isinstance(value, Real):
        raise wrong(TypeError, name, expected, value)
    if not is_fine(value):
        raise wrong(ValueError, name, expected, value)


def check_whole(name: str, value: Any, low: int, high: int | None = None) -> int:
    """Returns a whole number as an ``int``.

    Raises ``TypeError`` if the value is not one, and ``ValueError`` if it is not from ``low`` to ``high``.
    """
    expected = f"a whole number {f'of at least {low}' if high is None else f'from {low} to {high}'}"
    try:
        number = operator.index(value)
    except TypeError:
        raise wrong(TypeError, name, expected, value) from None
    if number < low or high is not None and number > high:
        raise wrong(ValueError, name, expected, value)
    return number


def check_rules(name: str, callee: Callable[..., Any], rules: Mapping[str, Any]) -> None:
    """Raises ``TypeError`` if a keyword is neither a parameter of ``callee`` nor a rule."""
    for keyword in rules:
        if keyword not in Rules.__annotations__:
            own = [one for one in signature(callee).parameters if one not in ("self", "rules")]
            expected = f"the keywords {', '.join([*own, *Rules.__annotations__])}"
            got = f"got an unexpected keyword argument '{keyword}'"
            raise TypeError(f"{name}: expected {expected}, {got}")


def lacks(what: str, requirement: str) -> ImportError:
    """Returns the exception for a package that is not installed, with what to do."""
    return ImportError(f"{what}: expected {requirement}, got none; pip install '{requirement}'")
