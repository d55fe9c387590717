"""Constants that are fetched from a remote memory, for the report and for people."""

from collections.abc import Sequence

from tinsmith_emulators import CoreCounts
from tinsmith_lowering import StagedConstants

from tinsmith_driver.compilation import Compilation
from tinsmith_driver.report_types import StagedFacts
from tinsmith_driver.running import Measurement
from tinsmith_driver.table import thousands

_WAIT = "fetch_wait"
"""The simulator's cause of a core that sleeps until a fetch has ended."""


def staged_facts(
    compilation: Compilation, measurement: Measurement | None = None
) -> StagedFacts | None:
    """None if no constant lies in a remote memory."""
    found = compilation.facts(StagedConstants)
    if found is None:
        return None
    return {
        "engine": str(compilation.target.board.fetch),
        "far": found.far,
        "far_bytes": found.far_bytes,
        "fetches": found.fetches,
        "fetched": found.fetched_bytes,
        "memory": found.memory,
        "used": found.used_bytes,
        "room": found.room_bytes,
        "resident": found.resident_bytes,
        "waiting": None if measurement is None else _waiting(measurement.cores),
    }


def _waiting(cores: Sequence[CoreCounts]) -> float | None:
    """The share of its cycles in which the core that fetches, the first one, waited for that; None if not counted."""
    if not cores or not cores[0].cycles:
        return None
    return round(dict(cores[0].stalls).get(_WAIT, 0) / cores[0].cycles, 6)


def staged_text(facts: StagedFacts) -> str:
    """One line."""
    text = (
        f"{facts['far']}: {thousands(facts['fetched'])} bytes fetched by {facts['engine']} in each inference, "
        f"{thousands(facts['fetches'])} times, to {thousands(facts['used'])} of {thousands(facts['room'])} bytes of "
        f"{facts['memory']}"
    )
    if facts["waiting"] is not None:
        text += f"; waiting for it: {facts['waiting']:.1%}"
    return text
