"""Wrong Programs, each broken in one place, and what the verifier says of them."""

import re
from dataclasses import replace

import pytest
from tinsmith_ir import GraphError, parse_program, verify_program

PROGRAM = """program 2 "p" for "t" {
  memory "m" size 128 align 4
  memory "far" size 64 align 4 remote
  memory "flash" align 4
  engine "dma" reaches "m", "far" depth 2 align 4
  buffer %x: i8[4]<0.5, 0> in "m" at 0
  buffer %y: i8[4]<0.5, 0> in "m" at 16
  view %z: i8[2,2]<0.5, 0> of %y
  buffer %s: i32[4] in "m" at 32
  buffer %f: i8[2,2]<0.5, 0> in "far" at 0
  buffer %lines: 64 bytes in "m" at 64
  view %part: i8[2,2]<0.5, 0> of %lines start 2 strides [8,1]
  view %ring: i8[2,4]<0.5, 0> of %lines ring axis 0 of 3 at i
  view %slice: i8[4]<0.5, 0> of %lines start 4*i+12
  const %c: i8[4]<0.5, 0> = [1, 2, 3, 4]
  const %d: i8[4]<0.5, 0> = [1, 2, 3, 4]
  const %e: i8[4]<0.5, 0> in "far" = [1, 2, 3, 4]
  const %p: i8[4]<0.5, 0> layout "packed" in "flash" = [4, 3, 2, 1]
  input %x
  call "a" kernel "k": %y = add(%x, %c) scratch %s reads %c, %p loc("model", "op 7")
  copy %z -> %f on "dma" token 1
  wait 1
  fill %part with -3
  fill %ring with 7
  loop i of 3 {
    copy %c -> %slice on "dma" token i mod 2
    wait i mod 2 when i from 0 below 3
    copy %slice -> %x
  }
  output %x
}
"""


def test_the_program_is_valid_but_for_a_counter_outside_of_its_loop() -> None:
    parse_program(PROGRAM.replace("  fill %ring with 7\n", ""))
    with pytest.raises(GraphError, match="counter i is read outside of its loop"):
        parse_program(PROGRAM)


def test_views_of_a_remote_memory_are_remote() -> None:
    program = parse_program(PROGRAM.replace("  fill %ring with 7\n", ""))
    assert [view.name for view in program.views if program.is_remote(view.name)] == ["f"]


