"""Networks of small layers, tiled for a cluster with the accelerator beside it."""

from dataclasses import replace

import numpy as np
from tinsmith_ir import Graph, parse_graph
from tinsmith_ir.program import Program
from tinsmith_lowering import Kernel, lower, prepare
from tinsmith_neureka import NeurekaBackend
from tinsmith_pulp_nn import PulpNnBackend
from tinsmith_reference import backend as reference
from tinsmith_target import Target, target
from tinsmith_tiling import TileCalls

SIRACUSA = target("siracusa")
KERNELS: tuple[Kernel, ...] = tuple(
    kernel
    for backend in (NeurekaBackend(), PulpNnBackend(), reference())
    for kernel in backend.kernels(SIRACUSA)
)

_TYPE = "i8[1,{0},{0},16]<0.05, 0>"


def network(layers: str, output: str, side: int = 8) -> Graph:
    """Layers one after the other: `a = conv x`, `p = pool x`, `s = add a p`, `k = keep x` (of strides 2), of tensors of
    16 channels; x is the input.
    """
    sides = {"x": side}
    lines = [f"  input %x: {_TYPE.format(side)}"]
    for number, layer in enumerate(layers.split(",")):
        name, _, kind, *operands = layer.split()
        sides[name] = sides[operands[0]] // (2 if kind == "keep" else 1)
        head = f"  %{name}: {_TYPE.format(sides[name])} = "
        match kind:
            case "conv" | "keep":
                lines += _constants(name, number)
                padding = "[1,1,1,1]" if kind == "conv" else "[0,1,0,1]"
                stride = "" if kind == "conv" else "stride=[2,2], "
                lines.append(
                    f"{head}conv2d(%{operands[0]}, %{name}.w, %{name}.b) "
                    f"{{rounding=floor, multiplier_bits=8, {stride}padding={padding}}}"
                )
            case "pool":
                window = "{window=[3,3], stride=[1,1], padding=[1,1,1,1]}"
                lines.append(f"{head}max_pool2d(%{operands[0]}) {window}")
            case _:
                both = ", ".join(f"%{operand}" for operand in operands)
                lines.append(f"{head}add({both}) {{rounding=floor, multiplier_bits=8}}")
    text = "\n".join(['graph 2 "layers" {', *lines, f"  output %{output}", "}"])
    return parse_graph(text)


def _constants(name: str, seed: int) -> list[str]:
    weights = np.random.default_rng(seed).integers(-127, 128, 16 * 9 * 16).tolist()
    return [
        f"  const %{name}.w: i8[16,3,3,16]<0.002, 0> = {weights}",
        f"  const %{name}.b: i32[16] = {[5, -7] * 8}",
    ]


def chip(near_bytes: int | None) -> Target:
    """Siracusa, whose cluster has so many bytes for a network; None for all."""
    cluster = SIRACUSA.board.cluster
    assert cluster is not None
    if near_bytes is None:
        return SIRACUSA
    fewer = replace(cluster, network_bytes=near_bytes)
    return replace(SIRACUSA, board=replace(SIRACUSA.board, cluster=fewer))


def tiled(graph: Graph, near_bytes: int | None = None) -> Program:
    """What the pass `tile` makes of it."""
    on = chip(near_bytes)
    return TileCalls(on, KERNELS).run(prepare(lower(graph, on, KERNELS), on, KERNELS))
