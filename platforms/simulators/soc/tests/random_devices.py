"""Random programs that read and write the registers of every device, sensibly or not, on all cores at once."""

import random
import struct

_ENTRY = 0x1C008000
_HANDLER_WORDS = 64  # up to the next multiple of 256 bytes; each returns at once

_EVENT_UNIT, _DMA = 0x10204000, 0x10204400
_REGISTERS = {
    _EVENT_UNIT: [*range(0, 0x40, 4), 0x80, 0x84, 0xC0, *range(0x100, 0x200, 4)]
    + [*range(0x200, 0x220, 4)] * 3,
    _DMA: [0, 4],
    0x10201800: [0, 4],  # the DMA once more
    0x10200000: [0, 8, *range(0x40, 0x64, 4)],  # the cluster's control
    0x10200400: list(range(0, 0x28, 4)),  # its timers
    0x10201000: [0, 4, 4, 8, 0xC, 0x10, 0x14, 0x20, 0x24, 0x28, 0x2C],  # the accelerator
    0x10200800: [*range(0, 0x240, 4), *range(0x400, 0x500, 4), *range(0x600, 0x620, 4), 0x700],
    0x1A109800: list(range(0, 0x28, 4)),  # the fabric controller's interrupts
    0x1A106000: list(range(0, 0x44, 4)),  # the chip's events
    0x1A10B000: list(range(0, 0x28, 4)),  # the fabric controller's timers
}
_T0, _T1, _T2 = 5, 6, 7
_SET_INTERRUPTS, _CLEAR_INTERRUPTS = 0x30046073, 0x30047073  # csrsi, csrci mstatus, 8
_WFI, _MRET, _FOREVER = 0x10500073, 0x30200073, 0x0000006F


def _load_immediate(register: int, value: int) -> list[int]:
    upper = ((value + 0x800) >> 12) & 0xFFFFF
    return [
        upper << 12 | register << 7 | 0x37,
        (value & 0xFFF) << 20 | register << 15 | register << 7 | 0x13,
    ]


def _load(event: bool) -> int:
    """lw or cv.elw t2, 0(t0)."""
    return _T0 << 15 | _T2 << 7 | (0x300B if event else 0x2003)


def _store(value: int) -> list[int]:
    """The value to where t0 points."""
    return [*_load_immediate(_T1, value), _T1 << 20 | _T0 << 15 | 0x2023]


def _value(rng: random.Random) -> int:
    address = rng.choice([0x10000000, 0x1C020000]) + 4 * rng.randrange(4096)
    bits = rng.choice([rng.randrange(64), rng.getrandbits(32), 1 << rng.randrange(32)])
    return rng.choice([0, 1, 3, 0x1FF, 0x10000, 0x17, 0xFFFFFFFF, bits, bits, address])


def _transfer(rng: random.Random) -> list[int]:
    """A command for the DMA, of one or two dimensions, one that it may refuse."""
    two_dimensional = [rng.random() < 0.3, rng.random() < 0.3]
    flags = rng.getrandbits(3) << 20 | rng.getrandbits(1) << 17 | 1 << 18
    flags |= two_dimensional[0] << 19 | two_dimensional[1] << 23
    words = [flags | rng.choice([1, 7, 64, 300, 4096])]
    words += [0x10000000 + rng.randrange(0x8000), 0x1C020000 + rng.randrange(0x8000)]
    for has_lines in two_dimensional:
        if has_lines:
            words += [rng.choice([0, 1, 5, 8, 64]), rng.choice([0, 1, 8, 100, 0xFFFFFFF0])]
    code = [*_load_immediate(_T0, _DMA), _load(event=False)]
    return code + [word for value in words for word in _store(value)]


def _access(rng: random.Random) -> list[int]:
    base = rng.choice([_EVENT_UNIT, *_REGISTERS])
    code = _load_immediate(_T0, base + rng.choice(_REGISTERS[base]))
    draw = rng.random()
    if draw < 0.55:
        return code + _store(_value(rng))
    return [*code, _load(event=base == _EVENT_UNIT and draw < 0.7)]


def _step(rng: random.Random) -> list[int]:
    draw = rng.random()
    if draw < 0.1:
        return [rng.choice([_WFI, _SET_INTERRUPTS, _SET_INTERRUPTS, _CLEAR_INTERRUPTS])]
    return _transfer(rng) if draw < 0.25 else _access(rng)


def random_devices(rng: random.Random, steps: int) -> bytes:
    """An ELF executable for all cores that start: their interrupts come back at once, and at last they spin."""
    start = [*_load_immediate(_T0, _ENTRY), _T0 << 15 | 0x30501073]  # csrw mtvec, t0
    # All cores do the same, each a little later than the one before: csrr a0, mhartid; andi a0, a0, 31; 1: addi a0,
    # a0, -1; bgez a0, 1b.
    start += [0xF1402573, 0x01F57513, 0xFFF50513, 0xFE055EE3]
    body = [word for _ in range(steps) for word in _step(rng)]
    words = [_MRET] * _HANDLER_WORDS + start + body + [_FOREVER]
    entry = _ENTRY + 4 * _HANDLER_WORDS
    header = struct.pack("<HHIIIIIHHHHHH", 2, 243, 1, entry, 52, 0, 0, 52, 32, 1, 40, 0, 0)
    size = 4 * len(words)
    segment = struct.pack("<8I", 1, 84, _ENTRY, _ENTRY, size, size, 7, 4)
    code = struct.pack(f"<{len(words)}I", *words)
    return b"\x7fELF\1\1\1" + bytes(9) + header + segment + code
