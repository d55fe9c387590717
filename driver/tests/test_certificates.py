"""Plans of memory as claims: those of real builds hold, and broken on purpose they are refused.

plan_check/tools/break_plans.py breaks as many as one likes.
"""

import json
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import jsonschema
import numpy as np
import pytest
from break_plans import break_plans, judge
from breaks import BREAKS
from tinsmith_allocation import Block, Leave, lower_bound
from tinsmith_driver.cli import main
from tinsmith_driver.demonstration import find_example
from tinsmith_ir import print_graph
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import AveragePool2D, Conv2D, DepthwiseConv2D, FullyConnected, Reshape
from tinsmith_ir.testing import GraphBuilder, mlperf_tiny_dir
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_plan_check.bound import derived_bound

_STREAMING = """graph 2 "wide" {
  input %x: i8[1,16,16,4]<0.5, 0>
  %a: i8[1,16,16,16]<0.5, 0> = concat(%x, %x, %x, %x) {axis=3}
  %b: i8[1,16,16,16]<0.5, 0> = max_pool2d(%a) {window=[3,3], padding=[1,1,1,1]}
  %c: i8[1,16,16,16]<0.5, 0> = max_pool2d(%b) {window=[3,3], padding=[1,1,1,1]}
  %y: i8[1,8,8,16]<0.5, 0> = max_pool2d(%c) {window=[2,2], stride=[2,2]}
  output %y
}
"""
EXAMPLE = find_example()
_ROWS = Path(__file__).parents[2] / "examples" / "streaming" / "rows.tsm"

_BROKEN = 200


def _narrow() -> str:
    """Channels expanded from 4 to 16, filtered each and joined again, which is computed in patches."""
    builder = GraphBuilder("narrow")
    scales = Quantization.per_tensor(0.5, 0)
    numbers = np.random.default_rng(1)

    def weights(name: str, *shape: int) -> Value:
        data = numbers.integers(-9, 10, shape).astype(np.int8)
        return builder.constant(name, data, Quantization.per_tensor(0.01, 0))

    x = builder.input("x", TensorType((1, 16, 16, 4), DType.INT8, scales))
    wide = builder.add(Conv2D(), [x, weights("expand", 16, 1, 1, 4)], "a", scales)
    around = DepthwiseConv2D(padding=(1, 1, 1, 1))
    filtered = builder.add(around, [wide, weights("filter", 1, 3, 3, 16)], "b", scales)
    joined = builder.add(Conv2D(), [filtered, weights("join", 4, 1, 1, 16)], "y", scales)
    return print_graph(builder.build(joined))


def _averaged() -> str:
    """Channels expanded from 4 to 32 and averaged, of which no pixel has to stay."""
    builder = GraphBuilder("averaged")
    scales = Quantization.per_tensor(0.5, 0)
    data = np.random.default_rng(2).integers(-9, 10, (32, 1, 1, 4)).astype(np.int8)
    x = builder.input("x", TensorType((1, 12, 16, 4), DType.INT8, scales))
    expand = builder.constant("expand", data, Quantization.per_tensor(0.01, 0))
    wide = builder.add(Conv2D(), [x, expand], "a", scales)
    return print_graph(builder.build(builder.add(AveragePool2D(window=(12, 16)), [wide], "y")))


def _connected() -> str:
    """A vector, read as an image, and a layer that is fully connected to what is made of it."""
    builder = GraphBuilder("connected")
    random = np.random.default_rng(3)
    scales = Quantization.per_tensor(0.5, 0)
    x = builder.input("x", TensorType((1, 768), DType.INT8, scales))
    image = builder.add(Reshape(shape=(1, 12, 16, 4)), [x], "image", scales)
    data = random.integers(-9, 10, (32, 1, 1, 4)).astype(np.int8)
    expand = builder.constant("expand", data, Quantization.per_tensor(0.01, 0))
    wide = builder.add(Conv2D(), [image, expand], "a", scales)
    data = random.integers(-9, 10, (5, wide.type.elements)).astype(np.int8)
    last = builder.constant("last", data, Quantization.per_tensor(0.01, 0))
    return print_graph(builder.build(builder.add(FullyConnected(), [wide, last], "y", scales)))


