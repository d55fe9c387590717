"""The generated C of a small network, and the manuals of the backends, as files under review."""

from pathlib import Path

import pytest
from tinsmith_c import WriteOptions, write, write_harness_model
from tinsmith_c.testing import CASES, place
from tinsmith_cmsis_nn import backend as cmsis_nn
from tinsmith_lowering import Kernel, lower, prepare, supported_operators
from tinsmith_reference import backend as reference
from tinsmith_target import Target, target

EXPECTED = Path(__file__).parent / "expected"
OPTIONS = WriteOptions("0.1.0", "0" * 64, ("target=any",))


def kernels_of(chosen: Target) -> dict[str, tuple[Kernel, ...]]:
    plain = reference().kernels(chosen)
    return {
        "reference": plain,
        "packed": (*cmsis_nn().kernels(chosen), *plain),
        "public": (*cmsis_nn(packed=False).kernels(chosen), *plain),
    }


def check(name: str, content: bytes, *, update: bool) -> None:
    path = EXPECTED / name
    if update:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    command = "pytest tests/golden --update-golden"
    assert path.exists(), f"{path} is missing; write it with: {command}"
    assert content.decode() == path.read_bytes().decode(), f"if this is meant: {command}"


@pytest.mark.parametrize(
    ("target_name", "backend"),
    [
        ("host", "reference"),
        ("cortex-m4", "packed"),
        ("cortex-m55", "packed"),
        ("cortex-m4", "public"),
    ],
)
def test_generated_c(target_name: str, backend: str, update_golden: bool) -> None:
    chosen = target(target_name)
    kernels = kernels_of(chosen)[backend]
    graph = next(case for case in CASES if case.name == "network").build(seed=7)
    program = place(prepare(lower(graph, chosen, kernels), chosen, kernels))
    files = write(program, chosen, kernels, OPTIONS)
    for file, content in files.items():
        check(f"{target_name}_{backend}_{file}", content, update=update_golden)


def test_harness_model(update_golden: bool) -> None:
    chosen = target("host")
    graph = next(case for case in CASES if case.name == "network").build(seed=7)
    program = place(
        prepare(
            lower(graph, chosen, reference().kernels(chosen)), chosen, reference().kernels(chosen)
        )
    )
    check("harness_model.c", write_harness_model(program), update=update_golden)


@pytest.mark.parametrize("backend", ["reference", "packed"])
def test_supported_operators(backend: str, update_golden: bool) -> None:
    table = supported_operators(kernels_of(target("cortex-m4"))[backend])
    check(f"supported_{backend}.md", table.encode(), update=update_golden)
