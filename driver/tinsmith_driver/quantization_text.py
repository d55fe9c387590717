"""The report of `tinsmith quantize` for people."""

from tinsmith_ir.escape import visible

from tinsmith_driver.budget_report import budget_sentence, sensitivity_cells, sensitivity_header
from tinsmith_driver.comparison import comparison_text
from tinsmith_driver.decibels import decibels_text
from tinsmith_driver.quantization_report import QuantizationReport
from tinsmith_driver.range_report import ranges_text
from tinsmith_driver.split_report import splitting_text
from tinsmith_driver.table import fitted_table, thousands

_NAMED = 5


def quantization_text(report: QuantizationReport) -> str:
    """The tables for people."""
    parts = [
        fitted_table(
            ["samples", "count", "SQNR", "top 1 as float", "right", "float right"], _groups(report)
        ),
        f"weights {thousands(report['weight_bytes'])} bytes, {report['scheme']}, "
        f"{report['calibration_samples']} samples of calibration",
    ]
    if report["splitting"] is not None:
        parts.append(splitting_text(report["splitting"]))
    if report["sensitivities"]:
        cells = sensitivity_cells(report["sensitivities"], report["budget"])
        parts.append(fitted_table(sensitivity_header(report["budget"]), cells))
    parts += filter(None, [budget_sentence(report["budget"])])
    if report["learned_ranges"] is not None:
        parts.append(ranges_text(report["learned_ranges"]))
    if report["worst"]:
        rows = [
            [visible(w["name"]), f"{w['lost_db']:.1f} dB", w["advice"]] for w in report["worst"]
        ]
        parts.append(fitted_table(["least signal to noise", "SQNR", "what would help"], rows))
    if report["float_operators"]:
        names = ", ".join(map(visible, report["float_operators"][:_NAMED]))
        parts.append(f"{len(report['float_operators'])} operators stay float32: {names}")
    if report["comparison"] is not None:
        parts.append(comparison_text(report["comparison"]))
    return "\n\n".join(parts)


def _groups(report: QuantizationReport) -> list[list[str]]:
    return [
        [
            visible(found["group"]) or "samples",
            thousands(found["samples"]),
            decibels_text(found["sqnr_db"]),
            _count(found["agree"]),
            _count(found["correct"]),
            _count(found["correct_real"]),
        ]
        for found in report["groups"]
    ]


def _count(number: int | None) -> str:
    return "-" if number is None else thousands(number)
