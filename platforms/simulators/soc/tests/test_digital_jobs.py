"""Jobs of DIANA's digital accelerator: programs, copies, what the chip may do besides, events, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
from diana_programs import Writes, build, fault_of, run, start
from digital_cycles import JOB, LOAD, LOADS, compute_cycles, copy_cycles, transfer
from digital_layers import one, place
from digital_model import (
    LANES,
    Connected,
    Convolution,
    connect,
    connected_words,
    convolution_words,
    convolve,
    image_of,
    pack_connected,
    pack_each_channel,
    pad,
    rows_of,
    swap,
)
from digital_programs import BANKS, COPY_ADDR, COPY_N, L1ADDR, OPERATION, ROWS, WT_CONV_N, Program
from support import read_trace

_CONVOLUTION = Convolution(3, 16, 8, 16)
_CHANNELS = 8
_DEPTHWISE = Convolution(_CHANNELS, _CHANNELS, 6, 20, depthwise=True)
_CHANNEL_BYTES = 16 * 9 + 64


# Programs of several instructions, and a loop over channels.


def _depthwise(program: Program, loop: bool) -> tuple[int, np.ndarray]:
    """A job for all channels: an instruction for each, or one that goes over them. The output's place and values."""
    rng = np.random.default_rng(9)
    image = rng.integers(-128, 128, (_CHANNELS, 6, 20), np.int8)
    weights = rng.integers(-128, 128, _DEPTHWISE.weight_shape, np.int8)
    biases = rng.integers(-999, 999, _CHANNELS).astype(np.int32)
    place_in = program.place(rows_of(image))
    place_out = program.reserve((_CHANNELS + LANES - 1) * _DEPTHWISE.output_plane)
    packed = pack_each_channel(weights, biases)
    if loop:
        tiles = {"w22": _CHANNEL_BYTES, "w23": _CHANNELS}
        instructions = [convolution_words(_DEPTHWISE, place_in, place_out, **tiles)]
    else:
        instructions = [
            convolution_words(
                _DEPTHWISE,
                place_in + channel * _DEPTHWISE.input_plane,
                place_out + channel * _DEPTHWISE.output_plane,
                channel * _CHANNEL_BYTES,
            )
            for channel in range(_CHANNELS)
        ]
    job = program.convolution(packed, *instructions)
    program.steps.append(program.configure(0x800, 15) | job)
    return place_out, convolve(_DEPTHWISE, image, weights, biases)


@pytest.mark.parametrize(
    ("loop", "device"), [(False, "job_instructions=15"), (True, "depthwise_loop=1")]
)
def test_a_job_computes_all_channels_where_the_chip_may(
    loop: bool, device: str, tmp_path: Path
) -> None:
    program = Program()
    place_out, expected = _depthwise(program, loop)
    trace = tmp_path / "trace.json"
    memory = run(program, tmp_path, "--trace", str(trace), device=device)
    size = _CHANNELS * _DEPTHWISE.output_plane
    assert np.array_equal(image_of(memory[place_out : place_out + size], 8, 6, 20), expected)
    (job,) = (it for it in read_trace(trace)["digital"] if it.name.startswith("conv"))
    instructions = 1 if loop else _CHANNELS
    moved = 64 + 128 * (instructions + 1) + _CHANNELS * _CHANNEL_BYTES
    between = 3 * (instructions - 1)
    wanted = JOB + LOADS * LOAD + transfer(moved) + compute_cycles(_DEPTHWISE) + between
    assert job.ended - job.began == wanted
    suffix = "" if loop else " and 7 more"
    shape = "8x6x20 to 8x6x32" if loop else "1x6x20 to 16x6x32"
    assert job.name == f"conv 3x3, {shape}{suffix}"


@pytest.mark.parametrize("loop", [False, True])
def test_a_job_computes_one_channel_as_htvm_saw_the_chip(loop: bool, tmp_path: Path) -> None:
    program = Program()
    _depthwise(program, loop)
    wanted = (
        "word 23 (weight tile count) of an instruction holds 0x00000008; expected 0: depthwise layers need an "
        "instruction for each channel"
        if loop
        else "register 0x54 (IM_N) holds 0x00000120; expected 32 words for each instruction, 2 at most"
    )
    assert wanted in fault_of(program, tmp_path)


