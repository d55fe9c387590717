"""Walks that kernels declare, judged by the compiled kernels: results as far over their operands as allowed."""

from pathlib import Path

import numpy as np
import pytest
from tinsmith_c.testing import (
    CASES,
    Case,
    HostModel,
    KernelObjects,
    random_windows,
    tight_program,
)
from tinsmith_ir import Graph, Program, verify_program
from tinsmith_ir.testing import random_array
from tinsmith_lowering import lower, prepare
from tinsmith_reference import backend
from tinsmith_target import target

HOST = target("host")
KERNELS = backend().kernels(HOST)


def lowered(graph: Graph) -> Program:
    return prepare(lower(graph, HOST, KERNELS), HOST, KERNELS)


def wrong_results(program: Program, objects: KernelObjects, folder: Path) -> list[str]:
    """Outputs of the compiled program that differ from the evaluator's."""
    verify_program(program)
    generator = np.random.default_rng(5)
    inputs = {name: random_array(generator, program.type_of(name)) for name in program.inputs}
    return HostModel.build(program, HOST, KERNELS, objects, folder).wrong_results(inputs)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_results_at_their_tightest_are_right(
    case: Case, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    program = tight_program(lowered(case.build(seed=1)))
    assert wrong_results(program, kernel_objects, tmp_path) == []


@pytest.mark.parametrize("seed", range(3))
def test_random_windows_at_their_tightest_are_right(
    seed: int, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    program = tight_program(lowered(random_windows(seed)))
    assert wrong_results(program, kernel_objects, tmp_path) == []


def test_an_element_nearer_is_wrong(kernel_objects: KernelObjects, tmp_path: Path) -> None:
    case = next(case for case in CASES if case.name == "elementwise_i8")
    program = tight_program(lowered(case.build(seed=1)), nearer=1)
    assert wrong_results(program, kernel_objects, tmp_path) != []
