from collections.abc import Callable

import numpy as np
import pytest
from composed import assert_close, composed, numbers, result
from tinsmith_ir import UnsupportedError
from tinsmith_ir.operators import BatchMatmul, FullyConnected, Transpose
from tinsmith_tensors import Composer, Tensor
from tinsmith_tensors.einsum import einsum, parsed

SIZES = dict(zip("abcdijkl", (2, 3, 4, 2, 3, 4, 5, 2), strict=True))
HIDDEN = (2, 3)
EQUATIONS = [
    "ij,jk->ik",
    "ij,kj->ik",
    "ji,jk->ik",
    "bij,bjk->bik",
    "bihd,bjhd->bhij".replace("h", "a"),
    "ij->ji",
    "ii->i",
    "ii->",
    "iai->a",
    "ij->",
    "ij->j",
    "i,j->ij",
    "j,i->ij",
    "i,i->",
    "ij,ij",
    "ij,ij->ij",
    "ab,cb,c->a",
    "...ij,...jk->...ik",
    "a...i,ab...->b...",
    "i...->...",
    "abc,cd,dl->abl",
    "ba,b",
    "b i j , b j k -> i b k",
    "aab,bc->ac",
    "abi,abj,abk->ijk",
    "ij,k->jk",
    "abcd,cbl->lda",
]


def of_equation(equation: str) -> Callable[..., Tensor]:
    def function(c: Composer, *operands: Tensor) -> Tensor:
        return einsum(c, equation, operands)

    return function


@pytest.mark.parametrize("equation", EQUATIONS)
def test_equations_mean_what_numpy_says(equation: str) -> None:
    texts = equation.replace(" ", "").partition("->")[0].split(",")
    arrays = [
        numbers(
            seed,
            *(size for label in text.replace("...", ".") for size in _sizes(label)),
        )
        for seed, text in enumerate(texts)
    ]
    expected = np.einsum(equation.replace(" ", ""), *arrays)
    every = range(len(arrays))
    for known in ((), (0,), (len(arrays) - 1,), tuple(every)):
        found = result(of_equation(equation), *arrays, known=known)
        assert_close(found, expected, rtol=2e-5, atol=1e-5)


def _sizes(label: str) -> tuple[int, ...]:
    return HIDDEN if label == "." else (SIZES[label],)


def test_axes_of_length_1_broadcast() -> None:
    x, y = numbers(1, 1, 3, 4), numbers(2, 2, 4, 5)
    found = result(of_equation("...ij,...jk->...ik"), x, y)
    assert_close(found, x @ y, rtol=1e-5, atol=1e-6)
    summed = result(of_equation("bj,bj->b"), numbers(3, 2, 1), numbers(4, 2, 3))
    assert_close(summed, (numbers(3, 2, 1) * numbers(4, 2, 3)).sum(1), rtol=1e-5)


def test_integers_that_are_known_stay_integers() -> None:
    rows = np.array([[1, 2], [3, 4]], np.int64)
    graph = composed(of_equation("ij,ij->i"), rows, rows, known=(0, 1))
    assert graph.constants[0].data.dtype == np.int64
    assert graph.constants[0].data.tolist() == [5, 25]


@pytest.mark.parametrize("equation", ["bid,bjd->bij", "bdi,bdj->bij", "bid,bdj->bij"])
def test_products_take_matrices_as_they_lie(equation: str) -> None:
    graph = composed(of_equation(equation), numbers(1, 2, 3, 3), numbers(2, 2, 3, 3))
    assert not any(isinstance(node.operator, Transpose) for node in graph.nodes)
    assert sum(isinstance(node.operator, BatchMatmul) for node in graph.nodes) == 1


@pytest.mark.parametrize(("equation", "known"), [("abi,ij->abj", 1), ("ji,abi->abj", 0)])
def test_known_matrices_are_weights_of_a_layer(equation: str, known: int) -> None:
    arrays = [numbers(1, 2, 3, 4), numbers(2, 4, 5)]
    arrays = arrays if known else [numbers(2, 5, 4), arrays[0]]
    graph = composed(of_equation(equation), *arrays, known=(known,))
    assert sum(isinstance(node.operator, FullyConnected) for node in graph.nodes) == 1
    assert not any(isinstance(node.operator, Transpose) for node in graph.nodes)


def test_an_ellipsis_stands_for_axes_counted_from_the_last() -> None:
    inputs, output = parsed("...i,...i", [3, 2])
    assert inputs == [("1", "0", "i"), ("0", "i")]
    assert output == ("1", "0")


@pytest.mark.parametrize(
    ("equation", "shapes", "message"),
    [
        ("ij,jk->ik", [(2, 3)], "1 operands"),
        ("ij->i", [(2,)], "1 axes of an operand, got 'ij'"),
        ("i->i", [(2, 3)], "letters for the 2 axes"),
        ("i1->i", [(2, 3)], "letters for the 2 axes"),
        ("ij->k", [(2, 3)], "different ones of the operands'"),
        ("ij->ii", [(2, 2)], "different ones of the operands'"),
        ("ij,jk->ik", [(2, 3), (4, 5)], "one size for 'j'"),
    ],
)
def test_equations_that_do_not_fit_are_refused(
    equation: str, shapes: list[tuple[int, ...]], message: str
) -> None:
    with pytest.raises(UnsupportedError, match=message):
        composed(of_equation(equation), *(numbers(1, *shape) for shape in shapes))
