"""Whatever text comes in, the parser answers with an error of its own, with line and column."""

import random
import re

import pytest
from tinsmith_ir import (
    GraphError,
    ParseError,
    TinsmithError,
    evaluate_graph,
    parse_graph,
    parse_program,
    print_graph,
)
from tinsmith_ir.testing import random_graph, random_inputs

HEAD = 'graph 2 "g" {\n  input %x: f32[2]\n  '


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "line 1, column 1", "'graph'"),
        ("graph 2 g {", "line 1, column 9", "a string"),
        ('graph "g"', "line 1, column 7", "version 1: write the file again"),
        ('graph 3 "g" {', "line 1, column 7", "expected version 2"),
        ('graph 2 "g" {', "line 1, column 14", "'input' or 'state' or 'const' or 'output'"),
        (HEAD + "output %y }", "line 3, column 10", "a value defined above"),
        (HEAD + "%x: f32[2] = relu(%x) }", "line 3, column 3", "a new name"),
        (HEAD + "%y: f64[2] = relu(%x) }", "line 3, column 7", "'i8' or"),
        (HEAD + "%y: f32[0] = relu(%x) }", "line 3, column 10", "at least 1"),
        (HEAD + "%y: f32[2.5] = relu(%x) }", "line 3, column 11", "an integer"),
        (
            HEAD + "%y: f32[2] = sinn(%x) }",
            "line 3, column 16",
            "an operator, such as sin or sinh or sign",
        ),
        (HEAD + "%y: f32[2] = qq(%x) }", "line 3, column 16", "an operator, got 'qq'"),
        (HEAD + "%y: f32[2] = relu(%x) {alpha=1} }", "line 3, column 26", "'alpha'"),
        (HEAD + "%y: f32[2] = softmax(%x) {beta=x} }", "line 3, column 34", "a number"),
        (HEAD + "%y: f32[2] = softmax(%x) {beta=1.0, beta=1.0} }", "column 39", "once"),
        (HEAD + "%y: f32[2] = add(%x, %x) {activation=tanh} }", "column 40", "'relu6'"),
        (HEAD + "%y: f32[2] = max_pool2d(%x) {window=[1]} }", "column 39", "2 integers"),
        (HEAD + "%y: f32[2] = mean(%x) {keep_dims=1} }", "column 36", "'true' or 'false'"),
        (HEAD + "const %c: i8[1]<nan, 0> = [1] }", "line 3, column 18", "scales that are finite"),
        (HEAD + "const %c: i8[1]<[1.0], [0, 0]> = [1] }", "line 3, column 18", "zero points"),
        (HEAD + "const %c: i8[2] = [1] }", "line 3, column 21", "2 elements"),
        (HEAD + "const %c: i8[1] = [300] }", "line 3, column 21", "elements of i8"),
        (HEAD + 'const %c: i8[3] = base64 "AAAA AAA" }', "line 3, column 28", "base64"),
        (HEAD + 'const %c: i8[4] = base64 "AAAA" }', "line 3, column 28", "4 bytes"),
        (HEAD + 'const %c: bool[3] = base64 "AgEA" }', "line 3, column 30", "bool"),
        (HEAD + "const %c: i8[" + "9" * 5000 + "] = [] }", "line 3, column 16", "an integer"),
        (HEAD + "const %c: i8[" + "1," * 40 + "1] = [1] }", "column 15", "16 dimensions"),
        (HEAD + "output %x } x", "line 3, column 15", "the end of the text"),
        (HEAD + "output %x ? }", "line 3, column 13", "a token"),
        (HEAD + 'output %"x', "line 3, column 10", "a token"),
        (HEAD + 'output %"\\q" }', "line 3, column 10", "a string"),
    ],
)
def test_errors_say_where_and_what(text: str, place: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_graph(text)
    assert place in str(caught.value)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 500


def test_a_graph_that_breaks_a_rule_is_a_graph_error() -> None:
    with pytest.raises(GraphError, match="2 GiB"):
        parse_graph('graph 2 "g" { input %x: f32[99999,99999] output %x }')


def _mutated(text: str, generator: random.Random) -> str:
    """A few characters dropped, doubled, exchanged or put in, or a token moved."""
    characters = list(text)
    for _ in range(generator.randint(1, 2)):
        at = generator.randrange(len(characters))
        match generator.randrange(4):
            case 0:
                del characters[at : at + generator.randint(1, 20)]
            case 1:
                characters[at:at] = characters[at : at + generator.randint(1, 30)]
            case 2:
                characters[at] = generator.choice('0129-.e%"[]{}<>,:= \n\\x\u00e9\x00')
            case _:
                words = ["-1", "99999999999", "nan", "none", "[]", "axis 7", "true", '""', "%x"]
                characters[at:at] = list(generator.choice(words))
    return "".join(characters)


def test_mutated_graphs_parse_or_fail_cleanly() -> None:
    generator = random.Random(7)
    texts = [print_graph(random_graph(seed, nodes=3)) for seed in range(40)]
    messages: list[str] = []
    parsed = 0
    for round_ in range(1200):
        text = _mutated(texts[round_ % len(texts)], generator)
        try:
            parse_graph(text)
            parsed += 1
        except ParseError as error:
            messages.append(str(error))
        except TinsmithError:
            continue
    assert parsed > 20
    assert len(messages) > 500
    assert all(re.match(r"line \d+, column \d+: expected ", message) for message in messages)


PROGRAM = """program 2 "p" for "t" {
  memory "m" size 64 align 4
  buffer %x: i8[4]<0.5, 0> in "m" at 0
  buffer %y: i8[4]<0.5, 0> in "m" at 16
  engine "dma" reaches "m" align 1
  view %z: i8[4]<0.5, 0> of %y start 4*((i+1) mod 2)-4*i strides [1]
  const %c: i8[4]<0.5, 0> = [1, 2, 3, 4]
  input %x
  call "a" kernel "k": %y = add(%x, %c) reason "r" loc("f", "n")
  loop i of 1 {
    copy %x -> %y on "dma" token table(i: 3) when i from 0 below 1
    wait 3
  }
  output %x
}
"""


def test_mutated_programs_parse_or_fail_cleanly() -> None:
    generator = random.Random(8)
    parse_program(PROGRAM)
    for _ in range(1200):
        text = _mutated(PROGRAM, generator)
        try:
            parse_program(text)
        except TinsmithError:
            continue


def test_what_the_verifier_lets_pass_can_be_evaluated() -> None:
    """Scales from the whole of float32, in place of those of random networks."""
    generator = random.Random(9)
    evaluated = 0
    for seed in range(150):
        text = print_graph(random_graph(seed, nodes=3))
        scales = sorted(set(re.findall(r"<([0-9.e-]+), ", text)))
        for scale in generator.sample(scales, min(2, len(scales))):
            text = text.replace(f"<{scale}, ", f"<{10 ** generator.uniform(-40, 38)!r}, ")
        try:
            graph = parse_graph(text)
        except TinsmithError:
            continue
        evaluate_graph(graph, random_inputs(graph, seed=seed))
        evaluated += 1
    assert evaluated > 30
