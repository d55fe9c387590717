from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from models import computed, expected, one
from numeric import Floats, assert_close, numbers
from tinsmith_ir import Array, ModelError, UnsupportedError

MICROSOFT = "com.microsoft"


def check(
    kind: str,
    operands: Sequence[Array | None],
    attributes: Mapping[str, object] | None = None,
    *,
    known: Sequence[int] = (),
    outputs: int = 1,
    opset: int = 25,
) -> None:
    """What the graph gives is what the reference implementation gives."""
    made = one(kind, operands, attributes, known=known, outputs=outputs, opset=opset)
    given = _given(operands, known)
    for found, wanted in zip(computed(made, given), expected(made, given), strict=True):
        assert_close(found, wanted)


def _given(operands: Sequence[Array | None], known: Sequence[int] = ()) -> dict[str, Array]:
    return {
        f"x{place}": each
        for place, each in enumerate(operands)
        if each is not None and place not in known
    }


def attended(query: Floats, key: Floats, value: Floats, bias: Array) -> Array:
    """By definition, of (B, H, S, D), with a bias (B, H, S, T)."""
    scores = query.astype(np.float64) @ key.swapaxes(2, 3) / np.sqrt(query.shape[-1]) + bias
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return np.asarray(powers / powers.sum(-1, keepdims=True) @ value)


def joined(x: Array) -> Array:
    """(B, H, S, D) as (B, S, H * D)."""
    return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


QUERY, KEY, VALUE = numbers(1, 2, 4, 3, 6), numbers(2, 2, 2, 5, 6), numbers(3, 2, 2, 5, 4)


@pytest.mark.parametrize(
    "attributes",
    [{}, {"scale": 0.3}, {"softcap": 2.0}, {"is_causal": 1}, {"is_causal": 1, "softcap": 1.5}],
)
@pytest.mark.parametrize("is_joined", [False, True])
def test_attention(is_joined: bool, attributes: Mapping[str, object]) -> None:
    operands = [QUERY, KEY, VALUE]
    if is_joined:
        heads = {"q_num_heads": 4, "kv_num_heads": 2}
        check("Attention", [*map(joined, operands)], {**attributes, **heads}, opset=23)
    else:
        check("Attention", operands, attributes, opset=23)


@pytest.mark.parametrize("known", [(), (3,)])
@pytest.mark.parametrize("is_causal", [0, 1])
def test_masks_are_numbers_or_bool_and_may_be_short(is_causal: int, known: tuple[int, ...]) -> None:
    allowed = np.random.default_rng(4).random((2, 4, 3, 5)) > 0.4
    for mask in (
        numbers(5, 3, 5),
        numbers(6, 2, 1, 3, 5),
        allowed,
        allowed[0, 0],
        allowed[..., :4],
    ):
        check("Attention", [QUERY, KEY, VALUE, mask], {"is_causal": is_causal}, known=known)


@pytest.mark.parametrize("known", [(), (3,)])
@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.int64])
def test_masks_of_integers_are_added(dtype: type[np.integer], known: tuple[int, ...]) -> None:
    """The reference implementation has no infinity of integers for what a short one does not reach."""
    mask = (np.arange(12) % 5).reshape(3, 4)
    operands = [QUERY, KEY, VALUE, mask.astype(dtype)]
    made = one("Attention", operands, known=known, opset=25)
    others = [QUERY, KEY, VALUE, mask.astype(np.float32)]
    wanted = expected(one("Attention", others, known=known, opset=25), _given(others, known))
    assert_close(computed(made, _given(operands, known))[0], wanted[0])


@pytest.mark.parametrize("mode", [0, 1, 2, 3])
def test_keys_of_before_come_in_front_and_scores_are_shown(mode: int) -> None:
    operands = [QUERY, KEY, VALUE, numbers(4, 3, 7), numbers(5, 2, 2, 2, 6), numbers(6, 2, 2, 2, 4)]
    # In mode 0 the reference implementation shows scores behind the cap; the definition, in front of it.
    attributes = {"is_causal": 1, "softcap": 2.0 if mode else 0.0, "qk_matmul_output_mode": mode}
    check("Attention", operands, attributes, outputs=4)


@pytest.mark.parametrize("known", [(), (6,)])
@pytest.mark.parametrize("is_causal", [0, 1])
def test_counts_say_which_keys_there_are(is_causal: int, known: tuple[int, ...]) -> None:
    operands = [QUERY, KEY, VALUE, None, None, None, np.array([2, 5], np.int64)]
    check("Attention", operands, {"is_causal": is_causal}, known=known)


