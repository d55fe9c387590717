"""FoldBatchNormalization: structure by hand, numbers within float32's rounding."""

import numpy as np
import pytest
from tinsmith_fusion import FoldBatchNormalization
from tinsmith_ir.dtypes import DType
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.graph import Graph
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.passes import Tolerance
from tinsmith_ir.printer import print_graph
from tinsmith_ir.testing import random_graph, random_inputs
from tinsmith_ir.verify import verify_graph

CONV = (
    "input %x: f32[1,3,3,2]",
    "const %w: f32[2,1,2,2] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]",
    "const %b: f32[2] = [10.0, 20.0]",
    "const %c: f32[2] = [0.5, -2.0]",
)


def graph(*lines: str) -> Graph:
    body = "\n".join(lines)
    return parse_graph(f'graph 2 "g" {{\n{body}\noutput %y\n}}')


def assert_close(before: Graph, after: Graph) -> None:
    verify_graph(after)
    for seed in range(3):
        inputs = random_inputs(before, seed)
        wanted, got = evaluate_graph(before, inputs), evaluate_graph(after, inputs)
        for name, array in wanted.items():
            expected = array.astype(np.float64)
            difference = float(np.abs(got[name].astype(np.float64) - expected).max())
            assert difference <= 1e-5 * max(1.0, float(np.abs(expected).max())), name


def folds(before: Graph, after: Graph) -> None:
    result = FoldBatchNormalization().run(before)
    assert print_graph(result) == print_graph(after)
    assert_close(before, result)


def test_contract_says_that_rounding_changes() -> None:
    assert isinstance(FoldBatchNormalization.contract, Tolerance)


def test_mul_goes_into_weights_and_bias_of_a_convolution() -> None:
    folds(
        graph(
            *CONV,
            "%a: f32[1,3,2,2] = conv2d(%x, %w, %b)",
            "%y: f32[1,3,2,2] = mul(%a, %c) {activation=relu}",
        ),
        graph(
            CONV[0],
            "const %w_1: f32[2,1,2,2] = [0.5, 1.0, 1.5, 2.0, -10.0, -12.0, -14.0, -16.0]",
            "const %b_1: f32[2] = [5.0, -40.0]",
            "%y: f32[1,3,2,2] = conv2d(%x, %w_1, %b_1) {activation=relu}",
        ),
    )


def test_mul_and_add_go_into_a_depthwise_convolution_one_after_the_other() -> None:
    lines = ("input %x: f32[1,2,2,1]", "const %w: f32[1,1,1,2] = [3.0, 4.0]", *CONV[2:])
    folds(
        graph(
            *lines,
            "%a: f32[1,2,2,2] = depthwise_conv2d(%x, %w, %b)",
            "%m: f32[1,2,2,2] = mul(%c, %a)",
            "%y: f32[1,2,2,2] = add(%m, %b)",
        ),
        graph(
            lines[0],
            "const %w_1: f32[1,1,1,2] = [1.5, -8.0]",
            "const %b_1_1: f32[2] = [15.0, -20.0]",
            "%y: f32[1,2,2,2] = depthwise_conv2d(%x, %w_1, %b_1_1)",
        ),
    )


FULLY = ("input %x: f32[3,2]", "const %w: f32[2,2] = [1.0, 2.0, 3.0, 4.0]", CONV[3])


def test_add_becomes_the_bias_of_an_operator_without_one() -> None:
    folds(
        graph(*FULLY, "%a: f32[3,2] = fully_connected(%x, %w)", "%y: f32[3,2] = add(%a, %c)"),
        graph(
            *FULLY[:2],
            "const %y.bias: f32[2] = [0.5, -2.0]",
            "%y: f32[3,2] = fully_connected(%x, %w, %y.bias)",
        ),
    )


def test_sub_goes_into_the_bias() -> None:
    folds(
        graph(*FULLY, "%a: f32[3,2] = fully_connected(%x, %w)", "%y: f32[3,2] = sub(%a, %c)"),
        graph(
            *FULLY[:2],
            "const %y.bias: f32[2] = [-0.5, 2.0]",
            "%y: f32[3,2] = fully_connected(%x, %w, %y.bias)",
        ),
    )


def test_sub_from_a_constant_changes_the_sign_of_the_weights() -> None:
    folds(
        graph(
            *FULLY,
            "const %b: f32[2] = [1.0, 1.0]",
            "%a: f32[3,2] = fully_connected(%x, %w, %b)",
            "%y: f32[3,2] = sub(%c, %a)",
        ),
        graph(
            FULLY[0],
            "const %w_1: f32[2,2] = [-1.0, -2.0, -3.0, -4.0]",
            "const %b_1: f32[2] = [-0.5, -3.0]",
            "%y: f32[3,2] = fully_connected(%x, %w_1, %b_1)",
        ),
    )


