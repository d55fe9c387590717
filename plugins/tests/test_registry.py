"""All plug-ins together: names that nobody else has, and passes where they say that they stand."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest
from tinsmith_ir import BIT_EXACT, Contract, Graph, Program, UsageError
from tinsmith_ir.passes import Metric, Tolerance
from tinsmith_lowering import Kernel
from tinsmith_lowering.testing import toys
from tinsmith_plugins import (
    BackendEntry,
    Converter,
    Exporter,
    Found,
    Importer,
    KernelFiles,
    PassEntry,
    Plugin,
    Registry,
    Stage,
)
from tinsmith_plugins.below import PLUGIN
from tinsmith_target import Target, target


@dataclass(frozen=True)
class First:
    """Does nothing."""

    name: ClassVar[str] = "first"
    contract: ClassVar[Contract] = BIT_EXACT

    def run(self, graph: Graph) -> Graph:
        return graph


@dataclass(frozen=True)
class Second(First):
    """Does nothing."""

    name: ClassVar[str] = "second"


@dataclass(frozen=True)
class Third(First):
    """Does nothing."""

    name: ClassVar[str] = "third"


@dataclass(frozen=True)
class Fourth(First):
    """Does nothing."""

    name: ClassVar[str] = "fourth"


@dataclass(frozen=True)
class AlsoFirst(First):
    """Has the name of another."""


@dataclass(frozen=True)
class Rounded:
    """Would change results of a Program."""

    name: ClassVar[str] = "rounded"
    contract: ClassVar[Contract] = Tolerance(Metric.STEPS, 1.0)

    def run(self, program: Program) -> Program:
        return program


def registry(*plugins: Plugin) -> Registry:
    return Registry(tuple(Found(plugin, f"{plugin.name}:PLUGIN") for plugin in plugins))


def order(*entries: PassEntry) -> list[str]:
    """Of passes that as many plug-ins bring."""
    plugins = [Plugin(f"plugin{i}", passes=(entry,)) for i, entry in enumerate(entries)]
    return [entry.name for entry in registry(*plugins).passes]


def test_stages_come_in_order_whoever_comes_first() -> None:
    late, early = PassEntry(First, Stage.TIDYING), PassEntry(Second, Stage.CLEANUP)
    assert order(late, early) == ["second", "first"]


def test_a_pass_stands_behind_or_in_front_of_another() -> None:
    first = PassEntry(First, Stage.FUSION)
    assert order(PassEntry(Second, after="first"), first) == ["first", "second"]
    assert order(PassEntry(Second, before="first"), first) == ["second", "first"]


def test_a_pass_may_stand_beside_one_that_stands_beside_another() -> None:
    behind, between = PassEntry(Third, after="second"), PassEntry(Second, after="first")
    first = PassEntry(First, Stage.FUSION)
    assert order(behind, between, first) == ["first", "second", "third"]


def test_of_two_behind_one_pass_the_first_that_came_is_first() -> None:
    entries = (PassEntry(First, Stage.FUSION), PassEntry(Third, after="first"))
    assert order(*entries, PassEntry(Second, after="first")) == ["first", "third", "second"]


def test_who_stands_in_front_of_the_first_that_came_changes_nothing_of_that() -> None:
    entries = (PassEntry(First, Stage.FUSION), PassEntry(Third, after="first"))
    joined = (*entries, PassEntry(Fourth, before="third"), PassEntry(Second, after="first"))
    assert order(*joined) == ["first", "fourth", "third", "second"]


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (
            [PassEntry(First, Stage.FUSION), PassEntry(Second, after="lost")],
            r"pass 'second' of plug-in 'plugin1' \(plugin1:PLUGIN\) stands after 'lost': expected the name of a "
            "pass that has a place: first",
        ),
        (
            [PassEntry(First, after="second"), PassEntry(Second, after="first")],
            "pass 'first' .* stands after 'second': .* there is none",
        ),
        (
            [
                PassEntry(First, Stage.CLEANUP),
                PassEntry(First, Stage.TIDYING),
                PassEntry(Second, before="first"),
            ],
            "stands before 'first', which stands at 2 places: name another pass, or a stage: integers, ",
        ),
        (
            [PassEntry(First, Stage.FUSION), PassEntry(AlsoFirst, Stage.FUSION)],
            r"two plug-ins bring pass 'first': plug-in 'plugin0' \(plugin0:PLUGIN\) and plug-in 'plugin1'",
        ),
    ],
)
def test_a_pass_without_a_place_of_its_own_is_refused(
    entries: list[PassEntry], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        order(*entries)


def test_a_pass_says_one_place() -> None:
    with pytest.raises(UsageError, match="expected one place, by stage, after or before, got none"):
        PassEntry(First)
    with pytest.raises(UsageError, match="got stage fusion, after 'second'"):
        PassEntry(First, Stage.FUSION, after="second")


def test_a_pass_takes_what_there_is_at_its_place() -> None:
    with pytest.raises(
        UsageError, match=r"'rounded' \(stage tidying\) takes a Program, where .* a Graph"
    ):
        order(PassEntry(Rounded, Stage.TIDYING))


def test_a_pass_behind_lowering_keeps_every_bit() -> None:
    rounding = Plugin("rounding", passes=(PassEntry(Rounded, after="lower"),))
    with pytest.raises(
        UsageError, match=r"expected a contract of bit_exact.*, got tolerance: 1 steps"
    ):
        registry(PLUGIN, rounding)


@dataclass(frozen=True)
class Backend:
    name: str

    def kernels(self, target: Target) -> tuple[Kernel, ...]:
        del target
        return tuple(kernel for kernel in toys().all if kernel.backend == self.name)


class Middle:
    """The slow kernels under its own name."""

    name = "middle"

    def kernels(self, target: Target) -> tuple[Kernel, ...]:
        del target
        return tuple(replace(it, backend=self.name) for it in toys().all if it.backend == "slow")


def backend(name: str, *, serves_all: bool = False) -> BackendEntry:
    return BackendEntry(name, lambda _: Backend(name), KernelFiles(Path(), ()), serves_all)


def read(*_: object) -> Graph:
    raise AssertionError


def importer(name: str) -> Importer:
    return Importer(name, (f".{name}",), lambda data: data.startswith(name.encode()), read, 99)


def write(graph: Graph) -> bytes:
    return graph.name.encode()


def brought(name: str) -> list[Plugin]:
    """A plug-in for each kind of thing that it brings."""
    return [
        Plugin(name, targets=(target("host"),)),
        Plugin(name, backends=(backend("fast"),)),
        Plugin(name, importers=(importer("a"),)),
        Plugin(name, exporters=(Exporter("a", (".a", ".b"), write),)),
        Plugin(name, converters=(Converter("a", "Op", None),)),
    ]


@pytest.mark.parametrize(
    ("mine", "theirs", "what"),
    [
        (mine, theirs, what)
        for mine, theirs, what in zip(
            brought("mine"),
            brought("theirs"),
            (
                "target 'host'",
                "back end 'fast'",
                "importer 'a'",
                "exporter of '.a'",
                "converter 'a: Op'",
            ),
            strict=True,
        )
    ],
)
def test_two_things_of_one_name_are_refused(mine: Plugin, theirs: Plugin, what: str) -> None:
    with pytest.raises(UsageError) as error:
        registry(mine, theirs)
    message = f"two plug-ins bring {what}: plug-in 'mine' (mine:PLUGIN) and plug-in 'theirs'"
    assert message in str(error.value)


def test_two_plug_ins_of_one_name_are_refused() -> None:
    with pytest.raises(UsageError, match="two plug-ins bring plug-in 'same'"):
        registry(Plugin("same"), Plugin("same"))


def test_a_converter_is_for_an_importer_that_there_is() -> None:
    with pytest.raises(UsageError, match=r"'Op' is for importer 'a', .*: expected one of b"):
        registry(Plugin("p", importers=(importer("b"),), converters=(Converter("a", "Op", None),)))


def test_kernels_of_the_preferred_back_end_come_first_then_those_for_all() -> None:
    found = registry(
        Plugin("p", backends=(backend("slow", serves_all=True), backend("fast"))),
    )
    chosen = replace(target("host"), backend="fast")
    assert [kernel.backend for kernel in found.kernels(chosen, None, packed=True)][:2] == [
        "fast",
        "slow",
    ]
    preferred = found.kernels(chosen, "slow", packed=True)
    assert {kernel.backend for kernel in preferred} == {"slow"}
    with pytest.raises(UsageError, match=r"back end 'lost', .*: expected one of fast, slow"):
        found.kernels(chosen, "lost", packed=True)
    with pytest.raises(UsageError, match="target host prefers back end 'reference', which no"):
        found.kernels(target("host"), None, packed=True)


def behind_another(name: str, other: str) -> BackendEntry:
    return replace(backend(name), behind=other)


def order_of_back_ends(found: Registry, preferred: str) -> list[str]:
    """Whose kernels come in which order."""
    kernels = found.kernels(target("host"), preferred, packed=True)
    return list(dict.fromkeys(kernel.backend for kernel in kernels))


def test_the_back_end_behind_another_comes_between_it_and_those_for_all() -> None:
    every = {kernel.backend for kernel in toys().all}
    assert {"fast", "slow"} <= every
    last, first = (backend("slow", serves_all=True), behind_another("fast", "middle"))
    middle = BackendEntry("middle", lambda _: Middle(), KernelFiles(Path(), ()))
    for entries in ((last, middle, first), (first, last, middle)):
        found = registry(Plugin("p", backends=entries))
        assert order_of_back_ends(found, "fast") == ["fast", "middle", "slow"]
        # Who stands behind serves where it is preferred itself, without those before it.
        assert order_of_back_ends(found, "middle") == ["middle", "slow"]


def test_a_back_end_behind_another_that_serves_all_comes_once() -> None:
    entries = (backend("slow", serves_all=True), behind_another("fast", "slow"))
    found = registry(Plugin("p", backends=entries))
    assert order_of_back_ends(found, "fast") == ["fast", "slow"]
    kernels = found.kernels(target("host"), "fast", packed=True)
    assert len({kernel.key for kernel in kernels}) == len(kernels)


def test_one_behind_another_may_be_of_another_plugin() -> None:
    found = registry(
        Plugin("a", backends=(behind_another("fast", "slow"),)),
        Plugin("b", backends=(backend("slow"),)),
    )
    assert order_of_back_ends(found, "fast") == ["fast", "slow"]


def test_several_back_ends_are_preferred_together() -> None:
    """Those behind them come behind all of them, each once."""
    middle = BackendEntry("middle", lambda _: Middle(), KernelFiles(Path(), ()))
    last, first = backend("slow", serves_all=True), behind_another("fast", "slow")
    found = registry(Plugin("p", backends=(middle, last, first)))
    assert order_of_back_ends(found, "fast+middle") == ["fast", "middle", "slow"]
    assert order_of_back_ends(found, "middle+fast") == ["middle", "fast", "slow"]
    with pytest.raises(UsageError, match="back end 'lost', which no plug-in brings"):
        order_of_back_ends(found, "fast+lost")


def test_a_back_end_behind_another_that_nobody_brings_is_named() -> None:
    found = registry(Plugin("p", backends=(behind_another("fast", "lost"), backend("slow"))))
    message = "back end fast stands before back end 'lost', which no plug-in brings: expected one of fast, slow"
    with pytest.raises(UsageError, match=message):
        found.kernels(target("host"), "fast", packed=True)
    assert order_of_back_ends(found, "slow") == ["slow"]


def test_a_file_is_of_the_importer_that_recognises_it() -> None:
    found = registry(Plugin("p", importers=(importer("a"), importer("b"))))
    recognised = found.importer_of(b"b...")
    assert recognised is not None
    assert recognised.name == "b"
    assert found.importer_of(b"c...") is None


def test_an_exporter_is_found_by_each_of_its_suffixes() -> None:
    exporter = Exporter("a", (".a", ".b"), write)
    assert registry(Plugin("p", exporters=(exporter,))).exporters == {
        ".a": exporter,
        ".b": exporter,
    }


def test_targets_are_listed_where_one_is_unknown() -> None:
    with pytest.raises(UsageError, match="unknown target 'pdp-11'; known targets: host"):
        registry(Plugin("p", targets=(target("host"),))).target("pdp-11")


def test_c_files_of_a_folder_but_for_tests_are_compiled(tmp_path: Path) -> None:
    for name in ("b.c", "deep/a.c", "tests/t.c", "a.h"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = [str(path.relative_to(tmp_path)) for path in KernelFiles(tmp_path, ()).sources]
    assert found == ["b.c", "deep/a.c"]
    with pytest.raises(UsageError, match=r"expected a folder .*lost"):
        _ = KernelFiles(tmp_path / "lost", ()).sources
