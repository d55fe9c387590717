"""Counts and outputs by layer, from firmware whose model reports each one."""

from dataclasses import replace

import numpy as np
from tinsmith_emulators import OutputError, run
from tinsmith_ir import unrolled

from tinsmith_driver.build import built
from tinsmith_driver.inputs import Samples
from tinsmith_driver.network import Layers, layer_results
from tinsmith_driver.pipelines import Compilation
from tinsmith_driver.plugins import registry
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
            runners=registry().runners,
        )
    layers = Layers.of(compilation.program)
    if result.layer_numbers != layers.numbers:
        raise OutputError("the firmware did not report its layers in the order of its steps")
    measured = replace(
        measurement,
        layer_instructions=layers.sums(result.layer_instructions),
        layer_cycles=layers.sums(result.layer_cycles),
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
    program = compilation.program
    expected = layer_results(compilation.graph, program, samples.sample(index))
    calls = unrolled(program).calls
    numbers = Layers.of(program).numbers
    for call, layer, array, data in zip(calls, numbers, expected, outputs, strict=True):
        got = np.frombuffer(data, array.dtype).reshape(array.shape)
        if different_bytes(array, got):
            return difference_at(samples.group, index, call.name, layer, array, got)
    return None
