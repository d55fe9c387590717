"""N-EUREKA: values against numpy, for layers at random; cycles against published ones; jobs, conflicts, faults."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from neureka_cycles import cycles
from neureka_layers import random_layer
from neureka_model import Layer, Padding, draw, pack_weights, registers, run_layer
from neureka_programs import (
    L1,
    Image,
    build,
    output_bytes,
    place,
    run_jobs,
    start,
)
from support import EXIT_FAULT, EXIT_USE, count, read_trace, seeded

# A bank for every word: nobody meets, as if weights came from the weight memory.
_NO_CONFLICTS = ("--set", "l1_banks=65536")

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
    return [job.ended - job.began for job in read_trace(trace)["accelerator"]]


def test_random_layers_are_bit_exact_and_take_the_cycles_of_the_model(tmp_path: Path) -> None:
    generator = seeded()
    layers = [random_layer(generator, number) for number in range(count("NEUREKA", 60))]
    for first in range(0, len(layers), _LAYERS_AT_ONCE):
        some = layers[first : first + _LAYERS_AT_ONCE]
        took = _check_layers(some, tmp_path, *_NO_CONFLICTS)
        for layer, job in zip(some, took, strict=True):
            assert job == cycles(layer), layer


def test_conflicts_change_no_value(tmp_path: Path) -> None:
    generator = seeded()
    layers = [replace(random_layer(generator, number), prefetch=True) for number in range(9)]
    took = _check_layers(layers, tmp_path, "--set", "l1_banks=2")
    assert all(job >= cycles(layer) for layer, job in zip(layers, took, strict=True))
    assert sum(took) > sum(cycles(layer) for layer in layers)


@pytest.mark.parametrize(
    ("layer", "published"),
    [
        (Layer("1x1", 6, 6, 32, 32), 197),
        (Layer("1x1", 12, 12, 64, 64), 2189),
        (Layer("1x1", 12, 12, 64, 64, prefetch=True), 1695),
        (Layer("1x1", 18, 18, 64, 64), 4911),
        (Layer("1x1", 18, 18, 64, 64, prefetch=True), 3715),
        (Layer("3x3", 6, 6, 28, 32), 445),
        (Layer("3x3", 6, 6, 28, 32, weight_bits=4), 319),
        (Layer("3x3", 6, 6, 28, 32, weight_bits=2), 253),
        (Layer("3x3", 12, 12, 56, 64), 6165),
        (Layer("3x3", 12, 12, 56, 64, prefetch=True), 5311),
        (Layer("depthwise", 6, 6, 28, 28), 427),
        (Layer("1x1", 1, 1, 128, 128), 1687),
    ],
)
def test_cycles_are_within_three_percent_of_gvsocs(
    layer: Layer, published: int, tmp_path: Path
) -> None:
    assert _time(layer, tmp_path) == pytest.approx(published, rel=0.03)


def test_depthwise_weights_from_l1_can_be_charged_as_gvsoc_does(tmp_path: Path) -> None:
    layer = Layer("depthwise", 6, 6, 28, 28)
    time = _time(layer, tmp_path, "--neureka-set", "depthwise_l1_words=1")
    assert time == pytest.approx(213, rel=0.03)
    _check_layers([layer], tmp_path, "--neureka-set", "depthwise_l1_words=1")


def _time(layer: Layer, folder: Path, *options: str) -> int:
    """From the trigger to the instruction behind cv.elw, instructions cached."""
    image = Image()
    addresses = place(image, layer, draw(layer, np.random.default_rng(1)))
    jobs = [registers(layer, addresses)]
    (time,) = run_jobs(image, jobs, folder, *_NO_CONFLICTS, *options, times=2).cycles
    return time


def test_core_at_the_same_banks_lengthens_a_job(tmp_path: Path) -> None:
    """All pixels lie in the first eight banks, of which the core takes one."""
    layer = Layer("1x1", 12, 12, 32, 32, input_gap=32)
    image = Image()
    jobs = [registers(layer, place(image, layer, draw(layer, np.random.default_rng(2)), align=64))]
    loads = f" li t1, {L1:#x}\n li t2, 50\n2: " + " lw t3, 0(t1)\n" * 8
    busy = f"{loads} addi t2, t2, -1\n bnez t2, 2b"
    elf = build(image, jobs, tmp_path, meanwhile=busy)
    took: list[int] = []
    for options in ((), _NO_CONFLICTS):
        trace = tmp_path / "trace.json"
        run = start(elf, "--trace", str(trace), *options)
        assert run.status == 0, run.messages
        (job,) = read_trace(trace)["accelerator"]
        took.append(job.ended - job.began)
    # Without neighbours in the banks, they can only meet at the very word that the core reads.
    assert took[0] > cycles(layer) + 20
    assert took[1] <= cycles(layer) + 2


def test_weights_of_the_weight_memory_lie_from_its_base_on(tmp_path: Path) -> None:
    """Here a part of L1 stands for that memory."""
    layer = Layer("3x3", 6, 6, 28, 32, weights_in_memory=True, prefetch=True)
    tensors = draw(layer, np.random.default_rng(3))
    image = Image()
    addresses = place(image, layer, tensors)
    memory = image.put(pack_weights(layer, tensors.weights))
    jobs = [registers(layer, replace(addresses, weights=64))]
    outcome = run_jobs(image, jobs, tmp_path, "--neureka-set", f"weight_memory={memory - 64:#x}")
    output = output_bytes(layer, run_layer(layer, tensors))
    start_of_output = addresses.output - L1
    assert outcome.memory[start_of_output : start_of_output + len(output)] == output


def test_second_context_runs_when_the_first_is_done(tmp_path: Path) -> None:
    """Two layers, the second of which reads what the first writes; both are triggered before the first is done."""
    first = Layer("3x3", 8, 8, 16, 32, padding=Padding(1, 1, 1, 1))
    second = Layer("1x1", 8, 8, 32, 8)
    rng = np.random.default_rng(4)
    image, tensors, later = Image(), draw(first, rng), draw(second, rng)
    addresses, later_addresses = place(image, first, tensors), place(image, second, later)
    chained = registers(second, replace(later_addresses, input=addresses.output))
    other = image.put(np.array(chained, "<u4").tobytes())
    queue = f"""
  lw t1, 0x04(s0)
  addi t1, s0, 0x20
  li t2, {other:#x}
  li t3, 24
2:
  lw t4, 0(t2)
  sw t4, 0(t1)
  addi t1, t1, 4
  addi t2, t2, 4
  addi t3, t3, -1
  bnez t3, 2b
  sw zero, 0(s0)
  cv.elw t1, EU_WAIT_CLEAR(s1)
"""
    elf = build(image, [registers(first, addresses)], tmp_path, meanwhile=queue)
    trace = tmp_path / "trace.json"
    run = start(elf, "--trace", str(trace))
    assert run.status == 0, run.messages
    jobs = read_trace(trace)["accelerator"]
    names = [job.name for job in jobs]
    assert names == ["3x3 8x8x16 to 32, 8 bits", "1x1 8x8x32 to 8, 8 bits"]
    assert jobs[1].began == jobs[0].ended
    output = run_layer(second, replace(later, input=run_layer(first, tensors)))
    memory = (tmp_path / "result.bin").read_bytes()
    place_of_output = later_addresses.output - L1
    assert memory[place_of_output:].startswith(output_bytes(second, output))


def test_soft_clear_drops_a_job_and_the_next_one_begins_anew(tmp_path: Path) -> None:
    layer = Layer("3x3", 12, 12, 28, 32, prefetch=True)
    tensors = draw(layer, np.random.default_rng(5))
    image = Image()
    addresses = place(image, layer, tensors)
    words = registers(layer, addresses)
    # Dropped after a while, then written and triggered once more.
    again = f"""
  li t1, 200
2:
  addi t1, t1, -1
  bnez t1, 2b
  sw zero, 0x14(s0)
  lw t1, 0x04(s0)
  addi t1, s0, 0x20
  la t2, jobs
  li t3, {len(words)}
3:
  lw t4, 0(t2)
  sw t4, 0(t1)
  addi t1, t1, 4
  addi t2, t2, 4
  addi t3, t3, -1
  bnez t3, 3b
  sw zero, 0(s0)
"""
    trace = tmp_path / "trace.json"
    run = start(build(image, [words], tmp_path, meanwhile=again), "--trace", str(trace))
    assert run.status == 0, run.messages
    (job,) = read_trace(trace)["accelerator"]
    assert job.ended - job.began >= cycles(layer)
    memory = (tmp_path / "result.bin").read_bytes()
    output = output_bytes(layer, run_layer(layer, tensors))
    assert memory[addresses.output - L1 :].startswith(output)


_BASE = Layer("3x3", 8, 8, 30, 40, padding=Padding(1, 1, 1, 1))


@pytest.mark.parametrize(
    ("layer", "changes", "reason"),
    [
        (_BASE, {8: 4}, "register 8 (input stride 2) holds 0x00000004; expected 0x00000000"),
        (_BASE, {9: 8}, "register 9 (output stride 0) holds 0x00000008; expected 0x00000020"),
        (_BASE, {15: 8 << 16}, "register 15 (last tile Ko, Ki) holds Ki 0; expected from 1 to 28"),
        (_BASE, {15: 33 << 16 | 2}, "holds Ko 33; expected from 1 to 32"),
        (
            _BASE,
            {16: 7 << 16 | 2},
            "register 16 (last tile Ho, Wo) holds Ho 7; expected from 1 to 6",
        ),
        (_BASE, {17: 4 << 16 | 3}, "register 17 (last tile Hi, Wi) holds Hi 4; expected 3 by"),
        (_BASE, {18: 2}, "register 18 (tiles Ko, Ki) holds Ko 0; expected from 1 to 65535"),
        (_BASE, {20: 3 << 28}, "register 20 (padding) holds top 3; expected from 0 to 2"),
        (_BASE, {20: 0x11110100}, "register 20 (padding) holds value 256; expected from 0 to 255"),
        (_BASE, {22: 1}, "register 22 (filter mask) holds 0x00000001; expected 0x00000000"),
        (
            _BASE,
            {23: 0x2008010},
            "register 23 (configuration) holds weights of 1 bit; expected 2 to 8",
        ),
        (_BASE, {23: 0x200A077}, "holds mode 3; expected 0 (3x3), 1 (depthwise) or 2 (1x1)"),
        (_BASE, {23: 0x200A01F}, "holds bit 3 = 1; expected 0: N-EUREKA has no inputs of 16 bits"),
        (_BASE, {23: 0x200A117}, "holds bit 8 = 1; expected 0: N-EUREKA has no stride of 2"),
        (_BASE, {23: 0x200A817}, "holds bit 11 = 1; expected 0: N-EUREKA does not round"),
        (_BASE, {23: 0x200E017}, "holds bit 14 = 1; expected 0: accumulators that are streamed in"),
        (_BASE, {23: 0x2002017}, "holds bit 15 = 0; expected 1: weights without the offset"),
        (_BASE, {23: 0x300A017}, "holds bit 24 = 1; expected 0: shifts of each channel"),
        (_BASE, {23: 0xA00A017}, "holds a bit above 26; expected zeros"),
        (_BASE, {23: 0x2009017}, "holds normalization 1; expected 0 (scales of 8 bits) or 2"),
        (_BASE, {23: 0x220A017}, "holds output 1; expected 0 (8 bits) or 2 (32 bits)"),
        (_BASE, {23: 0x200A007}, "holds outputs of 8 bits without normalization; expected bit 4"),
        (_BASE, {23: 0x200A097}, "holds bit 7 (linear) in a mode of 3x3; expected mode 2 (1x1)"),
        (
            Layer("1x1", 2, 1, 8, 8, linear=True),
            {},
            "holds bit 7 (linear) for more than a pixel; expected one pixel",
        ),
        (Layer("1x1", 8, 8, 8, 8), {20: 1 << 28}, "holds top 1; expected from 0 to 0"),
        (
            Layer("depthwise", 8, 8, 30, 30),
            {18: 2 << 16 | 1},
            "register 18 (tiles Ko, Ki) holds Ko other than Ki; expected both the same",
        ),
        (
            Layer("depthwise", 8, 8, 30, 30),
            {13: 32},
            "register 13 (weight stride 1) holds 0x00000020; expected 0x00000000",
        ),
        (
            Layer("3x3", 7, 7, 8, 8, padding=Padding(bottom=2)),
            {},
            "register 20 (padding) holds Hi padding 2; expected no more than the last tile has outputs",
        ),
        (_BASE, {2: 0x20000000}, "the accelerator leaves L1: store at 0x20000000"),
    ],
)
def test_what_the_engine_cannot_do_is_a_fault(
    layer: Layer, changes: dict[int, int], reason: str, tmp_path: Path
) -> None:
    image = Image()
    words = registers(layer, place(image, layer, draw(layer, np.random.default_rng(6))))
    for word, value in changes.items():
        words[word] = value
    run = start(build(image, [words], tmp_path))
    assert (run.status, reason in run.messages) == (EXIT_FAULT, True), run.messages


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ("speed=2", "N-EUREKA has no such constant, or not so large a one: 'speed=2'"),
        ("scale_end", "expected KEY=VALUE, found 'scale_end'"),
        ("scale_end=much", "expected a number, found 'much'"),
        ("scale_end=0x100000000", "or not so large a one"),
    ],
)
def test_constants_that_are_none_are_wrong_use(option: str, reason: str, tmp_path: Path) -> None:
    image = Image()
    elf = build(image, [[0] * 24], tmp_path)
    run = start(elf, "--neureka-set", option)
    assert (run.status, reason in run.messages) == (EXIT_USE, True), run.messages
