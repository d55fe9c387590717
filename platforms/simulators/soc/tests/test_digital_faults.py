"""What DIANA's digital accelerator refuses, and how it says so: instructions, registers, configurations, weights."""

from pathlib import Path

import numpy as np
import pytest
from diana_programs import SHARED, Writes, build, fault_of, start
from digital_layers import Addition, one, place
from digital_model import STOP, Connected, Convolution
from digital_programs import (
    BANKS,
    CONF_N,
    COPY_ADDR,
    COPY_N,
    IM_ADDR,
    IM_N,
    L1ADDR,
    OPERATION,
    ROWS,
    WT_CONV_ADDR,
    WT_CONV_N,
    Program,
)
from support import EXIT_USE

_CONVOLUTION = Convolution(3, 16, 8, 16)


@pytest.mark.parametrize(
    ("layer", "changes", "reason"),
    [
        (_CONVOLUTION, {"w0": 2}, "word 0 (mode) of an instruction holds 0x00000002; expected 0"),
        (_CONVOLUTION, {"w1": 8}, "word 1 (weight pointer) of an instruction holds 0x00000008"),
        (_CONVOLUTION, {"w1": 0x10000}, "expected room for 496 bytes in the weight memory's 65536"),
        (_CONVOLUTION, {"w1": 16}, "reads bytes 16 to 511 of the weight memory, but byte 496 was"),
        (_CONVOLUTION, {"w2": 8}, "word 2 (input pointer) of an instruction holds 0x00000008"),
        (_CONVOLUTION, {"w2": 0x40000}, "expected a multiple of 16 below L1's 262144 bytes"),
        (_CONVOLUTION, {"w2": 0x3FF00}, "expected room for 384 bytes of inputs in L1's 262144"),
        (_CONVOLUTION, {"w3": 0x3FF00}, "expected room for 2048 bytes of outputs in L1's 262144"),
        (_CONVOLUTION, {"w3": 16}, "another place: the 2048 bytes written there meet the inputs"),
        (_CONVOLUTION, {"w4": 0}, "word 4 (C) of an instruction holds 0x00000000; expected 1 to"),
        (_CONVOLUTION, {"w5": 0}, "word 5 (K / 16) of an instruction holds 0x00000000"),
        (_CONVOLUTION, {"w6": 17}, "word 8 (padded cx) of an instruction holds 0x00000010"),
        (_CONVOLUTION, {"w8": 24}, "expected a multiple of 16, 16 or more: rows are padded"),
        (_CONVOLUTION, {"w9": 112}, "expected a multiple of 16, 128 or more: padded cx * cy"),
        (
            _CONVOLUTION,
            {"w10": 2},
            "word 10 (fx) of an instruction holds 0x00000002; expected 1, 3",
        ),
        (
            _CONVOLUTION,
            {"w11": 9},
            "word 11 (fy) of an instruction holds 0x00000009; expected 1, 3",
        ),
        (_CONVOLUTION, {"w12": 0}, "word 12 (ox / 16) of an instruction holds 0x00000000"),
        (
            _CONVOLUTION,
            {"w13": 9, "w16": 160},
            "no more rows of outputs than cy and the padding give",
        ),
        (_CONVOLUTION, {"w14": 2}, "word 14 (activation) of an instruction holds 0x00000002"),
        (_CONVOLUTION, {"w15": 0}, "expected 1 (channels last, for the analog accelerator) or 2"),
        (_CONVOLUTION, {"w16": 112}, "expected a multiple of 16, 128 or more: ox * oy"),
        (_CONVOLUTION, {"w17": 2}, "word 17 (dilation) of an instruction holds 0x00000002"),
        (_CONVOLUTION, {"w19": 32}, "word 19 (shift) of an instruction holds 0x00000020"),
        (
            _CONVOLUTION,
            {"w20": 0x1303},
            "bits 3:0 left and right, 7:4 of ox, 11:8 top, 15:12 bottom",
        ),
        (
            _CONVOLUTION,
            {"w20": 0x10000},
            "word 20 (zero padding) of an instruction holds 0x00010000",
        ),
        (
            _CONVOLUTION,
            {"w21": 1},
            "word 21 (non-linear function) of an instruction holds 0x00000001; ",
        ),
        (
            _CONVOLUTION,
            {"w22": 16},
            "word 22 (weight tile size) of an instruction holds 0x00000010",
        ),
        (_CONVOLUTION, {"w24": 2}, "word 24 (strided) of an instruction holds 0x00000002"),
        (_CONVOLUTION, {"w25": 1}, "word 25 (normalization)"),
        (
            _CONVOLUTION,
            {"w26": 1},
            "others are not modelled, as DIANA's public sources never use them",
        ),
        (_CONVOLUTION, {"w27": 2}, "word 27 (output precision) of an instruction holds 0x00000002"),
        (
            _CONVOLUTION,
            {"w28": 1},
            "word 28 of an instruction holds 0x00000001; expected 0, as nothing",
        ),
        (Connected(16, 16), {"w22": 1}, "expected 0: weight tiles are not modelled"),
        (Connected(16, 16), {"w0": 1}, "word 10 (fx) of an instruction holds 0x00000000"),
        (Addition(64, 1, False), {"w14": 1}, "expected 0: an addition has no ReLU"),
        (Addition(64, 1, False), {"w15": 1}, "expected 0 or 2: an addition leaves the layout"),
        (Addition(64, 1, False), {"w3": 16}, "another place: the 64 bytes written there meet"),
    ],
)
def test_instructions_that_cannot_be_executed_are_faults(
    layer: Convolution | Connected | Addition,
    changes: dict[str, int],
    reason: str,
    tmp_path: Path,
) -> None:
    program = one(layer)
    address = program.steps[0][IM_ADDR] - SHARED
    for name, value in changes.items():
        word = address + 4 * int(name[1:])
        program.data[word : word + 4] = value.to_bytes(4, "little")
    assert reason in fault_of(program, tmp_path)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {OPERATION: 5},
            "register 0xa0 (MEMCPY_OP) holds 0x00000005; expected 0 (compute), 1 or 3",
        ),
        ({CONF_N: 3}, "register 0x64 (CONF_N) holds 0x00000003; expected 16 words"),
        ({IM_N: 0}, "register 0x54 (IM_N) holds 0x00000000; expected 32 words for each"),
        ({IM_N: 33}, "register 0x54 (IM_N) holds 0x00000021; expected 32 words for each"),
        ({IM_N: 32}, "the job has 1 instructions, none of which stops it"),
        (
            {IM_ADDR: SHARED + 2},
            "register 0x50 (IM_ADDR) holds 0x1c010002; expected a multiple of 4",
        ),
        (
            {IM_ADDR: 0x1C008000},
            "digital: load of 256 bytes at 0x1c008000: it does not reach the private",
        ),
        ({IM_ADDR: 0x1C07FF80}, "digital: load of 256 bytes at 0x1c07ff80: no memory is there"),
        (
            {WT_CONV_N: 16385},
            "register 0x44 (WT_CONV_N) holds 0x00004001; expected 16384 words at most",
        ),
        ({WT_CONV_ADDR: 0x1C000000}, "digital: load of 496 bytes at 0x1c000000: it does not reach"),
        ({WT_CONV_N: 123}, "but byte 492 was not loaded by WT_CONV"),
        (
            {0x5C: 1},
            "register 0x5c (ACT_N) holds 0x00000001; expected 0: activations that a job loads",
        ),
        ({0x68: 4}, "register 0x68 (WT_CONV_A) holds 0x00000004; expected 0: places of loads"),
        ({0x80: 4}, "register 0x80 (OUT_DATA_N) holds 0x00000004; expected 0: outputs that a job"),
        ({0x84: 4}, "register 0x84 (NB_TILE) holds 0x00000004; expected 0: tiles are not modelled"),
        ({0x8C: 4}, "register 0x8c (LUT_N) holds 0x00000004; expected 0: look-up tables are not"),
        ({0x98: 4}, "register 0x98 (SPAR_N) holds 0x00000004; expected 0: sparse weights are not"),
        ({0xB8: 4}, "register 0xb8 (WT_MEM_ADDR) holds 0x00000004; expected 0: places of weights"),
        ({OPERATION: 2, COPY_ADDR: SHARED + 2, COPY_N: 8}, "expected a multiple of 4"),
        ({OPERATION: 2, COPY_ADDR: SHARED, COPY_N: 0}, "register 0xa8 (MEMCPY_N) holds 0x00000000"),
        (
            {OPERATION: 2, COPY_ADDR: SHARED, COPY_N: 8, L1ADDR: 0x3FFF},
            "expected the number of a word of 16 bytes from which 32 bytes, in 1 banks, lie in",
        ),
        (
            {OPERATION: 1, COPY_ADDR: 0x1C00FFF0, COPY_N: 8, L1ADDR: 0},
            "digital: store of 32 bytes at 0x1c00fff0: it does not reach the private banks of L2",
        ),
        (
            {OPERATION: 4, COPY_ADDR: SHARED, BANKS: 5, ROWS: 1, L1ADDR: 0},
            "register 0xb0 (BANK_LENGTH) holds 0x00000005; expected 1 to 4 banks",
        ),
        (
            {OPERATION: 4, COPY_ADDR: SHARED, BANKS: 4, ROWS: 1, L1ADDR: 0x1000},
            "from which 64 bytes, in 4 banks, lie in the 262144 of L1",
        ),
        (
            {OPERATION: 3, COPY_ADDR: SHARED, BANKS: 2, ROWS: 4096, L1ADDR: 1},
            "register 0xb4 (ROW_LENGTH) holds 0x00001000; expected no more rows than the bank has",
        ),
        ({0x20: 0}, "there is no register at offset 0x020 for such an access"),
        ({0x00: 1}, "1 is written to TRIGGER; expected 0"),
    ],
)
def test_registers_that_make_no_job_are_faults(
    changes: Writes, reason: str, tmp_path: Path
) -> None:
    program = one(_CONVOLUTION)
    program.steps[0] |= changes
    message = fault_of(program, tmp_path)
    assert reason in message


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((0x1001, 16), "word 0 of the configuration holds 0x00001001; expected a row of 16 bytes"),
        ((0x800, 14), "word 1 of the configuration holds 0x0000000e; expected the logarithm of 16"),
        ((0, 0, 1), "word 2 of the configuration holds 0x00000001; expected 0: frame by frame"),
    ],
)
def test_configurations_that_are_not_known_are_faults(
    words: tuple[int, ...], reason: str, tmp_path: Path
) -> None:
    program = one(_CONVOLUTION)
    program.steps[0] |= program.configure(*words)
    assert reason in fault_of(program, tmp_path)


