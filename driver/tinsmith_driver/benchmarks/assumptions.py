"""What is not known of DIANA and changes times: constants of the simulated chip with other values that they might have,
features that its digital array might have; the rows that are measured of them, and their tables.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tinsmith_driver.table import table, thousands

LEAST_PERCENT = 5.0
"""Constants that change no network by as much are named in a line."""

AS_IT_IS = "as it is"
BOUND = "jobs alone: loads of weights and computing"

_DIGITAL, _ANALOG = "digital", "analog"


@dataclass(frozen=True)
class Value:
    """Another value of a constant, and why it might be that."""

    value: int
    why: str


@dataclass(frozen=True)
class Assumption:
    """A constant of `devices` of the chip's description, which its README explains. value: there. less, more: others
    with which networks take less and more cycles; None where nothing speaks for such.
    """

    name: str
    devices: tuple[str, ...]
    value: int
    less: Value | None = None
    more: Value | None = None

    def changes(self, changed: Value) -> Mapping[str, int]:
        """By names of the description."""
        return {f"{device}.{self.name}": changed.value for device in self.devices}

    def title(self, changed: Value) -> str:
        """Of a row."""
        of = "" if len(self.devices) > 1 else f"{min(self.devices)} "
        return f"{of}{self.name} {self.value} -> {changed.value}"


ASSUMPTIONS = (
    Assumption(
        "load_begin",
        (_DIGITAL, _ANALOG),
        11,
        Value(1, "a request a cycle"),
        Value(64, "the 474 cycles of HTVM's jobs were all hardware's"),
    ),
    Assumption(
        "copy_begin", (_DIGITAL, _ANALOG), 8, Value(0, "no time of its own"), Value(70, "MATCH")
    ),
    Assumption(
        "bytes_per_cycle",
        (_DIGITAL, _ANALOG),
        16,
        Value(32, "twice the width"),
        Value(8, "half the width"),
    ),
    Assumption(
        "pass_begin",
        (_DIGITAL,),
        2,
        Value(0, "passes one behind the other"),
        Value(4, "twice MATCH's"),
    ),
    Assumption(
        "block_end",
        (_DIGITAL,),
        23,
        Value(7, "16 rows go out beside the next block"),
        Value(39, "a row of outputs each second cycle"),
    ),
    Assumption("strided_block", (_DIGITAL,), 0, more=Value(1, "TinyVers")),
    Assumption(
        "fully_connected_end",
        (_DIGITAL,),
        20,
        Value(4, "outputs go out beside the next 16"),
        Value(36, "an output each second cycle"),
    ),
    Assumption(
        "add_vector",
        (_DIGITAL,),
        4,
        Value(1, "16 elements a cycle"),
        Value(8, "a state takes two cycles"),
    ),
    Assumption(
        "line_write",
        (_ANALOG,),
        4,
        Value(2, "both lines of a row at once"),
        Value(5, "HTVM's ToyAdmos, 4.3"),
    ),
    Assumption(
        "evaluation_1x1",
        (_ANALOG,),
        163,
        Value(18, "PLiNIO: the array alone"),
        Value(326, "twice the fit"),
    ),
    Assumption(
        "evaluation",
        (_ANALOG,),
        105,
        Value(18, "PLiNIO: the array alone"),
        Value(163, "as of 1x1"),
    ),
    Assumption("post_vector", (_ANALOG,), 0, more=Value(16, "an output a cycle")),
)
"""Those that change cycles. `job_begin` is one number with `load_begin` to what was fitted; `instruction_begin` is of
further instructions of a job; all others change what is computed or what is allowed.
"""

AT_BEST, AT_WORST = "each as it takes less", "each as it takes more"


@dataclass(frozen=True)
class AssumptionRow:
    """A network, and what is assumed other than the chip's description has it: constants, by name, and features that
    the code uses, too. title, why: of these. percent: more cycles than as it is. bit_exact: every byte of its outputs
    is the evaluator's.
    """

    network: str
    engines: str
    title: str
    why: str
    constants: Mapping[str, int]
    features: tuple[str, ...]
    cycles: int
    percent: float
    bit_exact: bool

    @property
    def column(self) -> str:
        """Of tables."""
        return f"{self.network}, {self.engines}"


def settings(devices: Sequence[str]) -> Iterable[tuple[str, str, Mapping[str, int]]]:
    """Title, why and constants of each row of a network that computes on these devices."""
    ends: dict[str, dict[str, int]] = {AT_BEST: {}, AT_WORST: {}}
    for it in ASSUMPTIONS:
        if not set(it.devices) & set(devices):
            continue
        for end, changed in ((AT_BEST, it.less), (AT_WORST, it.more)):
            if changed is not None:
                ends[end] |= it.changes(changed)
                yield it.title(changed), changed.why, it.changes(changed)
    for end, constants in ends.items():
        yield end, "all of the above at once", constants


def constants_text(rows: Sequence[AssumptionRow]) -> str:
    """Of rows as they are and with other constants: a table by how much they change networks, and, in a line, what
    changes none by much.
    """
    columns = list(dict.fromkeys(row.column for row in rows))
    lines: list[list[str]] = []
    others: list[str] = []
    for title in (AS_IT_IS, *(title for title, _, _ in settings((_DIGITAL, _ANALOG)))):
        cells = {row.column: row for row in rows if row.title == title}
        largest = max((abs(row.percent) for row in cells.values()), default=0.0)
        if title != AS_IT_IS and largest < LEAST_PERCENT:
            others.append(f"{title}: {largest:.1f}")
            continue
        (why,) = {row.why for row in cells.values()}
        lines.append([title, why, *(_cell(cells.get(column)) for column in columns)])
    text = table(["constant", "because", *columns], lines)
    less = f"by less than {LEAST_PERCENT:g} %, at most: {'; '.join(others)}"
    return f"{text}\n\n{less}" if others else text


def _cell(row: AssumptionRow | None) -> str:
    if row is None:
        return "-"
    wrong = "" if row.bit_exact else " WRONG"
    number = thousands(row.cycles) if row.title == AS_IT_IS else f"{row.percent:+.1f} %"
    return f"{number}{wrong}"


def features_text(rows: Sequence[AssumptionRow], clock_hz: int) -> str:
    """Of rows as they are, with features, and the bound: milliseconds."""
    columns = list(dict.fromkeys(row.column for row in rows))
    titles = list(dict.fromkeys(row.title for row in rows))
    cells = {(row.title, row.column): row for row in rows}

    def cell(title: str, column: str) -> str:
        row = cells.get((title, column))
        if row is None:
            return "-"
        wrong = "" if row.bit_exact else " WRONG"
        return f"{1e3 * row.cycles / clock_hz:.3f}{wrong}"

    lines = [[title, *(cell(title, column) for column in columns)] for title in titles]
    return table(["ms, if the digital array has", *columns], lines)
