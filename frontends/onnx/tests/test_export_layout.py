"""Images are channels first inside an exported file, and turn at its ends alone."""

import pytest
from exported import assert_near, file_of, kinds
from tinsmith_ir import Graph, parse_graph
from tinsmith_ir.testing import random_inputs

_CHAIN = """graph 2 "chain" {
  input %x: f32[1,6,6,2]
  const %w: f32[2,3,3,2] = [0.1,0.2,0.3,-0.1,0.4,0.5,0.6,-0.7,0.8,0.9,1.0,1.1,0.1,0.2,-0.3,0.4,0.5,0.6,
    0.1,0.2,0.3,0.4,-0.5,0.6,0.7,0.8,0.9,0.1,0.2,-0.3,0.4,0.5,0.6,0.7,0.8,0.9]
  const %b: f32[2] = [0.5, -0.5]
  %c: f32[1,6,6,2] = conv2d(%x, %w, %b) {padding=[1,1,1,1]}
  %r: f32[1,6,6,2] = relu(%c)
  %q: i8[1,6,6,2]<0.1, -128> = quantize(%r) {halves_to_even=true}
  %d: f32[1,6,6,2] = dequantize(%q)
  %e: f32[1,6,6,2] = conv2d(%d, %w, none) {padding=[1,1,1,1]}
  %s: f32[1,6,6,2] = add(%e, %d)
  %t: f32[1,6,6,2] = mul(%s, %b)
  %j: f32[1,6,6,4] = concat(%t, %d) {axis=3}
  %p: f32[1,7,6,4] = pad(%j) {padding=[0,0,1,0,0,0,0,0]}
  %a: f32[1,3,3,4] = average_pool2d(%p) {window=[2,2], stride=[2,2]}
  %l: f32[1,3,3,2] = slice(%a) {begin=[0,0,0,1], shape=[1,3,3,2]}
  output %l
}"""


def test_a_network_of_layers_turns_at_its_ends_alone() -> None:
    graph = parse_graph(_CHAIN)
    found = kinds(file_of(graph))
    assert found[0] == found[-1] == "Transpose"
    assert found.count("Transpose") == 2
    assert "Reshape" not in found  # the constant of two channels is stored as they need it
    assert_near(graph, random_inputs(graph))


def test_results_between_have_the_names_of_the_graph() -> None:
    model = file_of(parse_graph(_CHAIN))
    named = {name for node in model.graph.node for name in node.output}
    assert set("crqdestjpal") <= named


def of(lines: str) -> Graph:
    return parse_graph(f'graph 2 "g" {{\n{lines}\n}}')


def test_an_image_of_one_channel_is_reshaped() -> None:
    graph = of("""
      input %x: f32[1,4,4,1]
      %y: f32[1,2,2,1] = max_pool2d(%x) {window=[2,2], stride=[2,2]}
      output %y""")
    assert kinds(file_of(graph)) == ["Reshape", "MaxPool", "Reshape"]
    assert_near(graph, random_inputs(graph))


def test_a_mean_over_the_image_needs_no_transpose() -> None:
    graph = of("""
      input %x: f32[1,4,4,3]
      %p: f32[1,2,2,3] = max_pool2d(%x) {window=[2,2], stride=[2,2]}
      %y: f32[1,3] = mean(%p) {axes=[1,2]}
      output %y""")
    assert kinds(file_of(graph)) == ["Transpose", "MaxPool", "ReduceMean"]
    assert_near(graph, random_inputs(graph))


def test_softmax_over_channels_goes_along_the_axis_where_they_are() -> None:
    graph = of("""
      input %x: f32[1,4,4,3]
      %p: f32[1,2,2,3] = max_pool2d(%x) {window=[2,2], stride=[2,2]}
      %s: f32[1,2,2,3] = softmax(%p)
      %y: f32[1,1,1,3] = max_pool2d(%s) {window=[2,2]}
      output %y""")
    assert kinds(file_of(graph)) == ["Transpose", "MaxPool", "Softmax", "MaxPool", "Reshape"]
    assert_near(graph, random_inputs(graph))


def test_transposes_of_the_graph_that_cancel_are_none() -> None:
    graph = of("""
      input %x: f32[1,3,4,4]
      %t: f32[1,4,4,3] = transpose(%x) {permutation=[0,2,3,1]}
      %p: f32[1,2,2,3] = max_pool2d(%t) {window=[2,2], stride=[2,2]}
      %y: f32[1,3,2,2] = transpose(%p) {permutation=[0,3,1,2]}
      output %y""")
    assert kinds(file_of(graph)) == ["MaxPool", "Identity"]
    assert_near(graph, random_inputs(graph))


