"""The layers of a report as a table for spreadsheets."""

import csv
import io

from tinsmith_ir.escape import visible

from tinsmith_driver.report_types import Report

COLUMNS = (
    "number",
    "name",
    "op",
    "kernel",
    "engine",
    "cores",
    "step",
    "in_shape",
    "out_shape",
    "weights",
    "scratch",
    "macs",
    "instructions",
    "cycles",
    "arena_live",
    "in_offset",
    "out_offset",
)
_ACTIVE = ("=", "+", "-", "@", "\t", "\r")
"""What spreadsheets take for the beginning of a formula."""


def layers_csv(report: Report) -> bytes:
    """A header and a line for each layer, as RFC 4180 has it but for ends of lines, which are line feeds.

    number: from 1 on. Columns are else those of `layers` in the report's schema; shapes are as `1x8x8x16`. What is
    null is empty. A name that a spreadsheet would take for a formula begins with an apostrophe.
    """
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(COLUMNS)
    for number, layer in enumerate(report["layers"], 1):
        row = {"number": number, **layer}
        lines.writerow(_cell(row[column]) for column in COLUMNS)
    return text.getvalue().encode()


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case list():
            return "x".join(map(str, value))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        case str():
            return f"'{visible(value)}" if value.startswith(_ACTIVE) else visible(value)
        case _:
            return str(value)
