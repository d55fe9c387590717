"""Layers of an analog array as operators, their plain C, and the pass that makes them of a network's layers."""

from tinsmith_diana.analog.backend import AnalogReferenceBackend
from tinsmith_diana.analog.mapping import AnalogMapping, MapAnalog, MappedLayer
from tinsmith_diana.analog.operator import AnalogConv2D

__all__ = ["AnalogConv2D", "AnalogMapping", "AnalogReferenceBackend", "MapAnalog", "MappedLayer"]
