"""The `tinsmith` command: reads the arguments, calls a command, turns errors into exit statuses.

As a program it is an absl app; as a function it leaves absl's flags and its log as they were.

Exit status: 0 done, 1 the answer is no (not bit-exact, does not fit, unsupported), 2 wrong use, 3 bad
model file, 4 internal error.
"""

import argparse
import contextlib
import io
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from absl import app, flags
from tinsmith_ir import TinsmithError
from tinsmith_ir.escape import visible

from tinsmith_driver.argument_groups import add_plugins
from tinsmith_driver.command_line import parser
from tinsmith_driver.flag_parser import flags_at_their_defaults
from tinsmith_driver.logs import logging_as_asked
from tinsmith_driver.messages import COLOR_CHOICES, ColorChoice, coloring, print_error
from tinsmith_driver.options import Memories
from tinsmith_driver.plugins import using
from tinsmith_driver.streams import lenient_streams
from tinsmith_driver.writing import (
    STANDARD_OUTPUT,
    refuse_collisions,
    text_beside_standard_output,
)

# Arguments that name a file, and how messages call them.
_READ = {
    "model": "MODEL",
    "inputs": "--inputs",
    "calibration": "--calibration",
    "before": "BEFORE",
    "after": "AFTER",
}
_WRITTEN = {
    "json": "--json",
    "html": "--html",
    "outputs": "--outputs",
    "difference": "--difference",
    "trace": "--trace",
    "markdown": "--markdown",
    "wrong": "--wrong",
    "plan": "--plan",
    "layers_csv": "--layers-csv",
    "log_file": "--log-file",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status. arguments: None for the program's, of an absl app."""
    _show_what_cannot_be_encoded()
    with lenient_streams(), coloring(_color_named(arguments)):
        try:
            status = _run(arguments)
            print(end="", flush=True)  # so that a full disk shows here, and is handled
            return status
        except TinsmithError as error:
            print_error(str(error))
            return error.exit_status
        except KeyboardInterrupt:
            print("tinsmith: interrupted", file=sys.stderr)
            return 130
        except OSError as error:  # a full disk, no right to write: the machine's word is what helps
            print_error(_said(error))
            _discard_output()
            return 2
        except MemoryError as error:  # a sound network, but not for this computer
            print_error(f"this computer has too little memory: {error}")
            return 2
        except Exception:  # the last line of defence: everything expected is a TinsmithError
            traceback.print_exc()
            print_error("please report the lines above", kind="internal error:")
            return 4


def _said(error: OSError) -> str:
    """Where, if that is known, and what the machine says."""
    if error.filename is None or error.strerror is None:
        return str(error)
    return f"{visible(str(error.filename))}: {error.strerror}"


def _run(arguments: Sequence[str] | None) -> int:
    with using(_plugins_named(arguments)), flags_at_their_defaults():
        try:
            if arguments is not None:
                return _called(_parsed(arguments))
            app.run(_called, sys.argv, flags_parser=lambda argv: _parsed(argv[1:]))
        except SystemExit as ended:  # absl's way to end; argparse has printed the reason
            return ended.code if isinstance(ended.code, int) else 2


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parsed = parser().parse_args(arguments)
    # absl would say more than warnings where nobody has said how much.
    flags.FLAGS["verbosity"].using_default_value = False
    if isinstance(getattr(parsed, "ram", None), Memories):
        parsed.memories, parsed.ram = parsed.ram, None
    refuse_collisions(_paths(parsed, _WRITTEN), _paths(parsed, _READ))
    return parsed


def _called(parsed: argparse.Namespace) -> int:
    """What the command says; its answer is the exit status."""
    with ExitStack() as stack:
        if getattr(parsed, "json", None) == STANDARD_OUTPUT:
            stack.enter_context(text_beside_standard_output())
        stack.enter_context(logging_as_asked(getattr(parsed, "log_file", None)))
        return parsed.command(parsed)


def _plugins_named(arguments: Sequence[str] | None) -> list[str]:
    """What the arguments say of plug-ins, which decide what else they may say."""
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    add_plugins(first)
    try:
        return first.parse_known_args(arguments)[0].plugins
    except argparse.ArgumentError:
        return []  # the whole parser says what is wrong


def _color_named(arguments: Sequence[str] | None) -> ColorChoice:
    """What the arguments say of colours, which their own errors have."""
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    first.add_argument("--color", choices=COLOR_CHOICES, default=COLOR_CHOICES[0])
    try:
        return first.parse_known_args(arguments)[0].color
    except argparse.ArgumentError:
        return COLOR_CHOICES[0]


def _paths(arguments: argparse.Namespace, names: Mapping[str, str]) -> dict[str, Path]:
    """Those of the arguments `names` that the command has and that were given, by how they are called."""
    found = {called: getattr(arguments, name, None) for name, called in names.items()}
    return {called: path for called, path in found.items() if isinstance(path, Path)}


def _show_what_cannot_be_encoded() -> None:
    """Where standard output or error is not UTF-8, print an escape rather than fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    """Send what is still to be written nowhere: Python would try again at its end, and complain."""
    with contextlib.suppress(OSError):  # standard output that is no file has no number
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
