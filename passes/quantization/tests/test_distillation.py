"""Networks of few bits that learn from the float network, and what they are shown."""

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_ir import Graph, evaluate_graph, parse_graph
from tinsmith_ir.errors import UsageError
from tinsmith_ir.printer import print_graph
from tinsmith_qdq import FoldQuantization, remaining
from tinsmith_quantization import Scheme, quantize, scheme, sqnr
from tinsmith_quantization.training.synthesis import Synthesis

Arrays = dict[str, NDArray[np.generic]]


def network() -> Graph:
    """Two layers between a first and a last one, with random weights."""
    random = np.random.default_rng(1)

    def numbers(count: int, size: float) -> str:
        return ", ".join(map(str, random.normal(size=count).round(3) * size))

    return parse_graph(f"""graph 2 "g" {{
  input %x: f32[1,6,6,1]
  const %a: f32[8,3,3,1] = [{numbers(72, 0.5)}]
  const %b: f32[1,3,3,8] = [{numbers(72, 0.5)}]
  const %c: f32[12,1,1,8] = [{numbers(96, 0.5)}]
  const %d: f32[12] = [{numbers(12, 0.2)}]
  const %e: f32[4,12] = [{numbers(48, 1.0)}]
  %f: f32[1,6,6,8] = conv2d(%x, %a) {{padding=[1,1,1,1], activation=relu}}
  %g: f32[1,6,6,8] = depthwise_conv2d(%f, %b) {{padding=[1,1,1,1], activation=relu}}
  %h: f32[1,6,6,12] = conv2d(%g, %c, %d) {{activation=relu}}
  %i: f32[1,12] = mean(%h) {{axes=[1,2]}}
  %j: f32[1,4] = fully_connected(%i, %e)
  %y: f32[1,4] = softmax(%j)
  output %y
}}""")


def samples(count: int, seed: int = 3) -> list[Arrays]:
    """Smooth images."""
    random = np.random.default_rng(seed)
    places = np.linspace(0, 1, 6)
    found: list[Arrays] = []
    for _ in range(count):
        across, down, phase = random.normal(size=3) * 4
        image = np.sin(across * places[:, None] + down * places[None, :] + phase)
        found.append({"x": image.astype(np.float32).reshape(1, 6, 6, 1)})
    return found


def scores(graph: Graph, given: list[Arrays]) -> list[NDArray[np.float64]]:
    """What the softmax at the end reads, by the logarithm of its result."""
    found: list[NDArray[np.float64]] = []
    for sample in given:
        (result,) = evaluate_graph(graph, sample).values()
        found.append(np.log(np.maximum(result.astype(np.float64), 1e-6)))
    return found


def in_real_numbers(graph: Graph, chosen: Scheme) -> tuple[Graph, list[Arrays]]:
    """The quantized graph, and samples that it has not seen as its integers."""
    made = quantize(graph, samples(8), chosen).graph
    type_ = made.inputs[0].type.quantization
    assert type_ is not None
    given: list[Arrays] = []
    for sample in samples(20, seed=9):
        steps = np.rint(sample["x"].astype(np.float64) / type_.scale) + type_.zero_point
        given.append({"x": np.clip(steps, -128, 127).astype(np.int8)})
    return made, given


def loss_db(graph: Graph, chosen: Scheme) -> float:
    made, given = in_real_numbers(graph, chosen)
    output = made.outputs[0].type.quantization
    assert output is not None
    got: list[NDArray[np.float64]] = []
    for sample in given:
        (found,) = evaluate_graph(made, sample).values()
        got.append(output.scale * (found.astype(np.float64) - output.zero_point))
    wanted = [np.exp(array) for array in scores(graph, samples(20, seed=9))]
    return sqnr(wanted, got)


def test_training_makes_ternary_weights_lose_less() -> None:
    graph = network()
    losses = [
        loss_db(graph, Scheme(weight_bits=2, weights="distilled", steps=steps))
        for steps in (1, 300)
    ]
    assert losses[1] > losses[0] + 3


