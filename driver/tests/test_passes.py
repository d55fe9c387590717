"""The table of passes, what users choose of it, and the pipeline that comes of it."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from tinsmith_allocation import AllocateBuffers
from tinsmith_driver import passes
from tinsmith_driver.cli import main
from tinsmith_driver.demonstration import find_example
from tinsmith_driver.models import read_model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.passes import PassChoice, chosen_passes, pass_entries
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.plugins import registry
from tinsmith_driver.report import report
from tinsmith_ir import BIT_EXACT, Contract, Graph, GraphError, Program, UsageError
from tinsmith_ir.operators import Relu, Relu6
from tinsmith_ir.passes import levels
from tinsmith_plugins import Found, PassEntry, Plugin, Registry, Setting, Stage
from tinsmith_target import target

MODEL = find_example().model
SETTING = Setting(target("host"), (), 1000)
FLOATS = """graph 2 "floats" {
  input %x: f32[1,4]
  %a: f32[1,4] = add(%x, %x)
  %y: f32[1,4] = relu6(%a)
  output %y
}
"""

LAYER_NORM = """graph 2 "norm" {
  input %x: i8[1,3,4]<0.05, 3>
  const %eps: f32[] = [1e-05]
  const %g: f32[4] = [1.0, 0.5, -2.0, 1.5]
  const %b: f32[4] = [0.25, 0.0, 0.5, -1.0]
  %r: f32[1,3,4] = dequantize(%x)
  %m: f32[1,3,1] = mean(%r) {axes=[2], keep_dims=true}
  %c: f32[1,3,4] = sub(%r, %m)
  %s: f32[1,3,4] = square(%c)
  %v: f32[1,3,1] = mean(%s) {axes=[2], keep_dims=true}
  %e: f32[1,3,1] = add(%v, %eps)
  %d: f32[1,3,1] = sqrt(%e)
  %n: f32[1,3,4] = div(%c, %d)
  %p: f32[1,3,4] = mul(%n, %g)
  %o: f32[1,3,4] = add(%p, %b)
  %y: i8[1,3,4]<0.04, -5> = quantize(%o) {halves_to_even=true}
  output %y
}
"""


def names(choices: list[str], without: list[str] | None = None) -> list[str]:
    chosen = [PassChoice.parse(choice) for choice in choices]
    return [found.name for found in chosen_passes(SETTING, chosen, without or ())]


def allocation(choice: str) -> AllocateBuffers:
    found = chosen_passes(SETTING, [PassChoice.parse(choice)])[-1]
    assert isinstance(found, AllocateBuffers)
    return found


def test_graph_passes_come_before_lowering_and_program_passes_behind() -> None:
    assert names([])[-15:] == [
        "place-layers",
        "lower",
        "schedule-calls",
        "split-calls",
        "elide-copies",
        "keep-images",
        "spread-calls",
        "prepare",
        "roll-loops",
        "tile",
        "use-scratchpad",
        "tile-jobs",
        "overlap",
        "stage-constants",
        "allocate-buffers",
    ]
    kinds = [levels(found) for found in chosen_passes(SETTING)]
    assert kinds == sorted(kinds, key=lambda found: (found[0] is Program, found[1] is Program))


def test_what_follows_lowering_keeps_every_bit() -> None:
    """The firmware answers to a graph, so no pass behind the last graph may change a result."""
    behind = [entry.kind for entry in pass_entries() if levels(entry.kind)[1] is Program]
    assert {found.contract for found in behind} == {BIT_EXACT}


def test_a_pass_is_added_where_the_table_has_it() -> None:
    first, second, *others = names([])
    assert names(["fold-constants"]) == [first, second, "fold-constants", *others]
    assert (first, second) == ("fuse-normalizations", "fold-quantization")


def test_a_pass_is_left_out_wherever_it_stands() -> None:
    assert names([], ["simplify"]) == [name for name in names([]) if name != "simplify"]


def test_options_are_read_as_the_types_that_they_have() -> None:
    found = allocation(
        "allocate-buffers{ exact = no, time-limit=0.5, seed=3, available_bytes=2KiB}"
    )
    assert found == AllocateBuffers(exact=False, time_limit=0.5, seed=3, available_bytes=2048)
    assert allocation("allocate-buffers{available_bytes=3k}").available_bytes == 3072
    assert allocation("allocate-buffers{available_bytes=none}").available_bytes is None
    assert allocation("allocate-buffers{}").available_bytes == 1000  # what the setting says


@pytest.mark.parametrize(
    ("choices", "without", "message"),
    [
        (
            ["vanish"],
            [],
            "unknown pass 'vanish': expected one of fuse-normalizations, fold-quantization, .*allocate-buffers",
        ),
        ([], ["vanish"], "unknown pass 'vanish'"),
        (["simplify", "simplify"], [], "--pass simplify is given twice"),
        (["simplify"], ["simplify"], "expected --pass or --without, got both"),
        ([], ["lower"], "'lower' cannot be left out: no kernel is chosen without it"),
        ([], ["prepare"], "cannot be left out: no constant has its final bytes without it"),
        ([], ["allocate-buffers"], "cannot be left out: no buffer has a place without it"),
        ([], ["fold-constants"], "not left out: it runs only when --pass asks for it"),
        (["simplify{rounds=3}"], [], "no option 'rounds'; it has max_constant_bytes=16777216"),
        (["fuse-padding{a=1}"], [], "pass 'fuse-padding' has no option 'a'; it has none"),
        (["lower{kernels=1}"], [], "pass 'lower' has no option 'kernels'; it has none"),
        (["simplify{max_rounds=few}"], [], "'max_rounds' .*expected an integer, got 'few'"),
        (["simplify{max_rounds=1.5}"], [], "expected an integer, got '1.5'"),
        (["simplify{max_rounds=0}"], [], "expected max_rounds from 1, got 0"),
        (["allocate-buffers{exact=maybe}"], [], "expected yes or no, got 'maybe'"),
        (["allocate-buffers{time_limit=nan}"], [], "expected a number, got 'nan'"),
        (["allocate-buffers{time_limit=-1}"], [], "expected time_limit from 0, got -1"),
        (["allocate-buffers{available_bytes=x}"], [], "expected an integer or none, got 'x'"),
    ],
)
def test_wrong_choices_say_what_is_known(
    choices: list[str], without: list[str], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        names(choices, without)


@pytest.mark.parametrize(
    "text",
    ["", "simplify{", "simplify{a}", "simplify{a=}", "simplify{=1}", "simplify{a=1,a=2}", "a b"],
)
def test_what_is_no_choice_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="expected NAME or NAME"):
        PassChoice.parse(text)


def test_a_choice_is_printed_as_it_is_read() -> None:
    assert str(PassChoice.parse("simplify")) == "simplify"
    assert (
        str(PassChoice.parse(" simplify{ max-rounds = 3 , b=1 } ")) == "simplify{max_rounds=3,b=1}"
    )


def test_choices_are_said_in_the_product() -> None:
    choices = (PassChoice.parse("allocate-buffers{exact=no}"),)
    options = CompileOptions("host", passes=choices, without=("fuse-padding",))
    compilation = compile_model(read_model(MODEL), options)
    said = "target=host pass=allocate-buffers{exact=no} without=fuse-padding"
    assert said in compilation.files["digits_int8.c"].decode()
    assert "fuse-padding" not in [record.name for record in compilation.records]


def test_an_order_that_nothing_looked_for_is_not_proven() -> None:
    options = CompileOptions("host", without=("schedule-calls",))
    assert compile_model(read_model(MODEL), options).arena_status == "optimal_for_order"


def test_every_pass_is_verified_and_reported_to_the_last(tmp_path: Path) -> None:
    model = tmp_path / "floats.tsm"
    model.write_text(FLOATS)
    compilation = compile_model(read_model(model), CompileOptions("host", verify_passes=True))
    rows = report(compilation)["passes"]
    assert [row["name"] for row in rows] == [*names([]), "write-c"]
    assert [row["verified"] for row in rows] == [True] * (len(rows) - 1) + [False]
    bounded = {row["name"]: row["measured"] for row in rows if row["measured"] is not None}
    numeric = (
        "fuse-normalizations",
        "fold-quantization",
        "fuse-curves",
        "fold-batch-normalization",
        "permute-weights",
    )
    assert bounded == dict.fromkeys(numeric, 0.0)


def test_a_layer_norm_in_parts_between_integers_is_one_call_of_integers(tmp_path: Path) -> None:
    model = tmp_path / "norm.tsm"
    model.write_text(LAYER_NORM)
    compilation = compile_model(read_model(model), CompileOptions("host", verify_passes=True))
    rows = {row["name"]: row["measured"] for row in report(compilation)["passes"]}
    assert rows["fuse-normalizations"] == pytest.approx(0.0, abs=1e-6)
    assert rows["fold-quantization"] in (0.0, 1.0)
    kernels = [row["kernel"] for row in report(compilation)["layers"]]
    assert kernels == ["tinsmith_layer_norm_s8"]


@dataclass(frozen=True)
class LoseClamps:
    """Claims to keep every bit, and forgets the bound of relu6."""

    name: ClassVar[str] = "lose-clamps"
    contract: ClassVar[Contract] = BIT_EXACT

    def run(self, program: Program) -> Program:
        return replace(
            program,
            steps=tuple(
                replace(call, operator=Relu()) if isinstance(call.operator, Relu6) else call
                for call in program.calls
            ),
        )


@dataclass(frozen=True)
class NegateMore:
    """Puts a relu where the graph has a relu6."""

    name: ClassVar[str] = "negate-more"
    contract: ClassVar[Contract] = BIT_EXACT

    def run(self, graph: Graph) -> Graph:
        return graph.rebuilt(
            nodes=[
                replace(node, operator=Relu()) if isinstance(node.operator, Relu6) else node
                for node in graph.nodes
            ]
        )


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (PassEntry(LoseClamps, Stage.PLACEMENT), 'call "y" kernel'),
        (PassEntry(NegateMore, before="fold-constants"), "%y: f32[1,4] = relu(%a)"),
    ],
)
def test_verify_names_the_pass_of_either_level_that_broke_its_contract(
    entry: PassEntry,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _bring(entry, monkeypatch)
    model = tmp_path / "floats.tsm"
    model.write_text(
        FLOATS.replace("add(%x, %x)", "mul(%x, %c)").replace(
            "  %a", "  const %c: f32[1,4] = [100, 100, 100, 100]\n  %a"
        )
    )
    options = CompileOptions("host", verify_passes=True, without=("fuse-activations",))
    with pytest.raises(GraphError) as error:
        compile_model(read_model(model), options)
    assert f"pass {entry.name!r} promised bit_exact but changed %y in" in str(error.value)
    assert message in str(error.value)


def _bring(entry: PassEntry, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a plug-in bring the pass."""
    found = Found(Plugin("test", passes=(entry,)), "test:PLUGIN")
    together = Registry((*registry().plugins, found))
    monkeypatch.setattr(passes, "registry", lambda: together)