def test_a_fully_connected_job_has_16_outputs_or_all(tmp_path: Path) -> None:
    layer = Connected(40, 40)
    rng = np.random.default_rng(10)
    vector = rng.integers(-128, 128, 40, np.int8)
    weights = rng.integers(-128, 128, (40, 40), np.int8)
    biases = rng.integers(-999, 999, 40).astype(np.int32)
    program = Program()
    place_in = program.place(swap(np.pad(vector, (0, 8)).tobytes()))
    words = connected_words(layer, place_in, program.reserve(48))
    program.steps.append(program.configure(0x800, 15))
    program.steps[0] |= program.connected(pack_connected(weights, biases), words)
    wanted = "word 5 (K / 16) of an instruction holds 0x00000003; expected 1 at most, as DORY sends"
    assert wanted in fault_of(program, tmp_path)
    trace = tmp_path / "trace.json"
    chip = "fully_connected_outputs=0"
    memory = run(program, tmp_path, "--trace", str(trace), device=chip)
    found = np.frombuffer(swap(memory[48 : 48 + 48]), np.int8)[:40]
    assert np.array_equal(found, connect(layer, vector, weights, biases))
    parts = [it for it in read_trace(trace)["digital"] if it.name.startswith("compute")]
    assert [it.ended - it.began for it in parts] == [3 * (3 + 20)]


def test_blocks_of_strided_layers_may_take_more(tmp_path: Path) -> None:
    layer = Convolution(3, 16, 8, 40, stride=2)
    program = one(layer)
    trace = tmp_path / "trace.json"
    run(program, tmp_path, "--trace", str(trace), device="strided_block=1")
    (part,) = (it for it in read_trace(trace)["digital"] if it.name.startswith("compute"))
    assert part.ended - part.began == compute_cycles(layer, strided_block=1)
    assert compute_cycles(layer, strided_block=1) == compute_cycles(layer) + 4 * 2


# Copies.


