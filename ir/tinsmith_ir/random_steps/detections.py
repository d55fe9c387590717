"""A step of random networks: boxes, of which some count."""

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Detections, Reshape, Slice
from tinsmith_ir.random_steps.network import Network

_MOST_BOXES = 12


def detect(network: Network, random: np.random.Generator, value: Value) -> None:
    """Boxes whose sides hardly depend on the value, since passes may round it in another way; float32 alone."""
    if network.dtype is not DType.FLOAT32 or value.type.elements < 4:
        return
    count = min(_MOST_BOXES, value.type.elements // 4)
    classes = int(random.integers(1, 4))
    builder = network.builder
    flat = builder.add(Reshape(shape=(value.type.elements,)), [value])
    network.read.add(value.name)
    first = builder.add(Slice(begin=(0,), shape=(4 * count,)), [flat])
    encodings = builder.add(Reshape(shape=(1, count, 4)), [first])
    depth = classes + int(random.integers(0, 2))
    scores = random.standard_normal((1, count, depth)).astype(np.float32)
    anchors = random.uniform(0.2, 1.0, (count, 4)).astype(np.float32)
    layer = Detections(
        classes=classes,
        max_detections=int(random.integers(1, 6)),
        classes_per_detection=int(random.integers(1, 4)),
        detections_per_class=int(random.integers(1, 4)),
        by_class=bool(random.random() < 0.5),
        overlap_threshold=1.0,
        y_scale=1e3,
        x_scale=1e3,
        height_scale=1e5,
        width_scale=1e5,
    )
    operands = [encodings, builder.constant("scores", scores), builder.constant("anchors", anchors)]
    results = builder.add_all(layer, operands)
    network.values.append(results[0])
