"""`tinsmith quantize`: writes a network of integers, and says what it loses against the float network."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tinsmith_ir import Graph, UsageError
from tinsmith_ir.escape import visible, visible_lines
from tinsmith_ir.printer import print_graph
from tinsmith_quantization import BITS

from tinsmith_driver.asked import model_choices, quantize_choice
from tinsmith_driver.bit_budget import BYTES, CYCLES, INSTRUCTIONS, BitBudget, on_target
from tinsmith_driver.comparing import ComparedSchemes, compared
from tinsmith_driver.comparison import is_right
from tinsmith_driver.inputs import Samples, load_samples
from tinsmith_driver.messages import print_warning
from tinsmith_driver.models import read_model
from tinsmith_driver.plugins import registry
from tinsmith_driver.progress import progress
from tinsmith_driver.quantization_page import quantization_html
from tinsmith_driver.quantization_report import QuantizationReport, quantization_report
from tinsmith_driver.quantization_text import quantization_text
from tinsmith_driver.quantizing import QuantizeChoice, QuantizedModel, quantized, step_count
from tinsmith_driver.report import json_bytes
from tinsmith_driver.text_files import TEXT_SUFFIX
from tinsmith_driver.writing import refuse_collisions, write_outputs


def quantize(arguments: argparse.Namespace) -> int:
    """Write the network, and print what it lost; compare it with other schemes if that is asked for.

    The answer is 1 if a network that was compared gave other bytes than the evaluator.
    """
    _refuse_collisions(arguments)
    suffix = _suffix(arguments)
    asked = quantize_choice(arguments, "--scheme")
    assert asked is not None  # --scheme has a default
    _refuse_blocks(asked, suffix)
    choice = replace(
        _for_format(asked, suffix),
        bits=_bits(arguments.bits),
        budget=_budget(arguments),
    )
    schemes = _schemes(arguments, asked, suffix)
    model = read_model(arguments.model, arguments.name, model_choices(arguments, real=True))
    with progress(
        "quantize",
        step_count(model, choice, () if schemes is None else schemes.choices),
        enabled=arguments.progress,
    ) as bar:
        made = quantized(model, choice, bar.step)
        bar.step("comparing")
        calibration, given = made.calibration, _given(arguments, made)
        comparison = None
        if schemes is not None:
            judged = given or [calibration]
            comparison = compared(model, schemes, made, choice, judged, bar.step)
        report = quantization_report(made, choice, [calibration, *given], comparison)
    files: dict[Path, bytes] = {}
    if arguments.output:
        files[arguments.output] = _written(made, suffix)
    if arguments.json:
        files[arguments.json] = json_bytes(report)
    if arguments.html:
        files[arguments.html] = quantization_html(report).encode()
    write_outputs(files)
    _print(report, made)
    if arguments.output:
        print(f"\n{visible(str(arguments.output))}: {len(files[arguments.output]):,} bytes")
    return 0 if comparison is None or is_right(comparison) else 1


def _suffix(arguments: argparse.Namespace) -> str:
    """Of the file to write; "" if none is. Raises UsageError for a choice that lacks another."""
    is_counted = arguments.most is not None or arguments.fewest in (INSTRUCTIONS, CYCLES)
    if arguments.target is not None and arguments.compare is None and not is_counted:
        raise UsageError(
            "--target: expected --compare beside it, such as --compare int8,int4, whose schemes it measures, or "
            "--most-instructions or --most-cycles, which it counts"
        )
    if arguments.output is not None:
        return _known_suffix(arguments.output)
    if arguments.compare is None:
        raise UsageError("expected -o with a file to write, or --compare with schemes, got neither")
    return ""


def _schemes(
    arguments: argparse.Namespace, asked: QuantizeChoice, suffix: str
) -> ComparedSchemes | None:
    """Those to compare, as the format of the file has them; None if none are."""
    if arguments.compare is None:
        return None
    schemes = ComparedSchemes.parse(arguments.compare, asked, arguments.target)
    choices = tuple(_for_format(choice, suffix) for choice in schemes.choices)
    return replace(schemes, choices=choices)


def _refuse_collisions(arguments: argparse.Namespace) -> None:
    written: Mapping[str, Path | None] = {
        "--output": arguments.output,
        "--json": arguments.json,
        "--html": arguments.html,
    }
    read: Mapping[str, Path | None] = {
        "MODEL": arguments.model,
        "--calibration": arguments.calibration,
        "--inputs": arguments.inputs,
    }
    refuse_collisions(
        {name: path for name, path in written.items() if path is not None},
        {name: path for name, path in read.items() if path is not None and not path.is_dir()},
    )


def _known_suffix(output: Path) -> str:
    """Of the file to write. Raises UsageError for one that nobody writes."""
    suffix = output.suffix.lower()
    known = [TEXT_SUFFIX, *registry().exporters]
    if suffix not in known:
        raise UsageError(
            f"{output}: expected a file name that ends in {', '.join(known)}, got {suffix or 'none'}"
        )
    return suffix


def _bits(given: Sequence[tuple[str, str]]) -> dict[str, int]:
    """By the name of a layer. Raises UsageError for what is no number of bits."""
    for name, bits in given:
        if bits not in ("2", "3", "4", "8"):
            raise UsageError(
                f"--bits {visible(name)}: expected 2, 3, 4 or 8, got {visible(bits)!r}"
            )
    return {name: int(bits) for name, bits in given}


def _refuse_blocks(choice: QuantizeChoice, suffix: str) -> None:
    """Raise UsageError for scales of blocks in a format that has none."""
    if suffix == ".tflite" and choice.scheme.block:
        raise UsageError(
            "expected a scheme with scales per channel for .tflite, which has none of blocks, got "
            f"block={choice.scheme.block}; write .onnx or .tsm, or choose int4"
        )


def _budget(arguments: argparse.Namespace) -> BitBudget | None:
    """Of the bits of layers; None if there is none. Raises UsageError for what a budget lacks."""
    bounds = (arguments.weight_bytes, arguments.least_sqnr, arguments.most)
    if all(bound is None for bound in bounds):
        for option, value in (("--fewest", arguments.fewest), ("--choices", arguments.choices)):
            if value is not None:
                raise UsageError(
                    f"{option}: expected a budget beside it, such as --least-sqnr 30, got none"
                )
        return None
    if arguments.fewest is not None and arguments.least_sqnr is None:
        raise UsageError("--fewest: expected --least-sqnr beside it, got none")
    counted, most = arguments.most or (arguments.fewest, None)
    fewest = arguments.fewest or BYTES
    budget = BitBudget(
        arguments.weight_bytes, arguments.least_sqnr, most, fewest, arguments.choices or BITS
    )
    if most is None and fewest == BYTES:
        return budget
    option = f"--fewest {fewest}" if most is None else f"--most-{counted}"
    if fewest not in (BYTES, counted):
        raise UsageError(f"--fewest: expected {BYTES} or {counted} beside {option}, got {fewest}")
    return on_target(replace(budget, counted=counted), arguments.target, option)


def _for_format(choice: QuantizeChoice, suffix: str) -> QuantizeChoice:
    """The scheme for a format: TFLite and ONNX have no tables of any function, and runtimes that round in their way;
    ONNX has no LSTM of integers.
    """
    roundings = {".tflite": "tflite", ".onnx": "nearest"}
    if suffix not in roundings:
        return choice
    scheme = replace(
        choice.scheme,
        tables=False,
        rounding=roundings[suffix],
        integer_lstms=choice.scheme.integer_lstms and suffix != ".onnx",
    )
    return replace(choice, scheme=scheme)


def _given(arguments: argparse.Namespace, made: QuantizedModel) -> list[Samples]:
    if arguments.inputs is None:
        return []
    groups = load_samples(arguments.inputs, made.real, file_shapes=made.model.file_shapes)
    if not all(len(samples) for samples in groups):
        raise UsageError(f"{arguments.inputs}: expected at least one sample, got none")
    return groups


def _written(made: QuantizedModel, suffix: str) -> bytes:
    assert isinstance(made.model.graph, Graph)
    if suffix == TEXT_SUFFIX:
        return print_graph(made.model.graph).encode()
    return registry().exporters[suffix].write(made.model.graph)


def _print(report: QuantizationReport, made: QuantizedModel) -> None:
    for warning in made.model.warnings:
        print_warning(visible_lines(warning))
    print(quantization_text(report))