def test_weights_behind_the_weight_memory_are_afault_of(tmp_path: Path) -> None:
    program = one(Connected(16, 16))
    program.steps[0] |= program.configure(0x1000, 16)
    message = fault_of(program, tmp_path)
    assert "512 bytes of weights are loaded to byte 65536 of the weight memory" in message


def test_weights_that_others_were_loaded_over_are_afault_of(tmp_path: Path) -> None:
    """Of a convolution, in a job without loads behind one that loads those of a fully connected layer."""
    program = one(_CONVOLUTION)
    again = program.steps[0] | {WT_CONV_N: 0}
    place(program, Connected(16, 16), np.random.default_rng(12))
    program.steps.append(again)
    message = fault_of(program, tmp_path)
    assert (
        "reads bytes 0 to 495 of the weight memory, but byte 0 was not loaded by WT_CONV" in message
    )


def test_an_instruction_that_stops_does_nothing_else(tmp_path: Path) -> None:
    program = one(_CONVOLUTION)
    words = [*STOP]
    words[5] = 1
    first = program.data[program.steps[0][IM_ADDR] - SHARED :][:128]
    place_of = program.put(bytes(first) + b"".join(word.to_bytes(4, "little") for word in words))
    program.steps[0][IM_ADDR] = place_of
    wanted = "an instruction that stops holds 0x00000001 in word 5; expected 0 in all words but"
    assert wanted in fault_of(program, tmp_path)


