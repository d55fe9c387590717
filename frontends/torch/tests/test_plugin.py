"""What the command sees: it starts without PyTorch, and says what is missing when a file needs it."""

import io
import subprocess
import sys

import pytest
import torch
from tinsmith_ir import UsageError
from tinsmith_plugins import ImportChoices, ModelSource
from tinsmith_torch import is_pt2
from tinsmith_torch.plugin import PLUGIN
from torch import nn


def saved(module: nn.Module, *inputs: torch.Tensor) -> bytes:
    file = io.BytesIO()
    torch.export.save(torch.export.export(module.eval(), inputs), file)
    return file.getvalue()


(IMPORTER,) = PLUGIN.importers


def test_a_file_is_recognised_and_read() -> None:
    data = saved(nn.Conv2d(3, 4, 3), torch.zeros(1, 3, 8, 6))
    assert IMPORTER.recognises(data)
    turned: dict[str, tuple[int, ...]] = {}
    warnings: list[str] = []
    source = ModelSource(data, "a.pt2", on_warning=warnings.append, on_turned=turned.__setitem__)
    graph = IMPORTER.read(source)
    assert graph.inputs[0].type.shape == (1, 8, 6, 3)
    assert turned == {"input": (1, 3, 8, 6), "output": (1, 4, 6, 4)}
    assert warnings == [
        "input is [1, 8, 6, 3], channels last (in the file [1, 3, 8, 6])",
        "output is [1, 6, 4, 4], channels last (in the file [1, 4, 6, 4])",
    ]
    as_it_is = IMPORTER.read(ModelSource(data, "a.pt2", choices=ImportChoices(as_in_file=True)))
    assert as_it_is.inputs[0].type.shape == (1, 3, 8, 6)


def test_other_archives_are_not_recognised() -> None:
    file = io.BytesIO()
    torch.save({"a": torch.zeros(3)}, file)
    assert not is_pt2(file.getvalue())
    assert not is_pt2(b"")


def test_choices_that_a_program_has_made_are_refused() -> None:
    data = saved(nn.ReLU(), torch.zeros(3))
    choices = ImportChoices(input_shapes={"x": (3,)})
    with pytest.raises(UsageError, match=r"expected no --input-shape: PyTorch's files"):
        IMPORTER.read(ModelSource(data, "a.pt2", choices=choices))


def test_a_converter_has_to_be_a_rule() -> None:
    data = saved(nn.ReLU(), torch.zeros(3))
    with pytest.raises(UsageError, match=r"expected a tinsmith_torch\.Rule, got int"):
        IMPORTER.read(ModelSource(data, "a.pt2", converters={"a.b": 3}))


def test_the_table_of_operators_needs_no_pytorch() -> None:
    script = """
import sys
sys.modules["torch"] = None
from tinsmith_ir import UsageError
from tinsmith_plugins import ModelSource
from tinsmith_torch.plugin import PLUGIN
assert "aten.conv2d" in PLUGIN.importers[0].operators()
try:
    PLUGIN.importers[0].read(ModelSource(b"PK", "a.pt2"))
except UsageError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    expected = (
        "a.pt2: expected PyTorch, which opens its files; it is not installed: pip install torch"
    )
    assert done.stdout == f"{expected}\n"
