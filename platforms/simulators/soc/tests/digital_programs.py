"""Jobs of DIANA's digital accelerator, as its registers."""

from collections.abc import Sequence
from dataclasses import dataclass

import diana_programs
from diana_programs import Writes
from digital_model import STOP

WT_CONV_ADDR, WT_CONV_N, WT_FC_ADDR, WT_FC_N = 0x40, 0x44, 0x48, 0x4C
IM_ADDR, IM_N, CONF_ADDR, CONF_N = 0x50, 0x54, 0x60, 0x64
OPERATION, COPY_ADDR, COPY_N, L1ADDR, BANKS, ROWS = 0xA0, 0xA4, 0xA8, 0xAC, 0xB0, 0xB4


def convolution_job(weights: int, weight_bytes: int, instructions: int, count: int = 2) -> Writes:
    """The registers of a job that loads weights for mode 1. Addresses; instructions: count, with the one that stops."""
    return {
        OPERATION: 0,
        IM_ADDR: instructions,
        IM_N: 32 * count,
        WT_CONV_ADDR: weights,
        WT_CONV_N: weight_bytes // 4,
        WT_FC_N: 0,
    }


def connected_job(weights: int, weight_bytes: int, instructions: int) -> Writes:
    job = convolution_job(0, 0, instructions)
    return job | {WT_FC_ADDR: weights, WT_FC_N: weight_bytes // 4}


@dataclass
class Program(diana_programs.Program):
    """Of the digital accelerator."""

    def configure(self, *words: int) -> Writes:
        """As DORY does: conv 0x800 and 15."""
        padded = [*words, *[0] * (16 - len(words))]
        return {CONF_ADDR: self.put_words(padded), CONF_N: 16}

    def convolution(self, weights: bytes, *instructions: Sequence[int]) -> Writes:
        """A job of these instructions and the one that stops, and its weights."""
        place = self.put_words(*instructions, STOP)
        return convolution_job(self.put(weights), len(weights), place, len(instructions) + 1)

    def connected(self, weights: bytes, instruction: Sequence[int]) -> Writes:
        place = self.put_words(instruction, STOP)
        return connected_job(self.put(weights), len(weights), place)
