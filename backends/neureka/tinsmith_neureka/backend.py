"""The table of the layers that N-EUREKA computes."""

from dataclasses import dataclass

from tinsmith_ir.checked import Checked, checked
from tinsmith_lowering import Kernel
from tinsmith_target import Target

from tinsmith_neureka import convolution, fully_connected


@dataclass(frozen=True)
class NeurekaBackend(Checked):
    """Layers that a core of the cluster gives to the accelerator; what it cannot do is the cluster's."""

    name: str = "neureka"

    @checked
    def kernels(self, target: Target) -> tuple[Kernel, ...]:
        """The same of any target: a rule refuses boards without the accelerator."""
        del target
        return (*convolution.kernels(), *fully_connected.kernels())
