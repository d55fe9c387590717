"""Random models of all families are sound: imported and evaluated, or refused. tools/random_models.py compares them."""

import itertools

from golden_cases import random_cases
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_tflite import import_tflite

COUNT = 400


def test_random_cases_are_sound() -> None:
    evaluated = 0
    for _, case in itertools.islice(random_cases(), COUNT):
        try:
            graph = import_tflite(case.model)
        except UnsupportedError:
            continue
        assert len(evaluate_graph(graph, case.inputs)) == 1, case.name
        evaluated += 1
    assert evaluated > 0.9 * COUNT


def test_random_cases_are_the_same_on_every_run() -> None:
    first, second = (
        [(case.name, case.model) for _, case in itertools.islice(random_cases(), 100)]
        for _ in range(2)
    )
    assert first == second
    assert len({name for name, _ in first}) == 100
