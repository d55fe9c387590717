"""N-EUREKA's jobs: two contexts, jobs dropped, what is refused and how it says so."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from neureka_cycles import cycles
from neureka_model import Layer, Padding, draw, registers, run_layer
from neureka_programs import L1, Image, build, output_bytes, place, start
from support import EXIT_FAULT, EXIT_USE, read_trace


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
    jobs = read_trace(trace)["neureka"]
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
    (job,) = read_trace(trace)["neureka"]
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
        (_BASE, {2: 0x20000000}, "neureka: store of 32 bytes at 0x20000000: no memory is there"),
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
        ("speed=2", "nothing of such a part is called 'speed'"),
        ("scale_end=much", "a number of 32 bits and no spaces, found 'scale_end=much'"),
    ],
)
def test_constants_that_are_none_are_wrong_use(option: str, reason: str, tmp_path: Path) -> None:
    image = Image()
    elf = build(image, [[0] * 24], tmp_path)
    run = start(elf, "--part", f"device neureka neureka base=0x10201000 {option}")
    assert (run.status, reason in run.messages) == (EXIT_USE, True), run.messages
