# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false
"""Operators one by one, held to PyTorch. What lambdas take, their tables say."""

from collections.abc import Callable, Sequence

import pytest
import torch
from against_torch import check
from torch import Tensor, nn
from torch.nn import functional as f

_Function = Callable[..., object]


class Applied(nn.Module):
    """Functions side by side, each of some of the inputs; their results by name."""

    def __init__(self, cases: Sequence["Case"]) -> None:
        super().__init__()
        self.cases = cases

    def forward(self, *inputs: Tensor) -> dict[str, object]:
        """What the functions give."""
        given = iter(inputs)
        return {
            name: function(*(next(given) for _ in operands))
            for name, function, operands in self.cases
        }


def real(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


def above(*shape: int) -> Tensor:
    return real(*shape).abs() + 0.1


def within(*shape: int) -> Tensor:
    return torch.tanh(real(*shape)) * 0.9


def whole(limit: int, *shape: int, low: int = 0, dtype: torch.dtype = torch.int64) -> Tensor:
    generator = torch.Generator().manual_seed(limit)
    return torch.randint(low, limit, shape, generator=generator).to(dtype)


def truth(*shape: int) -> Tensor:
    return real(*shape) > 0


Case = tuple[str, _Function, tuple[Tensor, ...]]

_ONE_NUMBER: list[Case] = [
    (name, getattr(torch, name), (real(3, 5),))
    for name in [
        "abs",
        "asinh",
        "atan",
        "ceil",
        "cos",
        "cosh",
        "erf",
        "erfc",
        "exp",
        "exp2",
        "expm1",
        "floor",
        "frac",
        "neg",
        "relu",
        "round",
        "sigmoid",
        "sign",
        "sin",
        "sinh",
        "square",
        "tan",
        "tanh",
        "trunc",
    ]
]
_ONE_NUMBER.extend(
    [
        (name, getattr(torch, name), (above(3, 5),))
        for name in ["log", "log10", "log1p", "log2", "reciprocal", "rsqrt", "sqrt"]
    ]
)
_ONE_NUMBER.extend(
    [(name, getattr(torch, name), (within(3, 5),)) for name in ["acos", "asin", "atanh", "log1p"]]
)
_ONE_NUMBER.extend(
    [
        ("acosh", torch.acosh, (above(3, 5) + 1,)),
        ("sqrt_of_integers", torch.sqrt, (whole(9, 4),)),
        ("abs_of_integers", torch.abs, (whole(9, 4, low=-9),)),
        ("neg_of_integers", torch.neg, (whole(9, 4, low=-9, dtype=torch.int32),)),
        ("sign_of_integers", torch.sign, (whole(3, 7, low=-3),)),
        ("floor_of_integers", torch.floor, (whole(9, 4),)),
        ("round_decimals", lambda x: torch.round(x, decimals=2), (real(9),)),
        ("isnan", torch.isnan, (torch.tensor([0.0, torch.nan, torch.inf]),)),
        ("isposinf", torch.isposinf, (torch.tensor([0.0, torch.nan, torch.inf, -torch.inf]),)),
        ("isneginf", torch.isneginf, (torch.tensor([0.0, torch.nan, torch.inf, -torch.inf]),)),
        ("isinf", torch.isinf, (torch.tensor([0.0, torch.nan, torch.inf, -torch.inf]),)),
        ("nan_to_num", torch.nan_to_num, (torch.tensor([0.5, torch.nan, torch.inf]),)),
        ("sign_of_nan", torch.sign, (torch.tensor([-0.5, torch.nan]),)),
        ("clamp_of_nan", lambda x: torch.clamp(x, -1.0, 1.5), (torch.tensor([2.0, torch.nan]),)),
        ("expm1_near_zero", torch.expm1, (real(50) * 1e-3,)),
        ("log1p_near_zero", torch.log1p, (real(50) * 1e-3,)),
    ]
)

_CURVES: list[Case] = [
    (name, getattr(f, name), (real(3, 7) * 3,))
    for name in [
        "celu",
        "elu",
        "gelu",
        "hardshrink",
        "hardsigmoid",
        "hardswish",
        "hardtanh",
        "leaky_relu",
        "logsigmoid",
        "mish",
        "relu",
        "relu6",
        "selu",
        "silu",
        "softplus",
        "softshrink",
        "softsign",
        "tanhshrink",
    ]
]
_CURVES.extend(
    [
        ("celu_by_alpha", lambda x: f.celu(x, 0.7), (real(3, 7),)),
        ("elu_by_alpha", lambda x: f.elu(x, 0.7), (real(3, 7),)),
        ("gelu_by_tanh", lambda x: f.gelu(x, approximate="tanh"), (real(3, 7),)),
        ("glu", lambda x: f.glu(x, 1), (real(3, 8),)),
        ("prelu_by_channel", f.prelu, (real(2, 3, 4), above(3))),
        ("prelu_by_one", f.prelu, (real(2, 3, 4), above(1))),
        ("relu_of_integers", torch.relu, (whole(5, 7, low=-5),)),
        ("softplus_by_beta", lambda x: f.softplus(x, 2.0, 1.0), (real(3, 7),)),
        ("threshold", lambda x: f.threshold(x, 0.2, -3.0), (real(3, 7),)),
        ("rrelu", f.rrelu, (real(3, 7),)),
        ("dropout", lambda x: f.dropout(x, 0.5, training=False), (real(3, 7),)),
        ("softmax", lambda x: f.softmax(x, 1), (real(2, 3, 4),)),
        ("softmin", lambda x: f.softmin(x, -1), (real(2, 3, 4),)),
        ("log_softmax", lambda x: f.log_softmax(x, 0), (real(2, 3, 4),)),
        ("softmax_of_a_scalar", lambda x: f.softmax(x, 0), (real(),)),
    ]
)


def _masked_softmax(x: Tensor, mask: Tensor) -> Tensor:
    return f.softmax(x.masked_fill(mask, -torch.inf), -1)


_SIGNS = torch.tensor([-2.0, -0.0, 0.0, 3.0])
_TWO_NUMBERS: list[Case] = [
    ("add", torch.add, (real(3, 4), real(4))),
    ("add_alpha", lambda x, y: torch.add(x, y, alpha=2.5), (real(3, 4), real(3, 1))),
    ("add_number", lambda x: x + 2, (real(3),)),
    ("add_float_to_integers", lambda x: x + 1.5, (whole(9, 4),)),
    ("add_integers", torch.add, (whole(9, 4), whole(5, 4, dtype=torch.int32))),
    ("add_bools", lambda x, y: x + y, (truth(9), truth(1))),
    ("copysign", torch.copysign, (real(3, 4), _SIGNS)),
    ("copysign_number", lambda x: torch.copysign(x, -0.0), (real(3),)),
    ("copysign_of_integers", torch.copysign, (whole(9, 4), _SIGNS)),
    ("sub_alpha", lambda x, y: torch.sub(x, y, alpha=3), (real(3), real(3))),
    ("rsub", lambda x: 1.0 - x, (real(3),)),
    ("mul", torch.mul, (real(3, 1), real(4))),
    ("mul_by_bool", lambda x, y: x * y, (real(9), truth(9))),
    ("mul_of_bytes", lambda x: x * 3, (whole(200, 9, dtype=torch.uint8),)),
    ("div", torch.div, (real(4), above(4))),
    ("div_integers", torch.div, (whole(20, 9), whole(5, 9, low=1))),
    ("div_floor", lambda x, y: torch.div(x, y, rounding_mode="floor"), (real(20) * 5, above(20))),
    ("div_trunc", lambda x, y: torch.div(x, y, rounding_mode="trunc"), (real(20) * 5, above(20))),
    (
        "div_trunc_integers",
        lambda x, y: torch.div(x, y, rounding_mode="trunc"),
        (whole(20, 9, low=-20), whole(5, 9, low=1)),
    ),
    ("floor_divide", lambda x: x // 3, (whole(20, 9, low=-20),)),
    ("remainder", torch.remainder, (real(20) * 5, above(20))),
    ("remainder_of_integers", lambda x: x % 3, (whole(20, 9, low=-20),)),
    ("fmod", torch.fmod, (real(20) * 5, above(20))),
    ("pow_by_number", lambda x: x**2, (real(9),)),
    ("pow_by_half", lambda x: x**0.5, (above(9),)),
    ("pow_by_minus_half", lambda x: x**-0.5, (above(9),)),
    ("pow_by_cube", lambda x: x**3, (real(9),)),
    ("pow_of_integers", lambda x: x**3, (whole(5, 9, low=-5),)),
    ("pow_by_tensor", torch.pow, (above(9), real(9))),
    ("pow_of_number", lambda x: 2.0**x, (real(9),)),
    ("maximum", torch.maximum, (real(3, 4), real(4))),
    ("minimum_of_integers", torch.minimum, (whole(9, 5), whole(8, 5))),
    ("clamp", lambda x: torch.clamp(x, -0.5, 0.5), (real(9),)),
    ("clamp_below", lambda x: torch.clamp(x, min=0.1), (real(9),)),
    ("clamp_above", lambda x: torch.clamp(x, max=0.1), (real(9),)),
    ("clamp_by_tensors", torch.clamp, (real(9), torch.zeros(9), above(1))),
    ("clamp_of_integers", lambda x: torch.clamp(x, 2, 5), (whole(9, 9),)),
    ("lerp", lambda x, y: torch.lerp(x, y, 0.3), (real(3), real(3))),
    ("addcmul", lambda x, y, z: torch.addcmul(x, y, z, value=0.5), (real(3), real(3), real(3))),
    ("addcdiv", lambda x, y, z: torch.addcdiv(x, y, z, value=0.5), (real(3), real(3), above(3))),
    ("where", torch.where, (truth(3, 4), real(3, 4), real(4))),
    ("where_numbers", lambda x: torch.where(x > 0, x, 0.0), (real(9),)),
    ("where_of_types", lambda c, x: torch.where(c, x, 0.5), (truth(9), whole(9, 9))),
    ("masked_fill", lambda x, m: x.masked_fill(m, -7), (real(3, 4), truth(3, 4))),
    ("masked_softmax", _masked_softmax, (real(3, 4), truth(3, 4))),
    ("atan2", torch.atan2, (real(30).round() + 0.0, real(5, 25).flatten()[:30].round() + 0.0)),
    ("hypot", torch.hypot, (real(9), real(9))),
    ("logaddexp", torch.logaddexp, (real(9), real(9))),
    ("heaviside", torch.heaviside, (real(9), real(9))),
    ("float_to_integers", lambda x: (x * 3).to(torch.int32), (real(9),)),
    ("float_to_bool", lambda x: (x.round()).bool(), (real(9),)),
    ("double_inside", lambda x: (x.double() * 2).float(), (real(9),)),
    ("half_inside", lambda x: (x.half() * 2).float().round(decimals=1), (whole(5, 9).float(),)),
    ("type_as", lambda x, y: x.type_as(y), (whole(5, 9), real(9))),
    ("clone", lambda x: x.clone().contiguous().detach(), (real(3, 4),)),
]
_TWO_NUMBERS.extend(
    [
        (f"{name}_{kind}", getattr(torch, name), operands)
        for name in ("eq", "ne", "lt", "le", "gt", "ge")
        for kind, operands in {
            "floats": (real(3, 4).round(), real(4).round()),
            "integers": (whole(3, 9), whole(3, 9, dtype=torch.int32)),
            "mixed": (whole(3, 9), real(9).round()),
        }.items()
    ]
)
_TWO_NUMBERS.extend(
    [
        (f"logical_{name}", getattr(torch, f"logical_{name}"), (truth(3, 4), whole(2, 4)))
        for name in ("and", "or", "xor")
    ]
)
_TWO_NUMBERS.extend(
    [
        ("logical_not", torch.logical_not, (whole(2, 9),)),
        ("bitwise_of_bool", lambda x, y: (x & y) | (x ^ ~y), (truth(9), truth(3, 1))),
        ("bitwise_not_of_integers", torch.bitwise_not, (whole(9, 9, low=-9),)),
        ("bitwise_not_of_bytes", torch.bitwise_not, (whole(256, 9, dtype=torch.uint8),)),
        ("bits", lambda x, y: (x & y) | (x ^ 5), (whole(99, 9, low=-99), whole(50, 3, 1, low=-9))),
        ("shifts", lambda x: (x << 3) - (x >> 2), (whole(999, 9, low=-999),)),
        (
            "shifts_by_computed",
            lambda x, y: (torch.bitwise_left_shift(x, y), torch.bitwise_right_shift(x, y)),
            (whole(99, 9, low=-99, dtype=torch.int32), whole(8, 9, dtype=torch.int32)),
        ),
        ("compare_with_number", lambda x: x > 0.5, (whole(3, 9),)),
    ]
)

_SHAPES: list[Case] = [
    ("view", lambda x: x.view(4, -1), (real(2, 6),)),
    ("reshape_of_permuted", lambda x: x.permute(2, 0, 1).reshape(-1), (real(2, 3, 4),)),
    ("flatten", lambda x: x.flatten(1), (real(2, 3, 4),)),
    ("unflatten", lambda x: x.unflatten(1, (2, 3)), (real(2, 6),)),
    ("transpose", lambda x: x.transpose(0, -1), (real(2, 3, 4),)),
    ("t", lambda x: x.t(), (real(2, 3),)),
    ("mt", lambda x: x.mT, (real(2, 3, 4),)),
    ("movedim", lambda x: x.movedim(0, 2), (real(2, 3, 4),)),
    ("squeeze", lambda x: (x.squeeze(), x.squeeze(1), x.squeeze((0, 1))), (real(1, 1, 4),)),
    ("unsqueeze", lambda x: x.unsqueeze(-1).unsqueeze(0), (real(2, 3),)),
    ("expand", lambda x: x.expand(5, 2, -1), (real(2, 3),)),
    ("expand_as", lambda x, y: x.expand_as(y), (real(3), real(2, 3))),
    ("repeat", lambda x: x.repeat(2, 1, 3), (real(2, 3),)),
    ("tile", lambda x: x.tile((3,)), (real(2, 3),)),
    ("repeat_interleave", lambda x: x.repeat_interleave(3, 1), (real(2, 3),)),
    ("cat", lambda x, y: torch.cat([x, y], -1), (real(2, 3), real(2, 4))),
    ("cat_of_types", lambda x, y: torch.cat([x, y]), (real(2), whole(9, 3))),
    ("stack", lambda x, y: torch.stack([x, y], -1), (real(2, 3), real(2, 3) + 1)),
    ("hstack", lambda x, y: torch.hstack([x, y]), (real(2, 3), real(2, 1))),
    ("split", lambda x: x.split(2, 1), (real(2, 5),)),
    ("split_sizes", lambda x: x.split([1, 3, 1], 1), (real(2, 5),)),
    ("chunk", lambda x: x.chunk(3, 0), (real(7, 2),)),
    ("tensor_split", lambda x: x.tensor_split(3, 0), (real(7, 2),)),
    ("unbind", lambda x: x.unbind(1), (real(2, 3),)),
    ("slice", lambda x: x[1:-1, ::2, -3:], (real(4, 5, 6),)),
    ("select", lambda x: x[:, -1, 0], (real(4, 5, 6),)),
    ("ellipsis", lambda x: x[..., None, 1], (real(4, 5, 6),)),
    ("narrow", lambda x: x.narrow(1, 2, 3), (real(4, 6),)),
    ("flip", lambda x: x.flip(0, -1), (real(2, 3, 4),)),
    ("rot90", torch.rot90, (real(2, 3),)),
    ("roll", lambda x: x.roll((1, -2), (0, 1)), (real(3, 5),)),
    ("roll_flat", lambda x: x.roll(4), (real(3, 5),)),
    ("unfold", lambda x: x.unfold(1, 3, 2), (real(2, 9, 2),)),
    ("diagonal", lambda x: torch.diagonal(x, 1), (real(4, 5),)),
    ("channel_shuffle", lambda x: f.channel_shuffle(x, 3), (real(2, 6, 3, 2),)),
    ("pixel_shuffle", lambda x: f.pixel_shuffle(x, 2), (real(2, 8, 3, 2),)),
    ("pixel_unshuffle", lambda x: f.pixel_unshuffle(x, 2), (real(2, 3, 4, 2),)),
    ("swapaxes", lambda x: torch.swapaxes(x, 0, 1), (real(2, 3),)),
    ("meshgrid", lambda x, y: torch.meshgrid(x, y, indexing="ij"), (real(2), real(3))),
    ("broadcast_to", lambda x: torch.broadcast_to(x, (2, 3)), (real(3),)),
    ("atleast_3d", torch.atleast_3d, (real(3),)),
    ("block_diag", torch.block_diag, (real(2, 2), real(1, 3))),
]


def _assigned(x: Tensor, y: Tensor) -> Tensor:
    x = x.clone()
    x[:, 1:3] = y
    x[0] = 0.5
    return x


def _assigned_by_steps(x: Tensor, y: Tensor) -> Tensor:
    x = x.clone()
    x[:, ::2] = y
    return x


def _put(x: Tensor, places: Tensor, y: Tensor) -> Tensor:
    x = x.clone()
    x[:, places] = y
    return x


def _put_by_two(x: Tensor, rows: Tensor, columns: Tensor, y: Tensor) -> Tensor:
    return x.index_put((rows, columns), y, accumulate=True)


def _bags(mode: str, *, has_shares: bool = False) -> _Function:
    """Bags of two, of no and of four rows."""

    def function(indices: Tensor, weight: Tensor, *shares: Tensor) -> Tensor:
        offsets = torch.tensor([0, 2, 2])
        found = shares[0] if has_shares else None
        return f.embedding_bag(indices, weight, offsets, mode=mode, per_sample_weights=found)

    return function


_INDICES: list[Case] = [
    ("embedding", f.embedding, (whole(5, 2, 3), real(5, 4))),
    ("bags", f.embedding_bag, (whole(5, 2, 3), real(5, 4))),
    ("bags_sum", lambda i, w: f.embedding_bag(i, w, mode="sum"), (whole(5, 2, 3), real(5, 4))),
    ("bags_mean_apart", _bags("mean"), (whole(5, 6), real(5, 4))),
    ("bags_max_apart", _bags("max"), (whole(5, 6), real(5, 4))),
    ("bags_of_shares", _bags("sum", has_shares=True), (whole(5, 6), real(5, 4), real(6))),
    ("index_select", lambda x, i: torch.index_select(x, 1, i), (real(2, 5), whole(5, 3))),
    ("gather", lambda x, i: torch.gather(x, 1, i), (real(3, 5), whole(5, 2, 4))),
    ("take_along_dim", lambda x, i: torch.take_along_dim(x, i, 0), (real(3, 5), whole(3, 2, 5))),
    ("index", lambda x, i: x[:, i], (real(2, 5, 3), whole(5, 4, low=-5))),
    ("index_by_matrix", lambda x, i: x[i], (real(5, 3), whole(5, 2, 2))),
    ("index_by_two", lambda x, i, j: x[i, j], (real(4, 5, 3), whole(4, 3), whole(5, 3))),
    ("index_by_two_behind", lambda x, i, j: x[:, i, j], (real(2, 4, 5), whole(4, 3), whole(5, 3))),
    ("index_by_two_apart", lambda x, i, j: x[i, :, j], (real(4, 2, 5), whole(4, 3), whole(5, 3))),
    ("index_by_known", lambda x: x[:, [2, 0, 2]], (real(2, 5),)),
    ("assigned", _assigned, (real(3, 5), real(3, 2))),
    ("assigned_by_steps", _assigned_by_steps, (real(3, 5), real(3, 3))),
    ("put", _put, (real(2, 5, 3), torch.tensor([3, 1]), real(2, 2, 3))),
    ("put_one", _put, (real(2, 5, 3), torch.tensor([3]), real(2, 1, 3))),
    ("put_by_two", _put_by_two, (real(4, 5), whole(4, 6), whole(5, 6), real(6))),
    ("put_by_known", lambda x, y: _put(x, torch.tensor([3, 1]), y), (real(2, 5), real(2, 2))),
    (
        "put_by_mask",
        lambda x, m: torch.index_put(x, (m,), torch.tensor(2.0)),
        (real(3, 4), truth(3, 4)),
    ),
    (
        "index_copy",
        lambda x, i, y: x.index_copy(0, i, y),
        (real(4, 2), torch.tensor([2, 0]), real(2, 2)),
    ),
    (
        "index_add",
        lambda x, i, y: x.index_add(0, i, y),
        (real(4, 2), torch.tensor([2, 2]), real(2, 2)),
    ),
    ("index_fill", lambda x, i: x.index_fill(1, i, 7.0), (real(4, 3), torch.tensor([2, 0]))),
    (
        "scatter",
        lambda x, i, y: x.scatter(1, i, y),
        (real(2, 5), torch.tensor([[3, 1]]), real(2, 4)),
    ),
    ("scatter_number", lambda x, i: x.scatter(1, i, 9.0), (real(2, 5), torch.tensor([[3], [1]]))),
    (
        "scatter_add",
        lambda x, i, y: x.scatter_add(0, i, y),
        (real(3, 2), whole(3, 4, 2), real(4, 2)),
    ),
    (
        "scatter_amax",
        lambda x, i, y: x.scatter_reduce(0, i, y, "amax"),
        (real(3, 2), whole(3, 4, 2), real(4, 2)),
    ),
    ("one_hot", lambda i: f.one_hot(i, 5), (whole(5, 2, 3),)),
    ("tril", lambda x: torch.tril(x, 1), (real(2, 4, 5),)),
    ("triu", lambda x: torch.triu(x, -1), (real(4, 5),)),
    ("select_scatter", lambda x, y: torch.select_scatter(x, y, 1, 2), (real(3, 4), real(3))),
    ("diag_embed", torch.diag_embed, (real(2, 3),)),
    ("bucketless_lookup", lambda x: torch.tensor([3.0, 1.0, 2.0])[x], (whole(3, 4),)),
]

_OVER_AXES: list[Case] = [
    ("sum", torch.sum, (real(2, 3),)),
    ("sum_axis", lambda x: x.sum((0, 2), keepdim=True), (real(2, 3, 4),)),
    ("sum_of_bool", lambda x: x.sum(1), (truth(3, 4),)),
    ("sum_of_integers", lambda x: x.sum(), (whole(9, 3, 4, dtype=torch.int32),)),
    ("mean", lambda x: x.mean(-1), (real(2, 3),)),
    ("mean_of_all", torch.mean, (real(2, 3),)),
    ("amax", lambda x: x.amax((0, 1)), (real(2, 3, 4),)),
    ("amin", lambda x: x.amin(1, keepdim=True), (real(2, 3, 4),)),
    ("aminmax", lambda x: tuple(torch.aminmax(x, dim=1)), (real(2, 3),)),
    ("max", torch.max, (real(2, 3),)),
    ("max_axis", lambda x: tuple(torch.max(x, 1)), (real(2, 3),)),
    ("min_axis", lambda x: tuple(torch.min(x, 0, keepdim=True)), (real(2, 3),)),
    ("max_of_two", torch.max, (real(2, 3), real(3))),
    ("argmax", torch.argmax, (real(2, 3),)),
    ("argmax_axis", lambda x: x.argmax(1, keepdim=True), (real(2, 3),)),
    ("argmin_axis", lambda x: x.argmin(0), (real(2, 3),)),
    ("prod", lambda x: x.prod(1), (real(2, 3),)),
    ("any", lambda x: (x.any(), x.any(1)), (truth(3, 4),)),
    ("all", lambda x: x.all(0), (whole(2, 3, 4),)),
    ("var", lambda x: x.var(1), (real(3, 5),)),
    ("var_biased", lambda x: x.var((0, 1), unbiased=False, keepdim=True), (real(3, 5, 2),)),
    ("std", torch.std, (real(3, 5),)),
    ("var_mean", lambda x: torch.var_mean(x, 1), (real(3, 5),)),
    ("logsumexp", lambda x: torch.logsumexp(x, 1), (real(3, 5),)),
    ("logcumsumexp", lambda x: torch.logcumsumexp(x, 1), (real(3, 5, 2) * 60,)),
    ("cdist", torch.cdist, (real(2, 3, 4), real(5, 4))),
    ("cdist_1", lambda x, y: torch.cdist(x, y, 1.0), (real(3, 4), real(5, 4))),
    ("cdist_largest", lambda x, y: torch.cdist(x, y, torch.inf), (real(3, 4), real(5, 4))),
    ("norm", lambda x: x.norm(dim=1), (real(3, 5),)),
    ("norm_of_all", lambda x: torch.linalg.vector_norm(x), (real(3, 5),)),
    ("norm_1", lambda x: torch.linalg.vector_norm(x, 1, 0), (real(3, 5),)),
    ("normalize", lambda x: f.normalize(x, dim=1), (real(3, 5),)),
    ("cosine_similarity", lambda x, y: f.cosine_similarity(x, y), (real(3, 5), real(3, 5) + 1)),
    ("cumsum", lambda x: x.cumsum(1), (real(3, 5),)),
    ("cumsum_of_bool", lambda x: x.cumsum(0), (truth(5),)),
    ("cumprod", lambda x: x.cumprod(1), (real(3, 5),)),
    ("topk", lambda x: tuple(torch.topk(x, 3)), (real(3, 7),)),
    ("topk_smallest", lambda x: tuple(torch.topk(x, 2, 0, largest=False)), (real(5, 3),)),
    ("sort", lambda x: tuple(torch.sort(x, 1, descending=True)), (real(3, 5),)),
    ("argsort", lambda x: torch.argsort(x, 0), (real(5, 3),)),
    ("count_nonzero", lambda x: torch.count_nonzero(x, 1), (truth(3, 4),)),
]

_PRODUCTS: list[Case] = [
    ("linear", f.linear, (real(2, 3, 4), real(5, 4), real(5))),
    ("linear_of_a_vector", f.linear, (real(4), real(5, 4))),
    ("mm", torch.mm, (real(2, 3), real(3, 4))),
    ("bmm", torch.bmm, (real(2, 3, 4), real(2, 4, 5))),
    ("matmul", torch.matmul, (real(2, 3, 4), real(4, 5))),
    ("matmul_of_vectors", torch.matmul, (real(4), real(4) + 1)),
    ("matmul_by_vector", torch.matmul, (real(2, 3, 4), real(4))),
    ("matmul_broadcast", torch.matmul, (real(2, 1, 3, 4), real(5, 4, 2))),
    ("mv", torch.mv, (real(3, 4), real(4))),
    ("dot", torch.dot, (real(4), real(4) + 1)),
    ("outer", torch.outer, (real(3), real(4))),
    (
        "addmm",
        lambda x, y, z: torch.addmm(x, y, z, beta=0.5, alpha=2.0),
        (real(5), real(2, 3), real(3, 5)),
    ),
    (
        "baddbmm",
        lambda x, y, z: torch.baddbmm(x, y, z, beta=0.5, alpha=2.0),
        (real(2, 2, 5), real(2, 2, 3), real(2, 3, 5)),
    ),
    ("einsum", lambda x, y: torch.einsum("bij,bkj->bik", x, y), (real(2, 3, 4), real(2, 5, 4))),
    ("einsum_sums", lambda x, y: torch.einsum("ij,jk->k", x, y), (real(3, 4), real(4, 5))),
    ("tensordot", lambda x, y: torch.tensordot(x, y, 2), (real(2, 3, 4), real(3, 4, 5))),
    ("bilinear", f.bilinear, (real(2, 3), real(2, 4), real(5, 3, 4), real(5))),
    (
        "attention",
        f.scaled_dot_product_attention,
        (real(1, 2, 5, 4), real(1, 2, 6, 4), real(1, 2, 6, 3)),
    ),
    (
        "attention_causal",
        lambda q, k, v: f.scaled_dot_product_attention(q, k, v, is_causal=True),
        (real(1, 2, 5, 4), real(1, 2, 6, 4), real(1, 2, 6, 3)),
    ),
    (
        "attention_of_three_axes",
        lambda q, k, v, m: f.scaled_dot_product_attention(q, k, v, m, scale=0.7),
        (real(2, 5, 4), real(2, 6, 4), real(2, 6, 3), real(2, 5, 6)),
    ),
    (
        "attention_grouped",
        lambda q, k, v, m: f.scaled_dot_product_attention(q, k, v, m, enable_gqa=True),
        (
            real(1, 4, 5, 4),
            real(1, 2, 6, 4),
            real(1, 2, 6, 3),
            truth(5, 6) | torch.eye(5, 6).bool(),
        ),
    ),
]

_NORMALIZATIONS: list[Case] = [
    ("batch_norm", f.batch_norm, (real(2, 3, 4, 5), real(3), above(3), real(3), real(3))),
    ("batch_norm_of_batch", nn.BatchNorm2d(3, track_running_stats=False), (real(2, 3, 4, 5),)),
    (
        "batch_norm_of_rows",
        lambda x, w, b: f.batch_norm(x, None, None, w, b, training=True),
        (real(4, 3) * 3 + 1, real(3), real(3)),
    ),
    (
        "layer_norm",
        lambda x, w, b: f.layer_norm(x, (4, 5), w, b),
        (real(2, 3, 4, 5), real(4, 5), real(4, 5)),
    ),
    ("layer_norm_plain", lambda x: f.layer_norm(x, (5,)), (real(2, 3, 5),)),
    ("rms_norm", lambda x, w: f.rms_norm(x, (5,), w, 1e-4), (real(2, 3, 5), real(5))),
    ("rms_norm_plain", lambda x: f.rms_norm(x, (5,)), (real(2, 3, 5),)),
    ("group_norm", lambda x, w, b: f.group_norm(x, 2, w, b), (real(2, 4, 3, 5), real(4), real(4))),
    ("instance_norm", lambda x, w: f.instance_norm(x, weight=w), (real(2, 3, 4, 5), real(3))),
    ("local_response_norm", lambda x: f.local_response_norm(x, 3), (real(2, 5, 4, 3),)),
]

_IMAGES: list[Case] = [
    (f"pad_{mode}", lambda x, mode=mode: f.pad(x, (1, 2, 2, 0), mode), (real(1, 2, 4, 5),))
    for mode in ("constant", "reflect", "replicate", "circular")
]
_IMAGES.extend(
    [
        ("pad_by_value", lambda x: f.pad(x, (1, -1, 0, 2), value=3.5), (real(2, 4, 5),)),
        ("pad_reflect_1d", lambda x: f.pad(x, (2, 3), "reflect"), (real(2, 4, 5),)),
        (
            "pad_replicate_3d",
            lambda x: f.pad(x, (1, 1, 0, 2, 1, 0), "replicate"),
            (real(1, 2, 3, 4, 5),),
        ),
        ("unfold_image", lambda x: f.unfold(x, (2, 3), padding=1, stride=2), (real(2, 3, 5, 6),)),
        ("fold_image", lambda x: f.fold(x, (5, 6), (2, 3), padding=1, stride=2), (real(2, 18, 9),)),
    ]
)
_IMAGES.extend(
    (
        f"grid_sample_{mode}_{padding}",
        lambda x, g, mode=mode, padding=padding: f.grid_sample(
            x, g, mode, padding, align_corners=mode == "bicubic"
        ),
        (real(2, 3, 5, 4), real(2, 3, 6, 2)),
    )
    for mode in ("bilinear", "nearest", "bicubic")
    for padding in ("zeros", "border", "reflection")
)
_IMAGES.append(
    ("affine_grid", lambda x: f.affine_grid(x, [2, 3, 4, 5], align_corners=False), (real(2, 2, 3),))
)
_SIZES: dict[str, tuple[int, ...]] = {"1d": (2, 3, 5), "2d": (1, 2, 5, 4), "3d": (1, 2, 3, 4, 2)}
_IMAGES.extend(
    [
        (
            f"{mode}_{axes}_{how}",
            lambda x, mode=mode, how=how: _HOW[how](x, mode),
            (real(*shape),),
        )
        for axes, shape in _SIZES.items()
        for mode in ("nearest", "nearest-exact")
        for how in ("twice", "by_1.7")
    ]
)
_IMAGES.extend(
    [
        (
            f"{mode}_{how}",
            lambda x, mode=mode, how=how: _HOW[how](x, mode),
            (real(*_SIZES[axes]),),
        )
        for axes, mode in {"1d": "linear", "2d": "bilinear", "3d": "trilinear"}.items()
        for how in ("twice", "by_1.7", "by_0.6", "corners")
    ]
)
_IMAGES.extend(
    [
        (
            f"bicubic_{how}",
            lambda x, how=how: _HOW[how](x, "bicubic"),
            (real(1, 2, 5, 4),),
        )
        for how in ("twice", "by_1.7", "corners")
    ]
)
_IMAGES.extend(
    [
        (
            f"{mode}_antialias",
            lambda x, mode=mode: f.interpolate(x, (4, 5), mode=mode, antialias=True),
            (real(1, 2, 9, 8),),
        )
        for mode in ("bilinear", "bicubic")
    ]
)
_HOW: dict[str, Callable[[Tensor, str], Tensor]] = {
    "by_0.6": lambda x, mode: f.interpolate(x, scale_factor=0.6, mode=mode),
    "by_1.7": lambda x, mode: f.interpolate(x, scale_factor=1.7, mode=mode),
    "corners": lambda x, mode: f.interpolate(x, scale_factor=1.7, mode=mode, align_corners=True),
    "twice": lambda x, mode: f.interpolate(x, scale_factor=2, mode=mode),
}

_WINDOWS: list[Case] = [
    ("conv1d", lambda x, w, b: f.conv1d(x, w, b, 2, 1), (real(2, 3, 9), real(4, 3, 3), real(4))),
    (
        "conv1d_same",
        lambda x, w: f.conv1d(x, w, padding="same", dilation=2),
        (real(2, 3, 9), real(4, 3, 4)),
    ),
    (
        "conv2d",
        lambda x, w: f.conv2d(x, w, None, (2, 1), (1, 2)),
        (real(2, 3, 7, 6), real(4, 3, 3, 2)),
    ),
    (
        "conv2d_dilated",
        lambda x, w: f.conv2d(x, w, dilation=(2, 1)),
        (real(1, 3, 7, 6), real(4, 3, 3, 2)),
    ),
    ("conv2d_groups", lambda x, w: f.conv2d(x, w, groups=2), (real(1, 4, 7, 6), real(6, 2, 3, 2))),
    (
        "conv2d_depthwise",
        lambda x, w: f.conv2d(x, w, groups=4),
        (real(1, 4, 7, 6), real(8, 1, 3, 2)),
    ),
    (
        "conv2d_valid",
        lambda x, w: f.conv2d(x, w, padding="valid"),
        (real(1, 2, 5, 6), real(3, 2, 3, 2)),
    ),
    ("conv2d_without_batch", f.conv2d, (real(2, 5, 6), real(3, 2, 3, 2))),
    (
        "conv2d_computed_weights",
        lambda x, w: f.conv2d(x, w.tanh()),
        (real(1, 2, 5, 6), real(3, 2, 3, 2)),
    ),
    ("conv3d", lambda x, w: f.conv3d(x, w, padding=1), (real(1, 2, 3, 4, 5), real(3, 2, 3, 2, 2))),
    (
        "conv_transpose1d",
        lambda x, w: f.conv_transpose1d(x, w, stride=3, padding=1, output_padding=1),
        (real(1, 3, 5), real(3, 2, 4)),
    ),
    (
        "conv_transpose2d",
        lambda x, w, b: f.conv_transpose2d(x, w, b, 2, 1, 1, groups=2),
        (real(1, 4, 3, 5), real(4, 2, 3, 3), real(4)),
    ),
    (
        "conv_transpose2d_dilated",
        lambda x, w: f.conv_transpose2d(x, w, dilation=2),
        (real(1, 2, 3, 5), real(2, 3, 3, 2)),
    ),
    ("max_pool1d", lambda x: f.max_pool1d(x, 3, 2, 1), (real(2, 3, 9),)),
    ("max_pool2d", lambda x: f.max_pool2d(x, 3, 2, 1, ceil_mode=True), (real(1, 3, 8, 7),)),
    ("max_pool2d_dilated", lambda x: f.max_pool2d(x, 2, 1, dilation=2), (real(1, 3, 8, 7),)),
    (
        "max_pool2d_indices",
        lambda x: f.max_pool2d(x, 2, return_indices=True),
        (real(2, 3, 6, 4),),
    ),
    ("max_pool2d_without_batch", lambda x: f.max_pool2d(x, 2), (real(3, 8, 7),)),
    ("max_pool3d", lambda x: f.max_pool3d(x, 2, 2), (real(1, 3, 4, 6, 5),)),
    ("avg_pool1d", lambda x: f.avg_pool1d(x, 3, 2, 1), (real(2, 3, 9),)),
    ("avg_pool2d", lambda x: f.avg_pool2d(x, 3, 2, 1, ceil_mode=True), (real(1, 3, 8, 7),)),
    (
        "avg_pool2d_without_padding",
        lambda x: f.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
        (real(1, 3, 8, 7),),
    ),
    ("avg_pool2d_divisor", lambda x: f.avg_pool2d(x, 2, divisor_override=3), (real(1, 3, 8, 6),)),
    ("avg_pool3d", lambda x: f.avg_pool3d(x, 2), (real(1, 3, 4, 6, 4),)),
    ("adaptive_avg_pool1d", lambda x: f.adaptive_avg_pool1d(x, 4), (real(1, 3, 9),)),
    ("adaptive_avg_pool2d", lambda x: f.adaptive_avg_pool2d(x, (3, None)), (real(1, 3, 8, 5),)),
    ("adaptive_avg_pool3d", lambda x: f.adaptive_avg_pool3d(x, 2), (real(1, 3, 4, 6, 5),)),
    ("adaptive_max_pool2d", lambda x: f.adaptive_max_pool2d(x, 2), (real(1, 3, 7, 5),)),
    ("lp_pool2d", lambda x: f.lp_pool2d(x, 2, 2), (above(1, 3, 6, 4),)),
]


def _stft(x: Tensor, **options: object) -> Tensor:
    return torch.stft(x, 16, return_complex=True, **options)  # pyright: ignore[reportArgumentType, reportCallIssue]


def _rotated(x: Tensor) -> Tensor:
    """A rotary embedding, as it is written with complex numbers."""
    angles = torch.arange(3)[:, None] * torch.tensor([1.0, 0.1])
    turns = torch.polar(torch.ones_like(angles), angles)
    pairs = torch.view_as_complex(x.reshape(2, 3, 2, 2))
    return torch.view_as_real(pairs * turns).flatten(2)


_SPECTRA: list[Case] = [
    ("stft", lambda x: _stft(x).abs(), (real(2, 64),)),
    (
        "stft_window",
        lambda x: _stft(x, hop_length=8, window=torch.hann_window(16)).abs(),
        (real(2, 64),),
    ),
    (
        "stft_short_window",
        lambda x: _stft(x, win_length=10, window=torch.hamming_window(10)).real,
        (real(40),),
    ),
    ("stft_not_centred", lambda x: torch.view_as_real(_stft(x, center=False)), (real(2, 40),)),
    ("stft_normalized", lambda x: _stft(x, normalized=True).imag, (real(1, 40),)),
    ("rfft", lambda x: torch.view_as_real(torch.fft.rfft(x)), (real(3, 10),)),
    ("rfft_ortho", lambda x: torch.fft.rfft(x, norm="ortho").abs(), (real(3, 10),)),
    ("rfft2", lambda x: torch.fft.rfft2(x).real, (real(3, 4, 6),)),
    ("irfft", lambda x: torch.fft.irfft(torch.fft.rfft(x)[..., None].squeeze(-1)), (real(3, 10),)),
    ("fft", lambda x: torch.fft.fft(x).abs(), (real(3, 9),)),
    ("ifft", lambda x: torch.view_as_real(torch.fft.ifft(torch.fft.fft(x) * 2.0)), (real(3, 9),)),
    ("power", lambda x: (torch.fft.rfft(x) * torch.fft.rfft(x).conj()).real, (real(3, 8),)),
    ("angle", lambda x: torch.fft.rfft(x)[None].angle(), (real(8),)),
    (
        "complex",
        lambda x, y: (torch.complex(x, y) / 2.0 + torch.complex(y, x)).abs(),
        (real(4), real(4)),
    ),
    ("rotary", _rotated, (real(2, 3, 4),)),
]

_CONSTANTS: list[Case] = [
    ("arange", lambda x: x + torch.arange(2, 11, 3), (real(3),)),
    ("arange_of_floats", lambda x: x + torch.arange(0.0, 1.0, 0.25), (real(4),)),
    ("linspace", lambda x: x + torch.linspace(0, 1, 5), (real(5),)),
    ("full", lambda x: x + torch.full((2, 3), 0.5), (real(3),)),
    ("like", lambda x: torch.zeros_like(x) + torch.ones_like(x) * x, (real(3),)),
    ("new", lambda x: x.new_zeros(3) + x.new_full((3,), 2.0) + x.new_ones(3) + x, (real(3),)),
    ("eye", lambda x: x @ torch.eye(3), (real(2, 3),)),
    ("scalar_tensor", lambda x: x * torch.tensor(2.5), (real(3),)),
    ("hann_window", lambda x: x * torch.hann_window(6), (real(6),)),
    ("hamming_window", lambda x: x * torch.hamming_window(6, periodic=False), (real(6),)),
    ("hamming_window_by_alpha", lambda x: x * torch.hamming_window(6, True, 0.6, 0.4), (real(6),)),
    ("blackman_window", lambda x: x * torch.blackman_window(6), (real(6),)),
    ("empty_filled", lambda x: torch.empty(3).fill_(2.0) + x, (real(3),)),
]

_SUBJECTS = {
    "activations": _CURVES,
    "arithmetic": _TWO_NUMBERS,
    "constants": _CONSTANTS,
    "functions": _ONE_NUMBER,
    "images": _IMAGES,
    "indexing": _INDICES,
    "normalization": _NORMALIZATIONS,
    "products": _PRODUCTS,
    "reductions": _OVER_AXES,
    "shapes": _SHAPES,
    "spectra": _SPECTRA,
    "windows": _WINDOWS,
}


@pytest.mark.parametrize("subject", _SUBJECTS)
def test_operators_compute_what_pytorch_does(subject: str) -> None:
    cases = _SUBJECTS[subject]
    check(Applied(cases), [tensor for _, _, inputs in cases for tensor in inputs])
