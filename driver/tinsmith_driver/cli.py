"""The `tinsmith` command: reads the arguments, calls a command, turns errors into exit statuses.

Exit status: 0 done, 1 the answer is no (not bit-exact, does not fit, unsupported), 2 wrong use, 3 bad
model file, 4 internal error.
"""

import argparse
import contextlib
import io
import math
import os
import re
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tinsmith_ir import TinsmithError
from tinsmith_plan_check.command import add_arguments as add_plan_arguments
from tinsmith_quantization import BITS, SCHEMES

from tinsmith_driver import commands, quantization_command
from tinsmith_driver.bit_budget import BYTES, CYCLES, FEWEST, INSTRUCTIONS, CostLimit
from tinsmith_driver.options import COMPILERS, IO, OPTIMIZATIONS, Memories
from tinsmith_driver.passes import PassChoice
from tinsmith_driver.pipelines import tool_version
from tinsmith_driver.plugins import registry, using
from tinsmith_driver.running import FLOAT_TOLERANCE
from tinsmith_driver.streams import lenient_streams
from tinsmith_driver.writing import refuse_collisions

_EXIT_STATUS = """exit status:
  0  done
  1  the answer is no: not bit-exact, does not fit, unsupported
  2  wrong use
  3  bad model file
  4  internal error
"""

# What `--stream` asks for.
_STREAMED = PassChoice("stream-frames")

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
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    _show_what_cannot_be_encoded()
    with lenient_streams():
        try:
            status = _run(arguments)
            print(end="", flush=True)  # so that a full disk shows here, and is handled
            return status
        except TinsmithError as error:
            print(f"tinsmith: error: {error}", file=sys.stderr)
            return error.exit_status
        except KeyboardInterrupt:
            print("tinsmith: interrupted", file=sys.stderr)
            return 130
        except OSError as error:  # a full disk, no right to write: the machine's word is what helps
            print(f"tinsmith: error: {error}", file=sys.stderr)
            _discard_output()
            return 2
        except MemoryError as error:  # a sound network, but not for this computer
            print(f"tinsmith: error: this computer has too little memory: {error}", file=sys.stderr)
            return 2
        except Exception:  # the last line of defence: everything expected is a TinsmithError
            traceback.print_exc()
            print("tinsmith: internal error: please report the lines above", file=sys.stderr)
            return 4


def _run(arguments: Sequence[str] | None) -> int:
    with using(_plugins_named(arguments)):
        try:
            parsed = parser().parse_args(arguments)
        except SystemExit as error:  # argparse has printed usage and reason
            return error.code if isinstance(error.code, int) else 2
        if isinstance(getattr(parsed, "ram", None), Memories):
            parsed.memories, parsed.ram = parsed.ram, None
        refuse_collisions(_paths(parsed, _WRITTEN), _paths(parsed, _READ))
        return parsed.command(parsed)


