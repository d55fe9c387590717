"""Constants that kernels read from a memory of the board: which calls have theirs there, where not all have room."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tinsmith_ir.checked import checked
from tinsmith_ir.errors import DoesNotFitError
from tinsmith_ir.escape import visible
from tinsmith_ir.program import Call, ConstantBuffer, Option, Program, SimpleStep, changed_steps
from tinsmith_ir.program import Memory as ProgramMemory
from tinsmith_target import Memory, Target

from tinsmith_lowering.compressed import CONSTANT_ALIGNMENT, aligned_bytes
from tinsmith_lowering.kernel import Kernel, Layer, Prepared
from tinsmith_lowering.lower import find_kernel, layer_of_call

_SHOWN = 3


@checked
def check_memories(program: Program, target: Target) -> None:
    """Raise DoesNotFitError if constants want more of a memory of the board than it has.

    program: prepared, and cut into parts if it will be. A board without memories, this computer, has room for all.
    """
    for memory in target.board.memories:
        constants = _constants_in(program, memory)
        needed = sum(map(_bytes, constants))
        if needed > memory.size_bytes:
            largest = sorted(constants, key=lambda one: (-_bytes(one), one.name))[:_SHOWN]
            names = ", ".join(f"{visible(one.name)} {_bytes(one):,}" for one in largest)
            raise DoesNotFitError(
                f"constants in {memory.name}: needed {needed:,} bytes, available {memory.size_bytes:,} bytes; "
                f"the largest: {names}; take weights of fewer bits, or a back end that reads them from elsewhere",
                needed_bytes=needed,
                available_bytes=memory.size_bytes,
            )


@checked
def within_memories(program: Program, target: Target, kernels: Sequence[Kernel]) -> Program:
    """The program with options of calls such that all constants have room in the memories where kernels want them; the
    same program where they have.

    Calls with the fewest cycles for each byte (`Kernel.cost`) have theirs in the memory, as a copy would be waited for
    there, then those with more, as long as there is room. The others take the first options of their kernels with which
    they ask for nothing there. Calls whose kernels have no such options keep theirs whatever happens.

    program: prepared.
    """
    changed: dict[str, tuple[Option, ...]] = {}
    for memory in target.board.memories:
        if sum(map(_bytes, _constants_in(program, memory))) > memory.size_bytes:
            changed |= _options_without(program, target, kernels, memory)
    if not changed:
        return program

    def with_options(step: SimpleStep) -> tuple[SimpleStep]:
        if isinstance(step, Call) and step.name in changed:
            return (replace(step, options=changed[step.name]),)
        return (step,)

    return replace(program, steps=changed_steps(program.steps, with_options))


def with_memories(
    memories: tuple[ProgramMemory, ...], constants: Sequence[ConstantBuffer], target: Target
) -> tuple[ProgramMemory, ...]:
    """The memories of a program, and those in which its constants lie: as large as the board's, of any size where it
    has none, as on this computer.
    """
    sizes = {memory.name: memory.size_bytes for memory in target.board.memories}
    known = {memory.name for memory in memories}
    names = dict.fromkeys(constant.memory for constant in constants if constant.memory)
    added = (
        ProgramMemory(name, sizes.get(name), CONSTANT_ALIGNMENT)
        for name in names
        if name not in known
    )
    return (*memories, *added)


@dataclass(frozen=True)
class _User:
    """A call with constants in a memory. cycles: of its kernel, 0 if nobody knows. without: options with which it has
    none there; None if there are no such.
    """

    call: Call
    constants: Sequence[ConstantBuffer]
    cycles: int
    without: tuple[Option, ...] | None

    @property
    def cycles_a_byte(self) -> float:
        """How long it computes with each byte."""
        return self.cycles / sum(map(_bytes, self.constants))


def _options_without(
    program: Program, target: Target, kernels: Sequence[Kernel], memory: Memory
) -> Mapping[str, tuple[Option, ...]]:
    """Of the calls that have to read from elsewhere."""
    users = [
        _user(program, call, found, target, kernels, memory.name)
        for call in program.calls
        if (found := _constants_of(program, call, memory.name))
    ]
    users.sort(key=lambda user: (user.without is not None, user.cycles_a_byte))
    there: dict[str, int] = {}
    changed: dict[str, tuple[Option, ...]] = {}
    for user in users:
        added = {one.name: _bytes(one) for one in user.constants}
        if user.without is None or sum((there | added).values()) <= memory.size_bytes:
            there |= added
        else:
            changed[user.call.name] = user.without
    return changed


def _user(
    program: Program,
    call: Call,
    constants: Sequence[ConstantBuffer],
    target: Target,
    kernels: Sequence[Kernel],
    memory: str,
) -> _User:
    layer = layer_of_call(program, call, target)
    kernel = find_kernel(call.kernel, layer, kernels)
    cost = kernel.cost(layer)
    return _User(call, constants, cost.cycles if cost else 0, _without(kernel, layer, memory))


def _without(kernel: Kernel, layer: Layer, memory: str) -> tuple[Option, ...] | None:
    """One option changed, so that nothing of the layer is wanted in the memory."""
    for choice in kernel.options(layer):
        for value in choice.values:
            others = [option for option in layer.options if option.name != choice.name]
            changed = kernel.with_options(layer, [*others, Option(choice.name, value)])
            prepared = kernel.prepare(changed)
            if not any(isinstance(one, Prepared) and one.memory == memory for one in prepared):
                return changed.options
    return None


def _constants_in(program: Program, memory: Memory) -> list[ConstantBuffer]:
    return [constant for constant in program.constants if constant.memory == memory.name]


def _constants_of(program: Program, call: Call, memory: str) -> list[ConstantBuffer]:
    found = [program.constant[name] for name in call.reads if name in program.constant]
    return [constant for constant in found if constant.memory == memory]


def _bytes(constant: ConstantBuffer) -> int:
    return aligned_bytes(constant.data.nbytes)
