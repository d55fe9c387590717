"""The table of the reference kernels."""

from dataclasses import dataclass

from tinsmith_ir.checked import Checked, checked
from tinsmith_lowering import Kernel
from tinsmith_target import Target

from tinsmith_reference import (
    blockwise,
    cast,
    chains,
    comparison,
    convolution,
    decompress,
    detections,
    differences,
    division,
    dynamic,
    elementwise,
    float_rescale,
    fully_connected,
    functions,
    gather,
    layout,
    logistic,
    lookup,
    lstm,
    matmul,
    moments,
    normalization,
    partial_sums,
    pooling,
    poses,
    quantization,
    ranking,
    rectifiers,
    reduction,
    resize,
    scan,
    softmax,
    svdf,
    volumes,
)

_KERNELS = (
    *chains.KERNELS,
    *convolution.KERNELS,
    *fully_connected.KERNELS,
    *blockwise.KERNELS,
    *matmul.KERNELS,
    *elementwise.KERNELS,
    *differences.KERNELS,
    *dynamic.KERNELS,
    *division.KERNELS,
    *comparison.KERNELS,
    *partial_sums.KERNELS,
    *decompress.KERNELS,
    *pooling.KERNELS,
    *reduction.KERNELS,
    *ranking.KERNELS,
    *scan.KERNELS,
    *resize.KERNELS,
    *softmax.KERNELS,
    *detections.KERNELS,
    *poses.KERNELS,
    *svdf.KERNELS,
    *volumes.KERNELS,
    *normalization.KERNELS,
    *moments.KERNELS,
    *functions.KERNELS,
    *logistic.KERNELS,
    *lookup.KERNELS,
    *lstm.KERNELS,
    *rectifiers.KERNELS,
    *quantization.KERNELS,
    *cast.KERNELS,
    *float_rescale.KERNELS,
    *layout.KERNELS,
    *gather.KERNELS,
)


@dataclass(frozen=True)
class ReferenceBackend(Checked):
    """Plain C for every operator; no options."""

    name: str = "reference"

    @checked
    def kernels(self, target: Target) -> tuple[Kernel, ...]:
        """The same kernels for every target."""
        del target
        return _KERNELS


def backend() -> ReferenceBackend:
    """Plain loops for every operator and CPU: `backend().kernels(target)` is what `lower` takes.

    Behind the kernels of another back end they take what those refuse.
    """
    return ReferenceBackend()
