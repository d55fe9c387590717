"""The report as one HTML page with nothing to load: report.json for people, a map of the arena, tiles along time."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal
from urllib.parse import quote

import jinja2
from tinsmith_allocation import Block, Plan
from tinsmith_ir.escape import visible

from tinsmith_driver.cluster import waits_text
from tinsmith_driver.compressed import compression_text
from tinsmith_driver.drawing import Rectangle, colour_of, end_of, rectangle, room_for_text
from tinsmith_driver.engine_timeline import engine_timeline
from tinsmith_driver.held import held_text
from tinsmith_driver.orders import order_text
from tinsmith_driver.report_types import Report, TiledLayerRow
from tinsmith_driver.rows import stream_text
from tinsmith_driver.staged import staged_text
from tinsmith_driver.table import thousands
from tinsmith_driver.tiling import percent, tiling_text
from tinsmith_driver.timeline import timeline

_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 1100.0, 340.0, 64.0, 20.0
_TICKS = 4
_CHARACTER_WIDTH = 5.6
_SHOWN_WAITS = 3


@dataclass(frozen=True)
class _Tick:
    y: float
    label: str


@dataclass(frozen=True)
class _Map:
    width: float
    height: float
    left: float
    boxes: list[Rectangle]
    ticks: list[_Tick]


def html_report(
    report: Report,
    plans: Mapping[str, Plan],
    trace: str | None = None,
    traced: bytes | None = None,
) -> str:
    """The page. report: as `tinsmith_driver.report` makes it; plans: of the memories, by name; trace: where one of a
    run lies, from the page's folder; traced: its content, of a run on a cluster.
    """
    source = files("tinsmith_driver").joinpath("report.html.jinja").read_text(encoding="utf-8")
    environment = jinja2.Environment(
        autoescape=True,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    template = environment.from_string(source)
    return template.render(
        report=report,
        facts=_facts(report),
        cost=_cost(report),
        layers=_layers(report, _cost(report)),
        cores=_cores(report),
        tiling=_tiling(report),
        tiling_summary=[]
        if report["tiling"] is None
        else tiling_text(report["tiling"]).split("\n"),
        streams=[] if report["streams"] is None else stream_text(report["streams"]).split("\n"),
        compression=""
        if report["compression"] is None
        else compression_text(report["compression"]),
        held="" if report["held"] is None else held_text(report["held"]),
        staged="" if report["staged"] is None else staged_text(report["staged"]),
        timeline=None if report["tiling"] is None else timeline(report["tiling"]),
        engines=None if traced is None else engine_timeline(traced),
        trace=quote(trace) if trace is not None else "",
        maps={name: _map(plan) for name, plan in plans.items()},
    )


def _visible(value: object) -> object:
    """What the template prints: names come as they are in the model file."""
    return visible(value) if isinstance(value, str) else value


def _facts(report: Report) -> list[tuple[str, str, str]]:
    """Title, value, note ("good" and "bad" colour the value)."""
    ram, flash, run = report["ram"], report["flash"], report.get("run")
    facts: list[tuple[str, str, str]] = []
    if run is not None and run["bit_exact"] is not None:
        verdict, colour = ("bit-exact", "good") if run["bit_exact"] else ("not bit-exact", "bad")
        facts.append((f"{run['inputs']} samples", verdict, colour))
    if run is not None and (share := run["file_float_share"]) is not None:
        is_close = share <= (run["float_tolerance"] or 0.0)
        facts.append(("floats of the file", f"{share:.2g} apart", "good" if is_close else "bad"))
    if run is not None and run["instructions"] is not None:
        per_mac = run["instructions"] / max(report["model"]["macs"], 1)
        facts.append(("instructions", thousands(run["instructions"]), f"{per_mac:.3f} per MAC"))
    if run is not None and run["cycles"] is not None:
        facts.append(("cycles", thousands(run["cycles"]), run["cycles_source"] or ""))
    if run is not None and (cluster := run["cluster"]) is not None:
        facts.append(("utilisation", f"{cluster['utilisation']:.1%}", f"{cluster['cores']} cores"))
    if (tiling := report["tiling"]) is not None:
        note = f"of {thousands(tiling['memory_bytes'])} at once"
        facts.append((f"{tiling['memory']}, bytes", thousands(tiling["used"]), note))
    facts.append(("MACs", thousands(report["model"]["macs"]), ""))
    bound = thousands(ram["arena_lower_bound"])
    facts.append(
        (
            "arena, bytes",
            thousands(ram["arena"]),
            f"{ram['arena_status'].replace('_', ' ')}, bound {bound}",
        )
    )
    if (order := report["order"]) is not None:
        facts.append(("live at once, bytes", thousands(order["peak"]), order_text(order)))
    if ram["total"] is not None:
        facts.append(("RAM, bytes", thousands(ram["total"]), f"stack {thousands(ram['stack'])}"))
    if flash["total"] is not None:
        note = f"weights {thousands(flash['weights'])}, code {thousands(flash['code'])}"
        facts.append(("flash, bytes", thousands(flash["total"]), note))
    return facts


def _cores(report: Report) -> list[list[str]]:
    """A table of what each core did, its head first; empty where no cluster was counted."""
    run = report.get("run")
    cluster = run["cluster"] if run is not None else None
    if cluster is None:
        return []
    causes = [cause for cause in cluster["waits"] if cause != "dma_poll"]
    rows = [
        [
            core["name"],
            thousands(core["cycles"]),
            thousands(core["instructions"]),
            *(thousands(core["stalls"].get(cause)) for cause in causes),
        ]
        for core in cluster["by_core"]
    ]
    return [["", "cycles", "instructions", *(cause.replace("_", " ") for cause in causes)], *rows]


def _tiling(report: Report) -> list[dict[str, str]]:
    """Of each layer in tiles what the page says of it; empty where there are none."""
    tiling = report["tiling"]
    return [] if tiling is None else [_tiled(layer) for layer in tiling["layers"]]


def _tiled(layer: TiledLayerRow) -> dict[str, str]:
    cores = layer["cluster"]
    return {
        "name": layer["name"],
        "way": layer["way"],
        "near": ", ".join(layer["near"]) or "-",
        "prefetched": "yes" if layer["prefetched"] else "no",
        "modelled": thousands(layer["modelled"]),
        "cycles": thousands(layer["cycles"]),
        "difference": percent(layer["difference"]),
        "utilisation": "-" if cores is None else f"{cores['utilisation']:.1%}",
        "waits": "-" if cores is None else waits_text(cores["waits"], _SHOWN_WAITS),
    }


def _cost(report: Report) -> Literal["cycles", "instructions"]:
    """What the layers are compared by: cycles where they were counted."""
    counted = any(layer["cycles"] is not None for layer in report["layers"])
    return "cycles" if counted else "instructions"


def _layers(report: Report, what: Literal["cycles", "instructions"]) -> list[dict[str, str]]:
    largest = max((layer[what] or 0 for layer in report["layers"]), default=0)
    rows: list[dict[str, str]] = []
    for layer in report["layers"]:
        cost, macs = layer[what], layer["macs"]
        per_mac = f"{cost / macs:.2f}" if cost and macs else "-"
        rows.append(
            {
                "name": layer["name"],
                "op": layer["op"],
                "kernel": layer["kernel"],
                "macs": thousands(macs or None),
                "cost": thousands(cost),
                "per_mac": per_mac,
                "share": f"{100 * (cost or 0) / max(largest, 1):.1f}",
                "arena_live": thousands(layer["arena_live"]),
            }
        )
    return rows


def _map(plan: Plan) -> _Map:
    arena = max(plan.arena_bytes, 1)
    first = min((block.first_step for block in plan.blocks), default=0)
    last = max((block.last_step for block in plan.blocks), default=0)
    column = (_WIDTH - _LEFT) / (last - first + 1)
    scale = (_HEIGHT - _BOTTOM) / arena
    boxes = [_box(plan, block, first, column, scale) for block in plan.blocks]
    ticks = [
        _Tick(max(i * arena // _TICKS * scale, 8.0), thousands(i * arena // _TICKS))
        for i in range(_TICKS + 1)
    ]
    return _Map(_WIDTH, _HEIGHT, _LEFT, boxes, ticks)


def _box(plan: Plan, block: Block, first: int, column: float, scale: float) -> Rectangle:
    offset = plan.offsets[block.name]
    width = (block.last_step - block.first_step + 1) * column
    height = block.size_bytes * scale
    room = room_for_text(width, _CHARACTER_WIDTH)
    name = visible(block.name)
    title = f"{name}: bytes {offset:,} to {offset + block.size_bytes:,}"
    return rectangle(
        f"{title}, steps {block.first_step} to {block.last_step}",
        end_of(name, room) if height >= 15 and room >= 4 else "",
        _LEFT + (block.first_step - first) * column,
        offset * scale,
        width,
        height,
        colour_of(name),
    )
