"""Layers of an analog array as operators, their plain C."""

from tinsmith_diana.analog.backend import AnalogReferenceBackend
from tinsmith_diana.analog.operator import AnalogConv2D

__all__ = ["AnalogConv2D", "AnalogReferenceBackend"]