def _plugins_named(arguments: Sequence[str] | None) -> list[str]:
    """What the arguments say of plug-ins, which decide what else they may say."""
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    _add_plugins(first)
    try:
        return first.parse_known_args(arguments)[0].plugins
    except argparse.ArgumentError:
        return []  # the whole parser says what is wrong


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


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    root = argparse.ArgumentParser(
        prog="tinsmith",
        description="Compile trained networks to plain C for microcontrollers, proven bit-exact.",
        epilog=_EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    root.add_argument("--version", action="version", version=f"tinsmith {tool_version()}")
    _add_plugins(root)
    subparsers = root.add_subparsers(metavar="COMMAND", required=True)

    check = subparsers.add_parser("check", help="is every op of MODEL supported on TARGET?")
    _add_model(check)
    _add_quantize(check)
    _add_target(check)
    _add_ram(check, "the board's")
    _add_passes(check)
    _add_json(check)
    check.set_defaults(command=commands.check)

    compile_ = subparsers.add_parser("compile", help="write C and a report to a folder")
    _add_compile_options(compile_)
    compile_.add_argument(
        "more",
        type=Path,
        nargs="*",
        metavar="MODEL",
        help="further networks, with --shared-arena",
    )
    compile_.add_argument(
        "--shared-arena",
        action="store_true",
        help="several networks that run one after the other take one arena, of the largest's size",
    )
    _add_ram(compile_, "any size")
    compile_.add_argument(
        "--weights-section",
        default="",
        metavar="NAME",
        help="section of object files for the network's constants, such as .ext_flash (default: where constants lie)",
    )
    compile_.add_argument("-o", "--output", type=Path, metavar="DIR", help="folder to write to")
    compile_.add_argument(
        "--bundle",
        type=Path,
        metavar="DIR",
        help="write a folder for other builds (CMake, Zephyr, ESP-IDF, Arduino, PlatformIO, CMSIS-Pack): the C, the "
        "kernels that it calls, and a check for boards; empty or not there before",
    )
    compile_.add_argument(
        "--inputs",
        type=Path,
        metavar="F.npz",
        help="with --bundle: its check runs on the first sample of this file (default: inputs that it makes itself)",
    )
    compile_.set_defaults(command=commands.compile_)

    run = subparsers.add_parser("run", help="compile, run on the emulator, keep the outputs")
    _add_compile_options(run)
    _add_run_options(run, inputs_required=True)
    run.add_argument("--outputs", type=Path, metavar="G.npz", help="write the outputs to this file")
    _add_layers_csv(run)
    _add_plan(run)
    run.set_defaults(command=commands.run)

    verify = subparsers.add_parser(
        "verify", help="compile, run, and compare every output byte with the reference evaluator"
    )
    _add_compile_options(verify)
    _add_run_options(verify, inputs_required=False)
    verify.add_argument(
        "--layers", action="store_true", help="compare the output of every layer, too"
    )
    verify.add_argument(
        "--difference",
        type=Path,
        metavar="D.npz",
        help="with --layers: write operands and results of the first layer that differs",
    )
    verify.add_argument(
        "--trace",
        type=Path,
        metavar="FILE.json",
        help="write a trace of one run for ui.perfetto.dev (simulated chips)",
    )
    _add_plan(verify)
    _add_layers_csv(verify)
    _add_report(verify)
    _add_float_tolerance(verify)
    verify.set_defaults(command=commands.verify)

    explore = subparsers.add_parser(
        "explore",
        help="measure a network in less and less memory: what each saving costs",
    )
    _add_compile_options(explore)
    _add_run_options(explore, inputs_required=False)
    _add_float_tolerance(explore)
    explore.add_argument(
        "--most",
        type=_positive,
        default=24,
        metavar="N",
        help="plans at most (default: %(default)s)",
    )
    explore.add_argument(
        "--plans",
        type=Path,
        metavar="DIR",
        help="write the plan of memory of each, plan_ARENA.json, for check-plan",
    )
    explore.set_defaults(command=commands.explore)

    quantize = subparsers.add_parser(
        "quantize", help="make a network of integers of a float network, and say what that loses"
    )
    _add_model(quantize)
    _add_calibration(quantize, required=True)
    quantize.add_argument(
        "--scheme",
        dest="quantize",
        default="int8",
        metavar="SCHEME{OPTION=VALUE,...}",
        help=f"{', '.join(SCHEMES)}; options are the fields of a scheme (default: %(default)s)",
    )
    quantize.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="the network: .tsm, or a format that a plug-in writes, such as .tflite or .onnx; "
        "may be left out with --compare",
    )
    quantize.add_argument(
        "--compare",
        metavar="SCHEME,SCHEME,...",
        help="a table of what these schemes lose and cost beside the float network, such as int8,int16x8,int4",
    )
    quantize.add_argument(
        "--target",
        help="whose emulator measures these, or bits for --most-...; see `tinsmith targets` (default: none)",
    )
    quantize.add_argument(
        "--inputs",
        type=Path,
        metavar="F.npz",
        help="samples to compare on, beside those of calibration",
    )
    quantize.add_argument(
        "--bits",
        type=_pair,
        action="append",
        default=[],
        metavar="LAYER=N",
        help="of the weights of a layer, by the name of its result: 2, 3, 4 or 8",
    )
    _add_bit_budget(quantize)
    quantize.add_argument("--name", help="of the network (default: the model file's name)")
    _add_json(quantize)
    _add_html(quantize)
    quantize.add_argument(
        "--progress", action=argparse.BooleanOptionalAction, help="default: on a terminal"
    )
    quantize.set_defaults(command=quantization_command.quantize)

    reduce = subparsers.add_parser(
        "reduce", help="of a network that fails on TARGET, find the smallest part that still fails"
    )
    _add_compile_options(reduce)
    _add_run_options(reduce, inputs_required=False)
    reduce.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("smallest.tsm"),
        metavar="FILE.tsm",
        help="the part; its inputs go to FILE.npz beside it (default: %(default)s)",
    )
    reduce.set_defaults(command=commands.reduce)

    measure = subparsers.add_parser(
        "measure",
        help="as verify, into one row of a sweep; a network that does not fit has one, too",
    )
    _add_compile_options(measure)
    _add_run_options(measure, inputs_required=False)
    _add_float_tolerance(measure)
    measure.set_defaults(command=commands.measure)

    gather = subparsers.add_parser("gather", help="make one table of the rows of a sweep")
    gather.add_argument("rows", type=Path, nargs="+", metavar="ROW", help="what measure wrote")
    _add_json(gather)
    gather.add_argument("--markdown", type=Path, metavar="FILE", help="write the table for people")
    gather.add_argument(
        "--wrong",
        type=Path,
        metavar="FILE",
        help="write what is wrong, a line each, and exit with 0",
    )
    gather.set_defaults(command=commands.gather)

    diff = subparsers.add_parser(
        "diff", help="say what of two reports (report.json) differs, and what is worse"
    )
    diff.add_argument("before", type=Path, metavar="BEFORE.json", help="what verify --json wrote")
    diff.add_argument(
        "after", type=Path, metavar="AFTER.json", help="the same, of the same version"
    )
    _add_html(diff)
    diff.add_argument(
        "--fail-on-regression",
        action="store_true",
        help="exit with 1 if RAM, flash, instructions, cycles, right answers or what is bit-exact is worse, or is no "
        "longer known",
    )
    diff.add_argument(
        "--tolerance",
        type=_share,
        default=0.0,
        metavar="SHARE",
        help="by which a figure may be worse, such as 0.01 (default: %(default)s)",
    )
    diff.set_defaults(command=commands.diff)

    objects = subparsers.add_parser(
        "objects",
        help="compile what programs for a target share to a folder, for TINSMITH_OBJECTS_DIR",
    )
    objects.add_argument("--target", required=True, help="see `tinsmith targets`")
    objects.add_argument(
        "-o", "--output", type=Path, required=True, metavar="DIR", help="folder to write to"
    )
    objects.set_defaults(command=commands.objects)

    check_plan = subparsers.add_parser(
        "check-plan",
        help="derive the claims of a plan of memory (plan.json) anew; 1: one does not hold",
    )
    add_plan_arguments(check_plan)
    check_plan.set_defaults(command=commands.check_plan)

    show = subparsers.add_parser("show", help="print the IR of a model or of an IR text file")
    _add_model(show)
    show.add_argument("--after", metavar="PASS", help="print it after this pass ('import' is none)")
    show.add_argument("--target", help="needed for what comes after lowering")
    _add_kernels(show)
    _add_passes(show)
    show.add_argument("--constants", action="store_true", help="print constants whole")
    show.set_defaults(command=commands.show)

    plugins = subparsers.add_parser("plugins", help="list the plug-ins, and what each brings")
    plugins.set_defaults(command=commands.plugins)

    targets = subparsers.add_parser("targets", help="list the targets")
    targets.set_defaults(command=commands.targets)

    passes = subparsers.add_parser("passes", help="list the passes in order, with their options")
    passes.set_defaults(command=commands.passes)

    demo = subparsers.add_parser("demo", help="the example network on an emulated Cortex-M55")
    demo.add_argument("--target", default="cortex-m55", help="default: %(default)s")
    _add_json(demo)
    demo.set_defaults(command=commands.demo)

    bench = subparsers.add_parser("bench", help="run a benchmark of the repository")
    bench.add_argument("name", metavar="NAME", help="'list' lists them")
    bench.add_argument("--models", "--networks", metavar="A,B", help="only these networks")
    bench.add_argument("--targets", metavar="A,B", help="only these targets")
    less = bench.add_mutually_exclusive_group()
    for part, help_ in (
        ("sweep", "of pulp: no smaller memories"),
        ("layers", "of diana, neureka: no layers at random"),
    ):
        less.add_argument(
            f"--no-{part}", dest="without", action="store_const", const=part, help=help_
        )
    _add_json(bench)
    bench.set_defaults(command=commands.bench)
    for command in subparsers.choices.values():
        _add_plugins(command)
    return root


