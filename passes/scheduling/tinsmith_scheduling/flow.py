"""Maximum flows, and all minimum cuts that follow from one.

Source of the flow: Dinitz, "Algorithm for solution of a problem of maximum flow in a network with power estimation"
(1970); of the cuts: Picard and Queyranne, "On the structure of all minimum cuts in a network and applications" (1980);
of the components: Tarjan, "Depth-first search and linear graph algorithms" (1972).
"""

from collections.abc import Callable, Iterator

SOURCE, SINK = 0, 1
_ENDLESS = 1 << 62


class Network:
    """Nodes with numbers, of which 0 is the source and 1 the sink, and arcs with capacities."""

    def __init__(self, nodes: int) -> None:
        """nodes: source and sink included; `add_node` makes more."""
        self._arcs: list[list[int]] = [[] for _ in range(nodes)]
        self._heads: list[int] = []
        self._rooms: list[int] = []

    def add_node(self) -> int:
        """A new node."""
        self._arcs.append([])
        return len(self._arcs) - 1

    def add(self, tail: int, head: int, capacity: int) -> None:
        """An arc; a cut with `tail` on the source's side, and `head` not, pays for it."""
        self._arcs[tail].append(len(self._heads))
        self._arcs[head].append(len(self._heads) + 1)
        self._heads += [head, tail]
        self._rooms += [capacity, 0]

    def bind(self, tail: int, head: int) -> None:
        """No least cut has `tail` on the source's side and `head` not."""
        self.add(tail, head, _ENDLESS)

    def saturate(self) -> None:
        """Let as much flow from source to sink as can."""
        while (levels := self._levels())[SINK] >= 0:
            starts = [0] * len(self._arcs)
            while self._augment(levels, starts):
                pass

    def cut_groups(self) -> Iterator[list[int]]:
        """After `saturate`: groups of nodes. The source's side of a least cut with the fewest nodes is the first group;
        each further group with all those before it is the side of another one.
        """
        always = self._reached(SOURCE, lambda arc: self._rooms[arc])
        never = self._reached(SINK, lambda arc: self._rooms[arc ^ 1])
        yield sorted(always)
        yield from self._components(always | never)

    def _levels(self) -> list[int]:
        levels = [-1] * len(self._arcs)
        levels[SOURCE] = 0
        reached = [SOURCE]
        for node in reached:
            for arc in self._arcs[node]:
                head = self._heads[arc]
                if self._rooms[arc] and levels[head] < 0:
                    levels[head] = levels[node] + 1
                    reached.append(head)
            if levels[SINK] >= 0:
                break
        return levels

    def _augment(self, levels: list[int], starts: list[int]) -> bool:
        """One path along the levels. starts: of each node the first arc that may still lead to the sink."""
        path: list[int] = []
        node = SOURCE
        while node != SINK:
            arcs = self._arcs[node]
            while starts[node] < len(arcs):
                arc = arcs[starts[node]]
                if self._rooms[arc] and levels[self._heads[arc]] == levels[node] + 1:
                    path.append(arc)
                    node = self._heads[arc]
                    break
                starts[node] += 1
            else:
                if not path:
                    return False
                node = self._heads[path.pop() ^ 1]
                starts[node] += 1
        amount = min(self._rooms[arc] for arc in path)
        for arc in path:
            self._rooms[arc] -= amount
            self._rooms[arc ^ 1] += amount
        return True

    def _reached(self, start: int, room: Callable[[int], int]) -> set[int]:
        reached, waiting = {start}, [start]
        while waiting:
            for arc in self._arcs[waiting.pop()]:
                head = self._heads[arc]
                if room(arc) and head not in reached:
                    reached.add(head)
                    waiting.append(head)
        return reached

    def _components(self, without: set[int]) -> Iterator[list[int]]:
        """Strongly connected ones of what can still flow, each behind all that it leads to."""
        numbers: dict[int, int] = dict.fromkeys(without, -1)
        lowest: dict[int, int] = {}
        open_nodes: list[int] = []
        is_open: set[int] = set()
        for root in range(len(self._arcs)):
            if root in numbers:
                continue
            stack = [(root, 0)]
            while stack:
                node, at = stack.pop()
                if node not in numbers:
                    numbers[node] = lowest[node] = len(numbers)
                    open_nodes.append(node)
                    is_open.add(node)
                for index in range(at, len(self._arcs[node])):
                    arc = self._arcs[node][index]
                    head = self._heads[arc]
                    if not self._rooms[arc]:
                        continue
                    if head not in numbers:
                        stack += [(node, index), (head, 0)]
                        break
                    if head in is_open:
                        lowest[node] = min(lowest[node], lowest.get(head, numbers[head]))
                else:
                    if lowest[node] == numbers[node]:
                        yield self._closed(node, open_nodes, is_open)

    @staticmethod
    def _closed(root: int, open_nodes: list[int], is_open: set[int]) -> list[int]:
        found: list[int] = []
        while not found or found[-1] != root:
            found.append(open_nodes.pop())
            is_open.remove(found[-1])
        return sorted(found)