@pytest.mark.parametrize(("left", "right"), [(1, -1), (-1, 1), (1, 0), (0, 2)])
def test_windows(left: int, right: int) -> None:
    attributes = {"left_window_size": left, "right_window_size": right}
    check("Attention", [QUERY, KEY, VALUE], attributes)
    check("Attention", [QUERY, KEY, VALUE], {**attributes, "is_causal": 1})


def test_attention_that_contradicts_itself_is_an_error() -> None:
    counts, past = np.array([2, 5], np.int64), (numbers(5, 2, 2, 2, 6), numbers(6, 2, 2, 2, 4))
    for operands, attributes, message in (
        ([QUERY, KEY, VALUE, None, past[0]], {}, "one without the other"),
        ([QUERY, KEY, VALUE, None, *past, counts], {}, "past keys or counts of keys, got both"),
        ([joined(QUERY), KEY, VALUE], {}, r"got ranks \[3, 4, 4\]"),
        ([QUERY, KEY, VALUE], {"left_window_size": -2}, "left_window_size of at least 0"),
        ([QUERY, KEY, VALUE], {"qk_matmul_output_mode": 4}, r"mode in \[0, 3\], got 4"),
    ):
        with pytest.raises(ModelError, match=message):
            computed(one("Attention", operands, attributes, opset=25), {})


@pytest.mark.parametrize("interleaved", [0, 1])
def test_rotary_embedding(interleaved: int) -> None:
    x, turned = numbers(1, 2, 3, 4, 6), {"interleaved": interleaved}
    angles = numbers(2, 2, 4, 3)
    check("RotaryEmbedding", [x, np.cos(angles), np.sin(angles)], turned, opset=23)
    some = [x, np.cos(angles[..., :2]), np.sin(angles[..., :2])]
    check("RotaryEmbedding", some, {**turned, "rotary_embedding_dim": 4}, opset=23)

    table, positions = numbers(3, 9, 3), np.array([[0, 3, 8, 1], [2, 2, 5, 7]])
    beside = [joined(x), np.cos(table), np.sin(table), positions]
    for known in ((), (1, 2, 3)):
        check("RotaryEmbedding", beside, {**turned, "num_heads": 3}, known=known, opset=23)


def test_angles_are_those_of_places() -> None:
    table = numbers(1, 9, 3)
    made = one("RotaryEmbedding", [numbers(2, 1, 2, 4, 6), table, table], opset=23)
    with pytest.raises(
        ModelError, match=r"angles \(B, S, R\) of all pairs that turn, got \[9, 3\]"
    ):
        computed(made, {})


@pytest.mark.parametrize("is_joined", [False, True])
@pytest.mark.parametrize("positions", [[2], [[2, 3, 4, 5], [2, 3, 4, 5]]])
def test_rotary_embedding_from_one_position_on(positions: list[int], is_joined: bool) -> None:
    x, table = numbers(1, 2, 3, 4, 6), numbers(2, 9, 3)
    read = joined(x) if is_joined else x
    attributes = {"num_heads": 3} if is_joined else {}
    operands = [read, np.array(positions), np.cos(table), np.sin(table)]
    made = one("RotaryEmbedding", operands, attributes, domain=MICROSOFT)
    (found,) = computed(made, _given(operands))
    turned = (x[..., :3] + 1j * x[..., 3:]) * np.exp(1j * table[2:6])
    wanted = np.concatenate([turned.real, turned.imag], axis=-1)
    assert_close(found, joined(wanted) if is_joined else wanted)


def test_multi_head_attention() -> None:
    query, key, value = numbers(1, 2, 4, 3, 6), numbers(2, 2, 4, 5, 6), numbers(3, 2, 4, 5, 2)
    bias, added = numbers(4, 56), numbers(5, 2, 4, 3, 7)
    padding = np.array([[1] * 7, [0] + [1] * 6], np.int32)
    past = numbers(6, 2, 4, 2, 6), numbers(7, 2, 4, 2, 2)
    operands = [*map(joined, (query, key, value)), bias, padding, added, *past]
    made = one("MultiHeadAttention", operands, {"num_heads": 4}, outputs=3, domain=MICROSOFT)
    found, keys, values = computed(made, _given(operands))
    biases = np.split(bias, [24, 48])
    query, key, value = (
        each + own.reshape(4, 1, -1) for each, own in zip((query, key, value), biases, strict=True)
    )
    key, value = np.concatenate([past[0], key], 2), np.concatenate([past[1], value], 2)
    mask = added + np.where(padding == 0, -10000.0, 0.0)[:, None, None]
    assert_close(found, joined(attended(query, key, value, mask)))
    assert_close(keys, key)
    assert_close(values, value)


