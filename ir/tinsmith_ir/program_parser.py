"""Reads the text of `program_printer.py` back. Grammar: README.md.

Text that is not grammatical gives ParseError with line and column; a program that breaks a rule of the IR gives the
GraphError of the verifier.
"""

import enum

from tinsmith_ir.checked import checked
from tinsmith_ir.escape import print_name
from tinsmith_ir.expressions import ZERO, Expression
from tinsmith_ir.operators import Chain, Link, Operator
from tinsmith_ir.parser import parse_application, parse_location
from tinsmith_ir.printer import PASSED_ON
from tinsmith_ir.program import (
    Buffer,
    Call,
    ConstantBuffer,
    ConstantTable,
    Copy,
    Engine,
    Fill,
    Guard,
    Held,
    Kept,
    Loop,
    Memory,
    Option,
    Overlap,
    Program,
    Ring,
    Step,
    View,
    Wait,
    Within,
)
from tinsmith_ir.reader import Reader
from tinsmith_ir.types import TensorType
from tinsmith_ir.verify import verify_program

_MAX_DEPTH = 16
_STEPS = ("call", "copy", "fill", "wait", "loop")


@checked
def parse_program(text: str) -> Program:
    """The program that `print_program` wrote, or a person; verified.

    Raises ParseError, or GraphError when it breaks a rule.
    """
    program = read_program(text)
    verify_program(program)
    return program


def read_program(text: str) -> Program:
    """The program as it is written, right or wrong; raises ParseError."""
    return _ProgramParser(Reader(text)).parse()


class _Passed(enum.Enum):
    """What stands among the operands of a link for the result before it."""

    ON = PASSED_ON


