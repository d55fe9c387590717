"""Room behind results afar: none where tiles write them, all of it where a kernel does."""

from dataclasses import replace

import numpy as np
from tinsmith_diana import DianaDigitalBackend
from tinsmith_ir import (
    Program,
    evaluate_graph,
    evaluate_program,
    parse_graph,
    parse_program,
    verify_program,
)
from tinsmith_ir.places import byte_range
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import check_calls, lower, prepare
from tinsmith_reference import backend as reference
from tinsmith_scratchpad import UseScratchpad
from tinsmith_target import Memory, target
from tinsmith_tiling import TileJobs
from tinsmith_tiling.job_room import with_room

_ROOM = 1 << 18
_COPIED = 32
"""Bytes: the lengths of copies are multiples of so many."""

_HOST = target("host")
CHIP = replace(
    _HOST,
    board=replace(
        _HOST.board,
        memories=(Memory("l1", 0, _ROOM, "ram"),),
        scratchpad=target("diana").board.scratchpad,
    ),
)
KERNELS = (*DianaDigitalBackend().kernels(CHIP), *reference().kernels(CHIP))

# Both kernels write planes behind their results: of eight channels, and of a depthwise layer.
GRAPH = parse_graph(f"""graph 2 "layers" {{
  input %x: i8[1,16,16,3]<0.03125, 0>
  const %w: i8[8,3,3,3]<0.03125, 0> = {[7, -9, 3] * 72}
  const %b: i32[8] = {[10, -10, 100, 0] * 2}
  %y: i8[1,16,16,8]<0.03125, 0> = conv2d(%x, %w, %b) {{rounding=floor, padding=[1,1,1,1], activation=relu}}
  const %d: i8[1,3,3,8]<0.03125, 0> = {[5, -2, 9] * 24}
  %z: i8[1,8,8,8]<0.03125, 0> = depthwise_conv2d(%y, %d, %b) {{rounding=floor, stride=[2,2], padding=[1,1,1,1]}}
  %s: i8[1,8,8,8]<0.0625, 0> = add(%z, %z) {{rounding=floor}}
  output %s
}}
""")
WHOLE = prepare(lower(GRAPH, CHIP, KERNELS), CHIP, KERNELS)


def in_tiles(room: int) -> Program:
    near = UseScratchpad(CHIP, KERNELS, bytes=room).run(WHOLE)
    return TileJobs(CHIP, KERNELS).run(near)


def behind(program: Program, memory: str) -> dict[str, int]:
    """Bytes of each buffer of a memory behind its tensors, by name, where a copy rounds no length up to them."""
    ends = {buffer.name: 0 for buffer in program.buffers if buffer.memory == memory}
    for view in program.views:
        if view.buffer in ends:
            ends[view.buffer] = max(ends[view.buffer], byte_range(view)[1])
    found = {name: program.buffer[name].size_bytes - end for name, end in ends.items()}
    return {name: size for name, size in found.items() if size >= _COPIED}


def test_what_tiles_give_has_no_room_behind_it() -> None:
    assert len(behind(WHOLE, "arena")) == 2
    tiled = in_tiles(3000)
    assert behind(tiled, "arena") == {}
    assert behind(tiled, "l1")
    verify_program(tiled)
    check_calls(tiled, CHIP, KERNELS)
    inputs = random_inputs(GRAPH, seed=1)
    (wanted,) = evaluate_graph(GRAPH, inputs).values()
    for completion in ("earliest", "latest"):
        (found,) = evaluate_program(tiled, inputs, completion=completion).values()
        np.testing.assert_array_equal(found, wanted)


def sizes(program: Program) -> dict[str, int]:
    """Of buffers by name, in bytes."""
    return {buffer.name: buffer.size_bytes for buffer in program.buffers}


def resized(program: Program, far_ends: dict[str, int]) -> dict[str, int]:
    return sizes(with_room(program, far_ends, CHIP, KERNELS))


def test_what_a_kernel_writes_behind_stays() -> None:
    larger = tuple(replace(each, size_bytes=each.size_bytes + 96) for each in WHOLE.buffers)
    given = replace(WHOLE, buffers=larger)
    assert resized(given, dict.fromkeys(sizes(WHOLE), 0)) == sizes(WHOLE)
    assert resized(given, {}) == sizes(given)


def test_what_copies_touch_behind_stays() -> None:
    end = sizes(WHOLE)["s"] + 32
    assert resized(WHOLE, {"s": end}) == {**sizes(WHOLE), "s": end}


def test_a_buffer_through_which_a_loop_moves_a_view_is_made_no_smaller() -> None:
    program = parse_program("""program 2 "p" for "host" {
  memory "arena" align 16
  buffer %x: i8[64] in "arena"
  buffer %y: 96 bytes in "arena"
  view %from: i8[16] of %x start 16*i
  view %row: i8[16] of %y start 16*i
  view %all: i8[64] of %y
  input %x
  loop i of 4 {
    copy %from -> %row
  }
  output %all
}""")
    assert resized(program, {"x": 0, "y": 64}) == {"x": 64, "y": 96}
    assert resized(program, {"y": 128}) == {"x": 64, "y": 128}
