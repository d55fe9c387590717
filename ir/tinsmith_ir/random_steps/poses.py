"""A step of random networks: people in maps of keypoints."""

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Broadcast, Poses, Reshape, Slice
from tinsmith_ir.random_steps.network import Network


def pose(network: Network, random: np.random.Generator, value: Value) -> None:
    """Keypoints that hardly move with the value, since passes may round it in another way; float32 alone."""
    if network.dtype is not DType.FLOAT32:
        return
    height, width = (int(size) for size in random.integers(2, 5, 2))
    builder = network.builder
    flat = builder.add(Reshape(shape=(value.type.elements,)), [value])
    network.read.add(value.name)
    first = builder.add(Slice(begin=(0,), shape=(1,)), [flat])
    apart = builder.add(Reshape(shape=(1, 1, 1, 1)), [first])
    short = builder.add(Broadcast(shape=(1, height, width, 34)), [apart])
    heatmaps = random.standard_normal((1, height, width, 17)).astype(np.float32)
    middle = (random.standard_normal((1, height, width, 64)) * 1e5).astype(np.float32)
    operands = [builder.constant("heatmaps", heatmaps), short, builder.constant("middle", middle)]
    layer = Poses(max_detections=int(random.integers(1, 4)), stride=100000, nms_radius=0.0)
    network.values.append(builder.add_all(layer, operands)[0])
