"""What a benchmark gives back."""

from dataclasses import dataclass


@dataclass(frozen=True)
class BenchmarkResult:
    """rows: for programs. text: for people. failures: bounds that do not hold, a line each."""

    rows: list[dict[str, object]]
    text: str
    failures: list[str]
