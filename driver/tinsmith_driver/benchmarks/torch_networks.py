"""Networks that PyTorch trains: examples/quantization, run by a Python that has PyTorch and scikit-learn.

Neither is a dependency of Tinsmith. This interpreter serves if it has both, else the one that $TINSMITH_TORCH_PYTHON
names; without either the networks are not measured, and that is said. Trained networks are kept in the cache, by the
scripts that trained them.
"""

import hashlib
import json
import os
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tinsmith_toolchains import Children, default_cache_directory

from tinsmith_driver.benchmarks.pulp_checkout import BenchmarkError, checkout

TORCH_NETWORKS = ("torch_mobilenet_v2", "torch_resnet18", "torch_vit")
PYTHON_VARIABLE = "TINSMITH_TORCH_PYTHON"
NOT_MEASURED = (
    "not measured: no Python with PyTorch and scikit-learn was found. Make one (python -m venv torch; "
    "torch/bin/pip install torch scikit-learn and Tinsmith's dependencies), and name it: "
    f"{PYTHON_VARIABLE}=torch/bin/python"
)

_SCRIPTS = Path("examples/quantization")
_NEEDED = ("torch", "sklearn")
_PREFIX = "torch_"
_ONE_THREAD = {"OMP_NUM_THREADS": "1"}


@dataclass(frozen=True)
class TorchRow:
    """A network as float and as integers. drop: right answers fewer, in points of a hundred. float_operators: how many
    of the network of integers compute float32. seconds: to quantize.
    """

    network: str
    scheme: str
    images: int
    right_float: int
    right: int
    drop: float
    sqnr: float
    float_operators: int
    seconds: float


def torch_python() -> Path | None:
    """An interpreter with what the scripts need; None if there is none.

    Raises BenchmarkError where the one that is named has it not.
    """
    named = os.environ.get(PYTHON_VARIABLE)
    if not named:
        return Path(sys.executable) if all(map(_is_installed, _NEEDED)) else None
    _run([named, "-c", f"import {', '.join(_NEEDED)}"])
    return Path(named)


def _is_installed(name: str) -> bool:
    """A folder of that name, such as that of a library here, is a module without a file."""
    found = find_spec(name)
    return found is not None and found.origin is not None


def torch_row(python: Path, network: str, scheme: str) -> TorchRow:
    """Of one of TORCH_NETWORKS, which is trained first if that was not done before. Raises BenchmarkError."""
    scripts = checkout() / _SCRIPTS
    folder = _trained(python, scripts, network.removeprefix(_PREFIX))
    name = network.removeprefix(_PREFIX)
    said = _run([str(python), str(scripts / "evaluate.py"), "--json", str(folder), scheme, name])
    (found,) = json.loads(said)
    images, right_float, right = found["images"], found["right_float"], found["right"]
    return TorchRow(
        network,
        scheme,
        images,
        right_float,
        right,
        round(100 * (right_float - right) / images, 2),
        round(found["sqnr_db"], 2),
        sum(found["float_operators"].values()),
        round(found["seconds"], 1),
    )


def _trained(python: Path, scripts: Path, name: str) -> Path:
    """The folder of a trained network, named by what made it. Training that is interrupted leaves nothing there that
    passes for a network, since files come by their names when all are whole, the network last.
    """
    sources = [scripts / "train.py", scripts / "networks.py"]
    digest = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
    folder = default_cache_directory() / "torch_networks" / digest[:16] / name
    network = f"{name}.pt2"
    if (folder / network).is_file():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        made = Path(temporary) / name
        _run([str(python), str(scripts / "train.py"), str(made), name])
        for file in sorted(made.iterdir(), key=lambda file: (file.name == network, file.name)):
            file.replace(folder / file.name)
    return folder


def _run(command: list[str]) -> str:
    """Standard output of a command that imports the libraries of the checkout, but no others of this interpreter.

    Raises BenchmarkError if it fails.
    """
    root = checkout()
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    own = [str(root / path) for path in settings["tool"]["basedpyright"]["extraPaths"]]
    environment = {**os.environ, **_ONE_THREAD, "PYTHONPATH": os.pathsep.join(own)}
    done = Children().run(command, environment=environment)
    if done.status != 0:
        said = (done.errors or done.output).decode("utf-8", "replace").strip()
        raise BenchmarkError(f"{command[0]} {Path(command[1]).name} failed: {said}")
    return done.output.decode("utf-8", "replace")
