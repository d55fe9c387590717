"""Reads the text of `printer.py` back. Grammar: README.md.

Text that is not grammatical gives ParseError with line and column; a graph that breaks a rule of the IR gives the
GraphError of the verifier.
"""

from collections.abc import Callable
from typing import TypeVar

from tinsmith_ir.checked import checked
from tinsmith_ir.escape import print_name
from tinsmith_ir.graph import Array, Constant, Graph, Location, Node, State, Value
from tinsmith_ir.lexer import Token
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.reader import Reader
from tinsmith_ir.verify import verify_graph

_Operand = TypeVar("_Operand")


@checked
def parse_graph(text: str) -> Graph:
    """The graph that `print_graph` wrote, or a person; verified.

    Raises ParseError, or GraphError when it breaks a rule.
    """
    graph = _GraphParser(Reader(text)).parse()
    verify_graph(graph)
    return graph


class _GraphParser:
    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._values: dict[str, Value] = {}
        self._inputs: list[Value] = []
        self._constants: list[Constant] = []
        self._nodes: list[Node] = []
        self._outputs: list[Value] = []
        self._states: list[tuple[Value, Array, Token, str]] = []

    def parse(self) -> Graph:
        reader = self._reader
        name = reader.head("graph")
        reader.punctuation("{")
        while not reader.accept("}"):
            self._statement()
        reader.end()
        # What a state is next is defined below it.
        states = [
            State(value, initial, self._defined(token, name))
            for value, initial, token, name in self._states
        ]
        return Graph(
            name,
            tuple(self._inputs),
            tuple(self._outputs),
            tuple(self._nodes),
            tuple(self._constants),
            tuple(states),
        )

    def _statement(self) -> None:
        reader = self._reader
        if reader.at_name():
            self._nodes.append(self._node())
            return
        match reader.keyword("input", "state", "const", "output"):
            case "input":
                self._inputs.append(self._definition())
            case "state":
                value = self._definition()
                reader.punctuation("=")
                initial = reader.data(value.type)
                reader.keyword("next")
                self._states.append((value, initial, reader.token, reader.name()))
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
        operator, inputs = parse_application(reader, self._read)
        engine = reader.string() if reader.accept_word("on") else ""
        return Node(operator, inputs, tuple(results), parse_location(reader), engine)

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
        return self._defined(self._reader.token, self._reader.name())

    def _defined(self, token: Token, name: str) -> Value:
        if name not in self._values:
            raise self._reader.error_at(token, "a value defined above", print_name(name))
        return self._values[name]


def parse_application(
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


def parse_location(reader: Reader) -> Location:
    """`loc("a.tflite", "op 3")`, or nothing."""
    if not reader.accept_word("loc"):
        return Location()
    reader.punctuation("(")
    source = reader.string()
    reader.punctuation(",")
    name = reader.string()
    reader.punctuation(")")
    return Location(source, name)


__all__ = ["parse_application", "parse_graph", "parse_location"]
