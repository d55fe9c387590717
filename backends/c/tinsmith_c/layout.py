"""A placed Program with the C names of everything: what the writer, the harness and the report share."""

import collections
import hashlib
from dataclasses import dataclass
from functools import cached_property

from tinsmith_ir.checked import checked
from tinsmith_ir.errors import GraphError
from tinsmith_ir.escape import print_name
from tinsmith_ir.expressions import Counter, Expression, Modulo, Table, Term
from tinsmith_ir.hazards import step_names
from tinsmith_ir.program import (
    Call,
    Copy,
    Loop,
    Memory,
    Program,
    SimpleStep,
    Step,
    simple_steps,
)
from tinsmith_lowering import ARENA_ALIGNMENT

from tinsmith_c.names import NameTable, buffer_names, c_identifier, is_header, shortened

_LONGEST_TABLE = 63
"""Characters of the name of an array that compilers have to tell apart (C11, 5.2.4.1)."""


@checked
def c_name(program: Program) -> str:
    """The name of the generated files and the prefix of everything in them; never that of a header
    that the generated C or the kernels include.
    """
    name = shortened(c_identifier(program.name), 40)
    return f"n_{name}" if is_header(name) else name


@dataclass(frozen=True)
class Layout:
    """Addresses and C names of a program that an allocation pass has placed.

    A program with one memory is given an arena, one with several a struct of pointers.
    """

    program: Program

    def __post_init__(self) -> None:
        """Refuse what the C writer cannot say: buffers without a place."""
        for buffer in self.program.buffers:
            if buffer.offset is None:
                raise GraphError(
                    f"buffer {print_name(buffer.name)} has no offset; run an allocation pass first"
                )
        if sum(memory.is_caller for memory in self.program.memories) > 1:
            raise GraphError("expected one memory of the caller's at most, got several")

    @property
    def memories(self) -> tuple[Memory, ...]:
        """Those that who runs the program gives."""
        return self.program.planned_memories

    @property
    def has_arena(self) -> bool:
        """True if there is one memory only, the arena."""
        return len(self.memories) <= 1

    @cached_property
    def readers(self) -> collections.Counter[frozenset[str]]:
        """How many calls read the same constants."""
        steps = simple_steps(self.program.steps)
        return collections.Counter(
            frozenset(step.reads) for step in steps if isinstance(step, Call)
        )

    @cached_property
    def kept_memories(self) -> frozenset[str]:
        """Those that hold states, whose bytes must stay from run to run."""
        return frozenset(self.program.buffer_of(state.view).memory for state in self.program.states)

    @cached_property
    def asked(self) -> str:
        """The memory of the caller's, whose bytes a function gives when asked; "" if there is none."""
        return next((memory.name for memory in self.program.memories if memory.is_caller), "")

    @cached_property
    def has_one_base(self) -> bool:
        """True if all that steps touch, but for inputs that the caller hands over, lies in one memory: its start is all
        that functions are told then.
        """
        return self.has_arena or (len(self.pointers) == 1 and not self.program.engines)

    def asks(self, copy: Copy) -> bool:
        """Whether it copies what the caller hands over."""
        program, name = self.program, copy.source
        return name in program.view and program.buffer_of(name).memory == self.asked

    @property
    def parameter(self) -> str:
        """How functions take the memories."""
        return "uint8_t *arena" if self.has_one_base else self.struct

    @property
    def argument(self) -> str:
        """What the run function gives them for it."""
        return "bytes" if self.has_one_base else "memories"

    @property
    def entry_parameter(self) -> str:
        """How the functions of the header take them: an arena of any type."""
        return "void *arena" if self.has_arena else self.struct

    @property
    def struct(self) -> str:
        """How functions take the struct of all memories."""
        return f"const {c_name(self.program)}_memories_t *memories"

    @cached_property
    def fields(self) -> dict[str, str]:
        """Memory -> C identifier."""
        return buffer_names([memory.name for memory in self.memories])

    @cached_property
    def pointers(self) -> dict[str, str]:
        """The same without the memory of the caller's."""
        return {memory: field for memory, field in self.fields.items() if memory != self.asked}

    def address(self, name: str, arena: str = "arena", holder: str = "") -> str:
        """C expression of a view's first byte, `arena` being the name of the arena there, and `holder` what stands in
        front of it, of memories and of counters.
        """
        return f"{self.start(name, arena, holder)} + {self.place(name, holder)}"

    def place(self, name: str, holder: str = "") -> str:
        """C expression of where a view is in its memory, in bytes. holder: as of `address`."""
        return f"{self.offset_name(name)}{self.motion(name, holder)}"

    def start(self, name: str, arena: str = "arena", holder: str = "") -> str:
        """The same of the memory that the view lies in."""
        if self.has_one_base:
            return f"{holder}{arena}"
        return f"(uint8_t *){holder}memories->{self.fields[self.program.buffer_of(name).memory]}"

    def motion(self, name: str, holder: str = "") -> str:
        """What loops add to a view's offset, ` + 16 * i`."""
        terms = self.program.view[name].start.terms
        return "".join(f" + {_term(term, holder)}" for term in terms)

    @cached_property
    def counters(self) -> tuple[str, ...]:
        """All loops' counters, an outer one before those within."""
        found: list[str] = []

        def walk(steps: tuple[Step, ...]) -> None:
            for step in steps:
                if isinstance(step, Loop):
                    found.append(step.counter)
                    walk(step.body)

        walk(self.program.steps)
        return tuple(found)

    def moved_by(self, *steps: SimpleStep) -> tuple[str, ...]:
        """The counters that the operands of steps depend on, an outer one before those within."""
        names = [name for step in steps for both in step_names(step) for name in both]
        views = [self.program.view[name] for name in names if name in self.program.view]
        used = {counter for view in views for counter in view.counters}
        return tuple(counter for counter in self.counters if counter in used)

    def memories_of(self, call: Call) -> frozenset[str]:
        """Where a call's operands, results and scratch lie."""
        names = (*call.inputs, *call.outputs, call.scratch)
        views = self.program.view
        return frozenset(
            self.program.buffer_of(name).memory for name in names if name and name in views
        )

    def offset(self, name: str) -> int:
        """Bytes from the start of the memory to a view's first, where all counters are 0 and tables left out."""
        offset = self.program.buffer_of(name).offset
        assert offset is not None  # checked once, above
        return offset + self.program.view[name].start.base

    def begin(self, name: str) -> Expression:
        """Where a view is in its memory, in bytes."""
        return Expression(self.offset(name), self.program.view[name].start.terms)

    def memory_bytes(self, memory: str) -> int:
        """Bytes of a memory: the end of the last buffer; 1 for a memory without any."""
        ends = [
            (buffer.offset or 0) + buffer.size_bytes
            for buffer in self.program.buffers
            if buffer.memory == memory
        ]
        return max(ends, default=1)

    @cached_property
    def place_type(self) -> str:
        """C type of bytes in a memory of the arena, few of a small one."""
        most = max((self.memory_bytes(memory) for memory in self.pointers), default=0)
        return "uint16_t" if most < 1 << 16 else "int32_t"

    @cached_property
    def extent_type(self) -> str:
        """C type of heights and widths."""
        images = (view.type.shape for view in self.program.views if len(view.type.shape) == 4)
        most = max((extent for shape in images for extent in shape[1:3]), default=0)
        return "uint8_t" if most < 1 << 8 else "int16_t"

    @cached_property
    def arena_bytes(self) -> int:
        """Bytes of all memories; 1 for a program without buffers."""
        return sum(self.memory_bytes(memory.name) for memory in self.memories) or 1

    @property
    def arena_alignment(self) -> int:
        """Bytes that the arena's address must be a multiple of."""
        return max([ARENA_ALIGNMENT, *(memory.alignment for memory in self.memories)])

    @cached_property
    def identifiers(self) -> dict[str, str]:
        """View -> C identifier."""
        return buffer_names([view.name for view in self.program.views])

    @cached_property
    def layer_identifiers(self) -> dict[str, str]:
        """Kernel call -> C identifier."""
        return buffer_names([call.name for call in self.program.calls])

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Kernel call -> its number, in the order of writing."""
        return {call.name: number for number, call in enumerate(self.program.calls)}

    @cached_property
    def engine_macros(self) -> dict[str, str]:
        """Engine -> the macro of its number."""
        table, prefix = NameTable(), c_name(self.program).upper()
        return {
            engine.name: f"{prefix}_ENGINE_{table.unique(c_identifier(engine.name).upper())}"
            for engine in self.program.engines
        }

    def offset_name(self, name: str) -> str:
        """The enumerator that holds a view's offset."""
        return f"kOffset_{self.identifiers[name]}"


