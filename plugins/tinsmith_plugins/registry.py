"""All plug-ins together: every name once, every pass in its place."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from tinsmith_ir import Graph, Program
from tinsmith_ir.checked import Checked
from tinsmith_ir.errors import UsageError
from tinsmith_ir.escape import visible
from tinsmith_ir.passes import BitExact, levels
from tinsmith_lowering import Kernel
from tinsmith_target import Target, target_among

from tinsmith_plugins.find import Found
from tinsmith_plugins.plugin import (
    BackendEntry,
    BackendSetting,
    Converter,
    Exporter,
    Importer,
    PassEntry,
    Runner,
    Stage,
)

_Item = TypeVar("_Item")

TOGETHER = "+"
"""Between names of back ends that are preferred together, those of a board's several accelerators."""


@dataclass(frozen=True)
class Registry(Checked):
    """What plug-ins bring. Raises UsageError where two bring a thing of one name, or a pass cannot stand where it says.

    plugins: in the order in which their targets and their passes of one stage are listed.
    """

    plugins: tuple[Found, ...]

    def __post_init__(self) -> None:
        """Raise UsageError if the plug-ins do not go together."""
        super().__post_init__()
        _by_name("plug-in", [(found.plugin.name, found, found) for found in self.plugins])
        _ = self.targets, self.importers, self.exporters, self.backends, self.runners
        for converter in self._converters.values():
            _known(
                f"a converter of {converter.operator!r} is for importer",
                converter.importer,
                self.importers,
            )
        self._check_levels()

    @cached_property
    def targets(self) -> Mapping[str, Target]:
        """By name, in the order of the plug-ins."""
        return self._all(
            "target", lambda found: [(item.name, item) for item in found.plugin.targets]
        )

    @cached_property
    def importers(self) -> Mapping[str, Importer]:
        """By name."""
        return self._all(
            "importer", lambda found: [(item.name, item) for item in found.plugin.importers]
        )

    @cached_property
    def exporters(self) -> Mapping[str, Exporter]:
        """By the suffix of the files that they write."""
        return self._all(
            "exporter of",
            lambda found: [
                (suffix, item) for item in found.plugin.exporters for suffix in item.suffixes
            ],
        )

    @cached_property
    def backends(self) -> Mapping[str, BackendEntry]:
        """By name, sorted."""
        found = self._all(
            "back end", lambda found: [(item.name, item) for item in found.plugin.backends]
        )
        return dict(sorted(found.items()))

    @cached_property
    def runners(self) -> Sequence[Runner]:
        """One for each kind of emulator."""
        found = self._all(
            "runner of", lambda found: [(item.kind.__name__, item) for item in found.plugin.runners]
        )
        return tuple(found.values())

    @cached_property
    def passes(self) -> tuple[PassEntry, ...]:
        """All of them, in their order; one that runs twice stands twice."""
        entries = [(entry, found) for found in self.plugins for entry in found.plugin.passes]
        _by_name(
            "pass", {(e.name, e.kind): (e.name, e.kind, found) for e, found in entries}.values()
        )
        staged = [entry for stage in Stage for entry, _ in entries if entry.stage is stage]
        return _with_relative(staged, [(e, found) for e, found in entries if e.stage is None])

    @cached_property
    def _converters(self) -> Mapping[str, Converter]:
        return self._all(
            "converter",
            lambda found: [
                (f"{item.importer}: {item.operator}", item) for item in found.plugin.converters
            ],
        )

    def target(self, name: str) -> Target:
        """The target of that name, with features behind it or not. Raises UnknownTargetError if there is none."""
        return target_among(self.targets.values(), name)

    def importer_of(self, data: bytes) -> Importer | None:
        """The importer that recognises a file; None if no one does."""
        return next((found for found in self.importers.values() if found.recognises(data)), None)

    def converters_for(self, importer: Importer) -> Mapping[str, object]:
        """Of each operator that plug-ins convert for it, the rule."""
        found = self._converters.values()
        return {item.operator: item.rule for item in found if item.importer == importer.name}

    def kernels(self, target: Target, backend: str | None, *, packed: bool) -> tuple[Kernel, ...]:
        """The kernels that a graph is lowered to, best first: those of the preferred back ends (the
        target's by default), of those behind them, then those that serve all. backend: one, or several with TOGETHER
        between them. Raises UsageError for a back end that nobody brings.
        """
        first = [
            self._preferred(
                name, "back end" if backend else f"target {target.name} prefers back end"
            )
            for name in (backend or target.backend).split(TOGETHER)
        ]
        behind = [
            self._behind(entry.behind, entry.name) for entry in first if entry.behind is not None
        ]
        always = [entry for entry in self._backends_in_order if entry.serves_all]
        chosen = {entry.name: entry for entry in (*first, *behind, *always)}
        setting = BackendSetting(packed)
        return tuple(
            kernel for entry in chosen.values() for kernel in entry.make(setting).kernels(target)
        )

    def _preferred(self, name: str, who: str) -> BackendEntry:
        _known(who, name, self.backends)
        return self.backends[name]

    def _behind(self, name: str, preferred: str) -> BackendEntry:
        _known(f"back end {preferred} stands before back end", name, self.backends)
        return self.backends[name]

    @property
    def _backends_in_order(self) -> list[BackendEntry]:
        return [entry for found in self.plugins for entry in found.plugin.backends]

    def _all(
        self, what: str, items: Callable[[Found], Sequence[tuple[str, _Item]]]
    ) -> Mapping[str, _Item]:
        return _by_name(
            what, [(name, item, found) for found in self.plugins for name, item in items(found)]
        )

    def _check_levels(self) -> None:
        """Raise UsageError for a pass that does not fit its place, or that the order of things forbids there."""
        level: type = Graph
        for entry in self.passes:
            (takes, makes), place = levels(entry.kind), f"pass {entry.name!r} ({entry.place})"
            if takes is not level:
                raise UsageError(
                    f"{place} takes a {takes.__name__}, where there is a {level.__name__}"
                )
            if makes is Program and not isinstance(entry.kind.contract, BitExact):
                raise UsageError(
                    f"{place}: expected a contract of bit_exact, since firmware is compared with a Graph, got "
                    f"{entry.kind.contract}"
                )
            level = makes


