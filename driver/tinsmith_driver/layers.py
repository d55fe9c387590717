"""Counts and outputs by layer, from firmware whose model reports each one."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from tinsmith_emulators import CoreCounts, OutputError
from tinsmith_ir import Array, View, unrolled
from tinsmith_ir.byte_places import places
from tinsmith_ir.expressions import ZERO

from tinsmith_driver.build import built
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.inputs import Samples
from tinsmith_driver.network import LayerArrays, Layers, layer_arrays
from tinsmith_driver.running import (
    Difference,
    Measurement,
    counted_layers,
    difference_at,
    different_bytes,
    run_groups,
)

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
    with built(compilation, layer_hook=True) as build:
        result = run_groups(build, compilation.graph, groups, timeout_seconds, layers=compare)
        calls = len(compilation.program.calls)
        cores = counted_layers(build, groups[0], calls, timeout_seconds)
    layers = Layers.of(compilation.program)
    if result.layer_numbers != layers.numbers:
        raise OutputError("the firmware did not report its layers in the order of its steps")
    measured = replace(
        measurement,
        layer_instructions=layers.sums(result.layer_instructions),
        layer_cycles=_cycles(cores) or layers.sums(result.layer_cycles),
        layer_cores=cores,
    )
    if not compare:
        return measured
    runs = iter(result.layer_outputs)
    measured = replace(measured, layer_samples=sum(map(len, groups)))
    for samples in groups:
        found = _first_difference(compilation, samples, runs)
        if found is not None:
            difference, arrays = found
            return replace(measured, layer_difference=difference, layer_arrays=arrays)
    return measured


def _cycles(cores: Sequence[Sequence[CoreCounts]]) -> tuple[int, ...]:
    """Of each layer on core 0, which nothing but what marks the layers' ends keeps from waiting for copies."""
    return tuple(of_layer[0].cycles for of_layer in cores)


def _elements(view: View, data: bytes) -> Array:
    """The tensor in the bytes from the first of a view on, as the layer hook reports them."""
    indices = places(replace(view, start=ZERO)).indices()
    elements = np.frombuffer(data, np.uint8)[indices].tobytes()
    return np.frombuffer(elements, view.type.dtype.numpy).reshape(view.type.shape)


def _first_difference(
    compilation: Compilation, samples: Samples, runs: Iterator[tuple[bytes, ...]]
) -> tuple[Difference, dict[str, Array]] | None:
    """The first layer whose output bytes are not the evaluator's, of those that were there to be reported, and its
    arrays.

    runs: taken from, one for each sample.
    """
    program = compilation.program
    meant = unrolled(program)
    calls = meant.calls
    found = Layers.of(program).runs
    wanted = layer_arrays(compilation.graph, program, samples.frames)
    outputs = [next(runs) for _ in range(len(samples))]
    for index, (expected, reported) in enumerate(zip(wanted, outputs, strict=True)):
        for run_, data in zip(found, reported, strict=True):
            if not run_.is_there:
                continue
            call, arrays = calls[run_.start], expected[run_.start]
            got = _elements(meant.view[call.outputs[0]], data)
            if different_bytes(arrays.result, got):
                difference = difference_at(
                    samples.group, index, call.name, run_.number, arrays.result, got
                )
                return replace(difference, kernel=call.kernel), _named(arrays, got)
    return None


def _named(arrays: LayerArrays, got: Array) -> dict[str, Array]:
    """As `Measurement.layer_arrays` calls them."""
    operands = {
        f"operand{number}": array
        for number, array in enumerate(arrays.operands)
        if array is not None
    }
    return operands | {"expected": arrays.result, "got": got}
