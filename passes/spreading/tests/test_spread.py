"""Calls that all cores of a cluster compute: which, how, and that any order of their parts gives the same bytes."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from tinsmith_ir import (
    Call,
    Copy,
    DType,
    Graph,
    GraphError,
    Program,
    UsageError,
    evaluate_graph,
    evaluate_program,
    parse_graph,
    parse_program,
    print_program,
    verify_program,
)
from tinsmith_ir.evaluate import equal_arrays
from tinsmith_ir.program import Step, Wait
from tinsmith_ir.testing import random_graph, random_inputs
from tinsmith_lowering import Kernel, lower
from tinsmith_pulp_nn import PulpNnBackend
from tinsmith_reference import backend as reference
from tinsmith_spreading import CORES, SpreadCalls
from tinsmith_target import Target, target

SIRACUSA = target("siracusa")
REFERENCE = reference().kernels(SIRACUSA)
KERNELS = (*PulpNnBackend().kernels(SIRACUSA), *REFERENCE)

PRODUCT = """graph 2 "product" {
  input %x: f32[1,16,4,3]
  input %y: f32[3]
  %z: f32[1,16,4,3] = mul(%x, %y)
  output %z
}
"""
PADDED = """graph 2 "padded" {
  input %x: f32[1,8,4,2]
  const %w: f32[2,3,3,2] = base64
      "AACAPwAAAEAAAEBAAACAQAAAoEAAAMBAAADgQAAAAEEAABBBAAAgQQAAMEEAAEBBAABQQQAAYEEAAHBBAACAQQAAiEEAAJBB"
      "AACAPwAAAEAAAEBAAACAQAAAoEAAAMBAAADgQAAAAEEAABBBAAAgQQAAMEEAAEBBAABQQQAAYEEAAHBBAACAQQAAiEEAAJBB"
  %y: f32[1,8,4,2] = conv2d(%x, %w, none) {padding=[1,1,1,1]}
  output %y
}
"""


def spread(
    text: str | Graph, kernels: Sequence[Kernel] = KERNELS, chosen: Target = SIRACUSA
) -> Program:
    graph = text if isinstance(text, Graph) else parse_graph(text)
    return SpreadCalls(chosen, kernels).run(lower(graph, chosen, kernels))


def with_cores(cores: int) -> Target:
    cluster = SIRACUSA.board.cluster
    assert cluster is not None
    return replace(SIRACUSA, board=replace(SIRACUSA.board, cluster=replace(cluster, cores=cores)))


def groups(steps: Sequence[Step]) -> Iterator[list[Step]]:
    """Steps between others, those that follow one another and are waits together."""
    found: list[Step] = []
    for step in steps:
        if found and isinstance(step, Wait) != isinstance(found[0], Wait):
            yield found
            found = []
        found.append(step)
    if found:
        yield found


def in_another_order(program: Program, random: np.random.Generator) -> Program:
    """The same waits in another order: what was started runs when it is waited for."""
    steps: list[Step] = []
    for group in groups(program.steps):
        is_waits = isinstance(group[0], Wait)
        steps += [group[i] for i in random.permutation(len(group))] if is_waits else group
    return replace(program, steps=tuple(steps))


def check(graph: Graph, program: Program, seed: int = 0) -> None:
    """Right in any order of the parts."""
    verify_program(program)
    inputs = random_inputs(graph, seed)
    random = np.random.default_rng(seed)
    backwards = replace(
        program,
        steps=tuple(
            step
            for group in groups(program.steps)
            for step in (group[::-1] if isinstance(group[0], Wait) else group)
        ),
    )
    with np.errstate(all="ignore"):
        wanted = evaluate_graph(graph, inputs)
        found = [
            evaluate_program(program, inputs),
            evaluate_program(program, inputs, completion="earliest"),
            evaluate_program(backwards, inputs),
            *(evaluate_program(in_another_order(program, random), inputs) for _ in range(2)),
        ]
    for got in found:
        for name, value in zip(program.outputs, graph.outputs, strict=True):
            assert equal_arrays(got[name], wanted[value.name])


def test_rows_are_started_together_and_then_waited_for() -> None:
    program = spread(PRODUCT)
    starts, waits = groups(program.steps)
    assert [step.name for step in starts if isinstance(step, Call)] == [f"z.{n}" for n in range(8)]
    assert {step.engine for step in starts if isinstance(step, Call)} == {CORES}
    assert len(waits) == 8
    (engine,) = program.engines
    assert (engine.is_fifo, engine.depth, engine.reaches) == (False, 8, ("arena",))
    # Parts lie in the tensors of the whole: there is no copy and no other buffer.
    assert {buffer.name for buffer in program.buffers} == {"x", "y", "z"}
    check(parse_graph(PRODUCT), program)


def test_the_text_says_which_calls_may_run_at_the_same_time() -> None:
    program = spread(PRODUCT)
    text = print_program(program)
    assert 'engine "cores" reaches "arena" unordered depth 8 align 1' in text
    assert 'on "cores" token 16' in text
    assert print_program(parse_program(text)) == text


def test_parts_at_a_border_pad_by_themselves() -> None:
    graph = parse_graph(PADDED)
    program = spread(graph)
    assert len(program.calls) == 8
    check(graph, program)
    # The first and last row read less than those between.
    assert len({call.operator for call in program.calls}) == 3


@pytest.mark.parametrize(("cores", "parts"), [(3, 3), (5, 4)])
def test_there_are_no_more_parts_than_cores(cores: int, parts: int) -> None:
    program = spread(PRODUCT, chosen=with_cores(cores))
    assert len(program.calls) == parts
    assert program.engines[0].depth == cores
    check(parse_graph(PRODUCT), program)


def test_one_core_and_other_targets_get_their_program_back() -> None:
    whole = lower(parse_graph(PRODUCT), SIRACUSA, KERNELS)
    assert SpreadCalls(with_cores(1), KERNELS).run(whole) is whole
    host = target("host")
    on_host = lower(parse_graph(PRODUCT), host, reference().kernels(host))
    assert SpreadCalls(host, reference().kernels(host)).run(on_host) is on_host


def test_small_calls_stay_whole() -> None:
    whole = lower(parse_graph(PRODUCT), SIRACUSA, KERNELS)
    assert SpreadCalls(SIRACUSA, KERNELS, least_work=193).run(whole) is whole
    assert SpreadCalls(SIRACUSA, KERNELS, least_work=192).run(whole) is not whole
    with pytest.raises(UsageError, match="expected least-work from 0, got -1"):
        SpreadCalls(SIRACUSA, KERNELS, least_work=-1)


def test_calls_that_share_their_work_stay_whole() -> None:
    graph = parse_graph("""graph 2 "pool" {
  input %x: i8[1,8,8,4]<0.5, 0>
  %y: i8[1,4,4,4]<0.5, 0> = max_pool2d(%x) {window=[2,2], stride=[2,2]}
  output %y
}
""")
    whole = lower(graph, SIRACUSA, KERNELS)
    assert SpreadCalls(SIRACUSA, KERNELS).run(whole) is whole
    alone = spread(graph, REFERENCE)
    assert len(alone.calls) == 4
    check(graph, alone)


def test_what_cannot_be_cut_runs_on_one_core_which_is_said() -> None:
    graph = parse_graph("""graph 2 "several" {
  input %x: f32[1,768]
  %a: f32[1,768] = softmax(%x)
  %b: f32[1,768] = mul(%a, %a)
  %c: f32[1,768] = mul(%b, %a)
  %d: f32[1,768] = mul(%c, %a)
  output %d
}
""")
    outcome = SpreadCalls(SIRACUSA, REFERENCE).run_in_detail(lower(graph, SIRACUSA, REFERENCE))
    assert outcome.warnings == ("a: on one core: softmax is not cut",)
    assert [call.name for call in outcome.ir.calls if call.engine is None] == ["a"]
    check(graph, outcome.ir)


def test_a_network_that_would_gain_little_stays_with_the_core_that_boots() -> None:
    graph = parse_graph("""graph 2 "mostly" {
  input %x: f32[1,768]
  %a: f32[1,768] = softmax(%x)
  %b: f32[1,768] = mul(%a, %a)
  output %b
}
""")
    whole = lower(graph, SIRACUSA, REFERENCE)
    assert SpreadCalls(SIRACUSA, REFERENCE).run(whole) is whole


GAPS = """graph 2 "gaps" {
  input %x: i8[1,8,8,4]<0.5, 3>
  %y: i8[1,16,16,4]<0.5, 3> = resize_bilinear(%x) {size=[16,16]}
  output %y
}
"""


def test_parts_with_gaps_are_copied_before_and_behind() -> None:
    program = spread(GAPS, REFERENCE)
    phases = list(groups(program.steps))
    assert [[type(step) for step in phase] for phase in phases] == [
        kinds for kind in (Copy, Call, Copy) for kinds in ([kind] * 4, [Wait] * 4)
    ]
    check(parse_graph(GAPS), program)


def test_what_parts_copy_is_in_one_buffer_for_all_of_them() -> None:
    program = spread(GAPS, REFERENCE)
    sizes = {buffer.name: buffer.size_bytes for buffer in program.buffers}
    assert sizes == {"x": 256, "y": 1024, "y.0.operand": 4 * 64, "y.0.result": 4 * 256}
    starts = [program.view[call.outputs[0]].start.base for call in program.calls]
    assert starts == [0, 256, 512, 768]


def test_copies_of_gaps_are_not_made_for_little_work() -> None:
    whole = lower(parse_graph(GAPS), SIRACUSA, REFERENCE)
    assert SpreadCalls(SIRACUSA, REFERENCE, least_work=513).run(whole) is whole
    assert SpreadCalls(SIRACUSA, REFERENCE, least_work=512).run(whole) is not whole


def test_the_way_with_the_fewest_pieces_is_copied() -> None:
    graph = parse_graph("""graph 2 "turned" {
  input %x: i8[1,8,8,8]<0.5, 3>
  %y: i8[1,8,8,8]<0.5, 3> = transpose(%x) {permutation=[0,3,1,2]}
  output %y
}
""")
    program = spread(graph, REFERENCE)
    check(graph, program)
    # Rows of the operand lie densely, and each is eight pieces of the result, not one piece for each element.
    assert [type(step) for phase in groups(program.steps) for step in phase[:1]] == [
        Call,
        Wait,
        Copy,
        Wait,
    ]


def test_parts_that_touch_what_others_write_are_refused() -> None:
    program = spread(PRODUCT)
    second = program.calls[1]
    first = program.calls[0]
    overlapping = replace(second, outputs=first.outputs)
    wrong = replace(
        program,
        steps=tuple(overlapping if step is second else step for step in program.steps),
    )
    with pytest.raises(GraphError, match="writes what is still being written"):
        verify_program(wrong)


@pytest.mark.parametrize("dtype", [DType.INT8, DType.FLOAT32, DType.INT16])
def test_random_networks_in_any_order(dtype: DType) -> None:
    parts = 0
    for seed in range(15):
        graph = random_graph(seed, dtype=dtype, nodes=8)
        whole = lower(graph, SIRACUSA, KERNELS)
        program = SpreadCalls(SIRACUSA, KERNELS, least_work=2).run(whole)
        check(graph, program, seed)
        parts += sum(call.engine is not None for call in program.calls)
    assert parts > 30


def test_two_wide_rows_are_cut_between_columns_though_that_takes_copies() -> None:
    wide = PADDED.replace("1,8,4,2", "1,2,160,2")
    program = spread(wide)
    assert len(program.calls) == 8
    assert any(isinstance(step, Copy) for step in program.steps)
    check(parse_graph(wide), program)
    few = PADDED.replace("1,8,4,2", "1,2,8,2")
    assert not any(isinstance(step, Copy) for step in spread(few).steps)


def test_a_scalar_constant_is_every_part_s() -> None:
    graph = parse_graph(
        'graph 2 "scaled" {\n  input %x: f32[1,16,4,3]\n  const %y: f32[] = base64 "AACgQA=="\n'
        "  %z: f32[1,16,4,3] = mul(%x, %y)\n  output %z\n}\n"
    )
    program = spread(graph)
    assert len(program.calls) == 8
    check(graph, program)


def test_a_program_that_two_cores_would_compute_stays_where_it_is_nearer_to_the_tensors() -> None:
    (call,) = spread(PRODUCT, chosen=with_cores(2)).calls
    assert call.engine is None
