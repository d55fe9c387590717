"""Random programs with loops, tables and engines: the same results with constants far away, in any room that does."""

from dataclasses import replace

import numpy as np
import pytest
from far_networks import far_target
from tinsmith_ir import DoesNotFitError, Program, evaluate_program, verify_program
from tinsmith_ir.random_programs import random_program
from tinsmith_ir.simulate import Completion
from tinsmith_staging import StageConstants

CHIP = far_target(4096)


def unplaced(seed: int) -> Program:
    """A random program whose first memory has no places yet."""
    program = random_program(seed)
    first = program.memories[0].name
    buffers = (
        replace(buffer, offset=None) if buffer.memory == first else buffer
        for buffer in program.buffers
    )
    return program.with_buffers(tuple(buffers))


def least(program: Program) -> int:
    """The fewest bytes, within 16, in which the pass finds a schedule."""
    low, high = 0, 1 << 16
    while high - low > 16:
        middle = (low + high) // 2
        try:
            StageConstants(CHIP, 0, middle).run(program)
            high = middle
        except DoesNotFitError:
            low = middle
    return high


def output(program: Program, completion: Completion) -> bytes:
    type_ = program.type_of("x")
    generator = np.random.default_rng(1)
    x = generator.integers(-100, 100, type_.shape).astype(type_.dtype.numpy)
    return evaluate_program(program, [x], completion=completion)["y"].tobytes()


SEEDS = [seed for seed in range(120) if unplaced(seed).engines and unplaced(seed).constants]


def test_many_of_the_programs_read_constants_beside_engines() -> None:
    assert len(SEEDS) > 30


@pytest.mark.parametrize("seed", SEEDS)
def test_results_stay(seed: int) -> None:
    plain = unplaced(seed)
    expected = output(plain, "latest")
    for room in (None, least(plain), least(plain) + 40):
        for depth in (1, 3):
            program = StageConstants(CHIP, 0, room, depth).run(plain)
            assert program is not plain
            verify_program(program)
            assert output(program, "earliest") == expected
            assert output(program, "latest") == expected
