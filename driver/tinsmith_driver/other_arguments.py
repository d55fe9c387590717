"""Arguments of the commands that compile nothing, and of the benchmarks."""

import argparse
from pathlib import Path

from tinsmith_driver import argument_values
from tinsmith_driver.argument_groups import add_html, add_json, add_kernels, add_model, add_passes


def gather(command: argparse.ArgumentParser) -> None:
    """What `tinsmith gather` takes."""
    command.add_argument("rows", type=Path, nargs="+", metavar="ROW", help="what measure wrote")
    add_json(command)
    command.add_argument("--markdown", type=Path, metavar="FILE", help="write the table for people")
    command.add_argument(
        "--wrong",
        type=Path,
        metavar="FILE",
        help="write what is wrong, a line each, and exit with 0",
    )


def diff(command: argparse.ArgumentParser) -> None:
    """What `tinsmith diff` takes."""
    command.add_argument(
        "before", type=Path, metavar="BEFORE.json", help="what verify --json wrote"
    )
    command.add_argument(
        "after", type=Path, metavar="AFTER.json", help="the same, of the same version"
    )
    add_html(command)
    command.add_argument(
        "--fail-on-regression",
        action="store_true",
        help="exit with 1 if RAM, flash, instructions, cycles, right answers or what is bit-exact is worse, or is no "
        "longer known",
    )
    command.add_argument(
        "--tolerance",
        type=argument_values.share,
        default=0.0,
        metavar="SHARE",
        help="by which a figure may be worse, such as 0.01 (default: %(default)s)",
    )


def objects(command: argparse.ArgumentParser) -> None:
    """What `tinsmith objects` takes."""
    command.add_argument("--target", required=True, help="see `tinsmith targets`")
    command.add_argument(
        "-o", "--output", type=Path, required=True, metavar="DIR", help="folder to write to"
    )


def show(command: argparse.ArgumentParser) -> None:
    """What `tinsmith show` takes."""
    add_model(command)
    command.add_argument(
        "--after", metavar="PASS", help="print it after this pass ('import' is none)"
    )
    command.add_argument("--target", help="needed for what comes after lowering")
    add_kernels(command)
    add_passes(command)
    command.add_argument(
        "--constants",
        action="store_true",
        help="print constants whole, and all digits, so that the text can be read back",
    )
    command.add_argument(
        "--full",
        "--exact",
        action="store_true",
        help="print all digits of scales and other floats, in long lines (default: ~ and four digits)",
    )


def demo(command: argparse.ArgumentParser) -> None:
    """What `tinsmith demo` takes."""
    command.add_argument("--target", default="cortex-m55", help="default: %(default)s")
    add_json(command)


def bench(command: argparse.ArgumentParser) -> None:
    """What `tinsmith bench` takes."""
    command.add_argument("name", metavar="NAME", help="'list' lists them")
    command.add_argument("--models", "--networks", metavar="A,B", help="only these networks")
    command.add_argument("--targets", metavar="A,B", help="only these targets")
    less = command.add_mutually_exclusive_group()
    for part, help_ in (
        ("sweep", "of pulp: no smaller memories"),
        ("layers", "of diana, neureka: no layers at random"),
    ):
        less.add_argument(
            f"--no-{part}", dest="without", action="store_const", const=part, help=help_
        )
    add_json(command)
