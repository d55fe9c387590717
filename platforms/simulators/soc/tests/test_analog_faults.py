"""DIANA's analog accelerator: what it refuses, and says so: instructions, registers, weights, constants, places."""

from pathlib import Path

import numpy as np
import pytest
from analog_model import STOP, Layer, Post, instruction
from analog_programs import (
    ACT_N,
    CONF_ADDR,
    CONF_N,
    CONTROL,
    IM_ADDR,
    IM_N,
    OPERATION,
    SCALES,
    WEIGHTS,
    Program,
    draw,
    one,
    place,
)
from diana_programs import ANALOG, SHARED, Writes, build, fault_of, start
from support import EXIT_USE

_LAYER = Layer(24, 40, 6, 8, (3, 3), pads=(1, 1, 1, 1))
_SCALED = Layer(24, 40, 6, 8, post=Post(scales=True, quantize=True))
_ADDED = Layer(24, 40, 6, 8, post=Post(residual=True))


@pytest.mark.parametrize(
    ("layer", "changes", "reason"),
    [
        (
            _LAYER,
            {"w0": 0x3E},
            "word 0 (skip) of an instruction holds 0x003e; expected bit 0 set: pooling",
        ),
        (_LAYER, {"w0": 0x13F}, "expected 0 in bits 15:6: kinds of pooling and leaky ReLU"),
        (_LAYER, {"w0": 0x3D}, "expected a sequence that the chip knows: nothing, partial sum,"),
        (_LAYER, {"w0": 0x0F}, "expected a sequence that the chip knows"),
        (_LAYER, {"w1": 1}, "word 1 (reserved) of an instruction holds 0x0001; expected 0, as"),
        (_LAYER, {"w2": 0x4000}, "word 2 (input pointer) of an instruction holds 0x4000; expected"),
        (_LAYER, {"w2": 0x0FE0}, "expected room for 768 bytes in each bank"),
        (_LAYER, {"w2": 0x3000}, "from which 2 blocks of 48 pixels lie in banks that there are"),
        (
            _LAYER,
            {"w3": 0x3FF0},
            "word 3 (output pointer) of an instruction holds 0x3ff0; expected",
        ),
        (
            _LAYER,
            {"w3": 0},
            "expected another place: the 768 bytes written from 0x00000000 of L1 on",
        ),
        (_ADDED, {"w5": 0x3FFF}, "word 5 (residual pointer) of an instruction holds 0x3fff"),
        (_LAYER, {"w7": 0}, "word 7 (C) of an instruction holds 0x0000; expected 1 to 1023"),
        (_LAYER, {"w7": 129, "w18": 3}, "the layer takes 1168 of 1152; split its channels"),
        (_LAYER, {"w8": 513}, "word 8 (K) of an instruction holds 0x0201; expected 1 to 512"),
        (_LAYER, {"w9": 1024}, "word 9 (ix) of an instruction holds 0x0400; expected 1 to 1023"),
        (_LAYER, {"w11": 6}, "expected 7 in bits 3:0, inputs of 7 bits"),
        (_LAYER, {"w12": 0x32}, "expected 1, 3, 5 or 7 in bits 3:0 (x) and 7:4 (y)"),
        (_LAYER, {"w12": 0x93}, "expected 1, 3, 5 or 7 in bits 3:0 (x) and 7:4 (y)"),
        (
            _LAYER,
            {"w13": 9},
            "word 13 (ox) of an instruction holds 0x0009; expected no more outputs",
        ),
        (
            _LAYER,
            {"w14": 7},
            "word 14 (oy) of an instruction holds 0x0007; expected no more outputs",
        ),
        (_LAYER, {"w15": 3}, "word 15 (ox unroll) of an instruction holds 0x0003; expected 1, 2,"),
        (_LAYER, {"w15": 8, "w13": 1, "w8": 65, "w20": 0xE000}, "no more than the array's 512"),
        (_LAYER, {"w16": 3}, "word 16 (stride) of an instruction holds 0x0003; expected 1 to 2"),
        (_LAYER, {"w17": 0x57}, "word 17 (padding) of an instruction holds 0x0057; expected two"),
        (_LAYER, {"w18": 2}, "expected 1, one for each 64 of C"),
        (_LAYER, {"w19": 0x2006}, "word 19 (inits and offsets) of an instruction holds 0x2006"),
        (_LAYER, {"w19": 0x2015}, "expected 5 in bits 3:0, partial sums and outputs in bytes"),
        (_LAYER, {"w19": 0x3E05}, "the layer takes 224 of 192; split its channels"),
        (_LAYER, {"w20": 0x8000}, "word 20 (column blocks) of an instruction holds 0x8000"),
        (_LAYER, {"w20": 0xC001}, "expected bits from 15 down, one for each 32 outputs or more"),
        (_LAYER, {"w21": 0x0400}, "word 21 (timing) of an instruction holds 0x0400"),
        (_LAYER, {"w22": 0xF002}, "expected 15 in bits 15:12, the layout, and no set-up"),
        (_LAYER, {"w22": 0x1000}, "expected 15 in bits 15:12, the layout, and no set-up"),
        (_LAYER, {"w23": 0x10}, "word 23 (analog range) of an instruction holds 0x0010"),
        (_LAYER, {"w24": 0}, "word 24 (reserved) of an instruction holds 0x0000; expected 0x0084"),
        (_LAYER, {"w25": 416}, "expected 448, two lines for each row, rounded up to 32"),
        (_LAYER, {"w28": 1}, "expected 0: leaky ReLU is not modelled"),
        (
            _LAYER,
            {"w29": 1},
            "word 29 (LDO) of an instruction holds 0x0001; expected 0, as nothing",
        ),
        (_SCALED, {"w6": 32}, "expected a packet of the 32 for scales"),
        (_SCALED, {"w26": 33}, "expected 1 or more packets, of 16 outputs each, that fit"),
        (_SCALED, {"w6": 30, "w26": 1}, "expected room for the layer's 3 packets"),
        (_SCALED, {"w26": 2}, "reads packet 2 of the scales, which was not loaded"),
        (_SCALED, {"w27": 32}, "expected a shift of 0 to 31 in bits 7:0"),
    ],
)
def test_instructions_that_cannot_be_executed_are_faults(
    layer: Layer, changes: dict[str, int], reason: str, tmp_path: Path
) -> None:
    assert reason in fault_of(one(layer, **changes), tmp_path)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {OPERATION: 5},
            "DIANA analog: register 0x6c (MEMCPY_OP) holds 0x00000005; expected 0 (compute), 1 or 3",
        ),
        ({CONF_N: 3}, "register 0x5c (CONF_N) holds 0x00000003; expected 16 words"),
        ({IM_N: 17}, "register 0x4c (IM_N) holds 0x00000011; expected 16 words for each"),
        ({IM_N: 48}, "register 0x4c (IM_N) holds 0x00000030; expected 16 words for each"),
        ({IM_N: 16}, "the job has 1 instructions, none of which stops it"),
        ({IM_ADDR: SHARED + 2}, "register 0x48 (IM_ADDR) holds 0x1c010002; expected a multiple"),
        ({IM_ADDR: 0x1C008000}, "analog: load of 128 bytes at 0x1c008000: it does not reach the"),
        ({WEIGHTS: SHARED + 1}, "register 0x40 (WT_CONV_ADDR) holds 0x1c010001; expected a mul"),
        ({WEIGHTS: 0x1C000000}, "analog: load of 7168 bytes at 0x1c000000: it does not reach"),
        ({SCALES: 3}, "register 0x44 (WT_SIMD_ADDR) holds 0x00000003; expected a multiple of 4"),
        ({ACT_N: 1}, "register 0x54 (ACT_N) holds 0x00000001; expected 0: activations that a job"),
        ({0x64: 4}, "register 0x64 (OUT_DATA_N) holds 0x00000004; expected 0: outputs that a job"),
        ({0x68: 4}, "register 0x68 (NB_TILE) holds 0x00000004; expected 0: tiles are not modelled"),
        ({0x84: 0}, "DIANA analog: there is no register at offset 0x084 for such an access"),
        ({0x00: 1}, "DIANA analog: 1 is written to TRIGGER; expected 0"),
        (ANALOG.copy(2, SHARED, 8, 0x3FFF), "register 0x78 (L1ADDR) holds 0x00003fff; expected"),
        (
            ANALOG.banked(4, SHARED, 0, 5, 1),
            "register 0x7c (BANK_LENGTH) holds 0x00000005; expected 1 to 4 banks",
        ),
        (
            ANALOG.banked(3, SHARED, 1, 2, 4096),
            "register 0x80 (ROW_LENGTH) holds 0x00001000; expected no more rows than the bank has",
        ),
    ],
)
def test_registers_that_make_no_job_are_faults(
    changes: Writes, reason: str, tmp_path: Path
) -> None:
    program = one(_LAYER)
    program.steps[0] |= changes
    assert reason in fault_of(program, tmp_path)


