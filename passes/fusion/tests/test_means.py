"""ReplaceMeans."""

import numpy as np
import pytest
from tinsmith_fusion import ReplaceMeans
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.testing import assert_rewrites


def graph(*lines: str) -> str:
    body = "\n".join(lines)
    return f'graph 2 "g" {{\n{body}\noutput %y\n}}'


def test_a_pool_takes_the_place_of_a_mean() -> None:
    assert_rewrites(
        ReplaceMeans(),
        graph(
            "input %x: f32[2,4,5,3]",
            "%y: f32[2,1,1,3] = mean(%x) {axes=[1,2], keep_dims=true}",
        ),
        graph("input %x: f32[2,4,5,3]", "%y: f32[2,1,1,3] = average_pool2d(%x) {window=[4,5]}"),
    )


def test_a_reshape_drops_the_axes_that_the_mean_dropped() -> None:
    assert_rewrites(
        ReplaceMeans(),
        graph("input %x: f32[2,4,4,3]", "%y: f32[2,3] = mean(%x) {axes=[1,2]}"),
        graph(
            "input %x: f32[2,4,4,3]",
            "%y.pooled: f32[2,1,1,3] = average_pool2d(%x) {window=[4,4]}",
            "%y: f32[2,3] = reshape(%y.pooled) {shape=[2,3]}",
        ),
    )


@pytest.mark.parametrize(
    ("x", "line"),
    [
        (
            "i8[1,3,3,3]<0.5, -128>",
            "%y: i8[1,1,1,3]<0.5, -128> = mean(%x) {axes=[1,2], keep_dims=true}",
        ),
        ("f32[1,2,2,3]", "%y: f32[1,1,2,3] = mean(%x) {axes=[1], keep_dims=true}"),
        ("f32[2,2,3]", "%y: f32[2,1,1] = mean(%x) {axes=[1,2], keep_dims=true}"),
        ("f32[1,16777216,4,1]", "%y: f32[1,1,1,1] = mean(%x) {axes=[1,2], keep_dims=true}"),
        ("f32[1,2,2,3]", "%y: f32[1,2,2,3] = relu(%x)"),
    ],
)
def test_it_stays(x: str, line: str) -> None:
    before = parse_graph(graph(f"input %x: {x}", line))
    assert ReplaceMeans().run(before) is before


def test_integers_do_differ() -> None:
    """The reason for leaving them alone: nine elements with a sum of -1148."""
    maps = np.array([-128] * 5 + [-127] * 4, np.int8).reshape(1, 3, 3, 1)
    type_ = "i8[1,3,3,1]<0.5, -128>"
    mean = graph(
        f"input %x: {type_}", "%y: i8[1,1,1,1]<0.5, -128> = mean(%x) {axes=[1,2], keep_dims=true}"
    )
    pool = graph(
        f"input %x: {type_}", "%y: i8[1,1,1,1]<0.5, -128> = average_pool2d(%x) {window=[3,3]}"
    )
    assert int(maps.sum()) == -1148
    assert evaluate_graph(parse_graph(mean), [maps])["y"].item() == -127
    assert evaluate_graph(parse_graph(pool), [maps])["y"].item() == -128
