"""What learning ranges brought, in the report of `tinsmith quantize`."""

from typing import TypedDict

from tinsmith_ir.escape import visible
from tinsmith_quantization import RangeLearning

from tinsmith_driver.decibels import decibels, decibels_text
from tinsmith_driver.table import fitted_table


class RangeRow(TypedDict):
    """See `RangeChange`: least and largest number."""

    name: str
    calibrated: list[float]
    learned: list[float]


class RangesReport(TypedDict):
    """See `RangeLearning`; decibels are None where nothing is lost."""

    calibrated_db: float | None
    learned_db: float | None
    adopted: bool
    ranges: list[RangeRow]


def ranges_report(found: RangeLearning | None) -> RangesReport | None:
    """None if no ranges were learned."""
    if found is None:
        return None
    return RangesReport(
        calibrated_db=decibels(found.calibrated_db),
        learned_db=decibels(found.learned_db),
        adopted=found.is_adopted,
        ranges=[
            RangeRow(name=change.name, calibrated=[*change.calibrated], learned=[*change.learned])
            for change in found.ranges
        ],
    )


def ranges_sentence(report: RangesReport) -> str:
    """Which ranges the network has, and why."""
    before, after = decibels_text(report["calibrated_db"]), decibels_text(report["learned_db"])
    taken = "learned ones are taken" if report["adopted"] else "calibrated ones are kept"
    return f"Ranges: {before} with calibrated ones on the samples, {after} with learned ones; the {taken}"


def ranges_text(report: RangesReport) -> str:
    """The sentence, and a table of both ranges of each tensor."""
    rows = [[visible(row["name"]), *ranges_cells(row)] for row in report["ranges"]]
    return f"{ranges_sentence(report)}\n\n{fitted_table(['tensor', 'calibrated', 'learned'], rows)}"


def ranges_cells(row: RangeRow) -> list[str]:
    """Both ranges for people."""
    pairs = row["calibrated"], row["learned"]
    return [f"{low:.4g} to {high:.4g}" for low, high in pairs]