def test_mul_before_goes_into_the_columns_of_the_weights() -> None:
    folds(
        graph(
            *CONV,
            "%a: f32[1,3,3,2] = mul(%x, %c)",
            "%y: f32[1,3,4,2] = conv2d(%a, %w, %b) {padding=[0,0,1,1], activation=relu}",
        ),
        graph(
            CONV[0],
            CONV[2],
            "const %w_1: f32[2,1,2,2] = [0.5, -4.0, 1.5, -8.0, 2.5, -12.0, 3.5, -16.0]",
            "%y: f32[1,3,4,2] = conv2d(%x, %w_1, %b) {padding=[0,0,1,1], activation=relu}",
        ),
    )


def test_mul_before_a_depthwise_convolution_counts_for_each_of_its_outputs() -> None:
    lines = ("input %x: f32[1,1,1,2]", "const %w: f32[1,1,1,4] = [1.0, 2.0, 3.0, 4.0]", CONV[3])
    folds(
        graph(
            *lines,
            "%a: f32[1,1,1,2] = mul(%x, %c)",
            "%y: f32[1,1,1,4] = depthwise_conv2d(%a, %w)",
        ),
        graph(
            lines[0],
            "const %w_1: f32[1,1,1,4] = [0.5, 1.0, -6.0, -8.0]",
            "%y: f32[1,1,1,4] = depthwise_conv2d(%x, %w_1)",
        ),
    )


STAYS = {
    "the layer clamps": (
        *CONV,
        "%a: f32[1,3,2,2] = conv2d(%x, %w, %b) {activation=relu}",
        "%y: f32[1,3,2,2] = mul(%a, %c)",
    ),
    "others read the layer": (
        *CONV,
        "%a: f32[1,3,2,2] = conv2d(%x, %w, %b)",
        "%y: f32[1,3,2,2] = mul(%a, %c)",
        "output %a",
    ),
    "the constant varies over the map": (
        *CONV[:3],
        "const %c: f32[3,2,1] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]",
        "%a: f32[1,3,2,2] = conv2d(%x, %w, %b)",
        "%y: f32[1,3,2,2] = add(%a, %c)",
    ),
    "the weights are not constant": (
        "input %x: f32[3,2]",
        "input %w: f32[2,2]",
        CONV[3],
        "%a: f32[3,2] = fully_connected(%x, %w)",
        "%y: f32[3,2] = mul(%a, %c)",
    ),
    "the bias is not constant": (
        "input %x: f32[3,2]",
        "input %b: f32[2]",
        *FULLY[1:],
        "%a: f32[3,2] = fully_connected(%x, %w, %b)",
        "%y: f32[3,2] = mul(%a, %c)",
    ),
    "others read the weights": (
        *FULLY,
        "%a: f32[3,2] = fully_connected(%x, %w)",
        "%b: f32[3,2] = mul(%a, %c)",
        "%d: f32[3,2] = fully_connected(%b, %w) {activation=relu}",
        "%y: f32[3,2] = add(%d, %x)",
    ),
    "the result broadcasts the layer": (
        "input %x: f32[1,2]",
        FULLY[1],
        "const %c: f32[3,2] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]",
        "%a: f32[1,2] = fully_connected(%x, %w)",
        "%y: f32[3,2] = add(%a, %c)",
    ),
    "a weight would overflow": (
        *FULLY[:2],
        "const %c: f32[1] = [3.0e38]",
        "%a: f32[3,2] = fully_connected(%x, %w)",
        "%y: f32[3,2] = mul(%a, %c)",
    ),
    "the layer behind works in groups": (
        "input %x: f32[1,1,1,2]",
        "const %w: f32[2,1,1,1] = [1.0, 2.0]",
        CONV[3],
        "%a: f32[1,1,1,2] = mul(%x, %c)",
        "%y: f32[1,1,1,2] = conv2d(%a, %w)",
    ),
    "what is before the layer clamps": (
        *FULLY,
        "%a: f32[3,2] = mul(%x, %c) {activation=relu}",
        "%y: f32[3,2] = fully_connected(%a, %w)",
    ),
    "an addition before the layer": (
        *FULLY,
        "%a: f32[3,2] = add(%x, %c)",
        "%y: f32[3,2] = fully_connected(%a, %w)",
    ),
    "a scalar": (
        "input %x: f32[4]",
        "const %c: f32[] = [2.0]",
        "%a: f32[] = sum(%x) {axes=[0]}",
        "%y: f32[] = mul(%a, %c)",
    ),
    "integers": (
        "input %x: i8[3,2]<0.5, 0>",
        "const %w: i8[2,2]<0.5, 0> = [1, 2, 3, 4]",
        "const %c: i8[2]<0.5, 0> = [1, 2]",
        "%a: i8[3,2]<0.5, 0> = fully_connected(%x, %w)",
        "%y: i8[3,2]<0.5, 0> = mul(%a, %c)",
    ),
}


@pytest.mark.parametrize("case", STAYS)
def test_it_stays(case: str) -> None:
    before = graph(*STAYS[case])
    assert FoldBatchNormalization().run(before) is before


@pytest.mark.parametrize("seed", range(30))
def test_random_float_graphs_stay_close(seed: int) -> None:
    before = random_graph(seed, dtype=DType.FLOAT32, nodes=12)
    assert_close(before, FoldBatchNormalization().run(before))
