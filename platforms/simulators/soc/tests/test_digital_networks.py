"""Layers of the four networks of HTVM's Table I take DIANA's digital accelerator the cycles of the published model."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from diana_programs import Writes, build, start
from digital_cycles import JOB, LOAD, LOADS, compute_cycles, transfer
from digital_model import (
    LANES,
    STOP,
    Connected,
    Convolution,
    addition_words,
    connected_words,
    convolution_words,
    pad,
)
from digital_networks import NETWORKS, Row
from digital_programs import Program, connected_job, convolution_job
from support import read_trace

_MOST_WEIGHTS = 65536
_SET_UP = JOB + LOADS * LOAD + transfer(64) + transfer(256)


def _slices(row: Row) -> list[Convolution | Connected | None]:
    """What each job of the layer computes: a channel, 16 outputs, or as many as have weights in the memory."""
    layer = row.layer
    if layer is None:
        return [None]
    if isinstance(layer, Connected):
        return [replace(layer, outputs=LANES)] * row.jobs
    if layer.depthwise:
        return [replace(layer, inputs=1, outputs=1)] * row.jobs
    if row.jobs == 1:
        return [layer]
    return [replace(layer, outputs=size) for size in (240, layer.outputs - 240)]


def _weight_bytes(layer: Convolution | Connected | None) -> int:
    if layer is None:
        return 0
    if isinstance(layer, Connected):
        return pad(layer.outputs) * (pad(layer.inputs) + LANES)
    inputs = 1 if layer.depthwise else layer.inputs
    return pad(layer.outputs) * (inputs * layer.kernel[0] * layer.kernel[1] + 4)


def _job(program: Program, row: Row, layer: Convolution | Connected | None) -> Writes:
    """Values do not matter: weights and activations are zeros, the first lie where all layers have them."""
    weights = program.put(b"", align=4)
    if layer is None:
        words = addition_words(row.elements, (0, pad(row.elements)), 2 * pad(row.elements), 0)
        return convolution_job(weights, 0, program.put_words(words, STOP))
    size = _weight_bytes(layer)
    assert size <= _MOST_WEIGHTS
    if isinstance(layer, Connected):
        words = connected_words(layer, 0, pad(layer.inputs))
        return connected_job(weights, size, program.put_words(words, STOP))
    words = convolution_words(layer, 0, pad(layer.inputs * layer.input_plane))
    return convolution_job(weights, size, program.put_words(words, STOP))


@pytest.mark.parametrize("network", NETWORKS)
def test_layers_take_the_cycles_of_the_published_model(network: str, tmp_path: Path) -> None:
    """With HTVM's jobs; the bytes of weights of all jobs of a layer are those that DORY packs for it."""
    program = Program()
    configuration = {True: program.configure(), False: program.configure(0x800, 15)}
    for row in NETWORKS[network]:
        layers = _slices(row)
        assert sum(_weight_bytes(layer) for layer in layers) == row.weight_bytes
        for layer, job in zip(layers, _jobs(program, row, layers), strict=True):
            program.steps.append(configuration[isinstance(layer, Connected)] | job)
    trace = tmp_path / "trace.json"
    elf = build(program, tmp_path)
    outcome = start(elf, "--trace", str(trace))
    assert outcome.status == 0, outcome.messages
    names = ("set-up", "weights", "compute")
    parts = {name: _took(trace, name) for name in names}
    for row in NETWORKS[network]:
        took = {name: [parts[name].pop(0) for _ in range(row.jobs)] for name in names}
        assert sum(took["compute"]) == row.cycles
        assert row.layer is None or compute_cycles(row.layer) == row.cycles
        assert sum(took["set-up"] + took["weights"]) == row.jobs * _SET_UP + row.weight_bytes // 16
    assert not parts["compute"]


def _jobs(program: Program, row: Row, layers: list[Convolution | Connected | None]) -> list[Writes]:
    """Those that are alike share an instruction."""
    alike = all(layer == layers[0] for layer in layers)
    jobs = [_job(program, row, layer) for layer in (layers[:1] if alike else layers)]
    return jobs * len(layers) if alike else jobs


def _took(trace: Path, part: str) -> list[int]:
    slices = read_trace(trace)["digital"]
    computed = [it for it in slices if it.name.startswith(part)]
    copies = 2 if part == "set-up" else 0  # L1 is brought in and out
    return [it.ended - it.began for it in computed][copies // 2 : len(computed) - copies // 2]


def test_counters_say_how_long_each_part_of_the_jobs_took(tmp_path: Path) -> None:
    (row, *_) = NETWORKS["resnet"]
    program = Program()
    program.steps.append(program.configure(0x800, 15) | _job(program, row, row.layer))
    elf = build(program, tmp_path)
    assert start(elf).status == 0
    device, analog = json.loads(elf.with_suffix(".json").read_text(encoding="utf-8"))["devices"]
    assert (device["name"], analog["jobs"]) == ("digital", 0)
    copies = 2 * (0x40000 // 16)
    assert device["jobs"] == 3
    assert device["parts"] == {
        "compute": row.cycles,
        "copy": copies,
        "set-up": _SET_UP - 2 * LOAD + 2 * 8,
        "weights": 2 * LOAD + row.weight_bytes // 16,
    }
    assert device["busy_cycles"] == sum(device["parts"].values())
