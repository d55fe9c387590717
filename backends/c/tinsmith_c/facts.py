"""What a report says about each layer, read from the placed Program."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.program import Call, Program, Wait, instances
from tinsmith_lowering import CORES, Kernel, find_kernel, layer_of_call
from tinsmith_target import Target

from tinsmith_c.layout import Layout


@dataclass(frozen=True)
class LayerFacts(Checked):
    """One kernel call.

    macs: multiply-accumulates. in_offset, out_offset: bytes in the arena of the first operand that is
    there and of the first result; in_offset is None when all operands are constants. engine: what runs it beside the
    core, or the unit of the core that its kernel uses.
    scratch_bytes: working memory. reason: why not a better kernel, "" if this is the best. cores: how many of a cluster
    compute it, with the other parts of its layer where it is one; None where the target has no cluster.
    """

    name: str
    op: str
    macs: int
    kernel: str
    engine: str
    in_offset: int | None
    out_offset: int
    scratch_bytes: int
    reason: str
    cores: int | None


@checked
def layer_facts(
    program: Program, target: Target, kernels: Sequence[Kernel]
) -> tuple[LayerFacts, ...]:
    """Facts of every kernel call of a placed program, in order."""
    layout = Layout(program)
    at_once = _at_once(program) if target.board.cluster is not None else {}
    return tuple(
        _facts(layout, call, target, kernels, _cores(call, target, at_once))
        for call in program.calls
    )


def _cores(call: Call, target: Target, at_once: Mapping[str, int]) -> int | None:
    cluster = target.board.cluster
    if cluster is None:
        return None
    chosen = (option.value for option in call.options if option.name == CORES)
    shared = next((value for value in chosen if isinstance(value, int)), 1)
    return min(cluster.cores, at_once.get(call.name, shared))


def _at_once(program: Program) -> dict[str, int]:
    """Of each call on an engine without an order, how many calls that one is given with it before any is waited for."""
    unordered = {engine.name for engine in program.engines if not engine.is_fifo}
    found: dict[str, int] = {}
    under_way: dict[int, Call] = {}
    for step, counters in instances(program.steps):
        if isinstance(step, Wait):
            under_way.pop(step.token.value(counters), None)
        elif isinstance(step, Call) and step.token is not None and step.engine in unordered:
            under_way[step.token.value(counters)] = step
            beside = [call.name for call in under_way.values() if call.engine == step.engine]
            found |= {name: max(found.get(name, 1), len(beside)) for name in beside}
    return found


def _facts(
    layout: Layout, call: Call, target: Target, kernels: Sequence[Kernel], cores: int | None
) -> LayerFacts:
    program = layout.program
    layer = layer_of_call(program, call, target)
    placed = [name for name in call.inputs if name is not None and name in program.view]
    return LayerFacts(
        name=call.name,
        op=call.operator.title,
        macs=call.operator.macs(layer.inputs, layer.outputs),
        kernel=call.kernel,
        engine=call.engine or find_kernel(call.kernel, layer, kernels).engine,
        in_offset=layout.offset(placed[0]) if placed else None,
        out_offset=layout.offset(call.outputs[0]),
        scratch_bytes=0 if call.scratch is None else program.view[call.scratch].type.size_bytes,
        reason=call.reason,
        cores=cores,
    )
