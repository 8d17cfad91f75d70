"""The types of options, for programs that no type checker reads."""

from __future__ import annotations

from typing import Mapping


def check_strings(options: Mapping[str, object]) -> None:
    """Raises TypeError for a stated option that is no string."""
    for name, value in options.items():
        if value is not None and not isinstance(value, str):
            raise TypeError(f"{name}: must be a string")


def check_numbers(options: Mapping[str, object]) -> None:
    """Raises TypeError for a stated option that is no number: calls would silently have no certificate."""
    for name, value in options.items():
        if value is not None and not isinstance(value, (int, float)):
            raise TypeError(f"{name}: must be a number")


def check_functions(options: Mapping[str, object]) -> None:
    """Raises TypeError for a stated option that cannot be called."""
    for name, value in options.items():
        if value is not None and not callable(value):
            raise TypeError(f"{name}: must be a function")
