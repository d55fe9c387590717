"""Requantize as a shift by the digital accelerator, of what lies in rows or in pixels."""

from pathlib import Path

import numpy as np
import pytest
from pixel_networks import analog_layer, turned_inputs
from tinsmith_c.testing import HostModel, KernelObjects
from tinsmith_diana.analog.convolution import NAME as ANALOG
from tinsmith_diana.rules import IN_PIXELS, IN_ROWS
from tinsmith_ir import Graph, parse_graph
from tinsmith_ir.operators import Requantize
from tinsmith_ir.program import Call
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import DType, Quantization, TensorType
from tinsmith_lowering import Kernel, lower
from tinsmith_target import Target

_SHIFTS = (-1, 0, 1, 3, 7)
_FLOOR = "rounding=floor"


def shifted_rows(
    source: str = "<0.5, 0>",
    results: tuple[str, ...] = tuple(f"<{0.5 * 2.0**shift}, 0>" for shift in _SHIFTS),
    *,
    shape: str = "1,16,16,1",
    attributes: str = _FLOOR,
) -> Graph:
    """An image as it is, by the array, and each result of it."""
    shifts = "\n".join(
        f"%y{i}: i8[{shape}]{result} = requantize(%d) {{{attributes}}}\n output %y{i}"
        for i, result in enumerate(results)
    )
    return parse_graph(f"""graph 2 "shifts" {{
      input %x: i8[{shape}]{source}
      const %w: i8[1,1,1,1]<1.0, 0> = [1]
      const %b: i32[1] = [0]
      %d: i8[{shape}]{source} = conv2d(%x, %w, %b) {{rounding=floor}}
      {shifts}
    }}""")


def shifts_of(graph: Graph, host: Target, kernels: tuple[Kernel, ...]) -> list[Call]:
    calls = lower(graph, host, kernels).calls
    return [call for call in calls if isinstance(call.operator, Requantize)]


def test_shifts_of_rows_are_the_evaluators(
    host: Target, both: tuple[Kernel, ...], both_objects: KernelObjects, tmp_path: Path
) -> None:
    """Of every value there is."""
    graph = shifted_rows()
    calls = shifts_of(graph, host, both)
    assert [call.kernel for call in calls] == [IN_ROWS] * len(_SHIFTS)
    model = HostModel.of_graph(graph, host, both, both_objects, tmp_path)
    values = np.arange(-128, 128).astype(np.int8).reshape(1, 16, 16, 1)
    assert model.wrong_results({"x": values}, graph) == []


@pytest.mark.parametrize("channels", [3, 20, 70])
def test_shifts_of_pixels_are_the_evaluators(
    channels: int,
    host: Target,
    both: tuple[Kernel, ...],
    both_objects: KernelObjects,
    tmp_path: Path,
) -> None:
    """Between two layers of the analog array, whose images are never turned."""
    builder = GraphBuilder("shifted")
    random = np.random.default_rng(4)
    quantization = Quantization.per_tensor(0.5, 0)
    x = builder.input("x", TensorType((1, 5, 7, 9), DType.INT8, quantization))
    first = analog_layer(builder, "first", x, channels, random)
    assert first.type.quantization is not None
    half = Quantization.per_tensor(2 * first.type.quantization.scale, 0)
    narrow = builder.add(Requantize(rounding=Rounding.FLOOR), [first], "half", half)
    graph = builder.build(analog_layer(builder, "last", narrow, 16, random))
    calls = lower(graph, host, both).calls
    assert [call.kernel for call in calls][1:4] == [ANALOG, IN_PIXELS, ANALOG]
    model = HostModel.of_graph(graph, host, both, both_objects, tmp_path)
    for seed in range(2):
        assert model.wrong_results(turned_inputs(graph, seed), graph) == []


@pytest.mark.parametrize(
    ("graph", "reason"),
    [
        (shifted_rows("<0.5, 3>"), "Zero points are 0, as there is no bias: they are 3 and 0"),
        (shifted_rows(results=("<1.0, -5>",)), "they are 0 and -5"),
        (shifted_rows(results=("<0.75, 0>",)), "from half to 2**30 times: the multiplier"),
        (shifted_rows(results=("<0.125, 0>",)), "the shift is -2"),
        (shifted_rows(results=("<1073741824.0, 0>",)), "the shift is 31"),
        (
            shifted_rows(results=("<1.0, 0>",), attributes=f"{_FLOOR}, activation=relu"),
            "it is clipped to 0 to 127",
        ),
        (
            shifted_rows(shape="1,400,400,1"),
            "L1 memory of 262,144 bytes together: they take 320,000",
        ),
    ],
)
def test_what_is_no_shift_is_refused(
    graph: Graph, reason: str, host: Target, both: tuple[Kernel, ...]
) -> None:
    call = shifts_of(graph, host, both)[0]
    assert IN_ROWS not in call.kernel
    assert reason in call.reason


def test_a_shift_that_rounds_to_nearest_is_anothers(host: Target, both: tuple[Kernel, ...]) -> None:
    graph = shifted_rows(results=("<1.0, 0>",), attributes="")
    (call,) = shifts_of(graph, host, both)
    assert IN_ROWS not in call.kernel


def test_dense_tensors_are_not_turned_for_a_shift(host: Target, both: tuple[Kernel, ...]) -> None:
    graph = parse_graph("""graph 2 "dense" {
      input %x: i8[1,4,4,3]<0.5, 0>
      %y: i8[1,4,4,3]<1.0, 0> = requantize(%x) {rounding=floor}
      output %y
    }""")
    (call,) = lower(graph, host, both).calls
    assert (
        f"{IN_ROWS}: Operands lie in its layouts already: operand 0 is not diana_rows"
        in call.reason
    )
    assert f"{IN_PIXELS}: Operands lie in its layouts already" in call.reason
