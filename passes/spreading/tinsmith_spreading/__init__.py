"""Calls in parts that the cores of a cluster compute at the same time."""

from tinsmith_spreading.spread import CORES, SpreadCalls

__all__ = ["CORES", "SpreadCalls"]
