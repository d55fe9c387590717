import numpy as np
import pytest
from tinsmith_c.testing import CASES
from tinsmith_cmsis_nn import backend, four_bits
from tinsmith_ir import parse_graph
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.graph import Graph
from tinsmith_ir.operators import Add, Conv2D, DepthwiseConv2D, FullyConnected, Mul
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import lower
from tinsmith_reference import backend as reference
from tinsmith_target import target, targets

M4 = target("cortex-m4")
M55 = target("cortex-m55")
Q = Quantization.per_tensor(0.5, 0)


def small_network() -> Graph:
    return next(case for case in CASES if case.name == "network").build()


@pytest.mark.parametrize("name", [found.name for found in targets()])
def test_the_network_runs_on_every_target_without_fallback(name: str) -> None:
    chosen = target(name)
    for packed in (True, False):
        calls = lower(small_network(), chosen, backend(packed=packed).kernels(chosen)).calls
        assert {call.reason for call in calls} == {""}
        assert any("packed" in call.kernel for call in calls) == packed


@pytest.mark.parametrize("name", [found.name for found in targets()])
def test_no_two_kernels_have_the_same_key(name: str) -> None:
    chosen = target(name)
    for packed in (True, False):
        kernels = (*backend(packed=packed).kernels(chosen), *reference().kernels(chosen))
        keys = [kernel.key for kernel in kernels]
        assert sorted(keys) == sorted(set(keys))


@pytest.mark.parametrize(
    ("name", "engine"), [("cortex-m3", "cpu"), ("cortex-m7", "dsp"), ("cortex-m55", "mve")]
)
def test_engine_follows_the_features(name: str, engine: str) -> None:
    assert {kernel.engine for kernel in backend().kernels(target(name))} == {engine}


def convolution(
    operator: Conv2D | DepthwiseConv2D, channels: int, weights: tuple[int, ...]
) -> Graph:
    builder = GraphBuilder("g")
    x = builder.input("x", TensorType((1, 6, 6, channels), DType.INT8, Q))
    w = builder.constant("w", np.ones(weights, np.int8), Quantization.per_tensor(0.01, 0))
    return builder.build(builder.add(operator, [x, w], "y", Q))


@pytest.mark.parametrize(
    ("operator", "channels", "weights", "reason"),
    [
        (Conv2D(), 4, (4, 3, 3, 2), "has one group: it has 2"),
        (DepthwiseConv2D(), 1, (1, 3, 3, 1), "at least 2 channels: it has 1"),
        (DepthwiseConv2D(dilation=(2, 1)), 2, (1, 3, 3, 2), "not dilated: dilation is 2x1"),
    ],
)
def test_public_function_where_the_packed_kernel_cannot(
    operator: Conv2D | DepthwiseConv2D, channels: int, weights: tuple[int, ...], reason: str
) -> None:
    (call,) = lower(convolution(operator, channels, weights), M4, backend().kernels(M4)).calls
    assert "packed" not in call.kernel
    assert reason in call.reason


def large_scale(operator: Conv2D | DepthwiseConv2D, weights: tuple[int, ...]) -> Graph:
    builder = GraphBuilder("g")
    x = builder.input("x", TensorType((1, 3, 3, 4), DType.INT8, Quantization.per_tensor(4.0, 0)))
    w = builder.constant("w", np.ones(weights, np.int8), Quantization.per_tensor(1.0, 0))
    return builder.build(builder.add(operator, [x, w], "y", Quantization.per_tensor(1.0, 0)))


