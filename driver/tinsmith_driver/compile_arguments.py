"""Arguments of the commands that compile or quantize a network."""

import argparse
from pathlib import Path

from tinsmith_quantization import SCHEMES

from tinsmith_driver import argument_values
from tinsmith_driver.argument_groups import (
    add_compile_options,
    add_float_tolerance,
    add_html,
    add_json,
    add_layers_csv,
    add_model,
    add_passes,
    add_plan,
    add_ram,
    add_report,
    add_run_options,
    add_target,
)
from tinsmith_driver.quantize_arguments import add_bit_budget, add_calibration, add_quantize


def check(command: argparse.ArgumentParser) -> None:
    """What `tinsmith check` takes."""
    add_model(command)
    add_quantize(command)
    add_target(command)
    add_ram(command, "the board's")
    add_passes(command)
    add_json(command)


def compile_(command: argparse.ArgumentParser) -> None:
    """What `tinsmith compile` takes."""
    add_compile_options(command)
    command.add_argument(
        "more",
        type=Path,
        nargs="*",
        metavar="MODEL",
        help="further networks, with --shared-arena",
    )
    command.add_argument(
        "--shared-arena",
        action="store_true",
        help="several networks that run one after the other take one arena, of the largest's size",
    )
    add_ram(command, "any size")
    command.add_argument(
        "--weights-section",
        default="",
        metavar="NAME",
        help="section of object files for the network's constants, such as .ext_flash (default: where constants lie)",
    )
    command.add_argument("-o", "--output", type=Path, metavar="DIR", help="folder to write to")
    command.add_argument(
        "--bundle",
        type=Path,
        metavar="DIR",
        help="write a folder for other builds (CMake, Zephyr, ESP-IDF, Arduino, PlatformIO, CMSIS-Pack): the C, the "
        "kernels that it calls, and a check for boards; empty or not there before",
    )
    command.add_argument(
        "--inputs",
        type=Path,
        metavar="F.npz",
        help="with --bundle: its check runs on the first sample of this file (default: inputs that it makes itself)",
    )


def run(command: argparse.ArgumentParser) -> None:
    """What `tinsmith run` takes."""
    add_compile_options(command)
    add_run_options(command, inputs_required=True)
    command.add_argument(
        "--outputs", type=Path, metavar="G.npz", help="write the outputs to this file"
    )
    add_layers_csv(command)
    add_plan(command)


def verify(command: argparse.ArgumentParser) -> None:
    """What `tinsmith verify` takes."""
    add_compile_options(command)
    add_run_options(command, inputs_required=False)
    command.add_argument(
        "--layers", action="store_true", help="compare the output of every layer, too"
    )
    command.add_argument(
        "--difference",
        type=Path,
        metavar="D.npz",
        help="with --layers: write operands and results of the first layer that differs",
    )
    command.add_argument(
        "--trace",
        type=Path,
        metavar="FILE.json",
        help="write a trace of one run for ui.perfetto.dev (simulated chips)",
    )
    add_plan(command)
    add_layers_csv(command)
    add_report(command)
    add_float_tolerance(command)


def explore(command: argparse.ArgumentParser) -> None:
    """What `tinsmith explore` takes."""
    add_compile_options(command)
    add_run_options(command, inputs_required=False)
    add_float_tolerance(command)
    command.add_argument(
        "--most",
        type=argument_values.positive,
        default=24,
        metavar="N",
        help="plans at most (default: %(default)s)",
    )
    command.add_argument(
        "--plans",
        type=Path,
        metavar="DIR",
        help="write the plan of memory of each, plan_ARENA.json, for check-plan",
    )


def quantize(command: argparse.ArgumentParser) -> None:
    """What `tinsmith quantize` takes."""
    add_model(command)
    add_calibration(command, required=True)
    command.add_argument(
        "--scheme",
        dest="quantize",
        default="int8",
        metavar="SCHEME{OPTION=VALUE,...}",
        help=f"{', '.join(SCHEMES)}; options are the fields of a scheme (default: %(default)s)",
    )
    command.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="the network: .tsm, or a format that a plug-in writes, such as .tflite or .onnx; "
        "may be left out with --compare",
    )
    command.add_argument(
        "--compare",
        metavar="SCHEME,SCHEME,...",
        help="a table of what these schemes lose and cost beside the float network, such as int8,int16x8,int4",
    )
    command.add_argument(
        "--target",
        help="whose emulator measures these, or bits for --most-...; see `tinsmith targets` (default: none)",
    )
    command.add_argument(
        "--inputs",
        type=Path,
        metavar="F.npz",
        help="samples to compare on, beside those of calibration",
    )
    command.add_argument(
        "--bits",
        type=argument_values.pair,
        action="append",
        default=[],
        metavar="LAYER=N",
        help="of the weights of a layer, by the name of its result: 2, 3, 4 or 8",
    )
    add_bit_budget(command)
    command.add_argument("--name", help="of the network (default: the model file's name)")
    add_json(command)
    add_html(command)
    command.add_argument(
        "--progress", action=argparse.BooleanOptionalAction, help="default: on a terminal"
    )


def reduce(command: argparse.ArgumentParser) -> None:
    """What `tinsmith reduce` takes."""
    add_compile_options(command, json=False)
    add_run_options(command, inputs_required=False)
    command.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("smallest.tsm"),
        metavar="FILE.tsm",
        help="the part; its inputs go to FILE.npz beside it (default: %(default)s)",
    )


def measure(command: argparse.ArgumentParser) -> None:
    """What `tinsmith measure` takes."""
    add_compile_options(command)
    add_run_options(command, inputs_required=False)
    add_float_tolerance(command)
