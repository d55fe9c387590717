"""Every operator has all that docs/adding_an_operator.md names; what is missing is said at once."""

import ast
import functools
import json
from collections.abc import Mapping

import pytest
import tinsmith_tflite.operators as tflite
from checkout import ROOT
from tinsmith_c.testing import CASES
from tinsmith_ir import OPERATORS, DType, Graph, Operator, parse_graph
from tinsmith_ir.testing import random_graph
from tinsmith_reference import backend
from tinsmith_target import target
from tinsmith_tensors.not_composed import NOT_COMPOSED

SEEDS = 60
GOLDENS = "ir/tests/golden/tflite_2_14.json"

COMPOSERS = (
    "frontends/tensors/tinsmith_tensors",
    "frontends/onnx/tinsmith_onnx",
    "frontends/torch/tinsmith_torch",
)
"""What composes graphs, for the importers of ONNX and PyTorch."""


def named_in(folder: str) -> set[str]:
    """Operators that the modules of a folder import, all but that of what is not composed."""
    return {
        alias.name
        for path in (ROOT / folder).glob("*.py")
        if path.name != "not_composed.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "tinsmith_ir.operators"
        for alias in node.names
    }


def composed() -> frozenset[type[Operator]]:
    names = {name for folder in COMPOSERS for name in named_in(folder)}
    return frozenset(kind for kind in OPERATORS.values() if kind.__name__ in names)


IMPORTERS: Mapping[str, frozenset[type[Operator]]] = {
    "frontends/tflite/tinsmith_tflite/operators.py": frozenset(
        {made for rule in tflite.RULES.values() for made in rule.makes}
    )
    | tflite.NOT_IN_FILES.keys(),
    "frontends/tensors/tinsmith_tensors": composed() | NOT_COMPOSED.keys(),
}
"""The table of each importer -> the operators that a line of it makes, or that it has a reason not to."""


def in_graphs(*graphs: Graph) -> set[type[Operator]]:
    return {type(node.operator) for graph in graphs for node in graph.nodes}


@functools.cache
def with_golden() -> set[type[Operator]]:
    cases = json.loads((ROOT / GOLDENS).read_text(encoding="utf-8"))
    known = in_graphs(*(parse_graph(case["graph"]) for case in cases))
    return known | tflite.NOT_IN_FILES.keys() | tflite.NOT_IN_TFLITE.keys()


@functools.cache
def in_random_graphs() -> set[type[Operator]]:
    dtypes = (DType.INT8, DType.FLOAT32)
    return in_graphs(
        *(random_graph(seed, dtype=dtype) for seed in range(SEEDS) for dtype in dtypes)
    )


@functools.cache
def in_backend_cases() -> set[type[Operator]]:
    return in_graphs(*(case.build() for case in CASES))


@functools.cache
def with_reference_kernel() -> set[type[Operator]]:
    return {kernel.operator for kernel in backend().kernels(target("host")) if not kernel.then}


def missing(operator: type[Operator]) -> list[str]:
    """What an operator lacks, and where it belongs."""
    parts = [
        (
            operator.restrict_part is not Operator.restrict_part or bool(operator.traits),
            "no trait and no restrict_part, so that it can never be cut: ir/tinsmith_ir/operators",
        ),
        (operator in in_random_graphs(), "no step in ir/tinsmith_ir/random_steps"),
        (
            operator in with_golden(),
            "no golden: a family in frontends/tflite/tests/golden_cases.py, then "
            "frontends/tflite/tools/make_goldens.py and ir/tools/make_goldens.py",
        ),
        *(
            (
                operator in known,
                f"no line of {table} makes it, nor gives a reason in NOT_IN_FILES or NOT_COMPOSED",
            )
            for table, known in IMPORTERS.items()
        ),
        (
            operator in with_reference_kernel(),
            "no kernel in backends/reference/tinsmith_reference (the C is in kernels/reference)",
        ),
        (operator in in_backend_cases(), "no case in backends/c/tinsmith_c/testing/cases.py"),
    ]
    return [text for is_there, text in parts if not is_there]


def test_reasons_are_given_for_operators_that_are_not_composed_alone() -> None:
    assert composed().isdisjoint(NOT_COMPOSED)


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=list(OPERATORS))
def test_an_operator_is_complete(operator: type[Operator]) -> None:
    lacks = missing(operator)
    assert not lacks, "\n  ".join(
        [f"{operator.mnemonic} is half added (docs/adding_an_operator.md); it has", *lacks]
    )


def test_all_that_a_new_operator_lacks_is_said() -> None:
    lacks = missing(type("Unknown", (Operator,), {}))
    places = ("ir/tinsmith_ir/operators", "random_steps", "golden_cases.py", "tinsmith_tflite")
    places = (*places, "tinsmith_tensors", "tinsmith_reference", "testing/cases.py")
    assert [place for place, text in zip(places, lacks, strict=True) if place not in text] == []
