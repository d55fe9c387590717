"""What of two reports differs: figures, and layers with their kernels."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from tinsmith_driver.report_types import LayerRow, Report

Answer = Literal["better", "worse", "same", ""]
Sense = Literal["lower", "higher", ""]


@dataclass(frozen=True)
class Figure:
    """A number of both reports, None where one has none. sense: which is better, "" for parts of another figure.

    is_share: from 0 to 1, of which percent are shown.
    """

    title: str
    before: float | None
    after: float | None
    sense: Sense = ""
    is_share: bool = False

    def answer(self, tolerance: float) -> Answer:
        """tolerance: the share of `before` by which it may become worse and still be the same. A figure that is no
        longer known is worse, as nobody can tell; "" for what is a part, or new.
        """
        if not self.sense or self.before is None:
            return ""
        if self.after is None:
            return "worse"
        rise = self.after - self.before
        loss = rise if self.sense == "lower" else -rise
        if loss > tolerance * abs(self.before):
            return "worse"
        return "better" if loss < 0 else "same"

    @property
    def change(self) -> float | None:
        """As a share of `before`; of shares, the difference."""
        if self.before is None or self.after is None:
            return None
        if self.is_share:
            return self.after - self.before
        return (self.after - self.before) / self.before if self.before else None


@dataclass(frozen=True)
class LayerChange:
    """A layer that is not the same in both, None where one lacks it. what: how it differs, in words."""

    before: LayerRow | None
    after: LayerRow | None
    what: str

    @property
    def name(self) -> str:
        """Of the layer."""
        row = self.before or self.after
        return "" if row is None else row["name"]


@dataclass(frozen=True)
class Difference:
    """cost: what layers are compared by. layer_count: of both reports' layers, matched ones once. notes: why figures
    may not be comparable.
    """

    before: Report
    after: Report
    figures: list[Figure]
    layers: list[LayerChange]
    layer_count: int
    cost: Literal["cycles", "instructions"]
    notes: list[str]

    def worse(self, tolerance: float) -> list[Figure]:
        """The figures that are."""
        return [figure for figure in self.figures if figure.answer(tolerance) == "worse"]


def difference(before: Report, after: Report) -> Difference:
    """Between two reports of one version. Layers are matched by name, those of one name in their order."""
    has_cycles = all(any(row["cycles"] is not None for row in r["layers"]) for r in (before, after))
    pairs = _pairs(before["layers"], after["layers"])
    changes = [LayerChange(one, other, what) for one, other in pairs if (what := _what(one, other))]
    return Difference(
        before,
        after,
        [
            figure
            for figure in _figures(before, after)
            if figure.before is not None or figure.after is not None
        ],
        changes,
        len(pairs),
        "cycles" if has_cycles else "instructions",
        [*_notes(before, after)],
    )


def _figures(before: Report, after: Report) -> Iterator[Figure]:
    def of(title: str, values: tuple[float | None, float | None], sense: Sense = "") -> Figure:
        return Figure(title, *values, sense)

    ram, flash = (before["ram"], after["ram"]), (before["flash"], after["flash"])
    runs = (before.get("run"), after.get("run"))
    yield of("RAM", (ram[0]["total"], ram[1]["total"]), "lower")
    yield of("  arena", (ram[0]["arena"], ram[1]["arena"]), "lower")
    yield of("  data + bss", (ram[0]["data_bss"], ram[1]["data_bss"]))
    yield of("  stack", (ram[0]["stack"], ram[1]["stack"]))
    yield of("flash", (flash[0]["total"], flash[1]["total"]), "lower")
    yield of("  weights", (flash[0]["weights"], flash[1]["weights"]))
    yield of("  code", (flash[0]["code"], flash[1]["code"]))
    yield of("  other constants", (flash[0]["rodata"], flash[1]["rodata"]))
    yield of("MACs", (before["model"]["macs"], after["model"]["macs"]))
    one, other = runs
    yield of(
        "instructions", (one and one["instructions"], other and other["instructions"]), "lower"
    )
    yield of("cycles", (one and one["cycles"], other and other["cycles"]), "lower")
    yield Figure("right answers", _right(before), _right(after), "higher", is_share=True)
    yield of(
        "bytes that differ", (one and one["mismatches"], other and other["mismatches"]), "lower"
    )
    yield of("layers that are wrong", (_wrong_layers(before), _wrong_layers(after)), "lower")
    yield of(
        "floats from the file",
        (one and one["file_float_share"], other and other["file_float_share"]),
    )


def _right(report: Report) -> float | None:
    run = report.get("run")
    accuracy = None if run is None else run["accuracy"]
    return accuracy["right"] / accuracy["labelled"] if accuracy and accuracy["labelled"] else None


def _wrong_layers(report: Report) -> int | None:
    """1 for a layer that differs from the evaluator's, as the first one ends the comparison."""
    run = report.get("run")
    return None if run is None or run["layers_equal"] is None else int(not run["layers_equal"])


def _pairs(
    before: Sequence[LayerRow], after: Sequence[LayerRow]
) -> list[tuple[LayerRow | None, LayerRow | None]]:
    """In the order of `before`; those that are new follow in theirs."""
    left = dict(zip(_keys(after), after, strict=True))
    pairs: list[tuple[LayerRow | None, LayerRow | None]] = [
        (row, left.pop(key, None)) for key, row in zip(_keys(before), before, strict=True)
    ]
    return [*pairs, *((None, row) for row in left.values())]


def _keys(rows: Sequence[LayerRow]) -> list[tuple[str, int]]:
    """Names, and how many of the same were before."""
    seen: Counter[str] = Counter()
    keys: list[tuple[str, int]] = []
    for row in rows:
        keys.append((row["name"], seen[row["name"]]))
        seen[row["name"]] += 1
    return keys


def _what(one: LayerRow | None, other: LayerRow | None) -> str:
    """Nothing for layers that are the same. Where they lie in memory is no difference of theirs."""
    if one is None or other is None:
        return "new" if one is None else "gone"
    found: list[str] = []
    if one["kernel"] != other["kernel"]:
        found.append(f"{one['kernel']} → {other['kernel']}")
    if one["op"] != other["op"]:
        found.append(f"{one['op']} → {other['op']}")
    if (one["in_shape"], one["out_shape"]) != (other["in_shape"], other["out_shape"]):
        found.append("shape")
    if one["engine"] != other["engine"]:
        found.append(f"{one['engine']} → {other['engine']}")
    found += [name for name in ("cores", "weights", "scratch", "macs") if one[name] != other[name]]
    counted = [(one[name], other[name], name) for name in ("instructions", "cycles")]
    found += [name for a, b, name in counted if a is not None and b is not None and a != b]
    return ", ".join(found)


def _notes(before: Report, after: Report) -> Iterator[str]:
    for title, one, other in (
        ("networks", before["model"]["sha256"][:12], after["model"]["sha256"][:12]),
        ("targets", before["target"]["name"], after["target"]["name"]),
        ("toolchains", before["target"]["toolchain"] or "-", after["target"]["toolchain"] or "-"),
        ("samples", _samples(before), _samples(after)),
        ("versions of Tinsmith", before["tinsmith"], after["tinsmith"]),
    ):
        if one != other:
            yield f"{title} differ: {one}, {other}"


def _samples(report: Report) -> str:
    run = report.get("run")
    return "none" if run is None else str(run["inputs"])
