"""What each rule of the analog accelerator says of a layer that it refuses, and who takes that layer then."""

from dataclasses import replace

import numpy as np
import pytest
from tinsmith_diana import DianaAnalogBackend
from tinsmith_diana.analog import AnalogConv2D, AnalogReferenceBackend
from tinsmith_diana.analog.border_layers import analog_graph
from tinsmith_diana.analog.convolution import NAME
from tinsmith_ir import Graph, GraphError, parse_graph
from tinsmith_ir.layouts import layout_bytes
from tinsmith_ir.program import Call
from tinsmith_ir.types import DType, TensorType
from tinsmith_lowering import Kernel, lower, prepare
from tinsmith_target import Target, target

SAME = AnalogConv2D(gain=16, chunk_channels=128, padding=(1, 1, 1, 1), shift=2)
POINTS = AnalogConv2D(gain=16, chunk_channels=1152, shift=2)


def one(
    operator: AnalogConv2D = SAME,
    shape: tuple[int, ...] = (1, 6, 6, 20),
    weights: tuple[int, ...] = (7, 3, 3, 20),
    *,
    multiplier: int = 3,
    addend: int = 1,
) -> Graph:
    """Weights of 1, 0 and -1 in turn, as many of each as there is room for."""
    data = (np.arange(np.prod(weights)) % 3 - 1).reshape(weights)
    scales = np.array([[multiplier], [addend]]).repeat(weights[0], axis=1)
    return analog_graph(operator, shape, data, scales)


@pytest.fixture(scope="module")
def analog(host: Target) -> tuple[Kernel, ...]:
    """The accelerator's, before plain C."""
    backends = (DianaAnalogBackend(), AnalogReferenceBackend())
    return tuple(kernel for backend in backends for kernel in backend.kernels(host))


def call_of(graph: Graph, chip: Target, kernels: tuple[Kernel, ...]) -> Call:
    (call,) = (
        call for call in lower(graph, chip, kernels).calls if call.operator.mnemonic != "reshape"
    )
    return call


@pytest.mark.parametrize(
    "graph",
    [
        one(),
        one(replace(SAME, stride=(2, 2), padding=(2, 0, 1, 2), rectified=True)),
        one(POINTS, (1, 1, 1, 1023), (512, 1, 1, 1023)),
        one(POINTS, (1, 1023, 1, 16), (16, 1, 1, 16)),
        one(replace(SAME, bits=7), multiplier=7, addend=30),
    ],
)
def test_layers_within_the_rules_are_taken(
    graph: Graph, host: Target, analog: tuple[Kernel, ...]
) -> None:
    call = call_of(graph, host, analog)
    assert (call.kernel, call.reason) == (NAME, "")


@pytest.mark.parametrize(
    ("graph", "reason"),
    [
        (one(shape=(2, 6, 6, 20)), "There is one image: there are 2"),
        (one(replace(SAME, gain=8)), "makes such layers: it is 8"),
        (one(replace(SAME, chunk_channels=7)), "are one chunk: there are 3 chunks"),
        (one(SAME, weights=(7, 3, 2, 20)), "strides are 1x1 or 2x2: it is 3x2"),
        (one(replace(SAME, stride=(2, 1))), "strides are 1x1 or 2x2: they are 2x1"),
        (
            one(replace(SAME, padding=(3, 1, 1, 1))),
            "or columns: it is (3, 1, 1, 1) around a window of 3x3",
        ),
        (one(POINTS, (1, 1, 1, 2), (513, 1, 1, 2)), "there are 513 output channels"),
        (one(POINTS, (1, 1, 1, 1024), (2, 1, 1, 1024)), "there are 1024 input channels"),
        (one(POINTS, (1, 2, 1024, 2), (2, 1, 1, 2)), "there are 1024 rows or columns"),
        (
            one(POINTS, (1, 40, 40, 20), (150, 1, 1, 20)),
            f"each of its banks: they reach over {1600 * 16 * 4 + 3 * 65_536:,} bytes",
        ),
        (
            one(POINTS, (1, 100, 82, 16), (16, 1, 1, 16)),
            f"they reach over {2 * 8200 * 16:,} bytes",
        ),
    ],
)
def test_other_layers_are_refused_with_a_reason(
    graph: Graph, reason: str, host: Target, analog: tuple[Kernel, ...]
) -> None:
    call = call_of(graph, host, analog)
    assert call.kernel == "tinsmith_analog_conv2d_s8"
    assert call.reason.startswith(f"{NAME}: ")
    assert call.reason.endswith(reason), call.reason


@pytest.mark.parametrize(
    ("graph", "is_narrow"),
    [
        # Converters give -32 to 31 where there are many weights; 3 to 9 of them times that, by four.
        (one(multiplier=9), False),
        (one(replace(SAME, bits=7), multiplier=7, addend=30), False),
        (one(replace(SAME, bits=7), multiplier=9), True),
        (one(replace(SAME, bits=7), multiplier=-9), True),
        (one(replace(SAME, bits=7, rectified=True), multiplier=9), True),
        # -87 to 54, of which the accelerator rectifies one end.
        (one(replace(SAME, bits=7), multiplier=9, addend=-60), True),
        (one(replace(SAME, bits=7, rectified=True), multiplier=9, addend=-60), False),
        # Three products add up to 191, eleven steps of the converters: no clip by them is asked for.
        (one(replace(POINTS, bits=7), (1, 1, 1, 4), (1, 1, 1, 4), multiplier=20), False),
        (one(replace(POINTS, bits=7), (1, 1, 1, 4), (1, 1, 1, 4), multiplier=24), True),
    ],
)
def test_the_core_clips_results_that_may_leave_7_bits(
    graph: Graph, is_narrow: bool, host: Target, analog: tuple[Kernel, ...]
) -> None:
    program = prepare(lower(graph, host, analog), host, analog)
    call = next(call for call in program.calls if call.kernel == NAME)
    record, *_ = (program.constant[name].data for name in call.reads)
    assert record.view("<u4")[-1] == is_narrow


def test_weights_that_come_at_run_time_are_refused(
    host: Target, analog: tuple[Kernel, ...]
) -> None:
    text = """graph 2 "g" {
      input %x: i8[1,1,1,2]<0.5, 0>
      const %w: i8[1,1,1,2] = [1, -1]
      const %m: i8[1] = [3]
      input %a: i8[1]
      %y: i8[1,1,1,1]<0.25, 0> = analog_conv2d(%x, %w, %m, %a) {gain=16, chunk_channels=2}
      output %y
    }"""
    assert "addends are computed" in call_of(parse_graph(text), host, analog).reason


def test_boards_without_the_array_are_refused_and_the_chip_is_not(
    analog: tuple[Kernel, ...],
) -> None:
    refused = call_of(one(), target("siracusa"), analog)
    assert "which has its twin: siracusa has not" in refused.reason
    assert call_of(one(), target("diana"), analog).kernel == NAME


@pytest.mark.parametrize(
    ("shape", "size_bytes"),
    [
        ((1, 1, 3, 16), 64),
        ((1, 2, 2, 17), 128),
        ((1, 2, 2, 64), 256),
        ((1, 1, 1, 65), 128),
    ],
)
def test_pixels_are_padded_to_banks(shape: tuple[int, ...], size_bytes: int) -> None:
    assert layout_bytes("diana_pixels", TensorType(shape, DType.INT8)) == size_bytes


def test_vectors_are_no_pixels() -> None:
    with pytest.raises(GraphError, match=r"expected i8\[1,H,W,C\], got .*\(4,\)"):
        layout_bytes("diana_pixels", TensorType((4,), DType.INT8))
