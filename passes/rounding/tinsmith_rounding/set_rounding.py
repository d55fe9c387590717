"""Gives every step that rescales integers one mode of rounding."""

import dataclasses
from dataclasses import dataclass, replace
from typing import ClassVar

from tinsmith_ir.arithmetic import MULTIPLIER_BITS
from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import GraphError, UsageError
from tinsmith_ir.escape import visible
from tinsmith_ir.graph import Graph, Node
from tinsmith_ir.operators import AveragePool2D, Quantize, Rescaling
from tinsmith_ir.passes import Contract, Metric, Tolerance
from tinsmith_ir.rounding import Rounding

from tinsmith_rounding.accumulators import narrow_bits, rescaling
from tinsmith_rounding.shared_shift import shared_shift_bits


@dataclass(frozen=True)
class SetRounding(Checked):
    """Let all steps that rescale integers round by `mode`, with multipliers of `bits`.

    bits: steps whose ratio of scales no such multiplier holds get as many as do, at least. narrow: of fewer where
    product and half then fit into int32 (`narrow_bits`); others keep `bits`. one_shift: of convolutions of so few that
    they do with one shift for all channels (`shared_shift_bits`). Then, and by `tflite`, halves in average pools go
    away from zero, for which there are kernels; by `tflite` so do those of real numbers.
    """

    mode: str = Rounding.NEAREST.value
    bits: int = MULTIPLIER_BITS
    narrow: bool = False
    one_shift: bool = False

    name: ClassVar[str] = "set-rounding"
    # Each step by itself is off by one at most, with narrow multipliers by two; what becomes of that in a network,
    # no one can say.
    contract: ClassVar[Contract] = Tolerance(Metric.STEPS_OF_EACH, 2.0)

    def __post_init__(self) -> None:
        """Raise UsageError for an unknown mode, and for multipliers that it does not have."""
        super().__post_init__()
        modes = [rounding.value for rounding in Rounding]
        if self.mode not in modes:
            raise UsageError(
                f"expected a mode of rounding of {', '.join(modes)}, got {visible(self.mode)!r}"
            )
        if not 1 <= self.bits <= MULTIPLIER_BITS:
            raise UsageError(f"expected bits from 1 to {MULTIPLIER_BITS}, got {self.bits}")
        is_full = self.bits == MULTIPLIER_BITS and not (self.narrow or self.one_shift)
        if self.mode == Rounding.TFLITE.value and not is_full:
            raise UsageError(
                "expected tflite with multipliers of full width: neither bits nor narrow nor one_shift"
            )

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with other roundings; `graph` itself if all are so."""
        nodes = tuple(self._rounded(graph, node) for node in graph.nodes)
        return graph if nodes == graph.nodes else dataclasses.replace(graph, nodes=nodes)

    def _rounded(self, graph: Graph, node: Node) -> Node:
        operator = rescaling(node)
        if operator is None:
            return self._with_halves_away(node)
        chosen = replace(operator, rounding=Rounding(self.mode), multiplier_bits=MULTIPLIER_BITS)
        bits = self.bits
        whole = replace(node, operator=chosen)
        found = shared_shift_bits(graph, whole) if self.one_shift else None
        if found is None and self.narrow:
            found = narrow_bits(graph, whole)
        bits = min(bits, found or bits)
        return replace(node, operator=_holding(node, replace(chosen, multiplier_bits=bits)))

    def _with_halves_away(self, node: Node) -> Node:
        """What neither TFLite nor fast kernels know are halves that go to the even integer."""
        operator, is_tflite = node.operator, self.mode == Rounding.TFLITE.value
        if not isinstance(operator, AveragePool2D | Quantize) or not operator.halves_to_even:
            return node
        if not (
            is_tflite or ((self.narrow or self.one_shift) and isinstance(operator, AveragePool2D))
        ):
            return node
        return replace(node, operator=replace(operator, halves_to_even=False))


def _holding(node: Node, operator: Rescaling) -> Rescaling:
    """With the fewest bits, from those it has on, whose multipliers hold the ratios of the node's scales: a ratio of
    2**bits or more has none of so many.
    """
    inputs = [value.type if value else None for value in node.inputs]
    outputs = [value.type for value in node.outputs]
    for bits in range(operator.multiplier_bits, MULTIPLIER_BITS):
        held = replace(operator, multiplier_bits=bits)
        try:
            held.verify(inputs, outputs)
        except GraphError:
            continue
        return held
    return replace(operator, multiplier_bits=MULTIPLIER_BITS)
