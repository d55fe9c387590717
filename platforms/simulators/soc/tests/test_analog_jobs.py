"""Jobs of DIANA's analog accelerator: weights that stay, programs, copies, events, and the digital one beside it."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from analog_cycles import LINE, compute_cycles, job_cycles, load_cycles, set_up_cycles
from analog_model import (
    Layer,
    Post,
    compute,
    instruction,
    pack_scales,
    pack_weights,
    put_image,
)
from analog_programs import Program, checked, draw, one, place
from diana_programs import ANALOG, DIGITAL, SHARED, build, fault_of, run, start
from digital_model import Convolution, convolution_words, convolve, pack_convolution, rows_of
from digital_programs import Program as DigitalProgram
from support import DIANA, HEAD, checks, link, read_trace, run_checked, simulate

_LAYER = Layer(24, 40, 6, 8, (3, 3), pads=(1, 1, 1, 1))


def test_weights_and_scales_stay_in_the_array(tmp_path: Path) -> None:
    """Two layers lie in it; then each runs on another image without loads."""
    rng = np.random.default_rng(1)
    layers = [
        Layer(40, 32, 5, 5, (3, 3), post=Post(scales=True, quantize=True, shift=2)),
        Layer(64, 48, 4, 4, block=7),
    ]
    program = Program()
    drawn = [draw(layer, rng) for layer in layers]
    drawn += [
        replace(tensors, image=draw(layer, rng).image)
        for layer, tensors in zip(layers, drawn, strict=True)
    ]
    places = [
        place(program, layer, tensors, init=number < 2)
        for number, (layer, tensors) in enumerate(zip(layers * 2, drawn, strict=True))
    ]
    for layer, tensors, place_out in zip(layers * 2, drawn, places, strict=True):
        program.expect(place_out, compute(layer, tensors))
    trace = tmp_path / "trace.json"
    assert run(program, tmp_path, "--trace", str(trace)) == program.expected
    jobs = [it for it in read_trace(trace)["analog"] if it.name.startswith("conv")]
    took = [job.ended - job.began for job in jobs]
    assert took == [job_cycles(layer, init) for init in (True, False) for layer in layers]


def _two_in_one() -> Program:
    """A job of two instructions; their weights and scales lie one behind the other."""
    rng = np.random.default_rng(2)
    first = Layer(16, 32, 4, 4, post=Post(scales=True, quantize=True, shift=1))
    second = Layer(24, 16, 3, 5, (3, 3), block=2, post=Post(scales=True, quantize=True))
    program = Program()
    weights, scales = b"", b""
    instructions: list[list[int]] = []
    for layer in (first, second):
        tensors = draw(layer, rng)
        places = (program.place_image(tensors.image), program.reserve_image(layer.output_shape))
        packet = len(scales) // 32
        instructions.append(instruction(layer, places, w6=packet))
        weights += pack_weights(layer, tensors.weights)
        scales += pack_scales(tensors.scales, tensors.offsets)
        if not program.expected:
            program.expected = bytearray(len(program.l1))
        put_image(program.expected, places[0], tensors.image)
        put_image(program.expected, places[1], compute(layer, tensors))
    program.steps.append(program.job(weights, scales, *instructions))
    return program


def test_a_job_has_several_instructions_where_the_chip_may(tmp_path: Path) -> None:
    program = _two_in_one()
    trace = tmp_path / "trace.json"
    options = ("--trace", str(trace))
    assert run(program, tmp_path, *options, device="job_instructions=2") == program.expected
    (job,) = (it for it in read_trace(trace)["analog"] if it.name.startswith("conv"))
    assert job.name == "conv 1x1, 16x4x4 to 32x4x4 and 1 more"
    layers = (
        Layer(16, 32, 4, 4, post=Post(scales=True)),
        Layer(24, 16, 3, 5, (3, 3), post=Post(scales=True)),
    )
    each = sum(load_cycles(layer) + compute_cycles(layer) for layer in layers)
    assert job.ended - job.began == set_up_cycles(3) + each + 3


def test_a_job_has_one_instruction_as_htvm_saw_the_chip(tmp_path: Path) -> None:
    wanted = "register 0x4c (IM_N) holds 0x00000030; expected 16 words for each instruction, 2 at"
    assert wanted in fault_of(_two_in_one(), tmp_path)


def test_banked_copies_bring_64_channels_of_a_pixel_to_four_banks(tmp_path: Path) -> None:
    program = Program()
    content = np.random.default_rng(11).integers(0, 256, (5, 4, 16), np.uint8)
    source = program.put(content.tobytes(), align=16)
    program.steps.append(ANALOG.banked(4, source, 2, 4, 5))
    trace = tmp_path / "trace.json"
    memory = run(program, tmp_path, "--trace", str(trace))
    for bank in range(4):
        first = 0x10000 * bank + 32
        assert memory[first : first + 80] == content[:, bank].tobytes()
    (job,) = (it for it in read_trace(trace)["analog"] if "320 B to L1" in it.name)
    assert job.ended - job.began == 8 + 320 // 16


def test_counters_and_trace_say_how_long_each_part_took(tmp_path: Path) -> None:
    program = one(_LAYER)
    elf = build(program, tmp_path)
    trace, report = tmp_path / "trace.json", tmp_path / "report.json"
    options = ("--trace", str(trace), "--json", str(report))
    assert start(elf, *options, accelerator=ANALOG).status == 0
    (device,) = (it for it in json.loads(report.read_text())["devices"] if it["name"] == "analog")
    copies = 2 * (8 + 0x40000 // 16)
    assert device["jobs"] == 3
    assert device["busy_cycles"] == job_cycles(_LAYER) + copies
    parts = device["parts"]
    assert parts["weights"] == 2 * 11 + LINE * 448
    assert parts["compute"] == 48 * 105
    assert parts["set-up"] == set_up_cycles() + 16
    assert parts["copy"] == copies - 16
    names = [it.name for it in read_trace(trace)["analog"]]
    assert "compute conv 3x3, 24x6x8 to 40x6x8" in names
    assert "weights 7168 B" in names


@pytest.mark.parametrize("overlap", [0, 1])
def test_copies_wait_or_overlap(overlap: int, tmp_path: Path) -> None:
    program = one(_LAYER)
    source = program.put(bytes(range(128)), align=16)
    word = program.reserve(128) // 16
    copy = ANALOG.copy(2, source, 32, word)
    writes = "".join(f" li t2, {value}\n sw t2, {offset}(s0)\n" for offset, value in copy.items())
    meanwhile = f" addi s3, s3, 1\n li t3, 2\n bne s3, t3, 2f\n{writes} sw zero, 0(s0)\n2:\n"
    trace = tmp_path / "trace.json"
    elf = build(program, tmp_path, meanwhile)
    device = f"queue=2 overlap={overlap}"
    outcome = start(elf, "--trace", str(trace), device=device, accelerator=ANALOG)
    assert outcome.status == 0, outcome.messages
    tracks = read_trace(trace)
    (job,) = (it for it in tracks["analog"] if it.name.startswith("conv"))
    track = tracks["analog copies" if overlap else "analog"]
    (moved,) = (it for it in track if it.name.startswith("copy 128 B"))
    assert (moved.ended < job.ended) == bool(overlap)
    assert (tmp_path / "result.bin").read_bytes()[16 * word :][:128] == bytes(range(128))


def test_outputs_of_the_digital_accelerator_are_read_where_they_lie(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    first = Convolution(8, 80, 5, 16, shift=12, channels_last=True)
    image = rng.integers(-128, 128, (8, 5, 16), np.int8)
    weights = rng.integers(-128, 128, first.weight_shape, np.int8)
    second = Layer(80, 24, 5, 16)
    program = DigitalProgram()
    place_in = program.place(rows_of(image))
    places = (program.reserve(16 * 160), program.reserve(16 * 80))
    biases = np.zeros(80, np.int32)
    job = program.convolution(
        pack_convolution(weights, biases), convolution_words(first, place_in, places[0])
    )
    program.steps.append(program.configure(0x800, 15) | job)
    tensors = replace(draw(second, rng), image=convolve(first, image, weights, biases))
    assert 16 < np.abs(tensors.image.astype(int)).max() < 64
    packed = pack_weights(second, tensors.weights)
    analog = Program(data=program.data)
    program.others[len(program.steps)] = ANALOG
    program.steps.append(analog.job(packed, b"", instruction(second, places)))
    memory = run(program, tmp_path, "--race-check")
    expected = bytearray(memory)
    put_image(expected, places[1], compute(second, tensors))
    assert memory == expected
    assert any(expected[places[1] : places[1] + 16])


def test_accelerators_must_not_touch_the_same_bytes(tmp_path: Path) -> None:
    """The digital one copies to where the analog one's job will read."""
    program = one(_LAYER)
    copy = DIGITAL.copy(2, SHARED, 32, 0)
    writes = "".join(f" li t2, {value}\n sw t2, {offset}(t6)\n" for offset, value in copy.items())
    trigger = f" li t6, {DIGITAL.base}\n{writes} sw zero, 0(t6)\n3: lw t2, 12(t6)\n bnez t2, 3b\n"
    wait = " li t5, 700\n4: addi t5, t5, -1\n bnez t5, 4b\n"
    meanwhile = f" addi s3, s3, 1\n li t3, 2\n bne s3, t3, 2f\n{wait}{trigger}2:\n"
    message = fault_of(program, tmp_path, meanwhile=meanwhile)
    assert "write of L1 bytes at 0x10000000 that a job of analog under way reads" in message


