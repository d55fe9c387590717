from pathlib import Path

import pytest
from tinsmith_driver.options import OPTIMIZATIONS, c_name, selection
from tinsmith_ir import UsageError
from tinsmith_toolchains import flags


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("kws_ref_model.tflite", "kws_ref_model"),
        ("My Model-2.tflite", "my_model_2"),
        ("7segments.tflite", "model_7segments"),
        ("é.tflite", "model"),
    ],
)
def test_a_c_name_is_an_identifier(file: str, name: str) -> None:
    assert c_name(Path(file)) == name


def test_no_selection_is_everything() -> None:
    assert selection(None, ["a", "b"], "letter") == ["a", "b"]


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="unknown letter 'c': expected one of a, b"):
        selection("a,c", ["a", "b"], "letter")


@pytest.mark.parametrize("level", OPTIMIZATIONS)
def test_every_level_of_optimisation_has_flags(level: str) -> None:
    assert flags().optimization(level)
