"""Orders with a low peak, and how far below no order can get."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tinsmith_scheduling.beam import search_beam
from tinsmith_scheduling.exact import Search
from tinsmith_scheduling.foundation import Checked, checked
from tinsmith_scheduling.heuristics import heuristic_orders
from tinsmith_scheduling.lattice import Lattice
from tinsmith_scheduling.pieces import Piece, pieces
from tinsmith_scheduling.problem import Problem, Task
from tinsmith_scheduling.walk import Walk

Origin = Literal["given", "search", "heuristic"]
"""What gave an order: the problem, the search, or a heuristic."""

_MANY_TASKS = 1000
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
    problem: Problem, *, beam_width: int = 256, max_expansions: int = 200_000
) -> Schedule:
    """An order with a lower peak than the given one, or the given one when none is found.

    max_expansions: about how many times the exact search may look at a task that may run next; and each beam that
    follows it where it does not end. Of more than 1,000 tasks fewer, by the square of their number, as a look then
    takes longer.
    beam_width: how many sets of finished tasks a beam follows at a time, at most. Beams of a sixteenth of it go first:
    each has to beat the best so far, which makes the wider ones quicker.
    """
    lattice = Lattice(problem)
    given = problem.peak_bytes(problem.tasks)
    if lattice.count <= _MANY_TASKS:
        bound, looks = lattice.least_need(), max_expansions
    else:
        bound = max(map(lattice.own_need, range(lattice.count)))
        looks = int(max_expansions * (_MANY_TASKS / lattice.count) ** 2)
    if given <= bound:
        return Schedule(problem.tasks, given, given)
    solver = _Solver(problem, lattice, bound, beam_width, looks)
    order, found_by = solver.run()
    peak = problem.peak_bytes(order)
    if peak >= given:
        return Schedule(problem.tasks, given, min(solver.bound, given))
    return Schedule(order, peak, min(solver.bound, peak), found_by)


@dataclass
class _Target:
    """What is known of a piece. floor: no order has a lower peak, or none that the whole is better for; ceiling: the
    peak of the order.
    """

    piece: Piece
    floor: int
    ceiling: int
    order: list[int]

    @property
    def is_proven(self) -> bool:
        return self.floor >= self.ceiling

    @property
    def ways(self) -> tuple[tuple[bool, int], ...]:
        """Whether to go backward, and by what to divide the looks: most of them towards the fewest live bytes."""
        if self.piece.starts_least == self.piece.ends_least:
            return (False, 1), (True, 1)
        return (self.piece.starts_least, 1), (self.piece.ends_least, _GROWTH)


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
        found = list(pieces(self._lattice))
        orders: dict[int, Sequence[int]] = {}
        open_pieces: list[tuple[int, int, Piece, list[int]]] = []
        for piece in found:
            if piece.order:
                orders[piece.low] = piece.order
                self.bound = max(self.bound, self._peak_bytes(piece, piece.order))
        for number, piece in enumerate(found):
            if not piece.order:
                peak, order = self._best_known(piece)
                open_pieces.append((-peak, number, piece, order))
        # The hardest ones first: below what they need nothing has to be found for the others.
        for peak, _, piece, order in sorted(open_pieces, key=lambda item: item[:2]):
            orders[piece.low] = self._solved(piece, -peak, order)
        tasks = self._problem.tasks
        origin: Origin = "given"
        if self._found_by - {"given"}:
            origin = "search" if "search" in self._found_by else "heuristic"
        return tuple(tasks[at] for piece in found for at in orders[piece.low]), origin

    def _peak_bytes(self, piece: Piece, order: Sequence[int]) -> int:
        return self._lattice.peak_bytes(piece.low, piece.low_bytes, order)

    def _best_known(self, piece: Piece) -> tuple[int, list[int]]:
        """The best of the known orders for a piece, the given one unless another is better; and its peak."""
        inside = piece.high & ~piece.low
        best: tuple[int, list[int]] | None = None
        for known in self._known:
            order = [position for position in known if inside >> position & 1]
            peak = self._peak_bytes(piece, order)
            if best is None or peak < best[0]:
                best = peak, order
        assert best is not None
        return best

    def _solved(self, piece: Piece, peak: int, order: list[int]) -> list[int]:
        given = sorted(order)
        if self._peak_bytes(piece, given) <= self.bound:
            return given
        target = _Target(piece, self.bound, peak, order)
        if peak > self.bound:
            self._search(target)
            self.bound = max(self.bound, target.floor)
            if not target.is_proven:
                self._beams(target)
        is_known = target.order is order
        self._found_by.add("search" if not is_known else "given" if order == given else "heuristic")
        return target.order

    def _search(self, target: "_Target") -> None:
        """From below and from above in turns, each time for longer, until they meet or the looks are used up."""
        limit = _FIRST_LOOKS
        while self._looks > 0 and not target.is_proven:
            for is_backward, share in target.ways:
                self._try(target, target.floor, is_backward=is_backward, looks=limit // share)
            self._descend(target, limit)
            limit *= _GROWTH

    def _try(self, target: "_Target", floor: int, *, is_backward: bool, looks: int) -> bool:
        """One search with a floor; whether it found a better order."""
        looks = min(looks, self._looks)
        if looks <= 0 or target.is_proven:
            return False
        piece = target.piece
        walk = Walk(self._lattice, piece.low, piece.high, is_backward=is_backward)
        is_to_least = piece.starts_least if is_backward else piece.ends_least
        live = piece.high_bytes if is_backward else piece.low_bytes
        search = Search(walk, live, floor, target.ceiling, is_to_least=is_to_least)
        found = search.run(looks)
        self._looks -= found.looks
        if found.path is not None:
            target.order = walk.in_order(found.path)
            target.ceiling = self._peak_bytes(piece, target.order)
        if found.is_proven and (found.path is None or floor == target.floor):
            target.floor = max(target.floor, min(found.lower_bytes, target.ceiling))
        elif floor == target.floor:
            target.floor = max(floor, found.lower_bytes)
        return found.path is not None

    def _descend(self, target: "_Target", looks: int) -> None:
        """Better orders, by floors half way to the best one: the higher the floor, the sooner a search ends."""
        failed = target.floor
        while (floor := (failed + target.ceiling) // 2) > failed:
            if not self._try(target, floor, is_backward=target.ways[0][0], looks=looks):
                failed = floor

    def _beams(self, target: "_Target") -> None:
        walk = Walk(self._lattice, target.piece.low, target.piece.high)
        for width in _widths(self._beam_width):
            beam = search_beam(
                walk, target.piece.low_bytes, target.ceiling, width, self._most_looks
            )
            if beam.path is not None:
                target.order, target.ceiling = list(beam.path), beam.peak_bytes
            if beam.is_complete or beam.path is None:
                break


def _widths(widest: int) -> list[int]:
    """1, ..., widest / 16, widest."""
    return [*([] if widest == 1 else _widths(max(1, widest // 16))), widest]
