"""What the float network's tensors look like on the samples, and the quantization of each that follows."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import EvaluationError
from tinsmith_ir.escape import visible
from tinsmith_ir.graph import Array, Graph
from tinsmith_ir.types import Quantization

from tinsmith_quantization.execution import Samples, evaluated
from tinsmith_quantization.groups import Groups, grouped, is_keeping
from tinsmith_quantization.histogram import Histogram
from tinsmith_quantization.ranges import quantization_of, range_of
from tinsmith_quantization.schemes import Scheme


@dataclass(frozen=True)
class Calibration:
    """types: name of a float value that is quantized -> how. histograms: of what was seen, of its group."""

    groups: Groups
    types: Mapping[str, Quantization]
    histograms: Mapping[str, Histogram]

    def histogram(self, name: str) -> Histogram:
        """Of the tensors that have one quantization with this one."""
        return self.histograms[self.groups.members[name]]


def calibrated(
    graph: Graph,
    samples: Samples,
    scheme: Scheme,
    on_step: Callable[[str], None] = lambda _: None,
    same: Iterable[tuple[str, str]] = (),
) -> Calibration:
    """Run the float network on all samples, and choose a quantization for each tensor between operators.

    on_step: is told what is computed next. same: pairs of values that have one.
    Raises EvaluationError for results that are not finite.
    """
    # A table of int16 has 65536 entries, which nobody keeps.
    groups = grouped(graph, tables=scheme.tables and scheme.activations is DType.INT8, same=same)
    histograms: dict[str, Histogram] = {}
    for value, array in evaluated(graph, samples):
        on_step(value.name)
        if value.type.dtype is not DType.FLOAT32:
            continue
        _check_finite(value.name, array)
        histogram = histograms.setdefault(groups.members[value.name], Histogram())
        for sample in array:
            histogram.add(sample)
    _add_constants(graph, groups, histograms)
    fixed = groups.fixed(graph, scheme.activations)
    chosen = {
        group: _quantization(histogram, scheme, fixed.get(group))
        for group, histogram in histograms.items()
    }
    types = {name: chosen[groups.members[name]] for name in sorted(groups.quantized)}
    return Calibration(groups, types, histograms)


def _quantization(histogram: Histogram, scheme: Scheme, fixed: Quantization | None) -> Quantization:
    if fixed is not None:
        return fixed
    found = range_of(histogram, scheme)
    return quantization_of(found, scheme.activations, power_of_two=scheme.power_of_two)


def _add_constants(graph: Graph, groups: Groups, histograms: Mapping[str, Histogram]) -> None:
    """Constants that become elements of a result, such as one half of a concatenation."""
    for node in graph.nodes:
        if not is_keeping(node.operator):
            continue
        for value in node.present_inputs:
            data = graph.constant(value)
            if data is not None and value.type.dtype is DType.FLOAT32:
                histograms[groups.members[value.name]].add(np.asarray(data, np.float32))


def _check_finite(name: str, array: Array) -> None:
    if not np.isfinite(array).all():
        sample = int(np.argmin(np.isfinite(array).reshape(len(array), -1).all(axis=1)))
        raise EvaluationError(
            f"calibration: {visible(name)!r}: expected finite numbers, got NaN or infinity on sample {sample}"
        )
