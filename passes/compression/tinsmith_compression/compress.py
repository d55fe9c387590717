"""The pass."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import ConstantsDoNotFitError, UsageError
from tinsmith_ir.passes import BIT_EXACT, Contract, Outcome
from tinsmith_ir.program import Program
from tinsmith_lowering import CompressedConstants, Kernel, stored_bytes
from tinsmith_target import Target

from tinsmith_compression.choice import cheapest
from tinsmith_compression.pieces import Compressing, Way

_MOST_TRIES = 8


@dataclass(frozen=True)
class CompressConstants(Checked):
    """Let constants take at most so many bytes of flash, at the cost of decompressing some of them in each inference.

    flash_bytes: of all constants of the program, with the gaps between them; None leaves programs as they are.
    tile_bytes: a call that reads more weights is done in parts, each of channels of its result, so that no more than
    these are decompressed at once; or as many as are free then beside the largest tensor.
    """

    target: Target
    kernels: Sequence[Kernel] = field(default=())
    flash_bytes: int | None = None
    tile_bytes: int = 4096

    name: ClassVar[str] = "compress-constants"
    # Kernels read the very bytes that they would have read.
    contract: ClassVar[Contract] = BIT_EXACT

    def __post_init__(self) -> None:
        """Raise UsageError for a size that is none."""
        super().__post_init__()
        if self.flash_bytes is not None and self.flash_bytes < 0:
            raise UsageError(f"{self.name}: expected flash-bytes from 0, got {self.flash_bytes}")
        if self.tile_bytes < 1:
            raise UsageError(f"{self.name}: expected tile-bytes from 1, got {self.tile_bytes}")

    def run(self, program: Program) -> Program:
        """See run_in_detail."""
        return self.run_in_detail(program).ir

    @checked
    def run_in_detail(self, program: Program) -> Outcome[Program]:
        """The program whose constants fit; the same object if they do so as they are. Facts: CompressedConstants.

        program: prepared, without loops; its buffers have no offsets. Raises ConstantsDoNotFitError if they do not fit
        compressed either.
        """
        before = stored_bytes(program)
        if self.flash_bytes is None or before <= self.flash_bytes:
            return Outcome(program)
        compressing = Compressing(program, self.target, self.kernels, self.tile_bytes)
        wanted, made = before - self.flash_bytes, program
        for _ in range(_MOST_TRIES):
            chosen = cheapest([[way.saving for way in ways] for ways in compressing.ways], wanted)
            if chosen is None:
                break
            ways = [
                ways[index]
                for ways, index in zip(compressing.ways, chosen, strict=True)
                if index is not None
            ]
            made = compressing.rewritten(ways)
            excess = stored_bytes(made) - self.flash_bytes
            if excess <= 0:
                return Outcome(made, facts=_facts(ways, before, stored_bytes(made)))
            # Constants that several calls share count once, and stay if one of these reads them.
            wanted += excess
        smallest = stored_bytes(compressing.rewritten(compressing.smallest))
        raise ConstantsDoNotFitError(
            "flash is too small for the network's constants: needed "
            f"{min(smallest, before):,} bytes, available {self.flash_bytes:,} bytes; they are {before:,} bytes where "
            "none is compressed, and the former where all are that gain by it"
        )


def _facts(ways: Sequence[Way], before: int, after: int) -> CompressedConstants:
    return CompressedConstants(
        tuple(way.call for way in ways), before, after, sum(way.saving.cost for way in ways)
    )