@dataclass(frozen=True)
class ZeroWeights:
    """Loses what was arranged for kernels, but keeps what calls mean."""

    name: ClassVar[str] = "zero-weights"
    contract: ClassVar[Contract] = BIT_EXACT

    def run(self, program: Program) -> Program:
        return replace(
            program,
            constants=tuple(
                replace(found, data=np.zeros_like(found.data)) if found.layout else found
                for found in program.constants
            ),
        )


def test_verify_holds_constants_to_what_kernels_prepare(monkeypatch: pytest.MonkeyPatch) -> None:
    _bring(PassEntry(ZeroWeights, Stage.PLACEMENT), monkeypatch)
    with pytest.raises(GraphError) as error:
        compile_model(read_model(MODEL), CompileOptions("cortex-m4", verify_passes=True))
    assert "pass 'zero-weights' made a program that is not valid: call " in str(error.value)
    assert "is not what tinsmith_convolve_packed_s8 prepares as 'weights'" in str(error.value)


def test_show_knows_what_runs(capsys: pytest.CaptureFixture[str]) -> None:
    shown = ["show", str(MODEL), "--target", "cortex-m4"]
    assert main([*shown, "--after", "lower"]) == 0
    assert capsys.readouterr().out.startswith("program ")
    assert main([*shown, "--after", "remove-dead-code"]) == 2
    assert "unknown pass 'remove-dead-code'" in capsys.readouterr().err
    assert main([*shown, "--after", "remove-dead-code", "--pass", "remove-dead-code"]) == 0
    assert capsys.readouterr().out.startswith("graph ")


