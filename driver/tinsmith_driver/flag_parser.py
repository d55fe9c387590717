"""argparse with absl's flags beside its own options, the same for every command; and what they are set back to.

absl keeps flags in one object for the whole process. A command that is called as a function, once or often, finds them
at their defaults and leaves them as they were.
"""

import argparse
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, NoReturn, cast

from absl import app, flags, logging
from absl.flags import argparse_flags

from tinsmith_driver.messages import COLOR_CHOICES, print_error
from tinsmith_driver.terminal import say

_DESCRIPTION = """absl's flags, too, see --helpfull: --verbosity N (-v is 1),
--logtostderr, --alsologtostderr, --log_dir DIR, --flagfile FILE"""


class ArgumentParser(argparse_flags.ArgumentParser):
    """argparse's parser, which knows absl's flags and what says how much is logged, and where."""

    def __init__(self, **options: Any) -> None:
        untyped: Any = super()
        untyped.__init__(inherited_absl_flags=absl_flags(), **options)
        # absl's own -v takes a number: here it is what is counted, and --verbosity takes the number.
        group = self.add_argument_group("messages", _DESCRIPTION, conflict_handler="resolve")
        group.add_argument(
            "-v", action=_MoreVerbose, help="say what was decided, and why; -vv says more"
        )
        group.add_argument(
            "--color",
            choices=COLOR_CHOICES,
            default=argparse.SUPPRESS,
            help="of errors, warnings and verdicts (default: auto, on a terminal without NO_COLOR)",
        )
        group.add_argument(
            "--log-file",
            type=Path,
            default=argparse.SUPPRESS,
            metavar="FILE",
            help="write that, with times, to a file, too, also without -v",
        )

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """As argparse does; a value that a flag of absl's does not take is wrong use, too."""
        try:
            untyped: Any = super()
            return untyped.parse_known_args(args, namespace)
        except (flags.Error, ValueError) as error:
            self.error(str(error))

    def error(self, message: str) -> NoReturn:
        """In the colour of errors. The usage of commands that compile is a page by itself, so that is only named."""
        print_error(message, f"{self.prog}: ")
        say(f"{self.prog} --help says what it takes", sys.stderr)
        self.exit(2)


class CommandParser(ArgumentParser):
    """Of a subcommand: it refuses itself what it does not know, and names itself."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """As ArgumentParser does; nothing is left."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._meant(unknown)}")
        return found, unknown

    def _meant(self, unknown: Sequence[str]) -> str:
        """The options whose names are close."""
        close = (
            match
            for argument in unknown
            if argument.startswith("--")
            for match in get_close_matches(argument.split("=")[0], self._option_string_actions, n=1)
        )
        names = " or ".join(dict.fromkeys(close))
        return f" (did you mean {names}?)" if names else ""


class _MoreVerbose(argparse.Action):
    """-v: one more of absl's --verbosity, from 1."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:  # noqa: A002
        del dest
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help=help)

    def __call__(self, *_: object, **__: object) -> None:
        """Set the flag."""
        flag = cast("flags.Flag[int]", flags.FLAGS["verbosity"])
        flag.value = max(flag.value or 0, logging.INFO) + 1
        flag.using_default_value = False


@cache
def absl_flags() -> flags.FlagValues:
    """Those of absl itself. Others that the process has, of a program that calls the command, may have names of our
    options.
    """
    found = flags.FlagValues()
    process: Any = flags.FLAGS
    for module in (logging, app):
        for flag in process.get_flags_for_module(module.__name__):
            found[flag.name] = flag
            cast("Any", found).register_flag_by_module(module.__name__, flag)
    return found


@contextmanager
def flags_at_their_defaults() -> Generator[None]:
    """Within, absl's flags are as if nobody had set them, and count as parsed; afterwards they have their values of
    before.
    """
    found = [cast("flags.Flag[Any]", absl_flags()[name]) for name in absl_flags()]
    before = [(flag, flag.value, flag.present, flag.using_default_value) for flag in found]
    for flag in found:
        flag.unparse()
    # Who logs before that is told of it on standard error.
    flags.FLAGS.mark_as_parsed()
    try:
        yield
    finally:
        for flag, value, present, using_default in before:
            flag.value, flag.present, flag.using_default_value = value, present, using_default
