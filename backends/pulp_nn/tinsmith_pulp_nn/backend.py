"""The table of the kernels for PULP clusters."""

from dataclasses import dataclass

from tinsmith_ir.checked import Checked, checked
from tinsmith_lowering import Kernel
from tinsmith_target import Target

from tinsmith_pulp_nn import blockwise, convolution, few_bits, lookups, means, moves, others, pairs


@dataclass(frozen=True)
class PulpNnBackend(Checked):
    """Kernels whose calls the cores of a cluster share."""

    name: str = "pulp_nn"

    @checked
    def kernels(self, target: Target) -> tuple[Kernel, ...]:
        """Those with weights first; of those of two tensors the fastest ones."""
        return (
            *convolution.kernels(target),
            *few_bits.kernels(target),
            *blockwise.kernels(target),
            *lookups.kernels_of_one(),
            *others.kernels(target),
            *lookups.kernels_of_two(),
            *pairs.kernels(),
            *means.kernels(),
            *moves.kernels(),
        )
