"""Golden cases of convolutions over volumes."""

from case_builder import ACTIVATIONS, Case, CaseBuilder, Kind, activation_code
from tflite_builder import options


def conv3d(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """CONV_3D: kernels, strides, dilations, padding, activations; with bias or not, weights computed now and then."""
    r = b.random.randint
    kernel = [(1, 1, 1), (3, 3, 3), (2, 1, 3), (1, 4, 2), (3, 2, 1), (2, 2, 2)][index % 6]
    stride = [(1, 1, 1), (2, 2, 2), (1, 2, 3), (3, 1, 2)][r(4)]
    is_dilated = stride == (1, 1, 1) and r(2) == 1
    dilation = [(2, 1, 1), (1, 2, 3), (2, 2, 2)][r(3)] if is_dilated else (1, 1, 1)
    reach = [(taps - 1) * step + 1 for taps, step in zip(kernel, dilation, strict=True)]
    size = [taps + int(r(4)) for taps in reach]
    batches, channels, results, is_same = 1 + int(r(2)), 1 + int(r(5)), 1 + int(r(5)), r(2) == 1
    made = [
        -(-there // step) if is_same else (there - taps) // step + 1
        for there, taps, step in zip(size, reach, stride, strict=True)
    ]
    operands = [b.input((batches, *size, channels), kind)]
    weights = b.data((*kernel, channels, results), kind)
    if index % 4 == 3:
        operands.append(b.plain(weights, kind))
    else:
        operands.append(b.model.constant("weights", weights))
    if index % 3:
        operands.append(b.model.constant("bias", b.data((results,), kind)))
    output = b.output((batches, *made, results), kind)
    chosen = options(
        "Conv3DOptions",
        Padding=0 if is_same else 1,
        StrideD=stride[0],
        StrideH=stride[1],
        StrideW=stride[2],
        DilationDFactor=dilation[0],
        DilationHFactor=dilation[1],
        DilationWFactor=dilation[2],
        FusedActivationFunction=activation_code(ACTIVATIONS[index // 2 % 4]),
    )
    b.model.operator("CONV_3D", operands, [output], chosen)
    return b.finish(output)
