"""Constants of a remote memory as C: fetched by tinsmith/fetch.h, whether copies end late or at once."""

import re
from pathlib import Path

import numpy as np
import pytest
from tinsmith_c import write
from tinsmith_c.testing import HostBatch, KernelObjects, host_compiler
from tinsmith_ir import GraphError, Program, evaluate_program, parse_program
from tinsmith_lowering import prepare
from tinsmith_reference import backend
from tinsmith_target import target

HOST = target("host")
KERNELS = backend().kernels(HOST)
ROOM = Path(__file__).parents[3] / "kernels"

PROGRAM = """program 2 "p" for "host" {
  memory "arena" align 16
  memory "l3" size 64 align 4 remote
  engine "dma" reaches "arena" unordered align 1
  engine "udma" reaches "l3", "arena" align 4
  buffer %x: i8[4]<0.5, 0> in "arena" at 0
  buffer %y: i8[4]<0.5, 0> in "arena" at 16
  buffer %a: i8[4]<0.5, 0> in "arena" at 32
  buffer %staged: 16 bytes in "arena" at 48
  buffer %near: i8[4]<0.5, 0> in "arena" at 64
  view %first: i8[4]<0.5, 0> of %staged
  view %slot: i8[4]<0.5, 0> of %staged start 4*(i mod 2)+4
  view %full: i8[4]<0.5, 0> of %staged start 4*(j mod 2)+4
  const %w: i8[4]<0.5, 0> in "l3" = [1, 2, 3, 4]
  const %c0: i8[4]<0.5, 0> in "l3" = [10, 20, 30, 40]
  const %c1: i8[4]<0.5, 0> in "l3" = [11, 21, 31, 41]
  table %c = %c0, %c1 at i
  input %x
  copy %w -> %first on "udma" token 40
  loop i of 2 {
    copy %c -> %slot on "udma" token (i mod 2)+41
  }
  wait 40
  call "one" kernel "tinsmith_add_s8": %a = add(%x, %first)
  loop j of 2 {
    wait (j mod 2)+41
    copy %full -> %near on "dma" token 3
    wait 3
    call "two" kernel "tinsmith_add_s8": %y = add(%a, %near)
    copy %y -> %a
  }
  output %y
}
"""
X = np.array([1, -2, 3, 0], np.int8)


def program(text: str = PROGRAM) -> Program:
    return prepare(parse_program(text), HOST, KERNELS)


def source(found: Program) -> str:
    return write(found, HOST, KERNELS)["p.c"].decode()


@pytest.mark.parametrize("twin", ["host.c", "host_early.c"])
def test_it_computes_what_the_program_means(twin: str, tmp_path: Path) -> None:
    if host_compiler() is None:
        pytest.skip("no C compiler on this machine")
    found, includes = program(), [ROOM / "include"]
    kernels = KernelObjects.of_repository(ROOM, ["reference"], tmp_path)
    engines = [KernelObjects([ROOM / room / twin], includes, tmp_path) for room in ("dma", "fetch")]
    batch = HostBatch.build([found], HOST, KERNELS, kernels.includes, tmp_path)
    (got,) = batch.run(batch.link(twin, kernels, *engines), [X])
    assert not isinstance(got, str), got
    expected = evaluate_program(found, [X])["y"]
    assert expected.tolist() == [1 + 1 + 10 + 11, -2 + 2 + 20 + 21, 3 + 3 + 30 + 31, 4 + 40 + 41]
    assert got.tobytes() == expected.tobytes()


def test_constants_are_marked_and_tickets_kept() -> None:
    text = source(program())
    assert (
        len(re.findall(r"TINSMITH_ALIGNED TINSMITH_IN\(\w+\) = \{", text)) == 2
    )  # %w, and a table
    assert '#include "tinsmith/fetch.h"' in text
    assert "uint32_t fetches[3];" in text
    assert re.search(r"fetches\[0\] = tinsmith_fetch_start\(.*kOffset_first, .*, 4u\);", text)
    assert re.search(r"fetches\[\(loop_i & 1\) \+ 1\] =\s+tinsmith_fetch_start\(", text)
    assert "tinsmith_fetch_wait(fetches[(loop_j & 1) + 1]);" in text


def test_the_header_is_the_manual_of_it() -> None:
    header = write(program(), HOST, KERNELS)["p.h"].decode()
    words = " ".join(line.removeprefix("//").strip() for line in header.splitlines())
    assert "remote memory M are in the section .rodata.tinsmith_in_M" in words
    assert "tinsmith_fetch_start and tinsmith_fetch_wait (tinsmith/fetch.h)" in words


def test_a_remote_memory_of_constants_is_nobodys_to_give() -> None:
    """There is one memory for whoever runs it, the arena."""
    header = write(program(), HOST, KERNELS)["p.h"].decode()
    assert "int p_run(void *arena);" in header
    assert "L3" not in header


def test_programs_without_are_written_as_before() -> None:
    plain = PROGRAM.replace(' in "l3" =', " =").replace('on "udma" token 40', 'on "dma" token 0')
    plain = plain.replace('on "udma"', 'on "dma"').replace("+41", "+1").replace("wait 40", "wait 0")
    text = source(program(plain))
    assert "REMOTE" not in text
    assert "fetch" not in text


def test_an_engine_that_fetches_does_nothing_else() -> None:
    text = PROGRAM.replace('copy %full -> %near on "dma"', 'copy %full -> %near on "udma"')
    with pytest.raises(
        GraphError, match=re.escape("expected nothing else of it, got\n  copy %full")
    ):
        source(program(text))


def test_what_is_fetched_lies_densely() -> None:
    apart = "view %first: i8[4]<0.5, 0> of %apart strides [4]"
    text = PROGRAM.replace("view %first: i8[4]<0.5, 0> of %staged", apart)
    text = text.replace(
        "  view %first", '  buffer %apart: 16 bytes in "arena" at 80\n  view %first'
    )
    text = text.replace('"l3", "arena" align 4', '"l3", "arena" align 1')
    text = text.replace("add(%x, %first)", "add(%x, %x)")
    with pytest.raises(GraphError, match="expected a dense view for what is fetched"):
        source(program(text))


def test_tables_of_many_places_have_names_that_compilers_tell_apart() -> None:
    places = [4 * (number % 2) + 4 for number in range(40)]
    table = f"table(i: {', '.join(map(str, places))})"
    text = PROGRAM.replace("view %slot: i8[4]<0.5, 0> of %staged start 4*(i mod 2)+4", "{slot}")
    text = text.replace("{slot}", f"view %slot: i8[4]<0.5, 0> of %staged start {table}")
    names = re.findall(r"int32_t (kTable_\w+)\[\]", source(program(text)))
    assert len(names) == 1
    assert len(names[0]) <= 63
    assert names[0].startswith("kTable_40_numbers_")
