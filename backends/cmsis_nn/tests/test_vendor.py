from tinsmith_cmsis_nn import backend, vendor
from tinsmith_cmsis_nn.geometry import Geometry
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import AveragePool2D
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import lower
from tinsmith_target import target

CONV = Geometry((1, 9, 9, 5), (8, 3, 3, 5), (1, 9, 9, 8), (1, 1), (1, 1), (1, 1))
PIXELS = Geometry((1, 9, 9, 5), (8, 1, 1, 5), (1, 9, 9, 8), (1, 1), (0, 0), (1, 1))
DEPTHWISE = Geometry((1, 9, 9, 6), (1, 3, 3, 6), (1, 9, 9, 6), (1, 1), (1, 1), (1, 1))


def test_numbers_of_arms_size_functions() -> None:
    assert vendor.convolve_wrapper("dsp", CONV) == 2 * 48 * 2
    assert vendor.convolve_wrapper("mve", CONV) == 4 * 48
    assert vendor.convolve_wrapper("mve", PIXELS) == 0
    assert vendor.convolve_four_bits("dsp", CONV) == 2 * 45 * 2
    assert vendor.convolve_four_bits("mve", CONV) == 4 * 48
    assert vendor.depthwise_wrapper("dsp", DEPTHWISE) == 6 * 9 * 2
    assert vendor.depthwise_wrapper("mve", DEPTHWISE) == 4 * 124 * 9


def test_only_the_public_api_alone_reserves_for_arms_library() -> None:
    builder = GraphBuilder("g")
    type_ = TensorType((1, 4, 4, 8), DType.INT8, Quantization.per_tensor(0.5, 0))
    pool = builder.add(AveragePool2D(window=(4, 4)), [builder.input("x", type_)], "y")
    graph = builder.build(pool)
    m4 = target("cortex-m4")
    (public,) = lower(graph, m4, backend(packed=False).kernels(m4)).calls
    (packed,) = lower(graph, m4, backend(packed=True).kernels(m4)).calls
    assert public.scratch is not None
    assert packed.scratch is None
