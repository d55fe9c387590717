"""Outputs that come back as inputs: one quantization, samples that follow one another, and states."""

import numpy as np
import pytest
from tinsmith_ir import evaluate_frames, evaluate_graph, parse_graph
from tinsmith_ir.errors import UsageError
from tinsmith_qdq import FoldQuantization
from tinsmith_quantization import Scheme, keep, quantize, with_caches

SUMS = """graph 2 "sums" {
  input %x: f32[1,4]
  input %past: f32[1,4]
  const %half: f32[1] = [0.5]
  %less: f32[1,4] = mul(%past, %half)
  %present: f32[1,4] = add(%x, %less)
  output %present
  output %less
}"""
PAIRS = {"present": "past"}


def test_samples_find_what_the_run_before_gave() -> None:
    samples = [{"x": np.full((1, 4), number, np.float32)} for number in (4.0, 2.0, 1.0)]
    found = [sample["past"].tolist() for sample in with_caches(parse_graph(SUMS), samples, PAIRS)]
    assert found == [[[0.0] * 4], [[4.0] * 4], [[4.0] * 4]]


def test_without_pairs_samples_stay_as_they_are() -> None:
    samples = [{"x": np.ones(4, np.float32), "past": np.ones(4, np.float32)}]
    assert list(with_caches(parse_graph(SUMS), samples, {})) == samples


def test_a_pair_has_one_quantization_that_holds_both() -> None:
    graph = parse_graph(SUMS)
    random = np.random.default_rng(0)
    samples = [
        {
            "x": random.uniform(-1, 1, (1, 4)).astype(np.float32),
            "past": random.uniform(-9, 9, (1, 4)).astype(np.float32),
        }
        for _ in range(8)
    ]
    chosen = Scheme(method="minmax")
    alone = quantize(graph, samples, chosen).graph
    assert alone.inputs[1].type != alone.outputs[0].type
    tied = quantize(graph, samples, chosen, same=PAIRS).graph
    assert tied.inputs[1].type == tied.outputs[0].type
    widest = max(float(np.abs(sample["past"]).max()) for sample in samples)
    quantization = tied.outputs[0].type.quantization
    assert quantization is not None
    assert 254 * quantization.scale > widest


def test_what_is_kept_begins_at_real_zero_and_goes_from_run_to_run() -> None:
    graph = parse_graph(SUMS)
    frames = [{"x": np.full((1, 4), number, np.float32)} for number in (4.0, 2.0, 1.0, -8.0)]
    samples = list(with_caches(graph, frames, PAIRS))
    made = quantize(graph, samples, Scheme(method="minmax"), same=PAIRS).graph
    folded = FoldQuantization().run(made)
    kept = keep(folded, PAIRS)
    assert [value.name for value in kept.inputs] == ["x"]
    assert [value.name for value in kept.outputs] == ["less"]
    (state,) = kept.states
    quantization = state.value.type.quantization
    assert quantization is not None
    assert quantization.zero_point != 0
    assert (state.initial == quantization.zero_point).all()
    given = [{"x": np.full((1, 4), number, np.int8)} for number in (50, -3, 100, 7)]
    found = list(evaluate_frames(kept, given))
    past = state.initial
    for frame, results in zip(given, found, strict=True):
        wanted = evaluate_graph(folded, {**frame, "past": past})
        assert (results["less"] == wanted["less"]).all()
        past = wanted["present"]


@pytest.mark.parametrize(
    ("pairs", "reason"),
    [
        ({"y": "past"}, "expected an output of present, less, got 'y'"),
        ({"present": "y"}, "expected an input of x, past, got 'y'"),
        ({"present": "past", "less": "past"}, "expected each input once, got past, past"),
    ],
)
def test_pairs_that_are_none_are_refused(pairs: dict[str, str], reason: str) -> None:
    graph = parse_graph(SUMS)
    with pytest.raises(UsageError, match=reason):
        keep(graph, pairs)
    with pytest.raises(UsageError, match=reason):
        quantize(graph, [], Scheme(), same=pairs)


def test_a_pair_of_two_quantizations_cannot_be_kept() -> None:
    graph = parse_graph("""graph 2 "g" {
      input %past: i8[2]<0.5, 1>
      %present: i8[2]<0.25, 1> = requantize(%past)
      output %present
    }""")
    with pytest.raises(
        UsageError,
        match=r"expected one quantization, got i8\[2\]<0.25, 1> and i8\[2\]<0.5, 1>; quantize",
    ):
        keep(graph, PAIRS)


def test_a_pair_of_two_shapes_is_refused() -> None:
    graph = parse_graph("""graph 2 "g" {
      input %past: f32[2]
      %present: f32[2,1] = reshape(%past) {shape=[2,1]}
      output %present
    }""")
    with pytest.raises(
        UsageError, match=r"pair present=past: expected an input of f32\[2,1\], got f32\[2\]"
    ):
        keep(graph, PAIRS)
