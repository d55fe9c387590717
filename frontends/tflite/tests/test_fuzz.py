"""Damaged files give a graph or an error meant for the user: nothing else, at once, in little memory."""

import resource

import pytest
from case_builder import Case
from fuzzing import damaged
from golden_cases import all_cases
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_tflite import import_tflite

VARIANTS = 60
MOST_KILOBYTES = 300_000
NAMES = (
    "conv2d_int8_1",
    "depthwise_conv2d_float32_3",
    "fully_connected_int8_2",
    "add_int8_2",
    "mean_int8_4",
    "concatenation_float32_1",
    "pad_int8_4",
    "reshape_int8_0",
)
CASES = [case for case in all_cases() if case.name in NAMES]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_damaged_file_is_imported_or_refused(case: Case) -> None:
    before_kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    refused = 0
    for variant in damaged(case.model, VARIANTS, seed=len(case.model)):
        try:
            import_tflite(variant)
        except (ModelError, UnsupportedError):
            refused += 1
    assert 0 < refused < VARIANTS, "damage that is always harmless or always fatal tests nothing"
    after_kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after_kilobytes - before_kilobytes < MOST_KILOBYTES


@pytest.mark.parametrize("length", range(0, 400, 7))
def test_truncated_file_is_refused(length: int) -> None:
    with pytest.raises(ModelError, match="expected"):
        import_tflite(CASES[0].model[:length])
