"""The pass that gives layers to the analog array: which, with what gain, and what each loses by it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import UsageError
from tinsmith_ir.escape import visible
from tinsmith_ir.graph import Array, Graph, Node
from tinsmith_ir.operators import FullyConnected, Weighted
from tinsmith_ir.passes import Contract, Metric, Outcome, Tolerance
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import Kernel, layer_of_node
from tinsmith_target import Target

from tinsmith_diana.analog.choosing import Alternative, Choice, choose
from tinsmith_diana.analog.fitting import GAINS
from tinsmith_diana.analog.operator import LARGEST_GAIN
from tinsmith_diana.analog.rewriting import Candidate, Rewriting

_BOUND = 0.5
"""Of noise: 6.02 dB. A layer that gives less is worth nothing, and `least_db` keeps away from it."""
_SMALLEST_DB = 6.1
_DRAWN_SAMPLES = 4
_COST, _RULE = "cost", "rule"
_AS_GOOD_DB = 1.0
"""So much less of the signal beside the noise a layer may keep so that the core need not clip its results: a clip takes
more cycles than most layers do."""
_PLENTY_DB = 10.0
"""A layer that keeps so much more than `least_db` adds a tenth of the noise that is allowed: then less is as good."""


@dataclass(frozen=True)
class MappedLayer(Checked):
    """A layer on the analog array. chunks: how often its sums are converted. bits: of its result. sqnr_db: by the worst
    of the samples, beside the layer as it was on the same operands; of a layer that reads an analog result of 7 bits,
    what that one lost is counted, too. largest: difference, in steps of the result.
    """

    name: str
    gain: int
    chunks: int
    bits: int
    sqnr_db: float
    largest: int

    def __str__(self) -> str:
        """A line for users."""
        times = "one conversion" if self.chunks == 1 else f"{self.chunks} conversions"
        return (
            f"{visible(self.name)} is analog: gain {self.gain}, {times}, {self.sqnr_db:.1f} dB, off by {self.largest} "
            "steps at most"
        )


@dataclass(frozen=True)
class AnalogMapping(Checked):
    """What the pass did. left: layers with weights that stay what they are, each with the reason. choice: how they were
    found, where that was by cost.
    """

    layers: tuple[MappedLayer, ...] = ()
    left: tuple[tuple[str, str], ...] = ()
    choice: Choice | None = None

    @property
    def lines(self) -> tuple[str, ...]:
        """For users."""
        left = (f"{visible(name)} is not analog: {reason}" for name, reason in self.left)
        chosen = () if self.choice is None else (str(self.choice),)
        return (*map(str, self.layers), *left, *chosen)


@dataclass(frozen=True)
class MapAnalog(Checked):
    """Make `analog_conv2d` of each convolution and fully connected layer of int8 that the analog array can compute.

    gain: of its converters, one for all layers; 0 chooses for each the power of two that loses least. least_db: a layer
    that keeps less, signal beside what it lost, stays what it is. by: `rule`, each layer that can be analog is; `cost`,
    where the network is fastest so by the kernels' costs, turning of tensors included. all_db: with `cost`, what all of
    them keep together, the powers of their noise added up; 0 for any. ternarize: weights that are not ternary become
    the closest ones that are, and what that loses is counted. samples: inputs of runs, by which losses are measured; a
    few drawn ones if there are none. target, kernels: for `cost`.
    """

    gain: int = 0
    least_db: float = 10.0
    by: str = _RULE
    all_db: float = 0.0
    ternarize: bool = False
    samples: Sequence[Mapping[str, Array]] = ()
    target: Target | None = None
    kernels: Sequence[Kernel] = ()

    name: ClassVar[str] = "map-analog"
    # A sum of many products is seen with 6 bits: what that loses depends on weights and inputs, and is measured.
    contract: ClassVar[Contract] = Tolerance(Metric.NOISE_OF_EACH, _BOUND)

    def __post_init__(self) -> None:
        """Raise UsageError for a gain that there is not, and for a limit below what the contract promises."""
        super().__post_init__()
        if not 0 <= self.gain <= LARGEST_GAIN:
            raise UsageError(
                f"{self.name}: expected a gain from 1 to {LARGEST_GAIN}, or 0, got {self.gain}"
            )
        if not _SMALLEST_DB <= self.least_db < math.inf:
            raise UsageError(
                f"{self.name}: expected least_db from {_SMALLEST_DB}, got {self.least_db:g}"
            )
        if self.by not in (_COST, _RULE):
            raise UsageError(
                f"{self.name}: expected by={_COST} or by={_RULE}, got {visible(self.by)}"
            )
        if self.by == _COST and self.target is None:
            raise UsageError(f"{self.name}, by={_COST}: expected a target and its kernels")
        if not 0 <= self.all_db < math.inf or (self.all_db and self.by != _COST):
            raise UsageError(
                f"{self.name}: expected all_db from 0, and only with by={_COST}, got {self.all_db:g}"
            )

    def run(self, graph: Graph) -> Graph:
        """The graph with analog layers; `graph` itself if there is none."""
        return self.run_in_detail(graph).ir

    @checked
    def run_in_detail(self, graph: Graph) -> Outcome[Graph]:
        """The same, with an AnalogMapping as facts, and a line for each layer with weights."""
        samples = self.samples or [random_inputs(graph, seed) for seed in range(_DRAWN_SAMPLES)]
        mapped, mapping = self._mapped(graph, self._rewriting(graph, samples))
        if self.by == _COST and self.target is not None and mapping.layers:
            choice = self._choice(graph, self.target, mapped, mapping)
            # Who was refused beside other analog layers stays so: nobody has asked what it would cost.
            stay = dict(mapping.left) | {
                layer.name: choice.reason(layer.name)
                for layer in mapping.layers
                if layer.name not in choice.analog
            }
            mapped, mapping = self._mapped(graph, self._rewriting(graph, samples, stay))
            mapping = replace(mapping, choice=choice)
        return Outcome(mapped, mapping.lines, mapping)

    def _rewriting(
        self,
        graph: Graph,
        samples: Sequence[Mapping[str, Array]],
        stay: Mapping[str, str] | None = None,
    ) -> Rewriting:
        return Rewriting(graph, samples, stay, ternarize=self.ternarize)

    def _mapped(self, graph: Graph, rewriting: Rewriting) -> tuple[Graph, AnalogMapping]:
        """With all layers analog that can be."""
        layers: list[MappedLayer] = []
        left: list[tuple[str, str]] = []
        for node in graph.nodes:
            if not isinstance(node.operator, Weighted):
                continue
            found = self._best(rewriting, node)
            if isinstance(found, Candidate):
                rewriting.take(node, found)
                layers.append(_mapped(node, found))
            else:
                left.append((node.name, found))
        return rewriting.graph(), AnalogMapping(tuple(layers), tuple(left))

    def _choice(
        self, graph: Graph, target: Target, mapped: Graph, mapping: AnalogMapping
    ) -> Choice:
        """Of the layers that were mapped those that pay."""
        nodes = {node.name: node for node in mapped.nodes}
        own = {node.name: node for node in graph.nodes}
        alternatives: dict[str, Alternative] = {}
        for layer in mapping.layers:
            made = next(
                nodes[name] for name in (f"{layer.name}.analog", layer.name) if name in nodes
            )
            alternatives[layer.name] = Alternative(
                layer_of_node(mapped, made, target),
                10 ** (-layer.sqnr_db / 10),
                isinstance(own[layer.name].operator, FullyConnected),
            )
        most = 10 ** (-self.all_db / 10) if self.all_db else None
        return choose(graph, target, self.kernels, alternatives, most)

    def _best(self, rewriting: Rewriting, node: Node) -> Candidate | str:
        """Of some gains, and scales where the result goes on in 7 bits, that with the least noise: without a clip where
        that is as good. Or why there is none.
        """
        reason = rewriting.why_not(node)
        if reason is not None:
            return reason
        layer, source = rewriting.layer(node), rewriting.source(node)
        gains = (self.gain,) if self.gain else GAINS
        kinds = (False, True) if rewriting.goes_on_narrow(node) else (False,)
        tried = (
            rewriting.candidate(node, layer, source, gain, is_whole=is_whole)
            for gain in gains
            for is_whole in kinds
        )
        found = [candidate for candidate in tried if candidate is not None]
        if not found:
            return f"with a gain of {gains[0]} its multipliers would be no int8"
        best = min(found, key=lambda candidate: candidate.noise)
        if best.sqnr_db < self.least_db:
            return f"it would keep {best.sqnr_db:.1f} dB, expected {self.least_db:g}"
        least_db = max(self.least_db, min(best.sqnr_db - _AS_GOOD_DB, self.least_db + _PLENTY_DB))
        as_good = [
            candidate
            for candidate in found
            if not candidate.needs_clip and candidate.sqnr_db >= least_db
        ]
        return min(as_good, key=lambda candidate: candidate.noise, default=best)


def _mapped(node: Node, candidate: Candidate) -> MappedLayer:
    operator = candidate.operator
    return MappedLayer(
        node.name,
        operator.gain,
        candidate.chunks,
        operator.bits,
        candidate.sqnr_db,
        candidate.largest,
    )
