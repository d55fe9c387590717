"""What the cores of a cluster did in a run or a part of it: how much was work, and what they waited for."""

from collections import Counter
from collections.abc import Mapping, Sequence

from tinsmith_emulators import CoreCounts

from tinsmith_driver.report_types import ClusterRun, ClusterShare

# Instructions of a loop that does nothing but ask whether the DMA is done: the core waits.
_POLL = "dma_poll"


def cluster_run(cores: Sequence[CoreCounts]) -> ClusterRun | None:
    """For the report; None where no cluster was counted."""
    shares = cluster_share(cores)
    if shares is None:
        return None
    return {
        "cores": len(cores),
        "utilisation": shares["utilisation"],
        "waits": shares["waits"],
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


def cluster_share(cores: Sequence[CoreCounts]) -> ClusterShare | None:
    """Shares of all cores' cycles, which add up to 1; None where none were counted. The largest wait comes first."""
    cycles = sum(core.cycles for core in cores)
    if cycles == 0:
        return None
    waits: Counter[str] = Counter()
    for core in cores:
        waits.update(core.stalls)
        waits[_POLL] += core.classes.get(_POLL, 0)
    working = sum(core.instructions for core in cores) - waits[_POLL]
    return {
        "utilisation": _share(working, cycles),
        "waits": {cause: _share(count, cycles) for cause, count in waits.most_common() if count},
    }


def cluster_text(run: ClusterRun) -> str:
    """Two lines for people."""
    waits = waits_text(run["waits"])
    return f"{run['cores']} cores, utilisation {run['utilisation']:.1%}\nwaits: {waits}"


def waits_text(waits: Mapping[str, float], most: int | None = None) -> str:
    """Those that are worth a word, the first `most` of them."""
    shown = [
        f"{cause.replace('_', ' ')} {share:.1%}"
        for cause, share in waits.items()
        if share >= _SHOWN
    ]
    return ", ".join(shown[:most]) or "none"


_SHOWN = 0.0005


def _share(part: int, whole: int) -> float:
    return round(part / whole, 6)