def test_who_writes_what_a_job_will_load_is_atfault_of(tmp_path: Path) -> None:
    program = one(_CONVOLUTION)
    address = program.steps[0][IM_ADDR] + 12
    meanwhile = (
        f" li t3, {address}\n li t4, 2\n addi s3, s3, 1\n bne s3, t4, 2f\n sw t4, 0(t3)\n2:\n"
    )
    message = fault_of(program, tmp_path, meanwhile=meanwhile)
    assert f"write of L2 bytes at {address:#x} that a job of digital under way reads" in message


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ("queue=0", "expected bytes_per_cycle and queue of 1 or more"),
        ("job_instructions=0", "job_instructions is 1 to 1024, not 0"),
        ("weight_bytes=0", "weight_bytes is 1 to 16777216, not 0"),
        ("fully_connected_outputs=8", "fully_connected_outputs is a multiple of 16, not 8"),
        ("l1_bank_bytes=24", "l1_bank_bytes is a multiple of 16, not 24"),
        ("speed=2", "nothing of such a part is called 'speed'"),
    ],
)
def test_constants_that_make_no_accelerator_are_wrong_use(
    option: str, reason: str, tmp_path: Path
) -> None:
    outcome = start(build(Program(), tmp_path), device=option)
    assert (outcome.status, reason in outcome.messages) == (EXIT_USE, True), outcome.messages