def test_the_end_of_a_job_is_an_interrupt_of_the_host(tmp_path: Path) -> None:
    """On the chip as its file has it."""
    body = f"""
  li s1, FC_INTERRUPTS
  li t1, 1 << {ANALOG.event}
  sw t1, ITC_MASK_SET(s1)
  csrrci zero, mstatus, MIE
  li s0, {ANALOG.base:#x}
  li t0, 2
  sw t0, 0x6C(s0)
  li t0, {SHARED:#x}
  sw t0, 0x70(s0)
  li t0, 8
  sw t0, 0x74(s0)
  sw zero, 0x78(s0)
  sw zero, 0(s0)
  wfi
  lw s5, ITC_STATUS(s1)
  lw s6, 0x08(s0)
  lw s7, 0x0C(s0)
"""
    expected = checks(("s5", f"{1 << ANALOG.event}"), ("s6", "1"), ("s7", "0"))
    run_checked(body + expected, tmp_path, "--chip", str(DIANA), cores=0)


def test_soft_clear_drops_a_job(tmp_path: Path) -> None:
    program = one(_LAYER)
    elf = build(
        program,
        tmp_path,
        " li t3, 1\n addi s3, s3, 1\n li t4, 2\n bne s3, t4, 2f\n sw t3, 0x14(s0)\n2:\n",
    )
    outcome = start(elf, accelerator=ANALOG)
    assert outcome.status == 0, outcome.messages
    assert (tmp_path / "result.bin").read_bytes() == program.l1


def test_random_numbers_of_l1_stay_beside_outputs(tmp_path: Path) -> None:
    """Of 80 channels: the fifth block's words are every second one of the first bank."""
    program = checked([Layer(16, 80, 3, 3)], np.random.default_rng(12))
    assert run(program, tmp_path) == program.expected


def test_a_chip_has_both(tmp_path: Path) -> None:
    elf = link(f"{HEAD}\n exit_with 0\n", tmp_path, symbols={})
    report = tmp_path / "report.json"
    assert simulate(elf, "--chip", str(DIANA), "--json", str(report)).status == 0
    devices = json.loads(report.read_text())["devices"]
    assert [device["name"] for device in devices] == ["digital", "analog"]
