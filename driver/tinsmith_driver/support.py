"""`tinsmith check`: every op that a target cannot run, not only the first; whether constants fit its memory."""

from dataclasses import dataclass, replace

from tinsmith_ir import Constant, Graph, Node, UnsupportedError
from tinsmith_ir.errors import DoesNotFitError
from tinsmith_ir.escape import visible
from tinsmith_ir.pipeline import Pipeline
from tinsmith_lowering import lower, stored_bytes, stored_constants

from tinsmith_driver.compilation import Compilation
from tinsmith_driver.models import Model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pipelines import graph_passes, passes_for
from tinsmith_driver.plugins import registry
from tinsmith_driver.targets import chosen_target


@dataclass(frozen=True)
class Finding:
    """One op that cannot run: where it comes from, and the rules that refuse it."""

    node: Node
    reason: str

    def __str__(self) -> str:
        """One paragraph for people."""
        return self.reason


def unsupported(model: Model, options: CompileOptions) -> list[Finding]:
    """The ops of the optimised graph that no kernel of the target takes."""
    if not isinstance(model.graph, Graph) or model.program is not None:
        return []  # a plan names its kernels, and compiling checks them
    graph = Pipeline(graph_passes(passes_for(options))).run(model.graph).graph
    chosen = chosen_target(options)
    kernels = registry().kernels(chosen, options.backend, packed=options.packed)
    findings: list[Finding] = []
    for node in graph.nodes:
        try:
            lower(_alone(graph, node), chosen, kernels)
        except UnsupportedError as error:
            findings.append(Finding(node, str(error)))
    return findings


def constant_bytes(compilation: Compilation) -> int:
    """Weights, biases, tables and scales as kernels read them, with the gaps between them.

    Raises DoesNotFitError if they exceed the memory that the board has for them.
    """
    needed = stored_bytes(compilation.program)
    board = compilation.target.board
    if board.emulator is None:
        return needed
    memory = board.memory(board.weight_memory)
    if needed > memory.size_bytes:
        stored = stored_constants(compilation.program)
        constants = sorted(stored, key=lambda constant: constant.data.nbytes, reverse=True)
        largest = ", ".join(f"{visible(c.name)} ({c.data.nbytes:,} bytes)" for c in constants[:3])
        raise DoesNotFitError(
            f"constants are too large for memory '{memory.name}' of {board.name}: needed {needed:,} "
            f"bytes besides code, available {memory.size_bytes:,} bytes. The largest are {largest}. "
            "Choose a target with more memory, or a smaller or quantized network."
        )
    return needed


def _alone(graph: Graph, node: Node) -> Graph:
    """A graph of this node only, its operands as inputs unless they are constants."""
    operands = {value.name: value for value in node.present_inputs}
    known = graph.constant_data
    return replace(
        graph,
        inputs=tuple(value for name, value in operands.items() if name not in known),
        constants=tuple(Constant(v, known[name]) for name, v in operands.items() if name in known),
        nodes=(node,),
        outputs=node.outputs,
    )
