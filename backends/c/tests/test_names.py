import pytest
from tinsmith_c.layout import c_name
from tinsmith_c.names import NameTable, buffer_names, c_identifier
from tinsmith_ir.program import Program


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("conv1", "conv1"),
        ("model/block 1/conv;bias", "model_block_1_conv_bias"),
        ("1x1", "n_1x1"),
        ("", "n"),
        ("größe", "gr_e"),
        ("int", "n_int"),
        ("__x__", "x"),
    ],
)
def test_c_identifier(name: str, identifier: str) -> None:
    assert c_identifier(name) == identifier


def test_taken_names_get_numbers() -> None:
    table = NameTable()
    assert [table.unique("a") for _ in range(3)] == ["a", "a_2", "a_3"]


def test_number_does_not_meet_a_name_that_has_one() -> None:
    names = buffer_names(["a", "a/", "a_2", "a."])
    assert len(set(names.values())) == 4


def test_long_names_keep_their_end() -> None:
    names = buffer_names(["model/" * 20 + "conv1", "model/" * 20 + "conv2"])
    first, second = names.values()
    assert first.endswith("conv1")
    assert second.endswith("conv2")
    assert len(first) <= 32


@pytest.mark.parametrize("name", ["string", "STDINT", "harness_model", "arm_nnfunctions"])
def test_the_product_does_not_hide_a_header(name: str) -> None:
    assert c_name(_program(name)) == f"n_{name}"
    assert c_name(_program(f"{name}_2")) == f"{name}_2"


def _program(name: str) -> Program:
    return Program(name, "host", (), (), (), (), (), (), ())
