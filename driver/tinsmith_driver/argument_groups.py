"""Arguments that several commands share."""

import argparse
from pathlib import Path

from tinsmith_driver import argument_values
from tinsmith_driver.options import COMPILERS, IO, OPTIMIZATIONS
from tinsmith_driver.plugins import registry
from tinsmith_driver.quantize_arguments import add_quantize
from tinsmith_driver.running import FLOAT_TOLERANCE
from tinsmith_driver.sizes import UNITS


def add_plugins(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--plugin",
        dest="plugins",
        action="append",
        default=[],
        metavar="MODULE:OBJECT",
        help="a plug-in beside those that packages announce",
    )


def add_model(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "model",
        type=Path,
        metavar="MODEL",
        help="TFLite, ONNX or PyTorch (.pt2) file, or IR text (.tsm); the content says which",
    )
    command.add_argument(
        "--input-shape",
        dest="input_shapes",
        type=argument_values.shape,
        action="append",
        default=[],
        metavar="NAME=N,N,...",
        help="sizes of an input, or of a named dimension, that an ONNX file leaves open",
    )
    command.add_argument(
        "--state",
        dest="states",
        type=argument_values.pair,
        action="append",
        default=[],
        metavar="INPUT=OUTPUT",
        help="the network keeps this output from run to run, and finds it in that input (ONNX)",
    )
    command.add_argument(
        "--as-in-file",
        action="store_true",
        help="images come and go as in the file, also channels first (ONNX, PyTorch); by default channels last",
    )


def add_target(command: argparse.ArgumentParser) -> None:
    command.add_argument("--target", required=True, help="see `tinsmith targets`")
    add_kernels(command)


def add_kernels(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--backend",
        choices=list(registry().backends),
        metavar="NAME",
        help=f"kernels to prefer: {', '.join(registry().backends)} (default: the target's)",
    )
    command.add_argument(
        "--engines",
        metavar="cluster|cpu|NAME|both",
        help="what layers run on: the cores alone, the accelerator beside them of that name wherever it can, or each "
        "where it is faster by the model",
    )


def add_html(command: argparse.ArgumentParser) -> None:
    command.add_argument("--html", type=Path, metavar="FILE", help="write the report as a page")


def add_layers_csv(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--layers-csv", type=Path, metavar="FILE", help="write the layers of the report as CSV"
    )


def add_report(command: argparse.ArgumentParser) -> None:
    place = command.add_mutually_exclusive_group()
    place.add_argument(
        "--report",
        type=Path,
        metavar="DIR",
        help="write report.html, report.json and layers.csv there (default, without --html, --json and --layers-csv: "
        "a folder for each network and target among your temporary files, which a line says)",
    )
    place.add_argument(
        "--no-report",
        dest="default_report",
        action="store_false",
        help="write no report that was not asked for by its file",
    )


def add_plan(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--plan",
        type=Path,
        metavar="FILE.json",
        help="write the plan of memory as claims, for check-plan",
    )


def add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="write the result as JSON; - is standard output, and text then goes to standard error",
    )


def add_compile_options(command: argparse.ArgumentParser, *, json: bool = True) -> None:
    """json: whether the result can be had as JSON."""
    add_model(command)
    add_quantize(command)
    add_target(command)
    if json:
        add_json(command)
    command.add_argument("--name", help="C prefix and file name (default: the model file's name)")
    command.add_argument(
        "--no-packed",
        dest="packed",
        action="store_false",
        help="call only the public CMSIS-NN API, so that another library can be linked",
    )
    add_passes(command)
    command.add_argument(
        "--verify",
        action="store_true",
        help="evaluate the network after every pass, to the last",
        dest="verify_passes",
    )
    command.add_argument(
        "--timings", action="store_true", help="print the seconds of each pass to standard error"
    )
    command.add_argument(
        "--progress", action=argparse.BooleanOptionalAction, help="default: on a terminal"
    )


