"""Functions of int16: curves as far from real numbers as TFLite's are, and negation."""

import numpy as np
import pytest
from tinsmith_ir import Graph, evaluate_graph, parse_graph
from tinsmith_qdq import FoldQuantization, remaining


def graph_of(mnemonic: str, result: str) -> Graph:
    return parse_graph(f"""graph 2 "g" {{
      input %x: i16[65536]<0.0001, 0>
      %x_real: f32[65536] = dequantize(%x)
      %y_real: f32[65536] = {mnemonic}(%x_real)
      %y: i16[65536]<{result}, 0> = quantize(%y_real) {{dtype=i16, halves_to_even=true}}
      output %y
    }}""")


@pytest.mark.parametrize(
    ("mnemonic", "result", "operator", "steps"),
    [
        ("logistic", "0.000030517578125", "logistic", 2),
        ("tanh", "0.000030517578125", "tanh", 4),
        ("gelu", "0.0001", "gelu", 2),
        ("neg", "0.0001", "mul", 0),
        ("neg", "0.0002", "mul", 1),
    ],
)
def test_functions_are_near_what_they_were(
    mnemonic: str, result: str, operator: str, steps: int
) -> None:
    graph = graph_of(mnemonic, result)
    folded = FoldQuantization().run(graph)
    assert [node.operator.mnemonic for node in folded.nodes] == [operator]
    given = [np.arange(-32768, 32768).astype(np.int16)]
    (wanted,) = evaluate_graph(graph, given).values()
    (found,) = evaluate_graph(folded, given).values()
    assert np.abs(wanted.astype(np.int64) - found.astype(np.int64)).max() <= steps


def test_other_functions_of_16_bits_stay_floats() -> None:
    folded = FoldQuantization().run(graph_of("elu", "0.0001"))
    (left,) = remaining(folded)
    assert left.node.operator.mnemonic == "elu"
