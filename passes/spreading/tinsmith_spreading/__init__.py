"""Calls in parts that the cores of a cluster compute at the same time."""

from tinsmith_spreading.spread import SpreadCalls
from tinsmith_spreading.steps import CORES

__all__ = ["CORES", "SpreadCalls"]
