"""From a lowered Program to a Problem: what each engine would take for each call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tinsmith_ir.checked import Checked
from tinsmith_ir.graph import Graph
from tinsmith_ir.program import Call, Program
from tinsmith_lowering import (
    CORES,
    AsGiven,
    Kernel,
    Layer,
    bytes_cycles,
    find_kernel,
    kernels_by_unit,
    layer_of_call,
)
from tinsmith_target import Target

from tinsmith_placement import model
from tinsmith_placement.model import Option, Problem


@dataclass(frozen=True, eq=False)
class Candidates(Checked):
    """problem: of all calls. open: names of layers that several engines can compute."""

    problem: Problem
    open: frozenset[str]


def candidates_of(
    program: Program, graph: Graph, target: Target, kernels: Sequence[Kernel]
) -> Candidates:
    """What may compute the calls of a lowered program, the engine that stands first among the kernels first.

    program: of `graph`, by these kernels. A call of several nodes keeps its kernel, as does one of a node that names
    its engine; and where some engine does not know its cycles, there is nothing to choose by, so the first takes it.
    """
    nodes = {node.name: node for node in graph.nodes}
    layers: list[model.Layer] = []
    several: set[str] = set()
    for call in program.calls:
        layer = layer_of_call(program, call, target)
        node = nodes.get(call.name)
        is_free = node is not None and node.operator == call.operator and not node.engine
        options = _options(layer, kernels) if is_free else ()
        if len(options) > 1:
            several.add(call.name)
        else:
            options = (_own_option(call, layer, kernels),)
        layers.append(model.Layer(call.name, _operands(program, call), call.outputs, options))
    return Candidates(Problem(_in_buffers(program, layers)), frozenset(several))


def _options(layer: Layer, kernels: Sequence[Kernel]) -> tuple[Option, ...]:
    found = [_option(kernel, layer) for kernel in kernels_by_unit(layer, kernels).values()]
    known = [option for option in found if option is not None]
    return tuple(known) if len(known) == len(found) else ()


def _own_option(call: Call, layer: Layer, kernels: Sequence[Kernel]) -> Option:
    """Of the kernel that the call names; one of no cycles where it does not know them."""
    kernel = find_kernel(call.kernel, layer, kernels)
    return _option(kernel, layer) or Option(kernel.unit, 0, label=kernel.name)


def _option(kernel: Kernel, layer: Layer) -> Option | None:
    """None where the kernel does not know its cycles."""
    chosen = kernel.with_options(layer)
    cost = kernel.cost(chosen)
    if cost is None:
        return None
    # Cores go on beside a job whose end is nothing but its end; else core 0 waits for it, or has something to do then.
    is_beside = kernel.beside is not None and kernel.beside.is_fifo
    held = (CORES,) if kernel.accelerator and not is_beside else ()
    return Option(
        kernel.unit,
        cost.cycles + cost.first,
        held,
        _fetch_cycles(kernel, chosen),
        label=kernel.name,
    )


def _fetch_cycles(kernel: Kernel, layer: Layer) -> int:
    """Of the constants that a call reads, as the DMA brings them to the near memory in one copy; of those that have a
    memory of their own nothing, as the kernel reads them there.
    """
    size = 0
    for each in kernel.prepare(layer):
        if isinstance(each, AsGiven):
            type_ = layer.inputs[each.operand]
            size += 0 if type_ is None else type_.size_bytes
        elif not each.memory:
            size += each.data.nbytes
    return bytes_cycles(size) if size else 0


def _operands(program: Program, call: Call) -> tuple[str, ...]:
    """Of those that are no constants each once."""
    names = [name for name in call.inputs if name is not None and name in program.view]
    return tuple(dict.fromkeys(names))


def _in_buffers(program: Program, layers: Sequence[model.Layer]) -> tuple[model.Layer, ...]:
    """The layers with tensors by their buffers, as a reshape is another name for the same bytes."""
    buffers: Mapping[str, str] = {view.name: view.buffer for view in program.views}
    return tuple(
        model.Layer(
            layer.name,
            tuple(dict.fromkeys(buffers[name] for name in layer.operands)),
            tuple(buffers[name] for name in layer.results),
            layer.options,
        )
        for layer in layers
    )
