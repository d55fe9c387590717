"""The passes of this library; what each of their patterns demands stands with the pattern."""

from dataclasses import dataclass

from tinsmith_ir.checked import checked
from tinsmith_ir.graph import Graph
from tinsmith_ir.passes import BIT_EXACT, Contract, NumericChange
from tinsmith_ir.rewrite import apply_patterns

from tinsmith_fusion.activations import clamps_result
from tinsmith_fusion.affine import scales_operand, scales_result, shifts_result
from tinsmith_fusion.means import averages_whole_maps
from tinsmith_fusion.padding import pads_convolution, pads_max_pool
from tinsmith_fusion.requantization import rescales_twice


@dataclass(frozen=True)
class FuseActivations:
    """Let the operator before a Relu or Relu6 clamp its result itself."""

    @property
    def name(self) -> str:
        """The name in reports and on the command line."""
        return "fuse-activations"

    @property
    def contract(self) -> Contract:
        """Integers are only fused when nothing is rescaled."""
        return BIT_EXACT

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with fewer clamps; `graph` itself if none can go."""
        return apply_patterns(graph, [clamps_result])


@dataclass(frozen=True)
class FusePadding:
    """Let convolutions and max pools pad their input themselves."""

    @property
    def name(self) -> str:
        """The name in reports and on the command line."""
        return "fuse-padding"

    @property
    def contract(self) -> Contract:
        """Only a value that the operator pads with as well, or that never wins, is fused."""
        return BIT_EXACT

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with fewer pads; `graph` itself if none can go."""
        return apply_patterns(graph, [pads_convolution, pads_max_pool])


@dataclass(frozen=True)
class FuseRequantization:
    """Make one rescaling of two between integers."""

    @property
    def name(self) -> str:
        """The name in reports and on the command line."""
        return "fuse-requantization"

    @property
    def contract(self) -> Contract:
        """All integers are tried."""
        return BIT_EXACT

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with fewer rescalings; `graph` itself if none can go."""
        return apply_patterns(graph, [rescales_twice])


@dataclass(frozen=True)
class ReplaceMeans:
    """Let an AveragePool2D do the work of a Mean over rows and columns."""

    @property
    def name(self) -> str:
        """The name in reports and on the command line."""
        return "replace-means"

    @property
    def contract(self) -> Contract:
        """For integers all sums are tried; of float32 the order of additions is the same."""
        return BIT_EXACT

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with fewer means; `graph` itself if none can go."""
        return apply_patterns(graph, [averages_whole_maps])


@dataclass(frozen=True)
class FoldBatchNormalization:
    """Take float32 multiplications by constants and additions of constants per channel into the
    weights and bias of the layer before, and multiplications also into the layer behind.
    """

    @property
    def name(self) -> str:
        """The name in reports and on the command line."""
        return "fold-batch-normalization"

    @property
    def contract(self) -> Contract:
        """The same in exact arithmetic."""
        return NumericChange("float32 sums and products are rounded in another order")

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with fewer operators; `graph` itself if none can go."""
        return apply_patterns(graph, [scales_result, shifts_result, scales_operand])
