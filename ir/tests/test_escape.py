"""Names of any characters: what is shown of them, and that the text form keeps them."""

import re
import sys
import unicodedata
from collections.abc import Iterator

import pytest
from tinsmith_ir import (
    Call,
    Copy,
    DType,
    Engine,
    Expression,
    Graph,
    Location,
    Memory,
    Node,
    Program,
    Relu,
    TensorType,
    TinsmithError,
    Value,
    Wait,
    parse_graph,
    parse_program,
    print_graph,
    print_program,
    tensor,
)
from tinsmith_ir.escape import c_comment_text, visible, visible_lines

TYPE = TensorType((1,), DType.FLOAT32)


def hostile_characters() -> Iterator[str]:
    """Every byte value, and the first and last character of every category of Unicode."""
    yield from map(chr, range(256))
    categories: dict[str, list[str]] = {}
    for number in range(sys.maxunicode + 1):
        categories.setdefault(unicodedata.category(chr(number)), []).append(chr(number))
    for characters in categories.values():
        yield from (characters[0], characters[-1])
    yield from "\u2028\u2029\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"


EVERYTHING = " ".join(map(chr, range(sys.maxunicode + 1)))
NAMES = [f"a{character}b" for character in dict.fromkeys(hostile_characters())]


def test_what_is_shown_is_printable_and_one_line() -> None:
    assert visible(EVERYTHING).isprintable()
    assert visible("Größe 長さ") == "Größe 長さ"
    assert visible("a\r\x1b[2J\u202eb\U000e0001") == "a\\x0d\\x1b[2J\\u202eb\\U000e0001"
    assert visible_lines("a\n\tb\r") == "a\n\tb\\x0d"


def test_text_for_a_comment_of_c_is_inactive_ascii() -> None:
    text = c_comment_text(EVERYTHING)
    assert text.isascii()
    assert text.isprintable()
    assert re.search(r"\\(?!x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})", text) is None
    assert c_comment_text("x??/ */ /*/ \\") == "x?\\x3f/ *\\x2f /\\x2a\\x2f \\x5c"
    assert c_comment_text("plain: a/b * c? [1, 2]") == "plain: a/b * c? [1, 2]"


def graph(names: list[str]) -> Graph:
    """Each name at every place of a graph: its own, an input's, a result's, a location's."""
    inputs = tuple(Value(name, TYPE) for name in names)
    nodes = tuple(
        Node(
            Relu(), (value,), (Value(f"{value.name} out", TYPE),), Location(value.name, value.name)
        )
        for value in inputs
    )
    return Graph("".join(names), inputs, tuple(node.outputs[0] for node in nodes), nodes)


def test_names_of_a_graph_survive_its_text() -> None:
    built = graph(NAMES)
    text = print_graph(built)
    again = parse_graph(text)
    assert text.isascii()
    assert all(line.isprintable() for line in text.split("\n"))
    assert (again.name, again.inputs, again.outputs) == (built.name, built.inputs, built.outputs)
    assert again.nodes == built.nodes
    assert [node.location for node in again.nodes] == [node.location for node in built.nodes]


def test_names_of_a_program_survive_its_text() -> None:
    built = [program(name) for name in NAMES]
    texts = [print_program(one) for one in built]
    again = [parse_program(text) for text in texts]
    assert all(text.isascii() for text in texts)
    assert all(line.isprintable() for text in texts for line in text.split("\n"))
    for one, other in zip(built, again, strict=True):
        assert (one.name, one.target, one.inputs) == (other.name, other.target, other.inputs)
        assert (one.memories, one.engines) == (other.memories, other.engines)
        assert (one.buffers, one.views, one.steps) == (other.buffers, other.views, other.steps)


def program(name: str) -> Program:
    """A copy and a call, with `name` at every place that has one."""
    call = Call(name, name, Relu(), (f"{name} copy",), (f"{name} out",), None, name)
    tensors = [tensor(f"{name}{suffix}", TYPE, name) for suffix in ("", " copy", " out")]
    buffers, views = zip(*tensors, strict=True)
    token = Expression(0)
    return Program(
        name,
        name,
        (Memory(name),),
        buffers,
        views,
        (),
        (Copy(name, f"{name} copy", name, token), Wait(token), call),
        (name,),
        (f"{name} out",),
        (Engine(name, (name,)),),
    )


@pytest.mark.parametrize("character", ["\r", "\x1b", "\x00", "\x85", "\u202e", "\udc80"])
def test_messages_cannot_command_a_terminal(character: str) -> None:
    assert character not in str(TinsmithError(f"a{character}b"))
    assert character not in str(Location(f"a{character}b", character))
    with pytest.raises(TinsmithError) as caught:
        parse_graph(f'graph 2 "g" {{ input %"a{character}": i8[1] input %"a{character}": i8[1] }}')
    assert character not in str(caught.value)


def test_a_name_stays_on_one_line_of_a_message() -> None:
    assert str(Location("a\nb", "c\nd")) == "a\\x0ab: c\\x0ad"


def test_an_endless_line_of_a_message_loses_its_middle_and_the_others_stay() -> None:
    text = "a\nb" + "c" * 10**6 + "d\ne"
    first, second, third = str(TinsmithError(text)).split("\n")
    assert (first, third) == ("a", "e")
    assert second == "b" + "c" * 999 + " ... " + "c" * 999 + "d"
