"""N-EUREKA: values against numpy, for layers at random; cycles against GVSoC's; conflicts in banks."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from neureka_cycles import cycles
from neureka_layers import random_layer
from neureka_model import Layer, draw, pack_weights, registers, run_layer
from neureka_programs import (
    L1,
    Image,
    build,
    output_bytes,
    place,
    run_jobs,
    start,
)
from neureka_table import GVSOC, NO_CONFLICTS, cycles_of
from support import count, read_trace, seeded

_NEUREKA = "device neureka neureka base=0x10201000"
_AS_GVSOC = ("--part", f"{_NEUREKA} depthwise_l1_words=1")

_LAYERS_AT_ONCE = 12


def _check_layers(layers: list[Layer], folder: Path, *options: str) -> list[int]:
    """Runs them one after the other: all of L1 must be as numpy says. Returns how long each job took."""
    rng = np.random.default_rng(seeded().randrange(2**32))
    image, expected = Image(), list[tuple[int, bytes]]()
    jobs: list[list[int]] = []
    for layer in layers:
        tensors = draw(layer, rng)
        addresses = place(image, layer, tensors, align=int(rng.choice([1, 4, 32])))
        jobs.append(registers(layer, addresses))
        expected.append((addresses.output, output_bytes(layer, run_layer(layer, tensors))))
    memory = bytearray(image.data)
    for address, output in expected:
        memory[address - L1 : address - L1 + len(output)] = output

    trace = folder / "trace.json"
    outcome = run_jobs(image, jobs, folder, "--trace", str(trace), *options)

    for layer, (address, output) in zip(layers, expected, strict=True):
        found = outcome.memory[address - L1 : address - L1 + len(output)]
        assert found == output, f"the output differs: {layer}"
    assert outcome.memory == bytes(memory), "bytes beside the outputs changed"
    return [job.ended - job.began for job in read_trace(trace)["neureka"]]


def test_random_layers_are_bit_exact_and_take_the_cycles_of_the_model(tmp_path: Path) -> None:
    generator = seeded()
    layers = [random_layer(generator, number) for number in range(count("NEUREKA", 60))]
    for first in range(0, len(layers), _LAYERS_AT_ONCE):
        some = layers[first : first + _LAYERS_AT_ONCE]
        took = _check_layers(some, tmp_path, *NO_CONFLICTS)
        for layer, job in zip(some, took, strict=True):
            assert job == cycles(layer), layer


def test_conflicts_change_no_value(tmp_path: Path) -> None:
    generator = seeded()
    layers = [replace(random_layer(generator, number), prefetch=True) for number in range(9)]
    took = _check_layers(layers, tmp_path, "--set", "l1_banks=2")
    assert all(job >= cycles(layer) for layer, job in zip(layers, took, strict=True))
    assert sum(took) > sum(cycles(layer) for layer in layers)


@pytest.mark.parametrize(("layer", "measured"), GVSOC)
def test_cycles_are_within_three_percent_of_gvsocs(
    layer: Layer, measured: int, tmp_path: Path
) -> None:
    assert cycles_of(layer, tmp_path) == pytest.approx(measured, rel=0.03)


def test_depthwise_weights_from_l1_can_be_charged_as_gvsoc_does(tmp_path: Path) -> None:
    layer = Layer("depthwise", 6, 6, 28, 28)
    time = cycles_of(layer, tmp_path, *_AS_GVSOC)
    assert time == pytest.approx(213, rel=0.03)
    _check_layers([layer], tmp_path, *_AS_GVSOC)


def test_core_at_the_same_banks_lengthens_a_job(tmp_path: Path) -> None:
    """All pixels lie in the first eight banks, of which the core takes one."""
    layer = Layer("1x1", 12, 12, 32, 32, input_gap=32)
    image = Image()
    jobs = [registers(layer, place(image, layer, draw(layer, np.random.default_rng(2)), align=64))]
    loads = f" li t1, {L1:#x}\n li t2, 50\n2: " + " lw t3, 0(t1)\n" * 8
    busy = f"{loads} addi t2, t2, -1\n bnez t2, 2b"
    elf = build(image, jobs, tmp_path, meanwhile=busy)
    took: list[int] = []
    for options in ((), NO_CONFLICTS):
        trace = tmp_path / "trace.json"
        run = start(elf, "--trace", str(trace), *options)
        assert run.status == 0, run.messages
        (job,) = read_trace(trace)["neureka"]
        took.append(job.ended - job.began)
    # Without neighbours in the banks, they can only meet at the very word that the core reads.
    assert took[0] > cycles(layer) + 20
    assert took[1] <= cycles(layer) + 2


def test_weights_of_the_weight_memory_lie_from_its_base_on(tmp_path: Path) -> None:
    """Where a layer with prefetch meets no conflict: it takes the cycles of the model with all banks of the chip."""
    layer = Layer("3x3", 6, 6, 28, 32, weights_in_memory=True, prefetch=True)
    tensors = draw(layer, np.random.default_rng(3))
    image = Image()
    addresses = place(image, layer, tensors)
    stored = bytes(64) + pack_weights(layer, tensors.weights)
    jobs = [registers(layer, replace(addresses, weights=64))]
    trace = tmp_path / "trace.json"
    outcome = run_jobs(image, jobs, tmp_path, "--trace", str(trace), weights=stored)
    output = output_bytes(layer, run_layer(layer, tensors))
    start_of_output = addresses.output - L1
    assert outcome.memory[start_of_output : start_of_output + len(output)] == output
    (job,) = read_trace(trace)["neureka"]
    assert job.ended - job.began == cycles(layer)
