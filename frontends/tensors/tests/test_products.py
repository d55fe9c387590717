import numpy as np
import pytest
from composed import assert_close, composed, numbers, result
from tinsmith_ir import UnsupportedError
from tinsmith_tensors import products


@pytest.mark.parametrize("known", [(), (1,), (0,), (0, 1)])
@pytest.mark.parametrize(
    ("lhs", "rhs"),
    [
        ((3, 4), (4, 2)),
        ((4,), (4, 2)),
        ((3, 4), (4,)),
        ((4,), (4,)),
        ((2, 3, 4), (4, 5)),
        ((2, 3, 4), (2, 4, 5)),
        ((5, 1, 3, 4), (2, 4, 2)),
    ],
)
def test_matrices_are_multiplied_as_numpy_does(
    lhs: tuple[int, ...], rhs: tuple[int, ...], known: tuple[int, ...]
) -> None:
    x, y = numbers(0, *lhs), numbers(1, *rhs)
    assert_close(result(products.matmul, x, y, known=known), np.matmul(x, y))


def test_known_matrices_on_the_right_are_weights() -> None:
    graph = composed(products.matmul, numbers(0, 2, 3, 4), numbers(1, 4, 5), known=(1,))
    assert [node.operator.mnemonic for node in graph.nodes] == [
        "reshape",
        "fully_connected",
        "reshape",
    ]


@pytest.mark.parametrize("known", [(), (1,), (1, 2)])
@pytest.mark.parametrize("addend", [(3, 5), (5,), (1, 5), (3, 1), (1,), ()])
@pytest.mark.parametrize("transposed", [(False, False), (True, False), (False, True)])
def test_gemm_scales_transposes_and_adds(
    transposed: tuple[bool, bool], addend: tuple[int, ...], known: tuple[int, ...]
) -> None:
    lhs, rhs = transposed
    x, y, z = (
        numbers(0, *((4, 3) if lhs else (3, 4))),
        numbers(1, *((5, 4) if rhs else (4, 5))),
        numbers(2, *addend),
    )
    found = result(
        lambda c, a, b, d: products.gemm(
            c, a, b, d, alpha=0.5, beta=2.0, transpose_lhs=lhs, transpose_rhs=rhs
        ),
        x,
        y,
        z,
        known=known,
    )
    product = (x.T if lhs else x) @ (y.T if rhs else y)
    assert_close(found, 0.5 * product + 2.0 * z)


def test_a_known_addend_is_the_bias() -> None:
    graph = composed(
        lambda c, a, b, d: products.gemm(c, a, b, d, transpose_rhs=True),
        numbers(0, 2, 4),
        numbers(1, 5, 4),
        numbers(2, 5),
        known=(1, 2),
    )
    (node,) = graph.nodes
    assert len(node.present_inputs) == 3


def test_sizes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"expected \(..., K\) and weights \(N, K\)"):
        composed(lambda c, a, b: products.linear(c, a, b, None), numbers(0, 2, 4), numbers(1, 5, 3))
