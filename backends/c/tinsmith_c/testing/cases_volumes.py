"""Graphs of convolutions over volumes."""

from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Activation, Conv3D

from tinsmith_c.testing.draft import Case, Draft


def conv3d(draft: Draft) -> None:
    """Kernel sizes, strides, dilations, padding, batches, weights that are computed, no bias."""
    specs = [
        ((1, 3, 4, 5, 2), (3, 3, 3, 2, 4), Conv3D(padding=(1, 1, 1, 1, 1, 1))),
        ((2, 2, 3, 3, 3), (1, 1, 1, 3, 5), Conv3D(activation=Activation.RELU)),
        ((1, 5, 4, 6, 1), (2, 3, 1, 1, 2), Conv3D(stride=(2, 1, 3), padding=(0, 1, 2, 0, 0, 0))),
        (
            (1, 5, 6, 7, 2),
            (2, 3, 2, 2, 3),
            Conv3D(dilation=(3, 2, 4), activation=Activation.RELU_N1_TO_1),
        ),
        ((1, 4, 2, 2, 2), (4, 2, 2, 2, 1), Conv3D(activation=Activation.RELU6)),
    ]
    for number, (shape, weights, operator) in enumerate(specs):
        x = draft.input(shape, DType.FLOAT32)
        is_computed = number == 4
        w = (
            draft.input(weights, DType.FLOAT32)
            if is_computed
            else draft.weights(weights, DType.FLOAT32, 4, per_axis=False)
        )
        b = draft.bias(weights[4], DType.FLOAT32) if number != 2 else None
        draft.output(operator, [x, w, b], DType.FLOAT32)


CASES: tuple[Case, ...] = (Case("conv3d", conv3d),)
