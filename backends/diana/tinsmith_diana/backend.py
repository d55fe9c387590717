"""The tables of the layers that DIANA's accelerators compute."""

from dataclasses import dataclass

from tinsmith_ir.checked import Checked, checked
from tinsmith_lowering import Kernel
from tinsmith_target import Target

from tinsmith_diana import (
    addition,
    averaging,
    convolution,
    fully_connected,
    pixel_convolution,
    pixels,
    shifting,
    turning,
)
from tinsmith_diana.analog import averaging as analog_averaging
from tinsmith_diana.analog import banks as analog_banks
from tinsmith_diana.analog import convolution as analog_convolution
from tinsmith_diana.analog import turning as analog_turning


@dataclass(frozen=True)
class DianaDigitalBackend(Checked):
    """Layers that the core gives to the digital accelerator, and what the core does with tensors as it leaves them; all
    else is another back end's.
    """

    name: str = "diana_digital"

    @checked
    def kernels(self, target: Target) -> tuple[Kernel, ...]:
        """The same of any target: a rule refuses boards that have no accelerator."""
        del target
        return (
            *convolution.kernels(),
            *fully_connected.kernels(),
            *addition.kernels(),
            *shifting.kernels(),
            *averaging.kernels(),
            *turning.kernels(),
            *pixels.kernels(),
            *pixel_convolution.kernels(),
        )


@dataclass(frozen=True)
class DianaAnalogBackend(Checked):
    """Operators of the analog array that the core gives to it, turning of images for it, and averages of images as it
    leaves them; all else is another back end's.
    """

    name: str = analog_convolution.BACKEND

    @checked
    def kernels(self, target: Target) -> tuple[Kernel, ...]:
        """The same of any target: a rule refuses boards that have no accelerator."""
        del target
        return (
            *analog_convolution.kernels(),
            *analog_averaging.kernels(),
            *analog_turning.kernels(),
            *analog_banks.kernels(),
        )
