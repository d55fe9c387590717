"""ReplaceDepthwise."""

import numpy as np
import pytest
from tinsmith_fusion import ReplaceDepthwise
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.testing import assert_rewrites


def graph(*lines: str) -> str:
    body = "\n".join(lines)
    return f'graph 2 "g" {{\n{body}\noutput %y\n}}'


def test_planes_become_filters_and_scales_follow() -> None:
    scales = "0.5, 0.25"
    assert_rewrites(
        ReplaceDepthwise(),
        graph(
            "input %x: i8[1,4,3,1]<0.5, 3>",
            f"const %w: i8[1,1,2,2]<[{scales}], [0, 0], axis 3> = [1, 2, 3, 4]",
            "const %b: i32[2] = [5, -6]",
            "%y: i8[1,2,3,2]<1.0, 7> = depthwise_conv2d(%x, %w, %b)"
            " {stride=[2,1], padding=[0,0,1,0], activation=relu}",
        ),
        graph(
            "input %x: i8[1,4,3,1]<0.5, 3>",
            "const %b: i32[2] = [5, -6]",
            f"const %w_1: i8[2,1,2,1]<[{scales}], [0, 0], axis 0> = [1, 3, 2, 4]",
            "%y: i8[1,2,3,2]<1.0, 7> = conv2d(%x, %w_1, %b)"
            " {stride=[2,1], padding=[0,0,1,0], activation=relu}",
        ),
    )


@pytest.mark.parametrize("multiplier", [1, 5])
def test_results_are_the_same(multiplier: int) -> None:
    generator = np.random.default_rng(multiplier)
    numbers = ", ".join(map(str, generator.integers(-127, 128, 12 * multiplier)))
    before = parse_graph(
        graph(
            "input %x: i16[1,9,7,1]<0.01, 0>",
            f"const %w: i8[1,4,3,{multiplier}]<0.02, 0> = [{numbers}]",
            f"%y: i16[1,4,7,{multiplier}]<0.05, 0> = depthwise_conv2d(%x, %w)"
            " {stride=[2,1], padding=[1,0,1,1]}",
        )
    )
    after = ReplaceDepthwise().run(before)
    x = generator.integers(-(1 << 15), 1 << 15, (1, 9, 7, 1)).astype(np.int16)
    assert (evaluate_graph(before, [x])["y"] == evaluate_graph(after, [x])["y"]).all()
    assert [node.operator.mnemonic for node in after.nodes] == ["conv2d"]


@pytest.mark.parametrize(
    "lines",
    [
        (
            "input %x: i8[1,4,4,2]<0.5, 0>",
            "const %w: i8[1,1,1,2]<0.5, 0> = [1, 2]",
            "%y: i8[1,4,4,2]<0.5, 0> = depthwise_conv2d(%x, %w)",
        ),
        (
            "input %x: f32[1,4,4,1]",
            "const %w: f32[1,1,1,2] = [1.0, 2.0]",
            "%y: f32[1,4,4,2] = depthwise_conv2d(%x, %w)",
        ),
        (
            "input %x: i8[1,4,4,1]<0.5, 0>",
            "input %w: i8[1,1,1,2]<0.5, 0>",
            "%y: i8[1,4,4,2]<0.5, 0> = depthwise_conv2d(%x, %w)",
        ),
        (
            "input %x: i8[1,4,4,1]<0.5, 0>",
            "const %w: i8[1,1,1,2]<0.5, 0> = [1, 2]",
            "%a: i8[1,4,4,2]<0.5, 0> = depthwise_conv2d(%x, %w)",
            "%b: i8[1,4,4,2]<0.5, 0> = depthwise_conv2d(%x, %w)",
            "%y: i8[1,4,4,2]<0.5, 0> = add(%a, %b)",
        ),
    ],
    ids=["two channels", "float32", "computed weights", "weights read twice"],
)
def test_it_stays(lines: tuple[str, ...]) -> None:
    before = parse_graph(graph(*lines))
    assert ReplaceDepthwise().run(before) is before
