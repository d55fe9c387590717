"""Each rule of a Program, broken once."""

import pytest
from tinsmith_ir import GraphError, parse_program

PROGRAM = """program "p" for "t" {
  memory "m" size 64 align 4
  buffer %x: i8[4]<0.5, 0> in "m" at 0
  buffer %y: i8[4]<0.5, 0> in "m" at 16
  buffer %z: i8[2,2]<0.5, 0> in "m" at 16 alias %y
  buffer %s: i32[4] in "m" at 32
  const %c: i8[4]<0.5, 0> = [1, 2, 3, 4]
  const %d: i8[4]<0.5, 0> = [1, 2, 3, 4]
  const %p: i8[4]<0.5, 0> layout "packed" = [4, 3, 2, 1]
  input %x
  call "a" kernel "k": %y = add(%x, %c) scratch %s reads %c, %p loc("model", "op 7")
  dma %z -> %x token 1
  barrier 1
  output %x
}
"""


def test_the_program_is_valid_as_it_stands() -> None:
    parse_program(PROGRAM)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("align 4", "align 6", "alignment 6"),
        ("size 64", "size 0", "0 bytes"),
        ("size 64", "size 40", "%s ends at 48, memory 'm' has 40 bytes"),
        ('in "m" at 0', 'in "n" at 0', "%x is in 'n'"),
        ("at 32", "at 30", "%s is at offset 30"),
        ("at 0", "at -4", "%x is at offset -4"),
        ("at 32", "at 9223372036854775808", "%s ends at 9223372036854775824, beyond"),
        ("buffer %s", "buffer %c", "'c'"),
        ("alias %y", "alias %c", "%z is an alias of %c"),
        ("alias %y", "alias %z", "%z is an alias of %z"),
        ("at 16 alias", "at 20 alias", "%z lies elsewhere than %y"),
        ("i8[2,2]", "i8[2,3]", "%z lies elsewhere than %y"),
        ("add(%x, %c)", "add(%x, %e)", "%e in"),
        ("reads %c, %p", "reads %e", "%e is read in"),
        ("reads %c, %p", "reads %x", "%x is read in"),
        ("reads %c, %p", "reads %d", "%d, an operand of others, is read in"),
        ("add(%x, %c)", "add(%x, %p)", "%p, arranged for a kernel, is an operand in"),
        ("%y = add", "%c = add", "%c in"),
        ("scratch %s", "scratch %t", "%t in"),
        ("output %x", "output %c", "%c among the program's inputs and outputs"),
        ("add(%x, %c)", "add(%x)", "expected operand 'rhs'"),
        ("add(%x, %c)", "add(%x, %s)", "model: op 7"),
        ("dma %z -> %x", "dma %s -> %x", "16 to 4 bytes"),
        ("barrier 1", "", "no barrier after dma %z -> %x token 1"),
        ("barrier 1", "barrier 1 barrier 1", "no copy before barrier 1"),
    ],
)
def test_a_broken_program_is_refused(old: str, new: str, message: str) -> None:
    assert PROGRAM.count(old) >= 1
    with pytest.raises(GraphError, match=message.replace("(", r"\(")):
        parse_program(PROGRAM.replace(old, new, 1))


def test_a_call_may_not_be_named_twice() -> None:
    call = '  call "a" kernel "k": %y = relu(%x)\n'
    with pytest.raises(GraphError, match="call 'a'"):
        parse_program(PROGRAM.replace("  dma", call + "  dma"))
