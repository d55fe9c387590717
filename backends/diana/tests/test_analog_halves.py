"""What analog layers read of 8 bits is halved, and a sum that is read by nobody else gives the half at once."""

import numpy as np
import pytest
from analog_graphs import mapped, mnemonics, ternary
from tinsmith_diana.analog import MapAnalog
from tinsmith_diana.analog.fitting import narrowing
from tinsmith_diana.analog.folding import with_halved_sums
from tinsmith_ir import Graph, evaluate_graph, parse_graph
from tinsmith_ir.types import DType, Quantization, TensorType

_INTEGERS = np.arange(-128, 128).astype(np.int8)
_PAIRS = {"x": np.repeat(_INTEGERS, 256), "y": np.tile(_INTEGERS, 256)}


def narrowed(scale: float, point: int) -> tuple[float, list[int]]:
    """The scale in 7 bits, and what each int8 becomes."""
    type_ = TensorType((256,), DType.INT8, Quantization.per_tensor(scale, point))
    operator, result = narrowing(type_)
    (found,) = operator.evaluate([_INTEGERS], [type_], [result])
    assert result.quantization is not None
    assert result.quantization.zero_point == 0
    return result.quantization.scale, found.tolist()


def test_integers_of_zero_point_0_are_halved_and_rounded_down() -> None:
    assert narrowed(0.3, 0) == (0.6, [number >> 1 for number in range(-128, 128)])


@pytest.mark.parametrize("point", [-128, -1, 5, 127])
def test_those_of_another_are_within_7_bits_and_near(point: int) -> None:
    """Off by a half, and by another half of a step that TFLite rounds before."""
    scale, found = narrowed(0.3, point)
    assert -64 <= min(found) <= max(found) <= 63
    reals = 0.3 * (np.arange(-128, 128) - point)
    assert np.abs(np.array(found) * scale - reals).max() <= scale * 0.75


def sums(
    *,
    scales: tuple[float, float, float] = (0.5, 0.5, 1.0),
    point: int = 0,
    attributes: str = "rounding=floor",
    half: str = "requantize(%s) {rounding=floor}",
    outputs: str = "%h",
    twice: float = 2.0,
) -> Graph:
    """A sum of two vectors of 65,536 elements, and its half."""
    lhs, rhs, total = scales
    given = "\n".join(f"output {name}" for name in outputs.split())
    return parse_graph(f"""graph 2 "sums" {{
      input %x: i8[65536]<{lhs}, {point}>
      input %y: i8[65536]<{rhs}, 0>
      %s: i8[65536]<{total}, 0> = add(%x, %y) {{{attributes}}}
      %h: i8[65536]<{total * twice}, 0> = {half}
      {given}
    }}""")


@pytest.mark.parametrize(
    "scales",
    [(0.5, 0.5, 1.0), (0.5, 0.5, 4.0), (0.5, 0.25, 1.0), (0.3, 0.7, 1.1)],
)
def test_a_sum_gives_its_half_of_all_operands(scales: tuple[float, float, float]) -> None:
    before = sums(scales=scales)
    after = with_halved_sums(before)
    assert mnemonics(after) == ["add"]
    assert after.outputs == before.outputs
    wanted, got = (evaluate_graph(graph, _PAIRS)["h"] for graph in (before, after))
    assert wanted.tolist() == got.tolist()
    assert len(np.unique(got)) > 16


@pytest.mark.parametrize(
    "graph",
    [
        pytest.param(sums(scales=(0.5, 0.5, 0.5)), id="a sum that is clipped"),
        pytest.param(sums(scales=(0.5, 0.5, 0.9)), id="a sum that is clipped at times"),
        pytest.param(sums(point=1), id="a zero point"),
        pytest.param(sums(attributes="rounding=nearest"), id="a sum that is rounded to nearest"),
        pytest.param(sums(attributes=""), id="a sum that is rounded as TFLite does"),
        pytest.param(sums(attributes="rounding=floor, activation=relu"), id="a sum with ReLU"),
        pytest.param(sums(half="requantize(%s) {rounding=nearest}"), id="a nearest half"),
        pytest.param(sums(twice=4.0), id="a quarter"),
        pytest.param(sums(twice=2.5), id="no half"),
        pytest.param(sums(outputs="%s %h"), id="a sum that is given out"),
        pytest.param(sums(half="requantize(%x) {rounding=floor}", outputs="%s %h"), id="no sum"),
    ],
)
def test_other_sums_stay(graph: Graph) -> None:
    assert with_halved_sums(graph) is graph


def block(*, second: str) -> Graph:
    """A sum that a convolution reads, and a second reader of it."""
    return parse_graph(f"""graph 2 "block" {{
      input %x: i8[1,6,6,16]<0.5, 0>
      input %y: i8[1,6,6,16]<0.5, 0>
      const %w: i2[16,3,3,16]<0.1, 0> = {ternary(16, 3, 3, 16)}
      const %v: i2[16,1,1,16]<0.1, 0> = {ternary(16, 1, 1, 16, seed=2)}
      %s: i8[1,6,6,16]<1.0, 0> = add(%x, %y) {{rounding=floor}}
      %a: i8[1,6,6,16]<7.0, 0> = conv2d(%s, %w) {{padding=[1,1,1,1]}}
      %b: i8[1,6,6,16]<7.0, 0> = {second}
      output %a
      output %b
    }}""")


def test_a_sum_that_analog_layers_alone_read_is_halved_by_itself() -> None:
    graph, _ = mapped(block(second="conv2d(%s, %v)"), MapAnalog(gain=16, least_db=6.1))
    assert mnemonics(graph) == ["add", "analog_conv2d", "analog_conv2d"]
    assert graph.nodes[0].name == "s.narrow"


def test_a_sum_that_others_read_too_is_halved_beside_them() -> None:
    graph, _ = mapped(block(second="requantize(%s)"), MapAnalog(gain=16, least_db=6.1))
    assert mnemonics(graph) == ["add", "requantize", "analog_conv2d", "requantize"]


def test_the_mean_that_halves_lose_is_made_good() -> None:
    """All inputs are odd and all weights 1: without it every result would be 9 times half a step too small."""
    graph = parse_graph("""graph 2 "g" {
      input %x: i8[1,4,4,9]<0.5, 0>
      const %w: i2[1,1,1,9]<1.0, 0> = [1, 1, 1, 1, 1, 1, 1, 1, 1]
      %y: i8[1,4,4,1]<0.5, 0> = conv2d(%x, %w)
      output %y
    }""")
    odd = {"x": np.random.default_rng(0).integers(-8, 8, (1, 4, 4, 9)).astype(np.int8) * 2 + 1}
    made, _ = mapped(graph, MapAnalog(gain=1, samples=[odd], least_db=6.1))
    wanted, got = (evaluate_graph(each, odd)["y"].astype(int) for each in (graph, made))
    inside = np.abs(wanted) < 60
    assert inside.any()
    assert np.abs(wanted - got)[inside].max() <= 1
