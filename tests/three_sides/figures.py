"""What a network costs on a target: bytes of memory as compiled, instructions of a run on its emulator."""

import math
from dataclasses import dataclass, replace
from pathlib import Path

from tinsmith_driver.build import built
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.inputs import random_samples
from tinsmith_driver.models import Model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.passes import PassChoice
from tinsmith_driver.pipelines import compile_model, graph_passes, passes_for
from tinsmith_driver.running import compare, run_samples
from tinsmith_ir import Graph
from tinsmith_ir.operators import AveragePool2D
from tinsmith_ir.pipeline import Pipeline

TARGET = "cortex-m4"
NEAREST = CompileOptions(TARGET, passes=(PassChoice("set-rounding", {"mode": "nearest"}),))
"""For networks of TFLite, whose integers are rounded otherwise than those of other formats."""
_TIMEOUT_SECONDS = 300


@dataclass(frozen=True)
class Figures:
    """In bytes, and instructions of one run. weights: constants in flash. code: machine code and other constants."""

    arena: int
    weights: int
    code: int
    instructions: int


def averaged_to_even(graph: Graph) -> Graph:
    """The graph with average pools of an even number of elements as ONNX and PyTorch mean them."""
    nodes = tuple(
        replace(node, operator=replace(node.operator, halves_to_even=True))
        if isinstance(node.operator, AveragePool2D) and math.prod(node.operator.window) % 2 == 0
        else node
        for node in graph.nodes
    )
    return replace(graph, nodes=nodes)


def after_passes(graph: Graph, options: CompileOptions | None = None) -> Graph:
    """The graph that is lowered."""
    passes = graph_passes(passes_for(options or CompileOptions(TARGET)))
    return Pipeline(passes).run(graph).graph


def compiled(graph: Graph, options: CompileOptions | None = None) -> Compilation:
    """The placed program. Names of graphs are part of the C, so all have the same."""
    model = Model(Path("network"), "graph", "0" * 64, replace(graph, name="network"))
    return compile_model(model, options or CompileOptions(TARGET))


def weight_bytes(compilation: Compilation) -> int:
    """Constants of the placed program, as kernels read them."""
    return sum(constant.data.nbytes for constant in compilation.program.constants)


def measured(compilation: Compilation) -> Figures:
    """Build and run it on one random input. Raises AssertionError if a byte differs from the evaluator's."""
    samples = [random_samples(compilation.graph, 1)]
    with built(compilation) as build:
        run = run_samples(build, compilation.graph, samples, _TIMEOUT_SECONDS)
        assert compare(run, compilation.reference).mismatches == 0
        assert run.instructions is not None
        return Figures(
            arena=compilation.arena_bytes,
            weights=build.weights,
            code=build.code + build.rodata,
            instructions=run.instructions,
        )