@pytest.mark.parametrize(
    ("operator", "weights", "function"),
    [(Conv2D(), (4, 1, 1, 4), "convolve"), (DepthwiseConv2D(), (1, 1, 1, 4), "depthwise")],
    ids=["convolution", "depthwise"],
)
def test_large_scale_goes_to_the_packed_kernel_of_any_scale(
    operator: Conv2D | DepthwiseConv2D, weights: tuple[int, ...], function: str
) -> None:
    graph = large_scale(operator, weights)
    (call,) = lower(graph, M4, backend().kernels(M4)).calls
    assert call.kernel == f"tinsmith_{function}_packed_any_s8"
    assert "can be arranged for the packed kernels" in call.reason
    m55 = target("cortex-m55")
    (call,) = lower(graph, m55, backend().kernels(m55)).calls
    assert (call.kernel, call.reason) == (f"tinsmith_{function}_packed_s8", "")


@pytest.mark.parametrize(
    ("stride", "taps", "kernel"),
    [
        ((2, 2), (5, 5), "packed_any_s8"),
        ((1, 2), (3, 3), "packed_any_s8"),
        ((2, 1), (5, 5), "packed_s8"),
        ((2, 2), (3, 3), "packed_s8"),
    ],
)
def test_stride_2_of_large_windows_has_a_kernel_with_the_dsp_extension(
    stride: tuple[int, int], taps: tuple[int, int], kernel: str
) -> None:
    graph = convolution(DepthwiseConv2D(stride=stride), 2, (1, *taps, 2))
    for name, wanted in (("cortex-m4", kernel), ("cortex-m3", "packed_s8")):
        chosen = target(name)
        (call,) = lower(graph, chosen, backend().kernels(chosen)).calls
        assert call.kernel == f"tinsmith_depthwise_{wanted}"


@pytest.mark.parametrize(
    ("operator", "channels", "taps", "kernel"),
    [
        (DepthwiseConv2D(), 4, (2, 6), "pixels_s8"),
        (DepthwiseConv2D(), 4, (6, 6), "packed_s8"),
        (DepthwiseConv2D(), 2, (2, 6), "packed_s8"),
        (DepthwiseConv2D(), 4, (4, 4), "packed_s8"),
        (DepthwiseConv2D(stride=(3, 3), padding=(3, 3, 3, 3)), 4, (3, 3), "pixels_s8"),
        (DepthwiseConv2D(dilation=(2, 1)), 5, (3, 3), "pixels_s8"),
    ],
    ids=["five windows", "many taps", "two channels", "nine windows", "stride 3", "dilated"],
)
def test_few_and_distant_windows_are_done_pixel_by_pixel(
    operator: DepthwiseConv2D, channels: int, taps: tuple[int, int], kernel: str
) -> None:
    graph = convolution(operator, channels, (1, *taps, channels))
    (call,) = lower(graph, M4, backend().kernels(M4)).calls
    assert call.kernel == f"tinsmith_depthwise_{kernel}"


@pytest.mark.parametrize("name", ["cortex-m3", "cortex-m4", "cortex-m55"])
def test_depthwise_weights_may_have_a_zero_point(name: str) -> None:
    builder = GraphBuilder("g")
    x = builder.input("x", TensorType((1, 6, 6, 8), DType.INT8, Q))
    w = builder.constant("w", np.ones((1, 3, 3, 8), np.int8), Quantization.per_tensor(0.01, -100))
    graph = builder.build(builder.add(DepthwiseConv2D(), [x, w], "y", Q))
    chosen = target(name)
    kernels = (*backend().kernels(chosen), *reference().kernels(chosen))
    (call,) = lower(graph, chosen, kernels).calls
    assert call.kernel == "tinsmith_depthwise_pixels_s8"


@pytest.mark.parametrize(
    ("operator", "input_shape", "weights"),
    [(Conv2D(), (1, 6, 6, 8), (5, 3, 3, 8)), (FullyConnected(), (2, 8), (5, 8))],
    ids=["convolution", "fully connected"],
)
def test_weights_may_have_a_zero_point(
    operator: Conv2D | FullyConnected, input_shape: tuple[int, ...], weights: tuple[int, ...]
) -> None:
    builder = GraphBuilder("g")
    x = builder.input("x", TensorType(input_shape, DType.INT8, Q))
    w = builder.constant("w", np.ones(weights, np.int8), Quantization.per_tensor(0.01, 7))
    graph = builder.build(builder.add(operator, [x, w], "y", Q))
    for name in ("cortex-m4", "cortex-m55"):
        chosen = target(name)
        (call,) = lower(graph, chosen, backend().kernels(chosen)).calls
        assert call.kernel == "tinsmith_convolve_packed_offset_s8"


