"""Decibels of reports, which JSON has no infinity for."""

import math


def decibels(number: float) -> float | None:
    """For JSON: two decimals; None where nothing is lost."""
    return round(number, 2) if math.isfinite(number) else None


def decibels_text(number: float | None) -> str:
    """For people."""
    return "exact" if number is None else f"{number:.1f} dB"
