from tinsmith_reference.walk import merged_padding


def test_unpadded_dimensions_join_the_one_in_front() -> None:
    shape, before, after = merged_padding((1, 4, 5, 3), (0, 0, 1, 2, 0, 1, 0, 0))
    assert shape == (1, 4, 15)
    assert before == (0, 1, 0)
    assert after == (0, 2, 3)


def test_padding_of_a_scalar_has_one_dimension() -> None:
    assert merged_padding((), ()) == ((1,), (0,), (0,))
