"""The types of options, for programs that no type checker reads."""

from __future__ import annotations

from typing import Mapping, Optional

from cer_client.executions import faults_of
from cer_verify import has_control, unit_count, well_formed


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


def check_amounts(options: Mapping[str, Optional[float]]) -> None:
    """Raises ValueError for a stated number below 0, and for NaN."""
    for name, value in options.items():
        if value is not None and not value >= 0:
            raise ValueError(f"{name}: must be a number, at least 0")


def check_label(name: str, value: str) -> None:
    """Raises ValueError for what no certificate takes as the name of a program, a provider or a tool."""
    if not 1 <= unit_count(value) <= 256 or has_control(value) or not well_formed(value):
        raise ValueError(f"{name}: must have 1 to 256 characters and no control characters")


def check_functions(options: Mapping[str, object]) -> None:
    """Raises TypeError for a stated option that cannot be called."""
    for name, value in options.items():
        if value is not None and not callable(value):
            raise TypeError(f"{name}: must be a function")


def check_confidential(prompt: object, on_openings: object, parameters: object) -> None:
    """Raises TypeError or ValueError for options with which no call would get a certificate."""
    if not isinstance(prompt, str) or not prompt:
        raise TypeError("confidential.prompt: must be a non-empty string")
    if not well_formed(prompt):
        raise ValueError("confidential.prompt: must not contain a lone surrogate")
    if not callable(on_openings):
        raise TypeError("confidential.on_openings: must be a function")
    if not isinstance(parameters, Mapping):
        raise TypeError("confidential.parameters: must be a mapping")
    stated = {"temperature": 0, "maxTokens": 0, "topP": None, "seed": None, **parameters}
    call = {"protocolVersion": "1.3.1", "provider": "any", "model": "any", "input": "", "output": "", "prompt": prompt}
    faults = faults_of({**call, "parameters": stated})
    if faults:
        raise ValueError(f"confidential.{faults[0]}")
