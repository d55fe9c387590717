"""Networks whose weights lie in a remote memory (L3), on the GAP9-like chip: how long core 0 waits for what the uDMA
brings through L2, every output byte compared with the evaluator's.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tinsmith_driver.benchmarks.mlperf_tiny import read_baseline
from tinsmith_driver.benchmarks.mobilenet_v2 import mobilenet_v2
from tinsmith_driver.benchmarks.pulp_checkout import BenchmarkError
from tinsmith_driver.benchmarks.subjects import Subject, byte_status, compared, made_model, tiny
from tinsmith_driver.options import CompileOptions, PassChoice
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.staged import staged_facts
from tinsmith_driver.table import table, thousands

TARGET = "gap9"
NETWORKS = ("vww", "mobilenet_v2")
_PASS = "set-rounding{mode=floor,narrow=yes}"
_MOST_WAITING = {"vww": 0.10}
_TIMEOUT_SECONDS = 600
_PIXELS, _WIDTH = 144, 0.35


@dataclass(frozen=True)
class RemoteRow:
    """cycles: of an inference. far: bytes of constants in the remote memory; fetched: bytes that an inference brings
    from there. used: bytes of L2 that they take at once. waiting: share of core 0's cycles in which it waits for that.
    """

    network: str
    status: str
    cycles: int
    far: int
    fetched: int
    used: int
    waiting: float


def remote_row(network: str) -> RemoteRow:
    """Of one of NETWORKS. Raises BenchmarkError where no constant lies far."""
    subject = _subject(network)
    options = CompileOptions(TARGET, passes=(PassChoice.parse(_PASS),))
    compilation = compile_model(subject.model, options)
    found, _ = compared(compilation, subject.samples(compilation.graph, 1), _TIMEOUT_SECONDS)
    facts = staged_facts(compilation, found)
    if facts is None or facts["waiting"] is None:
        raise BenchmarkError(
            f"{network}: expected constants in a remote memory of {TARGET}, got none"
        )
    return RemoteRow(
        network,
        byte_status(found),
        found.cycles or 0,
        facts["far_bytes"],
        facts["fetched"],
        facts["used"],
        facts["waiting"],
    )


def _subject(network: str) -> Subject:
    if network in read_baseline()[0]:
        return tiny(network)
    return Subject(made_model(mobilenet_v2(_PIXELS, _WIDTH)))


def remote_misses(rows: Iterable[RemoteRow]) -> Iterator[str]:
    """Wrong bytes, and cores that wait for too long."""
    for row in rows:
        most = _MOST_WAITING.get(row.network)
        if row.status != "ok":
            yield f"{row.network} on {TARGET}: {row.status}"
        if most is not None and row.waiting > most:
            yield f"{row.network} on {TARGET}: {row.waiting:.1%} of its cycles wait, must be {most:.0%} at most"


def remote_text(rows: list[RemoteRow]) -> str:
    """A table for people."""
    if not rows:
        return ""
    header = [
        "weights in L3",
        "cycles",
        "bytes in L3",
        "fetched",
        "bytes of L2",
        "waiting",
        "at most",
        "status",
    ]
    lines = [
        [
            row.network,
            *map(thousands, (row.cycles, row.far, row.fetched, row.used)),
            f"{row.waiting:.1%}",
            f"{_MOST_WAITING[row.network]:.0%}" if row.network in _MOST_WAITING else "-",
            row.status,
        ]
        for row in rows
    ]
    return table(header, lines)