def test_weights_of_large_sums_go_to_the_deep_kernel_where_lanes_are_shared() -> None:
    builder = GraphBuilder("g")
    x = builder.input("x", TensorType((1, 600), DType.INT8, Q))
    weights = np.full((2, 600), 127, np.int8)
    w = builder.constant("w", weights, Quantization.per_tensor(0.01, 0))
    graph = builder.build(
        builder.add(FullyConnected(), [x, w], "y", Quantization.per_tensor(9.0, 0))
    )
    for name, kernel in (("cortex-m4", "packed_deep_s8"), ("cortex-m55", "packed_s8")):
        chosen = target(name)
        (call,) = lower(graph, chosen, backend().kernels(chosen)).calls
        assert call.kernel == f"tinsmith_fully_connected_{kernel}"


@pytest.mark.parametrize(
    ("shape", "kernel"),
    [
        ((48, 16), "small_s8"),
        ((49, 16), "packed_s8"),
        ((3, 192), "small_s8"),
        ((3, 193), "packed_s8"),
    ],
)
def test_few_weights_go_to_the_small_kernel_of_mve(shape: tuple[int, int], kernel: str) -> None:
    builder = GraphBuilder("g")
    x = builder.input("x", TensorType((1, shape[1]), DType.INT8, Q))
    w = builder.constant("w", np.ones(shape, np.int8), Quantization.per_tensor(0.01, 0))
    graph = builder.build(
        builder.add(FullyConnected(), [x, w], "y", Quantization.per_tensor(9.0, 0))
    )
    (call,) = lower(graph, M55, backend().kernels(M55)).calls
    assert call.kernel == f"tinsmith_fully_connected_{kernel}"


def test_channel_multiplier_goes_to_the_packed_kernel_of_any_scale() -> None:
    graph = convolution(DepthwiseConv2D(), 2, (1, 3, 3, 4))
    (call,) = lower(graph, M4, backend().kernels(M4)).calls
    assert call.kernel == "tinsmith_depthwise_packed_any_s8"
    assert "one output channel per input channel: it has 2" in call.reason
    assert call.over == ()


@pytest.mark.parametrize("operator", [Add(), Mul()])
@pytest.mark.parametrize(
    ("lhs", "rhs", "kernel"),
    [
        ((1, 2, 2, 4), (4,), "broadcast_s8"),
        ((1, 1, 1), (2, 3, 4), "broadcast_s8"),
        ((2, 3, 4), (2, 1, 1), "broadcast_s8"),
        ((2, 3, 4), (3, 1), "broadcast_s8"),
        ((3, 4), (1, 3, 4), "broadcast_s8"),
        ((2, 3, 4), (2, 1, 4), "broadcast_s8"),
        ((3, 1), (8,), "broadcast_s8"),
        ((3, 1), (4,), "s8"),
    ],
)
def test_an_operand_that_repeats_is_spread(
    operator: Add | Mul, lhs: tuple[int, ...], rhs: tuple[int, ...], kernel: str
) -> None:
    builder = GraphBuilder("g")
    x = builder.input("x", TensorType(lhs, DType.INT8, Q))
    y = builder.input("y", TensorType(rhs, DType.INT8, Q))
    graph = builder.build(builder.add(operator, [x, y], "z", Q))
    kernels = (*backend().kernels(M4), *reference().kernels(M4))
    (call,) = lower(graph, M4, kernels).calls
    assert call.kernel == f"tinsmith_{operator.mnemonic}_{kernel}"
    assert "Both operands have the shape of the result" in call.reason


