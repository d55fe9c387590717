"""Layers on the analog accelerator's twin, under sanitizers: refused by a rule, or the bytes are the evaluator's."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from analog_jobs import chained_jobs
from diana_networks import layer_calls
from tinsmith_c.testing import HostModel, KernelObjects, place
from tinsmith_diana.analog.border_layers import analog_border_inputs, analog_border_layer
from tinsmith_diana.analog.convolution import NAME
from tinsmith_diana.layouts import DianaPixels
from tinsmith_ir import Graph, evaluate_graph, parse_graph
from tinsmith_ir.operators import Reshape
from tinsmith_ir.program import Call, Copy
from tinsmith_lowering import Kernel, Layer, check_calls, lower, prepare
from tinsmith_target import Target

_LAYERS = 60
_DRAWN = 200


def _call(graph: Graph, host: Target, kernels: tuple[Kernel, ...]) -> Call:
    (call,) = layer_calls(lower(graph, host, kernels))
    return call


def is_taken(graph: Graph, host: Target, kernels: tuple[Kernel, ...]) -> bool:
    call = _call(graph, host, kernels)
    taken = call.kernel == NAME
    assert taken or f"{NAME}: " in call.reason, call.reason
    return taken


@pytest.mark.parametrize("seed", range(_LAYERS))
def test_a_layer_is_refused_by_a_rule_or_that_of_the_evaluator(
    seed: int, host: Target, both: tuple[Kernel, ...], both_objects: KernelObjects, tmp_path: Path
) -> None:
    graph = analog_border_layer(seed)
    if not is_taken(graph, host, both):
        return
    model = HostModel.of_graph(graph, host, both, both_objects, tmp_path)
    for inputs in analog_border_inputs(graph, seed):
        assert model.wrong_results(inputs, graph) == []


def test_many_layers_are_taken_and_some_refused(host: Target, both: tuple[Kernel, ...]) -> None:
    """What the test above stands for: it cannot pass because all are refused, nor the rules because none is."""
    graphs = [analog_border_layer(seed) for seed in range(_LAYERS)]
    taken = [graph for graph in graphs if is_taken(graph, host, both)]
    assert 0.5 * _LAYERS < len(taken) < 0.9 * _LAYERS
    results = [graph.outputs[0].type.shape[3] for graph in taken]
    sources = [graph.inputs[0].type.shape[3] for graph in taken]
    for channels in (results, sources):
        assert {-(-count // 16) for count in channels} >= {1, 2, 3, 4, 5}


def test_layers_are_on_both_sides_of_each_border(host: Target, both: tuple[Kernel, ...]) -> None:
    """Of those that the benchmark draws."""
    graphs = [analog_border_layer(seed) for seed in range(_DRAWN)]
    calls = [_call(graph, host, both) for graph in graphs]
    taken = [graph for graph, call in zip(graphs, calls, strict=True) if call.kernel == NAME]
    reasons = [call.reason for call in calls if call.kernel != NAME]
    weights = [graph.constant_data["w"].shape for graph in taken]
    sources = [graph.inputs[0].type.shape for graph in taken]
    assert {shape[3] for shape in sources} >= {15, 16, 17, 63, 64, 65, 127, 128, 1023}
    assert {shape[0] for shape in weights} >= {16, 17, 64, 65, 511, 512}
    assert max(max(shape[1:3]) for shape in sources) == 1023
    assert {np.prod(shape[1:]) for shape in weights} >= {288, 576, 1152}
    found = {
        rule: sum(rule in reason for reason in reasons)
        for rule in (
            "one image",
            "gain is",
            "one chunk",
            "window has",
            "Padding",
            "output channels",
        )
    }
    assert min(found.values()) > 1, found


def test_results_are_rarely_clipped(host: Target, both: tuple[Kernel, ...]) -> None:
    """A layer of which only ends are seen would hide wrong sums."""
    graphs = [analog_border_layer(seed) for seed in range(_LAYERS)]
    taken = [graph for graph in graphs if is_taken(graph, host, both)]
    inner = 0
    for graph in taken:
        (found,) = evaluate_graph(graph, analog_border_inputs(graph, 0)[0]).values()
        result = found.astype(np.int64)
        inner += float(((result > -128) & (result < 127) & (result != 0)).mean()) > 0.3
    assert inner > 0.6 * len(taken)


@pytest.mark.parametrize("seed", range(3))
def test_images_stay_in_pixels_from_layer_to_layer(
    seed: int, host: Target, both: tuple[Kernel, ...], both_objects: KernelObjects, tmp_path: Path
) -> None:
    graph = chained_jobs(seed)
    program = prepare(lower(graph, host, both), host, both)
    check_calls(program, host, both)
    assert not [step for step in program.steps if isinstance(step, Copy)]
    assert [call.kernel for call in layer_calls(program)] == [NAME] * 3
    turned = [call.kernel for call in program.calls if isinstance(call.operator, Reshape)]
    assert turned == ["tinsmith_diana_to_pixels", *["tinsmith_diana_from_pixels"] * 2]
    assert program.view["y0"].layout == DianaPixels.name
    model = HostModel.build(place(program), host, both, both_objects, tmp_path)
    for inputs in analog_border_inputs(graph, seed):
        assert model.wrong_results(inputs, graph) == []


def test_images_are_turned_between_both_arrays(
    host: Target, both: tuple[Kernel, ...], both_objects: KernelObjects, tmp_path: Path
) -> None:
    """The digital array's results have 7 bits, as its weights and its inputs are few and small."""
    weights = np.random.default_rng(1).integers(-1, 2, (70, 1, 1, 18)).reshape(-1).tolist()
    graph = parse_graph(f"""graph 2 "mixed" {{
      input %x: i8[1,5,7,3]<0.5, 0>
      const %v: i8[18,1,1,3]<0.25, 0> = {[1, -1, 0] * 18}
      const %b: i32[18]<0.125, 0> = {list(range(18))}
      const %w: i8[70,1,1,18] = {weights}
      const %m: i8[70] = {[3, -2] * 35}
      const %a: i8[70] = {list(range(70))}
      const %u: i8[4,3,3,70]<0.5, 0> = {[1, -2, 3, 0, 1] * 504}
      const %c: i32[4]<0.125, 0> = {[5, -5, 9, 0]}
      %d: i8[1,5,7,18]<0.5, 0> = conv2d(%x, %v, %b) {{rounding=floor}}
      %e: i8[1,5,7,70]<0.25, 0> = analog_conv2d(%d, %w, %m, %a) {{gain=16, chunk_channels=18, shift=1}}
      %y: i8[1,5,7,4]<16.0, 0> = conv2d(%e, %u, %c) {{rounding=floor, padding=[1,1,1,1]}}
      output %y
    }}""")
    program = prepare(lower(graph, host, both), host, both)
    called = [call.kernel for call in layer_calls(program)]
    assert [name.startswith("tinsmith_diana_digital") for name in called] == [True, False, True]
    turned = [call.kernel for call in program.calls if isinstance(call.operator, Reshape)]
    assert turned[1:3] == ["tinsmith_diana_digital_pixels", "tinsmith_diana_pixels_to_rows"]
    model = HostModel.build(place(program), host, both, both_objects, tmp_path)
    for inputs in analog_border_inputs(graph, 3)[:2]:
        assert model.wrong_results(inputs, graph) == []


