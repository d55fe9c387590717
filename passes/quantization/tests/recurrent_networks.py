"""Small recurrent networks of random weights as text, and what is asked of their integers: shared by tests."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir import Array, Graph, evaluate_frames, parse_graph
from tinsmith_ir.types import TensorType
from tinsmith_quantization import sqnr

Frames = list[dict[str, NDArray[np.float32]]]
GATES = ("input", "forget", "cell", "output")


def constant(name: str, random: np.random.Generator, *shape: int) -> str:
    """A statement of the graph's text: normal numbers, the smaller the more of them are added up."""
    numbers = random.normal(size=shape) / np.sqrt(shape[-1] if len(shape) > 1 else 4)
    listed = ", ".join(f"{number:.5f}" for number in numbers.ravel())
    return f"const %{name}: f32[{','.join(map(str, shape))}] = [{listed}]"


def lstm(
    steps: int = 6,
    depth: int = 3,
    cells: int = 8,
    *,
    seed: int = 1,
    keeps: bool = False,
    attributes: str = "",
    has_peepholes: bool = False,
    outputs: int = 0,
) -> Graph:
    """keeps: whether states are the graph's; else they are zeros. attributes: of the operator, without braces.
    outputs: of a projection, if there is one.
    """
    random = np.random.default_rng(seed)
    weights = [constant(f"w{gate}", random, cells, depth) for gate in GATES]
    given = outputs or cells
    weights += [constant(f"r{gate}", random, cells, given) for gate in GATES]
    weights += [constant(f"b{gate}", random, cells) for gate in GATES]
    operands = [f"%{kind}{gate}" for kind in "wrb" for gate in GATES]
    if has_peepholes:
        peepholes = [f"p{gate}" for gate in ("input", "forget", "output")]
        weights += [constant(name, random, cells) for name in peepholes]
        operands += [f"%{name}" for name in peepholes]
    else:
        operands += ["none"] * 3
    operands += ["%wp", "%bp"] if outputs else ["none", "none"]
    if outputs:
        weights += [constant("wp", random, outputs, cells), constant("bp", random, outputs)]
    states = [f"const %h: {_zeros(given)}", f"const %c: {_zeros(cells)}"]
    if keeps:
        states = [
            f"state %h: {_zeros(given)} next %hidden",
            f"state %c: {_zeros(cells)} next %cells",
        ]
    return _graph(
        f"input %x: f32[1,{steps},{depth}]",
        *states,
        *weights,
        f"%y: f32[1,{steps},{given}], %hidden: f32[1,{given}], %cells: f32[1,{cells}] = "
        f"lstm(%x, %h, %c, {', '.join(operands)}) {{{attributes}}}",
        "output %y",
    )


def _zeros(count: int) -> str:
    return f"f32[1,{count}] = [{', '.join(['0.0'] * count)}]"


def gru(
    steps: int = 6, depth: int = 3, cells: int = 8, *, seed: int = 1, keeps: bool = False
) -> Graph:
    """As importers compose them: step after step, the gates z and r in one product, then n.

    z keeps most of the state. keeps: whether that is the graph's; else it is an input at first.
    """
    random = np.random.default_rng(seed)
    state = f"f32[1,{cells}]"
    zeros = f"{state} = [{', '.join(['0.0'] * cells)}]"
    lines = [f"input %x: f32[{steps},{depth}]"]
    lines.append(f"state %h0: {zeros} next %h{steps}" if keeps else f"input %h0: {state}")
    lines += [constant("wg", random, 2 * cells, depth), constant("wn", random, cells, depth)]
    lines += [constant("rg", random, 2 * cells, cells), constant("rn", random, cells, cells)]
    lines.append(f"const %bg: f32[{2 * cells}] = [{', '.join(['3.0'] * cells + ['0.0'] * cells)}]")
    lines.append(constant("bn", random, cells))
    lines.append(f"%gates: f32[{steps},{2 * cells}] = fully_connected(%x, %wg, %bg)")
    lines.append(f"%news: f32[{steps},{cells}] = fully_connected(%x, %wn, none)")
    for step in range(steps):
        lines += _gru_step(step, cells)
    results = ", ".join(f"%h{step + 1}" for step in range(steps))
    lines.append(f"%y: f32[{steps},{cells}] = concat({results}) {{axis=0}}")
    return _graph(*lines, "output %y")


def _gru_step(t: int, cells: int) -> list[str]:
    state, gates = f"f32[1,{cells}]", f"f32[1,{2 * cells}]"
    return [
        f"%g{t}: {gates} = slice(%gates) {{begin=[{t},0], shape=[1,{2 * cells}]}}",
        f"%i{t}: {state} = slice(%news) {{begin=[{t},0], shape=[1,{cells}]}}",
        f"%a{t}: {gates} = fully_connected(%h{t}, %rg, none)",
        f"%b{t}: {gates} = add(%g{t}, %a{t})",
        f"%l{t}: {gates} = logistic(%b{t})",
        f"%z{t}: {state} = slice(%l{t}) {{begin=[0,0], shape=[1,{cells}]}}",
        f"%r{t}: {state} = slice(%l{t}) {{begin=[0,{cells}], shape=[1,{cells}]}}",
        f"%c{t}: {state} = fully_connected(%h{t}, %rn, %bn)",
        f"%d{t}: {state} = mul(%r{t}, %c{t})",
        f"%e{t}: {state} = add(%i{t}, %d{t})",
        f"%n{t}: {state} = tanh(%e{t})",
        f"%s{t}: {state} = sub(%h{t}, %n{t})",
        f"%k{t}: {state} = mul(%z{t}, %s{t})",
        f"%h{t + 1}: {state} = add(%n{t}, %k{t})",
    ]


def _graph(*lines: str) -> Graph:
    text = "\n".join(f"  {line}" for line in lines)
    return parse_graph(f'graph 2 "recurrent" {{\n{text}\n}}\n')


def frames(graph: Graph, count: int = 12) -> Frames:
    """Random inputs of runs one after another."""
    random = np.random.default_rng(9)
    return [
        {
            value.name: random.normal(size=value.type.shape).astype(np.float32)
            for value in graph.inputs
        }
        for _ in range(count)
    ]


def decibels(graph: Graph, quantized: Graph, given: Frames) -> float:
    """Signal to noise of the first output over all runs, in which both networks keep states of their own."""
    wanted = [_first(found) for found in evaluate_frames(graph, given)]
    stored = [
        [_integers(frame[value.name], value.type) for value in quantized.inputs] for frame in given
    ]
    type_ = quantized.outputs[0].type
    got = [_real(_first(found), type_) for found in evaluate_frames(quantized, stored)]
    return sqnr(wanted, got)


def _first(found: dict[str, Array]) -> Array:
    return next(iter(found.values()))


def _integers(array: Array, type_: TensorType) -> Array:
    assert type_.quantization is not None
    low, high = type_.dtype.integer_range
    steps = np.rint(array.astype(np.float64) / type_.quantization.scale)
    return np.clip(steps + type_.quantization.zero_point, low, high).astype(type_.dtype.numpy)


def _real(array: Array, type_: TensorType) -> Array:
    assert type_.quantization is not None
    return type_.quantization.scale * (array.astype(np.float64) - type_.quantization.zero_point)


def mnemonics(graph: Graph) -> Sequence[str]:
    """Of the nodes, in order."""
    return [node.operator.mnemonic for node in graph.nodes]
