"""LSTMs of int8 by Tinsmith's own kernel: which it takes, and compiled C frame by frame."""

from pathlib import Path

import pytest
from tinsmith_c.testing import CASES, HostModel, KernelObjects, place
from tinsmith_cmsis_nn import backend
from tinsmith_ir import Graph, evaluate_frames, parse_graph
from tinsmith_ir.evaluate import equal_arrays, varied_frames
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import lower, prepare
from tinsmith_reference import backend as reference
from tinsmith_target import target

HOST = target("host")
KERNELS = (*backend().kernels(HOST), *reference().kernels(HOST))
FRAMES = 4


def numbers(count: int, factor: int, largest: int) -> str:
    return ", ".join(str(i * factor % (2 * largest + 1) - largest) for i in range(count))


def constants(kind: str, gates: str, shape: str, count: int, scale: str = "<0.01, 0>") -> list[str]:
    """One for each letter of `gates`."""
    element = {"b": "i32", "p": "i16"}.get(kind, "i8")
    largest = {"b": 6000, "p": 30000}.get(kind, 127)
    return [
        f"const %{kind}{gate}: {element}[{shape}]{scale} = "
        f"[{numbers(count, 37 + 2 * number, largest)}]"
        for number, gate in enumerate(gates)
    ]


def network(
    options: str = "", *, cells: int = 11, peepholes: bool = False, input_gate: bool = True
) -> Graph:
    """A layer over three steps of two batches, whose states the graph keeps."""
    gates = "ifco" if input_gate else "fco"
    depth, order = 13, "3,2" if "time_major" in options else "2,3"
    kept = numbers(2 * cells, 29, 127)
    lines = [
        f"input %x: i8[{order},{depth}]<0.03, 3>",
        f"state %h: i8[2,{cells}]<0.0078125, 5> = [{kept}] next %h2",
        f"state %c: i16[2,{cells}]<0.00048828125, 0> = [{kept}] next %c2",
        *constants("w", gates, f"{cells},{depth}", cells * depth),
        *constants("r", gates, f"{cells},{cells}", cells * cells),
        *constants("b", gates, f"{cells}", cells, ""),
    ]
    operands = ["%x", "%h", "%c"]
    for kind in "wrb":
        operands += [f"%{kind}{gate}" if gate in gates else "none" for gate in "ifco"]
    if peepholes:
        seen = [gate for gate in "ifo" if gate in gates]
        lines += constants("p", "".join(seen), f"{cells}", cells, "<0.00005, 0>")
        operands += [f"%p{gate}" if gate in seen else "none" for gate in "ifo"]
    hidden = "hidden_scale=0.0078125, hidden_zero_point=5"
    attributes = ", ".join(part for part in (options, hidden) if part)
    lines += [
        f"%y: i8[{order},{cells}]<0.0078125, 5>, %h2: i8[2,{cells}]<0.0078125, 5>, "
        f"%c2: i16[2,{cells}]<0.00048828125, 0> = lstm({', '.join(operands)}) {{{attributes}}}",
        "output %y",
    ]
    return parse_graph('graph 2 "cells" {\n' + "\n".join(lines) + "\n}\n")


@pytest.mark.parametrize(
    "graph",
    [
        network(),
        network(cells=4),
        network("time_major=true", cells=8),
        network("backwards=true", peepholes=True),
        network("cell_clip=0.125", input_gate=False),
        network(peepholes=True, input_gate=False, cells=17),
    ],
    ids=["whole", "few", "by_time", "backwards_peepholes", "clip_no_input_gate", "all"],
)
def test_frame_by_frame_c_gives_what_the_evaluator_does(
    graph: Graph, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    program = place(prepare(lower(graph, HOST, KERNELS), HOST, KERNELS))
    assert [call.kernel for call in program.calls] == ["tinsmith_lstm_cells_s8"]
    model = HostModel.build(program, HOST, KERNELS, kernel_objects, tmp_path)
    frames = [*varied_frames(random_inputs(graph, 1), FRAMES)]
    runs = zip(evaluate_frames(graph, frames), model.run_frames(frames), strict=True)
    for number, (wanted, found) in enumerate(runs):
        for value, result in zip(graph.outputs, found, strict=True):
            assert equal_arrays(wanted[value.name], result), (number, value.name)


def test_cases_of_all_backends_reach_the_kernel() -> None:
    (case,) = [case for case in CASES if case.name == "cells_i8"]
    called = {call.kernel for call in lower(case.build(), HOST, KERNELS).calls}
    assert "tinsmith_lstm_cells_s8" in called


def test_sums_that_may_leave_32_bits_are_refused() -> None:
    text = """graph 2 "g" {
      input %x: i8[1,1,1]<0.03, 3>
      input %h: i8[1,1]<0.0078125, 5>
      input %c: i16[1,1]<0.00048828125, 0>
      const %w: i8[1,1]<0.01, 0> = [127]
      const %b: i32[1] = [2147483000]
      %y: i8[1,1,1]<0.0078125, 5>, %h2: i8[1,1]<0.0078125, 5>, %c2: i16[1,1]<0.00048828125, 0> =
        lstm(%x, %h, %c, %w, %w, %w, %w, %w, %w, %w, %w, %b, %b, %b, %b) {hidden_scale=0.0078125, hidden_zero_point=5}
      output %y
    }"""
    (call,) = lower(parse_graph(text), HOST, KERNELS).calls
    assert call.kernel == "tinsmith_lstm_s8"
    assert "leaves 32 bits: one may be 2147515385" in call.reason


def test_the_public_api_alone_leaves_lstms_to_the_reference_kernels() -> None:
    """arm_lstm_unidirectional_s8 has other curves, and no state before the first step."""
    kernels = (*backend(packed=False).kernels(HOST), *reference().kernels(HOST))
    (call,) = lower(network(), HOST, kernels).calls
    assert call.kernel == "tinsmith_lstm_s8"
