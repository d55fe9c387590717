# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
"""Networks that torchao quantizes: as integers within a step of what PyTorch computes of them, from files, too."""

import io
import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from against_torch import array_of, check
from numpy.typing import NDArray
from symmetric_quantizer import Symmetric, quantized, trained
from tinsmith_ir import (
    Array,
    DType,
    Graph,
    Pipeline,
    UnsupportedError,
    evaluate_frames,
    print_graph,
)
from tinsmith_layout.plugin import PLUGIN as LAYOUT
from tinsmith_qdq import FoldQuantization, remaining
from tinsmith_simplify.plugin import PLUGIN as SIMPLIFY
from tinsmith_torch import import_pt2, import_torch
from tinsmith_torch.architectures import ARCHITECTURES, Unit
from torch import Tensor, nn
from torch.export import ExportedProgram
from torch.fx import GraphModule
from torchao.quantization import (
    Float8WeightOnlyConfig,
    Int8DynamicActivationInt8WeightConfig,
    Int8DynamicActivationIntxWeightConfig,
    Int8WeightOnlyConfig,
    IntxWeightOnlyConfig,
    MappingType,
    PerAxis,
    PerGroup,
    PerTensor,
    quantize_,
)
from torchao.quantization.pt2e.quantizer.x86_inductor_quantizer import (
    X86InductorQuantizer,
    get_default_x86_inductor_quantization_config,
)

_INT4: torch.dtype = getattr(torch, "int4")  # noqa: B009, torch's stubs do not have it
_FRAMES = 4
_INTEGERS = (
    "autoencoder",
    "ds_cnn",
    "mobilenet_v2",
    "mobilenet_v3",
    "resnet8",
    "squeeze_excite",
    "streaming_ds_cnn",
    "tcn",
    "wake_word",
)
"""Networks of which nothing stays float32."""
_PARTS = ("lstm_kws", "mixer", "vision_transformer")
"""Networks whose recurrent layers, norms or attention do, as torchao leaves them."""


def given(shape: tuple[int, ...], seed: int) -> list[Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=generator) for _ in range(_FRAMES)]


def saved(program: ExportedProgram) -> bytes:
    file = io.BytesIO()
    torch.export.save(program, file)
    return file.getvalue()


def folded(graph: Graph) -> Graph:
    passes = [entry.kind() for entry in (*SIMPLIFY.passes, *LAYOUT.passes) if entry.runs]
    return Pipeline([FoldQuantization(), *passes, *passes]).run(graph).graph


def difference(got: Array, want: Tensor) -> NDArray[np.float64]:
    return np.abs(got.astype(np.float64) - array_of(want).astype(np.float64))


def apart(network: GraphModule, shape: tuple[int, ...]) -> tuple[Graph, NDArray[np.float64]]:
    """The network of integers, and by how many steps of the result each of its elements is off PyTorch's."""
    frames = given(shape, 11)
    program = torch.export.export(network, (frames[0],))
    graph = folded(import_torch(program, channels_last=False))
    (last,) = next(node for node in reversed(program.graph.nodes) if node.op == "output").args[0]
    assert "dequantize_per_tensor" in str(last.target)
    inputs = [[frame.numpy()] for frame in frames]
    found: list[NDArray[np.float64]] = []
    for frame, results in zip(frames, evaluate_frames(graph, inputs), strict=True):
        (got,) = results.values()
        with torch.no_grad():
            steps = difference(got, network(frame)) / float(last.args[1])
        assert np.abs(steps - np.rint(steps)).max() < 1e-2
        found.append(np.rint(steps))
    return graph, np.concatenate([each.reshape(-1) for each in found])


@pytest.mark.parametrize("name", [*_INTEGERS, *_PARTS])
def test_networks_are_within_a_step(name: str) -> None:
    architecture = ARCHITECTURES[name]
    network = quantized(architecture.module(), given(architecture.shape, 7))
    graph, steps = apart(network, architecture.shape)
    assert steps.max() <= 1
    assert steps.mean() < 0.4
    if name in _INTEGERS:
        assert not remaining(graph)


@pytest.mark.parametrize("name", ["ds_cnn", "squeeze_excite"])
def test_weights_may_have_one_scale(name: str) -> None:
    architecture = ARCHITECTURES[name]
    quantizer = Symmetric(per_channel=False)
    network = quantized(architecture.module(), given(architecture.shape, 7), quantizer)
    graph, steps = apart(network, architecture.shape)
    assert steps.max() <= 1
    assert not remaining(graph)


def test_batch_norms_of_networks_in_training_are_folded() -> None:
    torch.manual_seed(5)
    module = nn.Sequential(Unit(3, 6), Unit(6, 6, groups=6))
    shape = (2, 3, 8, 8)
    graph, steps = apart(trained(module, given(shape, 7)), shape)
    assert steps.max() <= 1
    assert not remaining(graph)
    layers = [node for node in graph.nodes if "conv" in node.operator.mnemonic]
    assert [node.outputs[0].type.dtype for node in layers] == [DType.INT8] * 2


