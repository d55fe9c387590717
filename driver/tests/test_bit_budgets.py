"""Bits of layers that commands choose for budgets of bytes, instructions and loss."""

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tinsmith_driver.benchmarks.bit_budgets import BudgetRow, budget_misses, budget_text
from tinsmith_driver.bit_budget import BitBudget, CostLimit
from tinsmith_driver.bit_choice import chosen_on_target
from tinsmith_driver.cli import main
from tinsmith_driver.inputs import random_samples
from tinsmith_driver.layer_costs import LayerCosts, Meter, Runnable, layer_costs
from tinsmith_driver.models import Model
from tinsmith_ir import DoesNotFitError, parse_graph
from tinsmith_quantization import Sensitivity

_DIGITS = Path(__file__).parents[2] / "examples" / "digits"
MODEL = str(_DIGITS / "digits_float.tflite")
CALIBRATION = str(_DIGITS / "digits_calibration.npz")
_LAYERS = 6


def _arguments(folder: Path, *options: str) -> list[str]:
    files = ["-o", str(folder / "q.tsm"), "--json", str(folder / "q.json")]
    return ["quantize", MODEL, "--calibration", CALIBRATION, *files, *options]


def _quantized(folder: Path, *options: str) -> dict[str, Any]:
    """The report of quantizing the digits network."""
    assert main(_arguments(folder, *options)) == 0
    found: dict[str, Any] = json.loads((folder / "q.json").read_text())
    return found


