"""Networks on both of DIANA's arrays: what samples of calibration do, noise of the analog one, and what is said of
bounds.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tinsmith_driver.benchmarks.diana_layers import compiled
from tinsmith_driver.benchmarks.diana_mixed import (
    MIXED_PASSES,
    MIXED_SCHEME,
    MIXES,
    MixedRow,
    mixed_misses,
    mixed_text,
    mixes_of,
    with_noise,
)
from tinsmith_driver.benchmarks.diana_official import Judgement, as_read, graph_of, network_of
from tinsmith_driver.build import Build, built
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.inputs import Samples, load_samples
from tinsmith_driver.running import GroupResult, compare, run_samples
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_target import target

_DIGITS = Path(__file__).parents[2] / "examples/digits"
_TERNARY = ("block1_pointwise_1_Relu", "block2_pointwise_1_Relu")
_SECONDS = 120
_IMAGES, _LEAST_RIGHT = 30, 25

_ANSWERS = Judgement(20.0, 10)
ROW = MixedRow("ic", 2, 2, 150_000, 0.6, 0.7, True, 3.0, 10, _ANSWERS, _ANSWERS, _ANSWERS)


@pytest.fixture(scope="module")
def digits() -> tuple[Compilation, Samples]:
    """The digits' network with two ternary layers, and images that it was not made with."""
    made = network_of(
        _DIGITS / "digits_float.tflite",
        _DIGITS / "digits_calibration.npz",
        MIXED_SCHEME,
        dict.fromkeys(_TERNARY, 2),
    )
    assert len(made.model.samples) == 10
    (samples,) = load_samples(_DIGITS / "digits_test.npz", made.real, _IMAGES)
    return compiled(made.model, "both", MIXED_PASSES), as_read(graph_of(made.model), samples)


@pytest.fixture(scope="module")
def build(digits: tuple[Compilation, Samples]) -> Iterator[Build]:
    try:
        need_emulator(target("diana").board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))
    with built(digits[0]) as found:
        yield found


def outputs(build: Build, digits: tuple[Compilation, Samples]) -> GroupResult:
    compilation, samples = digits
    measured = run_samples(build, compilation.graph, [samples], _SECONDS)
    (group,) = compare(measured, compilation.reference).groups
    return group


def test_ternary_layers_are_analog_and_all_is_bit_exact(
    build: Build, digits: tuple[Compilation, Samples]
) -> None:
    kernels = [call.kernel for call in digits[0].program.calls]
    assert sum("tinsmith_diana_analog" in kernel for kernel in kernels) == len(_TERNARY)
    exact = outputs(build, digits)
    assert exact.mismatches == 0
    assert exact.correct is not None
    assert exact.correct >= _LEAST_RIGHT


def test_noise_changes_what_comes_out_by_its_seed_and_little_of_what_is_right(
    build: Build, digits: tuple[Compilation, Samples]
) -> None:
    loud, again, other = (outputs(with_noise(build, seed=seed), digits) for seed in (1, 1, 2))
    assert loud.mismatches
    assert np.array_equal(loud.outputs[0], again.outputs[0])
    assert not np.array_equal(loud.outputs[0], other.outputs[0])
    assert loud.correct is not None
    assert loud.correct >= _LEAST_RIGHT
    weak = outputs(with_noise(build, divisor=1000), digits)
    assert weak.mismatches == 0


def test_losses_are_measured_by_samples_of_calibration(
    digits: tuple[Compilation, Samples],
) -> None:
    """By drawn inputs other numbers are lost."""
    compilation = digits[0]
    drawn = compiled(replace(compilation.model, samples=()), "both", MIXED_PASSES)
    lines = [
        [line for record in each.pass_records for line in record.warnings if "is analog" in line]
        for each in (compilation, drawn)
    ]
    assert len(lines[0]) == len(_TERNARY)
    assert lines[0] != lines[1]


def test_what_keeps_its_bounds_is_no_miss() -> None:
    assert list(mixed_misses([ROW])) == []


@pytest.mark.parametrize(
    ("row", "miss"),
    [
        (replace(ROW, bit_exact=False), "outputs differ from the evaluator's"),
        (replace(ROW, analog=1), "1 layers are analog, must be 2"),
        (replace(ROW, ms=0.8), "0.800 ms, must be 0.700 or less"),
    ],
)
def test_a_missed_bound_is_told(row: MixedRow, miss: str) -> None:
    assert list(mixed_misses([row])) == [f"ic, digital and analog: {miss}"]


def test_the_table_has_answers_or_scores() -> None:
    scores = replace(ROW, network="ad", noisy=Judgement(20.0, None, 0.25))
    text = mixed_text([ROW, scores])
    assert "10 of 10" in text
    assert "off by 25.0%" in text
    assert mixed_text([]) == ""


def test_networks_that_gain_nothing_have_no_row() -> None:
    assert [mix.network for mix in mixes_of(["kws", "ic", "sww"])] == ["ic"]
    assert all(mix.bits == dict.fromkeys(mix.layers, 2) for mix in MIXES)
