"""What `--engines` stands for: a back end, that of the cores or of an accelerator beside them, and how layers are
placed.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tinsmith_ir import UsageError
from tinsmith_ir.checked import Checked
from tinsmith_ir.escape import visible
from tinsmith_plugins import TOGETHER

from tinsmith_driver.passes import PassChoice
from tinsmith_driver.plugins import registry

CLUSTER, CPU = "cluster", "cpu"
"""The cores alone, or the one core: the target's own back end."""
BOTH = "both"
"""Each layer where it is faster by the model."""
PLACING = "place-layers"
"""The pass that places them; by the name of an accelerator instead of BOTH it gives that all that it can compute."""


@dataclass(frozen=True)
class Engines(Checked):
    """backend: to prefer, None for the target's own; several with TOGETHER between them. passes: choices of passes."""

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
    accelerators = _accelerators(target)
    if not accelerators:
        raise UsageError(
            f"--engines {visible(engines)}: expected a target with an accelerator that a back end drives, "
            f"got {target}; leave the option out"
        )
    own = registry().target(target)
    choices = {
        CPU if own.board.cluster is None else CLUSTER: Engines(own.backend),
        **{
            name: Engines(found, (PassChoice(PLACING, {"by": "rule"}),))
            for name, found in accelerators.items()
        },
        BOTH: Engines(TOGETHER.join(accelerators.values())),
    }
    if engines not in choices:
        names = ", ".join(list(choices)[:-1])
        raise UsageError(
            f"--engines: expected {names} or {BOTH}, got {visible(engines)!r}; {target} has {', '.join(accelerators)}"
        )
    return choices[engines]


def _accelerators(name: str) -> Mapping[str, str]:
    """The accelerators of a target's board, each with the back end that drives it and leaves all else to the target's
    own.
    """
    target = registry().target(name)
    cluster, scratchpad = target.board.cluster, target.board.scratchpad
    names = (
        *(cluster.accelerators if cluster else ()),
        *(scratchpad.accelerators if scratchpad else ()),
    )
    driven = {
        entry.accelerator or entry.name: entry.name
        for entry in registry().backends.values()
        if entry.behind == target.backend
    }
    return {name: driven[name] for name in names if name in driven}
