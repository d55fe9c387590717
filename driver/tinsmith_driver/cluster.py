"""What the cores of a cluster did in a run: how much of it was work, and what they waited for."""

from collections import Counter
from collections.abc import Sequence

from tinsmith_emulators import CoreCounts

from tinsmith_driver.report_types import ClusterRun

# Instructions of a loop that does nothing but ask whether the DMA is done: the core waits.
_POLL = "dma_poll"


def cluster_run(cores: Sequence[CoreCounts]) -> ClusterRun | None:
    """For the report; None where no cluster was counted. Shares are of all cores' cycles, and add up to 1 with
    `utilisation`.
    """
    cycles = sum(core.cycles for core in cores)
    if cycles == 0:
        return None
    waits: Counter[str] = Counter()
    for core in cores:
        waits.update(core.stalls)
        waits[_POLL] += core.classes.get(_POLL, 0)
    working = sum(core.instructions for core in cores) - waits[_POLL]
    return {
        "cores": len(cores),
        "utilisation": _share(working, cycles),
        "waits": {cause: _share(count, cycles) for cause, count in waits.most_common() if count},
        "by_core": [
            {
                "name": core.name,
                "cycles": core.cycles,
                "instructions": core.instructions,
                "classes": dict(core.classes),
                "stalls": dict(core.stalls),
            }
            for core in cores
        ],
    }


def cluster_text(run: ClusterRun) -> str:
    """Two lines for people."""
    waits = ", ".join(
        f"{cause.replace('_', ' ')} {share:.1%}"
        for cause, share in run["waits"].items()
        if share >= _SHOWN
    )
    return f"{run['cores']} cores, utilisation {run['utilisation']:.1%}\nwaits: {waits or 'none'}"


_SHOWN = 0.0005


def _share(part: int, whole: int) -> float:
    return round(part / whole, 6)
