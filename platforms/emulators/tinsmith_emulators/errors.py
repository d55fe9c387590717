"""What can go wrong when firmware runs; one class per decision of the reader."""

from tinsmith_ir.errors import TinsmithError


class EmulatorError(TinsmithError):
    """Running failed; the base of all errors of this library. The answer to "does it run" is no."""

    exit_status = 1


class MissingEmulatorError(EmulatorError):
    """QEMU or the simulator is absent, or too old; the message says what to install."""

    exit_status = 2


class FirmwareTimeoutError(EmulatorError):
    """The program was still running when its time was over; it has been killed."""


class FirmwareCrashError(EmulatorError):
    """The program ended with a fault, a signal or an error status; the message has its report."""


class OutputError(EmulatorError):
    """The program ended well, but its output is not what the harness writes (too short, out of
    order).
    """
