"""From a Program back to the Graph that it computes."""

import numpy as np
import pytest
from tinsmith_ir import evaluate_graph, evaluate_program, parse_program, verify_graph
from tinsmith_ir.errors import GraphError
from tinsmith_ir.evaluate import equal_arrays
from tinsmith_lowering import lift

TEXT = """program 2 "p" for "host" {
  memory "arena" align 4
  engine "dma" reaches "arena" align 1
  buffer %x: f32[2,2] in "arena"
  view %flat: f32[4] of %x
  buffer %a: f32[4] in "arena"
  buffer %b: f32[4] in "arena"
  const %c: f32[4] = [1.0, 2.0, 3.0, 4.0]
  input %x
  call "a" kernel "k": %a = add(%flat, %c)
  call "b" kernel "k": %b = relu(%a)
  output %b
}
"""


def test_calls_become_nodes_and_shared_bytes_a_reshape() -> None:
    program = parse_program(TEXT)
    graph = lift(program)
    verify_graph(graph)
    assert [node.operator.mnemonic for node in graph.nodes] == ["reshape", "add", "relu"]
    x = [np.array([[-9, 2], [3, -4]], np.float32)]
    assert equal_arrays(evaluate_graph(graph, x)["b"], evaluate_program(program, x)["b"])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("relu(%a)", "relu(%b) over %b up to 0", "%b is read, but nothing wrote it"),
        ("%b = relu(%a)", "%a = relu(%a) over %a up to 0", "%a is written once more"),
        ("  output", "  copy %a -> %b\n  output", "expected calls of the core alone, got\n  copy"),
        ("relu(%a)", 'relu(%a) on "dma" token 1 wait 1', "expected calls of the core alone"),
    ],
)
def test_other_programs_have_no_graph(old: str, new: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        lift(parse_program(TEXT.replace(old, new)))