@pytest.mark.parametrize("reach", [-1, 2])
@pytest.mark.parametrize("is_packed", [False, True])
def test_group_query_attention_turns_keys_by_their_places(is_packed: bool, reach: int) -> None:
    query, key, value = numbers(1, 1, 4, 3, 6), numbers(2, 1, 2, 3, 6), numbers(3, 1, 2, 3, 6)
    past, table = (numbers(4, 1, 2, 2, 6), numbers(5, 1, 2, 2, 6)), numbers(6, 9, 3)
    beside = [joined(each) for each in (query, key, value)]
    operands = [np.concatenate(beside, 2), None, None] if is_packed else beside
    lengths = np.array([4], np.int32), np.array([5], np.int32)
    operands = [*operands, *past, *lengths, np.cos(table), np.sin(table)]
    attributes = {"num_heads": 4, "kv_num_heads": 2, "do_rotary": 1, "local_window_size": reach}
    made = one(
        "GroupQueryAttention", operands, attributes, known=(5, 6), outputs=3, domain=MICROSOFT
    )
    found, keys, values = computed(made, _given(operands, (5, 6)))

    def turned(x: Floats) -> Floats:
        pairs = (x[..., :3] + 1j * x[..., 3:]) * np.exp(1j * table[2:5])
        return np.concatenate([pairs.real, pairs.imag], -1).astype(np.float32)

    every = np.concatenate([past[0], turned(key)], 2), np.concatenate([past[1], value], 2)
    distance = np.arange(2, 5)[:, None] - np.arange(5)
    seen = (distance >= 0) & ((distance < reach) | (reach == -1))
    own_keys, own_values = (each.repeat(2, axis=1) for each in every)
    wanted = attended(turned(query), own_keys, own_values, np.where(seen, 0.0, -np.inf))
    assert_close(found, joined(wanted))
    assert_close(keys, every[0])
    assert_close(values, every[1])


def test_group_query_attention_of_other_forms_is_refused() -> None:
    x, total = numbers(1, 1, 3, 8), np.array([3], np.int32)
    heads = {"num_heads": 2, "kv_num_heads": 2}
    for last, attributes, message in (
        (5, {}, r"seqlens_k of 2, the last of all keys, got \[5\]"),
        (2, {"causal": 0}, "expected causal attention"),
    ):
        operands = [x, x, x, None, None, np.array([last], np.int32), total]
        made = one(
            "GroupQueryAttention",
            operands,
            {**heads, **attributes},
            known=(5, 6),
            domain=MICROSOFT,
        )
        with pytest.raises(UnsupportedError, match=message):
            computed(made, {})


def test_attention_with_its_products() -> None:
    x, weights, bias = numbers(1, 2, 3, 5), numbers(2, 5, 24), numbers(3, 24)
    operands = [x, weights, bias]
    attributes = {"num_heads": 2, "unidirectional": 1}
    made = one("Attention", operands, attributes, known=(1, 2), domain=MICROSOFT)
    (found,) = computed(made, {"x0": x})
    layer = (x @ weights + bias).reshape(2, 3, 3, 2, 4).transpose(2, 0, 3, 1, 4)
    lower = np.where(np.tri(3) == 1, 0, -np.inf)
    wanted = joined(attended(layer[0], layer[1], layer[2], lower))
    assert_close(found, wanted)


def test_fused_attention_of_other_forms_is_refused() -> None:
    packed = numbers(1, 1, 3, 2, 3, 4)
    made = one("MultiHeadAttention", [packed], {"num_heads": 2}, domain=MICROSOFT)
    with pytest.raises(UnsupportedError, match="queries, keys and values of three axes"):
        computed(made, {})
    x = numbers(1, 1, 3, 8)
    lengths = [x, x, x, None, np.array([3], np.int32)]
    made = one("MultiHeadAttention", lengths, {"num_heads": 2}, domain=MICROSOFT)
    with pytest.raises(UnsupportedError, match=r"a mask \(B, 3\) or \(B, S, 3\), got \[1\]"):
        computed(made, {})
    made = one(
        "Attention",
        [x, numbers(2, 8, 24), numbers(3, 24)],
        {"num_heads": 2, "do_rotary": 1},
        domain=MICROSOFT,
    )
    with pytest.raises(UnsupportedError, match="neither keys of before nor rotation"):
        computed(made, {})
    table = numbers(4, 9, 2)
    made = one(
        "RotaryEmbedding",
        [x, np.array([0]), table, table],
        {"num_heads": 2, "scale": 2.0},
        domain=MICROSOFT,
    )
    with pytest.raises(UnsupportedError, match="neither packed batches nor a scale"):
        computed(made, {})


def test_an_opset_that_has_no_attention_is_named() -> None:
    made = one("Attention", [QUERY, KEY, VALUE], opset=20)
    with pytest.raises(
        ModelError, match="an opset in which Attention has a default for it, got opset 20"
    ):
        computed(made, _given([QUERY, KEY, VALUE]))
