"""Random networks as programs with one buffer per value: same results, same text."""

from dataclasses import replace

import numpy as np
import pytest
from tinsmith_ir import (
    Call,
    ConstantBuffer,
    EvaluationError,
    Graph,
    Memory,
    Program,
    evaluate_graph,
    evaluate_program,
    parse_program,
    print_program,
    tensor,
)
from tinsmith_ir.evaluate import equal_arrays
from tinsmith_ir.testing import random_graph, random_inputs


def program_of(graph: Graph) -> Program:
    constants = graph.constant_data
    tensors = [
        tensor(value.name, value.type, "m")
        for value in graph.values.values()
        if value.name not in constants
    ]
    buffers, views = zip(*tensors, strict=True)
    return Program(
        name=graph.name,
        target="none",
        memories=(Memory("m"),),
        buffers=buffers,
        views=views,
        constants=tuple(
            ConstantBuffer(constant.value.name, constant.value.type, constant.data)
            for constant in graph.constants
        ),
        steps=tuple(
            Call(
                node.name,
                "kernel",
                node.operator,
                tuple(value.name if value else None for value in node.inputs),
                tuple(value.name for value in node.outputs),
            )
            for node in graph.nodes
        ),
        inputs=tuple(value.name for value in graph.inputs),
        outputs=tuple(value.name for value in graph.outputs),
    )


@pytest.mark.parametrize("seed", range(30))
def test_a_program_computes_what_its_graph_does(seed: int) -> None:
    graph = random_graph(seed)
    inputs = random_inputs(graph, seed)
    program = program_of(graph)
    wanted, got = evaluate_graph(graph, inputs), evaluate_program(program, inputs)
    assert list(wanted) == list(got)
    assert all(equal_arrays(array, got[name]) for name, array in wanted.items())
    kept = evaluate_program(program, inputs, keep=True)
    every = evaluate_graph(graph, inputs, keep=True)
    assert all(equal_arrays(kept[node.name], every[node.name]) for node in graph.nodes)


@pytest.mark.parametrize("seed", range(30))
def test_programs_print_and_parse_back(seed: int) -> None:
    program = program_of(random_graph(seed))
    text = print_program(program)
    parsed = parse_program(text)
    assert print_program(parsed) == text
    assert (parsed.steps, parsed.buffers, parsed.views) == (
        program.steps,
        program.buffers,
        program.views,
    )


def test_every_buffer_in_one_place_shows() -> None:
    shown = 0
    for seed in range(30):
        graph = random_graph(seed)
        inputs = random_inputs(graph, seed)
        program = program_of(graph)
        squeezed = program.with_buffers(
            tuple(replace(buffer, offset=0) for buffer in program.buffers)
        )
        try:
            got = evaluate_program(squeezed, inputs)
        except EvaluationError:
            shown += 1
            continue
        wanted = evaluate_graph(graph, inputs)
        shown += any(not np.array_equal(wanted[name], got[name]) for name in wanted)
    assert shown == 30
