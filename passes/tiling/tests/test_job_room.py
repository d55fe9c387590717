"""Room behind results of calls that are cut, which the kernels of tiles write in the scratchpad: none elsewhere."""

from dataclasses import replace

import numpy as np
from tinsmith_diana import DianaDigitalBackend
from tinsmith_ir import (
    Graph,
    Program,
    evaluate_graph,
    evaluate_program,
    parse_graph,
    verify_program,
)
from tinsmith_ir.byte_places import byte_range
from tinsmith_ir.first_fit import needed_bytes
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import check_calls, lower, prepare
from tinsmith_reference import backend as reference
from tinsmith_scratchpad import UseScratchpad
from tinsmith_target import Memory, target
from tinsmith_tiling import TileJobs

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

# Kernels of both convolutions write planes behind their results: of eight channels, and of a depthwise layer.
_LAYERS = f"""
  input %x: i8[1,16,16,3]<0.03125, 0>
  const %w: i8[8,3,3,3]<0.03125, 0> = {[7, -9, 3] * 72}
  const %b: i32[8] = {[10, -10, 100, 0] * 2}
  const %d: i8[1,3,3,8]<0.03125, 0> = {[5, -2, 9] * 24}
  %y: i8[1,16,16,8]<0.03125, 0> = conv2d(%x, %w, %b) {{rounding=floor, padding=[1,1,1,1], activation=relu}}"""
SHRINKING = parse_graph(f"""graph 2 "shrinking" {{{_LAYERS}
  %z: i8[1,8,8,8]<0.03125, 0> = depthwise_conv2d(%y, %d, %b) {{rounding=floor, stride=[2,2], padding=[1,1,1,1]}}
  %s: i8[1,8,8,8]<0.0625, 0> = add(%z, %z) {{rounding=floor}}
  output %s
}}
""")
RESIDUAL = parse_graph(f"""graph 2 "residual" {{{_LAYERS}
  %z: i8[1,16,16,8]<0.03125, 0> = depthwise_conv2d(%y, %d, %b) {{rounding=floor, padding=[1,1,1,1]}}
  %s: i8[1,16,16,8]<0.0625, 0> = add(%z, %y) {{rounding=floor}}
  output %s
}}
""")


def whole(graph: Graph) -> Program:
    return prepare(lower(graph, CHIP, KERNELS), CHIP, KERNELS)


def in_tiles(graph: Graph, room: int) -> Program:
    """Checked; gives the graph's bits whenever engines do their work."""
    near = UseScratchpad(CHIP, KERNELS, bytes=room).run(whole(graph))
    tiled = TileJobs(CHIP, KERNELS).run(near)
    verify_program(tiled)
    check_calls(tiled, CHIP, KERNELS)
    inputs = random_inputs(graph, seed=1)
    (wanted,) = evaluate_graph(graph, inputs).values()
    for completion in ("earliest", "latest"):
        (found,) = evaluate_program(tiled, inputs, completion=completion).values()
        np.testing.assert_array_equal(found, wanted)
    return tiled


def names(program: Program) -> set[str]:
    """Of calls; those of tiles end with their number."""
    return {call.name for call in program.calls}


def behind(program: Program, memory: str) -> dict[str, int]:
    """Bytes of each buffer of a memory behind its tensors, by name, where a copy rounds no length up to them."""
    ends = {buffer.name: 0 for buffer in program.buffers if buffer.memory == memory}
    for view in program.views:
        if view.buffer in ends:
            ends[view.buffer] = max(ends[view.buffer], byte_range(view)[1])
    found = {name: program.buffer[name].size_bytes - end for name, end in ends.items()}
    return {name: size for name, size in found.items() if size >= _COPIED}


def test_what_tiles_give_has_no_room_behind_it() -> None:
    assert behind(whole(SHRINKING), "arena") == {"y": 2048, "z": 1920}
    tiled = in_tiles(SHRINKING, 2000)
    assert names(tiled) >= {"y.0", "z.0", "s.0"}
    assert behind(tiled, "arena") == {}
    assert behind(tiled, "l1")


def test_who_reads_what_tiles_give_in_the_scratchpad_has_no_room_behind_it() -> None:
    tiled = in_tiles(SHRINKING, 3000)
    assert names(tiled) >= {"y.0", "z.0", "s"}  # with 2,944 bytes of %z the sum would be cut, too
    assert tiled.buffer["z.near"].size_bytes == 1024


def test_a_call_in_tiles_has_the_scratchpad_for_itself() -> None:
    """What the first call has left there, and the last one reads, goes in between."""
    tiled = in_tiles(RESIDUAL, 8192)
    assert names(tiled) >= {"y", "z.0", "s"}
    assert needed_bytes(tiled)["l1"] <= 8192
