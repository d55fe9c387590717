"""The rows of networks on the simulated DIANA: what HTVM took, what each may take, the table."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass

from tinsmith_driver.table import table, thousands

OUR_SCHEDULE, HTVM_SCHEDULE, HTVM_MAPPING = "tinsmith", "htvm", "htvm's mapping"
_OUT_OF_MEMORY = "out of memory"

HTVM_MS: Mapping[tuple[str, str], float | None] = {
    ("dscnn", "cpu"): 48.24,
    ("mobilenet", "cpu"): None,
    ("resnet", "cpu"): 134.11,
    ("toyadmos", "cpu"): 4.70,
    ("dscnn", "digital"): 1.75,
    ("mobilenet", "digital"): 5.68,
    ("resnet", "digital"): 1.19,
    ("toyadmos", "digital"): 0.36,
}
"""By network and engines; None where it ran out of memory."""

_LEAST_TIMES: Mapping[str, float] = {"cpu": 4.0}
"""How many times faster than HTVM with the same engines."""

_MOST_MS: Mapping[tuple[str, str], float] = {
    ("dscnn", "digital"): 0.95,
    ("mobilenet", "digital"): 3.75,
    ("resnet", "digital"): 0.60,
    ("toyadmos", "digital"): 0.20,
    ("dscnn", "both"): 0.88,
    ("mobilenet", "both"): 3.50,
    ("resnet", "both"): 0.50,
    ("toyadmos", "both"): 0.20,
}
"""What else is bound, by network and engines."""

_MOST_MAPPED_MS: Mapping[str, float] = {
    "dscnn": 1.40,
    "mobilenet": 6.00,
    "resnet": 0.85,
    "toyadmos": 0.25,
}
"""By network, with the layers analog that were so in HTVM's mixed networks: what was reached."""


@dataclass(frozen=True)
class DianaRow:
    """macs: multiply-accumulates that passes have left, as they drop channels that change no output. cycles: of an
    inference, as simulated; stated: further ones of HTVM's schedule (`HtvmRow`). ms: of both at the board's clock.
    htvm_ms: HTVM's with these engines; None if there is no such figure. turned: cycles, among those simulated, of
    calls that turn inputs into what an accelerator reads; None if there is no such call, or HTVM's way is stated.
    """

    network: str
    engines: str
    schedule: str
    macs: int
    cycles: int
    stated: int
    ms: float
    htvm_ms: float | None
    bit_exact: bool
    turned: int | None = None

    @property
    def times(self) -> float | None:
        """HTVM's time by ours."""
        return None if self.htvm_ms is None or self.ms == 0 else self.htvm_ms / self.ms

    @property
    def most_ms(self) -> float | None:
        """What it may take; None if there is no bound. HTVM's schedule has another one (`htvm_misses`)."""
        if self.schedule == HTVM_SCHEDULE:
            return None
        if self.schedule == HTVM_MAPPING:
            return _MOST_MAPPED_MS[self.network]
        least = _LEAST_TIMES.get(self.engines)
        if least is not None and self.htvm_ms is not None:
            return self.htvm_ms / least
        return _MOST_MS.get((self.network, self.engines))


def diana_misses(rows: Iterable[DianaRow]) -> Iterator[str]:
    """Bounds that are missed: bytes, and milliseconds, some by how much faster than HTVM a network is."""
    for row in rows:
        what = f"{row.network}, {row.engines}, {row.schedule}"
        if not row.bit_exact:
            yield f"{what}: outputs differ from the evaluator's"
        if row.most_ms is not None and row.ms > row.most_ms:
            beside = "" if row.htvm_ms is None else f" (HTVM: {row.htvm_ms} ms)"
            yield f"{what}: {row.ms:.3f} ms, must be {row.most_ms:.3f} or less{beside}"


def diana_record(row: DianaRow) -> dict[str, object]:
    return {**asdict(row), "times": row.times, "most_ms": row.most_ms}


def diana_text(rows: list[DianaRow]) -> str:
    header = [
        "network",
        "engines",
        "schedule",
        "MACs",
        "simulated",
        "inputs turned",
        "stated",
        "ms",
        "HTVM ms",
        "times",
        "at most, ms",
        "bit-exact",
    ]
    return table(header, [_line(row) for row in rows])


def _line(row: DianaRow) -> list[str]:
    is_known = (row.network, row.engines) in HTVM_MS
    return [
        row.network,
        row.engines,
        row.schedule,
        thousands(row.macs),
        thousands(row.cycles),
        thousands(row.turned),
        thousands(row.stated),
        f"{row.ms:.3f}",
        f"{row.htvm_ms:.2f}" if row.htvm_ms is not None else _OUT_OF_MEMORY if is_known else "-",
        "-" if row.times is None else f"{row.times:.1f}",
        "-" if row.most_ms is None else f"{row.most_ms:.2f}",
        "yes" if row.bit_exact else "NO",
    ]
