"""A sweep, models by targets: one row for each pair, as JSON, and the table that rows are gathered into.

Rows hold no times and no folders: a pair has one row, whoever measures it, wherever.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict, cast

from tinsmith_ir import DoesNotFitError, UnsupportedError, UsageError
from tinsmith_ir.escape import visible

from tinsmith_driver.build import Build
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.running import Measurement
from tinsmith_driver.table import thousands

ROW_SCHEMA = "tinsmith.row/1"
_TABLE_SCHEMA = "tinsmith.sweep/1"

# Why a network may have no figures on a target: an answer, and no error of the sweep.
Refusal = DoesNotFitError | UnsupportedError


class Row(TypedDict):
    """One network on one target; figures are None where they are unknown, as by report.schema.json.

    status: `ok`; `differs`, from the evaluator or the sample file; or a refusal, whose words `reason` has.
    right: samples whose label the first output names; None without labels. instructions, cycles: of
    one inference. code_bytes, constant_bytes, ram_bytes: without the test harness; None on the host,
    where they depend on the computer.
    """

    schema: str
    network: str
    target: str
    status: str
    reason: str | None
    model_sha256: str | None
    toolchain: str | None
    samples: int | None
    right: int | None
    bytes_different: int | None
    file_float_share: float | None
    macs: int | None
    instructions: int | None
    cycles: int | None
    code_bytes: int | None
    constant_bytes: int | None
    arena_bytes: int | None
    stack_bytes: int | None
    ram_bytes: int | None


def measured(network: str, compilation: Compilation, build: Build, measurement: Measurement) -> Row:
    """The row of a network that ran and was compared."""
    is_board = measurement.stack_bytes is not None
    arena, stack = compilation.arena_bytes, measurement.stack_bytes or 0
    right = [group.correct for group in measurement.groups if group.correct is not None]
    row = _row(network, compilation.target.name)
    row.update(
        status="ok" if measurement.is_right else "differs",
        reason=None if measurement.is_right else _reason(measurement),
        model_sha256=compilation.model.sha256,
        toolchain=build.toolchain,
        samples=measurement.samples,
        right=sum(right) if right else None,
        bytes_different=measurement.mismatches,
        file_float_share=measurement.file_share,
        macs=compilation.graph.macs,
        instructions=measurement.instructions,
        cycles=measurement.cycles,
        code_bytes=build.code if is_board else None,
        constant_bytes=build.weights + build.rodata if is_board else None,
        arena_bytes=arena,
        stack_bytes=measurement.stack_bytes,
        ram_bytes=arena + build.data_bss + stack if is_board else None,
    )
    return row


def flash_bytes(row: Row) -> int | None:
    """Code and constants; None where they are unknown."""
    code, constants = row["code_bytes"], row["constant_bytes"]
    return None if code is None or constants is None else code + constants


def refused(network: str, target: str, refusal: Refusal) -> Row:
    """The row of a network that has no figures on a target."""
    row = _row(network, target)
    status = "does not fit" if isinstance(refusal, DoesNotFitError) else "refused"
    row.update(status=status, reason=str(refusal))
    return row


def read_rows(paths: Sequence[Path]) -> list[Row]:
    """Rows as `measure` writes them. Raises UsageError for another file."""
    return [_read_row(path) for path in paths]


def sweep_json(rows: Sequence[Row]) -> dict[str, object]:
    """The table for programs."""
    return {"schema": _TABLE_SCHEMA, "rows": list(rows)}


def sweep_markdown(rows: Sequence[Row]) -> str:
    """The table for people, and below it why rows have no figures, or wrong ones."""
    header = [
        "network", "target", "result", "samples", "right", "bytes that differ", "instructions", "cycles",
        "code", "constants", "arena", "stack", "RAM",
    ]  # fmt: skip
    lines = [header, ["---", "---", "---", *["---:"] * (len(header) - 3)], *map(_cells, rows)]
    reasons = [
        f"- {_cell(row['network'])} on {row['target']}: {_cell(row['reason'])}"
        for row in rows
        if row["reason"]
    ]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return "\n".join([text, *(["", *reasons] if reasons else []), ""])


def wrong_rows(rows: Sequence[Row]) -> list[str]:
    """A line for each network that gave other results than it must."""
    return [
        f"{row['network']} on {row['target']}: {row['status']}: {row['reason']}"
        for row in rows
        if row["status"] == "differs"
    ]


def _row(network: str, target: str) -> Row:
    return {
        "schema": ROW_SCHEMA,
        "network": network,
        "target": target,
        "status": "ok",
        "reason": None,
        "model_sha256": None,
        "toolchain": None,
        "samples": None,
        "right": None,
        "bytes_different": None,
        "file_float_share": None,
        "macs": None,
        "instructions": None,
        "cycles": None,
        "code_bytes": None,
        "constant_bytes": None,
        "arena_bytes": None,
        "stack_bytes": None,
        "ram_bytes": None,
    }


def _reason(measurement: Measurement) -> str:
    if measurement.bit_exact is not True:
        return measurement.reason
    return f"beyond the tolerance of the file: {measurement.beyond_tolerance}"


def _read_row(path: Path) -> Row:
    try:
        row = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: expected a row that `measure` wrote: {error}") from error
    if not isinstance(row, dict) or cast("dict[str, object]", row).get("schema") != ROW_SCHEMA:
        raise UsageError(f"{path}: expected a row that `measure` wrote, of {ROW_SCHEMA}")
    return cast("Row", row)


def _cells(row: Row) -> list[str]:
    return [
        _cell(row["network"]),
        row["target"],
        row["status"] if row["status"] == "ok" else f"**{row['status']}**",
        thousands(row["samples"]),
        thousands(row["right"]),
        thousands(row["bytes_different"]),
        thousands(row["instructions"]),
        thousands(row["cycles"]),
        thousands(row["code_bytes"]),
        thousands(row["constant_bytes"]),
        thousands(row["arena_bytes"]),
        thousands(row["stack_bytes"]),
        thousands(row["ram_bytes"]),
    ]


def _cell(text: str | None) -> str:
    """On one line, with nothing that Markdown takes for the border of a cell."""
    return visible(" ".join((text or "").split())).replace("|", "\\|")
