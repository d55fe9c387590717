"""The passes of this library; what each of their patterns demands stands with the pattern."""

from dataclasses import dataclass
from typing import ClassVar

from tinsmith_ir.checked import checked
from tinsmith_ir.graph import Graph
from tinsmith_ir.passes import BIT_EXACT, Contract, Metric, Tolerance
from tinsmith_ir.rewrite import apply_patterns

from tinsmith_fusion.activations import clamps_result
from tinsmith_fusion.affine import scales_operand, scales_result, shifts_result
from tinsmith_fusion.curves import is_gelu, is_hard_swish
from tinsmith_fusion.means import averages_whole_maps
from tinsmith_fusion.normalizations import (
    is_layer_norm,
    is_moved_layer_norm,
    is_rms_norm,
    takes_gain,
    takes_offset,
)
from tinsmith_fusion.one_channel import convolves_one_channel
from tinsmith_fusion.padding import pads_convolution, pads_max_pool
from tinsmith_fusion.requantization import rescales_twice


@dataclass(frozen=True)
class FuseActivations:
    """Let the operator before a Relu or Relu6 clamp its result itself."""

    name: ClassVar[str] = "fuse-activations"
    # Integers are only fused when nothing is rescaled.
    contract: ClassVar[Contract] = BIT_EXACT

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with fewer clamps; `graph` itself if none can go."""
        return apply_patterns(graph, [clamps_result])


@dataclass(frozen=True)
class FusePadding:
    """Let convolutions and max pools pad their input themselves."""

    name: ClassVar[str] = "fuse-padding"
    # Only a value that the operator pads with as well, or that never wins, is fused.
    contract: ClassVar[Contract] = BIT_EXACT

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with fewer pads; `graph` itself if none can go."""
        return apply_patterns(graph, [pads_convolution, pads_max_pool])


@dataclass(frozen=True)
class FuseRequantization:
    """Make one rescaling of two between integers, where all bits of the second one's results stay."""

    name: ClassVar[str] = "fuse-requantization"
    # All integers are tried.
    contract: ClassVar[Contract] = BIT_EXACT

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with fewer rescalings; `graph` itself if none can go."""
        return apply_patterns(graph, [rescales_twice])


@dataclass(frozen=True)
class ReplaceDepthwise:
    """Let a Conv2D do the work of a DepthwiseConv2D of one input channel."""

    name: ClassVar[str] = "replace-depthwise"
    # The same products of integers are added.
    contract: ClassVar[Contract] = BIT_EXACT

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with fewer depthwise convolutions; `graph` itself if none can go."""
        return apply_patterns(graph, [convolves_one_channel])


@dataclass(frozen=True)
class ReplaceMeans:
    """Let an AveragePool2D do the work of a Mean over rows and columns."""

    name: ClassVar[str] = "replace-means"
    # For integers all sums are tried; of float32 the order of additions is the same.
    contract: ClassVar[Contract] = BIT_EXACT

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with fewer means; `graph` itself if none can go."""
        return apply_patterns(graph, [averages_whole_maps])


@dataclass(frozen=True)
class FoldBatchNormalization:
    """Take float32 multiplications by constants and additions of constants per channel into the
    weights and bias of the layer before, and multiplications also into the layer behind.
    """

    name: ClassVar[str] = "fold-batch-normalization"
    # The same in exact arithmetic.
    contract: ClassVar[Contract] = Tolerance(Metric.SHARE, 1e-4)

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with fewer operators; `graph` itself if none can go."""
        return apply_patterns(graph, [scales_result, shifts_result, scales_operand])


@dataclass(frozen=True)
class FuseCurves:
    """Let one operator compute a curve of float32 that a file has in parts: HardSwish and Gelu."""

    name: ClassVar[str] = "fuse-curves"
    # The same in exact arithmetic, but for numbers that exporters round.
    contract: ClassVar[Contract] = Tolerance(Metric.SHARE, 1e-4)

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with fewer operators; `graph` itself if none can go."""
        return apply_patterns(graph, [is_hard_swish, is_gelu])


@dataclass(frozen=True)
class FuseNormalizations:
    """Let one operator normalize rows of float32, where a file has means, squares and roots: LayerNorm and RmsNorm."""

    name: ClassVar[str] = "fuse-normalizations"
    # The same in exact arithmetic; a quotient and a product with an inverse are rounded differently, and what quantizes
    # the result may then round it to another integer.
    contract: ClassVar[Contract] = Tolerance(Metric.SHARE_OF_EACH, 1e-4)

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with fewer operators; `graph` itself if none can go."""
        patterns = [is_moved_layer_norm, is_layer_norm, is_rms_norm, takes_gain, takes_offset]
        return apply_patterns(graph, patterns)