def test_a_computed_row_beside_an_image_is_reshaped_to_its_axes() -> None:
    graph = of("""
      input %x: f32[1,4,4,3]
      input %r: f32[3]
      %p: f32[1,2,2,3] = max_pool2d(%x) {window=[2,2], stride=[2,2]}
      %y: f32[1,2,2,3] = sub(%p, %r)
      output %y""")
    assert kinds(file_of(graph)) == ["Transpose", "MaxPool", "Reshape", "Sub", "Transpose"]
    assert_near(graph, random_inputs(graph))


@pytest.mark.parametrize("axes", ["[1]", "[2,3]", "[3]", "[0]"])
def test_what_a_reduction_leaves_is_in_order_at_the_end(axes: str) -> None:
    kept = [size for at, size in enumerate((2, 2, 3, 5)) if str(at) not in axes]
    graph = of(f"""
      input %x: f32[2,4,6,5]
      %p: f32[2,2,3,5] = max_pool2d(%x) {{window=[2,2], stride=[2,2]}}
      %y: f32{kept} = sum(%p) {{axes={axes}}}
      output %y""")
    assert_near(graph, random_inputs(graph))


def test_the_quantization_of_an_input_stands_beside_its_layer() -> None:
    graph = of("""
      input %x: f32[1,4,4,3]
      %q: i8[1,4,4,3]<0.1, 3> = quantize(%x) {halves_to_even=true}
      %d: f32[1,4,4,3] = dequantize(%q)
      %y: f32[1,3,3,3] = average_pool2d(%d) {window=[2,2]}
      output %y""")
    wanted = ["Transpose", "QuantizeLinear", "DequantizeLinear", "AveragePool", "Transpose"]
    assert kinds(file_of(graph)) == wanted
    assert_near(graph, random_inputs(graph))


_IMAGE = """
  input %x: f32[1,4,6,2]
  const %w: i8[3,12]<1.0, 0> = [1,2,3,-4,5,6,-7,8,9,10,11,12,-100,20,3,4,5,6,7,8,9,10,-11,12,
    1,2,3,40,5,6,7,8,9,-10,11,12]
  const %s: f32[3,1] = [0.5, 0.25, 0.125]
  const %b: f32[3] = [1.0, 2.0, 3.0]
  %p: f32[1,2,3,2] = max_pool2d(%x) {window=[2,2], stride=[2,2]}
  %wi: f32[3,12] = dequantize(%w)
  %wr: f32[3,12] = mul(%wi, %s)
"""


@pytest.mark.parametrize(
    "lines",
    [
        "%y: f32[1,3] = fully_connected(%p, %wr, %b)",
        "%f: f32[2,6] = reshape(%p) {shape=[2,6]} %y: f32[1,3] = fully_connected(%f, %wr, %b)",
        "%f: f32[1,12] = reshape(%p) {shape=[1,12]} %y: f32[1,3] = fully_connected(%f, %wr, %b)",
        "%f: f32[1,12] = reshape(%p) {shape=[1,12]} %q: i8[1,12]<0.05, 3> = quantize(%f) {halves_to_even=true} "
        "%d: f32[1,12] = dequantize(%q) %y: f32[1,3] = fully_connected(%d, %wr, %b)",
    ],
)
def test_rows_of_a_layer_are_images_as_they_lie(lines: str) -> None:
    graph = of(f"{_IMAGE} {lines} output %y")
    assert kinds(file_of(graph)).count("Transpose") == 1  # of the input
    for seed in range(3):
        assert_near(graph, random_inputs(graph, seed))


@pytest.mark.parametrize(
    "lines",
    [
        "%f: f32[1,12] = reshape(%p) {shape=[1,12]} %y: f32[1,3] = fully_connected(%f, %wr, %b) output %f",
        "%f: f32[1,12] = reshape(%p) {shape=[1,12]} %m: f32[1,12] = mul(%f, %c) "
        "%y: f32[1,3] = fully_connected(%m, %wr, %b)",
    ],
)
def test_rows_that_are_read_otherwise_too_are_in_order(lines: str) -> None:
    constant = f"const %c: f32[12] = {[float(at) for at in range(12)]}"
    graph = of(f"{constant} {_IMAGE} {lines} output %y")
    assert kinds(file_of(graph)).count("Transpose") == 2
    assert_near(graph, random_inputs(graph))