def test_control_words_are_those_that_public_sources_write(tmp_path: Path) -> None:
    program = one(_LAYER)
    program.steps[0][CONF_ADDR] = program.put_words([CONTROL[0], 0x3030000, *[0] * 14])
    wanted = "word 1 of the configuration holds 0x03030000; expected 0x0303001f as DORY writes"
    assert wanted in fault_of(program, tmp_path)


def test_inputs_of_more_than_7_bits_are_faults(tmp_path: Path) -> None:
    program = one(_LAYER)
    program.l1[0] = 64
    wanted = "an input of conv 3x3, 24x6x8 to 40x6x8 is 64; expected -64 to 63, 7 bits"
    assert wanted in fault_of(program, tmp_path)


def test_a_cell_has_one_of_two_lines(tmp_path: Path) -> None:
    program = Program()
    lines = bytearray(32 * 16)
    lines[3] = lines[16 + 3] = 0x40
    words = instruction(Layer(16, 16), (0, 64))
    program.steps.append(program.job(bytes(lines), b"", words))
    wanted = "both lines are set of the cell in row 0 and column 1 of the array"
    assert wanted in fault_of(program, tmp_path)


def _second(program: Program, other: Layer) -> None:
    """Loads another layer's weights, then runs the first one again without loads."""
    again = instruction(_LAYER, (0, 16 * 200), init=False)
    place(program, other, draw(other, np.random.default_rng(3)))
    program.steps.append(program.job(b"", b"", again))