@pytest.mark.parametrize(
    ("operator", "weights", "kernel", "scratch_and_with_mve"),
    [
        (Conv2D(), (3, 1, 1, 5), "arm_convolve_1x1_s4", (0, 0)),
        (Conv2D(), (3, 3, 3, 5), "arm_convolve_s4", (48, 24 * 45)),
        (DepthwiseConv2D(dilation=(2, 1)), (1, 3, 3, 10), "arm_depthwise_conv_s4", (0, 0)),
        (FullyConnected(), (4, 180), "arm_fully_connected_s4", (0, 0)),
    ],
    ids=["pixels", "windows", "depthwise", "fully connected"],
)
def test_weights_of_four_bits_have_functions(
    operator: Conv2D | DepthwiseConv2D | FullyConnected,
    weights: tuple[int, ...],
    kernel: str,
    scratch_and_with_mve: tuple[int, int],
) -> None:
    graph = of_four_bits(operator, weights)
    for name in ("cortex-m3", "cortex-m4", "cortex-m55"):
        chosen = target(name)
        program = lower(graph, chosen, four_bits.kernels(chosen, either_library=False))
        (call,) = program.calls
        taken = 0 if call.scratch is None else program.view[call.scratch].type.size_bytes
        assert (call.kernel, taken) == (kernel, scratch_and_with_mve[name == "cortex-m55"])


def of_four_bits(
    operator: Conv2D | DepthwiseConv2D | FullyConnected, weights: tuple[int, ...]
) -> Graph:
    """All weights are 1, all scales below 0.5."""
    builder = GraphBuilder("g")
    x = builder.input("x", TensorType((1, 6, 6, 5), DType.INT8, Q))
    data = np.ones(weights, np.int8)
    w = builder.constant("w", data, Quantization.per_tensor(0.01, 0), DType.INT4)
    return builder.build(builder.add(operator, [x, w], "y", Q))


@pytest.mark.parametrize(
    ("operator", "weights", "kernels"),
    [
        (Conv2D(), (3, 3, 3, 5), ("tinsmith_convolve_packed",) * 3),
        (Conv2D(), (3, 1, 1, 5), ("tinsmith_convolve_packed",) * 3),
        (DepthwiseConv2D(), (1, 3, 3, 5), ("tinsmith_depthwise_packed",) * 3),
        (DepthwiseConv2D(stride=(3, 3)), (1, 3, 3, 5), ("arm_depthwise_conv",) * 3),
        (
            DepthwiseConv2D(),
            (1, 3, 3, 10),
            (*("tinsmith_depthwise_packed_any",) * 2, "arm_depthwise_conv"),
        ),
        (FullyConnected(), (4, 180), ("tinsmith_fully_connected_packed",) * 3),
    ],
    ids=[
        "convolution",
        "pixels",
        "depthwise",
        "four windows",
        "two channels of one",
        "fully connected",
    ],
)
def test_weights_of_four_bits_are_arranged(
    operator: Conv2D | DepthwiseConv2D | FullyConnected,
    weights: tuple[int, ...],
    kernels: tuple[str, ...],
) -> None:
    graph = of_four_bits(operator, weights)
    for name, kernel in zip(("cortex-m3", "cortex-m4", "cortex-m55"), kernels, strict=True):
        chosen = target(name)
        (call,) = lower(graph, chosen, backend().kernels(chosen)).calls
        assert call.kernel == f"{kernel}_s4"


