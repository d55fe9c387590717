"""What wants an extra says which, where what that installs is absent."""

import os
import subprocess
import sys

import pytest

_WITHOUT = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"ortools", "torch"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refuse())
"""


def _last_line(program: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", _WITHOUT + program],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert result.returncode == 1, result.stderr
    return result.stderr.splitlines()[-1]


@pytest.mark.parametrize("module", ["torch_qat", "torch_ranges", "torch_rounding"])
def test_training_says_what_to_install(module: str) -> None:
    line = _last_line(f"import tinsmith_quantization.{module}")
    assert line.startswith("ImportError: tinsmith_quantization.torch_")
    assert line.endswith(
        "needs torch, which is not installed: pip install 'tinsmith-quantization[torch]'"
    )


def test_bits_of_layers_say_what_to_install() -> None:
    line = _last_line(
        "from tinsmith_quantization import Budget, Sensitivity, chosen_bits\n"
        "chosen_bits([Sensitivity('l0', 8, 80, 0.1, 100)], Budget(80))\n"
    )
    assert line.endswith(
        "choosing bits of layers needs ortools, which is not installed: pip install 'tinsmith-quantization[mixed]'"
    )
