import pytest
from models import computed, expected, one
from numeric import assert_close, numbers, reals
from tinsmith_ir import Array, ModelError, UnsupportedError


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("bhid,bhjd->bhij", [(2, 2, 3, 4), (2, 2, 5, 4)]),
        ("...ii->...i", [(2, 3, 3)]),
        ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 2)]),
    ],
)
def test_einsum(equation: str, shapes: list[tuple[int, ...]]) -> None:
    arrays = [numbers(seed, *shape) for seed, shape in enumerate(shapes)]
    made = one("Einsum", arrays, {"equation": equation})
    given: dict[str, Array] = {f"x{place}": each for place, each in enumerate(arrays)}
    (found,), (wanted,) = computed(made, given), expected(made, given)
    assert_close(found, wanted)


def test_an_equation_that_does_not_fit_is_refused_with_its_place() -> None:
    made = one("Einsum", [numbers(1, 2, 3)], {"equation": "ijk->i"})
    with pytest.raises(UnsupportedError, match="Einsum 'y0': expected letters for the 2 axes"):
        computed(made, {})


@pytest.mark.parametrize("known", [(), (1,)])
@pytest.mark.parametrize("turned", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_fused_products(turned: tuple[int, int], known: tuple[int, ...]) -> None:
    lhs, rhs = numbers(1, 2, 3, 4), numbers(2, 4, 5)
    operands = [
        lhs.swapaxes(1, 2).copy() if turned[0] else lhs,
        rhs.T.copy() if turned[1] else rhs,
    ]
    attributes = {"transA": turned[0], "transB": turned[1], "alpha": 0.5}
    made = one("FusedMatMul", operands, attributes, known=known, domain="com.microsoft")
    given: dict[str, Array] = {
        f"x{place}": each for place, each in enumerate(operands) if place not in known
    }
    (found,) = computed(made, given)
    assert_close(found, reals(lhs) @ reals(rhs) / 2)


def test_batches_that_are_transposed_are_refused() -> None:
    operands = [numbers(1, 2, 3, 4), numbers(2, 2, 4, 5)]
    made = one("FusedMatMul", operands, {"transBatchA": 1}, domain="com.microsoft")
    with pytest.raises(UnsupportedError, match="expected transBatchA=0"):
        computed(made, {})


@pytest.mark.parametrize("known", [(), (1,)])
@pytest.mark.parametrize(
    ("lhs", "rhs", "message"),
    [
        ((2, 3), (4, 5), r"\(M, K\) and \(K, N\), got \[2, 3\] and \[4, 5\]"),
        ((3,), (4,), r"got \[3\] and \[4\]"),
        ((2, 2, 3), (3, 3, 4), r"that broadcast with each other, got \[2\], \[3\]"),
    ],
)
def test_matrices_that_do_not_fit_are_damage(
    lhs: tuple[int, ...], rhs: tuple[int, ...], message: str, known: tuple[int, ...]
) -> None:
    made = one("MatMul", [numbers(0, *lhs), numbers(1, *rhs)], known=known)
    with pytest.raises(ModelError, match=message):
        computed(made, {})
