"""What `--engines` stands for: a back end, that of the cores or of an accelerator beside them, and how layers are
placed.
"""

from dataclasses import dataclass

from tinsmith_ir import UsageError
from tinsmith_ir.checked import Checked
from tinsmith_ir.escape import visible

from tinsmith_driver.passes import PassChoice
from tinsmith_driver.plugins import registry

CLUSTER = "cluster"
"""The cores alone: the target's own back end."""
BOTH = "both"
"""Each layer where it is faster by the model."""
PLACING = "place-layers"
"""The pass that places them; by the name of an accelerator instead of BOTH it gives that all that it can compute."""


@dataclass(frozen=True)
class Engines(Checked):
    """backend: to prefer, None for the target's own. passes: choices of passes."""

    backend: str | None = None
    passes: tuple[PassChoice, ...] = ()


def engines_for(target: str, backend: str | None, engines: str | None) -> Engines:
    """What was chosen by --backend or --engines.

    Raises UsageError for engines beside a back end, for a target without an accelerator, and for unknown engines.
    """
    if engines is None:
        return Engines(backend)
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
    choices = {
        CLUSTER: Engines(registry().target(target).backend),
        accelerator: Engines(accelerator, (PassChoice(PLACING, {"by": "rule"}),)),
        BOTH: Engines(accelerator),
    }
    if engines not in choices:
        names = ", ".join(list(choices)[:-1])
        raise UsageError(
            f"--engines: expected {names} or {BOTH}, got {visible(engines)!r}; {target} has {accelerator}"
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
