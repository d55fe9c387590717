"""The targets by name."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tinsmith_ir.checked import checked
from tinsmith_ir.errors import UsageError

from tinsmith_target import boards
from tinsmith_target.model import SocSimulator, Target

_WITH = "+"
"""In front of each feature behind a target's name."""

_TARGETS = (
    Target("host", "this computer", "host", frozenset(), boards.HOST, "reference"),
    Target(
        "cortex-m0",
        "Arm Cortex-M0 (Armv6-M: no DSP, no divide, no unaligned access)",
        "cortex-m0",
        frozenset(),
        boards.NRF51822,
        "cmsis_nn",
    ),
    Target(
        "cortex-m3",
        "Arm Cortex-M3 (Armv7-M)",
        "cortex-m3",
        frozenset(),
        boards.MPS2_AN385,
        "cmsis_nn",
    ),
    Target(
        "cortex-m4",
        "Arm Cortex-M4 with DSP extension and FPU",
        "cortex-m4",
        frozenset({"dsp", "fpu"}),
        boards.MPS2_AN386,
        "cmsis_nn",
    ),
    Target(
        "cortex-m7",
        "Arm Cortex-M7 with DSP extension and FPU",
        "cortex-m7",
        frozenset({"dsp", "fpu"}),
        boards.MPS2_AN500,
        "cmsis_nn",
    ),
    Target(
        "cortex-m33",
        "Arm Cortex-M33 with DSP extension and FPU",
        "cortex-m33",
        frozenset({"dsp", "fpu"}),
        boards.MPS2_AN505,
        "cmsis_nn",
    ),
    Target(
        "cortex-m55",
        "Arm Cortex-M55 with Helium (MVE)",
        "cortex-m55",
        frozenset({"dsp", "fpu", "mve"}),
        boards.MPS3_AN547,
        "cmsis_nn",
    ),
    Target(
        "riscv32",
        "RISC-V RV32IMC",
        "riscv32",
        frozenset(),
        boards.RISCV_VIRT,
        "cmsis_nn",
    ),
    Target(
        "pulp-open",
        "PULP-open: RV32IMC with CORE-V; 8 cores that share int8 layers, 64 KB beside them",
        "riscv32-corev",
        frozenset(),
        boards.PULP_OPEN,
        "pulp_nn",
    ),
    Target(
        "siracusa",
        "Siracusa, taken to have CORE-V; 8 cores that share int8 layers, 256 KB beside them",
        "riscv32-corev",
        frozenset(),
        boards.SIRACUSA,
        "pulp_nn",
    ),
    Target(
        "gap9",
        "GAP9-like: sizes of GAP9, CORE-V cores; 9 that share int8 layers, 128 KB beside them, 8 MB behind a uDMA",
        "riscv32-corev",
        frozenset(),
        boards.GAP9,
        "pulp_nn",
    ),
    Target(
        "diana",
        "DIANA's host, taken to have CORE-V; one core, 512 KB",
        "riscv32-corev",
        frozenset(),
        boards.DIANA,
        "pulp_nn",
    ),
    Target(
        "diana-images",
        "DIANA's host with 320 of its 512 KB for tensors, for images larger than the accelerators' memory",
        "riscv32-corev",
        frozenset(),
        boards.DIANA_IMAGES,
        "pulp_nn",
    ),
)


class UnknownTargetError(UsageError):
    """The name given for a target is none of the known ones; the message lists them."""


def targets() -> tuple[Target, ...]:
    """All targets, in the order in which tools should list them."""
    return _TARGETS


@checked
def target(name: str) -> Target:
    """The target called `name`, as of `target_among`. Raises UnknownTargetError if there is none."""
    return target_among(_TARGETS, name)


def target_among(known: Iterable[Target], name: str) -> Target:
    """The one of that name; behind it, each with a `+`, features that nobody has published: `diana+whole-vectors`.

    Raises UnknownTargetError if there is none, or its board may have no such feature; the message lists what there is.
    """
    by_name = {candidate.name: candidate for candidate in known}
    if name in by_name:
        return by_name[name]
    first, *features = name.split(_WITH)
    if first not in by_name:
        raise UnknownTargetError(f"unknown target {first!r}; known targets: {', '.join(by_name)}")
    return _with_features(by_name[first], name, features)


def _with_features(chosen: Target, name: str, features: Sequence[str]) -> Target:
    board = chosen.board
    may_have = {entry.feature: entry.constant for entry in board.unpublished}
    having = tuple(feature for feature in may_have if feature in features)
    if len(having) != len(features):
        expected = f"{', '.join(may_have)}, each once" if may_have else "none"
        raise UnknownTargetError(
            f"target {name!r}: expected features of {chosen.name} behind it ({expected}), got {', '.join(features)}"
        )
    constants = [constant for feature in having if (constant := may_have[feature]) is not None]
    emulator = board.emulator
    if isinstance(emulator, SocSimulator):
        emulator = replace(emulator, constants=(*emulator.constants, *constants))
    other = replace(board, emulator=emulator, accelerator_features=frozenset(having))
    return replace(chosen, name=name, board=other)
