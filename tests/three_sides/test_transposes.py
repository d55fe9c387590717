"""Networks that come channels first have no transposes behind the passes but those of their mathematics."""

from typing import Protocol, cast

import numpy as np
import onnx
import pytest
from figures import after_passes
from onnx.reference import ReferenceEvaluator
from onnx_networks import NETWORKS, OnnxNetwork
from tinsmith_ir import Array, Graph, evaluate_graph
from tinsmith_onnx import import_onnx

_RELATIVE = 1e-5


class _Evaluator(Protocol):
    """What the package leaves untyped."""

    def run(self, output_names: None, feed_inputs: dict[str, Array]) -> list[Array]: ...


@pytest.mark.parametrize("network", NETWORKS, ids=lambda each: each.make.__name__)
def test_no_transpose_is_left_beyond_mathematics(network: OnnxNetwork) -> None:
    model = network.make()
    graph = import_onnx(model.SerializeToString())
    result = after_passes(graph)
    assert _transposes(result) == network.transposes, network.why
    _assert_computes(result, model)


def test_importers_put_transposes_around_whatever_has_channels() -> None:
    """So that a count of none says something about the passes."""
    counts = {
        network.make.__name__: _transposes(import_onnx(network.make().SerializeToString()))
        for network in NETWORKS
    }
    assert counts.pop("autoencoder") == 0  # of vectors
    assert min(counts.values()) > 2


def _transposes(graph: Graph) -> int:
    return sum(node.operator.mnemonic == "transpose" for node in graph.nodes)


def _assert_computes(graph: Graph, model: onnx.ModelProto) -> None:
    """What the model does, of a random input; an image goes in, and comes out, channels last."""
    (declared,) = model.graph.input
    shape = [size.dim_value for size in declared.type.tensor_type.shape.dim]
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    (wanted,) = cast("_Evaluator", ReferenceEvaluator(model)).run(None, {"x": x})
    (source,), (result,) = graph.inputs, graph.outputs
    given = x if source.type.shape == x.shape else np.moveaxis(x, 1, -1)
    found = evaluate_graph(graph, {source.name: given})[result.name]
    if found.shape != wanted.shape:
        found = np.moveaxis(found, -1, 1)
    limit = _RELATIVE * float(np.abs(wanted).max())
    pair = np.asarray(found, np.float32), np.asarray(wanted, np.float32)
    np.testing.assert_allclose(*pair, rtol=0, atol=limit)
