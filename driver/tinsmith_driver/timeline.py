"""Tiled layers along the cycles of a run, for the page of the report: how long each took, what of that was work, and
how long the model has it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tinsmith_ir.escape import visible

from tinsmith_driver.drawing import Rectangle, colour_of, rectangle, room_for_text, ticks
from tinsmith_driver.labels import Labels
from tinsmith_driver.report_types import TiledLayerRow, TilingFacts
from tinsmith_driver.table import thousands

WORK = "work"

_WIDTH, _LEFT = 1100.0, 70.0
_STACK, _BAR, _GAP, _BOTTOM = 150.0, 22.0, 8.0, 20.0
_CHARACTER_WIDTH = 6.4
_COLOURS = {
    WORK: "hsl(140 45% 55%)",
    "instruction_cache": "hsl(30 85% 60%)",
    "l1_conflict": "hsl(350 70% 65%)",
    "multi_cycle": "hsl(210 60% 72%)",
    "dma_wait": "hsl(285 50% 60%)",
    "dma_poll": "hsl(265 50% 70%)",
    "barrier": "hsl(55 80% 60%)",
    "dispatch": "hsl(0 0% 72%)",
    "branch": "hsl(190 50% 60%)",
    "misaligned": "hsl(90 55% 75%)",
    "load_use": "hsl(240 55% 75%)",
    "l2": "hsl(15 65% 60%)",
    "memory": "hsl(15 40% 65%)",
    "accelerator": "hsl(320 45% 65%)",
}


@dataclass(frozen=True)
class Timeline:
    """rows: name and middle of each. ticks: place and cycle. legend: what a colour is."""

    width: float
    height: float
    left: float
    parts: list[Rectangle]
    rows: list[tuple[str, float]]
    ticks: list[tuple[float, str]]
    legend: list[tuple[str, str]]


def timeline(tiling: TilingFacts) -> Timeline:
    """Rows: what was simulated, if it was, and what was modelled, both on one scale."""
    layers = tiling["layers"]
    simulated = [layer["cycles"] for layer in layers if layer["cycles"] is not None]
    is_simulated = len(simulated) == len(layers)
    longest = max(tiling["modelled"], sum(simulated) if is_simulated else 0, 1)
    scale = (_WIDTH - _LEFT) / longest
    parts: list[Rectangle] = []
    rows: list[tuple[str, float]] = []
    top = 0.0
    labels = Labels({visible(layer["name"]) for layer in layers})
    if is_simulated:
        parts += _stacks(layers, simulated, scale, labels)
        rows.append(("simulated", _STACK / 2))
        top = _STACK + _GAP
    parts += _bars(layers, scale, top, labels)
    rows.append(("modelled", top + _BAR / 2))
    causes = _causes(layers) if is_simulated else []
    legend = [(cause.replace("_", " "), _colour_of_cause(cause)) for cause in causes]
    return Timeline(
        _WIDTH,
        top + _BAR + _BOTTOM,
        _LEFT,
        parts,
        rows,
        ticks(_LEFT, scale, longest),
        legend,
    )


def _stacks(
    layers: Sequence[TiledLayerRow], cycles: Sequence[int], scale: float, labels: Labels
) -> Iterable[Rectangle]:
    """Of each layer the shares of all cores' cycles, work at the bottom."""
    x = _LEFT
    for layer, count in zip(layers, cycles, strict=True):
        width, y = count * scale, _STACK
        name = visible(layer["name"])
        for cause, share in _shares(layer):
            height = share * _STACK
            y -= height
            title = f"{name}: {thousands(count)} cycles, {cause.replace('_', ' ')} {share:.1%}"
            label = _label(labels, name, width) if cause == WORK and height >= 15 else ""
            yield rectangle(title, label, x, y, width, height, _colour_of_cause(cause))
        x += width


def _bars(
    layers: Sequence[TiledLayerRow], scale: float, top: float, labels: Labels
) -> Iterable[Rectangle]:
    x = _LEFT
    for layer in layers:
        width, name = layer["modelled"] * scale, visible(layer["name"])
        title = f"{name}: {thousands(layer['modelled'])} cycles by the model, {layer['way']}"
        yield rectangle(
            title, _label(labels, name, width), x, top, width, _BAR, colour_of(layer["way"])
        )
        x += width


def _shares(layer: TiledLayerRow) -> list[tuple[str, float]]:
    cores = layer["cluster"]
    return [] if cores is None else [(WORK, cores["utilisation"]), *cores["waits"].items()]


def _causes(layers: Sequence[TiledLayerRow]) -> list[str]:
    """Those of some layer that can be seen, in the order of what they take of all."""
    totals: dict[str, float] = {}
    for layer in layers:
        for cause, share in _shares(layer):
            totals[cause] = totals.get(cause, 0.0) + share * (layer["cycles"] or 0)
    whole = sum(totals.values())
    seen = [cause for cause, total in totals.items() if total >= 0.002 * whole]
    return sorted(seen, key=lambda cause: (cause != WORK, -totals[cause]))


def _label(labels: Labels, name: str, width: float) -> str:
    return labels.of(name, room_for_text(width, _CHARACTER_WIDTH))


def _colour_of_cause(cause: str) -> str:
    return _COLOURS.get(cause) or colour_of(cause)
