"""Rules that layers of several operators share, and what their kernels declare alike."""

from collections.abc import Sequence

from tinsmith_ir import TensorType
from tinsmith_lowering import Beside, Cost, Emission, Layer, Layouts, Scope
from tinsmith_lowering import Prepared as Constant

from tinsmith_diana import jobs
from tinsmith_diana.layouts import DianaRows

BACKEND = "diana_digital"
NAME = "tinsmith_diana_digital"
HEADERS = ("tinsmith_diana_digital.h",)
PLANE_HEADERS = ("tinsmith_diana_planes.h",)
"""Of what the core does with tensors in rows."""
ACCELERATOR = "digital"
"""Among those of a board."""
JOBS = Beside(ACCELERATOR, is_fifo=True, depth=1)
ROWS = DianaRows.name

_RECORD, _WEIGHTS = "layer", "weights"
_CALL_CYCLES = 60
"""Of a core, around the jobs of a layer: an assumption, HTVM's 520 with no allocation and no prologue in them."""


def board_has_array(layer: Layer) -> str | None:
    """The board has the digital accelerator, or is a computer, which has its twin."""
    board = layer.target.board
    has_array = board.scratchpad is not None and ACCELERATOR in board.scratchpad.accelerators
    return None if has_array or board.architecture == "host" else f"{board.name} has not"


def weights_are_constant(layer: Layer) -> str | None:
    """Weights and bias are known at compile time, and the input is not."""
    if layer.constant(0) is not None:
        return "the input is a constant"
    for index, name in ((1, "weights"), (2, "bias")):
        if layer.has_input(index) and layer.constant(index) is None:
            return f"{name} is computed at run time"
    return None


def rows_bytes(type_: TensorType) -> int:
    """Of a tensor in rows."""
    return DianaRows().size_bytes(type_)


def l1_finding(operands: Sequence[TensorType], result: TensorType, behind: int = 0) -> str | None:
    """None if they lie in the L1 memory together. behind: bytes behind the result that are written, too."""
    needed = sum(map(rows_bytes, (*operands, result))) + behind
    return None if needed <= jobs.L1_BYTES else f"they take {needed:,} bytes"


def prepared(work: jobs.Work, weights: Constant | None = None) -> tuple[Constant, ...]:
    """The record of a layer, and its weights."""
    words = Constant(_RECORD, jobs.record(work).astype("<u4").view("i1"))
    return (words,) if weights is None else (words, weights)


def cost_of(work: jobs.Work) -> Cost:
    """Of the jobs, and of the core that starts them."""
    return Cost(jobs.cycles(work) + _CALL_CYCLES)


def emission(scope: Scope, *, weights: bool, operand: str = "NULL") -> Emission:
    """The start of a layer's jobs and the wait for them. operand: C expression of an addition's second one."""
    words = scope.prepared(_RECORD, f"{scope.layer}: its instruction, and how it is repeated")
    packed = (
        scope.prepared(_WEIGHTS, f"{scope.layer}: packed weights and biases") if weights else "NULL"
    )
    arguments = [words, packed, scope.input(0), operand, scope.output]
    return Emission(
        (f"  tinsmith_diana_digital_start({', '.join(arguments)}, {scope.token});",),
        wait=(f"  tinsmith_diana_digital_wait({scope.token});",),
    )


def in_rows(operands: int, behind: int = 0) -> Layouts:
    """The first operands and the result lie in rows."""
    return Layouts((ROWS,) * operands, (ROWS,), (behind,) if behind else ())
