"""Reads the text of `printer.py` back: `parse_graph` and `parse_program`. Grammar: README.md.

Text that is not grammatical gives ParseError with line and column; a graph or program that breaks a
rule of the IR gives the GraphError of the verifier.
"""

from collections.abc import Callable
from typing import TypeVar

from tinsmith_ir.checked import checked
from tinsmith_ir.escape import print_name
from tinsmith_ir.graph import Constant, Graph, Location, Node, Value
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.program import (
    Barrier,
    Buffer,
    ConstantBuffer,
    DmaCopy,
    KernelCall,
    Memory,
    Program,
    Step,
)
from tinsmith_ir.reader import Reader
from tinsmith_ir.verify import verify_graph, verify_program

_Operand = TypeVar("_Operand", Value, str)


@checked
def parse_graph(text: str) -> Graph:
    """The graph that `print_graph` wrote, or a person; verified.

    Raises ParseError, or GraphError when it breaks a rule.
    """
    graph = _GraphParser(Reader(text)).parse()
    verify_graph(graph)
    return graph


@checked
def parse_program(text: str) -> Program:
    """The program that `print_program` wrote, or a person; verified.

    Raises ParseError, or GraphError when it breaks a rule.
    """
    program = _ProgramParser(Reader(text)).parse()
    verify_program(program)
    return program


class _GraphParser:
    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._values: dict[str, Value] = {}
        self._inputs: list[Value] = []
        self._constants: list[Constant] = []
        self._nodes: list[Node] = []
        self._outputs: list[Value] = []

    def parse(self) -> Graph:
        reader = self._reader
        reader.word("graph")
        name = reader.string()
        reader.punctuation("{")
        while not reader.accept("}"):
            self._statement()
        reader.end()
        return Graph(
            name,
            tuple(self._inputs),
            tuple(self._outputs),
            tuple(self._nodes),
            tuple(self._constants),
        )

    def _statement(self) -> None:
        reader = self._reader
        if reader.at_name():
            self._nodes.append(self._node())
            return
        match reader.keyword("input", "const", "output"):
            case "input":
                self._inputs.append(self._definition())
            case "const":
                value = self._definition()
                reader.punctuation("=")
                self._constants.append(Constant(value, reader.data(value.type)))
            case _:
                self._outputs.append(self._read())

    def _node(self) -> Node:
        reader = self._reader
        results = [self._definition()]
        while reader.accept(","):
            results.append(self._definition())
        reader.punctuation("=")
        operator, inputs = _application(reader, self._read)
        return Node(operator, inputs, tuple(results), _location(reader))

    def _definition(self) -> Value:
        """A name that is new, and its type."""
        reader = self._reader
        token = reader.token
        name = reader.name()
        if name in self._values:
            raise reader.error_at(token, "a new name", f"{print_name(name)} again")
        reader.punctuation(":")
        self._values[name] = Value(name, reader.tensor_type())
        return self._values[name]

    def _read(self) -> Value:
        """A name that was defined before."""
        token = self._reader.token
        name = self._reader.name()
        if name not in self._values:
            raise self._reader.error_at(token, "a value defined above", print_name(name))
        return self._values[name]


class _ProgramParser:
    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._memories: list[Memory] = []
        self._buffers: list[Buffer] = []
        self._constants: list[ConstantBuffer] = []
        self._steps: list[Step] = []
        self._inputs: list[str] = []
        self._outputs: list[str] = []

    def parse(self) -> Program:
        reader = self._reader
        reader.word("program")
        name = reader.string()
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
            constants=tuple(self._constants),
            steps=tuple(self._steps),
            inputs=tuple(self._inputs),
            outputs=tuple(self._outputs),
        )

    def _statement(self) -> None:
        reader = self._reader
        words = ("memory", "buffer", "const", "input", "output", "call", "dma", "barrier")
        match reader.keyword(*words):
            case "memory":
                self._memories.append(self._memory())
            case "buffer":
                self._buffers.append(self._buffer())
            case "const":
                self._constants.append(self._constant())
            case "input":
                self._inputs.append(reader.name())
            case "output":
                self._outputs.append(reader.name())
            case "call":
                self._steps.append(self._call())
            case "dma":
                self._steps.append(self._dma())
            case _:
                self._steps.append(Barrier(reader.integer()))

    def _memory(self) -> Memory:
        reader = self._reader
        name = reader.string()
        size = reader.integer() if reader.accept_word("size") else None
        reader.word("align")
        return Memory(name, size, reader.integer())

    def _buffer(self) -> Buffer:
        reader = self._reader
        name = reader.name()
        reader.punctuation(":")
        type_ = reader.tensor_type()
        reader.word("in")
        memory = reader.string()
        offset = reader.integer() if reader.accept_word("at") else None
        alias = reader.name() if reader.accept_word("alias") else None
        return Buffer(name, type_, memory, offset, alias)

    def _constant(self) -> ConstantBuffer:
        reader = self._reader
        name = reader.name()
        reader.punctuation(":")
        type_ = reader.tensor_type()
        layout = reader.string() if reader.accept_word("layout") else ""
        reader.punctuation("=")
        return ConstantBuffer(name, type_, reader.data(type_), layout)

    def _dma(self) -> DmaCopy:
        reader = self._reader
        source = reader.name()
        reader.arrow()
        destination = reader.name()
        reader.word("token")
        return DmaCopy(source, destination, reader.integer())

    def _call(self) -> KernelCall:
        reader = self._reader
        name = reader.string()
        reader.word("kernel")
        kernel = reader.string()
        reader.punctuation(":")
        outputs = [reader.name()]
        while reader.accept(","):
            outputs.append(reader.name())
        reader.punctuation("=")
        operator, inputs = _application(reader, reader.name)
        scratch = reader.name() if reader.accept_word("scratch") else None
        reads = self._reads() if reader.accept_word("reads") else ()
        reason = reader.string() if reader.accept_word("reason") else ""
        location = _location(reader)
        return KernelCall(
            name, kernel, operator, inputs, tuple(outputs), scratch, reason, location, reads
        )

    def _reads(self) -> tuple[str, ...]:
        names = [self._reader.name()]
        while self._reader.accept(","):
            names.append(self._reader.name())
        return tuple(names)


def _application(
    reader: Reader, operand: Callable[[], _Operand]
) -> tuple[Operator, tuple[_Operand | None, ...]]:
    """`conv2d(%x, %w, none) {stride=[2,2]}`, each operand read by `operand`."""
    operator_class = reader.operator_class()
    operands: list[_Operand | None] = []
    reader.punctuation("(")
    while not reader.accept(")"):
        operands.append(None if reader.accept_word("none") else operand())
        if not reader.at(")"):
            reader.punctuation(",")
    return reader.attributes(operator_class), tuple(operands)


def _location(reader: Reader) -> Location:
    if not reader.accept_word("loc"):
        return Location()
    reader.punctuation("(")
    source = reader.string()
    reader.punctuation(",")
    name = reader.string()
    reader.punctuation(")")
    return Location(source, name)


__all__ = ["parse_graph", "parse_program"]