@pytest.mark.parametrize("block", [0, 3])
def test_weights_that_others_were_loaded_over_are_gone(block: int, tmp_path: Path) -> None:
    """The first layer has rows 0 to 223."""
    program = one(_LAYER)
    _second(program, Layer(20, 16, 2, 2, block=block))
    wanted = (
        "conv 3x3, 24x6x8 to 40x6x8 finds no weights of such a layer from row 0 of the array on"
    )
    assert wanted in fault_of(program, tmp_path)


def test_an_instruction_that_stops_does_nothing_else(tmp_path: Path) -> None:
    program = one(_LAYER)
    words = instruction(_LAYER, (0, 4096))
    stop = [*STOP]
    stop[7] = 1
    halves = [half.to_bytes(2, "little") for half in (*words, *stop)]
    program.steps[0][IM_ADDR] = program.put(b"".join(halves))
    wanted = "word 7 (C) of an instruction holds 0x0001; expected 0 where it stops"
    assert wanted in fault_of(program, tmp_path)


def _store_once(address: int) -> str:
    """Behind the trigger of the first job after that which brings in L1."""
    store = f" li t3, {address}\n sw t4, 0(t3)\n"
    return f" li t4, 2\n addi s3, s3, 1\n bne s3, t4, 2f\n li t5, 60\n3: addi t5, t5, -1\n bnez t5, 3b\n{store}2:\n"


def test_who_writes_weights_while_they_are_loaded_is_at_fault(tmp_path: Path) -> None:
    program = one(_LAYER)
    address = program.steps[0][WEIGHTS] + 12
    message = fault_of(program, tmp_path, meanwhile=_store_once(address))
    assert f"write of L2 bytes at {address:#x} that a job of analog under way reads" in message


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ("queue=0", "expected bytes_per_cycle and queue of 1 or more"),
        ("adc_gain=0", "adc_gain is 1 to 1048576, not 0"),
        ("output_bits=9", "output_bits is 2 to 8, not 9"),
        ("line_columns=100", "line_columns is a multiple of 32, 512 at most, not 100"),
        ("line_columns=544", "line_columns is a multiple of 32, 512 at most, not 544"),
        ("scale_packets=0", "scale_packets is 1 to 8192, not 0"),
        ("weight_bytes=1", "nothing of such a part is called 'weight_bytes'"),
    ],
)
def test_constants_that_make_no_accelerator_are_wrong_use(
    option: str, reason: str, tmp_path: Path
) -> None:
    outcome = start(build(Program(), tmp_path), device=option, accelerator=ANALOG)
    assert (outcome.status, reason in outcome.messages) == (EXIT_USE, True), outcome.messages
