"""Rules of products of matrices, and of attention."""

from collections.abc import Mapping

import numpy as np
from tinsmith_tensors import Tensor, attention, products
from tinsmith_tensors import elementwise as ew
from tinsmith_tensors.einsum import einsum
from tinsmith_tensors.integer_products import integer_matmul
from tinsmith_tensors.movement import reshape, unsqueeze

from tinsmith_torch.context import OperatorContext
from tinsmith_torch.rules import Rule


def linear(t: OperatorContext) -> Tensor:
    """input (..., K) by weight (N, K) and bias; of a vector as weight, to (...)."""
    c, x, weights = t.c, t.tensor("input"), t.tensor("weight")
    if weights.rank == 1:
        result = products.matmul(c, x, weights)
        return result if not t.has("bias") else ew.add(c, result, t.tensor("bias"))
    if x.rank == 1:
        x = unsqueeze(c, x, [0])
    result = products.linear(c, x, weights, t.optional("bias"))
    return reshape(c, result, t.result.shape)


def matmul(t: OperatorContext) -> Tensor:
    """matmul, mm and bmm: of vectors too."""
    other = "mat2" if t.has("mat2") else "other"
    return products.matmul(t.c, t.tensor("self"), t.tensor(other))


def integer_product(t: OperatorContext) -> Tensor:
    """_int_mm: of int8, as int32."""
    return integer_matmul(t.c, t.tensor("self"), t.tensor("mat2"), None, None)


def matrix_by_vector(t: OperatorContext) -> Tensor:
    """(N, K) by (K,)."""
    return products.matmul(t.c, t.tensor("self"), t.tensor("vec"))


def dot(t: OperatorContext) -> Tensor:
    """Of two vectors."""
    return products.matmul(t.c, t.tensor("self"), t.tensor("tensor"))


def add_product(t: OperatorContext) -> Tensor:
    """addmm: beta * self + alpha * mat1 @ mat2."""
    return products.gemm(
        t.c,
        t.tensor("mat1"),
        t.tensor("mat2"),
        None if t.real("beta") == 0.0 else t.tensor("self"),
        alpha=t.real("alpha"),
        beta=t.real("beta"),
    )


def add_batches(t: OperatorContext) -> Tensor:
    """baddbmm: beta * self + alpha * batch1 @ batch2."""
    c, alpha, beta = t.c, t.real("alpha"), t.real("beta")
    product = products.matmul(c, t.tensor("batch1"), t.tensor("batch2"))
    if alpha != 1.0:
        product = ew.mul(c, product, c.number(alpha, product))
    if beta == 0.0:
        return product
    x = t.tensor("self")
    return ew.add(c, product, x if beta == 1.0 else ew.mul(c, x, c.number(beta, x)))


def labelled(t: OperatorContext) -> Tensor:
    """einsum."""
    result = einsum(t.c, t.text("equation"), t.tensors("tensors"))
    return reshape(t.c, result, t.result.shape)


def bilinear(t: OperatorContext) -> Tensor:
    """input1 (..., I) and input2 (..., J) by weight (O, I, J), and a bias."""
    c, operands = t.c, [t.tensor(name) for name in ("input1", "weight", "input2")]
    result = einsum(c, "...i,oij,...j->...o", operands)
    return ew.add(c, result, t.tensor("bias")) if t.has("bias") else result


def scaled_dot_product_attention(t: OperatorContext) -> Tensor:
    """softmax(query @ key^T * scale + mask) @ value; leading axes are one, of three axes there is one head."""
    c = t.c
    query, key, value = (_with_heads(t, t.tensor(name)) for name in ("query", "key", "value"))
    allowed: list[Tensor] = []
    bias = t.optional("attn_mask")
    if bias is not None:
        bias = _mask(t, bias)
        if bias.dtype == np.dtype("?"):
            allowed, bias = [bias], None
    if t.flag("is_causal"):
        start = c.known(np.zeros((), np.int64))
        rows, columns = query.shape[2], key.shape[2]
        allowed += attention.window(c, rows, columns, start, left=None, right=0)
    result = attention.scaled_dot_product_attention(
        c,
        query,
        key,
        value,
        scale=t.real("scale") if t.has("scale") else None,
        bias=bias,
        allowed=allowed,
    ).result
    return reshape(c, result, t.result.shape)


def _with_heads(t: OperatorContext, x: Tensor) -> Tensor:
    """(..., H, S, D) as (B, H, S, D); without heads there is one."""
    if x.rank < 4:
        return reshape(t.c, x, (*x.shape[:-2], *(1,) * (4 - x.rank), *x.shape[-2:]))
    return reshape(t.c, x, (_batches(x), *x.shape[-3:]))


def _batches(x: Tensor) -> int:
    return int(np.prod(x.shape[:-3], dtype=np.int64))


def _mask(t: OperatorContext, mask: Tensor) -> Tensor:
    """To broadcast with (B, H, S, T)."""
    query = t.tensor("query")
    if mask.rank == 3 and query.rank == 3:
        return unsqueeze(t.c, mask, [1])
    if mask.rank > 4:
        return reshape(t.c, mask, (_batches(mask), *mask.shape[-3:]))
    return mask


RULES: Mapping[str, Rule] = {
    "aten._int_mm": Rule(integer_product),
    "aten.addmm": Rule(add_product),
    "aten.baddbmm": Rule(add_batches),
    "aten.bilinear": Rule(bilinear),
    "aten.bmm": Rule(matmul),
    "aten.dot": Rule(dot),
    "aten.einsum": Rule(labelled),
    "aten.linear": Rule(linear),
    "aten.matmul": Rule(matmul),
    "aten.mm": Rule(matmul),
    "aten.mv": Rule(matrix_by_vector),
    "aten.scaled_dot_product_attention": Rule(scaled_dot_product_attention),
}
