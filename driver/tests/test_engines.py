"""--engines: which back end it stands for, and what is refused."""

import pytest
from tinsmith_driver.engines import backend_for
from tinsmith_ir import UsageError


@pytest.mark.parametrize(("name", "backend"), [("cluster", "pulp_nn"), ("both", "neureka")])
def test_engines_stand_for_back_ends(name: str, backend: str) -> None:
    assert backend_for("siracusa", None, name) == backend


def test_without_engines_the_back_end_stays() -> None:
    assert backend_for("siracusa", None, None) is None
    assert backend_for("siracusa", "reference", None) == "reference"


@pytest.mark.parametrize(
    ("target", "backend", "name", "message"),
    [
        ("siracusa", "pulp_nn", "both", "expected no --backend beside it, got --backend pulp_nn"),
        ("siracusa", None, "gpu", "expected cluster or both, got 'gpu'; siracusa has neureka"),
        ("host", None, "both", "expected a target with an accelerator .*, got host"),
        ("pulp-open", None, "cluster", "expected a target with an accelerator .*, got pulp-open"),
    ],
)
def test_wrong_engines_are_refused(
    target: str, backend: str | None, name: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        backend_for(target, backend, name)
