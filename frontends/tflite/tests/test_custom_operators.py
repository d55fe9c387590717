"""Custom operators become what the caller's rules say."""

from collections.abc import Mapping

import pytest
from tflite_builder import ModelBuilder
from tinsmith_ir import ArgumentError, DType, ModelError, UnsupportedError
from tinsmith_ir.operators import Relu, Relu6
from tinsmith_tflite import Conversion, OperatorContext, Rule, import_tflite


def clamp(context: OperatorContext) -> Conversion:
    """Relu6 if the options say so, else Relu."""
    operator = Relu6() if context.custom_options == b"6" else Relu()
    return operator, [context.value(0)]


RULE = Rule(2, (1, 1), "", (Relu, Relu6), clamp, (DType.FLOAT32,))


def model(name: str = "Clamp", options: bytes = b"", version: int = 1, inputs: int = 1) -> bytes:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,)), b.tensor("y", (4,))
    b.operator("CUSTOM", [x] * inputs, [y], custom=name, custom_options=options, version=version)
    return b.finish([x], [y])


def imported(data: bytes, custom: Mapping[str, Rule]) -> str:
    (node,) = import_tflite(data, custom=custom).nodes
    assert node.location is not None
    assert "CUSTOM" in str(node.location)
    return node.operator.mnemonic


@pytest.mark.parametrize(("options", "becomes"), [(b"", "relu"), (b"6", "relu6")])
def test_rule_reads_the_custom_options(options: bytes, becomes: str) -> None:
    assert imported(model(options=options), {"Clamp": RULE}) == becomes


def test_a_name_is_matched_as_the_file_has_it() -> None:
    assert imported(model("it's \n"), {"it's \n": RULE}) == "relu"


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (model("Other"), UnsupportedError, "CUSTOM 'Other' is not supported"),
        (model("Other"), UnsupportedError, "Supported operators: .*ZEROS_LIKE, CUSTOM 'Clamp'."),
        (model(version=3), UnsupportedError, "CUSTOM 'Clamp': expected version 1 to 2, got 3"),
        (model(inputs=2), ModelError, "CUSTOM 'Clamp': expected 1 to 1 inputs, got 2"),
    ],
)
def test_what_the_rule_does_not_take_is_refused(
    data: bytes, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        import_tflite(data, custom={"Clamp": RULE})


def test_options_that_leave_the_file_are_damage() -> None:
    data = model(options=b"123456789")
    at = data.index(b"123456789")
    damaged = data[: at - 4] + b"\xff\xff\xff\x7f" + data[at:]
    with pytest.raises(ModelError, match="operator 0, CustomOptions"):
        import_tflite(damaged, custom={"Clamp": RULE})


def test_a_rule_of_another_kind_is_refused() -> None:
    with pytest.raises(ArgumentError, match="custom"):
        import_tflite(model(), custom={"Clamp": 3})  # pyright: ignore[reportArgumentType]
