"""What a user can choose about a compilation."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tinsmith_ir import UsageError
from tinsmith_toolchains import CompilerName, flags

from tinsmith_driver.passes import PassChoice

OPTIMIZATIONS = tuple(flags().optimize)
COMPILERS: tuple[CompilerName, ...] = ("zig", "gcc")

SPILLING = "spill-buffers"
"""The pass that divides an arena among memories."""

COMPRESSING = "compress-constants"
"""The pass that makes constants take less flash."""

HOLDING = "hold-constants"
"""The pass that copies constants to faster memory."""

EXPOSING = "expose-ends"
"""The pass that leaves inputs and outputs to the caller."""

IO = ("arena", "external")
"""Where inputs and outputs lie."""

_NOT_IN_IDENTIFIERS = re.compile(r"\W+", re.ASCII)


class Memories(dict[str, int | None]):
    """Name -> bytes of the memories that the arena is divided among, fast to slow; None for what the board has."""


@dataclass(frozen=True)
class Waits:
    """Cycles that a load of four bytes waits on average: flash, of constants where they lie; ram, in the arena, or the
    fastest of its memories. may_grow: copies of constants may take all of the RAM that there is.
    """

    flash: float = 0.0
    ram: float = 0.0
    may_grow: bool = False


@dataclass(frozen=True)
class CompileOptions:
    """target: a name of `tinsmith targets`. backend: kernels to prefer, None for the target's.

    name: prefix of the C names, None for the model file's name. optimize: one of OPTIMIZATIONS, for the
    firmware; None for the default of flags.bzl.
    packed: whether our own kernels with rearranged weights may be called beside the public CMSIS-NN API.
    passes: options of passes, and passes that run only when asked for; without: names of passes to leave out.
    verify_passes: evaluate what every pass makes, Graph or Program, on random inputs.
    ram_bytes: what the arena may take; None for any size. memories: what it is divided among, name -> bytes, fast to
    slow; empty for one memory. waits: how fast they are. flash_bytes: what constants may take; None for any size.
    cores: of the target's cluster, l1_bytes: what the network may use of its memory; None for all there is, else for
    targets with a cluster alone. compiler: of the firmware; gcc is arm-none-eabi-gcc for boards. sanitize: run under
    AddressSanitizer and UBSan (host, gcc). io: one of IO; external has the caller keep inputs and outputs.
    weights_section: where constants of the C lie, see `WriteOptions`.
    """

    target: str
    backend: str | None = None
    name: str | None = None
    optimize: str | None = None
    packed: bool = True
    passes: tuple[PassChoice, ...] = ()
    without: tuple[str, ...] = ()
    verify_passes: bool = False
    ram_bytes: int | None = None
    memories: tuple[tuple[str, int], ...] = ()
    waits: Waits = Waits()
    flash_bytes: int | None = None
    cores: int | None = None
    l1_bytes: int | None = None
    compiler: CompilerName = "zig"
    sanitize: bool = False
    io: str = "arena"
    weights_section: str = ""

    @property
    def all_passes(self) -> tuple[PassChoice, ...]:
        """Those asked for, and those behind options: what leaves inputs and outputs to the caller, divides the arena
        among memories, compresses constants, and copies them where RAM is faster.
        """
        asked = self.passes
        if self.io == "external":
            asked = _with(asked, PassChoice(EXPOSING))
        if self.memories:
            sizes = "+".join(f"{name}:{size}" for name, size in self.memories)
            asked = _with(asked, PassChoice(SPILLING, {"memories": sizes}))
        if self.flash_bytes is not None:
            asked = _with(asked, PassChoice(COMPRESSING, {"flash_bytes": str(self.flash_bytes)}))
        if self.waits.flash > self.waits.ram:
            options = {
                "flash_waits": f"{self.waits.flash:g}",
                "ram_waits": f"{self.waits.ram:g}",
                "may_grow": "yes" if self.waits.may_grow else "no",
            }
            asked = _with(asked, PassChoice(HOLDING, options))
        return asked


def _with(asked: tuple[PassChoice, ...], more: PassChoice) -> tuple[PassChoice, ...]:
    """The choices with further options of a pass, of which those that were asked for stay."""
    own = [choice.options for choice in asked if choice.name == more.name]
    others = tuple(choice for choice in asked if choice.name != more.name)
    merged = dict(more.options)
    for options in own:
        merged |= options
    return (*others, PassChoice(more.name, merged)) if len(own) < 2 else (*asked, more)


def c_name(path: Path) -> str:
    """A C identifier in lower case from a file's name: `kws ref-model.tflite` -> `kws_ref_model`."""
    name = _NOT_IN_IDENTIFIERS.sub("_", path.stem).strip("_").lower() or "model"
    return name if not name[0].isdigit() else f"model_{name}"


def selection(text: str | None, known: Sequence[str], what: str) -> list[str]:
    """The names in a comma-separated list, all of them when there is none.

    Raises UsageError for an unknown name.
    """
    names = list(known) if text is None else text.split(",")
    for name in names:
        if name not in known:
            raise UsageError(f"unknown {what} {name!r}: expected one of {', '.join(known)}")
    return names
