"""The table of the CMSIS-NN kernels."""

from dataclasses import dataclass, replace

from tinsmith_ir.checked import Checked, checked
from tinsmith_lowering import Kernel, no_walk
from tinsmith_target import Target

from tinsmith_cmsis_nn import (
    blockwise,
    broadcast,
    concatenation,
    convolution,
    difference,
    elementwise,
    extrema,
    four_bits,
    fully_connected,
    fully_connected_four_bits,
    fully_connected_two_bits,
    int16,
    lstm,
    matmul,
    narrow,
    narrow_two_bits,
    offset_convolution,
    packed_convolution,
    packed_four_bits,
    packed_two_bits,
    padding,
    pixel_depthwise,
    pooling,
    recurrent,
    reduction,
    rescaling,
    softmax,
    transpose,
    weighted,
)
from tinsmith_cmsis_nn.nearest import with_sisters


@dataclass(frozen=True)
class CmsisNnBackend(Checked):
    """Calls of the CMSIS-NN API for int8 and int16.

    packed: prefer kernels on weights arranged at compile time (`tinsmith_nn.h`, only in Tinsmith's
    own library, and of one implementation); False calls the public API alone, with scratch for Arm's
    library too, so that it can be linked instead.
    """

    packed: bool = True
    name: str = "cmsis_nn"

    @checked
    def kernels(self, target: Target) -> tuple[Kernel, ...]:
        """Packed kernels first, if wanted; then the functions of the public API."""
        wrappers = convolution.named_kernels if self.packed else convolution.public_kernels
        public = (
            *wrappers(target),
            *fully_connected.public_kernels(target),
            *elementwise.kernels(target),
            *extrema.kernels(target),
            *pooling.kernels(target, either_library=not self.packed),
            *padding.kernels(target),
            *softmax.kernels(target, either_library=not self.packed),
            *transpose.kernels(target),
            *int16.kernels(target, either_library=not self.packed),
            *matmul.kernels(target),
            *four_bits.kernels(target, either_library=not self.packed),
        )
        if not self.packed:
            # Another library may be linked, in whose order of reading and writing nobody may trust.
            return tuple(replace(kernel, walk=no_walk) for kernel in public)
        packed = (
            *packed_convolution.kernels(target),
            *packed_convolution.any_kernels(target),
            *pixel_depthwise.kernels(target),
            *offset_convolution.kernels(target),
            *fully_connected.packed_kernels(target),
            *packed_four_bits.kernels(target),
            *fully_connected_four_bits.kernels(target),
        )
        return (
            *narrow.kernels(target),
            *narrow_two_bits.kernels(target),
            *with_sisters(packed),
            *packed_two_bits.kernels(target),
            *fully_connected_two_bits.kernels(target),
            *blockwise.kernels(target),
            *public,
            *fully_connected.nearest_kernels(target),
            *matmul.nearest_kernels(target),
            *pooling.even_kernels(target),
            *broadcast.kernels(target),
            *difference.kernels(target),
            *weighted.kernels(target),
            *recurrent.kernels(target),
            *lstm.kernels(target),
            *reduction.kernels(target),
            *rescaling.kernels(target),
            *concatenation.kernels(target),
        )


@checked
def backend(*, packed: bool = True) -> CmsisNnBackend:
    """Kernels of int8 and int16 for Cortex-M, and in plain C for any CPU: `backend().kernels(target)`, for `lower`.

    What they refuse, such as float32, is for those of `tinsmith_reference` behind them. packed: as in
    `CmsisNnBackend`; False calls nothing but Arm's public functions.
    """
    return CmsisNnBackend(packed)
