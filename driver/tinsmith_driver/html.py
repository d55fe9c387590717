"""The report as one HTML page with nothing to load: report.json for people, maps of memories, tiles along time."""

from typing import Literal
from urllib.parse import quote

from tinsmith_driver.bars import bars
from tinsmith_driver.cluster import waits_text
from tinsmith_driver.compressed import compression_text
from tinsmith_driver.engine_timeline import engine_timeline
from tinsmith_driver.held import held_text
from tinsmith_driver.memory_map import memory_maps
from tinsmith_driver.orders import order_text
from tinsmith_driver.page import rendered
from tinsmith_driver.report_types import Report, TiledLayerRow
from tinsmith_driver.rows import stream_text
from tinsmith_driver.staged import staged_text
from tinsmith_driver.table import thousands
from tinsmith_driver.tiling import percent, tiling_text
from tinsmith_driver.timeline import timeline
from tinsmith_driver.verdict import verdict

_SHOWN_WAITS = 3


def html_report(report: Report, trace: str | None = None, traced: bytes | None = None) -> str:
    """The page. report: as `tinsmith_driver.report` makes it; trace: where one of a run lies, from the page's folder;
    traced: its content, of a run on a cluster.
    """
    tiling = report["tiling"]
    return rendered(
        "report.html.jinja",
        report=report,
        verdict=verdict(report.get("run")),
        facts=_facts(report),
        bars=bars(report),
        cost=_cost(report),
        layers=_layers(report, _cost(report)),
        cores=_cores(report),
        tiling=_tiling(report),
        tiling_summary=[] if tiling is None else tiling_text(tiling).split("\n"),
        notes=_notes(report),
        timeline=None if tiling is None else timeline(tiling),
        engines=None if traced is None else engine_timeline(traced),
        trace=quote(trace) if trace is not None else "",
        maps=memory_maps(report["ram"]["memories"], report["buffers"], report["layers"]),
    )


def _notes(report: Report) -> list[tuple[str, list[str]]]:
    """Title and lines of what was done to constants and rows, where it was."""
    notes: list[tuple[str, list[str]]] = []
    if (streams := report["streams"]) is not None:
        lines = stream_text(streams).split("\n")
        notes.append(("Rows that stream: tensors that are never whole", lines))
    if (compression := report["compression"]) is not None:
        notes.append(("Compressed constants", [compression_text(compression)]))
    if (held := report["held"]) is not None:
        notes.append(("Constants in faster memory", [held_text(held)]))
    if (staged := report["staged"]) is not None:
        notes.append(("Constants from a remote memory", [staged_text(staged)]))
    return notes


def _facts(report: Report) -> list[tuple[str, str, str]]:
    """Title, value, note."""
    ram, flash, run = report["ram"], report["flash"], report.get("run")
    facts: list[tuple[str, str, str]] = []
    if run is not None and (accuracy := run["accuracy"]) is not None:
        right, labelled = accuracy["right"], accuracy["labelled"]
        share = f"{right / labelled:.1%}" if labelled else "-"
        facts.append(
            ("right answers", share, f"{thousands(right)} of {thousands(labelled)} labels")
        )
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
    costs = [layer[what] or 0 for layer in report["layers"]]
    largest, total = max(costs, default=0), sum(costs)
    rows: list[dict[str, str]] = []
    for layer in report["layers"]:
        cost, macs = layer[what], layer["macs"]
        per_mac = f"{cost / macs:.2f}" if cost and macs else "-"
        rows.append(
            {
                "name": layer["name"],
                "op": layer["op"],
                "kernel": layer["kernel"],
                "shapes": f"{_shape(layer['in_shape'])} → {_shape(layer['out_shape'])}",
                "weights": thousands(layer["weights"] or None),
                "macs": thousands(macs or None),
                "cost": thousands(cost),
                "per_mac": per_mac,
                "share": f"{(cost or 0) / max(total, 1):.1%} of all",
                "width": f"{100 * (cost or 0) / max(largest, 1):.1f}",
                "arena_live": thousands(layer["arena_live"]),
            }
        )
    return rows


def _shape(shape: list[int] | None) -> str:
    """`1×8×8×16`; nothing is read but constants, or one element has no axes: a hyphen."""
    return "×".join(map(str, shape or ())) or "-"
