"""Conv3D by hand, and what it refuses."""

from collections.abc import Callable

import numpy as np
import pytest
from tinsmith_ir import GraphError, evaluate_graph, parse_graph
from tinsmith_ir.boxes import Box

Run = Callable[..., list[object]]


def _network(x: str, w: str, y: str, attributes: str = "", bias: str = "") -> str:
    given = f"  const %b: f32[1] = [{bias}]\n" if bias else ""
    operands = "%x, %w, %b" if bias else "%x, %w"
    return f"""graph 2 "volume" {{
  input %x: f32[{x}]
  input %w: f32[{w}]
{given}  %y: f32[{y}] = conv3d({operands}){attributes}
  output %y
}}
"""


def test_a_window_sums_slices_rows_and_columns_and_adds_the_bias(run: Run) -> None:
    body = """
      input %x: f32[1,2,2,2,1]
      const %w: f32[2,2,2,1,1] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
      const %b: f32[1] = [0.5]
      %y: f32[1,1,1,1,1] = conv3d(%x, %w, %b)
      output %y"""
    assert run(body, [1, 0, 0, 0, 10, 0, 100, 1000]) == [1 + 50 + 700 + 8000 + 0.5]


def test_weights_are_slices_rows_columns_input_output(run: Run) -> None:
    body = """
      input %x: f32[1,1,1,1,2]
      const %w: f32[1,1,1,2,3] = [1.0, 2.0, 3.0, 10.0, 20.0, 30.0]
      %y: f32[1,1,1,1,3] = conv3d(%x, %w)
      output %y"""
    assert run(body, [1, 100]) == [1001, 2002, 3003]


def test_each_axis_has_its_own_stride_and_dilation(run: Run) -> None:
    body = """
      input %x: f32[1,7,1,1,1]
      const %w: f32[2,1,1,1,1] = [1.0, 100.0]
      %y: f32[1,2,1,1,1] = conv3d(%x, %w) {stride=[3,1,1], dilation=[2,1,1]}
      output %y"""
    assert run(body, [0, 1, 2, 3, 4, 5, 6]) == [200, 503]


def test_padding_is_zero_around_the_volume_and_the_result_is_clamped(run: Run) -> None:
    body = """
      input %x: f32[1,1,1,2,1]
      const %w: f32[3,1,2,1,1] = [9.0, 9.0, 1.0, -1.0, 9.0, 9.0]
      %y: f32[1,1,1,3,1] = conv3d(%x, %w) {padding=[1,1,0,0,1,1], activation=relu}
      output %y"""
    assert run(body, [3, 5]) == [0, 0, 5]


def test_products_are_added_one_after_the_other() -> None:
    """Each sum is rounded: 2**24 + 1 + 1 stays 2**24."""
    graph = parse_graph(_network("1,1,1,1,3", "1,1,1,3,1", "1,1,1,1,1"))
    x = np.array([2**24, 1, 1], np.float32).reshape(1, 1, 1, 1, 3)
    (result,) = evaluate_graph(graph, [x, np.ones((1, 1, 1, 3, 1), np.float32)]).values()
    assert result.item() == 2**24


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (_network("1,2,2,2", "1,1,1,2,1", "1,2,2,2,1"), "input of rank 5"),
        (_network("1,2,2,2,1", "1,1,1,1", "1,2,2,2,1"), "weights of rank 5"),
        (_network("1,2,2,2,3", "1,1,1,2,1", "1,2,2,2,1"), "weights of 3 input channels"),
        (_network("1,2,2,2,1", "1,1,1,1,2", "1,2,2,2,2", bias="1.0"), "bias of shape (2,)"),
        (_network("1,2,2,2,1", "3,1,1,1,1", "1,1,2,2,1"), "a window within the padded input"),
        (_network("1,2,2,2,1", "1,1,1,1,1", "1,2,2,2,1", " {stride=[1,0,1]}"), "stride (d, h, w)"),
        (
            _network("1,2,2,2,1", "1,1,1,1,1", "1,2,2,2,1", " {dilation=[0,1,1]}"),
            "dilation (d, h, w)",
        ),
        (
            _network("1,2,2,2,1", "1,1,1,1,1", "1,2,2,2,1", " {padding=[0,0,0,0,0,-1]}"),
            "expected padding",
        ),
        (
            _network("1,2,2,2,1", "1,1,1,1,1", "1,2,2,2,1", " {padding=[0,0,0,16777215,2,2]}"),
            "padded places",
        ),
    ],
)
def test_what_does_not_fit_together_is_refused(text: str, message: str) -> None:
    with pytest.raises(GraphError) as caught:
        parse_graph(text)
    assert message in str(caught.value)


def test_integers_are_refused() -> None:
    text = _network("1,2,2,2,1", "1,1,1,1,1", "1,2,2,2,1").replace("f32", "i32")
    with pytest.raises(GraphError, match="expected input of dtype f32"):
        parse_graph(text)


def test_a_part_reads_its_halo_and_the_weights_of_its_channels() -> None:
    text = _network("1,6,6,6,2", "3,3,3,2,4", "1,6,6,6,4", " {padding=[1,1,1,1,1,1]}")
    (node,) = parse_graph(text).nodes
    types = [value.type if value else None for value in node.inputs]
    outputs = [value.type for value in node.outputs]

    found = node.operator.restrict(Box(((0, 1), (0, 2), (2, 4), (5, 6), (1, 3))), types, outputs)

    assert found is not None
    assert found.operands == (
        Box(((0, 1), (0, 3), (1, 5), (4, 6), (0, 2))),
        Box(((0, 3), (0, 3), (0, 3), (0, 2), (1, 3))),
    )
    assert "padding=(1, 0, 0, 0, 0, 1)" in repr(found.operator)


def test_a_part_that_sees_padding_alone_is_not_cut() -> None:
    text = _network("1,1,1,1,1", "1,1,1,1,1", "1,3,1,1,1", " {padding=[2,0,0,0,0,0]}")
    (node,) = parse_graph(text).nodes
    types = [value.type if value else None for value in node.inputs]
    outputs = [value.type for value in node.outputs]
    box = Box(((0, 1), (0, 1), (0, 1), (0, 1), (0, 1)))
    assert node.operator.restrict(box, types, outputs) is None
