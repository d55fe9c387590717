"""A float network as one of integers.

The network is run twice: once to see ranges, once with the float and the quantized network side by side, node by node,
so that each layer is rounded for what it really reads. With ranges that are learned it is run side by side once more
for each choice of these.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from tinsmith_ir.checked import checked
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.graph import Array, Graph
from tinsmith_ir.types import Quantization

from tinsmith_quantization.caches import real_pairs
from tinsmith_quantization.channels.equalization import equalized
from tinsmith_quantization.channels.outliers import AddedChannels, ChannelSplitting, split_channels
from tinsmith_quantization.execution import Samples, with_states
from tinsmith_quantization.judging import Judge, Made, is_no_worse
from tinsmith_quantization.masks import with_near_masks
from tinsmith_quantization.ranges.calibration import Calibration, calibrated
from tinsmith_quantization.samples import checked_samples
from tinsmith_quantization.schemes import Scheme
from tinsmith_quantization.side_by_side import SideBySide
from tinsmith_quantization.statistics import Losses
from tinsmith_quantization.training.distillation import Distilled, distilled
from tinsmith_quantization.training.fresh_inputs import FreshInputs
from tinsmith_quantization.training.learned_ranges import LearnedRanges
from tinsmith_quantization.training.range_choice import with_best_ranges
from tinsmith_quantization.training.range_learning import learned_types


@dataclass(frozen=True)
class Quantized:
    """graph: float operators between Dequantize and Quantize, inputs and outputs integers; `tinsmith_qdq` makes
    operators of integers of it. losses: what that costs, on the samples. splitting: what splitting channels brought, of
    schemes that split.
    """

    graph: Graph
    losses: Losses
    splitting: ChannelSplitting | None = None

    @property
    def added(self) -> tuple[AddedChannels, ...]:
        """Channels more than the float network has, by layer."""
        return self.splitting.added if self.splitting and self.splitting.is_adopted else ()


def _tells_nobody(name: str) -> None:
    del name


@checked
def quantize(
    graph: Graph,
    samples: Iterable[Mapping[str, Array]],
    scheme: Scheme,
    on_step: Callable[[str], None] = _tells_nobody,
    bits: Mapping[str, int] | None = None,
    same: Mapping[str, str] | None = None,
) -> Quantized:
    """A float32 network as one of integers.

    graph: batch normalization folded and activations fused where that can be, since what lies between two operators is
    rounded. samples: see `checked_samples`; of a network with states they are runs one after another, and states in
    front of each are what the float network left in both networks, so that losses are those of single runs. on_step: is
    told what is computed next: twice each input and result, more often where ranges or weights are trained, or channels
    split. bits: of the weights of layers by the name of their result, where they differ from the scheme's. same:
    output -> input that is to have its quantization, since a later run is given it, by name; `keep` makes states of it.
    Raises UsageError for samples and pairs that are not fit, EvaluationError where the network's results are not finite
    on them, UnsupportedError for networks without float32 tensors, and of operators without a known derivative where
    ranges or weights are trained.
    """
    _refuse(graph)
    pairs = real_pairs(graph, same or {})
    arrays = with_states(graph, checked_samples(graph, samples))
    graph = with_near_masks(graph, arrays)
    if scheme.equalize:
        graph = equalized(graph, arrays)
    work = _Work(arrays, scheme, on_step, bits or {}, pairs)
    made = work.network(graph)
    if not scheme.split:
        return Quantized(made.graph, made.losses)
    return work.with_channels(graph, made)


@dataclass(frozen=True)
class _Work:
    """What is the same for all networks that are made of one."""

    samples: Samples
    scheme: Scheme
    on_step: Callable[[str], None]
    bits: Mapping[str, int]
    pairs: Sequence[tuple[str, str]]

    def with_channels(self, graph: Graph, plain: Made) -> Quantized:
        """With channels split where that is no worse. plain: the network without."""
        split = split_channels(graph, self.samples, self.scheme, self.bits)
        made = self.network(split.graph) if split.added else plain
        judge = Judge.of(graph, self.samples)
        before, after = judge.decibels(plain), judge.decibels(made)
        is_adopted = bool(split.added) and is_no_worse(before, after)
        splitting = ChannelSplitting(*before, *after, is_adopted, split.added)
        best = made if is_adopted else plain
        return Quantized(best.graph, best.losses, splitting)

    def network(self, graph: Graph) -> Made:
        """Weights and ranges found, and trained as the scheme wants."""
        scheme = self.scheme
        trained, ranges = Distilled(graph, {}), None
        if scheme.weights == "distilled":
            if scheme.method == "learned":
                ranges = LearnedRanges(self.calibrated(graph))
            trained = distilled(graph, self.samples, scheme, self.bits, self.on_step, ranges)
        calibration = self.calibrated(trained.graph)
        if scheme.method != "learned":
            return self.made(trained, calibration)

        def learned(first: Made) -> Sequence[Mapping[str, Quantization]]:
            if ranges is not None and trained.rounded:
                return [ranges.types()]
            return learned_types(graph, self.samples, calibration, first.layers, self.on_step)

        judge = Judge.of(graph, self.samples)
        make = partial(self.made, trained)
        fresh = partial(FreshInputs.of, graph, self.samples)
        return with_best_ranges(judge, make, calibration, learned, fresh)

    def calibrated(self, graph: Graph) -> Calibration:
        """By ranges of the scheme's method."""
        return calibrated(graph, self.samples, self.scheme, self.on_step, self.pairs)

    def made(self, trained: Distilled, calibration: Calibration) -> Made:
        """The network of integers with these ranges."""
        both = SideBySide(
            trained.graph, self.scheme, calibration, self.samples, self.bits, trained.rounded
        )
        graph = both.run(self.on_step)
        return Made(graph, both.losses, both.layers, both.kept())


def _refuse(graph: Graph) -> None:
    if all(value.type.dtype is not DType.FLOAT32 for node in graph.nodes for value in node.outputs):
        raise UnsupportedError(
            f"graph {graph.name!r}: expected a network of float32, got none; is it quantized already?"
        )
