"""The pass that gives constants their final bytes, and the check that they still hold them.

What a kernel reads besides its operands in the arena is decided here, not where C is written: so the
Program holds the bytes that go to flash. The operands stay in the call as its meaning.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from tinsmith_ir.builder import dtype_of
from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import GraphError
from tinsmith_ir.escape import print_name, visible
from tinsmith_ir.graph import Array
from tinsmith_ir.passes import BIT_EXACT, Contract
from tinsmith_ir.program import (
    Call,
    ConstantBuffer,
    Program,
    SimpleStep,
    changed_steps,
    unrolled,
)
from tinsmith_ir.types import TensorType
from tinsmith_target import Target

from tinsmith_lowering.kernel import AsGiven, Kernel, Prepared
from tinsmith_lowering.lower import find_kernel, layer_of_call
from tinsmith_lowering.memories import with_memories, within_memories


@dataclass(frozen=True)
class Prepare(Checked):
    """`prepare` as a pass. kernels: at least those that the calls name."""

    target: Target
    kernels: Sequence[Kernel]

    name: ClassVar[str] = "prepare"
    # What is computed does not change: operands keep their bytes.
    contract: ClassVar[Contract] = BIT_EXACT

    def run(self, program: Program) -> Program:
        """The program whose calls name all constants that their kernels read."""
        return prepare(program, self.target, self.kernels)


@checked
def prepare(program: Program, target: Target, kernels: Sequence[Kernel]) -> Program:
    """The program with the constants that `Kernel.prepare` gives for each call, which names them.

    What an earlier run added is made anew, and no call reads it elsewhere. Equal constants are there once, however
    many calls read them. Where a memory of the board has no room for all that kernels want there, some calls get other
    options (`within_memories`).
    """
    made = _prepared_program(program, target, kernels)
    fitting = within_memories(made, target, kernels)
    return made if fitting is made else _prepared_program(fitting, target, kernels)


def _prepared_program(program: Program, target: Target, kernels: Sequence[Kernel]) -> Program:
    operands = tuple(constant for constant in program.constants if not constant.layout)
    taken = {*program.view, *(constant.name for constant in operands)}
    pool = _Pool(taken)

    def prepared(step: SimpleStep) -> tuple[SimpleStep]:
        if not isinstance(step, Call):
            return (step,)
        return (replace(step, reads=_reads(program, step, target, kernels, pool), held=()),)

    steps = changed_steps(program.steps, prepared)
    memories = with_memories(program.memories, pool.constants, target)
    return replace(program, steps=steps, constants=(*operands, *pool.constants), memories=memories)


@checked
def check_prepared(program: Program, target: Target, kernels: Sequence[Kernel]) -> None:
    """Raise GraphError for a call that reads other constants or bytes than its kernel prepares.

    Calls that read nothing are not prepared yet, or have nothing to read.
    """
    meant = unrolled(program) if program.tables else program
    for call in meant.calls:
        if call.reads:
            _check_call(meant, call, target, kernels)


@dataclass
class _Pool:
    """Constants as they are made, equal ones once."""

    taken: set[str]

    def __post_init__(self) -> None:
        self.constants: list[ConstantBuffer] = []
        self._known: dict[object, str] = {}

    def add(self, call: str, prepared: Prepared) -> str:
        data = np.ascontiguousarray(prepared.data)
        digest = hashlib.sha256(data.tobytes()).digest()
        key = (prepared.layout, prepared.memory, data.dtype.str, data.shape, digest)
        if key not in self._known:
            name = self._free(f"{call}.{prepared.layout}")
            self._known[key] = name
            type_ = TensorType(data.shape, dtype_of(data))
            made = ConstantBuffer(name, type_, data, prepared.layout, prepared.memory)
            self.constants.append(made)
        return self._known[key]

    def _free(self, wish: str) -> str:
        name, number = wish, 1
        while name in self.taken:
            number += 1
            name = f"{wish}.{number}"
        self.taken.add(name)
        return name


def _prepared(
    program: Program, call: Call, target: Target, kernels: Sequence[Kernel]
) -> tuple[Kernel, Sequence[Prepared | AsGiven]]:
    layer = layer_of_call(program, call, target)
    kernel = find_kernel(call.kernel, layer, kernels)
    return kernel, kernel.prepare(layer)


def _reads(
    program: Program, call: Call, target: Target, kernels: Sequence[Kernel], pool: _Pool
) -> tuple[str, ...]:
    _, wanted = _prepared(program, call, target, kernels)
    names = [
        pool.add(call.name, found) if isinstance(found, Prepared) else _operand(call, found)
        for found in wanted
    ]
    return tuple(dict.fromkeys(names))


def _operand(call: Call, given: AsGiven) -> str:
    name = call.inputs[given.operand]
    if name is None:
        raise ValueError(f"call {visible(call.name)}: operand {given.operand} is absent")
    return name


def _check_call(program: Program, call: Call, target: Target, kernels: Sequence[Kernel]) -> None:
    kernel, wanted = _prepared(program, call, target, kernels)
    where = f"call {visible(call.name)}"
    operands = {_operand(call, found) for found in wanted if isinstance(found, AsGiven)}
    held = {program.constant[name].layout: name for name in call.reads if name not in operands}
    layouts = [found.layout for found in wanted if isinstance(found, Prepared)]
    if set(held) != set(layouts) or not operands <= set(call.reads):
        expected = [*map(print_name, sorted(operands)), *sorted(layouts)]
        raise GraphError(
            f"{where}: {kernel.name} reads {', '.join(expected) or 'no constant'}; "
            f"got {', '.join(map(print_name, call.reads))}"
        )
    for found in wanted:
        if isinstance(found, Prepared):
            _check_bytes(where, kernel, found, program.constant[held[found.layout]])


def _check_bytes(where: str, kernel: Kernel, wanted: Prepared, held: ConstantBuffer) -> None:
    expected, got = _bytes(wanted.data), _bytes(held.data)
    if wanted.memory and wanted.memory != held.memory:
        found = f"lies in {held.memory!r}, expected {wanted.memory!r}"
    elif expected.size != got.size:
        found = f"has {got.size} bytes, expected {expected.size}"
    elif different := int((expected != got).sum()):
        first = int(np.argmax(expected != got))
        found = f"differs in {different} of {got.size} bytes, first in byte {first}"
    else:
        return
    raise GraphError(
        f"{where}: {print_name(held.name)} is not what {kernel.name} prepares as "
        f"{wanted.layout!r}: it {found}"
    )


def _bytes(array: Array) -> np.ndarray:
    return np.frombuffer(np.ascontiguousarray(array).tobytes(), np.uint8)