def add_passes(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--pass",
        dest="passes",
        action="append",
        default=[],
        metavar="NAME{OPTION=VALUE,...}",
        help="set options of a pass, or run one that does not run by itself; see `tinsmith passes`",
    )
    command.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="NAME",
        help="leave a pass out",
    )
    add_stream(command)


def add_run_options(command: argparse.ArgumentParser, *, inputs_required: bool) -> None:
    command.add_argument(
        "--inputs",
        type=Path,
        required=inputs_required,
        metavar="F.npz",
        help="arrays x or x_GROUP (and y, label), of the model's types or narrower ones; float64 is rounded to float32"
        + ("" if inputs_required else "; default: random"),
    )
    add_ram(command, "the board's")
    command.add_argument(
        "--compiler", choices=COMPILERS, default="zig", help="default: %(default)s"
    )
    command.add_argument(
        "--optimize", choices=OPTIMIZATIONS, help="of the firmware (default: speed)"
    )
    command.add_argument(
        "--sanitize", action="store_true", help="under AddressSanitizer and UBSan (host, with gcc)"
    )
    add_html(command)
    command.add_argument(
        "--samples", type=argument_values.positive, metavar="N", help="at most N of each group"
    )
    command.add_argument(
        "--timeout",
        type=argument_values.positive,
        default=300,
        metavar="SECONDS",
        help="default: %(default)s",
    )


def add_float_tolerance(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--float-tolerance",
        type=argument_values.share,
        default=FLOAT_TOLERANCE,
        metavar="SHARE",
        help="of float outputs against the file's y: a share of the output's largest value "
        "(default: %(default)s)",
    )


def add_ram(command: argparse.ArgumentParser, default: str) -> None:
    command.add_argument(
        "--ram",
        type=argument_values.ram,
        metavar="SIZE",
        help=f"what the arena may take, such as 24k or 320000, where {UNITS}; or what each of several memories has, "
        f"fast to slow: dtcm=16k,psram=8M, or without =SIZE as much as the board's has (default: {default})",
    )
    command.add_argument(
        "--wait-states",
        type=argument_values.waits,
        default={},
        metavar="NAME=N,...",
        help="cycles that a load waits on average in memories of the board or of --ram, or in flash, where constants "
        "lie: flash=5,psram=8. Constants are copied to faster memory then where that pays: within --ram, else beside "
        "what the arena takes anyway (default: what is known of the board)",
    )
    command.add_argument(
        "--flash",
        type=argument_values.byte_count,
        metavar="SIZE",
        help="what the network's constants may take of flash, such as 256k or 1M: some are compressed then, and "
        "decompressed in each inference, at least cost (default: any size)",
    )
    command.add_argument(
        "--no-split",
        action="store_true",
        help="keep tensors whole, also where rows that stream would fit and they do not",
    )
    command.add_argument(
        "--stream-input",
        action="store_true",
        help="a function of the caller's hands over inputs piece by piece, so that no whole input is in the arena",
    )
    command.add_argument(
        "--io",
        choices=IO,
        default=IO[0],
        help="where inputs and outputs lie: in the arena, or external, where the caller says (default: %(default)s)",
    )
    command.add_argument(
        "--cores",
        type=argument_values.positive,
        metavar="N",
        help="of the target's cluster, if it has one (default: all)",
    )
    command.add_argument(
        "--l1",
        type=argument_values.byte_count,
        metavar="SIZE",
        help="what the network may use of the cluster's memory, such as 64k (default: what stacks leave of it)",
    )


def add_stream(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--stream",
        nargs="?",
        type=argument_values.streamed,
        const=argument_values.STREAMED,
        metavar="AXIS",
        help="of a network over a window of time, make one that takes a frame in each run and keeps what earlier "
        "frames left; AXIS of the inputs is time (default: the first behind the batch that is longer than 1). "
        "More options: --pass 'stream-frames{hop=4,gather=yes}' instead",
    )
