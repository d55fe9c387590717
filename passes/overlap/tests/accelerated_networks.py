"""A chip with two arrays that read a scratchpad alone, and kernels that need no C, since no program here is written."""

from dataclasses import replace

from tinsmith_ir import DType, Program, parse_program
from tinsmith_ir.operators import Add, Logistic, Relu, Tanh
from tinsmith_ir.operators.base import Operator
from tinsmith_lowering import Beside, Cost, Emission, Kernel, Layer, Scope, Signature
from tinsmith_scratchpad import UseScratchpad
from tinsmith_target import Memory, Scratchpad, Target, target

ONE, TWO = "one", "two"
ELEMENTS = 64
BYTES = 4 * ELEMENTS
JOB_CYCLES = 1000
CORE_CYCLES = 700


def _emit(layer: Layer, scope: Scope) -> Emission:
    raise NotImplementedError


def _kernel(
    name: str, operator: type[Operator], cost: Cost, beside: Beside | None = None
) -> Kernel:
    return Kernel(
        name,
        beside.name if beside else "cores",
        operator,
        Signature((DType.FLOAT32,) * (2 if operator is Add else 1), DType.FLOAT32),
        (),
        _emit,
        accelerator=beside.name if beside else "",
        beside=beside,
        cost=lambda layer: cost,
    )


_JOB = Cost(JOB_CYCLES, start=50, wait=10)
KERNELS = (
    _kernel("one_relu", Relu, _JOB, Beside(ONE, depth=1)),
    _kernel("two_tanh", Tanh, _JOB, Beside(TWO, depth=1)),
    _kernel("one_add", Add, _JOB, Beside(ONE, depth=1)),
    _kernel("core_logistic", Logistic, Cost(CORE_CYCLES)),
)
_CALLS = {
    "one": ("one_relu", "relu"),
    "two": ("two_tanh", "tanh"),
    "sum": ("one_add", "add"),
    "core": ("core_logistic", "logistic"),
}


def chip(near_bytes: int = 1 << 16, far_bytes: int = 1 << 16) -> Target:
    """Two arrays, which copy, too."""
    host = target("host")
    board = replace(
        host.board,
        memories=(Memory("l1", 0, near_bytes, "ram"), Memory("l2", 0, far_bytes, "ram")),
        data_memory="l2",
        stack_bytes=0,
        scratchpad=Scratchpad(
            "l1", (ONE, TWO), alignment=32, copy_setup_cycles=40, copy_bytes_per_cycle=16
        ),
    )
    return replace(host, board=board)


def accelerated(layers: str, *outputs: str, near_bytes: int = 1 << 16) -> Program:
    """Behind use-scratchpad: layers one after the other, `a = one x`, `b = two x`, `c = core a`, `s = sum a b`; x is
    the input.
    """
    calls = [layer.split() for layer in layers.split(",")]
    names = ["x", *(name for name, *_ in calls)]
    lines = [f'  buffer %{name}: f32[{ELEMENTS}] in "arena"' for name in names]
    lines.append("  input %x")
    for name, _, kind, *operands in calls:
        kernel, operator = _CALLS[kind]
        read = ", ".join(f"%{operand}" for operand in operands)
        lines.append(f'  call "{name}" kernel "{kernel}": %{name} = {operator}({read})')
    lines += [f"  output %{name}" for name in outputs]
    text = "\n".join(['program 2 "p" for "host" {', '  memory "arena" align 16', *lines, "}"])
    return UseScratchpad(chip(near_bytes), KERNELS).run(parse_program(text))
