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
from tinsmith_cmsis_nn import backend
from tinsmith_ir import Graph, Program, verify_program
from tinsmith_ir.testing import random_array
from tinsmith_lowering import lower, prepare
from tinsmith_reference import backend as reference
from tinsmith_target import target

HOST = target("host")
KERNELS = (*backend().kernels(HOST), *reference().kernels(HOST))
INT8_CASES = [
    case
    for case in CASES
    if case.name.endswith(("_i8", "_i8_nearest", "_i8_narrow"))
    or case.name in ("network", "network_nearest", "network_narrow")
]


def lowered(graph: Graph) -> Program:
    return prepare(lower(graph, HOST, KERNELS), HOST, KERNELS)


def wrong_results(program: Program, objects: KernelObjects, folder: Path) -> list[str]:
    """Outputs of the compiled program that differ from the evaluator's."""
    verify_program(program)
    generator = np.random.default_rng(5)
    inputs = {name: random_array(generator, program.type_of(name)) for name in program.inputs}
    return HostModel.build(program, HOST, KERNELS, objects, folder).wrong_results(inputs)


@pytest.mark.parametrize("case", INT8_CASES, ids=lambda case: case.name)
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


@pytest.mark.parametrize("seed", range(3))
def test_an_element_nearer_is_wrong(
    seed: int, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    program = tight_program(lowered(random_windows(seed)), nearer=1)
    wrong = wrong_results(program, kernel_objects, tmp_path)
    assert len(wrong) > len(program.outputs) // 2


def test_nothing_is_promised_for_another_library() -> None:
    kernels = (*backend(packed=False).kernels(HOST), *reference().kernels(HOST))
    program = lower(next(case for case in CASES if case.name == "network").build(), HOST, kernels)
    assert [call.name for call in program.calls if call.over] == []
