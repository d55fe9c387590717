"""Fields of the schema's tables by name: place, type and default as the `tflite` package writes them."""

import pytest
from tinsmith_tflite.builtin import Field, field


@pytest.mark.parametrize(
    ("table", "name", "expected"),
    [
        ("Conv2DOptions", "Padding", Field(0, "b", 0, 0)),
        ("Conv2DOptions", "StrideH", Field(2, "i", 0, 0)),
        ("Conv2DOptions", "DilationWFactor", Field(4, "i", 1, 0)),
        ("SubOptions", "PotScaleInt16", Field(1, "?", True, 0)),
        ("SoftmaxOptions", "Beta", Field(0, "f", 0.0, 0)),
        ("Model", "Version", Field(0, "I", 0, 0)),
        ("Buffer", "Offset", Field(1, "Q", 0, 0)),
        ("Operator", "BuiltinOptionsType", Field(3, "B", 0, 0)),
        ("Tensor", "Name", Field(3, "I", 0, 0)),
        ("Tensor", "Shape", Field(0, "I", 0, 4)),
        ("QuantizationParameters", "ZeroPoint", Field(3, "I", 0, 8)),
    ],
)
def test_a_field_is_what_the_schema_says(table: str, name: str, expected: Field) -> None:
    assert field(table, name) == expected


def test_a_field_that_the_schema_does_not_have() -> None:
    with pytest.raises(AttributeError, match="Conv2DOptionsAddStride"):
        field("Conv2DOptions", "Stride")
