"""What holds of every operator by its declaration, and how operators of other packages join them."""

import dataclasses
import subprocess
import sys

import pytest
from tinsmith_ir import OPERATORS, Activation, Operator, Trait, UsageError
from tinsmith_ir.operators.base import activation_of, with_activation

_OUT_OF_TREE = '''
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
from tinsmith_ir import Operand, Operator, evaluate_graph, parse_graph, print_graph

@dataclass(frozen=True)
class Negate(Operator):
    """-x."""
    mnemonic: ClassVar[str] = "negate"
    operands: ClassVar[tuple[Operand, ...]] = (Operand("input"),)
    def infer(self, inputs):
        return (inputs[0],)
    def verify(self, inputs, outputs):
        pass
    def evaluate(self, arrays, inputs, outputs):
        return (-arrays[0],)

graph = parse_graph('graph 2 "g" { input %x: f32[2] %y: f32[2] = negate(%x) output %y }')
assert print_graph(parse_graph(print_graph(graph))) == print_graph(graph)
print(evaluate_graph(graph, [np.array([1, -2], np.float32)])["y"].tolist())
'''


def test_an_operator_of_another_package_is_read_printed_and_evaluated() -> None:
    command = [sys.executable, "-c", _OUT_OF_TREE]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[-1.0, 2.0]\n", "")


def test_a_mnemonic_belongs_to_one_class() -> None:
    with pytest.raises(UsageError, match=r"got 'add', which tinsmith_ir.operators.\S*Add has"):
        type("Other", (Operator,), {"mnemonic": "add"})
    assert OPERATORS["add"].__name__ == "Add"


def test_a_mnemonic_is_a_word_of_the_text() -> None:
    with pytest.raises(UsageError, match="expected a mnemonic"):
        type("Other", (Operator,), {"mnemonic": "two words"})
    assert "two words" not in OPERATORS


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=list(OPERATORS))
def test_an_operator_that_fuses_a_clamp_has_the_attribute(operator: type[Operator]) -> None:
    if Trait.FUSES_CLAMP not in operator.traits:
        return
    assert "activation" in {field.name for field in dataclasses.fields(operator)}
    assert activation_of(operator()) is Activation.NONE
    assert activation_of(with_activation(operator(), Activation.RELU6)) is Activation.RELU6


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=list(OPERATORS))
def test_bytes_that_stay_are_those_of_one_operand(operator: type[Operator]) -> None:
    if Trait.SAME_BYTES in operator.traits:
        assert len(operator.operands) == 1
        assert Trait.MOVES in operator.traits