def _add_plugins(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--plugin",
        dest="plugins",
        action="append",
        default=[],
        metavar="MODULE:OBJECT",
        help="a plug-in beside those that packages announce",
    )


def _add_model(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "model",
        type=Path,
        metavar="MODEL",
        help="TFLite, ONNX or PyTorch (.pt2) file, or IR text (.tsm); the content says which",
    )
    command.add_argument(
        "--input-shape",
        dest="input_shapes",
        type=_shape,
        action="append",
        default=[],
        metavar="NAME=N,N,...",
        help="sizes of an input, or of a named dimension, that an ONNX file leaves open",
    )
    command.add_argument(
        "--state",
        dest="states",
        type=_pair,
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


def _add_quantize(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--quantize",
        metavar="SCHEME{OPTION=VALUE,...}",
        help=f"make integers of a float network first: {', '.join(SCHEMES)}; options are the fields of a scheme",
    )
    _add_calibration(command)


def _add_calibration(command: argparse.ArgumentParser, *, required: bool = False) -> None:
    command.add_argument(
        "--calibration",
        type=Path,
        required=required,
        metavar="F.npz|DIR",
        help="real inputs of the float network, arrays x or x_GROUP, or a folder of .npy, .png, .wav",
    )
    command.add_argument(
        "--calibration-samples", type=_positive, metavar="N", help="at most the first N of them"
    )
    command.add_argument(
        "--same",
        type=_pair,
        action="append",
        default=[],
        metavar="OUTPUT=INPUT",
        help="an output and an input of one quantization, since a later run is given the one as the other",
    )
    command.add_argument(
        "--keep",
        type=_pair,
        action="append",
        default=[],
        metavar="OUTPUT=INPUT",
        help="the same, and the network keeps it: a state, which samples of calibration, runs one after another, lack",
    )
    command.add_argument(
        "--float-islands",
        metavar="no|yes|NAME,...",
        help="operators that may stay float32: none, all, or those of these results or kinds (default: no)",
    )


def _add_bit_budget(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--weight-bytes",
        type=_size,
        metavar="SIZE",
        help="choose the bits of each layer: the least loss with weights of at most so many bytes",
    )
    most = command.add_mutually_exclusive_group()
    for counted, whose in ((INSTRUCTIONS, "QEMU's"), (CYCLES, "simulated chips")):
        most.add_argument(
            f"--most-{counted}",
            dest="most",
            type=_most(counted),
            metavar="N|P%",
            help=f"the same for a run of at most so many {counted} on --target ({whose}), or so many hundredths of "
            "what 8 bits in all layers take; the network is run to see that it keeps them",
        )
    command.add_argument(
        "--least-sqnr",
        type=_share,
        metavar="DB",
        help="the same for a loss that, layer by layer, leaves so many dB: then with the fewest bytes, within what "
        "else is bounded",
    )
    command.add_argument(
        "--fewest",
        choices=FEWEST,
        help=f"beside --least-sqnr: what to have little of (default: {BYTES})",
    )
    command.add_argument(
        "--choices",
        type=_bit_choices,
        metavar="N,N,...",
        help="bits that a layer may be given so, of 2, 3, 4, 8 (default: "
        f"{','.join(map(str, BITS))})",
    )


def _add_target(command: argparse.ArgumentParser) -> None:
    command.add_argument("--target", required=True, help="see `tinsmith targets`")
    _add_kernels(command)


def _add_kernels(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--backend",
        choices=list(registry().backends),
        help="kernels to prefer (default: the target's)",
    )
    command.add_argument(
        "--engines",
        metavar="cluster|cpu|NAME|both",
        help="what layers run on: the cores alone, the accelerator beside them of that name wherever it can, or each "
        "where it is faster by the model",
    )


def _add_html(command: argparse.ArgumentParser) -> None:
    command.add_argument("--html", type=Path, metavar="FILE", help="write the report as a page")


def _add_layers_csv(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--layers-csv", type=Path, metavar="FILE", help="write the layers of the report as CSV"
    )


def _add_report(command: argparse.ArgumentParser) -> None:
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


def _add_plan(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--plan",
        type=Path,
        metavar="FILE.json",
        help="write the plan of memory as claims, for check-plan",
    )


def _add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", type=Path, metavar="FILE", help="write the result as JSON")


def _add_compile_options(command: argparse.ArgumentParser) -> None:
    _add_model(command)
    _add_quantize(command)
    _add_target(command)
    _add_json(command)
    command.add_argument("--name", help="C prefix and file name (default: the model file's name)")
    command.add_argument(
        "--no-packed",
        dest="packed",
        action="store_false",
        help="call only the public CMSIS-NN API, so that another library can be linked",
    )
    _add_passes(command)
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


def _add_passes(command: argparse.ArgumentParser) -> None:
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
    _add_stream(command)


def _add_run_options(command: argparse.ArgumentParser, *, inputs_required: bool) -> None:
    command.add_argument(
        "--inputs",
        type=Path,
        required=inputs_required,
        metavar="F.npz",
        help="arrays x or x_GROUP (and y, label), of the model's types or narrower ones; float64 is rounded to float32"
        + ("" if inputs_required else "; default: random"),
    )
    _add_ram(command, "the board's")
    command.add_argument(
        "--compiler", choices=COMPILERS, default="zig", help="default: %(default)s"
    )
    command.add_argument(
        "--optimize", choices=OPTIMIZATIONS, help="of the firmware (default: speed)"
    )
    command.add_argument(
        "--sanitize", action="store_true", help="under AddressSanitizer and UBSan (host, with gcc)"
    )
    _add_html(command)
    command.add_argument("--samples", type=_positive, metavar="N", help="at most N of each group")
    command.add_argument(
        "--timeout", type=_positive, default=300, metavar="SECONDS", help="default: %(default)s"
    )


def _add_float_tolerance(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--float-tolerance",
        type=_share,
        default=FLOAT_TOLERANCE,
        metavar="SHARE",
        help="of float outputs against the file's y: a share of the output's largest value "
        "(default: %(default)s)",
    )


def _add_ram(command: argparse.ArgumentParser, default: str) -> None:
    command.add_argument(
        "--ram",
        type=_ram,
        metavar="SIZE",
        help="what the arena may take, in bytes or as 24KiB, or what each of several memories has, fast to slow: "
        f"dtcm=16KiB,psram=8MiB, or without =SIZE as much as the board's has (default: {default})",
    )
    command.add_argument(
        "--wait-states",
        type=_waits,
        default={},
        metavar="NAME=N,...",
        help="cycles that a load waits on average in memories of the board or of --ram, or in flash, where constants "
        "lie: flash=5,psram=8. Constants are copied to faster memory then where that pays: within --ram, else beside "
        "what the arena takes anyway (default: what is known of the board)",
    )
    command.add_argument(
        "--flash",
        type=_size,
        metavar="SIZE",
        help="what the network's constants may take of flash: some are compressed then, and decompressed in each "
        "inference, at least cost (default: any size)",
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
        type=_positive,
        metavar="N",
        help="of the target's cluster, if it has one (default: all)",
    )
    command.add_argument(
        "--l1",
        type=_size,
        metavar="SIZE",
        help="what the network may use of the cluster's memory (default: what stacks leave of it)",
    )


def _add_stream(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--stream",
        nargs="?",
        type=_streamed,
        const=_STREAMED,
        metavar="AXIS",
        help="of a network over a window of time, make one that takes a frame in each run and keeps what earlier "
        "frames left; AXIS of the inputs is time (default: the first behind the batch that is longer than 1). "
        "More options: --pass 'stream-frames{hop=4,gather=yes}' instead",
    )


def _streamed(text: str) -> PassChoice:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(
            f"expected the number of an axis, or nothing behind it but further options, got {text!r}"
        )
    return replace(_STREAMED, options={"axis": text})


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.rpartition("=")
    if not (equals and name and value):
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, got {text!r}")
    return name, value


def _shape(text: str) -> tuple[str, tuple[int, ...]]:
    name, sizes = _pair(text)
    return name, tuple(_positive(size) for size in sizes.split(","))


def _positive(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a positive number, got {text!r}")
    return number


def _most(counted: str) -> Callable[[str], tuple[str, CostLimit]]:
    """Reads `8000000` or `95%` of what is counted."""

    def read(text: str) -> tuple[str, CostLimit]:
        found = re.fullmatch(r"(\d+)|(\d+(?:\.\d+)?) ?%", text.strip(), re.ASCII)
        number = float(found[1] or found[2]) if found else 0.0
        if not number:
            raise argparse.ArgumentTypeError(
                f"expected a number of {counted}, or a share of what 8 bits take such as 95%, got {text!r}"
            )
        assert found is not None
        return counted, CostLimit(number, found[1] is None)

    return read


def _bit_choices(text: str) -> tuple[int, ...]:
    found = text.split(",")
    if not set(found) <= {"2", "3", "4", "8"} or len(set(found)) < max(len(found), 2):
        raise argparse.ArgumentTypeError(
            f"expected several of 2, 3, 4 and 8, each once, such as 2,4,8, got {text!r}"
        )
    return tuple(sorted(map(int, found)))


_UNITS = {"k": 1 << 10, "m": 1 << 20}


def _size(text: str) -> int:
    """Bytes: `65536`, `64KiB`, `64k`."""
    found = re.fullmatch(r"(\d+) ?(?:([km])(?:ib)?)?", text.strip().lower())
    size = int(found[1]) * _UNITS.get(found[2], 1) if found else 0
    if size < 1:
        raise argparse.ArgumentTypeError(
            f"expected a size above 0 such as 65536 or 64KiB, got {text!r}"
        )
    return size


def _ram(text: str) -> int | Memories:
    """Bytes of one memory, or of each of several by name: `dtcm=16KiB,psram`."""
    if "=" not in text and "," not in text:
        return _size(text)
    found = Memories()
    for part in text.split(","):
        name, size = _pair(part) if "=" in part else (part, "")
        if re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) is None or name in found:
            raise argparse.ArgumentTypeError(
                f"expected memories of different names, fast to slow, such as dtcm=16KiB,psram=8MiB, got {text!r}"
            )
        found[name] = _size(size) if size else None
    return found


def _waits(text: str) -> dict[str, float]:
    """Wait states by the name of a memory: `flash=5,psram=8`."""
    found: dict[str, float] = {}
    for part in text.split(","):
        name, waits = _pair(part)
        if name in found:
            raise argparse.ArgumentTypeError(f"expected each memory once, got {text!r}")
        found[name] = _share(waits)
    return found


def _share(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0.0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number from 0, got {text!r}")
    return number