@pytest.mark.parametrize("less_bytes", [0, 32])
def test_images_reach_to_the_end_of_their_place_and_no_further(
    less_bytes: int,
    host: Target,
    both: tuple[Kernel, ...],
    both_objects: KernelObjects,
    tmp_path: Path,
) -> None:
    """The place of a layer whose result has all banks lies at the end of the arena, under AddressSanitizer; one that is
    too small is overrun.
    """
    graph = chained_jobs(0)
    program = prepare(lower(graph, host, both), host, both)
    name = layer_calls(program)[0].scratch
    assert name is not None
    size = program.buffer[name].size_bytes - less_bytes
    buffers = sorted(program.buffers, key=lambda each: each.name == name)
    buffers[-1] = replace(buffers[-1], size_bytes=size)
    views = (
        replace(each, type=replace(each.type, shape=(size,))) if each.name == name else each
        for each in program.views
    )
    placed = place(replace(program, buffers=tuple(buffers), views=tuple(views)))
    unchecked = [
        replace(kernel, scratch_bytes=_some) if kernel.name == NAME else kernel for kernel in both
    ]
    model = HostModel.build(placed, host, unchecked, both_objects, tmp_path)
    inputs = analog_border_inputs(graph, 0)[0]
    if less_bytes:
        with pytest.raises(AssertionError, match="heap-buffer-overflow"):
            model.run(inputs)
    else:
        assert model.wrong_results(inputs, graph) == []


def _some(layer: Layer) -> int:
    """Less than any layer's images take."""
    del layer
    return 32
