# pyright: basic, reportMissingImports=false
"""The digits' network with weights of few bits: quantized after training, and trained further for its integers.

A development-time script, as train.py is: `python examples/quantization/qat.py [SCHEME ...]` prints a table.
"""

import copy
import sys
from dataclasses import replace
from functools import partial

import numpy as np
import torch
from evaluate import prepared, scores
from networks import small
from tinsmith_ir import Graph
from tinsmith_qdq import FoldQuantization
from tinsmith_quantization import quantize, scheme
from tinsmith_quantization.ends import integer_ends
from tinsmith_quantization.torch_qat import draw_to_integers, prepare_qat
from tinsmith_torch import import_torch
from torch import Tensor, nn
from train import CALIBRATION_IMAGES, SEED, accuracy, fit, images

SCHEMES = ("int8", "int4", "ternary")
EPOCHS, MORE_EPOCHS = 30, 30
RATE, LOWER_RATE = 8e-3, 4e-3
DRAWN = 0.05


def as_integers(net: nn.Module, x: Tensor) -> Graph:
    """The integers of a network that was trained for them."""
    graph = FoldQuantization().run(import_torch(net.eval(), (x[:1],), name="digits"))
    return integer_ends(prepared(graph))


def afterwards(net: nn.Module, x: Tensor, name: str, rounding: str) -> Graph:
    """The integers of a network of floats."""
    graph = prepared(import_torch(net.eval(), (x[:1],), name="digits"))
    some = x[:CALIBRATION_IMAGES].permute(0, 2, 3, 1).numpy()
    samples = [{graph.inputs[0].name: image[None]} for image in some]
    chosen = replace(scheme(name), weights=rounding)
    return FoldQuantization().run(quantize(graph, samples, chosen).graph)


def steps_apart(net: nn.Module, graph: Graph, x: Tensor) -> tuple[float, float]:
    """Between the outputs that PyTorch trained and those of integers: the largest difference in steps, and the share of
    numbers that differ.
    """
    quantization = graph.outputs[0].type.quantization
    assert quantization is not None
    with torch.no_grad():
        wanted = net(x).numpy()
    steps = np.rint((scores(graph, nhwc(x)) - wanted) / quantization.scale)
    return float(np.abs(steps).max()), float((steps != 0).mean())


def nhwc(x: Tensor) -> np.ndarray:
    """Images channels last."""
    return x.permute(0, 2, 3, 1).numpy()


def drawn(net: nn.Module, share: float) -> None:
    """Weights nearer to their integers, behind the first tenth of all steps more and more."""
    draw_to_integers(net, DRAWN * max(share - 0.1, 0.0))


def right(graph: Graph, x: Tensor, labels: Tensor) -> float:
    """The share of images, in percent, that integers read as they should."""
    return 100 * float((scores(graph, nhwc(x)).argmax(1) == labels.numpy()).mean())


def main() -> None:
    """Train, quantize both ways, print."""
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    x, held_out, labels, wanted = images(8)
    net = small()
    fit(net, x, labels, EPOCHS, RATE)
    print(f"float: {100 * accuracy(net, held_out, wanted):.2f} %", flush=True)
    print(
        "| scheme | nearest, % | learned, % | trained, % | steps apart, at most | numbers apart, % |"
    )
    print("|---|---|---|---|---|---|")
    for name in sys.argv[1:] or SCHEMES:
        after = [
            right(afterwards(copy.deepcopy(net), x, name, rounding), held_out, wanted)
            for rounding in ("nearest", "learned")
        ]
        trained = prepare_qat(net, scheme(name))
        fit(trained, x, labels, MORE_EPOCHS, LOWER_RATE, partial(drawn, trained))
        graph = as_integers(trained, x)
        most, share = steps_apart(trained, graph, held_out)
        line = f"{after[0]:.2f} | {after[1]:.2f} | {right(graph, held_out, wanted):.2f}"
        print(f"| {name} | {line} | {most:.0f} | {100 * share:.2f} |", flush=True)


if __name__ == "__main__":
    main()
