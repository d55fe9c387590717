"""Networks that keep states from run to run, as C on the host."""

from pathlib import Path

import pytest
from tinsmith_c import shared_arena_header
from tinsmith_c.testing import HostModel, KernelObjects, place
from tinsmith_ir import (
    Graph,
    Program,
    UsageError,
    evaluate_frames,
    evaluate_program_frames,
    parse_graph,
    parse_program,
    print_graph,
    print_program,
    verify_graph,
    verify_program,
)
from tinsmith_ir.dtypes import DType
from tinsmith_ir.evaluate import equal_arrays, varied_frames
from tinsmith_ir.random_graphs import random_graph
from tinsmith_ir.random_states import with_states
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import lower, prepare
from tinsmith_reference import backend
from tinsmith_target import target

HOST = target("host")
KERNELS = backend().kernels(HOST)
DTYPES = (DType.INT8, DType.INT16, DType.FLOAT32)
FRAMES = 4

FILTER = """graph 2 "filter" {
  input %x: i8[1,4]<0.5, 3>
  state %y1: i8[1,4]<0.5, -2> = [1, -2, 3, -4] next %y
  state %x1: i8[1,4]<0.5, 3> = [3, 3, 3, 3] next %x
  state %x2: i8[1,4]<0.5, 3> = [3, 3, 3, 3] next %x1
  const %a: i8[1,4]<0.0078125, 0> = [64, 32, -32, 127]
  %fed: i8[1,4]<0.5, -2> = mul(%y1, %a)
  %direct: i8[1,4]<0.5, -2> = sub(%x, %x2)
  %y: i8[1,4]<0.5, -2> = add(%fed, %direct)
  %out: i8[1,4]<0.5, -2> = relu(%y)
  output %out
}
"""


def placed(graph: Graph) -> Program:
    program = place(prepare(lower(graph, HOST, KERNELS), HOST, KERNELS))
    verify_program(program)
    return program


def check(graph: Graph, folder: Path, objects: KernelObjects) -> HostModel:
    """Graph, program, its text and its C give the same in every frame."""
    program = placed(graph)
    frames = [*varied_frames(random_inputs(graph, 1), FRAMES)]
    model = HostModel.build(program, HOST, KERNELS, objects, folder)
    runs = zip(
        evaluate_frames(graph, frames),
        evaluate_program_frames(parse_program(print_program(program)), frames),
        model.run_frames(frames),
        strict=True,
    )
    for number, (wanted, evaluated, found) in enumerate(runs):
        pairs = zip(graph.outputs, program.outputs, found, strict=True)
        for value, name, result in pairs:
            assert equal_arrays(wanted[value.name], evaluated[name]), (number, name)
            assert equal_arrays(wanted[value.name], result), (number, name)
    return model


def test_filter_feeds_back(kernel_objects: KernelObjects, tmp_path: Path) -> None:
    model = check(parse_graph(FILTER), tmp_path, kernel_objects)
    header = model.files["filter.h"].decode()
    assert "int filter_reset(const filter_memories_t *memories);" in header
    assert "call filter_reset before the first run of a sequence" in header
    assert "leave filter_memories_t.state as it is" in " ".join(header.replace("//", "").split())


FILTERS_OVER_TIME = """graph 2 "filters" {
  input %x: i8[1,2]<0.5, 3>
  state %h: i16[1,6]<0.03125, 0> = [1, -2, 3, -4, 5, -6] next %later
  const %w: i8[3,2]<0.25, 0> = [1, 2, -3, 4, 5, -6]
  const %t: i16[3,2]<0.5, 0> = [1, 2, 3, 4, 5, -6]
  %later: i16[1,6]<0.03125, 0> = svdf_state(%h, %x, %w)
  %y: i8[1,3]<0.5, -2> = svdf(%later, %t)
  output %y
}
"""


def test_filters_over_time_remember_in_place(kernel_objects: KernelObjects, tmp_path: Path) -> None:
    graph = parse_graph(FILTERS_OVER_TIME)
    program = placed(graph)
    assert [buffer.name for buffer in program.buffers] == ["x", "h", "y"]
    check(graph, tmp_path, kernel_objects)


def test_network_without_states_has_nothing_to_reset(
    kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    graph = random_graph(1, dtype=DType.INT8)
    model = check(graph, tmp_path, kernel_objects)
    assert not any("reset" in content.decode() for content in model.files.values())


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.value)
@pytest.mark.parametrize("seed", range(3))
def test_random_networks_that_remember(
    dtype: DType, seed: int, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    graph = with_states(random_graph(200 + seed, dtype=dtype, nodes=10), seed)
    verify_graph(graph)
    assert graph.states
    assert print_graph(parse_graph(print_graph(graph))) == print_graph(graph)
    check(graph, tmp_path, kernel_objects)


def test_state_in_the_arena_of_a_program_by_hand(
    kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    text = """program 2 "sums" for "host" {
      memory "arena" align 16
      buffer %x: f32[2] in "arena" at 0
      buffer %next: f32[2] in "arena" at 16
      buffer %sum: f32[2] in "arena" at 32
      input %x
      state %sum = [10.0, 20.0]
      call "next" kernel "tinsmith_add_f32": %next = add(%sum, %x)
      copy %next -> %sum
      output %next
    }"""
    program = prepare(parse_program(text), HOST, KERNELS)
    model = HostModel.build(program, HOST, KERNELS, kernel_objects, tmp_path)
    assert "leave the arena as it is" in " ".join(
        model.files["sums.h"].decode().replace("//", "").split()
    )
    frames = [*varied_frames(random_inputs(parse_graph(ADDER), 1), FRAMES)]
    runs = zip(evaluate_program_frames(program, frames), model.run_frames(frames), strict=True)
    for wanted, (result,) in runs:
        assert equal_arrays(wanted["next"], result)


ADDER = """graph 2 "adder" { input %x: f32[2] %next: f32[2] = add(%x, %x) output %next }"""


def test_networks_that_remember_share_an_arena() -> None:
    programs = [placed(parse_graph(text)) for text in (FILTER, ADDER)]
    header = shared_arena_header(programs, "1.0").decode()
    assert "#if FILTER_ARENA_BYTES > SHARED_ARENA_BYTES" in header


def test_states_in_an_arena_that_others_overwrite_are_refused() -> None:
    program = parse_program("""program 2 "sums" for "host" {
      memory "arena" align 16
      buffer %sum: f32[2] in "arena" at 0
      state %sum = [10.0, 20.0]
      output %sum
    }""")
    with pytest.raises(UsageError, match="beside memories for their states"):
        shared_arena_header([program, placed(parse_graph(ADDER))], "1.0")
