"""Random networks, placed and run on simulated memories, give what the graph gives."""

from dataclasses import replace

import numpy as np
import pytest
from tinsmith_allocation import AllocateBuffers, PlanError, check_program
from tinsmith_ir.dtypes import DType
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.graph import Graph
from tinsmith_ir.operators import Reshape
from tinsmith_ir.program import Buffer, Call, ConstantBuffer, Memory, Program, View, tensor
from tinsmith_ir.simulate import evaluate_program
from tinsmith_ir.testing import random_graph, random_inputs
from tinsmith_ir.types import TensorType
from tinsmith_ir.verify import verify_program


def program_of(graph: Graph, seed: int) -> Program:
    """One call per node, reshapes as views, and scratch of a random size for half of the calls."""
    generator = np.random.default_rng(seed)
    buffers: list[Buffer] = []
    views: dict[str, View] = {}
    calls: list[Call] = []

    def add(name: str, type_: TensorType) -> None:
        buffer, views[name] = tensor(name, type_, "ram")
        buffers.append(buffer)

    for value in graph.inputs:
        add(value.name, value.type)
    for node in graph.nodes:
        result, source = node.outputs[0], node.inputs[0]
        if isinstance(node.operator, Reshape) and source is not None and source.name in views:
            views[result.name] = View(result.name, result.type, views[source.name].buffer)
            continue
        for each in node.outputs:
            add(each.name, each.type)
        scratch = f"{result.name}.scratch" if generator.random() < 0.5 else None
        if scratch is not None:
            add(scratch, TensorType((int(generator.integers(1, 500)),), DType.INT8))
        names = tuple(value.name if value else None for value in node.inputs)
        results = tuple(each.name for each in node.outputs)
        calls.append(Call(node.name, "any", node.operator, names, results, scratch))
    return Program(
        graph.name,
        "host",
        (Memory("ram"),),
        tuple(buffers),
        tuple(views.values()),
        tuple(ConstantBuffer(c.value.name, c.value.type, c.data) for c in graph.constants),
        tuple(calls),
        tuple(value.name for value in graph.inputs),
        tuple(value.name for value in graph.outputs),
    )


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_placed_programs_compute_what_the_graph_computes(seed: int, exact: bool) -> None:
    graph = random_graph(seed, nodes=12)
    program = program_of(graph, seed)
    allocation = AllocateBuffers(exact=exact).allocate(program)
    verify_program(allocation.program)
    check_program(allocation.program)
    inputs = random_inputs(graph, seed)
    wanted, got = evaluate_graph(graph, inputs), evaluate_program(allocation.program, inputs)
    for name, array in wanted.items():
        assert array.tobytes() == got[name].tobytes(), name


@pytest.mark.parametrize("seed", range(25))
def test_the_optimum_without_scratch_is_no_larger(seed: int) -> None:
    program = program_of(random_graph(seed, nodes=12), seed)
    allocate = AllocateBuffers()
    without, with_ = allocate.plan(program, "ram", scratch=False), allocate.plan(program, "ram")
    assert without.lower_bound <= with_.lower_bound
    assert without.arena_bytes <= with_.arena_bytes


@pytest.mark.parametrize("seed", range(25))
def test_moving_a_live_buffer_is_found(seed: int) -> None:
    """Put the first result onto the first input, which its own step reads."""
    graph = random_graph(seed, nodes=6)
    placed = AllocateBuffers().run(program_of(graph, seed))
    first = placed.calls[0]
    source = next(name for name in first.inputs if name and name in placed.view)
    result = placed.view[first.outputs[0]].buffer
    offset = placed.buffer_of(source).offset
    buffers = tuple(replace(b, offset=offset) if b.name == result else b for b in placed.buffers)
    with pytest.raises(PlanError, match="reads buffer"):
        check_program(placed.with_buffers(buffers))
