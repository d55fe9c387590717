"""--engines: which back end it stands for, and what is refused."""

import pytest
from tinsmith_driver.engines import engines_for
from tinsmith_driver.passes import PassChoice
from tinsmith_ir import UsageError


@pytest.mark.parametrize(
    ("name", "backend", "passes"),
    [
        ("cluster", "pulp_nn", ()),
        ("both", "neureka", ()),
        ("neureka", "neureka", (PassChoice("place-layers", {"by": "rule"}),)),
    ],
)
def test_engines_stand_for_back_ends_and_how_layers_are_placed(
    name: str, backend: str, passes: tuple[PassChoice, ...]
) -> None:
    found = engines_for("siracusa", None, name)
    assert (found.backend, found.passes) == (backend, passes)


@pytest.mark.parametrize(
    ("name", "backend"),
    [
        ("cpu", "pulp_nn"),
        ("digital", "diana_digital"),
        ("analog", "diana_analog"),
        ("both", "diana_digital+diana_analog"),
    ],
)
def test_both_are_all_accelerators_of_a_board(name: str, backend: str) -> None:
    assert engines_for("diana", None, name).backend == backend


def test_without_engines_the_back_end_stays() -> None:
    assert engines_for("siracusa", None, None).backend is None
    assert engines_for("siracusa", "reference", None).backend == "reference"


@pytest.mark.parametrize(
    ("target", "backend", "name", "message"),
    [
        ("siracusa", "pulp_nn", "both", "expected no --backend beside it, got --backend pulp_nn"),
        (
            "siracusa",
            None,
            "gpu",
            "expected cluster, neureka or both, got 'gpu'; siracusa has neureka",
        ),
        ("host", None, "both", "expected a target with an accelerator .*, got host"),
        ("pulp-open", None, "cluster", "expected a target with an accelerator .*, got pulp-open"),
    ],
)
def test_wrong_engines_are_refused(
    target: str, backend: str | None, name: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        engines_for(target, backend, name)
