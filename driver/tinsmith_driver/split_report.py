"""What splitting channels brought, in the report of `tinsmith quantize`."""

from typing import TypedDict

from tinsmith_ir.escape import visible
from tinsmith_quantization import ChannelSplitting

from tinsmith_driver.decibels import decibels, decibels_text
from tinsmith_driver.table import fitted_table, thousands


class AddedRow(TypedDict):
    """See `AddedChannels`."""

    name: str
    given: int
    read: int
    elements: int
    size_bytes: int


class SplittingReport(TypedDict):
    """See `ChannelSplitting`; decibels are None where nothing is lost."""

    plain_db: float | None
    plain_scores_db: float | None
    split_db: float | None
    split_scores_db: float | None
    adopted: bool
    added: list[AddedRow]


def splitting_report(found: ChannelSplitting | None) -> SplittingReport | None:
    """None if no channels were to be split."""
    if found is None:
        return None
    return SplittingReport(
        plain_db=decibels(found.plain_db),
        plain_scores_db=decibels(found.plain_scores_db),
        split_db=decibels(found.split_db),
        split_scores_db=decibels(found.split_scores_db),
        adopted=found.is_adopted,
        added=[
            AddedRow(
                name=each.name,
                given=each.given,
                read=each.read,
                elements=each.elements,
                size_bytes=each.size_bytes,
            )
            for each in found.added
        ],
    )


def splitting_sentence(report: SplittingReport) -> str:
    """Whether the network has more channels, and why."""
    if not report["added"]:
        return "Channels: none stands out so far that splitting it would gain anything"
    before, after = (
        f"{decibels_text(outputs)} of outputs, {decibels_text(scores)} of scores"
        for outputs, scores in (
            (report["plain_db"], report["plain_scores_db"]),
            (report["split_db"], report["split_scores_db"]),
        )
    )
    taken = "the split ones are taken" if report["adopted"] else "they are left as they were"
    return (
        f"Channels: {before} on the samples, and {after} with the most outstanding split; {taken}"
    )


def splitting_text(report: SplittingReport) -> str:
    """The sentence, and a table of what layers have more."""
    parts = [splitting_sentence(report)]
    if report["added"]:
        parts.append(fitted_table(ADDED_HEADER, added_cells(report)))
    return "\n\n".join(parts)


ADDED_HEADER = ["channels more", "given", "read", "bytes"]


def added_cells(report: SplittingReport) -> list[list[str]]:
    """A line for each layer, and one for all: what layers give is what others read."""
    rows = report["added"]
    given, size_bytes = (sum(row[key] for row in rows) for key in ("given", "size_bytes"))
    return [
        *(
            [
                visible(row["name"]),
                *(thousands(row[key]) for key in ("given", "read", "size_bytes")),
            ]
            for row in rows
        ),
        ["all", thousands(given), "", thousands(size_bytes)],
    ]
