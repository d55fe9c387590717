"""HTVM's schedule on DIANA's digital array: what the simulator shows of it, and what of it is HTVM's own code.

HTVM makes code layer by layer: each copies its operands from L2 and its result back, as
`use-scratchpad{round_trips=yes}` has it. Jobs, loads of weights, copies and the layers of the core are simulated, from
a trace of a run. Its driver, its transforms of tensors and the copies that only it makes are no code of ours; they are
counted by its rules, and each count is multiplied by a constant.

The constants were fitted to HTVM's published latencies (arXiv 2406.07453, table 1), so that totals near these say that
jobs, loads and copies are as many and as long as assumed, and nothing more of the constants.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

from tinsmith_ir import Graph

from tinsmith_driver.benchmarks.htvm_counts import counts
from tinsmith_driver.table import table, thousands
from tinsmith_driver.traces import Span, tracks_of

SCHEDULE = "use-scratchpad{round_trips=yes}"
"""The pass that makes it."""

TRIGGER_CYCLES = 474 - 100
"""Of a job, besides what the accelerator itself takes to begin one and to load, which is simulated."""
COPY_CYCLES = 36
"""Of a copy."""
COPY_BEGIN_CYCLES = 8
"""Of that the engine's part, simulated."""
CALL_CYCLES = 520
"""Of a layer: the run time's call, its allocation, prologue."""
TILE_CYCLES = 16
"""Of a round of the loop over tiles."""
TURN_CYCLES, SLOW_TURN_CYCLES = 5.3, 18.9
"""A byte, to reverse every four of a tensor between the core and the array; where rows are no multiple of four."""

_DIGITAL, CORE = "digital", "fabric controller"
"""Tracks of a trace."""
_COPY, _COMPUTE = "copy ", "compute "
DRIVER = (
    "tinsmith_diana_copy",
    "tinsmith_diana_digital",
    "tinsmith_diana_is_idle",
    "tinsmith_diana_start",
    "tinsmith_diana_try_copy",
    "tinsmith_diana_wait",
    "tinsmith_dma_",
    "prepare",
)
"""How functions of our own driver begin, for which HTVM's stands."""
_TURNING = ("tinsmith_diana_to_rows", "tinsmith_diana_from_rows")
"""Ours, for which HTVM's transforms stand."""

MOST_DIFFERENCE = 0.1
"""Of a total from what HTVM published, as a part of the latter."""


@dataclass(frozen=True)
class Simulated:
    """Cycles of an inference. array: of jobs, with their loads; copies: of `copied` copies; core: of its layers,
    without our driver and without turning tensors.
    """

    array: int
    copies: int
    copied: int
    core: int

    @property
    def cycles(self) -> int:
        """All of them: nothing is at the same time."""
        return self.array + self.copies + self.core


@dataclass(frozen=True)
class HtvmRow:
    """A network by HTVM's schedule. run: cycles of the simulated inference as a whole, with our driver. triggers to
    turning: cycles that are stated, not simulated. htvm_ms: what HTVM published.
    """

    network: str
    run: int
    simulated: Simulated
    triggers: int
    copies: int
    calls: int
    turning: int
    clock_hz: int
    htvm_ms: float

    @property
    def stated(self) -> int:
        """Cycles that are not simulated."""
        return self.triggers + self.copies + self.calls + self.turning

    @property
    def ms(self) -> float:
        """Of an inference."""
        return 1e3 * (self.simulated.cycles + self.stated) / self.clock_hz

    @property
    def ratio(self) -> float:
        """The total by what was published."""
        return self.ms / self.htvm_ms


@dataclass(frozen=True)
class Stated:
    """Cycles that are not simulated, as of HtvmRow."""

    triggers: int
    copies: int
    calls: int
    turning: int


def stated(graph: Graph, found: Simulated) -> Stated:
    """graph: as of `counts`."""
    made = counts(graph)
    return Stated(
        made.triggers * TRIGGER_CYCLES,
        own_copying(found, made.copies),
        made.calls * CALL_CYCLES + made.tiles * TILE_CYCLES,
        round((made.turned - made.slow) * TURN_CYCLES + made.slow * SLOW_TURN_CYCLES),
    )


