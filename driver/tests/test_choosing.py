"""Layers that become analog by cost on DIANA: what the model says the chip takes."""

import pytest
from tinsmith_diana.analog import AnalogMapping
from tinsmith_driver.benchmarks import diana
from tinsmith_driver.benchmarks.htvm_networks import NETWORKS
from tinsmith_driver.benchmarks.subjects import Subject, compared, made_model, wrong_bytes
