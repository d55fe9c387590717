"""Counts and outputs by layer, from firmware whose model reports each one."""

from dataclasses import replace

import numpy as np
from tinsmith_emulators import run
from tinsmith_ir import evaluate_graph

from tinsmith_driver.build import built
from tinsmith_driver.inputs import Samples
from tinsmith_driver.pipelines import Compilation
from tinsmith_driver.running import Difference, Measurement, difference_at, different_bytes

# Layer outputs are large; this many samples of each group show a wrong kernel.
_SAMPLES_OF_EACH_GROUP = 2


def with_layers(
    compilation: Compilation, measurement: Measurement, timeout_seconds: float, *, compare: bool
) -> Measurement:
    """The measurement with instructions and cycles by layer and, with `compare`, each layer's output checked.

    Runs a second firmware with the layer hook, on few samples.
    """
    groups = [group.samples.first(_SAMPLES_OF_EACH_GROUP) for group in measurement.groups]
    if not compare:
        groups = [groups[0].first(1)]
    inputs = [samples.packed(i) for samples in groups for i in range(len(samples))]
    with built(compilation, layer_hook=True) as build:
        result = run(
            build.firmware,
            compilation.target,
            inputs,
            layers=compare,
            timeout_seconds=timeout_seconds,
        )
    measured = replace(
        measurement,
        layer_instructions=result.layer_instructions,
        layer_cycles=result.layer_cycles,
    )
    if not compare:
        return measured
    runs = iter(result.layer_outputs)
    found: Difference | None = None
    for samples in groups:
        for index in range(len(samples)):
            found = found or _first_difference(compilation, samples, index, next(runs))
    return replace(measured, layer_difference=found, layers_compared=True)


def _first_difference(
    compilation: Compilation, samples: Samples, index: int, outputs: tuple[bytes, ...]
) -> Difference | None:
    """The first layer whose output bytes are not the evaluator's."""
    graph = compilation.graph
    expected = evaluate_graph(graph, samples.sample(index), keep=True)
    for layer, (call, data) in enumerate(zip(compilation.program.calls, outputs, strict=True)):
        name = call.outputs[0]
        array = expected[name]
        got = np.frombuffer(data, array.dtype).reshape(array.shape)
        if different_bytes(array, got):
            return difference_at(samples.group, index, call.name, layer, array, got)
    return None
