"""Where absl's log goes while a command runs: standard error, as far as -v says, and the file of --log-file.

Who logs is the driver: decisions of passes are `logging.vlog(1, ...)`, a line each, what led to them `vlog(2, ...)`.
"""

import logging as standard
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from absl import flags, logging
from tinsmith_ir import UsageError
from tinsmith_ir.escape import visible

from tinsmith_driver.progress import erase_bars
from tinsmith_driver.terminal import fitted_prose

DECISION, DETAIL = 1, 2
"""Levels of absl's `--verbosity` at which a decision is said, and what led to it."""


@logging.skip_log_prefix
def log_decision(text: str) -> None:
    """Say what was decided, in one line whatever names it holds."""
    logging.vlog(DECISION, "%s", visible(text))


@logging.skip_log_prefix
def log_detail(text: str) -> None:
    """Say what led to a decision."""
    logging.vlog(DETAIL, "%s", visible(text))


def decisions_are_logged() -> bool:
    """Whether anybody wants them: what is dear to find out is not found out for nobody."""
    return logging.vlog_is_on(DECISION)


def details_are_logged() -> bool:
    """The same of what led to them."""
    return logging.vlog_is_on(DETAIL)


@contextmanager
def logging_as_asked(log_file: Path | None) -> Generator[None]:
    """Within, absl's log goes where its flags and `log_file` say; the file is begun anew.

    Only the driver's own level changes: other libraries' loggers stay at theirs (`--logger_levels`). Raises UsageError
    if the file cannot be written.
    """
    asked = flags.FLAGS
    level = _standard(asked.verbosity)
    root, own, handler = standard.getLogger(), _own_logger(), logging.get_absl_handler()
    with ExitStack() as stack:
        stack.enter_context(_restored(root, own, handler))
        handler.python_handler.stream = sys.stderr
        if asked["log_dir"].present:
            handler.use_absl_log_file("tinsmith", asked.log_dir)
            if not asked.logtostderr:
                stack.callback(handler.python_handler.stream.close)
        handler.setFormatter(_Lines())
        if handler not in root.handlers:
            root.addHandler(handler)
        lowest = level
        if log_file is not None:
            lowest = min(level, _standard(DECISION))
            to_file = stack.enter_context(_file_handler(log_file))
            to_file.setLevel(lowest)
            root.addHandler(to_file)
        handler.setLevel(lowest if asked.alsologtostderr else level)
        # Its records reach all handlers of the root, whose own level is for loggers that have none.
        own.setLevel(lowest)
        root.setLevel(max(standard.WARNING, root.level))
        yield


class _Lines(logging.PythonFormatter):
    """On standard error what the driver says stands alone; others' lines say whence they come."""

    def format(self, record: standard.LogRecord) -> str:
        """One line, which goes on below on a terminal that is too narrow."""
        to_file = logging.get_absl_handler().python_handler.stream is not sys.stderr
        if to_file or record.name != _own_logger().name:
            line = super().format(record)
        else:
            line = fitted_prose(record.getMessage(), sys.stderr)
        if not to_file:
            erase_bars()  # here, since only what is written is formatted
        return line


class _FileHandler(standard.StreamHandler):  # pyright: ignore[reportMissingTypeArgument]
    """What cannot be written, as on a full disk, ends the command as it does elsewhere."""

    def handleError(self, record: standard.LogRecord) -> None:  # noqa: N802
        """Called where an exception is handled."""
        del record
        error = sys.exception()
        if isinstance(error, OSError):
            raise UsageError(f"--log-file: cannot be written: {error.strerror}") from error
        raise


@contextmanager
def _file_handler(path: Path) -> Generator[standard.Handler]:
    try:
        stream = path.open("w", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(
            f"--log-file: expected a file that can be written, got {path}: {error.strerror}"
        ) from error
    try:
        handler = _FileHandler(stream)
        handler.setFormatter(logging.PythonFormatter())
        yield handler
    finally:
        # What was not written is tried again, and has been said.
        with suppress(OSError):
            stream.close()


@contextmanager
def _restored(
    root: standard.Logger, own: standard.Logger, handler: logging.ABSLHandler
) -> Generator[None]:
    levels = root.level, own.level, handler.level
    handlers, stream = root.handlers[:], handler.python_handler.stream
    formatter = handler.python_handler.formatter
    try:
        yield
    finally:
        root.setLevel(levels[0])
        own.setLevel(levels[1])
        handler.setLevel(levels[2])
        root.handlers[:] = handlers
        handler.python_handler.stream = stream
        handler.setFormatter(formatter)


def _own_logger() -> standard.Logger:
    return logging.get_absl_logger()


def _standard(verbosity: int) -> int:
    """absl's --verbosity as a level of `logging`: -3 FATAL to 1 DEBUG, 10 apart; more is below, 1 apart."""
    if verbosity <= DECISION:
        return standard.INFO - 10 * max(verbosity, logging.FATAL)
    return max(standard.DEBUG - (verbosity - 1), 1)
