"""Networks for hardware that only shifts: exponents by what they lose, and sums of one scale."""

from dataclasses import replace

import numpy as np
from tinsmith_ir import Graph, parse_graph
from tinsmith_ir.dtypes import DType
from tinsmith_qdq import FoldQuantization
from tinsmith_quantization import Scheme, quantize, scheme
from tinsmith_quantization.ranges.histogram import Histogram
from tinsmith_quantization.ranges.ranges import quantization_of, range_of

SHIFTS = replace(scheme("power-of-two"), per_channel=False)


def scale_of(numbers: list[float], chosen: Scheme = SHIFTS) -> float:
    histogram = Histogram()
    histogram.add(np.array(numbers, np.float32))
    found = range_of(histogram, chosen)
    return quantization_of(found, DType.INT8, power_of_two=True).scale


def test_numbers_just_beyond_a_power_of_two_are_clipped() -> None:
    """Twice the step would add 3 * 2**-12 / 12 to the mean square of each of thousands of numbers."""
    numbers = [*np.linspace(-1.0, 1.0, 5000), 1.05]
    assert scale_of(numbers) == 2.0**-7
    assert scale_of(numbers, replace(SHIFTS, method="minmax")) == 2.0**-6


def test_numbers_far_beyond_a_power_of_two_are_not() -> None:
    assert scale_of([*np.linspace(-1.0, 1.0, 5000), 60.0]) == 2.0**-1
    assert scale_of([0.0] * 9) > 2.0**-8


def residual(activation: str = "relu") -> Graph:
    weights = str([1.0, 0.0, 0.0, 1.0])
    small = str([0.25, 0.0, 0.0, 0.25])
    return parse_graph(f"""graph 2 "g" {{
      input %x: f32[1,2,2,2]
      const %a: f32[2,1,1,2] = {weights}
      const %b: f32[2,1,1,2] = {small}
      %1: f32[1,2,2,2] = conv2d(%x, %a)
      %2: f32[1,2,2,2] = conv2d(%1, %b)
      %3: f32[1,2,2,2] = add(%1, %2) {{activation={activation}}}
      output %3
    }}""")


def samples() -> list[dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]]:
    random = np.random.default_rng(3)
    return [{"x": random.normal(size=(1, 2, 2, 2)).astype(np.float32)} for _ in range(8)]


def scales_of_sum(chosen: Scheme) -> list[float]:
    """Of its operands and of its result, as operators of integers have them."""
    made = FoldQuantization().run(quantize(residual(), samples(), chosen).graph)
    node = made.nodes[-1]
    assert node.operator.mnemonic == "add"
    found = [value.type.quantization for value in (*node.present_inputs, *node.outputs)]
    return [each.scale for each in found if each is not None]


def test_alike_sums_have_one_scale() -> None:
    assert len(set(scales_of_sum(SHIFTS))) > 1
    (scale,) = set(scales_of_sum(replace(SHIFTS, alike_sums=True)))
    assert np.frexp(scale)[0] == 0.5


def test_sums_with_constants_stay_what_they_are() -> None:
    graph = parse_graph("""graph 2 "g" {
      input %x: f32[1,4]
      const %c: f32[1,4] = [0.5, 8.0, -4.0, 1.0]
      %1: f32[1,4] = add(%x, %c)
      output %1
    }""")
    given = [{"x": np.array([[0.1, -0.1, 0.05, 0.02]], np.float32)}]
    plain, alike = (
        quantize(graph, given, replace(SHIFTS, alike_sums=each)).graph for each in (False, True)
    )
    assert plain.inputs == alike.inputs


def test_weights_just_beyond_a_power_of_two_are_clipped() -> None:
    """One weight of 64 of 1.05 would make the step of all others twice as wide."""
    random = np.random.default_rng(4)
    data = random.uniform(-0.99, 0.99, size=(1, 64))
    data[0, 7] = 1.005
    text = str([float(each) for each in data.reshape(-1)])
    graph = parse_graph(f"""graph 2 "g" {{
      input %x: f32[1,64]
      const %w: f32[1,64] = {text}
      %1: f32[1,1] = fully_connected(%x, %w)
      output %1
    }}""")
    given = [{"x": random.normal(size=(1, 64)).astype(np.float32)} for _ in range(400)]
    assert _scale_of_weights(graph, given, SHIFTS) == 2.0**-7
    assert _scale_of_weights(graph, given, replace(SHIFTS, weights="nearest")) == 2.0**-6


def _scale_of_weights(
    graph: Graph,
    given: list[dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]],
    chosen: Scheme,
) -> float:
    made = FoldQuantization().run(quantize(graph, given, chosen).graph)
    found = made.nodes[-1].present_inputs[1].type.quantization
    assert found is not None
    return found.scales[0]
