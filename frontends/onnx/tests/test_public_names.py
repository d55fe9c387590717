"""What a user may import is listed and documented."""

import inspect

import pytest
import tinsmith_onnx


@pytest.mark.parametrize("name", [str(name) for name in vars(tinsmith_onnx)["__all__"]])
def test_public_names_exist_and_are_documented(name: str) -> None:
    found: object = getattr(tinsmith_onnx, name)
    if inspect.isclass(found) or inspect.isfunction(found):
        assert found.__doc__
        assert not found.__doc__.startswith(f"{name}(")  # what dataclass writes by itself