WRONG = [
    ("align 4", "align 6", "alignment 6"),
    ("size 128", "size 0", "0 bytes"),
    ("size 128", "size 40", "%s ends at 48, memory 'm' has 40 bytes"),
    ('in "m" at 0', 'in "n" at 0', "%x is in 'n'"),
    ("at 32", "at 30", "elements are aligned to their size: offset 30 of %s"),
    ("at 0", "at -4", "%x is at offset -4"),
    ('"m" at 64', '"m" at 9223372036854775808', "%lines ends at 9223372036854775872, beyond"),
    ("buffer %s", "buffer %c", "'c'"),
    ("64 bytes", "0 bytes", "%lines has 0 bytes"),
    ("of %y", "of %c", "%z lies on %c, which is no buffer"),
    ("of %y", "of %y start 2", "bytes 2 to 5 of the 4 of %y"),
    ("strides [8,1]", "strides [60,1]", "bytes 2 to 63 of the 64|bytes 2 to 63"),
    ("strides [8,1]", "strides [70,1]", "bytes 2 to 73 of the 64 of %lines"),
    ("strides [8,1]", "strides [8]", "expected 2 strides"),
    ("strides [8,1]", "strides [8,-1]", "strides of at least 0"),
    ("strides [8,1]", "strides [1,1]", "elements that are written share no byte"),
    ("start 2 strides", "start -2 strides", "bytes -2 to"),
    ("axis 0 of 3", "axis 2 of 3", "expected an axis below 2"),
    ("axis 0 of 3", "axis 0 of 0", "at least 1 line"),
    ("axis 0 of 3 at i", "axis 0 of 1", "elements that are written share no byte"),
    ("axis 0 of 3 at i", "axis 0 of 30 at 15", "bytes 60 to 67 of the 64 of %lines"),
    ("4*i+12", "4*i+56", "slice@i=2"),
    ("4*i+12", "table(i: 0, 4)", "a table of 2 entries has none for iteration 2 of loop i"),
    ("4*i+12", "4*j", "counter j is read outside"),
    ("loop i of 3", "loop i of 0", "loop i runs 0 times"),
    ("loop i of 3", "loop i of 99999999", "at most 262144 are analysed"),
    ("add(%x, %c)", "add(%x, %g)", "%g in"),
    ("reads %c, %p", "reads %g", "%g is read in"),
    ("reads %c, %p", "reads %x", "%x is read in"),
    ("reads %c, %p", "reads %d", "%d, an operand of others, is read in"),
    ("add(%x, %c)", "add(%x, %p)", "%p, arranged for a kernel, is an operand in"),
    ("%y = add", "%c = add", "%c in"),
    ("scratch %s", "scratch %t", "%t in"),
    ("output %x", "output %c", "%c among the program's inputs, states and outputs"),
    ("output %x", "output %part", "view %part: i8[2,2]<0.5, 0> of %lines"),
    ("output %x", "output %slice", "start 4*i+12"),
    ("add(%x, %c)", "add(%x)", "expected operand 'rhs'"),
    ("add(%x, %c)", "add(%x, %s)", "model: op 7"),
    ("copy %z", "copy %s", "i32[4] to i8[2,2]<0.5, 0> in\n  copy %s -> %f"),
    ("with -3", "with 128", "128 as i8"),
    ('%f on "dma" token 1', '%f on "npu" token 1', "'npu' is none of ['dma']"),
    ('%f on "dma" token 1', '%f on "dma"', "an engine without a token"),
    ('%f on "dma" token 1', "%f", "the core does not reach 'far', where %f lies"),
    ('reaches "m", "far"', 'reaches "m"', "engine 'dma' does not reach 'far'"),
    (
        "%c: i8[4]<0.5, 0> =",
        '%c: i8[4]<0.5, 0> in "flash" =',
        "engine 'dma' does not reach 'flash', where %c lies",
    ),
    ("copy %slice -> %x", "copy %e -> %x", "the core does not reach 'far', where %e lies"),
    ('reaches "m", "far"', 'reaches "m", "l3"', "reaches 'l3', which is no memory"),
    ("start 4*i+12", "start 4*i+14", 'copies multiples of 4 bytes, not those of %"slice@i=0"'),
    ("  wait 1\n", "", "token 1 is not waited for between\n  copy %z -> %f"),
    ("  wait 1\n", "  wait 1\n  wait 1\n", "nothing was started with the token of\n  wait 1"),
    ("wait i mod 2 when", "wait i mod 2+1 when", "nothing was started with the token of"),
    (
        "from 0 below 3",
        "from 1 below 3",
        'reads what is still being written by\n  copy %c -> %"slice@i=0"',
    ),
    ("from 0 below 3", "from 0 below 2", "reads what is still being written"),
    ("depth 2", "depth 0", "holds 0 steps"),
]


@pytest.mark.parametrize(("old", "new", "message"), WRONG)
def test_a_broken_program_is_refused(old: str, new: str, message: str) -> None:
    valid = PROGRAM.replace("axis 0 of 3 at i", "axis 0 of 3 at 2")
    assert valid.count(old) + PROGRAM.count(old) >= 1
    text = (PROGRAM if "at i" in old and "axis" in old else valid).replace(old, new, 1)
    if message.startswith("bytes 2 to 63 of the 64|"):  # the last place that fits
        parse_program(text)
        return
    wanted = "|".join(re.escape(part) for part in message.split("|"))
    with pytest.raises(GraphError, match=wanted):
        parse_program(text)


RACES = """program 2 "p" for "t" {
  memory "m" align 4
  engine "dma" reaches "m" align 1
  engine "npu" reaches "m" align 1
  buffer %a: f32[4] in "m" at 0
  buffer %b: f32[4] in "m" at 16
  buffer %d: f32[4] in "m" at 32
  buffer %e: f32[4] in "m" at 48
  view %tail: f32[2] of %b start 8
  view %head: f32[2] of %b
  view %d2: f32[2] of %d
  input %a
  copy %a -> %b on "dma" token 1
  {between}
  wait 1
  copy %b -> %e
  output %e
}
"""


