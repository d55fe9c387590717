"""Each operator, exported and imported again, computes the same."""

import subprocess
import sys

import pytest
from export_cases import CASES, graph_of
from exported import assert_near, file_of
from tinsmith_ir import OPERATORS, parse_graph, print_graph
from tinsmith_ir.operators import Chain
from tinsmith_ir.testing import random_inputs
from tinsmith_onnx import export_onnx
from tinsmith_onnx.export.operators import REFUSED, RULES
from tinsmith_onnx.plugin import PLUGIN


@pytest.mark.parametrize("name", CASES)
def test_the_file_computes_what_the_graph_says(name: str) -> None:
    graph = graph_of(name, CASES[name])
    for seed in range(3):
        assert_near(graph, random_inputs(graph, seed))


def test_every_operator_is_written_or_refused_and_each_that_is_written_has_a_case() -> None:
    ours = {kind for kind in OPERATORS.values() if kind.__module__.startswith("tinsmith_ir.")}
    assert ours - {Chain} == set(RULES) | set(REFUSED)
    assert not set(RULES) & set(REFUSED)
    graphs = [graph_of(name, text) for name, text in CASES.items()]
    shown = {type(node.operator) for graph in graphs for node in graph.nodes}
    assert shown == set(RULES)


def test_inputs_and_outputs_keep_names_types_and_shapes() -> None:
    graph = graph_of("conv2d i8", CASES["conv2d i8"])
    model = file_of(graph)
    (source,), (result,) = model.graph.input, model.graph.output
    assert (source.name, source.type.tensor_type.elem_type) == ("x", 3)
    assert [size.dim_value for size in source.type.tensor_type.shape.dim] == [2, 7, 6, 3]
    assert (result.name, result.type.tensor_type.elem_type) == ("y", 3)
    assert [size.dim_value for size in result.type.tensor_type.shape.dim] == [2, 5, 5, 4]


def test_the_file_is_of_ai_onnx_alone_and_says_who_wrote_it() -> None:
    model = file_of(graph_of("conv2d i8", CASES["conv2d i8"]))
    assert [(each.domain, each.version) for each in model.opset_import] == [("", 21)]
    assert (model.producer_name, model.graph.name) == ("tinsmith", "conv2d i8")


def test_the_same_graph_gives_the_same_bytes() -> None:
    for name, text in CASES.items():
        graph = graph_of(name, text)
        assert export_onnx(graph) == export_onnx(parse_graph(print_graph(graph)))


def test_the_bytes_do_not_depend_on_how_names_are_hashed() -> None:
    script = (
        "import hashlib, sys\n"
        "from export_cases import CASES, graph_of\n"
        "from tinsmith_onnx import export_onnx\n"
        "files = [export_onnx(graph_of(name, text)) for name, text in CASES.items()]\n"
        "sys.stdout.write(hashlib.sha256(b''.join(files)).hexdigest())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script],
            check=True,
            capture_output=True,
            env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_an_input_that_is_an_output_and_a_constant_that_is_one() -> None:
    graph = parse_graph("""graph 2 "g" {
      input %x: f32[1,2,2,3]
      const %c: f32[2] = [1.0, 2.0]
      %y: f32[1,2,2,3] = relu(%x)
      %t: f32[1,2,2,3] = transpose(%x) {permutation=[0,1,2,3]}
      output %x
      output %c
      output %y
      output %t
    }""")
    assert_near(graph, random_inputs(graph))


def test_what_a_graph_keeps_is_an_input_and_an_output() -> None:
    graph = parse_graph("""graph 2 "g" {
      input %x: f32[1,4]
      state %h: f32[1,4] = [0.0,0.0,0.0,0.0] next %n
      state %k: i8[1,4]<0.5, 3> = [3,3,3,4] next %q
      %n: f32[1,4] = add(%x, %h)
      %q: i8[1,4]<0.5, 3> = quantize(%n)
      %d: f32[1,4] = dequantize(%k)
      %y: f32[1,4] = mul(%n, %d)
      output %y
    }""")
    model = file_of(graph)
    assert [each.name for each in model.graph.input] == ["x", "h", "k"]
    assert [each.name for each in model.graph.output] == ["y", "h_next", "k_next"]
    said = {each.key: each.value for each in model.metadata_props}
    assert said == {"tinsmith.state.h": "h_next", "tinsmith.state.k": "k_next"}
    stored = {each.name for each in model.graph.initializer}
    assert "k" in stored  # what it is at first
    assert "h" not in stored


def test_the_plugin_writes_the_file() -> None:
    (exporter,) = PLUGIN.exporters
    graph = graph_of("conv2d f32", CASES["conv2d f32"])
    assert (exporter.name, exporter.suffixes) == ("onnx", (".onnx",))
    assert exporter.write(graph) == export_onnx(graph)