def test_scales_that_runs_choose_are_computed_as_pytorch_does() -> None:
    architecture = ARCHITECTURES["squeeze_excite"]
    frames = given(architecture.shape, 7)
    network = quantized(architecture.module(), frames, Symmetric(is_dynamic=True))
    program = torch.export.export(network, (frames[0],))
    graph = import_torch(program, channels_last=False)
    inputs = [[frame.numpy()] for frame in frames]
    for frame, results in zip(frames, evaluate_frames(graph, inputs), strict=True):
        (got,) = results.values()
        assert difference(got, network(frame)).max() < 1e-5


def test_networks_for_servers_are_read() -> None:
    """uint8 between layers, and layers whose results stay float32."""
    architecture = ARCHITECTURES["ds_cnn"]
    frames = given(architecture.shape, 7)
    quantizer = X86InductorQuantizer()
    quantizer.set_global(get_default_x86_inductor_quantization_config())
    network = quantized(architecture.module(), frames, quantizer)
    graph = folded(import_torch(torch.export.export(network, (frames[0],)), channels_last=False))
    (got,) = next(iter(evaluate_frames(graph, [[frames[0].numpy()]]))).values()
    want: Tensor = network(frames[0])
    assert difference(got, want).max() < 0.01 * float(want.abs().max())
    layers = [node for node in graph.nodes if "conv" in node.operator.mnemonic]
    assert {node.outputs[0].type.dtype for node in layers} == {DType.INT8}


@pytest.mark.parametrize("name", ["mobilenet_v2", "lstm_kws"])
def test_networks_of_files_are_those_of_modules(name: str) -> None:
    architecture = ARCHITECTURES[name]
    frames = given(architecture.shape, 7)
    program = torch.export.export(quantized(architecture.module(), frames), (frames[0],))
    graph = import_pt2(saved(program), name="g", source="g")
    assert print_graph(graph) == print_graph(import_torch(program, name="g"))


class Layers(nn.Module):
    """Two linear layers with a norm between."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.first, self.norm = nn.Linear(64, 32), nn.LayerNorm(32)
        self.second = nn.Linear(32, 8, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.second(self.norm(torch.relu(self.first(x))))


_CONFIGS = {
    "int8 weights": Int8WeightOnlyConfig(),
    "int4 weights in groups": IntxWeightOnlyConfig(_INT4, PerGroup(16)),
    "int4 weights": IntxWeightOnlyConfig(_INT4, PerAxis(0)),
    "int8": Int8DynamicActivationInt8WeightConfig(),
    "int8 and a zero point": Int8DynamicActivationInt8WeightConfig(
        act_mapping_type=MappingType.ASYMMETRIC
    ),
    "int8 of one scale": Int8DynamicActivationInt8WeightConfig(granularity=PerTensor()),
    "int8 by int4": Int8DynamicActivationIntxWeightConfig(_INT4, PerGroup(32)),
}
_OF_CONFIGS = pytest.mark.parametrize("name", _CONFIGS)


def layers(name: str) -> Layers:
    module = Layers().eval()
    quantize_(module, _CONFIGS[name])
    return module


@_OF_CONFIGS
def test_modules_with_quantized_layers_are_right(name: str) -> None:
    check(layers(name), *([frame] for frame in given((3, 64), 7)))


@_OF_CONFIGS
def test_their_files_are_read_once_their_tensors_are_plain(name: str) -> None:
    module, (frame, *_) = layers(name), given((3, 64), 7)
    program = torch.export.export(module, (frame,)).run_decompositions({})
    check(module, [frame], graph=import_pt2(saved(program), channels_last=False))


def test_files_with_tensors_of_other_classes_say_how_to_have_plain_ones() -> None:
    program = torch.export.export(layers("int8"), (given((3, 64), 7)[0],))
    with pytest.raises(UnsupportedError, match=r"save program.run_decompositions\(\{\}\)"):
        import_pt2(saved(program))


def test_weights_of_layers_of_int8_stay_small() -> None:
    graph = import_torch(layers("int8"), (given((3, 64), 7)[0],))
    stored = [each for each in graph.constants if each.value.type.dtype is DType.INT8]
    assert sorted(each.data.size for each in stored) == [8 * 32, 32 * 64]


def test_float8_is_refused() -> None:
    module = Layers().eval()
    quantize_(module, Float8WeightOnlyConfig())
    with pytest.raises(
        UnsupportedError, match=r"expected elements that NumPy has, got torch\.float8"
    ):
        import_torch(module, (given((3, 64), 7)[0],))


def test_operators_of_torchao_are_known_where_nothing_has_imported_it() -> None:
    program = torch.export.export(layers("int8"), (given((3, 64), 7)[0],)).run_decompositions({})
    code = "import sys; from tinsmith_torch import import_pt2; import_pt2(sys.stdin.buffer.read())"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run(
        [sys.executable, "-c", code], input=saved(program), env=environment, check=True, timeout=300
    )
