"""Orders with a low peak, and how far below no order can get."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tinsmith_ir.checked import Checked, checked

from tinsmith_scheduling.beam import search_beam
from tinsmith_scheduling.exact import Search
from tinsmith_scheduling.heuristics import heuristic_orders
from tinsmith_scheduling.lattice import Lattice
from tinsmith_scheduling.pieces import Piece, pieces
from tinsmith_scheduling.problem import Problem, Task
from tinsmith_scheduling.walk import Walk

Origin = Literal["given", "search", "heuristic"]
"""What gave an order: the problem, the search, or a heuristic."""

_FIRST_LOOKS = 1000
_GROWTH = 4


@dataclass(frozen=True)
class Schedule(Checked):
    """An order of all tasks and its peak.

    lower_bound: no order has a lower peak.
    found_by: what gave the order: "given" is the order of the problem, which nothing beats that was tried;
    "search"; or "heuristic".
    """

    order: tuple[Task, ...]
    peak_bytes: int
    lower_bound: int
    found_by: Origin = "given"

    @property
    def is_optimal(self) -> bool:
        """Whether no order has a lower peak."""
        return self.peak_bytes == self.lower_bound

    @property
    def status(self) -> Literal["optimal", "feasible"]:
        """In a word."""
        return "optimal" if self.is_optimal else "feasible"

    @property
    def gap(self) -> float:
        """How far the optimum may be below the peak, as a part of the peak; 0.0 when proven."""
        return 1 - self.lower_bound / self.peak_bytes if self.peak_bytes else 0.0


@checked
def find_schedule(
    problem: Problem, *, beam_width: int = 256, max_expansions: int = 50_000
) -> Schedule:
    """An order with a lower peak than the given one, or the given one when none is found.

    max_expansions: about how many times the exact search may look at a task that may run next; and each beam that
    follows it where it does not end.
    beam_width: how many sets of finished tasks a beam follows at a time, at most. Beams of a sixteenth of it go first:
    each has to beat the best so far, which makes the wider ones quicker.
    """
    lattice = Lattice(problem)
    given = problem.peak_bytes(problem.tasks)
    needs = lattice.least_needs()
    if given <= max(needs, default=0):
        return Schedule(problem.tasks, given, given)
    solver = _Solver(problem, lattice, max(needs), beam_width, max_expansions)
    order, found_by = solver.run()
    peak = problem.peak_bytes(order)
    if peak >= given:
        return Schedule(problem.tasks, given, min(solver.bound, given))
    return Schedule(order, peak, min(solver.bound, peak), found_by)


class _Solver:
    """bound: the best lower bound so far, which holds for the whole problem."""

    def __init__(
        self, problem: Problem, lattice: Lattice, bound: int, beam_width: int, looks: int
    ) -> None:
        self.bound = bound
        self._problem = problem
        self._lattice = lattice
        self._beam_width = beam_width
        self._most_looks = looks
        self._looks = looks
        index = {task.name: position for position, task in enumerate(problem.tasks)}
        self._known: list[list[int]] = [list(range(lattice.count))]
        self._known += [[index[task.name] for task in order] for order in heuristic_orders(problem)]
        self._found_by: set[Origin] = set()

    def run(self) -> tuple[tuple[Task, ...], Origin]:
        """The order, and what gave the part of it that is hardest to find."""
        found = list(pieces(self._lattice, 0, self._lattice.all))
        orders: dict[int, Sequence[int]] = {}
        open_pieces: list[tuple[int, int, Piece, list[int]]] = []
        for piece in found:
            if piece.order:
                orders[piece.low] = piece.order
                self.bound = max(self.bound, self._lattice.peak_bytes(piece.low, piece.order))
        for number, piece in enumerate(found):
            if not piece.order:
                peak, order = self._best_known(piece)
                open_pieces.append((-peak, number, piece, order))
        # The hardest ones first: below what they need nothing has to be found for the others.
        for peak, _, piece, order in sorted(open_pieces, key=lambda item: item[:2]):
            orders[piece.low] = self._solved(piece, -peak, order)
        tasks = self._problem.tasks
        origins: tuple[Origin, ...] = ("search", "heuristic")
        origin: Origin = next((name for name in origins if name in self._found_by), "given")
        return tuple(tasks[at] for piece in found for at in orders[piece.low]), origin

    def _best_known(self, piece: Piece) -> tuple[int, list[int]]:
        """The best of the known orders for a piece, the given one unless another is better; and its peak."""
        inside = piece.high & ~piece.low
        best: tuple[int, list[int]] | None = None
        for known in self._known:
            order = [position for position in known if inside >> position & 1]
            peak = self._lattice.peak_bytes(piece.low, order)
            if best is None or peak < best[0]:
                best = peak, order
        assert best is not None
        return best

    def _solved(self, piece: Piece, peak: int, order: list[int]) -> list[int]:
        given = sorted(order)
        if self._lattice.peak_bytes(piece.low, given) <= self.bound:
            return given
        if peak > self.bound:
            found, is_proven = self._exact(piece, peak)
            if found is None and not is_proven:
                found = self._beams(piece, peak)
            if found is not None:
                self._found_by.add("search")
                return found
        self._found_by.add("given" if order == given else "heuristic")
        return order

    def _exact(self, piece: Piece, ceiling: int) -> tuple[list[int] | None, bool]:
        """An order below the ceiling if there is one that the search finds; whether none is better. It goes forward and
        backward in turns, each time for longer.
        """
        limit = _FIRST_LOOKS
        floor = self.bound
        turn = piece.starts_least and not piece.ends_least
        while self._looks > 0:
            walk = Walk(self._lattice, piece.low, piece.high, is_backward=turn)
            is_to_least = piece.starts_least if turn else piece.ends_least
            search = Search(walk, floor, ceiling, is_to_least=is_to_least)
            found = search.run(min(limit, self._looks))
            self._looks -= found.looks
            floor = found.lower_bytes
            if found.is_proven:
                self.bound = max(self.bound, floor)
                return None if found.path is None else walk.in_order(found.path), True
            turn = not turn
            limit *= _GROWTH
        self.bound = max(self.bound, floor)
        return None, False

    def _beams(self, piece: Piece, ceiling: int) -> list[int] | None:
        walk = Walk(self._lattice, piece.low, piece.high)
        best: list[int] | None = None
        for width in _widths(self._beam_width):
            beam = search_beam(walk, ceiling, width, self._most_looks)
            if beam.path is not None:
                best, ceiling = list(beam.path), beam.peak_bytes
            if beam.is_complete or beam.path is None:
                break
        return best


def _widths(widest: int) -> list[int]:
    """1, ..., widest / 16, widest."""
    return [*([] if widest == 1 else _widths(max(1, widest // 16))), widest]
