"""What ONNX cannot say is refused: all of it at once, with what to do."""

import pytest
from tinsmith_ir import UnsupportedError, parse_graph
from tinsmith_onnx import export_onnx

_TWO = """graph 2 "two" {
  input %x: i16[1,5,5,3]<0.5, 0>
  input %c: u8[20]
  const %w: i8[1,1,1,3]<0.5, 0> = [1, 2, 3]
  %p: i8[20]<0.5, 0> = decompress(%c) {shape=[20]}
  %s: i64[1,5,5,1]<0.25, 0> = conv2d(%x, %w, none) {accumulator=i64}
  %r: i16[1,5,5,3]<0.5, 0> = relu(%x)
  output %p
  output %s
  output %r
}"""


def test_all_nodes_that_cannot_be_said_are_told_with_their_text_and_what_to_do() -> None:
    with pytest.raises(UnsupportedError) as caught:
        export_onnx(parse_graph(_TWO))
    message = str(caught.value)
    assert "graph 'two': 2 of its parts cannot be written as ONNX" in message
    assert "%p: i8[20]<0.5, 0> = decompress(%c)" in message
    assert "export the network before they are compressed" in message
    assert "%s: i64[1,5,5,1]<0.25, 0> = conv2d(%x, %w, none) {accumulator=i64}" in message
    assert "before its layers are cut into sums" in message
    assert "relu" not in message
    assert len(caught.value.problems) == 2


def test_what_follows_from_a_refused_node_is_no_problem_of_its_own() -> None:
    graph = parse_graph(_TWO.replace("output %p", "%n: i8[20]<0.5, 0> = relu(%p)\noutput %n"))
    with pytest.raises(UnsupportedError) as caught:
        export_onnx(graph)
    assert len(caught.value.problems) == 2


def test_an_lstm_of_integers_is_refused() -> None:
    weights = "\n".join(
        f"const %{kind}{gate}: {dtype} = [{', '.join(['1'] * size)}]"
        for kind, dtype, size in (
            ("w", "i8[2,3]<0.01, 0>", 6),
            ("r", "i8[2,2]<0.01, 0>", 4),
            ("b", "i32[2]", 2),
        )
        for gate in range(4)
    )
    operands = ", ".join(f"%{kind}{gate}" for kind in "wrb" for gate in range(4))
    graph = parse_graph(f"""graph 2 "g" {{
      input %x: i8[1,5,3]<0.01, 3>
      input %h: i8[1,2]<0.0078125, 0>
      input %c: i16[1,2]<0.00048828125, 0>
      {weights}
      %y: i8[1,5,2]<0.0078125, 0>, %h1: i8[1,2]<0.0078125, 0>, %c1: i16[1,2]<0.00048828125, 0> = lstm(%x, %h, %c,
        {operands}, none, none, none, none, none) {{hidden_scale=0.0078125}}
      output %y
    }}""")
    with pytest.raises(UnsupportedError, match="export the network of floats"):
        export_onnx(graph)


def test_a_projection_of_an_lstm_is_refused() -> None:
    weights = "\n".join(
        f"const %{kind}{gate}: f32[{sizes}] = [{', '.join(['1.0'] * count)}]"
        for kind, sizes, count in (("w", "2,3", 6), ("r", "2,4", 8), ("b", "2", 2))
        for gate in range(4)
    )
    operands = ", ".join(f"%{kind}{gate}" for kind in "wrb" for gate in range(4))
    graph = parse_graph(f"""graph 2 "g" {{
      input %x: f32[1,5,3]
      input %h: f32[1,4]
      input %c: f32[1,2]
      const %p: f32[4,2] = [1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0]
      {weights}
      %y: f32[1,5,4], %h1: f32[1,4], %c1: f32[1,2] = lstm(%x, %h, %c, {operands}, none, none, none, %p, none)
      output %y
    }}""")
    with pytest.raises(UnsupportedError, match="without projection"):
        export_onnx(graph)


@pytest.mark.parametrize("name", ["", "a\\ud800"])
def test_a_name_that_a_file_cannot_have_is_refused(name: str) -> None:
    graph = parse_graph(
        f'graph 2 "g" {{ input %"{name}": f32[2] %y: f32[2] = relu(%"{name}") output %y }}'
    )
    with pytest.raises(UnsupportedError, match="rename it"):
        export_onnx(graph)