@pytest.mark.parametrize("name", ["cortex-m3", "cortex-m4", "cortex-m55"])
@pytest.mark.parametrize("rounding", ["tflite", "nearest"])
def test_scales_of_any_size_stay_beside_weights_of_four_bits(name: str, rounding: str) -> None:
    graph = parse_graph(f"""graph 2 "g" {{
      input %x: i8[1,4]<0.5, 3>
      const %w: i4[2,4]<[0.25, 4.0], [0, 0], axis 0> = [1, -2, 3, 4, 1, -2, 3, -4]
      %y: i8[1,2]<0.5, -3> = fully_connected(%x, %w) {{rounding={rounding}}}
      output %y
    }}""")
    chosen = target(name)
    (call,) = lower(graph, chosen, backend().kernels(chosen)).calls
    assert call.kernel.removesuffix("_nearest") == "tinsmith_fully_connected_packed_s4"


def test_float_is_refused_without_a_fallback() -> None:
    graph = next(case for case in CASES if case.name == "conv2d_f32").build()
    with pytest.raises(UnsupportedError, match=r"no kernel takes the element types f32"):
        lower(graph, M4, backend().kernels(M4))


def test_what_rounds_down_goes_to_the_reference_kernels_with_a_reason() -> None:
    graph = parse_graph("""graph 2 "g" {
      input %x: i8[1,4]<0.5, 3>
      const %w: i8[2,4]<0.25, 0> = [1, -2, 3, 4, 1, -2, 3, -4]
      %y: i8[1,2]<4.0, -3> = fully_connected(%x, %w) {rounding=floor}
      output %y
    }""")
    m4 = target("cortex-m4")
    (call,) = lower(graph, m4, (*backend().kernels(m4), *reference().kernels(m4))).calls
    assert call.kernel == "tinsmith_fully_connected_s8_floor"
    assert call.reason == (
        "cmsis_nn has no kernel for fully_connected of i8, i8 -> i8 rounded by floor; it has one rounded by tflite or "
        "nearest, see set-rounding"
    )


@pytest.mark.parametrize("name", ["cortex-m3", "riscv32"])
def test_weights_with_a_zero_point_go_to_the_reference_kernels_with_a_reason(name: str) -> None:
    graph = parse_graph("""graph 2 "g" {
      input %x: i8[1,4]<0.5, 3>
      const %w: i8[2,4]<0.25, -3> = [1, -2, 3, 4, 1, -2, 3, -4]
      %y: i8[1,2]<4.0, -3> = fully_connected(%x, %w)
      output %y
    }""")
    chosen = target(name)
    (call,) = lower(graph, chosen, (*backend().kernels(chosen), *reference().kernels(chosen))).calls
    assert call.kernel == "tinsmith_fully_connected_s8_asymmetric"
    assert call.reason == (
        "cmsis_nn has no kernel for fully_connected of i8, i8 -> i8 with asymmetric weights"
    )


def test_halves_that_are_rounded_up_go_to_the_reference_kernels_with_a_reason() -> None:
    graph = parse_graph("""graph 2 "g" {
      input %x: i8[1,2,2,4]<0.5, 3>
      %y: i8[1,1,1,4]<0.5, 3> = average_pool2d(%x) {window=[2,2], halves_up=true}
      output %y
    }""")
    (call,) = lower(graph, M4, (*backend().kernels(M4), *reference().kernels(M4))).calls
    assert call.kernel == "tinsmith_average_pool2d_s8"
    assert "Halves are rounded away from zero: they are rounded up" in call.reason


@pytest.mark.parametrize(
    ("element", "kernel"),
    [("i8", "tinsmith_average_pool_even_s8"), ("i16", "tinsmith_average_pool2d_s16")],
)
def test_halves_that_go_to_even_have_a_kernel_of_int8(element: str, kernel: str) -> None:
    graph = parse_graph(f"""graph 2 "g" {{
      input %x: {element}[1,2,2,4]<0.5, 0>
      %y: {element}[1,1,1,4]<0.5, 0> = average_pool2d(%x) {{window=[2,2], halves_to_even=true}}
      output %y
    }}""")
    (call,) = lower(graph, M4, (*backend().kernels(M4), *reference().kernels(M4))).calls
    assert call.kernel == kernel