def layer_output(call: Call) -> str:
    """The view that the layer hook shows: the call's first result."""
    return call.outputs[0]


def counter_name(counter: str) -> str:
    """The C variable of a loop."""
    return f"loop_{c_identifier(counter)}"


def table_name(table: Table) -> str:
    """The C array of a table, which its numbers determine; of many, their count and a digest."""
    name = "kTable_" + "_".join(str(value).replace("-", "m") for value in table.values)
    if len(name) <= _LONGEST_TABLE:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:12]
    return f"kTable_{len(table.values)}_numbers_{digest}"


def tables(expression: Expression) -> list[Table]:
    """The tables in an expression."""
    found: list[Table] = []
    for term in expression.terms:
        if isinstance(term.factor, Table):
            found.append(term.factor)
        elif isinstance(term.factor, Modulo):
            found += tables(term.factor.value)
    return found


def c_expression(expression: Expression, holder: str = "") -> str:
    """An int32 expression of C; it needs no parentheses within a sum. holder: in front of counters."""
    parts = [_term(term, holder) for term in expression.terms]
    if expression.base or not parts:
        parts.append(str(expression.base))
    return " + ".join(parts)


def _term(term: Term, holder: str) -> str:
    match term.factor:
        case Counter(name):
            text = f"{holder}{counter_name(name)}"
        case Modulo(value, modulus) if modulus & (modulus - 1) == 0:
            inner = c_expression(value, holder)
            text = f"({f'({inner})' if ' ' in inner else inner} & {modulus - 1})"
        case Modulo(value, modulus):
            text = f"tinsmith_modulo({c_expression(value, holder)}, {modulus})"
        case Table(name, _):
            text = f"{table_name(term.factor)}[{holder}{counter_name(name)}]"
    return text if term.times == 1 else f"{term.times} * {text}"