def _with_relative(
    staged: Sequence[PassEntry], relative: Sequence[tuple[PassEntry, Found]]
) -> tuple[PassEntry, ...]:
    """The passes of stages, with those put among them that name another pass; that may be one of them."""
    placed, left = list(staged), list(relative)
    while left:
        for entry, found in left:
            anchor = entry.after or entry.before
            places = [index for index, other in enumerate(placed) if other.name == anchor]
            if len(places) > 1:
                raise UsageError(
                    f"pass {entry.name!r} of {found} stands {entry.place}, which stands at {len(places)} places: "
                    f"name another pass, or a stage: {', '.join(stage.value for stage in Stage)}"
                )
            if places:
                placed.insert(_place(placed, places[0], entry), entry)
                left.remove((entry, found))
                break
        else:
            entry, found = left[0]
            names = ", ".join(dict.fromkeys(other.name for other in placed))
            raise UsageError(
                f"pass {entry.name!r} of {found} stands {entry.place}: expected the name of a pass that has a place: "
                f"{names or 'there is none'}"
            )
    return tuple(placed)


def _place(placed: Sequence[PassEntry], anchor: int, entry: PassEntry) -> int:
    """Where an entry goes: in front of its anchor, or behind it and those that came there first, whatever stands in
    front of those.
    """
    if entry.before:
        return anchor
    came_first = (index for index, other in enumerate(placed) if other.after == entry.after)
    return max(came_first, default=anchor) + 1


def _by_name(what: str, items: Iterable[tuple[str, _Item, Found]]) -> dict[str, _Item]:
    """The items by name; raises UsageError if two plug-ins, or one twice, bring one of a name."""
    known: dict[str, tuple[_Item, Found]] = {}
    for name, item, found in items:
        if name in known:
            raise UsageError(
                f"two plug-ins bring {what} {visible(name)!r}: {known[name][1]} and {found}; leave one of them out"
            )
        known[name] = (item, found)
    return {name: item for name, (item, _) in known.items()}


def _known(what: str, name: str, choices: Iterable[str]) -> None:
    if name not in choices:
        raise UsageError(
            f"{what} {visible(name)!r}, which no plug-in brings: expected one of {', '.join(choices) or 'none'}"
        )
