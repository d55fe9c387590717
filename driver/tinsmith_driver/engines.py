"""Which back end `--engines` stands for: that of the cores, or that of an accelerator beside them."""

from tinsmith_ir import UsageError
from tinsmith_ir.escape import visible

from tinsmith_driver.plugins import registry

CLUSTER = "cluster"
"""The cores alone: the target's own back end."""
BOTH = "both"
"""The accelerator takes the layers that it can, the cores what it leaves."""


def backend_for(target: str, backend: str | None, engines: str | None) -> str | None:
    """The back end to prefer, None for the target's own.

    Raises UsageError for engines beside a back end, for a target without an accelerator, and for unknown engines.
    """
    if engines is None:
        return backend
    if backend is not None:
        raise UsageError(
            f"--engines {visible(engines)}: expected no --backend beside it, got --backend {backend}; leave one out"
        )
    accelerator = _accelerator(target)
    if accelerator is None:
        raise UsageError(
            f"--engines {visible(engines)}: expected a target with an accelerator that a back end drives, "
            f"got {target}; leave the option out"
        )
    choices = {CLUSTER: registry().target(target).backend, BOTH: accelerator}
    if engines not in choices:
        raise UsageError(
            f"--engines: expected {' or '.join(choices)}, got {visible(engines)!r}; {target} has {accelerator}"
        )
    return choices[engines]


def _accelerator(name: str) -> str | None:
    """The back end of the first accelerator of a target's cluster that stands before the target's own."""
    target = registry().target(name)
    cluster = target.board.cluster
    if cluster is None:
        return None
    found = (registry().backends.get(accelerator) for accelerator in cluster.accelerators)
    return next((entry.name for entry in found if entry and entry.behind == target.backend), None)
