"""Ranges that are learned, and whether networks are better for it."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_ir import DType, Graph, Quantization, evaluate_graph, parse_graph
from tinsmith_ir.errors import UnsupportedError, UsageError
from tinsmith_ir.printer import print_graph
from tinsmith_qdq import FoldQuantization, remaining
from tinsmith_quantization import Losses, Scheme, quantize, sqnr
from tinsmith_quantization.judging import Judge, Made
from tinsmith_quantization.ranges.calibration import Calibration, calibrated
from tinsmith_quantization.side_by_side import SideBySide
from tinsmith_quantization.training.fresh_inputs import FreshInputs
from tinsmith_quantization.training.gradient_rounding import RangeSlopes
from tinsmith_quantization.training.learned_ranges import LearnedRanges
from tinsmith_quantization.training.range_choice import with_best_ranges

Arrays = dict[str, NDArray[np.generic]]
_LEARNED = Scheme(method="learned", range_steps=60)


def network(curve: str = "relu") -> Graph:
    """Three layers, with a rectifier, a softmax and what only moves elements."""
    random = np.random.default_rng(1)

    def numbers(count: int, size: float) -> str:
        return ", ".join(map(str, (random.normal(size=count) * size).round(3)))

    return parse_graph(f"""graph 2 "g" {{
  input %x: f32[1,6,6,1]
  const %a: f32[8,3,3,1] = [{numbers(72, 0.5)}]
  const %c: f32[12,1,1,8] = [{numbers(96, 0.5)}]
  const %e: f32[4,108] = [{numbers(432, 0.3)}]
  %f: f32[1,6,6,8] = conv2d(%x, %a) {{padding=[1,1,1,1]}}
  %g: f32[1,6,6,8] = {curve}(%f)
  %h: f32[1,6,6,12] = conv2d(%g, %c)
  %m: f32[1,3,3,12] = max_pool2d(%h) {{window=[2,2], stride=[2,2]}}
  %r: f32[1,108] = reshape(%m) {{shape=[1,108]}}
  %j: f32[1,4] = fully_connected(%r, %e)
  %y: f32[1,4] = softmax(%j)
  output %y
}}""")


def samples(count: int, seed: int = 3) -> list[Arrays]:
    random = np.random.default_rng(seed)
    return [{"x": random.normal(size=(1, 6, 6, 1)).astype(np.float32)} for _ in range(count)]


def calibration(scheme: Scheme, graph: Graph | None = None) -> Calibration:
    given = np.stack([sample["x"] for sample in samples(4)])
    return calibrated(graph or network(), {"x": given}, scheme)


def score_db(graph: Graph, scheme: Scheme, seen: int) -> float:
    """Signal to noise of the scores of inputs that calibration has not seen."""
    made = quantize(graph, samples(seen), scheme).graph
    types = {value.name: value.type for value in (*made.inputs, *made.outputs)}
    wanted: list[NDArray[np.generic]] = []
    got: list[NDArray[np.generic]] = []
    for sample in samples(60, seed=9):
        (real,) = evaluate_graph(graph, sample).values()
        source = types["x"].quantization
        result = types["j"].quantization
        assert source is not None
        assert result is not None
        steps = np.rint(sample["x"].astype(np.float64) / source.scale) + source.zero_point
        given = {
            "x": np.clip(steps, *types["x"].dtype.integer_range).astype(types["x"].dtype.numpy)
        }
        (found,) = evaluate_graph(made, given).values()
        wanted.append(real)
        got.append(result.scale * (found.astype(np.float64) - result.zero_point))
    return sqnr(wanted, got)


def without_softmax(graph: Graph) -> Graph:
    return replace(graph, nodes=graph.nodes[:-1], outputs=(graph.nodes[-2].outputs[0],))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"activations": DType.INT16},
        {"symmetric": True},
        {"symmetric": True, "power_of_two": True},
        {"unsigned_ends": True},
        {"weight_bits": 4},
    ],
)
def test_learned_ranges_are_never_worse_on_the_samples(changes: Mapping[str, object]) -> None:
    chosen = replace(_LEARNED, **changes)  # pyright: ignore[reportArgumentType]
    made = quantize(network("tanh" if chosen.symmetric else "relu"), samples(5), chosen)
    learning = made.losses.learning
    assert learning is not None
    assert not learning.is_adopted or learning.learned_db >= learning.calibrated_db
    plain = quantize(
        network("tanh" if chosen.symmetric else "relu"), samples(5), replace(chosen, method="mse")
    )
    assert plain.losses.learning is None
    assert (print_graph(plain.graph) == print_graph(made.graph)) == (not learning.is_adopted)
    if chosen.activations is DType.INT8:
        assert not remaining(FoldQuantization().run(made.graph))


def test_what_is_learned_loses_less_of_inputs_that_were_not_seen() -> None:
    graph, chosen = without_softmax(network()), replace(_LEARNED, weights="nearest")
    plain = score_db(graph, replace(chosen, method="mse"), 3)
    assert score_db(graph, replace(chosen, range_steps=150), 3) > plain + 2


def test_the_same_samples_give_the_same_bytes() -> None:
    first, second = (quantize(network(), samples(4), _LEARNED) for _ in range(2))
    assert print_graph(first.graph) == print_graph(second.graph)
    assert first.losses == second.losses


def test_tensors_of_one_quantization_have_one_range_and_given_ones_are_kept() -> None:
    found = calibration(_LEARNED)
    ranges = LearnedRanges(found)
    assert ranges.names == {"x", "f", "g", "h", "m", "r", "j"}
    slopes = {name: RangeSlopes(1.0, 0.0) for name in ranges.names}
    for count in range(1, 6):
        ranges.step(slopes, count, 1.0)
    types = ranges.types()
    assert types["h"] == types["m"] == types["r"]
    assert types["y"] == found.types["y"]
    for name in ranges.names:
        assert types[name].scale < found.types[name].scale


def test_zero_points_move_but_at_the_ends_of_the_integers() -> None:
    found = calibration(_LEARNED)
    assert found.types["g"].zero_point == -128
    ranges = LearnedRanges(found)
    slopes = {name: RangeSlopes(0.0, -1.0) for name in ranges.names}
    for count in range(1, 35):
        ranges.step(slopes, count, 1.0)
    types = ranges.types()
    assert types["g"] == found.types["g"]
    assert types["x"].zero_point == found.types["x"].zero_point + 5
    assert types["x"].scale == found.types["x"].scale


@pytest.mark.parametrize("activations", [DType.INT8, DType.INT16])
def test_symmetric_ranges_stay_symmetric(activations: DType) -> None:
    found = calibration(replace(_LEARNED, symmetric=True, activations=activations))
    ranges = LearnedRanges(found)
    ranges.step({name: RangeSlopes(1.0, 1.0) for name in ranges.names}, 1, 1.0)
    types = ranges.types()
    assert {types[name].zero_point for name in ranges.names} == {0}
    assert types["x"].scale < found.types["x"].scale


def test_powers_of_two_stay_such_and_move_by_whole_ones() -> None:
    found = calibration(replace(_LEARNED, symmetric=True, power_of_two=True))
    ranges = LearnedRanges(found)
    slopes = {name: RangeSlopes(1.0, 0.0) for name in ranges.names}
    ranges.step(slopes, 1, 1.0)
    assert ranges.types() == found.types
    for count in range(2, 150):
        ranges.step(slopes, count, 1.0)
    assert ranges.types()["x"].scale == found.types["x"].scale / 2


def test_ranges_are_learned_with_weights_that_are_trained() -> None:
    steps: list[str] = []
    chosen = replace(_LEARNED, weight_bits=2, weights="distilled", steps=20)
    made = quantize(network(), samples(4), chosen, steps.append)
    learning = made.losses.learning
    assert steps.count("distilling") == 20
    assert "learning ranges" not in steps
    assert learning is not None
    moved = [change for change in learning.ranges if change.calibrated != change.learned]
    assert {change.name for change in moved} >= {"x", "g", "h"}


def test_ranges_are_learned_behind_networks_whose_weights_are_not() -> None:
    steps: list[str] = []
    quantize(network(), samples(4), replace(_LEARNED, weights="distilled"), steps.append)
    assert "distilling" not in steps
    assert steps.count("learning ranges") == 60


class Fresh:
    """Inputs of which networks with some ranges give so many decibels."""

    def __init__(self, types: Mapping[str, Quantization], scores: float) -> None:
        self._types, self._scores = types, scores

    def decibels(self, made: Made, calibration: Calibration) -> float:
        del made
        return self._scores if calibration.types == self._types else 30.0


def test_what_is_not_better_is_not_adopted() -> None:
    graph = network()
    found = calibration(_LEARNED, graph)
    arrays = {"x": np.stack([sample["x"] for sample in samples(4)])}
    judge = Judge.of(graph, arrays)
    worse = {**found.types, "x": Quantization.per_tensor(0.5, 0)}

    def make(choice: Calibration) -> Made:
        noise = 0.1 if choice.types["x"] == worse["x"] else 0.01
        return Made(graph, Losses(), {}, {"y": np.asarray(judge.wanted["y"], np.float64) + noise})

    kept = with_best_ranges(judge, make, found, lambda first: [worse], lambda: Fresh({}, 0.0))
    assert kept.losses.learning is not None
    assert not kept.losses.learning.is_adopted
    assert kept.losses.learning.learned_db == pytest.approx(
        kept.losses.learning.calibrated_db - 20, abs=0.01
    )
    changes = {change.name: change for change in kept.losses.learning.ranges}
    assert changes["x"].learned == (-64.0, 63.5)
    assert "y" not in changes
    for scores, is_adopted in ((29.9, False), (30.0, True)):
        taken = with_best_ranges(
            judge,
            make,
            replace(found, types=worse),
            lambda first: [found.types],
            partial(Fresh, found.types, scores),
        )
        assert taken.losses.learning is not None
        assert taken.losses.learning.is_adopted == is_adopted


def test_fresh_inputs_are_judged_as_the_network_that_is_written_gives_them() -> None:
    graph, chosen = network(), replace(_LEARNED, weights="nearest", method="mse")
    given = {"x": np.stack([sample["x"] for sample in samples(4)])}
    found = calibrated(graph, given, chosen)
    fresh = FreshInputs.of(graph, given)
    both = SideBySide(graph, chosen, found, given, {})
    written = both.run(lambda name: None)
    made = Made(written, both.losses, both.layers, both.kept())
    arrays = np.concatenate([batch["x"] for batch in fresh.inputs]).astype(np.float32)
    wanted: list[NDArray[np.generic]] = []
    got: list[NDArray[np.generic]] = []
    source, result = found.types["x"], found.types["j"]
    for array in arrays:
        (real,) = evaluate_graph(without_softmax(graph), {"x": array}).values()
        steps = np.rint(array.astype(np.float64) / source.scale) + source.zero_point
        values = {"x": np.clip(steps, -128, 127).astype(np.int8)}
        scores = replace(written, outputs=(written.values["j"],))
        (integers,) = evaluate_graph(scores, values).values()
        wanted.append(real)
        got.append(result.scale * (integers.astype(np.float64) - result.zero_point))
    assert fresh.decibels(made, found) == pytest.approx(sqnr(wanted, got), abs=0.1)
    assert not any(np.array_equal(array, sample) for array in arrays for sample in given["x"])


def test_operators_without_a_derivative_are_refused_by_name() -> None:
    graph = parse_graph("""graph 2 "g" {
  input %x: f32[1,4]
  %y: f32[1,4] = l2_normalization(%x)
  output %y
}""")
    given = [{"x": np.arange(1, 5, dtype=np.float32)[None]}]
    with pytest.raises(
        UnsupportedError, match=r"got l2_normalization for 'y'.*a method other than learned"
    ):
        quantize(graph, given, _LEARNED)


def test_steps_are_at_least_one() -> None:
    with pytest.raises(UsageError, match="expected range_steps of 1 or more, got 0"):
        Scheme(range_steps=0)
