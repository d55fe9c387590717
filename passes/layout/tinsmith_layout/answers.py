"""What rules answer, remembered: networks repeat their operators, and a search asks again and again."""

from collections.abc import Hashable

from tinsmith_ir.graph import Node

from tinsmith_layout.rearrangement import Rearrangement
from tinsmith_layout.variants import Case, Rule, Variant, as_it_is


class Answers:
    """Of rules, for any graph. Nodes of a kind differ in their names alone, and are asked about once.

    Equal variants are one object.
    """

    def __init__(self, *, may_round: bool) -> None:
        """None yet. may_round: whether sums of float32 may be rounded otherwise."""
        self._may_round = may_round
        self._kinds: dict[Hashable, int] = {}
        self._as_it_is: dict[int, Variant] = {}
        self._same: dict[Variant, Variant] = {}
        self._variants: dict[Hashable, Variant | None] = {}

    def kind(self, node: Node) -> int:
        """A number for all that rules look at in a node."""
        shapes = tuple(value and value.type.shape for value in node.inputs)
        result = node.outputs[0].type
        key = node.operator, shapes, result.shape, result.dtype.value
        return self._kinds.setdefault(key, len(self._kinds))

    def as_it_is(self, node: Node, kind: int) -> Variant:
        """The node as the graph has it."""
        if kind not in self._as_it_is:
            self._as_it_is[kind] = self._one(as_it_is(node))
        return self._as_it_is[kind]

    def variant(
        self,
        rule: Rule,
        node: Node,
        kind: int,
        port: int,
        label: Rearrangement,
        current: Variant,
        wishes: tuple[Rearrangement | None, ...],
    ) -> Variant | None:
        """What the rule of a node answers in this case."""
        key = kind, port, label, current, wishes
        if key not in self._variants:
            case = Case(node, port, label, current, wishes, self._may_round)
            found = rule(case)
            self._variants[key] = None if found is None else self._one(found)
        return self._variants[key]

    def _one(self, variant: Variant) -> Variant:
        """The same object for all that are equal."""
        return self._same.setdefault(variant, variant)
