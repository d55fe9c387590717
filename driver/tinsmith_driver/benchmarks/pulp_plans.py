"""Of `tinsmith bench pulp`: what the search for tiles gains over the greedy planner, and what cores wait for."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from tinsmith_driver.benchmarks.pulp_proof import Section
from tinsmith_driver.table import table, thousands

EXACT, GREEDY = "search", "greedy"
"""Planners: the one of the pass, and the one that the search begins with."""

# Causes that some network waits for so much are columns.
_SHOWN = 0.0005


@dataclass(frozen=True)
class Planned:
    """A network by one planner. status: of the row, "ok" or why nothing was measured. plan, gap, modelled: as the
    planner knows them; simulated: cycles of the network. seconds: of tiling and allocation.
    """

    network: str
    l1: int
    planner: str
    status: str
    modelled: int | None
    simulated: int | None
    seconds: float | None
    plan: str | None
    gap: float | None


@dataclass(frozen=True)
class Waits:
    """Shares of all cores' cycles of a network: with an instruction, and without by what they waited for."""

    network: str
    rounding: str
    work: float
    waits: Mapping[str, float]


def plan_section(rows: Sequence[Planned]) -> Section:
    """The search must not be slower by its model than what it begins with."""
    header = [
        "network", "L1", "planner", "modelled", "simulated", "by the search", "tiling s", "plan", "gap",
    ]  # fmt: skip
    searched = {(row.network, row.l1): row for row in rows if row.planner == EXACT}
    cells = [
        [
            row.network,
            thousands(row.l1),
            row.planner,
            thousands(row.modelled),
            thousands(row.simulated),
            _ratio(row.simulated, searched[row.network, row.l1].simulated),
            "-" if row.seconds is None else f"{row.seconds:.2f}",
            row.plan or row.status,
            "-" if row.gap is None else f"{row.gap:.1%}",
        ]
        for row in rows
    ]
    failures = [
        line for row in rows for line in _misses(row, searched[row.network, row.l1].modelled)
    ]
    return Section("plans", [asdict(row) for row in rows], table(header, cells), failures)


def _misses(row: Planned, searched: int | None) -> list[str]:
    where = f"{row.network}, L1 {row.l1:,}, {row.planner}"
    if row.status != "ok":
        return [f"{where}: {row.status}"]
    if row.modelled is not None and searched is not None and searched > row.modelled:
        return [f"{where}: {row.modelled:,} modelled cycles, the search has {searched:,}"]
    return []


def wait_section(rows: Sequence[Waits]) -> Section:
    """What the cores of each network do, a row each; it has no bound."""
    totals: dict[str, float] = {}
    for row in rows:
        for cause, share in row.waits.items():
            totals[cause] = max(totals.get(cause, 0.0), share)
    causes = sorted((c for c, most in totals.items() if most >= _SHOWN), key=lambda c: -totals[c])
    header = ["network", "rounding", "work", *(cause.replace("_", " ") for cause in causes)]
    cells = [
        [row.network, row.rounding, f"{row.work:.1%}"]
        + [f"{row.waits.get(cause, 0.0):.1%}" for cause in causes]
        for row in rows
    ]
    return Section("waits", [asdict(row) for row in rows], table(header, cells), [])


def _ratio(part: int | None, whole: int | None) -> str:
    return "-" if part is None or not whole else f"{part / whole:.3f}"
