"""The plans of a network in less and less memory: what each takes, estimated or measured."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TypedDict

import jinja2
from tinsmith_ir.errors import DoesNotFitError
from tinsmith_ir.escape import visible
from tinsmith_ir.passes import Shrunk

from tinsmith_driver.compilation import Compilation
from tinsmith_driver.memory_limits import rooms
from tinsmith_driver.models import Model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pipelines import Budgets
from tinsmith_driver.sweep import Row, flash_bytes
from tinsmith_driver.table import fitted_table, thousands

EXPLORE_SCHEMA = "tinsmith.explore/1"

_HEADER = ["arena", "RAM", "flash", "instructions", "by the first", "result"]
_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 760.0, 360.0, 90.0, 40.0


class Explored(TypedDict):
    """The answer of `tinsmith explore`: rows from whole tensors down. is_complete: no smaller plan was found."""

    schema: str
    network: str
    target: str
    rows: list[Row]
    is_complete: bool
    refusal: str


def compilations(model: Model, options: CompileOptions, *, most: int) -> Iterator[Compilation]:
    """Of a network, from whole tensors on, each in less memory than the one before; ends behind the smallest.

    most: how many at most.
    Raises DoesNotFitError, saying why, after the smallest, where fewer than `most` were found.
    """
    budgets = Budgets(model, options)
    ram: int | None = None
    for _ in range(most):
        found = budgets.within(ram)
        yield found
        ram = bounded_bytes(found) - 1
        if ram < 1:
            return


def bounded_bytes(compilation: Compilation) -> int:
    """Of the memories that `--ram` bounds: those that lie where the board has its arenas, and not in a cluster's or an
    accelerator's.
    """
    homes = rooms(compilation)
    return sum(plan.arena_bytes for name, plan in compilation.plans.items() if not homes[name][0])


def smaller_text(compilation: Compilation) -> str:
    """`also fits at: 28,128 bytes (17,603 instructions more, about), …`, each for `--ram`; "" if nothing smaller is
    found.
    """
    arena = bounded_bytes(compilation)
    if arena > _LARGEST_ARENA or compilation.model.program is not None:
        return ""
    smaller = _smaller(Budgets(compilation.model, compilation.options), arena)
    found = [_saving(made, compilation) for made in smaller]
    return f"also fits at: {', '.join(found)}" if found else ""


def _saving(made: Compilation, whole: Compilation) -> str:
    more = max(0.0, extra_of(made) - extra_of(whole))
    where = f" of {made.target.board.arena_home}" if len(made.plans) > 1 else ""
    return f"{thousands(bounded_bytes(made))} bytes{where} ({thousands(round(more))} instructions more, about)"


def _smaller(budgets: Budgets, arena: int) -> Iterator[Compilation]:
    """Plans that save an eighth each; the smallest, if that saves less."""
    ram, count = arena * 7 // 8, 0
    while ram > 0 and count < _MOST_SMALLER:
        try:
            made = budgets.within(ram)
        except DoesNotFitError as error:
            needed = error.needed_bytes
            if needed is None or needed >= arena or count:
                return
            made = budgets.within(needed)
        yield made
        ram, count = bounded_bytes(made) * 7 // 8, count + 1


_MOST_SMALLER = 6
_LARGEST_ARENA = 1 << 25
"""Bytes beyond which nobody asks for a few less, and looking for them would take much time and memory."""


def extra_of(compilation: Compilation) -> float:
    """Instructions more than whole tensors take, as the passes estimate."""
    facts = [record.facts for record in compilation.pass_records]
    return sum(fact.extra for fact in facts if isinstance(fact, Shrunk))


def explored_text(rows: Sequence[Row]) -> str:
    """The table for people."""
    return fitted_table(_HEADER, _cells(rows))


def _cells(rows: Sequence[Row]) -> list[list[str]]:
    """Of the table, a line for each row."""
    first = rows[0]["instructions"]
    return [
        [
            _number(row["arena_bytes"]),
            _number(row["ram_bytes"]),
            _number(flash_bytes(row)),
            _number(row["instructions"]),
            _times(row["instructions"], first),
            row["status"],
        ]
        for row in rows
    ]


def explored_html(explored: Explored) -> str:
    """One page with nothing to load: the plot and the table."""
    source = files("tinsmith_driver").joinpath("explore.html.jinja").read_text(encoding="utf-8")
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    rows = explored["rows"]
    return environment.from_string(source).render(
        network=visible(explored["network"]),
        target=explored["target"],
        plot=_plot(rows),
        refusal=visible(explored["refusal"]),
        header=_HEADER,
        rows=_cells(rows),
    )


@dataclass(frozen=True)
class _Point:
    x: float
    y: float
    title: str


@dataclass(frozen=True)
class _Tick:
    at: float
    label: str


@dataclass(frozen=True)
class _Plot:
    """Arena to the right, instructions upwards; the line joins the plans."""

    width: float
    height: float
    left: float
    bottom: float
    points: list[_Point]
    line: str
    across: list[_Tick]
    up: list[_Tick]


def _plot(rows: Sequence[Row]) -> _Plot:
    pairs = [(row["arena_bytes"] or 0, row["instructions"] or 0) for row in rows]
    widest = max(arena for arena, _ in pairs) or 1
    low, high = min(count for _, count in pairs), max(count for _, count in pairs)
    low, high = int(low * 0.98), max(int(high * 1.02), low + 1)
    inner_width, inner_height = _WIDTH - _LEFT - 20, _HEIGHT - _BOTTOM - 20

    def x(arena: float) -> float:
        return round(_LEFT + inner_width * arena / widest, 1)

    def y(count: float) -> float:
        return round(20 + inner_height * (high - count) / (high - low), 1)

    points = [
        _Point(x(arena), y(count), f"{thousands(arena)} bytes, {thousands(count)} instructions")
        for arena, count in pairs
    ]
    fifths = range(6)
    return _Plot(
        _WIDTH,
        _HEIGHT,
        _LEFT,
        _HEIGHT - _BOTTOM,
        points,
        " ".join(f"{point.x},{point.y}" for point in points),
        [_Tick(x(widest * n / 5), thousands(round(widest * n / 5))) for n in fifths],
        [
            _Tick(y(low + (high - low) * n / 5), thousands(round(low + (high - low) * n / 5)))
            for n in fifths
        ],
    )


def _number(value: int | None) -> str:
    return "-" if value is None else thousands(value)


def _times(value: int | None, first: int | None) -> str:
    return "-" if not value or not first else f"{value / first:.3f}"
