"""Damaged variants of sound ONNX files, of their bytes and their messages; the same on every run for the same seed."""

from collections.abc import Callable, Iterator

import numpy as np
import onnx
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from models import declared, model
from onnx import TensorProto, helper

Random = np.random.RandomState
_INTEGERS = (
    0,
    1,
    2,
    3,
    7,
    255,
    65536,
    2**31 - 1,
    2**31,
    2**32,
    2**62,
    2**63 - 1,
    -1,
    -2,
    -(2**31),
    -(2**63),
)
_REALS = (0.0, -0.0, 1.0, -1.0, 1e-45, 3e38, float("inf"), float("-inf"), float("nan"))
_OPERATORS = [
    "Add",
    "Conv",
    "ConvTranspose",
    "MaxPool",
    "AveragePool",
    "Gemm",
    "MatMul",
    "Reshape",
    "Transpose",
    "Concat",
    "Split",
    "Slice",
    "Pad",
    "Resize",
    "Gather",
    "Expand",
    "Tile",
    "Range",
    "ConstantOfShape",
    "Loop",
    "If",
    "Scan",
    "LSTM",
    "GRU",
    "RNN",
    "Softmax",
    "TopK",
    "OneHot",
    "ScatterND",
    "GatherND",
    "Einsum",
    "Clip",
    "Cast",
    "Where",
    "QuantizeLinear",
    "DequantizeLinear",
    "QLinearConv",
    "CumSum",
    "Trilu",
    "DepthToSpace",
    "Squeeze",
    "Unsqueeze",
    "Shape",
    "LayerNormalization",
    "Attention",
    "ReduceSum",
    "ArgMax",
    "EyeLike",
    "NonZero",
    "Unique",
    "DFT",
    "STFT",
    "GridSample",
    "Col2Im",
    "Upsample",
]


def sound_models() -> list[bytes]:
    """Small models of many operators."""
    return [
        made.SerializeToString() for made in (_convolutions(), _shapes(), _control(), _attention())
    ]


def damaged(data: bytes, seed: int) -> bytes:
    """One variant of a sound file."""
    random = Random(seed)
    if random.randint(4) == 0:
        return _BYTES[random.randint(len(_BYTES))](data, random)
    made = onnx.ModelProto.FromString(data)
    for _ in range(random.randint(1, 4)):
        _damage_message(made, random)
    return made.SerializeToString()


def damaged_models(count: int, seed: int) -> Iterator[bytes]:
    """`count` variants, of one sound model after the other."""
    sound = sound_models()
    for index in range(count):
        yield damaged(sound[index % len(sound)], seed + index)


def _truncated(data: bytes, random: Random) -> bytes:
    return data[: random.randint(len(data))]


def _flipped(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.randint(1, 5)):
        changed[random.randint(len(data))] ^= 1 << random.randint(8)
    return bytes(changed)


