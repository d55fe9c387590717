"""What of a run was compared with what, in words for the page: said once, and no more than was done."""

from collections.abc import Iterator
from dataclasses import dataclass

from tinsmith_driver.report_types import Run
from tinsmith_driver.table import thousands


@dataclass(frozen=True)
class Verdict:
    """title: the answer. is_right: None where nothing was compared. sentences: how it was found."""

    title: str
    is_right: bool | None
    sentences: list[str]


def verdict(run: Run | None) -> Verdict:
    """run: of the report; None where firmware was not run."""
    if run is None:
        return Verdict(
            "not run", None, ["Compiled alone: no firmware was run, nothing was compared."]
        )
    count = _samples(run["inputs"])
    if run["bit_exact"] is None:
        return Verdict("not compared", None, [f"{count} ran; nothing was compared."])
    share, tolerance = run["file_float_share"], run["float_tolerance"]
    is_close = share is None or share <= (tolerance or 0.0)
    title = "bit-exact" if run["bit_exact"] else "NOT bit-exact"
    title += "" if is_close else ", and too far from the sample file"
    return Verdict(title, run["bit_exact"] and is_close, [*_sentences(run)])


def _sentences(run: Run) -> Iterator[str]:
    count, groups = _samples(run["inputs"]), run["groups"]
    yield f"Output bytes of {count} against the evaluator's: {_differ(sum(g['mismatches'] or 0 for g in groups))}."
    in_file = [(g["samples"], g["file_mismatches"]) for g in groups]
    known = [(samples, wrong) for samples, wrong in in_file if wrong is not None]
    if known:
        of_file = _samples(sum(samples for samples, _ in known))
        yield f"Integers of {of_file} against those of the sample file: {_differ(sum(wrong for _, wrong in known))}."
    if (share := run["file_float_share"]) is not None:
        yield (
            f"Floats against those of the sample file: at most {share:.2g} of the largest apart, "
            f"tolerance {run['float_tolerance']:g}."
        )
    if run["layers_equal"] is None:
        yield "Outputs of layers were not compared."
        return
    of_layers = f"Outputs of layers of {_samples(run['layer_samples'])}, as far as they were there to be read"
    yield f"{of_layers}, against the evaluator's: {'all are equal' if run['layers_equal'] else 'one differs'}."


def _differ(wrong: int) -> str:
    return "all are equal" if wrong == 0 else f"{thousands(wrong)} bytes differ"


def _samples(count: int) -> str:
    return "1 sample" if count == 1 else f"{thousands(count)} samples"