@pytest.mark.parametrize(
    ("between", "message"),
    [
        ("copy %b -> %d", "reads what is still being written by\n  copy %a -> %b"),
        ("copy %tail -> %d2", "reads what is still being written by\n  copy %a -> %b"),
        ("fill %head with 0", "fill %head with 0\nwrites what is still being written by"),
        (
            'call "c" kernel "k": %a = relu(%a) over %a up to 0',
            "writes what is still being read by\n  copy %a -> %b",
        ),
        ('call "c" kernel "k": %d = relu(%e) scratch %b', "scratch %b\nwrites what is still"),
        ('call "c" kernel "k": %d = relu(%b) on "npu" token 2 wait 2', "reads what is still being"),
        ('copy %d -> %e on "dma" token 1', "token 1 is not waited for between\n  copy %a -> %b"),
        ('copy %a -> %d on "npu" token 2', "no wait for token 2 after\n  copy %a -> %d"),
        ('copy %d -> %e on "npu" token 2 copy %e -> %d wait 2', "copy %e -> %d\nreads what is"),
    ],
)
def test_a_race_is_refused_and_both_steps_named(between: str, message: str) -> None:
    parse_program(RACES.replace("{between}", ""))
    with pytest.raises(GraphError, match=re.escape(message)):
        parse_program(RACES.replace("{between}", between))


@pytest.mark.parametrize(
    "between",
    [
        "copy %a -> %d",  # both only read
        'copy %b -> %d on "dma" token 2 wait 2',  # in order on a FIFO engine
        'copy %b -> %d on "dma" token 2 wait 2 copy %b -> %e',  # then the first has ended, too
        'copy %d -> %e on "npu" token 2 wait 2',
    ],
)
def test_steps_in_order_do_not_race(between: str) -> None:
    parse_program(RACES.replace("{between}", between))


def test_an_engine_without_an_order_promises_none() -> None:
    text = RACES.replace("{between}", 'copy %b -> %d on "dma" token 2 wait 2')
    with pytest.raises(GraphError, match="reads what is still being written"):
        parse_program(text.replace('reaches "m" align 1', 'reaches "m" unordered align 1', 1))


def test_a_queue_holds_so_many_steps() -> None:
    text = RACES.replace("{between}", 'copy %d -> %e on "dma" token 2 wait 2')
    with pytest.raises(GraphError, match="engine 'dma' holds 1 unfinished"):
        parse_program(text.replace('reaches "m" align 1', 'reaches "m" depth 1 align 1', 1))


def test_a_call_may_not_be_named_twice() -> None:
    call = '  call "a" kernel "k": %y = relu(%x)\n'
    text = PROGRAM.replace("  fill %ring with 7\n", "")
    with pytest.raises(GraphError, match="call 'a'"):
        parse_program(text.replace("  wait 1", call + "  wait 1"))


def test_only_what_is_from_a_sound_program_is_taken_on_trust() -> None:
    sound = parse_program(PROGRAM.replace("  fill %ring with 7\n", ""))
    (call,) = sound.calls[:1]
    view = next(view for view in sound.views if view.name == call.outputs[0])
    other = replace(view, type=replace(view.type, shape=(2, 2)))
    views = tuple(other if found is view else found for found in sound.views)
    wrong = replace(sound, views=views)
    verify_program(sound, verified=sound)
    with pytest.raises(GraphError, match="operands and results are those the operator takes"):
        verify_program(wrong, verified=sound)


ASKED = """program 2 "p" for "t" {
  memory "m" align 4
  memory "theirs" align 1 caller
  buffer %x: i8[8]<0.5, 0> in "theirs" at 0
  buffer %y: i8[4]<0.5, 0> in "m"
  view %first: i8[4]<0.5, 0> of %x
  view %second: i8[4]<0.5, 0> of %x start 4
  input %x
  copy %first -> %y
  copy %second -> %y
  output %y
}
"""


def test_a_caller_hands_over_bytes_in_order() -> None:
    verify_program(parse_program(ASKED))
    assert parse_program(ASKED).memory["theirs"].is_caller


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("copy %first -> %y", "copy %second -> %y", "byte 4 of %x comes after byte 7"),
        ("copy %second -> %y", "copy %y -> %second", "%second is not copied from by the core"),
        ("output %y", "output %x", "%x is a state or an output"),
        ('%y: i8[4]<0.5, 0> in "m"', '%y: i8[4]<0.5, 0> in "theirs" at 8', "%y is no input"),
    ],
)
def test_what_a_caller_cannot_hand_over(old: str, new: str, message: str) -> None:
    with pytest.raises(GraphError, match=re.escape(message)):
        verify_program(parse_program(ASKED.replace(old, new)))
