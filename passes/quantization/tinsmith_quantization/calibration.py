"""What the float network's tensors look like on the samples, and the quantization of each that follows."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import EvaluationError
from tinsmith_ir.escape import visible
from tinsmith_ir.graph import Array, Graph, Node, Value
from tinsmith_ir.operators import Logistic, Tanh
from tinsmith_ir.types import Quantization, TensorType

from tinsmith_quantization.execution import Samples, evaluated
from tinsmith_quantization.groups import Groups, grouped, is_keeping
from tinsmith_quantization.histogram import Histogram
from tinsmith_quantization.lstm import cell_quantization, cells_of_steps, gate_quantization
from tinsmith_quantization.ranges import quantization_of, range_of
from tinsmith_quantization.schemes import Scheme
from tinsmith_quantization.widths import Widths


@dataclass(frozen=True)
class Calibration:
    """types: name of a float value that is quantized -> how. histograms: of what was seen, of its group."""

    groups: Groups
    types: Mapping[str, Quantization]
    histograms: Mapping[str, Histogram]
    scheme: Scheme

    @property
    def widths(self) -> Widths:
        """Which values and nodes have int16 among int8."""
        return self.groups.widths

    def dtype(self, name: str) -> DType:
        """Of a value that is quantized."""
        return self.widths.dtype(name, self.scheme.activations)

    def type_of(self, value: Value) -> TensorType:
        """Of a value that is quantized."""
        return TensorType(value.type.shape, self.dtype(value.name), self.types[value.name])

    def copy(self, name: str, dtype: DType) -> Quantization:
        """Of a copy of integers of another width: of int16 that of int8, all of whose integers it has."""
        if dtype is DType.INT16:
            return Quantization.per_tensor(self.types[name].scale, 0)
        return _quantization(self.histogram(name), self.scheme, None)

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
    groups = grouped(graph, scheme, same)
    histograms: dict[str, Histogram] = {}

    def add_cells(node: Node, operands: Sequence[Array | None]) -> None:
        if node.name in groups.widths.lstms:
            group = groups.members[node.outputs[2].name]
            histogram = histograms.setdefault(group, Histogram())
            for array in cells_of_steps(graph, node, operands):
                histogram.add(array)

    for value, array in evaluated(graph, samples, add_cells):
        on_step(value.name)
        if value.type.dtype is not DType.FLOAT32:
            continue
        _check_finite(value.name, array)
        histogram = histograms.setdefault(groups.members[value.name], Histogram())
        for sample in array:
            histogram.add(sample)
    _add_constants(graph, groups, histograms)
    schemes, given = _schemes(groups, scheme), _given(graph, groups, histograms, scheme)
    chosen = {
        group: _quantization(histogram, schemes.get(group, scheme), given.get(group))
        for group, histogram in histograms.items()
    }
    types = {name: chosen[groups.members[name]] for name in sorted(groups.quantized)}
    return Calibration(groups, types, histograms, scheme)


def _given(
    graph: Graph, groups: Groups, histograms: Mapping[str, Histogram], scheme: Scheme
) -> dict[str, Quantization]:
    """Of groups whose quantization is the operators' own: what they give, cells, and what curves of int16 read."""
    found = groups.fixed(graph, scheme.activations)
    for name in groups.widths.cells:
        group = groups.members[name]
        found[group] = cell_quantization(_largest(histograms[group]))
    for node in graph.nodes:
        is_wide = groups.widths.dtype(node.name, scheme.activations) is DType.INT16
        if isinstance(node.operator, Logistic | Tanh) and is_wide:
            group = groups.members[node.present_inputs[0].name]
            found.setdefault(group, gate_quantization(_largest(histograms[group])))
    return found


def _largest(histogram: Histogram) -> float:
    """The largest magnitude that was seen."""
    return max(-histogram.low, histogram.high)


def _schemes(groups: Groups, scheme: Scheme) -> dict[str, Scheme]:
    """Of groups of int16 among int8 that of int16."""
    if scheme.activations is DType.INT16:
        return {}
    wide = replace(scheme, activations=DType.INT16, unsigned_ends=False, block=0)
    return {group: wide for name, group in groups.members.items() if groups.widths.is_wide(name)}


def _quantization(histogram: Histogram, scheme: Scheme, fixed: Quantization | None) -> Quantization:
    if fixed is not None:
        return fixed
    found = range_of(histogram, scheme)
    return quantization_of(found, scheme.activations, power_of_two=scheme.power_of_two)


def _add_constants(graph: Graph, groups: Groups, histograms: Mapping[str, Histogram]) -> None:
    """Constants that become elements of a result, such as one half of a concatenation, or states at first."""
    for node in graph.nodes:
        pairs: Sequence[tuple[Value | None, Value]] = ()
        if node.name in groups.widths.lstms:
            pairs = list(zip(node.inputs[1:3], node.outputs[1:], strict=True))
        elif is_keeping(node.operator):
            pairs = [(value, node.outputs[0]) for value in node.present_inputs]
        for value, result in pairs:
            data = graph.constant(value)
            if data is not None and data.dtype == np.float32:
                histograms[groups.members[result.name]].add(np.asarray(data, np.float32))


def _check_finite(name: str, array: Array) -> None:
    if not np.isfinite(array).all():
        sample = int(np.argmin(np.isfinite(array).reshape(len(array), -1).all(axis=1)))
        raise EvaluationError(
            f"calibration: {visible(name)!r}: expected finite numbers, got NaN or infinity on sample {sample}"
        )