@pytest.mark.parametrize("size", [4, 32, 36, 4096])
def test_a_copy_moves_multiples_of_32_bytes(size: int, tmp_path: Path) -> None:
    program = Program()
    content = bytes(range(1, 129)) * 40
    source = program.put(content, align=16)
    copy = {OPERATION: 2, COPY_ADDR: source, COPY_N: size // 4, L1ADDR: 3}
    program.steps.append(copy)
    trace = tmp_path / "trace.json"
    memory = run(program, tmp_path, "--trace", str(trace))
    moved = pad(size, 32)
    assert memory == bytes(48) + content[:moved] + bytes(len(memory) - 48 - moved)
    name = f"copy {moved} B to L1 0x00000030"
    (job,) = (it for it in read_trace(trace)["digital"] if it.name == name)
    assert job.ended - job.began == copy_cycles(size)


def test_banked_copies_put_a_rows_pieces_into_banks_and_bring_them_back(tmp_path: Path) -> None:
    """Five pixels of 64 bytes go to four banks, from word 2 on; three pieces of each come back, then lie one by one."""
    program = Program()
    content = np.random.default_rng(11).integers(0, 256, (5, 4, 16), np.uint8)
    source = program.put(content.tobytes(), align=16)
    back = program.put(bytes(5 * 3 * 16), align=16)
    program.steps += [
        {OPERATION: 4, COPY_ADDR: source, L1ADDR: 2, BANKS: 4, ROWS: 5},
        {OPERATION: 3, COPY_ADDR: back, L1ADDR: 2, BANKS: 3, ROWS: 5},
        {OPERATION: 2, COPY_ADDR: back, COPY_N: 60, L1ADDR: 0x100},
    ]
    memory = run(program, tmp_path)
    for bank in range(4):
        first = 0x10000 * bank + 32
        assert memory[first : first + 80] == content[:, bank].tobytes()
    assert memory[0x1000 : 0x1000 + 240] == content[:, :3].tobytes()


# Jobs side by side, jobs that wait.


def _with_copy_beside(copy: Writes) -> str:
    """Triggers a copy while the program's first job, behind the copy that brings in L1, runs."""
    writes = "".join(f" li t2, {value}\n sw t2, {offset}(s0)\n" for offset, value in copy.items())
    return f" addi s3, s3, 1\n li t3, 2\n bne s3, t3, 2f\n{writes} sw zero, 0(s0)\n2:\n"


def _chain() -> tuple[Program, Writes]:
    """A convolution, and a copy that its values do not depend on."""
    program = one(Convolution(16, 16, 16, 16))
    source = program.put(bytes(range(128)), align=16)
    free = program.reserve(128)
    return program, {OPERATION: 2, COPY_ADDR: source, COPY_N: 32, L1ADDR: free // 16}


def test_no_job_may_be_triggered_beside_another_as_htvm_saw_the_chip(tmp_path: Path) -> None:
    program, copy = _chain()
    message = fault_of(program, tmp_path, meanwhile=_with_copy_beside(copy))
    assert "a job is triggered while 1 are under way, and no more may be" in message


@pytest.mark.parametrize("overlap", [0, 1])
def test_jobs_wait_or_copies_overlap(overlap: int, tmp_path: Path) -> None:
    program, copy = _chain()
    trace = tmp_path / "trace.json"
    elf = build(program, tmp_path, _with_copy_beside(copy))
    outcome = start(elf, "--trace", str(trace), device=f"queue=2 overlap={overlap}")
    assert outcome.status == 0, outcome.messages
    tracks = read_trace(trace)
    (job,) = (it for it in tracks["digital"] if it.name.startswith("conv"))
    copies = tracks["digital copies" if overlap else "digital"]
    (moved,) = (it for it in copies if it.name.startswith("copy 128 B"))
    if overlap:
        assert job.began < moved.began < moved.ended < job.ended
    else:
        assert moved.began == job.ended
    memory = (tmp_path / "result.bin").read_bytes()
    first = 16 * copy[L1ADDR]
    assert memory[first : first + 128] == bytes(range(128))


def test_a_copy_beside_a_job_must_not_touch_what_the_job_uses(tmp_path: Path) -> None:
    program, copy = _chain()
    meanwhile = _with_copy_beside(copy | {L1ADDR: 0, COPY_N: 1024})
    message = fault_of(program, tmp_path, "queue=2 overlap=1", meanwhile)
    assert "a copy writes 4096 bytes from 0x10000000 on while a job reads 4096 bytes" in message


@pytest.mark.parametrize("again", [False, True])
def test_bits_of_the_event_generator_enable_the_accelerator(again: bool, tmp_path: Path) -> None:
    """Cleared after the first trigger, as its SDK does behind all jobs, and set again or not."""
    clear = " li t3, 0x1A106018\n lw t4, 0(t3)\n li t5, 0xC00\n not t6, t5\n and t6, t6, t4\n sw t6, 0(t3)\n"
    meanwhile = clear + (" or t6, t6, t5\n sw t6, 0(t3)\n" if again else "")
    if again:
        outcome = start(build(one(_CONVOLUTION), tmp_path, meanwhile))
        assert outcome.status == 0, outcome.messages
        return
    message = fault_of(one(_CONVOLUTION), tmp_path, meanwhile=meanwhile)
    assert "digital: a register is written, but the device is not enabled; set bits" in message


def test_soft_clear_drops_all_jobs_and_registers_stay(tmp_path: Path) -> None:
    """The copy that brings in L1 is dropped at once, and L1 stays empty until it is copied out."""
    program = Program()
    program.l1[:64] = bytes(range(64))
    meanwhile = """
  li t3, 1
  addi s3, s3, 1
  bne s3, t3, 2f
  lw t4, 0x10(s0)      // the first job runs, and none else may be triggered
  bnez t4, fail
  lw t4, 0x04(s0)
  li t5, -1
  bne t4, t5, fail
  sw zero, 0x14(s0)
  lw t4, 0x0C(s0)
  lw t5, 0x08(s0)
  or t4, t4, t5
  bnez t4, fail
  lw t4, 0x04(s0)      // its number is not given again
  li t5, 1
  bne t4, t5, fail
  lw t4, 0xA0(s0)
  li t5, 2
  beq t4, t5, 2f
fail:
  exit_with 1
2:
"""
    outcome = start(build(program, tmp_path, meanwhile))
    assert outcome.status == 0, outcome.messages
    assert (tmp_path / "result.bin").read_bytes()[:64] == bytes(64)


def test_the_end_of_a_job_is_an_interrupt_of_the_host(tmp_path: Path) -> None:
    """The host sleeps for it: the job's cycles are waits for the accelerator or an interrupt, none are polls."""
    program = one(Convolution(16, 16, 16, 16))
    meanwhile = """
  li t3, FC_INTERRUPTS
  li t4, 1 << 12
  sw t4, ITC_MASK_SET(t3)
  wfi
  sw t4, ITC_STATUS_CLEAR(t3)
  lw t4, 0x0C(s0)
  bnez t4, fail
  j wait
fail:
  exit_with 1
"""
    outcome = start(build(program, tmp_path, meanwhile))
    assert outcome.status == 0, outcome.messages
    assert outcome.cores[0].total.instructions < 1000


def test_jobs_keep_weights_and_registers_of_the_job_before(tmp_path: Path) -> None:
    """The same convolution again, with no more than a trigger, and without loading its weights."""
    program = Program()
    placed = place(program, _CONVOLUTION, np.random.default_rng(13))
    program.steps.append({})
    program.steps.append({WT_CONV_N: 0})
    trace = tmp_path / "trace.json"
    memory = run(program, tmp_path, "--trace", str(trace))
    found = placed.read(memory[placed.place : placed.place + placed.size])
    assert np.array_equal(found, placed.expected)
    jobs = [it for it in read_trace(trace)["digital"] if it.name.startswith("conv")]
    took = [it.ended - it.began for it in jobs]
    assert took == [*placed.cycles * 2, placed.cycles[0] - 496 // 16]
