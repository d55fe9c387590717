"""What a user may import is listed and documented."""

import dataclasses
import inspect

import pytest
import tinsmith_ir
from tinsmith_ir import OPERATORS, Operator
from tinsmith_ir.operators.base import Operand


@pytest.mark.parametrize("name", [str(name) for name in vars(tinsmith_ir)["__all__"]])
def test_public_names_exist_and_are_documented(name: str) -> None:
    found: object = getattr(tinsmith_ir, name)
    if inspect.isclass(found) or inspect.isfunction(found):
        documented = found.__doc__
        assert documented
        assert not documented.startswith(f"{name}(")  # what dataclass writes by itself


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=list(OPERATORS))
def test_operators_are_complete_declarations(operator: type[Operator]) -> None:
    assert dataclasses.is_dataclass(operator)
    assert operator.__doc__
    assert all(isinstance(operand, Operand) for operand in operator.operands)
    for method in ("infer", "verify", "evaluate"):
        assert getattr(operator, method) is not getattr(Operator, method)
    assert all(
        field.default is not dataclasses.MISSING for field in dataclasses.fields(operator)
    ), "every attribute has a default"
