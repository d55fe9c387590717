"""Layers at the borders of an array in tiles: the evaluator's bits, in a scratchpad too small for the whole layer."""

from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from tinsmith_diana import DianaDigitalBackend
from tinsmith_diana.border_layers import border_inputs, border_layer
from tinsmith_ir import (
    DoesNotFitError,
    Graph,
    Program,
    evaluate_graph,
    evaluate_program,
    parse_program,
    print_program,
    verify_program,
)
from tinsmith_ir.operators import Reshape
from tinsmith_lowering import Kernel, check_calls, check_near, lower, prepare
from tinsmith_reference import backend as reference
from tinsmith_scratchpad import UseScratchpad
from tinsmith_target import Memory, Target, target
from tinsmith_tiling import CutLayer, TileJobs

_LAYERS = 50
_ROOM = 1 << 18


def chip() -> Target:
    """This computer's kernels on a board with DIANA's scratchpad."""
    host, diana = target("host"), target("diana")
    memories = (Memory("l1", 0, _ROOM, "ram"),)
    return replace(
        host, board=replace(host.board, memories=memories, scratchpad=diana.board.scratchpad)
    )


CHIP = chip()
KERNELS: tuple[Kernel, ...] = (
    *DianaDigitalBackend().kernels(CHIP),
    *reference().kernels(CHIP),
)


def whole(graph: Graph) -> Program:
    return prepare(lower(graph, CHIP, KERNELS), CHIP, KERNELS)


def is_image_of_array(program: Program) -> bool:
    calls = [call for call in program.calls if not isinstance(call.operator, Reshape)]
    is_job = all("tinsmith_diana_digital" in call.kernel for call in calls)
    return is_job and all(len(program.type_of(call.outputs[0]).shape) == 4 for call in calls)


def least_bytes(program: Program) -> int:
    """Of the scratchpad, of which no less would do."""
    with pytest.raises(DoesNotFitError, match="its smallest tiles take") as found:
        cut(program, 32)
    assert found.value.needed_bytes is not None
    return found.value.needed_bytes


def cut(
    program: Program, room: int, tiles: str = "cost"
) -> tuple[Program, tuple[CutLayer, ...] | None]:
    near = UseScratchpad(CHIP, KERNELS, bytes=room).run(program)
    verify_program(near)
    outcome = TileJobs(CHIP, KERNELS, tiles).run_in_detail(near)
    facts = cast("tuple[CutLayer, ...] | None", outcome.facts)
    assert facts is None or all(isinstance(each, CutLayer) for each in facts)
    return outcome.ir, facts


def check(program: Program, graph: Graph, seed: int) -> None:
    """It is right, within its memories, and gives the graph's bits whenever engines do their work."""
    verify_program(program)
    check_calls(program, CHIP, KERNELS)
    check_near(program, CHIP, KERNELS)
    assert parse_program(print_program(program)) is not None
    for inputs in border_inputs(graph, seed)[:2]:
        (wanted,) = evaluate_graph(graph, inputs).values()
        for completion in ("earliest", "latest"):
            (found,) = evaluate_program(program, inputs, completion=completion).values()
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("seed", range(_LAYERS))
def test_a_layer_in_tiles_gives_its_bits(seed: int) -> None:
    graph = border_layer(seed)
    program = whole(graph)
    if not is_image_of_array(program):
        return
    least = least_bytes(program)
    rule = ("cost", "htvm", "largest")[seed // 5 % 3]
    for room in (least, 2 * least):
        tiled, facts = cut(program, room, rule)
        check(tiled, graph, seed)
        assert facts is None or max(each.tiles for each in facts) >= 1


def test_most_layers_of_that_test_are_cut() -> None:
    programs = [whole(border_layer(seed)) for seed in range(_LAYERS)]
    taken = [program for program in programs if is_image_of_array(program)]
    assert len(taken) > 0.3 * _LAYERS
    several = [
        program
        for program in taken
        if any(each.tiles > 1 for each in cut(program, least_bytes(program))[1] or ())
    ]
    assert len(several) > 0.6 * len(taken)
