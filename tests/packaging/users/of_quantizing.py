"""Integers of a float network, and what they lost."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir import Graph
from tinsmith_quantization import (
    SCHEMES,
    Budget,
    Quantized,
    Scheme,
    Sensitivity,
    chosen_bits,
    quantize,
    scheme,
    sqnr,
    top1_agreement,
)


def integers(graph: Graph, samples: Sequence[Mapping[str, NDArray[np.float32]]]) -> Graph:
    chosen: Scheme = scheme("int8")
    made: Quantized = quantize(graph, samples, chosen)
    worst = min((loss.sqnr_db for loss in made.losses.tensors), default=0.0)
    print(sorted(SCHEMES), f"{worst:.1f} dB")
    return made.graph


def bits(found: Sequence[Sensitivity], most_bytes: int) -> Mapping[str, int]:
    return dict(chosen_bits(found, Budget(most_bytes)))


def losses(real: NDArray[np.float32], rounded: NDArray[np.float32]) -> tuple[float, float]:
    right, total = top1_agreement(real, rounded)
    return sqnr([real], [rounded]), right / total
