"""Arguments that say how a network of floats becomes one of integers."""

import argparse
from pathlib import Path

from tinsmith_quantization import BITS, SCHEMES

from tinsmith_driver import argument_values
from tinsmith_driver.bit_budget import BYTES, CYCLES, FEWEST, INSTRUCTIONS


def add_quantize(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--quantize",
        metavar="SCHEME{OPTION=VALUE,...}",
        help=f"make integers of a float network first: {', '.join(SCHEMES)}; options are the fields of a scheme",
    )
    add_calibration(command)


def add_calibration(command: argparse.ArgumentParser, *, required: bool = False) -> None:
    command.add_argument(
        "--calibration",
        type=Path,
        required=required,
        metavar="F.npz|DIR",
        help="real inputs of the float network, arrays x or x_GROUP, or a folder of .npy, .png, .wav",
    )
    command.add_argument(
        "--calibration-samples",
        type=argument_values.positive,
        metavar="N",
        help="at most the first N of them",
    )
    command.add_argument(
        "--same",
        type=argument_values.pair,
        action="append",
        default=[],
        metavar="OUTPUT=INPUT",
        help="an output and an input of one quantization, since a later run is given the one as the other",
    )
    command.add_argument(
        "--keep",
        type=argument_values.pair,
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


def add_bit_budget(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--weight-bytes",
        type=argument_values.byte_count,
        metavar="SIZE",
        help="choose the bits of each layer: the least loss with weights of at most so many bytes, such as 300k",
    )
    most = command.add_mutually_exclusive_group()
    for counted, whose in ((INSTRUCTIONS, "QEMU's"), (CYCLES, "simulated chips")):
        most.add_argument(
            f"--most-{counted}",
            dest="most",
            type=argument_values.most(counted),
            metavar="N|P%",
            help=f"the same for a run of at most so many {counted} on --target ({whose}), or so many hundredths of "
            "what 8 bits in all layers take; the network is run to see that it keeps them",
        )
    command.add_argument(
        "--least-sqnr",
        type=argument_values.share,
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
        type=argument_values.bit_choices,
        metavar="N,N,...",
        help="bits that a layer may be given so, of 2, 3, 4, 8 (default: "
        f"{','.join(map(str, BITS))})",
    )
