"""What a comparison of quantization schemes holds, and its table."""

from typing import TypedDict

from tinsmith_ir.escape import visible

from tinsmith_driver.table import fitted_table, thousands

FLOAT = "float"
_UNMEASURED = "not measured"


class ComparedRow(TypedDict):
    """A scheme, or the float network, `float`. Figures are None where they are unknown.

    status: `ok`, every byte that ran is the evaluator's; `differs`; `not measured`, without a target; or a refusal,
    `does not fit` or `refused`, whose words `reason` has. sqnr_db: of the outputs against the float network's; None
    where nothing is lost, too. agree: samples whose largest output is at the same place; right: at that of the label,
    if there are labels. weight_bytes: of layers with weights. flash_bytes: code and constants without the test harness.
    ram_bytes: arena, data and stack. instructions, cycles: of one inference. bytes_different: from the evaluator.
    """

    scheme: str
    status: str
    reason: str | None
    sqnr_db: float | None
    agree: int | None
    right: int | None
    weight_bytes: int | None
    flash_bytes: int | None
    arena_bytes: int | None
    ram_bytes: int | None
    instructions: int | None
    cycles: int | None
    bytes_different: int | None


class Comparison(TypedDict):
    """Rows in the order that was asked for, behind that of the float network. target: None if nothing was measured.
    groups, samples: which and how many the accuracy is of; ran: how many of them ran on the target.
    """

    target: str | None
    groups: list[str]
    samples: int
    ran: int
    rows: list[ComparedRow]


def empty_row(scheme: str) -> ComparedRow:
    """Of a scheme of which nothing is known yet."""
    return ComparedRow(
        scheme=scheme,
        status=_UNMEASURED,
        reason=None,
        sqnr_db=None,
        agree=None,
        right=None,
        weight_bytes=None,
        flash_bytes=None,
        arena_bytes=None,
        ram_bytes=None,
        instructions=None,
        cycles=None,
        bytes_different=None,
    )


def comparison_header(comparison: Comparison) -> list[str]:
    """Titles of the columns: those of labels, of a target and of cycles where there are such."""
    right = ["right"] if _has_labels(comparison) else []
    costs = ["flash", "arena", "RAM", _counted(comparison), "result"]
    measured = costs if comparison["target"] is not None else []
    return ["scheme", "SQNR", "top 1 as float", *right, "weights", *measured]


def comparison_cells(comparison: Comparison) -> list[list[str]]:
    """A line for each row, as many cells as the header has."""
    return [_cells(comparison, row) for row in comparison["rows"]]


def comparison_notes(comparison: Comparison) -> list[str]:
    """Sentences below the table: what was judged, what ran, why rows have no figures."""
    groups = ", ".join(visible(group) or "samples" for group in comparison["groups"])
    notes = [f"accuracy of {thousands(comparison['samples'])} samples ({groups})"]
    if comparison["target"] is not None:
        notes[0] += (
            f"; the first {comparison['ran']} ran on {comparison['target']}: "
            "ok where every byte is the evaluator's"
        )
    refused = [row for row in comparison["rows"] if row["reason"]]
    notes += [f"{visible(row['scheme'])}: {visible(row['reason'] or '')}" for row in refused]
    return notes


def comparison_text(comparison: Comparison) -> str:
    """The table and its notes for people."""
    header, cells = comparison_header(comparison), comparison_cells(comparison)
    return "\n".join([fitted_table(header, cells), "", *comparison_notes(comparison)])


def is_right(comparison: Comparison) -> bool:
    """Whether no network gave other bytes than the evaluator."""
    return all(row["status"] != "differs" for row in comparison["rows"])


def _cells(comparison: Comparison, row: ComparedRow) -> list[str]:
    samples = comparison["samples"]
    right = [_share(row["right"], samples)] if _has_labels(comparison) else []
    counted = row["cycles"] if _counted(comparison) == "cycles" else row["instructions"]
    numbers = [row["flash_bytes"], row["arena_bytes"], row["ram_bytes"], counted]
    measured = [*map(thousands, numbers), row["status"]]
    return [
        row["scheme"],
        _loss(row),
        _share(row["agree"], samples),
        *right,
        thousands(row["weight_bytes"]),
        *(measured if comparison["target"] is not None else []),
    ]


def _loss(row: ComparedRow) -> str:
    if row["weight_bytes"] is None:
        return "-"  # there is no network
    return "exact" if row["sqnr_db"] is None else f"{row['sqnr_db']:.1f} dB"


def _share(count: int | None, samples: int) -> str:
    return "-" if count is None else f"{100 * count / samples:.2f} %"


def _has_labels(comparison: Comparison) -> bool:
    return any(row["right"] is not None for row in comparison["rows"])


def _counted(comparison: Comparison) -> str:
    """What inferences are counted in: cycles where any row has them."""
    has_cycles = any(row["cycles"] is not None for row in comparison["rows"])
    return "cycles" if has_cycles else "instructions"
