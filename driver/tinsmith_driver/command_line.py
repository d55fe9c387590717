"""The grammar of the command line: each command with its arguments."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from tinsmith_plan_check.command import add_arguments as add_plan_arguments

from tinsmith_driver import (
    commands,
    compile_arguments,
    compile_command,
    lists,
    other_arguments,
    quantization_command,
)
from tinsmith_driver.argument_groups import add_plugins
from tinsmith_driver.compilation import tool_version
from tinsmith_driver.examples import epilog
from tinsmith_driver.flag_parser import ArgumentParser, CommandParser

_EXIT_STATUS = """exit status:
  0  done
  1  the answer is no: not bit-exact, does not fit, unsupported
  2  wrong use
  3  bad model file
  4  internal error
"""


@dataclass(frozen=True)
class _Command:
    """run: takes the parsed arguments and returns the exit status. add: its own arguments, None for none."""

    name: str
    help: str
    add: Callable[[argparse.ArgumentParser], None] | None
    run: Callable[[argparse.Namespace], int]


_COMMANDS = (
    _Command(
        "check",
        "is every op of MODEL supported on TARGET?",
        compile_arguments.check,
        commands.check,
    ),
    _Command(
        "compile",
        "write C and a report to a folder",
        compile_arguments.compile_,
        compile_command.compile_,
    ),
    _Command(
        "run", "compile, run on the emulator, keep the outputs", compile_arguments.run, commands.run
    ),
    _Command(
        "verify",
        "compile, run, and compare every output byte with the reference evaluator",
        compile_arguments.verify,
        commands.verify,
    ),
    _Command(
        "explore",
        "measure a network in less and less memory: what each saving costs",
        compile_arguments.explore,
        commands.explore,
    ),
    _Command(
        "quantize",
        "make a network of integers of a float network, and say what that loses",
        compile_arguments.quantize,
        quantization_command.quantize,
    ),
    _Command(
        "reduce",
        "of a network that fails on TARGET, find the smallest part that still fails",
        compile_arguments.reduce,
        commands.reduce,
    ),
    _Command(
        "measure",
        "as verify, into one row of a sweep; a network that does not fit has one, too",
        compile_arguments.measure,
        commands.measure,
    ),
    _Command(
        "gather", "make one table of the rows of a sweep", other_arguments.gather, commands.gather
    ),
    _Command(
        "diff",
        "say what of two reports (report.json) differs, and what is worse",
        other_arguments.diff,
        commands.diff,
    ),
    _Command(
        "objects",
        "compile what programs for a target share to a folder, for TINSMITH_OBJECTS_DIR",
        other_arguments.objects,
        commands.objects,
    ),
    _Command(
        "check-plan",
        "derive the claims of a plan of memory (plan.json) anew; 1: one does not hold",
        add_plan_arguments,
        commands.check_plan,
    ),
    _Command(
        "show", "print the IR of a model or of an IR text file", other_arguments.show, commands.show
    ),
    _Command("plugins", "list the plug-ins, and what each brings", None, lists.plugins),
    _Command("targets", "list the targets", None, lists.targets),
    _Command("passes", "list the passes in order, with their options", None, lists.passes),
    _Command(
        "demo", "the example network on an emulated Cortex-M55", other_arguments.demo, commands.demo
    ),
    _Command("bench", "run a benchmark of the repository", other_arguments.bench, commands.bench),
)


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    root = ArgumentParser(
        prog="tinsmith",
        description="Compile trained networks to plain C for microcontrollers, proven bit-exact.",
        epilog=_EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    root.add_argument("--version", action="version", version=f"tinsmith {tool_version()}")
    add_plugins(root)
    subparsers = root.add_subparsers(metavar="COMMAND", required=True, parser_class=CommandParser)
    for each in _COMMANDS:
        command = subparsers.add_parser(
            each.name,
            help=each.help,
            epilog=epilog(each.name),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if each.add is not None:
            each.add(command)
        command.set_defaults(command=each.run)
        add_plugins(command)
    return root
