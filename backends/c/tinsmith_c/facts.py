"""What a report says about each layer, read from the placed Program."""

from collections.abc import Sequence
from dataclasses import dataclass

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.program import Call, Program
from tinsmith_lowering import Kernel, find_kernel, layer_of_call
from tinsmith_target import Target

from tinsmith_c.layout import Layout


@dataclass(frozen=True)
class LayerFacts(Checked):
    """One kernel call.

    macs: multiply-accumulates. in_offset, out_offset: bytes in the arena of the first operand that is
    there and of the first result; in_offset is None when all operands are constants. engine: what runs it beside the
    core, or the unit of the core that its kernel uses.
    scratch_bytes: working memory. reason: why not a better kernel, "" if this is the best.
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


@checked
def layer_facts(
    program: Program, target: Target, kernels: Sequence[Kernel]
) -> tuple[LayerFacts, ...]:
    """Facts of every kernel call of a placed program, in order."""
    layout = Layout(program)
    return tuple(_facts(layout, call, target, kernels) for call in program.calls)


def _facts(layout: Layout, call: Call, target: Target, kernels: Sequence[Kernel]) -> LayerFacts:
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
    )