def test_passes_lists_all_with_their_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["passes"]) == 0
    said = capsys.readouterr().out
    listed = [line for line in said.splitlines()[2:] if not line.startswith(" ")]
    assert [line.split()[0] for line in listed] == [entry.name for entry in pass_entries()]
    assert "exact=yes" in said.split("allocate-buffers ")[-1]


def test_repeated_layers_are_a_loop_and_right_one_by_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Slices are read where they lie, results written where the whole wants them: calls differ in places alone."""
    parts = [
        f"%s{row}: i8[1,2,4]<0.5, 3> = slice(%x) {{begin=[0,{2 * row},0], shape=[1,2,4]}}\n"
        f"%r{row}: i8[1,2,4]<0.5, 3> = relu(%s{row})"
        for row in range(4)
    ]
    whole = "%y: i8[1,8,4]<0.5, 3> = concat(%r0, %r1, %r2, %r3) {axis=1}"
    lines = ['graph 2 "rows" {', "input %x: i8[1,8,4]<0.5, 3>", *parts, whole, "output %y", "}"]
    path = tmp_path / "rows.tsm"
    path.write_text("\n".join(lines))
    assert main(["show", str(path), "--target", "host", "--after", "roll-loops"]) == 0
    assert "loop i of 4 {" in capsys.readouterr().out
    assert main(["verify", str(path), "--target", "host", "--layers", "--no-progress"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("tinsmith_requantize_s8_s8") == 1
    assert "layers: all equal" in printed
