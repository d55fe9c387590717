"""Random networks, placed and run on simulated memories, give what the graph gives."""

import numpy as np
import pytest
from tinsmith_allocation import AllocateBuffers, PlanError, check_program
from tinsmith_ir.dtypes import DType
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.graph import Graph
from tinsmith_ir.operators import Reshape
from tinsmith_ir.program import Buffer, ConstantBuffer, KernelCall, Memory, Program
from tinsmith_ir.simulate import evaluate_program
from tinsmith_ir.testing import random_graph, random_inputs
from tinsmith_ir.types import TensorType
from tinsmith_ir.verify import verify_program


def program_of(graph: Graph, seed: int) -> Program:
    """One call per node, reshapes as aliases, and scratch of a random size for half of the calls."""
    generator = np.random.default_rng(seed)
    buffers = [Buffer(value.name, value.type, "ram") for value in graph.inputs]
    roots = {value.name: value.name for value in graph.inputs}
    calls: list[KernelCall] = []
    for node in graph.nodes:
        (result,) = node.outputs
        source = node.inputs[0]
        if isinstance(node.operator, Reshape) and source is not None and source.name in roots:
            roots[result.name] = roots[source.name]
            buffers.append(Buffer(result.name, result.type, "ram", alias_of=roots[source.name]))
            continue
        roots[result.name] = result.name
        buffers.append(Buffer(result.name, result.type, "ram"))
        scratch = f"{result.name}.scratch" if generator.random() < 0.5 else None
        if scratch is not None:
            type_ = TensorType((int(generator.integers(1, 500)),), DType.INT8)
            buffers.append(Buffer(scratch, type_, "ram"))
        names = tuple(value.name if value else None for value in node.inputs)
        calls.append(KernelCall(node.name, "any", node.operator, names, (result.name,), scratch))
    return Program(
        graph.name,
        "host",
        (Memory("ram"),),
        tuple(buffers),
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
    source = next(name for name in first.inputs if name and name in placed.buffer)
    moved = Buffer(
        first.outputs[0],
        placed.type_of(first.outputs[0]),
        "ram",
        placed.buffer[source].offset,
    )
    buffers = tuple(moved if b.name == moved.name else b for b in placed.buffers)
    with pytest.raises(PlanError, match="reads buffer"):
        check_program(placed.with_buffers(buffers))