def _chosen(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    rows = [row for row in report["sensitivities"] if row["chosen"]]
    assert [row["name"] for row in rows] == [row["name"] for row in report["weights"]]
    assert [row["bits"] for row in rows] == [row["bits"] for row in report["weights"]]
    return rows


def _noise(rows: Sequence[Mapping[str, Any]]) -> float:
    return sum(10 ** (-row["sqnr_db"] / 10) for row in rows)


def test_a_share_of_the_instructions_is_kept_by_firmware(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The choice is the best of all 64, by what the report says of layers; `verify` counts what the report does."""
    page = tmp_path / "q.html"
    options = ["--target", "riscv32", "--most-instructions", "95%", "--html", str(page)]
    report = _quantized(tmp_path, *options)
    budget, rows = report["budget"], report["sensitivities"]
    eight = next(row["cost"] for row in budget["whole"] if row["bits"] == 8)
    assert budget["counted"] == "instructions"
    assert budget["most"] == int(0.95 * eight)
    assert budget["measured"] <= budget["most"]
    assert abs(budget["measured"] - budget["foreseen"]) < 0.002 * eight
    said = f"{budget['measured']:,} instructions on riscv32, {budget['foreseen']:,} foreseen"
    assert said in capsys.readouterr().out
    assert said in page.read_text(encoding="utf-8")

    other = eight - sum(row["cost"] for row in rows if row["bits"] == 8)
    pairs = [rows[at : at + 2] for at in range(0, 2 * _LAYERS, 2)]
    fitting = [
        each
        for each in itertools.product(*pairs)
        if other + sum(row["cost"] for row in each) <= budget["most"]
    ]
    assert 1 < len(fitting) < 2**_LAYERS
    best = min(fitting, key=_noise)
    assert [row["bits"] for row in _chosen(report)] == [row["bits"] for row in best]
    assert budget["foreseen"] == other + sum(row["cost"] for row in best)

    network, counted = str(tmp_path / "q.tsm"), tmp_path / "v.json"
    run = ["verify", network, "--target", "riscv32", "--inputs", CALIBRATION, "--samples", "1"]
    assert main([*run, "--json", str(counted)]) == 0
    assert json.loads(counted.read_text())["run"]["instructions"] == budget["measured"]


def test_all_bounds_hold_together_and_bits_of_the_user_stay(tmp_path: Path) -> None:
    narrow = "block2_pointwise_1_Relu"
    options = ["--target", "riscv32", "--most-instructions", "450000", "--weight-bytes", "4600"]
    loose = _quantized(tmp_path, *options)
    assert loose["weight_bytes"] <= 4600
    assert loose["budget"]["measured"] <= 450000
    given = ["--bits", "classes_1_MatMul=4", "--least-sqnr", "24", "--fewest", "instructions"]
    report = _quantized(tmp_path, *options, *given)
    bits = {row["name"]: row["bits"] for row in _chosen(report)}
    assert bits["classes_1_MatMul"] == bits[narrow] == 4
    assert not [
        row
        for row in report["sensitivities"]
        if row["name"] == "classes_1_MatMul" and row["bits"] != 4
    ]
    assert report["budget"]["measured"] < loose["budget"]["measured"]
    assert _noise(_chosen(report)) <= 10**-2.4


def test_two_bits_are_chosen_where_they_are_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the DSP extension weights of 4 bits take more instructions than those of 8, and ternary ones fewer."""
    target = ["--target", "cortex-m4", "--most-instructions", "99%"]
    assert main(_arguments(tmp_path, *target)) == 1
    assert "; --choices 2,4,8 lets layers have fewer bits" in capsys.readouterr().err
    report = _quantized(tmp_path, *target, "--choices", "2,4,8")
    assert 2 in [row["bits"] for row in _chosen(report)]
    assert report["budget"]["measured"] <= report["budget"]["most"]


@pytest.mark.parametrize(
    ("options", "status", "reason"),
    [
        (["--most-instructions", "95%"], 2, "--most-instructions: expected --target beside it"),
        (["--most-cycles", "95%", "--target", "host"], 2, "an emulator, as host counts nothing"),
        (
            ["--most-cycles", "95%", "--target", "riscv32"],
            2,
            "the emulator of riscv32 counts instructions: expected --most-instructions",
        ),
        (["--most-instructions", "0", "--target", "riscv32"], 2, "such as 95%, got '0'"),
        (["--fewest", "bytes"], 2, "--fewest: expected a budget beside it"),
        (["--fewest", "bytes", "--weight-bytes", "4000"], 2, "expected --least-sqnr beside it"),
        (["--choices", "4,5", "--weight-bytes", "4000"], 2, "such as 2,4,8, got '4,5'"),
        (["--weight-bytes", "9000", "--bits", "nobody=4"], 2, "bits of 'nobody': expected a layer"),
        (["--target", "riscv32", "--weight-bytes", "4000"], 2, "--target: expected --compare"),
        (["--weight-bytes", "2000"], 1, "weights of the fewest bits take 2,560 bytes"),
        (
            ["--most-instructions", "50%", "--target", "riscv32"],
            1,
            "bits with the fewest instructions take 4",
        ),
    ],
)
def test_wrong_budgets_are_a_sentence_and_write_nothing(
    options: list[str],
    status: int,
    reason: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(_arguments(tmp_path, *options)) == status
    assert reason in capsys.readouterr().err
    assert not (tmp_path / "q.tsm").exists()


_FOUND = [
    *(Sensitivity("a", 4, 10, 0.1, 30), Sensitivity("a", 8, 20, 0.01, 50)),
    *(Sensitivity("b", 4, 10, 0.2, 10), Sensitivity("b", 8, 20, 0.02, 40)),
]
_COSTS = LayerCosts(
    {4: 140, 8: 190},
    {(choice.name, choice.bits): choice.cycles or 0 for choice in _FOUND},
)
_BUDGET = BitBudget(most=CostLimit(90, is_share=True), target="riscv32")


def test_bits_are_chosen_again_where_firmware_takes_more_than_was_foreseen() -> None:
    """At most 171 of 190, 100 of which are not the layers': a with 4 bits would be 170, and is 5 more."""
    runs: list[dict[str, int]] = []

    def run(bits: Mapping[str, int]) -> tuple[int, int]:
        runs.append(dict(bits))
        foreseen = _COSTS.other + sum(
            choice.cycles or 0 for choice in _FOUND if bits[choice.name] == choice.bits
        )
        return len(runs), foreseen + 5

    made, found = chosen_on_target(_FOUND, _BUDGET, _COSTS, run)
    assert runs == [{"a": 4, "b": 8}, {"a": 8, "b": 4}]
    assert made == 2
    assert (found.limit, found.foreseen, found.measured) == (171, 160, 165)
    assert found.whole == {4: 140, 8: 190}


def test_firmware_that_never_keeps_the_budget_is_refused() -> None:
    with pytest.raises(DoesNotFitError, match="takes 200 instructions where 170 were foreseen"):
        chosen_on_target(_FOUND, _BUDGET, _COSTS, lambda _: (None, 200))


_CALLS = {
    "8": (500, {"a": 100, "b.0": 60, "b.1": 40, "pool": 200, "c": 30}),
    "4": (450, {"a": 80, "b": 90, "pool": 210, "c.x": 30}),
}


class _Told(Meter):
    """Counts of calls that a test says, by the name of a network."""

    def by_call(self, network: Runnable) -> tuple[int, list[str], Sequence[int]]:
        whole, calls = _CALLS[network.model.graph.name]
        return whole, list(calls), list(calls.values())


def _named(bits: int) -> Runnable:
    graph = parse_graph(f'graph 2 "{bits}" {{\n  input %x: i8[1]\n  output %x\n}}')
    return Runnable(Model(Path("x.tsm"), "tsm", "", graph), random_samples(graph, 1))


def test_layers_are_found_by_name_also_in_tiles() -> None:
    """c has another name with 4 bits: it counts as if it cost the same with any, as what is no layer does."""
    networks = [(bits, _named(bits)) for bits in (4, 8)]
    costs = layer_costs(networks, ["a", "b", "c"], _Told("riscv32", "instructions"))
    assert costs.layers == {("a", 4): 80, ("b", 4): 90, ("a", 8): 100, ("b", 8): 100}
    assert costs.other == 500 - 200
    rows = [Sensitivity(name, 4, 1, 0.1) for name in "abc"]
    assert [row.cycles for row in costs.put_to(rows)] == [80, 90, 0]


def test_the_benchmark_names_what_does_not_hold() -> None:
    right = BudgetRow(
        "kws", "riscv32", (4, 8), 90, 1000, 900, 880, 899, (8, 4), 30.0, 10, 10, 500, is_best=True
    )
    assert not [*budget_misses([replace(right, measured=884)])]
    rows = [
        right,
        replace(right, measured=901, foreseen=900),
        replace(right, measured=880, is_best=False),
    ]
    assert [*budget_misses(rows)] == [
        "kws on riscv32, 90 %: 899 instructions, 880 were foreseen",
        "kws on riscv32, 90 %: 901 instructions, at most 900",
        "kws on riscv32, 90 %: other bits lose less within the budget",
    ]
    line = budget_text([right]).splitlines()[-1]
    assert " ".join(line.split()) == "kws riscv32 4,8 1,000 900 (90 %) 880 899 84 30.0 10/10 500"
