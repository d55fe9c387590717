"""Powers, and normalization by the channels around: what they become, and what is refused."""

import numpy as np
import pytest
from small_models import assert_refused
from tflite_builder import ModelBuilder, options
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_tflite import import_tflite


def _power(exponent: float, dtype: str = "FLOAT32") -> bytes:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,), dtype), b.tensor("y", (4,), dtype)
    stored = np.array(exponent, np.float32 if dtype == "FLOAT32" else np.int32)
    b.operator("POW", [x, b.constant("exponent", stored)], [y], options("PowOptions"))
    return b.finish([x], [y])


def test_squares_of_squares_are_multiplied() -> None:
    graph = import_tflite(_power(5, "INT32"))
    (result,) = evaluate_graph(graph, [np.array([2, -3, 0, 1], np.int32)]).values()
    assert result.tolist() == [32, -243, 0, 1]
    assert [node.operator.mnemonic for node in graph.nodes] == ["mul", "mul", "mul", "reshape"]
    assert not graph.constants


@pytest.mark.parametrize("exponent", [0.3, 0.0, 17.0, float("nan")])
def test_other_constant_powers_are_computed_ones(exponent: float) -> None:
    graph = import_tflite(_power(exponent))
    (result,) = evaluate_graph(graph, [np.array([2, 0.5, 1, 9], np.float32)]).values()
    np.testing.assert_allclose(
        result.astype(np.float64), np.array([2, 0.5, 1, 9]) ** exponent, rtol=1e-6
    )
    assert [node.operator.mnemonic for node in graph.nodes] == ["pow"]


@pytest.mark.parametrize("exponent", [-1, 0, 17])
def test_other_powers_of_int32_are_refused(exponent: int) -> None:
    assert_refused(
        UnsupportedError, _power(exponent, "INT32"), f"power of 1 to 16 of int32, got {exponent}"
    )


def test_a_computed_power_of_int32_is_refused() -> None:
    b = ModelBuilder()
    x, n, y = (b.tensor(name, (4,), "INT32") for name in "xny")
    b.operator("POW", [x, n], [y], options("PowOptions"))
    assert_refused(UnsupportedError, b.finish([x, n], [y]), "constant power of int32")


def test_one_exponent_may_have_more_dimensions() -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,)), b.tensor("y", (1, 1, 4))
    exponent = b.constant("exponent", np.full((1, 1, 1), 2, np.float32))
    b.operator("POW", [x, exponent], [y], options("PowOptions"))
    (output,) = import_tflite(b.finish([x], [y])).outputs
    assert output.type.shape == (1, 1, 4)


@pytest.mark.parametrize("radius", [0, 1, 2])
def test_each_number_is_divided_by_the_squares_around_it(radius: int) -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (1, 1, 2, 6)), b.tensor("y", (1, 1, 2, 6))
    chosen = options(
        "LocalResponseNormalizationOptions", Radius=radius, Bias=1.0, Alpha=0.5, Beta=0.5
    )
    b.operator("LOCAL_RESPONSE_NORMALIZATION", [x], [y], chosen)
    array = np.arange(12, dtype=np.float32).reshape(1, 1, 2, 6) - 5

    (result,) = evaluate_graph(import_tflite(b.finish([x], [y])), [array]).values()

    for pixel, row in zip(result[0, 0], array[0, 0], strict=True):
        for channel in range(6):
            near = row[max(0, channel - radius) : channel + radius + 1]
            wanted = row[channel] / np.sqrt(1 + 0.5 * np.square(near).sum())
            np.testing.assert_allclose(pixel[channel], wanted, rtol=1e-6)
