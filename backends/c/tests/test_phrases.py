"""Steps that are repeated, as functions of their own."""

import re

from tinsmith_c import write
from tinsmith_ir.program_parser import parse_program
from tinsmith_lowering.testing import toys
from tinsmith_target import target

HOST = target("host")
ROW = """
        copy %rows{at} -> %row
        call "{name}.a" kernel "toy_relu": %a = relu(%row)
        call "{name}.b" kernel "toy_relu": %b = relu(%a)
        copy %b -> %sum"""


def source(*rows: str, views: str = "", asked: bool = True) -> str:
    """The C of a program whose steps these are, on rows of floats that the caller hands over, or that the arena has."""
    text = f"""
    program 2 "p" for "host" {{
      memory "arena" align 16
      {'memory "caller" size 256 align 1 caller' if asked else ""}
      buffer %x: f32[64] in "{"caller" if asked else "arena"}" at {0 if asked else 64}
      buffer %row: f32[4] in "arena" at 0
      buffer %a: f32[4] in "arena" at 16
      buffer %b: f32[4] in "arena" at 32
      buffer %sum: f32[4] in "arena" at 48
      {views}
      input %x
      {"".join(rows)}
      output %sum
    }}"""
    return write(parse_program(text), HOST, toys().all)["p.c"].decode()


def view(name: str, start: str) -> str:
    return f"view %rows{name}: f32[4] of %x start {start}\n"


def row(name: str) -> str:
    return ROW.format(at=name, name=f"row{name}")


def loop(counter: str, count: int, body: str) -> str:
    return f"\n      loop {counter} of {count} {{{body}\n      }}"


def calls(text: str) -> list[str]:
    """Of phrases, in the function that runs all."""
    return re.findall(r"steps_\d+\([^{;]*\);", text[text.index("int p_run(") :])


LOOPED = view("0", "0"), view("1", "16*i+16"), view("2", "80"), view("3", "112")


def test_a_row_before_in_and_behind_a_loop_is_one_function_that_is_told_where_to_read() -> None:
    text = source(row("0"), loop("i", 4, row("1")), row("2"), row("3"), views="".join(LOOPED))
    assert calls(text) == [
        "steps_0(bytes, memories, 0, 0u);",
        "steps_0(bytes, memories, 16 * loop_i + 16, 2u);",
        "steps_0(bytes, memories, 80, 4u);",
        "steps_0(bytes, memories, 112, 6u);",
    ]
    assert text.count("memories->read(") == 1
    assert "(uint32_t)(begin), 16u);" in text
    assert "// What is done in 4 places: row0.a, row0.b" in text


def test_what_phrases_alone_call_is_defined() -> None:
    text = source(row("0"), loop("i", 4, row("1")), row("2"), views="".join(LOOPED[:3]))
    assert "copy_bytes(" not in text[text.index("int p_run(") :]
    assert text.index("void copy_bytes(uint8_t *arena,") < text.index(" steps_0(")


def test_layers_are_numbered_as_they_would_be_without() -> None:
    text = source(row("0"), loop("i", 4, row("1")), row("2"), views="".join(LOOPED[:3]))
    assert re.findall(r"  TINSMITH_LAYER_DONE\(([^,]*), ", text) == ["layer", "layer + 1u"]
    assert [call.split(", ")[-1] for call in calls(text)] == ["0u);", "2u);", "4u);"]


def test_what_reads_elsewhere_by_more_than_a_distance_is_said_for_each_place() -> None:
    """Two rows at a time: the second is as far behind the first in all places but one."""
    views = (view("0", "0"), view("1", "16"), view("2", "32*i+32"), view("3", "32*i+48"))
    far = view("4", "160"), view("5", "208")
    text = source(
        row("0"),
        row("1"),
        loop("i", 3, row("2") + row("3")),
        row("4"),
        row("5"),
        views="".join((*views, *far)),
    )
    assert all("begin + 32" not in line for line in text.split("\n"))
    assert calls(text)[-2:] == [
        "steps_0(bytes, memories, 160, 8u);",
        "steps_0(bytes, memories, 208, 10u);",
    ]


def test_phrases_are_made_of_phrases_and_loops() -> None:
    twice = loop("i", 2, row("0")) + row("1")
    again = loop("j", 2, row("2")) + row("3")
    views = view("0", "16*i"), view("1", "48"), view("2", "64+16*j"), view("3", "112")
    text = source(twice, again, views="".join(views))
    assert calls(text) == [
        "steps_1(bytes, memories, 0, 0u);",
        "steps_1(bytes, memories, 64, 4u);",
    ]
    body = text[text.index(" steps_1(") : text.index("int p_run(")]
    assert "for (int32_t loop_i = 0; loop_i < 2; ++loop_i) {" in body
    assert "steps_0(bytes, memories, begin + 16 * loop_i, layer);" in body
    assert "steps_0(bytes, memories, begin + 48, layer + 2u);" in body


def test_rows_in_the_arena_are_not_told_where_they_are() -> None:
    """What a copy from there reads is the same in all places, or no phrase."""
    text = source(
        row("0"), loop("i", 4, row("1")), row("2"), views="".join(LOOPED[:3]), asked=False
    )
    assert calls(text) == [f"steps_0(bytes, {number}u);" for number in (0, 2, 4)]
    body = text[text.index(" steps_0(") : text.index("int p_run(")]
    assert body.count("copy_bytes(") == 1  # of the last step, not of the first
    assert "kOffset_rows0" not in body


def test_steps_under_a_guard_and_programs_without_loops_have_none() -> None:
    guarded = row("1").replace("-> %row", "-> %row when i from 1 below 4")
    text = source(row("0"), loop("i", 4, guarded), row("2"), views="".join(LOOPED[:3]))
    assert "begin" not in text
    flat = source(row("0"), row("2"), row("3"), views="".join((LOOPED[0], *LOOPED[2:])))
    assert "steps_" not in flat