class _ProgramParser:
    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._memories: list[Memory] = []
        self._engines: list[Engine] = []
        self._buffers: list[Buffer] = []
        self._views: list[View] = []
        self._constants: list[ConstantBuffer] = []
        self._tables: list[ConstantTable] = []
        self._steps: list[Step] = []
        self._inputs: list[str] = []
        self._outputs: list[str] = []
        self._states: list[Kept] = []

    def parse(self) -> Program:
        reader = self._reader
        name = reader.head("program")
        reader.word("for")
        target = reader.string()
        reader.punctuation("{")
        while not reader.accept("}"):
            self._statement()
        reader.end()
        return Program(
            name=name,
            target=target,
            memories=tuple(self._memories),
            buffers=tuple(self._buffers),
            views=tuple(self._views),
            constants=tuple(self._constants),
            steps=tuple(self._steps),
            inputs=tuple(self._inputs),
            outputs=tuple(self._outputs),
            engines=tuple(self._engines),
            states=tuple(self._states),
            tables=tuple(self._tables),
        )

    def _statement(self) -> None:
        reader = self._reader
        words = (
            "memory",
            "engine",
            "buffer",
            "view",
            "const",
            "table",
            "input",
            "state",
            "output",
            *_STEPS,
        )
        match reader.keyword(*words):
            case "memory":
                self._memories.append(self._memory())
            case "engine":
                self._engines.append(self._engine())
            case "buffer":
                self._buffer()
            case "view":
                self._views.append(self._view())
            case "const":
                self._constants.append(self._constant())
            case "table":
                self._tables.append(self._table())
            case "input":
                self._inputs.append(reader.name())
            case "state":
                self._states.append(self._state())
            case "output":
                self._outputs.append(reader.name())
            case step:
                self._steps.append(self._step(step, 0))

    def _state(self) -> Kept:
        """`state %h = [0, 0]`, whose view is defined above."""
        reader = self._reader
        token, name = reader.token, reader.name()
        view = next((view for view in self._views if view.name == name), None)
        if view is None:
            raise reader.error_at(token, "a view defined above", print_name(name))
        reader.punctuation("=")
        return Kept(name, reader.data(view.type))

    def _memory(self) -> Memory:
        reader = self._reader
        name = reader.string()
        size = reader.integer() if reader.accept_word("size") else None
        reader.word("align")
        alignment = reader.integer()
        is_caller = reader.accept_word("caller")
        return Memory(name, size, alignment, reader.accept_word("remote"), is_caller)

    def _engine(self) -> Engine:
        reader = self._reader
        name = reader.string()
        reader.word("reaches")
        reaches = [reader.string()]
        while reader.accept(","):
            reaches.append(reader.string())
        is_fifo = not reader.accept_word("unordered")
        depth = reader.integer() if reader.accept_word("depth") else None
        reader.word("align")
        alignment = reader.integer()
        lengths = reader.integer() if reader.accept_word("lengths") else 1
        return Engine(name, tuple(reaches), is_fifo, depth, alignment, lengths)

    def _buffer(self) -> None:
        """`buffer %x: i8[4] in "m" at 0`, which is a view, too; or `buffer %x: 4 bytes in "m" at 0`."""
        reader = self._reader
        name = reader.name()
        reader.punctuation(":")
        if reader.at_number():
            size = reader.integer()
            reader.word("bytes")
        else:
            type_ = reader.tensor_type()
            size = type_.size_bytes
            self._views.append(View(name, type_, name))
        reader.word("in")
        memory = reader.string()
        offset = reader.integer() if reader.accept_word("at") else None
        self._buffers.append(Buffer(name, size, memory, offset))

    def _view(self) -> View:
        reader = self._reader
        name = reader.name()
        reader.punctuation(":")
        type_ = reader.tensor_type()
        reader.word("of")
        buffer = reader.name()
        start = reader.expression() if reader.accept_word("start") else ZERO
        strides = tuple(reader.integers()) if reader.accept_word("strides") else None
        ring = self._ring() if reader.accept_word("ring") else None
        layout = reader.string() if reader.accept_word("layout") else ""
        within = self._within() if reader.accept_word("from") else None
        return View(name, type_, buffer, start, strides, ring, layout, within)

    def _within(self) -> Within:
        reader = self._reader
        begin = tuple(reader.integers())
        reader.word("of")
        return Within(tuple(reader.integers()), begin)

    def _ring(self) -> Ring:
        reader = self._reader
        reader.word("axis")
        axis = reader.integer()
        reader.word("of")
        lines = reader.integer()
        return Ring(axis, lines, reader.expression() if reader.accept_word("at") else ZERO)

    def _constant(self) -> ConstantBuffer:
        reader = self._reader
        name = reader.name()
        reader.punctuation(":")
        type_ = reader.tensor_type()
        layout = reader.string() if reader.accept_word("layout") else ""
        memory = reader.string() if reader.accept_word("in") else ""
        reader.punctuation("=")
        return ConstantBuffer(name, type_, reader.data(type_), layout, memory)

    def _table(self) -> ConstantTable:
        """`table %w = %w0, %w1 at 2*i`."""
        reader = self._reader
        name = reader.name()
        reader.punctuation("=")
        members = [reader.name()]
        while reader.accept(","):
            members.append(reader.name())
        reader.word("at")
        return ConstantTable(name, reader.expression(), tuple(members))

    def _step(self, keyword: str, depth: int) -> Step:
        reader = self._reader
        match keyword:
            case "call":
                return self._call()
            case "copy":
                return self._copy()
            case "fill":
                destination = reader.name()
                reader.word("with")
                return Fill(destination, reader.integer(), self._guard())
            case "wait":
                return Wait(reader.expression(), self._guard())
            case _:
                return self._loop(depth)

    def _loop(self, depth: int) -> Loop:
        reader = self._reader
        token = reader.token
        counter = reader.identifier("a counter")
        if depth == _MAX_DEPTH or counter == "table":
            raise reader.error_at(
                token,
                f"at most {_MAX_DEPTH} loops in one another, none of a counter 'table'",
                counter,
            )
        reader.word("of")
        count = reader.integer()
        reader.punctuation("{")
        body: list[Step] = []
        while not reader.accept("}"):
            body.append(self._step(reader.keyword(*_STEPS), depth + 1))
        return Loop(counter, count, tuple(body))

    def _copy(self) -> Copy:
        reader = self._reader
        source = reader.name()
        reader.arrow()
        destination = reader.name()
        engine, token = self._engine_and_token()
        return Copy(source, destination, engine, token, self._guard())

    def _call(self) -> Call:
        reader = self._reader
        name = reader.string()
        reader.word("kernel")
        kernel = reader.string()
        options = self._options()
        reader.punctuation(":")
        outputs = [reader.name()]
        while reader.accept(","):
            outputs.append(reader.name())
        reader.punctuation("=")
        operator, inputs = self._computation()
        scratch = reader.name() if reader.accept_word("scratch") else None
        reads, held = self._reads() if reader.accept_word("reads") else ((), ())
        over = self._overlaps(inputs)
        reason = reader.string() if reader.accept_word("reason") else ""
        engine, token = self._engine_and_token()
        guard = self._guard()
        location = parse_location(reader)
        return Call(
            name,
            kernel,
            operator,
            inputs,
            tuple(outputs),
            scratch,
            reason,
            engine,
            token,
            guard,
            location,
            reads,
            over,
            options,
            held,
        )

    def _options(self) -> tuple[Option, ...]:
        """`{cores=8, strip=4}`, or nothing; in any order, kept by name."""
        reader = self._reader
        found: dict[str, Option] = {}
        if reader.accept("{"):
            while not reader.accept("}"):
                token = reader.token
                name = reader.identifier("the name of an option")
                if name in found:
                    raise reader.error_at(token, "each option once", repr(name))
                reader.punctuation("=")
                is_number = reader.at_number()
                value = reader.integer() if is_number else reader.identifier("a number or word")
                found[name] = Option(name, value)
                if not reader.at("}"):
                    reader.punctuation(",")
        return tuple(found[name] for name in sorted(found))

    def _computation(self) -> tuple[Operator, tuple[str | None, ...]]:
        """`conv2d(%x, %w, none)`, or a chain: `mul(%x, %y) as f32[4] then add(_, %z)`."""
        reader = self._reader
        first, inputs = parse_application(reader, reader.name)
        operands, links = [*inputs], list[Link]()
        while reader.accept_word("as"):
            taken = reader.tensor_type()
            reader.word("then")
            link, own = self._link(taken)
            links.append(link)
            operands += own
        if not links:
            return first, inputs
        return Chain(first, len(inputs), tuple(links)), tuple(operands)

    def _link(self, taken: TensorType) -> tuple[Link, list[str | None]]:
        """`add(_, %z)`, and the operands that are no result before it."""
        reader = self._reader
        token = reader.token

        def operand() -> str | _Passed:
            return _Passed.ON if reader.accept_word(PASSED_ON) else reader.name()

        operator, operands = parse_application(reader, operand)
        own = [name for name in operands if not isinstance(name, _Passed)]
        if len(own) != len(operands) - 1:
            raise reader.error_at(
                token,
                f"one operand {PASSED_ON} of {operator.title}, the result before it",
                str(len(operands) - len(own)),
            )
        return Link(operator, taken, len(operands), operands.index(_Passed.ON)), own

    def _reads(self) -> tuple[tuple[str, ...], tuple[Held, ...]]:
        """`%bias, %weights in %copy`."""
        names: list[str] = []
        held: list[Held] = []
        while not names or self._reader.accept(","):
            names.append(self._reader.name())
            if self._reader.accept_word("in"):
                held.append(Held(names[-1], self._reader.name()))
        return tuple(names), tuple(held)

    def _overlaps(self, inputs: tuple[str | None, ...]) -> tuple[Overlap, ...]:
        """An operand that stands several times among the inputs is meant by them in turn."""
        reader = self._reader
        left = list(enumerate(inputs))
        found: list[Overlap] = []
        while reader.accept_word("over"):
            token = reader.token
            name = reader.name()
            match = next((entry for entry in left if entry[1] == name), None)
            if match is None:
                raise reader.error_at(token, "an operand of the call, each once", name)
            left.remove(match)
            at_most = self._integer_after("up", "to")
            exactly: list[int] = []
            while (distance := self._integer_after("at")) is not None:
                exactly.append(distance)
            at_least = self._integer_after("from")
            found.append(Overlap(match[0], at_most, at_least, tuple(exactly)))
        return tuple(found)

    def _integer_after(self, first: str, *words: str) -> int | None:
        if not self._reader.accept_word(first):
            return None
        for word in words:
            self._reader.word(word)
        return self._reader.integer()

    def _engine_and_token(self) -> tuple[str | None, Expression | None]:
        reader = self._reader
        engine = reader.string() if reader.accept_word("on") else None
        token = reader.expression() if reader.accept_word("token") else None
        return engine, token

    def _guard(self) -> Guard | None:
        reader = self._reader
        if not reader.accept_word("when"):
            return None
        counter = reader.identifier("a counter")
        reader.word("from")
        begin = reader.integer()
        reader.word("below")
        return Guard(counter, begin, reader.integer())


__all__ = ["parse_program", "read_program"]
