"""The simulator of PULP-class chips as a file to run, and the descriptions of its chips."""

from tinsmith_soc.errors import MissingSimulatorError, UnknownChipError
from tinsmith_soc.program import chip, chips, simulator

__all__ = [
    "MissingSimulatorError",
    "UnknownChipError",
    "chip",
    "chips",
    "simulator",
]
