"""Weights with scales of blocks: how they are written, and that they come back as the same integers."""

import numpy as np
import onnx
import pytest
from export_cases import CASES, graph_of
from exported import element_types, file_of, operands_of, reimported
from onnx import TensorProto, numpy_helper
from tinsmith_ir import Graph, Node, UnsupportedError, evaluate_graph
from tinsmith_ir.operators import BlockwiseFullyConnected
from tinsmith_ir.testing import random_inputs
from tinsmith_onnx import export_onnx, import_onnx
from tinsmith_qdq import FoldQuantization

LAYERS = [f"blockwise_fully_connected {name}" for name in ("rows", "pixels", "sequence")]


def folded(model: onnx.ModelProto) -> Graph:
    found = import_onnx(model.SerializeToString(), channels_last=False)
    return FoldQuantization().run(found)


def layer_of(graph: Graph) -> Node:
    (node,) = (each for each in graph.nodes if isinstance(each.operator, BlockwiseFullyConnected))
    return node


def attributes(model: onnx.ModelProto, result: str) -> dict[str, int]:
    node = next(node for node in model.graph.node if result in node.output)
    return {each.name: each.i for each in node.attribute}


@pytest.mark.parametrize(
    ("name", "kind", "shape"),
    [("rows", "Gemm", (5, 3)), ("pixels", "Conv", (4, 2, 1, 1))],
)
def test_weights_are_of_four_bits_behind_one_conversion_of_blocks(
    name: str, kind: str, shape: tuple[int, ...]
) -> None:
    graph = graph_of(
        f"blockwise_fully_connected {name}", CASES[f"blockwise_fully_connected {name}"]
    )
    model = file_of(graph)
    (layer,) = (node for node in model.graph.node if node.op_type == kind)
    weights = layer.input[1]
    block = layer_of(graph).operator
    assert isinstance(block, BlockwiseFullyConnected)
    assert attributes(model, weights) == {"axis": 1, "block_size": block.block}
    stored, steps = operands_of(model, weights)
    assert element_types(model)[stored] == TensorProto.INT4
    (scales,) = (each for each in model.graph.initializer if each.name == steps)
    assert numpy_helper.to_array(scales).shape == shape
    assert (numpy_helper.to_array(scales) > 0).all()


@pytest.mark.parametrize("name", LAYERS)
def test_the_file_computes_what_the_graph_does(name: str) -> None:
    graph = graph_of(name, CASES[name])
    for seed in range(5):
        inputs = random_inputs(graph, seed=seed)
        (wanted,) = evaluate_graph(graph, inputs).values()
        (found,) = reimported(graph, inputs)
        assert np.abs(found.astype(int) - wanted.astype(int)).max() <= 1


@pytest.mark.parametrize("name", LAYERS)
def test_integers_come_back_as_they_were(name: str) -> None:
    graph = graph_of(name, CASES[name].replace("255, 0, 3", "255, 7, 3"))
    again = folded(file_of(graph))
    before, after = layer_of(graph), layer_of(again)
    for place in (1, 3):
        own, other = before.inputs[place], after.inputs[place]
        assert own is not None
        assert other is not None
        was, now = graph.constant(own), again.constant(other)
        assert was is not None
        assert now is not None
        assert np.array_equal(now, was)
    inputs = [*random_inputs(graph, seed=3).values()]
    (wanted,), (found,) = (evaluate_graph(each, inputs).values() for each in (graph, again))
    assert np.array_equal(wanted, found)


def test_multipliers_that_are_computed_are_refused() -> None:
    text = CASES[LAYERS[1]].replace(
        "const %m: u8[4,2] = [1, 15, 7, 3, 2, 5, 11, 9]", "input %m: u8[4,2]"
    )
    with pytest.raises(UnsupportedError, match="multipliers of blocks that are constants"):
        export_onnx(graph_of("computed", text))


@pytest.mark.parametrize("kind", ["MatMul", "Gemm", "Conv"])
def test_blocks_of_other_tools_are_folded(kind: str) -> None:
    """Scales that are multiples, however the file lays out the weights."""
    random = np.random.default_rng(4)
    weights = random.integers(-8, 8, (6, 40)).astype(np.int8)
    rows = np.linspace(0.01, 0.02, 6, dtype=np.float32)
    scales = rows[:, None] * random.integers(1, 16, (6, 3)).astype(np.float32)
    axis = 1
    shape, source = (6, 40), [2, 40]
    if kind == "MatMul":
        weights, scales, axis, shape = weights.T, scales.T, 0, (40, 6)
    elif kind == "Conv":
        weights, scales = (each[:, :, None, None] for each in (weights, scales))
        shape, source = (6, 40, 1, 1), [1, 40, 2, 3]
    stored = onnx.helper.make_tensor("w", TensorProto.INT4, shape, weights.reshape(-1).tolist())
    known = {
        "s": np.ascontiguousarray(scales),
        "xs": np.float32(0.05),
        "xz": np.int8(3),
        "ys": np.float32(0.8),
        "yz": np.int8(-5),
    }
    make = onnx.helper.make_node
    layer = make(kind, ["a", "b"], ["c"])
    if kind == "Gemm":
        layer.attribute.append(onnx.helper.make_attribute("transB", 1))
    nodes = [
        make("DequantizeLinear", ["x", "xs", "xz"], ["a"]),
        make("DequantizeLinear", ["w", "s"], ["b"], axis=axis, block_size=16),
        layer,
        make("QuantizeLinear", ["c", "ys", "yz"], ["y"]),
    ]
    info = onnx.helper.make_tensor_value_info
    initializers = [stored, *(numpy_helper.from_array(np.asarray(v), k) for k, v in known.items())]
    result = [2, 6] if kind != "Conv" else [1, 6, 2, 3]
    graph = onnx.helper.make_graph(
        nodes,
        "blocks",
        [info("x", TensorProto.INT8, source)],
        [info("y", TensorProto.INT8, result)],
        initializers,
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)])
    onnx.checker.check_model(model, full_check=True)  # pyright: ignore[reportUnknownMemberType]
    before = import_onnx(model.SerializeToString(), channels_last=False)
    after = folded(model)
    operator = layer_of(after).operator
    assert isinstance(operator, BlockwiseFullyConnected)
    assert operator.block == 16
    assert "dequantize" not in {node.operator.mnemonic for node in after.nodes}
    inputs = random_inputs(before, seed=1)
    (wanted,), (found,) = (evaluate_graph(each, inputs).values() for each in (before, after))
    assert np.abs(wanted.astype(int) - found.astype(int)).max() <= 1
