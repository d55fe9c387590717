"""Tables of functions for integers: where the precision that TFLite makes them in shows."""

from tinsmith_ir.function_tables import softmax_tables


def test_reciprocals_of_softmax_are_those_of_double_precision() -> None:
    _, reciprocal = softmax_tables()
    assert [int(reciprocal[index]) for index in (0, 160, 294, 512)] == [32767, 24967, 20815, 16384]


def test_exponentials_of_softmax_end_at_one() -> None:
    exponential, _ = softmax_tables()
    assert [int(exponential[index]) for index in (0, 511, 512)] == [2, 32133, 32767]
