"""What a benchmark gives back."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class BenchmarkResult:
    """rows: for programs. text: for people. failures: bounds that do not hold, a line each.

    sections: further rows for programs, of another kind each, by the name that the JSON gives them.
    trace: a trace for ui.perfetto.dev, written beside the JSON; empty if there is none. picture: an SVG, likewise.
    """

    rows: list[dict[str, object]]
    text: str
    failures: list[str]
    sections: dict[str, list[dict[str, object]]] = field(
        default_factory=dict[str, list[dict[str, object]]]
    )
    trace: str = ""
    picture: str = ""
