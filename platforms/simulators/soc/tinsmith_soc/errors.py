"""What can go wrong; one class per decision of the reader."""

from tinsmith_ir.errors import TinsmithError, UsageError


class MissingSimulatorError(TinsmithError):
    """The simulator is neither built nor can it be; the message says what to do."""

    exit_status = 2


class UnknownChipError(UsageError):
    """There is no chip of that name; the message lists those there are."""
