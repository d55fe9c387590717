"""Every CORE-V instruction on random operands, against the numpy model; $TINSMITH_SOC_OPERANDS sets how many each."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import operands
import pytest
from corev_model import Words, model
from corev_table import Row
from operands import compare
from support import count, seeded


def test_results_are_those_of_the_model(tmp_path: Path) -> None:
    results = list(compare(count("OPERANDS", 1000), seeded(), tmp_path))
    assert len(results) == 319  # of the manual's 320; cv.elw waits for events
    assert len({result.instruction for result in results}) == 319
    wrong = [
        f"{r.instruction}: {r.differences} of {r.count}, {r.example}"
        for r in results
        if r.differences
    ]
    assert not wrong, "\n".join(wrong)


def test_a_wrong_result_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model computes something else for one operand in a thousand or so of one instruction."""

    def changed(row: Row, numbers: tuple[int, ...]):
        apply = model(row, numbers)
        if row.name != "cv.clip":
            return apply

        def wrong(a: Words, b: Words, old: Words) -> Words:
            return np.where(a == 0x80000000, 1, apply(a, b, old))

        return wrong

    monkeypatch.setattr(operands, "model", changed)
    results = compare(1000, seeded(), tmp_path)
    (result,) = [result for result in results if result.differences]
    assert replace(result, differences=0, example="") == operands.Comparison(
        "cv.clip", "xcvalu", 1000, 0, ""
    )
    assert "cv.clip a" in result.example