def compiled(model: Path, target: str, folder: Path, *options: str) -> bytes:
    """The plan of a build."""
    arguments = ["compile", str(model), "--target", target, "--no-progress", *options]
    assert main([*arguments, "-o", str(folder)]) == 0
    return (folder / "plan.json").read_bytes()


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Of networks whole, in rows, in patches, with inputs that are asked for, and with copies beside the core."""
    folder = tmp_path_factory.mktemp("plans")
    model = folder / "wide.tsm"
    model.write_text(_STREAMING)
    narrow = folder / "narrow.tsm"
    narrow.write_text(_narrow())
    averaged = folder / "averaged.tsm"
    averaged.write_text(_averaged())
    connected = folder / "connected.tsm"
    connected.write_text(_connected())
    builds: dict[str, tuple[Path, str, list[str]]] = {
        "digits on a Cortex-M4": (EXAMPLE.model, "cortex-m4", []),
        "digits on a Cortex-M55": (EXAMPLE.model, "cortex-m55", []),
        "whole": (model, "cortex-m4", []),
        "streamed": (model, "cortex-m4", ["--ram", "3500"]),
        "asked for": (model, "cortex-m55", ["--ram", "3500", "--stream-input"]),
        "in patches": (narrow, "cortex-m4", ["--ram", "1800"]),
        "sums": (averaged, "cortex-m4", ["--ram", "1700"]),
        "connected": (connected, "cortex-m4", ["--ram", "1700"]),
        "connected to what is asked for": (
            connected,
            "cortex-m4",
            ["--ram", "900", "--stream-input"],
        ),
        "an engine": (_ROWS, "pulp-open", []),
    }
    return {
        name: compiled(path, target, folder / str(number), *options)
        for number, (name, (path, target, options)) in enumerate(builds.items())
    }


def test_the_report_says_which_layers_are_in_patches(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    narrow = tmp_path / "narrow.tsm"
    narrow.write_text(_narrow())
    compiled(narrow, "cortex-m4", tmp_path / "small", "--ram", "1800")
    assert "3 layers in patches, " in capsys.readouterr().out
    (segment,) = json.loads((tmp_path / "small" / "report.json").read_text())["streams"]["segments"]
    assert segment["patched"] == segment["layers"]


def test_plans_of_builds_hold(plans: dict[str, bytes]) -> None:
    assert {name: judge(plan) for name, plan in plans.items()} == dict.fromkeys(plans, "")
    schema = json.loads(files("tinsmith_plan_check").joinpath("plan.schema.json").read_text())
    for plan in plans.values():
        jsonschema.validate(json.loads(plan), schema)
    assert len(json.loads(plans["streamed"])["cuts"]) >= 2
    assert len(json.loads(plans["in patches"])["patches"]) == 3
    assert [it["is_sum"] for it in json.loads(plans["sums"])["patches"]] == [True]
    assert json.loads(plans["an engine"])["engines"]


def test_broken_plans_are_refused(plans: dict[str, bytes]) -> None:
    verdicts = break_plans([*plans.items()], _BROKEN, seed=0)
    accepted = [verdict for verdict in verdicts if not verdict.refusal]
    assert accepted == []
    kinds = Counter(verdict.name for verdict in verdicts)
    assert len(verdicts) == _BROKEN
    # Each kind finds something to break in one of the plans.
    assert kinds.keys() == BREAKS.keys()


def test_the_command_says_which_claim_does_not_hold(
    plans: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(plans["streamed"])
    assert main(["check-plan", str(path)]) == 0
    assert "of 3,500, " in capsys.readouterr().out
    plan = json.loads(plans["streamed"])
    plan["memories"][0]["budget"] = plan["memories"][0]["bytes"] - 1
    path.write_text(json.dumps(plan))
    assert main(["check-plan", str(path)]) == 1
    assert "refused: budget: memory arena: expected at most" in capsys.readouterr().err
    path.write_text("{}")
    assert main(["check-plan", str(path)]) == 3
    assert main(["check-plan"]) == 2


@pytest.mark.parametrize("seed", range(40))
def test_bounds_of_planner_and_checker_agree(seed: int) -> None:
    """Else plans that hold would be refused."""
    source = Random(seed)
    for _ in range(20):
        unit = source.choice([1, 4, 16])
        blocks = [
            Block(str(index), source.randint(1, 40), first, source.randint(first, 8), unit)
            for index, first in enumerate(source.choices(range(7), k=source.randint(2, 9)))
        ]
        leaves = [
            Leave(
                *source.choice([(one.name, other.name), (other.name, one.name)]),
                source.choice([None, source.randint(-40, 40)]),
                source.choice([None, source.randint(-40, 40)]),
                tuple(source.sample(range(-39, 40), source.randint(0, 1))),
            )
            for one, other in combinations(blocks, 2)
            if one.lives_with(other) and source.random() < 0.6
        ]
        assert lower_bound(blocks, leaves) <= _derived_bound(blocks, leaves, unit)


def _derived_bound(blocks: Sequence[Block], leaves: Sequence[Leave], unit: int) -> int:
    """As `check-plan` derives it."""
    members = {"memory": "arena", "is_scratch": False, "lives": (), "offset": 0}
    buffers = [SimpleNamespace(name=it.name, bytes=it.size_bytes, **members) for it in blocks]
    plan = SimpleNamespace(buffers=buffers, leaves=leaves)
    layout = SimpleNamespace(plan=plan, buffer={it.name: it for it in buffers})
    lives = {it.name: ((it.first_step, it.last_step),) for it in blocks}
    memory = SimpleNamespace(name="arena", alignment=unit)
    return derived_bound(cast("Any", layout), cast("Any", lives), cast("Any", memory))


def test_run_and_explore_write_plans_where_they_are_asked_to(tmp_path: Path) -> None:
    model = tmp_path / "wide.tsm"
    model.write_text(_STREAMING)
    common = [str(model), "--target", "host", "--no-progress"]
    assert main(["verify", *common, "--plan", str(tmp_path / "p" / "plan.json")]) == 0
    assert main(["explore", *common, "--most", "2", "--plans", str(tmp_path / "all")]) == 0
    found = [tmp_path / "p" / "plan.json", *sorted((tmp_path / "all").iterdir())]
    assert len(found) == 3
    for path in found:
        assert judge(path.read_bytes()) == ""
        arena = json.loads(path.read_bytes())["memories"][0]["bytes"]
        assert path.name in ("plan.json", f"plan_{arena}.json")


_MLPERF = mlperf_tiny_dir()


@pytest.mark.skipif(_MLPERF is None, reason="MLPerf Tiny models absent")
@pytest.mark.parametrize(
    ("network", "target", "options"),
    [
        ("ad01_int8", "cortex-m4", []),
        ("kws_ref_model", "cortex-m55", []),
        ("pretrainedResnet_quant", "cortex-m4", ["--ram", "24000"]),
        ("str_ww_ref_model", "cortex-m4", []),
        ("vww_96_int8", "cortex-m4", ["--ram", "28500"]),
        ("vww_96_int8", "cortex-m55", []),
    ],
)
def test_plans_of_mlperf_tiny_hold(
    network: str, target: str, options: list[str], tmp_path: Path
) -> None:
    assert _MLPERF is not None
    assert judge(compiled(_MLPERF / f"{network}.tflite", target, tmp_path, *options)) == ""