def _copied(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    length = random.randint(1, 33)
    source, target = random.randint(0, len(data) - length, 2)
    changed[target : target + length] = data[source : source + length]
    return bytes(changed)


_BYTES: tuple[Callable[[bytes, Random], bytes], ...] = (_truncated, _flipped, _copied)


def _damage_message(made: onnx.ModelProto, random: Random) -> None:
    """One field of one message becomes another."""
    messages = [*_messages(made)]
    message = messages[random.randint(len(messages))]
    fields = [field for field, _ in message.ListFields()]
    if not fields:
        return
    field = fields[random.randint(len(fields))]
    if _is_repeated(field):
        _damage_list(message, field, random, messages)
    elif field.type == FieldDescriptor.TYPE_MESSAGE:
        _exchange(getattr(message, field.name), random, messages)
    else:
        _assign(message, field, random, messages)


def _is_repeated(field: FieldDescriptor) -> bool:
    return bool(field.is_repeated)


def _messages(message: Message) -> Iterator[Message]:
    yield message
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for inner in value if _is_repeated(field) else [value]:
                yield from _messages(inner)


def _damage_list(
    message: Message, field: FieldDescriptor, random: Random, messages: list[Message]
) -> None:
    items = getattr(message, field.name)
    place = random.randint(len(items))
    match random.randint(4):
        case 0:
            del items[place]
        case 1 if field.type == FieldDescriptor.TYPE_MESSAGE:
            items.add().CopyFrom(items[place])
        case 1:
            items.append(items[place])
        case 2 if field.type == FieldDescriptor.TYPE_MESSAGE and len(items) > 1:
            other = random.randint(len(items))
            kept: bytes = items[place].SerializeToString()
            items[place].CopyFrom(items[other])
            items[other].ParseFromString(kept)
        case _ if field.type == FieldDescriptor.TYPE_MESSAGE:
            _exchange(items[place], random, messages)
        case _:
            items[place] = _other(field, items[place], random, messages)


def _exchange(inner: Message, random: Random, messages: list[Message]) -> None:
    """A message becomes another of its kind, which may lie within it."""
    alike = [each.SerializeToString() for each in messages if each.DESCRIPTOR is inner.DESCRIPTOR]
    inner.ParseFromString(alike[random.randint(len(alike))])


def _assign(
    message: Message, field: FieldDescriptor, random: Random, messages: list[Message]
) -> None:
    value = _other(field, getattr(message, field.name), random, messages)
    setattr(message, field.name, value)


def _other(
    field: FieldDescriptor, value: object, random: Random, messages: list[Message]
) -> object:
    if isinstance(value, bytes):
        return _flipped(value, random) if value else b"\0"
    if isinstance(value, str):
        texts = {name for each in messages for name in _texts(each)}
        choices = [*sorted(texts), *_OPERATORS, "", "\x1b[2J", "x" * 300]
        return choices[random.randint(len(choices))]
    if isinstance(value, float):
        return _REALS[random.randint(len(_REALS))]
    if field.type in (FieldDescriptor.TYPE_INT32, FieldDescriptor.TYPE_ENUM):
        known = [*range(27)] if field.type == FieldDescriptor.TYPE_INT32 else _members(field)
        return known[random.randint(len(known))]
    return _INTEGERS[random.randint(len(_INTEGERS))]


def _members(field: FieldDescriptor) -> list[int]:
    assert field.enum_type is not None
    return [member.number for member in field.enum_type.values]


def _texts(message: Message) -> Iterator[str]:
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_STRING:
            yield from value if _is_repeated(field) else [value]


def _convolutions() -> onnx.ModelProto:
    random = Random(0)
    constants = {
        "w": random.standard_normal((4, 3, 3, 3)).astype(np.float32),
        "v": random.standard_normal((10, 16)).astype(np.float32),
        "scale": np.array(0.1, np.float32),
        "zero": np.array(3, np.int8),
        "sizes": np.array([1, 4, 4, 4]),
    }
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"], pads=[1, 1, 1, 1], strides=[2, 2], name="conv"),
        helper.make_node("QuantizeLinear", ["a", "scale", "zero"], ["b"]),
        helper.make_node("DequantizeLinear", ["b", "scale", "zero"], ["c"]),
        helper.make_node("MaxPool", ["c"], ["d"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Resize", ["d", "", "", "sizes"], ["e"], mode="linear"),
        helper.make_node(
            "AveragePool", ["e"], ["f"], kernel_shape=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0]
        ),
        helper.make_node("Flatten", ["f"], ["g"]),
        helper.make_node("Gemm", ["g", "v"], ["h"], transB=1, alpha=0.5),
        helper.make_node("Softmax", ["h"], ["y"], axis=-1),
    ]
    return model(nodes, [declared("x", ["N", 3, 8, 8])], [declared("y", ["N", 10])], constants)


def _shapes() -> onnx.ModelProto:
    constants = {
        "shape": np.array([0, -1, 4]),
        "index": np.array([[0, 1], [1, 0]]),
        "one": np.array([1]),
        "ends": np.array([100, 100]),
        "starts": np.array([-3, 0]),
        "pads": np.array([0, 1, 0, 0, 0, 2]),
        "repeats": np.array([1, 2, 1]),
        "count": np.array([2]),
        "limit": np.array(5),
        "zero": np.array(0),
        "delta": np.array(1),
    }
    nodes = [
        helper.make_node("Reshape", ["x", "shape"], ["a"]),
        helper.make_node("Slice", ["a", "starts", "ends"], ["b"]),
        helper.make_node("Gather", ["b", "index"], ["c"], axis=1),
        helper.make_node("Shape", ["c"], ["d"]),
        helper.make_node("ConstantOfShape", ["d"], ["e"]),
        helper.make_node("Add", ["c", "e"], ["f"]),
        helper.make_node("Reshape", ["f", "shape2"], ["g"]),
        helper.make_node("Pad", ["g", "pads"], ["h"], mode="reflect"),
        helper.make_node("Tile", ["h", "repeats"], ["i"]),
        helper.make_node("TopK", ["i", "count"], ["j", "k"], axis=-1),
        helper.make_node("Range", ["zero", "limit", "delta"], ["l"]),
        helper.make_node("Cast", ["l"], ["m"], to=TensorProto.FLOAT),
        helper.make_node("ReduceSum", ["m"], ["n"], keepdims=0),
        helper.make_node("Mul", ["j", "n"], ["y"]),
    ]
    constants["shape2"] = np.array([2, 4, -1])
    return model(nodes, [declared("x", [2, 2, 4])], [declared("y", None)], constants)


def _control() -> onnx.ModelProto:
    body = helper.make_graph(
        [
            helper.make_node("Add", ["carried", "x"], ["next"]),
            helper.make_node("Identity", ["keep"], ["go_on"]),
            helper.make_node("Mul", ["next", "next"], ["row"]),
        ],
        "body",
        [
            declared("i", [], TensorProto.INT64),
            declared("keep", [], TensorProto.BOOL),
            declared("carried", [2]),
        ],
        [declared("go_on", [], TensorProto.BOOL), declared("next", [2]), declared("row", [2])],
    )
    then = helper.make_graph(
        [helper.make_node("Relu", ["last"], ["p"])], "then", [], [declared("p", [2])]
    )
    other = helper.make_graph(
        [helper.make_node("Neg", ["last"], ["q"])], "other", [], [declared("q", [2])]
    )
    function = helper.make_function(
        "local",
        "Twice",
        ["v"],
        ["w"],
        [helper.make_node("Add", ["v", "v"], ["w"])],
        [helper.make_opsetid("", 21)],
    )
    nodes = [
        helper.make_node("Loop", ["trips", "true", "x"], ["last", "rows"], body=body),
        helper.make_node("If", ["true"], ["r"], then_branch=then, else_branch=other),
        helper.make_node("Twice", ["r"], ["y"], domain="local"),
    ]
    constants = {"trips": np.array(3), "true": np.array(True)}
    return model(
        nodes,
        [declared("x", [2])],
        [declared("y", [2]), declared("rows", [3, 2])],
        constants,
        functions=[function],
        domains=["local"],
    )


def _attention() -> onnx.ModelProto:
    random = Random(1)
    constants = {
        "w": random.standard_normal((4, 12)).astype(np.float32),
        "ones": np.ones(4, np.float32),
        "gates": random.standard_normal((1, 12, 4)).astype(np.float32),
        "recurrent": random.standard_normal((1, 12, 3)).astype(np.float32),
    }
    nodes = [
        helper.make_node("LayerNormalization", ["x", "ones"], ["a"], axis=-1),
        helper.make_node("MatMul", ["a", "w"], ["qkv"]),
        helper.make_node("Split", ["qkv"], ["q", "k", "v"], axis=-1, num_outputs=3),
        helper.make_node("Transpose", ["k"], ["kt"], perm=[0, 2, 1]),
        helper.make_node("MatMul", ["q", "kt"], ["s"]),
        helper.make_node("Softmax", ["s"], ["p"], axis=-1),
        helper.make_node("MatMul", ["p", "v"], ["o"]),
        helper.make_node("LSTM", ["o", "gates", "recurrent"], ["z", "h"], hidden_size=3),
        helper.make_node("Einsum", ["z"], ["e"], equation="tdbh->bth"),
        helper.make_node("Erf", ["e"], ["y"]),
    ]
    return model(nodes, [declared("x", [2, 5, 4])], [declared("y", None)], constants)