def test_weights_are_integers_of_the_scheme() -> None:
    made, _ = in_real_numbers(network(), Scheme(weight_bits=2, weights="distilled", steps=5))
    stored = [
        constant.data
        for constant in made.constants
        if constant.data.dtype == np.int8 and constant.data.ndim == 4
    ]
    assert sorted(int(np.abs(data).max()) for data in stored) == [1, 1, 127]
    assert not remaining(FoldQuantization().run(made))


def test_the_same_samples_give_the_same_bytes() -> None:
    chosen = Scheme(weight_bits=2, weights="distilled", steps=5)
    first, second = (quantize(network(), samples(4), chosen).graph for _ in range(2))
    assert print_graph(first) == print_graph(second)


def test_networks_of_8_bits_are_not_trained() -> None:
    steps: list[str] = []
    quantize(network(), samples(4), Scheme(weights="distilled"), steps.append)
    assert "distilling" not in steps
    quantize(
        network(), samples(4), Scheme(weight_bits=4, weights="distilled", steps=3), steps.append
    )
    assert steps.count("distilling") == 3


def test_one_scale_for_a_layer_and_powers_of_two_stay_what_they_are() -> None:
    chosen = Scheme(weight_bits=2, weights="distilled", steps=5, power_of_two=True)
    made, _ = in_real_numbers(network(), chosen)
    scales = [
        float(scale)
        for constant in made.constants
        if constant.value.name.endswith("_scales")
        for scale in constant.data.reshape(-1)
    ]
    assert scales
    assert all(np.log2(scale) == round(np.log2(scale)) for scale in scales)


def test_layers_with_the_same_weights_keep_them() -> None:
    random = np.random.default_rng(1)
    numbers = ", ".join(map(str, random.normal(size=16).round(3)))
    graph = parse_graph(f"""graph 2 "g" {{
  input %x: f32[1,4]
  const %w: f32[4,4] = [{numbers}]
  %a: f32[1,4] = fully_connected(%x, %w) {{activation=relu}}
  %b: f32[1,4] = fully_connected(%a, %w) {{activation=relu}}
  %c: f32[1,4] = fully_connected(%b, %w)
  output %c
}}""")
    given = [{"x": random.normal(size=(1, 4)).astype(np.float32)} for _ in range(6)]
    chosen = Scheme(weight_bits=2, end_bits=2, weights="distilled", steps=4)
    made = quantize(graph, given, chosen).graph
    weights = [c for c in made.constants if c.data.size == 16]
    assert len(weights) == 1


def test_ternary_is_trained_by_default() -> None:
    assert scheme("ternary").weights == "distilled"


def test_steps_are_at_least_one() -> None:
    with pytest.raises(UsageError, match="expected steps of 1 or more, got 0"):
        Scheme(steps=0)


@pytest.mark.parametrize("shape", [(1, 7), (1, 12, 3), (1, 8, 9, 2), (1, 3, 8, 9), (5,)])
def test_inputs_that_are_made_are_like_the_samples(shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(2)
    given = random.uniform(-2, 3, (4, *shape)).astype(np.float32)
    made = Synthesis({"x": given}, np.random.default_rng(1)).batch(16)["x"]
    assert made.shape == (16, *shape)
    assert made.min() >= given.min()
    assert made.max() <= given.max()
    assert len(np.unique(made.reshape(16, -1), axis=0)) == 16
    again = Synthesis({"x": given}, np.random.default_rng(1)).batch(16)["x"]
    assert np.array_equal(made, again)


def test_integers_are_those_of_a_sample() -> None:
    given = {"t": np.array([[3], [5]], np.int32), "x": np.ones((2, 1, 4), np.float32)}
    made = Synthesis(given, np.random.default_rng(1)).batch(8)
    assert set(made["t"].reshape(-1).tolist()) == {3.0, 5.0}
