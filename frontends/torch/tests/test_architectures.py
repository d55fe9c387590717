"""Networks of microcontrollers: right, channels last all through, and the same from a file."""

import io

import numpy as np
import pytest
import torch
from against_torch import array_of, assert_equal
from tinsmith_ir import Array, Graph, Pipeline, Transpose, evaluate_frames, print_graph
from tinsmith_layout.plugin import PLUGIN as LAYOUT
from tinsmith_simplify.plugin import PLUGIN as SIMPLIFY
from tinsmith_tensors.images import Turned
from tinsmith_torch import import_pt2, import_torch
from tinsmith_torch.architectures import ARCHITECTURES, Architecture
from torch import Tensor

_ALL = pytest.mark.parametrize("architecture", ARCHITECTURES.values(), ids=ARCHITECTURES)

_OF_EACH_KIND = ("autoencoder", "crnn", "decoder", "ds_cnn", "lstm_kws", "mobilevit", "resnet8")
"""Convolutions, recurrent layers, attention, states. To export one takes seconds."""


def as_given(tensor: Tensor, name: str, turned: list[Turned]) -> Array:
    """As the graph takes or gives it."""
    array = array_of(tensor)
    is_last = any(end.name == name for end in turned)
    return np.ascontiguousarray(np.moveaxis(array, 1, -1)) if is_last else array


def simplified(graph: Graph) -> Graph:
    passes = [entry.kind() for entry in (*SIMPLIFY.passes, *LAYOUT.passes) if entry.runs]
    return Pipeline([*passes, *passes]).run(graph).graph


@_ALL
def test_networks_compute_what_pytorch_does_channels_last(architecture: Architecture) -> None:
    module, frames = architecture.module(), architecture.inputs()
    turned: list[Turned] = []
    graph = import_torch(module, (frames[0],), on_turned=turned.append)
    (value,), (output,) = graph.inputs, graph.outputs
    inputs = [[as_given(frame, value.name, turned)] for frame in frames]
    plain = simplified(graph)
    left = [node for node in plain.nodes if isinstance(node.operator, Transpose)]
    assert len(left) <= architecture.transposes
    for frame, got in zip(frames, evaluate_frames(plain, inputs), strict=True):
        with torch.no_grad():
            want = as_given(module(frame), output.name, turned)
        assert_equal(got[output.name], want, 1e-4, output.name)


@pytest.mark.parametrize("name", _OF_EACH_KIND)
def test_networks_of_files_are_those_of_modules(name: str) -> None:
    architecture = ARCHITECTURES[name]
    program = torch.export.export(architecture.module(), (architecture.inputs()[0],))
    file = io.BytesIO()
    torch.export.save(program, file)
    graph = import_pt2(file.getvalue(), name="g", source="g")
    assert print_graph(graph) == print_graph(import_torch(program, name="g"))
