"""SimplifyWindows: strides that do nothing are 1."""

import pytest
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.testing import assert_rewrites
from tinsmith_simplify import SimplifyWindows


def graph(pool: str) -> str:
    return f'graph 2 "g" {{\ninput %x: f32[1,6,4,2]\n{pool}\noutput %y\n}}'


@pytest.mark.parametrize("kind", ["average_pool2d", "max_pool2d"])
def test_a_pool_of_one_window_has_no_stride(kind: str) -> None:
    assert_rewrites(
        SimplifyWindows(),
        graph(f"%y: f32[1,1,1,2] = {kind}(%x) {{window=[6,4], stride=[6,4]}}"),
        graph(f"%y: f32[1,1,1,2] = {kind}(%x) {{window=[6,4]}}"),
    )


def test_axes_are_looked_at_one_by_one() -> None:
    assert_rewrites(
        SimplifyWindows(),
        graph("%y: f32[1,3,1,2] = max_pool2d(%x) {window=[2,4], stride=[2,4]}"),
        graph("%y: f32[1,3,1,2] = max_pool2d(%x) {window=[2,4], stride=[2,1]}"),
    )


def test_a_stride_that_steps_over_the_rest_stays() -> None:
    before = parse_graph(graph("%y: f32[1,1,1,2] = max_pool2d(%x) {window=[4,4], stride=[6,1]}"))
    assert SimplifyWindows().run(before) is before
