"""What a user allows for the bits of weights: bytes, instructions or cycles of a target, loss."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tinsmith_emulators import need_emulator
from tinsmith_ir import UsageError
from tinsmith_quantization import BITS, Budget, Sensitivity

from tinsmith_driver.plugins import registry

BYTES, INSTRUCTIONS, CYCLES = "bytes", "instructions", "cycles"
FEWEST = (BYTES, INSTRUCTIONS, CYCLES)
"""What a user can ask for as few of as a loss allows."""


@dataclass(frozen=True)
class CostLimit:
    """number: of instructions or cycles at most; is_share: or so many hundredths of what 8 bits in all layers take."""

    number: float
    is_share: bool

    def most(self, eight_bits: int) -> int:
        """Instructions or cycles. eight_bits: what a run takes with 8 bits in all layers."""
        return int(eight_bits * self.number / 100) if self.is_share else int(self.number)


@dataclass(frozen=True)
class BitBudget:
    """weight_bytes, most: bounds; least_sqnr: in decibels, of what bits alone do to the outputs; each None for any.
    fewest: one of FEWEST, of which there is to be as little as least_sqnr allows; without that there is to be the least
    loss. choices: bits that a layer can have. target: on whose emulator runs are measured, None if nothing there is
    bounded; counted: what it counts, INSTRUCTIONS or CYCLES.
    """

    weight_bytes: int | None = None
    least_sqnr: float | None = None
    most: CostLimit | None = None
    fewest: str = BYTES
    choices: tuple[int, ...] = BITS
    target: str | None = None
    counted: str = INSTRUCTIONS

    @property
    def bounds_costs(self) -> bool:
        """Whether it is more than a bound of what is lost."""
        return self.weight_bytes is not None or self.target is not None

    @property
    def option(self) -> str:
        """The first that asks for it, as users write it."""
        if self.weight_bytes is not None:
            return "--weight-bytes"
        if self.most is not None:
            return f"--most-{self.counted}"
        return "--least-sqnr" if self.target is None else f"--fewest {self.fewest}"

    def of_layers(self) -> Budget:
        """As the quantizer takes it, without what a target measures."""
        least = "bytes" if self.fewest == BYTES else "cycles"
        return Budget(
            size_bytes=self.weight_bytes,
            sqnr_db=self.least_sqnr,
            least="noise" if self.least_sqnr is None else least,
            counted=self.counted,
        )

    def choices_with(self, given: Mapping[str, int]) -> tuple[int, ...]:
        """All bits to look at. given: those that a user has chosen, by layer."""
        return tuple(sorted({*self.choices, *given.values()}))

    def allowed(
        self, found: Sequence[Sensitivity], given: Mapping[str, int]
    ) -> tuple[Sensitivity, ...]:
        """Of all that was measured what may be chosen: of layers whose bits a user gives these alone."""
        return tuple(
            choice
            for choice in found
            if (
                choice.bits == given[choice.name]
                if choice.name in given
                else choice.bits in self.choices
            )
        )


def on_target(budget: BitBudget, target: str | None, option: str) -> BitBudget:
    """The budget with the target that counts what `option` bounds.

    Raises UsageError without one, and for one that counts something else or nothing; MissingEmulatorError where nothing
    runs its programs.
    """
    counted = budget.counted
    if target is None:
        raise UsageError(
            f"{option}: expected --target beside it, whose emulator counts {counted}, got none"
        )
    board = registry().target(target).board
    if board.emulator is None:
        raise UsageError(
            f"{option}: expected a target with an emulator, as {target} counts nothing"
        )
    known = CYCLES if board.emulator.counts_cycles else INSTRUCTIONS
    if known != counted:
        raise UsageError(
            f"{option}: the emulator of {target} counts {known}: expected {option.replace(counted, known)}"
        )
    need_emulator(board, registry().runners)
    return replace(budget, target=target)