def own_copying(found: Simulated, copies: int) -> int:
    """Cycles of so many copies that are not simulated: of those that are, the engine's part is."""
    own = found.copied * (COPY_CYCLES - COPY_BEGIN_CYCLES)
    return own + (copies - found.copied) * COPY_CYCLES


def htvm_row(graph: Graph, run: int, found: Simulated, clock_hz: int, htvm_ms: float) -> HtvmRow:
    """graph: as of `counts`; the others as of HtvmRow."""
    made = stated(graph, found)
    return HtvmRow(
        graph.name,
        run,
        found,
        made.triggers,
        made.copies,
        made.calls,
        made.turning,
        clock_hz,
        htvm_ms,
    )


def simulated(trace: bytes, run_function: str) -> Simulated:
    """What took the cycles of a run. trace: of DIANA, of one inference by that function."""
    tracks = tracks_of(trace)
    core = tracks[CORE]
    mine = [span for span in core if span.name == run_function]
    begin, end = mine[0].begin, mine[-1].end
    jobs, copies = jobs_and_copies(tracks[_DIGITAL], begin, end)
    others = (run_function, *DRIVER, *_TURNING)
    layers = (
        span for span in core if begin <= span.begin < end and not span.name.startswith(others)
    )
    return Simulated(
        cycles_of(jobs),
        cycles_of(copies),
        len(copies),
        cycles_of(layers),
    )


def jobs_and_copies(
    device: Sequence[Span], begin: int, end: int
) -> tuple[Sequence[Span], Sequence[Span]]:
    """Of an accelerator, those that begin in these cycles. device: its track."""
    both = [*_outermost(span for span in device if begin <= span.begin < end)]
    jobs = [span for span in both if not span.name.startswith(_COPY)]
    return jobs, [span for span in both if span.name.startswith(_COPY)]


def _outermost(spans: Iterable[Span]) -> Iterator[Span]:
    """Jobs without their parts, which lie within."""
    end = 0
    for span in sorted(spans, key=lambda span: (span.begin, -span.end)):
        if span.begin >= end:
            end = span.end
            yield span


def cycles_of(spans: Iterable[Span]) -> int:
    """All together."""
    return sum(span.end - span.begin for span in spans)


def htvm_misses(rows: Iterable[HtvmRow]) -> Iterator[str]:
    """Totals that are far from what was published."""
    for row in rows:
        if abs(row.ratio - 1) > MOST_DIFFERENCE:
            yield (
                f"{row.network}, HTVM's schedule: {row.ms:.3f} ms, {row.ratio:.2f} of HTVM's {row.htvm_ms} ms, "
                f"must be within {MOST_DIFFERENCE:.0%}"
            )


def htvm_text(rows: Sequence[HtvmRow]) -> str:
    """A table, empty without rows."""
    header = [
        "HTVM's schedule",
        "array",
        "copies",
        "core",
        "= simulated",
        "triggers",
        "copying",
        "calls",
        "turning",
        "= stated",
        "ms",
        "HTVM ms",
        "ratio",
        "our driver, ms",
    ]
    return table(header, [_line(row) for row in rows]) if rows else ""


def htvm_record(row: HtvmRow) -> dict[str, object]:
    """For programs: also what follows from the fields."""
    return {**asdict(row), "stated": row.stated, "ms": row.ms, "ratio": row.ratio}


def _line(row: HtvmRow) -> list[str]:
    parts = row.simulated
    cycles = (parts.array, parts.copies, parts.core, parts.cycles)
    cycles += (row.triggers, row.copies, row.calls, row.turning, row.stated)
    return [
        row.network,
        *map(thousands, cycles),
        f"{row.ms:.3f}",
        f"{row.htvm_ms:.2f}",
        f"{row.ratio:.2f}",
        f"{1e3 * row.run / row.clock_hz:.3f}",
    ]
