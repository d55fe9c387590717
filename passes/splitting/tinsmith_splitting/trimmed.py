"""Calls as they are but for what their kernels leave open, so that they take less scratch."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.program import Call, Option, View
from tinsmith_lowering import Kernel, Layer, find_kernel, layer_of_call, overlaps

from tinsmith_splitting.rows import Parts, cost_of

_DEAR = 4


@dataclass(frozen=True, eq=False)
class Trimmed:
    """A call with other options. whole: the call as it was. kernel, layer: of the call with these options.

    scratch: bytes. extra: instructions more than the call as it was, about; is_dear: they are more than a quarter of
    those.
    """

    whole: Call
    kernel: Kernel
    layer: Layer
    scratch: int
    extra: float
    is_dear: bool

    @cached_property
    def call(self) -> Call:
        """The call; worked out when it is asked for, as what may lie over what takes a while."""
        over = overlaps(self.kernel, self.layer)
        return replace(self.whole, options=self.layer.options, over=over)


def trimmed(parts: Parts, call: Call) -> Iterator[Trimmed]:
    """A call with another value of the one option that its kernel leaves open, the most scratch first; each takes less
    than the one before, and the first less than the call.
    """
    program = parts.program
    if call.scratch is None or call.engine is not None or call.guard is not None:
        return
    least = program.view[call.scratch].type.size_bytes
    layer = layer_of_call(program, call, parts.target)
    try:
        kernel = find_kernel(call.kernel, layer, parts.kernels)
    except UnsupportedError:
        return
    choices = kernel.options(replace(layer, options=()))
    if len(choices) != 1:
        return
    (choice,) = choices
    changed = [
        replace(layer, options=(Option(choice.name, value),))
        for value in choice.values
        if Option(choice.name, value) not in call.options
    ]
    before = cost_of(kernel, layer)
    for other in sorted(changed, key=kernel.scratch_bytes, reverse=True):
        scratch = kernel.scratch_bytes(other)
        if 0 < scratch < least:
            least = scratch
            extra = max(0.0, cost_of(kernel, other) - before)
            yield Trimmed(call, kernel, other, scratch, extra, extra > before / _DEAR)


def scratch_of(parts: Parts, call: Call) -> View:
    """The view of its scratch."""
    assert call.scratch is not None
    return parts.program.view[call.scratch]
