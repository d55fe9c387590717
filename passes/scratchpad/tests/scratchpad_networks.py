"""A chip with an array that reads a scratchpad alone, and kernels of it that compute what the reference kernels do."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir import ElementLayout, Graph, Program, TensorType
from tinsmith_ir.operators import Add, Relu
from tinsmith_ir.operators.base import Operator
from tinsmith_lowering import Beside, Kernel, Layer, Layouts, lower, prepare
from tinsmith_reference import backend
from tinsmith_target import Memory, Scratchpad, Target, target

ARRAY = "array"
ALIGNMENT = 32


class Lines(ElementLayout):
    """The last element first, in lines of 32 bytes."""

    name: ClassVar[str] = "test_scratchpad_lines"

    def size_bytes(self, type_: TensorType) -> int:
        return -(-type_.size_bytes // ALIGNMENT) * ALIGNMENT

    def offsets(self, type_: TensorType) -> NDArray[np.int64]:
        ends = np.arange(type_.elements)[::-1].reshape(type_.shape)
        return ends * type_.dtype.size_bytes


def chip(size_bytes: int = 4096) -> Target:
    """This computer's kernels on a board with a scratchpad."""
    host = target("host")
    board = replace(
        host.board,
        memories=(Memory("l1", 0, size_bytes, "ram"),),
        scratchpad=Scratchpad("l1", (ARRAY,), ALIGNMENT),
    )
    return replace(host, board=board)


def kernels(*operators: type[Operator]) -> tuple[Kernel, ...]:
    """Those of the array for operators, element by element (Add and Relu if none is named), before the cores'."""
    own = backend().kernels(target("host"))
    taken = operators or (Add, Relu)
    return (
        *(
            replace(
                kernel,
                name=f"{kernel.name}_on_array",
                backend=ARRAY,
                rules=(*kernel.rules, computes_all_operands),
                layouts=_lines,
                accelerator=ARRAY,
                beside=Beside(ARRAY, depth=1),
            )
            for kernel in own
            if kernel.operator in taken and not kernel.then
        ),
        *own,
    )


def computes_all_operands(layer: Layer) -> str | None:
    """Operands are computed, and of the shape of the result."""
    if any(data is not None for data in layer.constants):
        return "one is constant"
    shapes = [type_.shape for type_ in layer.inputs if type_ is not None]
    return None if all(shape == layer.output.shape for shape in shapes) else f"they have {shapes}"


def _lines(layer: Layer) -> Layouts:
    return Layouts((Lines.name,) * len(layer.inputs), (Lines.name,))


def lowered(graph: Graph, given: Sequence[Kernel] | None = None) -> Program:
    """As the pass is given it."""
    chosen = kernels() if given is None else given
    return prepare(lower(graph, chip(), chosen), chip(), chosen)
