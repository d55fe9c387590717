"""Files of strangers: what only trusted ones may have is refused, and nothing in them is run."""

import io
import json
import pickle
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import torch
from tinsmith_ir import ModelError, TinsmithError, UnsupportedError, UsageError, evaluate_graph
from tinsmith_torch import import_pt2
from tinsmith_torch.archive import Json
from torch import Tensor, nn

Members = dict[str, bytes]
Change = Callable[[Members], None]

MODEL = "models/model.json"
WEIGHTS = "data/weights/model_weights_config.json"
CONSTANTS = "data/constants/model_constants_config.json"


class Network(nn.Module):
    """A parameter, a constant, sizes of the input, and a part without gradients."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 2)
        self.scale = torch.tensor([2.0, 3.0])

    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            y = self.linear(x) * self.scale
        return y * x.shape[0]


def saved(*, opens_sizes: bool = False) -> bytes:
    torch.manual_seed(0)  # pyright: ignore[reportUnknownMemberType]
    sizes = ({0: torch.export.Dim("n")},) if opens_sizes else None
    file = io.BytesIO()
    program = torch.export.export(Network().eval(), (torch.ones(4, 3),), dynamic_shapes=sizes)
    torch.export.save(program, file)
    return file.getvalue()


def members_of(data: bytes) -> Members:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}


def archive_of(members: Members, compression: int = zipfile.ZIP_STORED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(f"m/{name}", content)
    return out.getvalue()


def changed(change: Change) -> bytes:
    members = members_of(saved())
    change(members)
    return archive_of(members)


def in_json(path: str, old: str, new: str) -> Change:
    """Exchanges a text, which has to be there."""

    def change(members: Members) -> None:
        text = members[path].decode()
        assert old in text
        members[path] = text.replace(old, new).encode()

    return change


def with_member(path: str, content: bytes = b"") -> Change:
    def change(members: Members) -> None:
        members[path] = content

    return change


def without(path: str) -> Change:
    def change(members: Members) -> None:
        del members[path]

    return change


class Trap:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self.path,))


def test_a_file_gives_what_the_module_computes() -> None:
    (result,) = evaluate_graph(import_pt2(saved()), [np.ones((4, 3), np.float32)]).values()
    torch.manual_seed(0)  # pyright: ignore[reportUnknownMemberType]
    want = Network()(torch.ones(4, 3)).detach()
    assert torch.allclose(torch.tensor(result.tolist()), want)


def test_sizes_that_are_left_open_are_those_of_the_example() -> None:
    graph = import_pt2(saved(opens_sizes=True))
    assert graph.inputs[0].type.shape == (4, 3)


class Signs(nn.Module):
    """Operators that Python's signs are exported as."""

    def forward(self, x: Tensor) -> Tensor:
        """One number of truth values and integers."""
        y = x.to(torch.int32)
        mask = (x > 0) & (x < 3) | (x > 5)
        mask &= x != 1
        return ((y << 2 | 1) ^ (y >> 1) & 3) * mask


def test_signs_of_bits_are_operators_of_files_too() -> None:
    x, out = torch.arange(8.0), io.BytesIO()
    torch.export.save(torch.export.export(Signs().eval(), (x,)), out)
    (found,) = evaluate_graph(import_pt2(out.getvalue()), [x.numpy()]).values()
    assert found.tolist() == Signs()(x).tolist()


def test_what_is_pickled_is_never_opened(tmp_path: Path) -> None:
    path = tmp_path / "sprung"
    trap = pickle.dumps(Trap(path))
    import_pt2(changed(with_member("data/sample_inputs/model.pt", trap)))
    for member, config in (("weight_0", WEIGHTS), ("tensor_0", CONSTANTS)):
        folder = config.rpartition("/")[0]

        def change(members: Members, folder: str = folder, member: str = member) -> None:
            members[f"{folder}/{member}"] = trap

        with pytest.raises(TinsmithError):
            import_pt2(changed(lambda m: (change(m), _pickled(m, config))[0]))  # noqa: B023
    assert not path.exists()


def _pickled(members: Members, config: str) -> None:
    members[config] = members[config].replace(b'"use_pickle": false', b'"use_pickle": true')


def test_texts_of_sizes_are_not_evaluated(tmp_path: Path) -> None:
    path = tmp_path / "evaluated"
    code = f"__import__('pathlib').Path({str(path)!r}).touch()"
    members = members_of(saved(opens_sizes=True))
    text = members[MODEL].decode()
    start = text.index('"expr_str": "') + len('"expr_str": "')
    end = text.index('"', start)
    members[MODEL] = (text[:start] + code + text[end:]).encode()
    import_pt2(archive_of(members))
    assert not path.exists()


_PICKLED = "which is saved as its bytes, got what PyTorch pickles"
_LINEAR = '"torch.ops.aten.linear.default"'


@pytest.mark.parametrize(
    ("change", "kind", "text"),
    [
        (in_json(WEIGHTS, '"use_pickle": false', '"use_pickle": true'), UnsupportedError, _PICKLED),
        (in_json(CONSTANTS, "tensor_0", "custom_obj_0"), UnsupportedError, _PICKLED),
        (in_json(CONSTANTS, "tensor_0", "opaque_obj_0"), UnsupportedError, _PICKLED),
        (
            in_json(WEIGHTS, "weight_0", "weight_/../../x"),
            ModelError,
            "expected the name of a file",
        ),
        (in_json(WEIGHTS, "weight_0", "weight_7"), ModelError, "got no such member"),
        (in_json(WEIGHTS, '"cpu"', '"cuda"'), UnsupportedError, "export the module on the CPU"),
        (
            in_json(WEIGHTS, '{"as_int": 2}', '{"as_int": 20000000000}'),
            ModelError,
            "expected at most as many elements as it has bytes",
        ),
        (in_json(WEIGHTS, '{"as_int": 2}', '{"as_int": -2}'), ModelError, "expected sizes from 0"),
        (in_json(WEIGHTS, '{"as_int": 2}', '{"as_int": 200}'), ModelError, "torch.export.load"),
        (without("data/weights/weight_0"), ModelError, "got no such member"),
        (without(WEIGHTS), UnsupportedError, "export again"),
        (without(MODEL), UnsupportedError, "export again"),
        (with_member("data/weights/model.pt", b"\x80"), None, ""),
        (with_member("models/other.json"), None, ""),
        (with_member("extra/notes.txt", b"x"), None, ""),
        (with_member("data/aotinductor/model/a.so"), UnsupportedError, "compiled code"),
        (with_member("elsewhere"), UnsupportedError, "as torch.export.save writes them"),
        (with_member("../outside"), ModelError, "below the archive's folder"),
        (with_member("data\\weights"), ModelError, "below the archive's folder"),
        (with_member(MODEL, b"{"), ModelError, "expected JSON"),
        (with_member(MODEL, b"[" * 100_000), ModelError, "expected JSON"),
        (with_member(MODEL, b"[]"), ModelError, "expected an object"),
        (with_member(MODEL, b"{}"), ModelError, "expected an object"),
        (with_member(WEIGHTS, b'{"config": []}'), ModelError, "expected an object"),
        *(
            (
                in_json(MODEL, _LINEAR, f'"{target}"'),
                UnsupportedError,
                target.removeprefix("torch.ops."),
            )
            for target in (
                "torch.os.system",
                "torch.hub.load",
                "torch.ops.aten.from_file.default",
                "torch.ops.aten.save.default",
                "torch.ops.load_library.default",
                "torch.ops.aten.__class__.default",
                "torch.ops.aten.linear.__class__",
                "torch.ops.aten.linear.__init_subclass__",
                "torch.ops.other.linear.default",
                "torch.ops.higher_order.call_torchbind",
                "_operator.methodcaller",
                "#extension:x",
            )
        ),
        (
            in_json(
                MODEL, '{"as_tensor": {"name": "x"}}, "kind"', '{"as_operator": "torch.os"}, "kind"'
            ),
            UnsupportedError,
            "an operator as an argument",
        ),
        (
            in_json(MODEL, '{"as_tensor": {"name": "x"}}, "kind"', '{"as_custom_obj": {}}, "kind"'),
            UnsupportedError,
            "an object of another class",
        ),
        (
            in_json(MODEL, "builtins.tuple", "torch.return_types.max"),
            UnsupportedError,
            "in tuples, lists",
        ),
        (
            in_json(
                MODEL,
                '\\"context\\": \\"[]\\"',
                '\\"context\\": \\"[{\\\\\\"__enum__\\\\\\": 1}]\\"',
            ),
            UnsupportedError,
            "in tuples, lists",
        ),
        (in_json(MODEL, '"name": "x"', '"name": "nothing"'), ModelError, "torch.export.load"),
    ],
)
def test_what_only_trusted_files_may_have_is_refused(
    change: Change, kind: type[TinsmithError] | None, text: str
) -> None:
    data = changed(change)
    if kind is None:  # what the loader never gets to see
        import_pt2(data)
        return
    with pytest.raises(kind) as found:
        import_pt2(data, source="f.pt2")
    assert str(found.value).startswith("f.pt2: ")
    assert text in str(found.value)


def test_archives_that_unfold_or_contradict_themselves_are_refused() -> None:
    members = members_of(saved())
    bomb = members | {"data/weights/weight_9": bytes(50_000_000)}
    with pytest.raises(ModelError, match="neither compressed nor encrypted"):
        import_pt2(archive_of(bomb, zipfile.ZIP_DEFLATED))
    out = io.BytesIO(archive_of(members))
    with zipfile.ZipFile(out, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr(f"m/{MODEL}", b"{}")
    with pytest.raises(ModelError, match="of different names"):
        import_pt2(out.getvalue())
    out = io.BytesIO(archive_of(members))
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr("n/archive_format", b"pt2")
    with pytest.raises(ModelError, match="all members in one folder, got m, n"):
        import_pt2(out.getvalue())


@pytest.mark.parametrize(
    ("members", "text"),
    [
        ({"a.txt": b"text"}, "got none of them but a.txt; give"),
        ({"d/a.txt": b"text", "b\n.txt": b""}, r"got none of them but b\x0a.txt, d/a.txt; give"),
        ({}, "got none of them but an empty archive; give"),
    ],
)
def test_archives_of_others_are_no_models(members: Members, text: str) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(ModelError) as found:
        import_pt2(out.getvalue())
    assert "with archive_format and models/model.json, " in str(found.value)
    assert text in str(found.value)


def test_members_that_share_bytes_claim_no_more_than_there_are() -> None:
    data = bytearray(archive_of({"archive_format": b"", "weights": bytes(1000)}))
    entry = data.rindex(b"PK\x01\x02")
    for offset in (20, 24):  # sizes, packed and not, in the directory
        data[entry + offset : entry + offset + 4] = (1 << 30).to_bytes(4, "little")
    with pytest.raises(ModelError):
        import_pt2(bytes(data))


@pytest.mark.parametrize(
    ("members", "kind"),
    [
        ({"data.pkl": b"", "version": b"3"}, "what torch.save pickles"),
        ({"data.pkl": b"", "constants.pkl": b"", "code/net.py": b""}, "TorchScript"),
    ],
)
def test_other_archives_of_pytorch_are_named(members: dict[str, bytes], kind: str) -> None:
    message = f"expected a program of torch.export.save, got {kind}; export the module with"
    with pytest.raises(ModelError, match=message):
        import_pt2(archive_of(members, zipfile.ZIP_DEFLATED))


def test_other_files_are_named() -> None:
    with pytest.raises(ModelError, match="expected a sound archive, got a damaged one"):
        import_pt2(b"no archive")
    with pytest.raises(UsageError, match="no/such"):
        import_pt2("no/such.pt2")
    old = {"version": b"8.5", "serialized_exported_program.json": b"{}"}
    with pytest.raises(UnsupportedError, match="of older PyTorch; export again"):
        import_pt2(archive_of(old))


def _cut(data: bytes, generator: np.random.Generator) -> bytes:
    return data[: int(generator.integers(len(data)))]


def _flipped(data: bytes, generator: np.random.Generator) -> bytes:
    bytes_ = bytearray(data)
    for _ in range(int(generator.integers(1, 8))):
        bytes_[int(generator.integers(len(bytes_)))] = int(generator.integers(256))
    return bytes(bytes_)


def _model_changed(data: bytes, generator: np.random.Generator) -> bytes:
    """One value of the program is another one."""
    members = members_of(data)
    members[MODEL] = json.dumps(_mutated(json.loads(members[MODEL]), generator)).encode()
    return archive_of(members)


def _mutated(value: Json, generator: np.random.Generator) -> Json:
    others: list[Json] = [None, -1, 0, 1 << 40, 1.5, "x", [], {}, True, "torch.os.system"]
    goes_on = generator.random() < 0.95
    if isinstance(value, dict) and value and goes_on:
        keys = list(value)
        key = keys[int(generator.integers(len(keys)))]
        return {**value, key: _mutated(value[key], generator)}
    if isinstance(value, list) and value and goes_on:
        place = int(generator.integers(len(value)))
        return [*value[:place], _mutated(value[place], generator), *value[place + 1 :]]
    return others[int(generator.integers(len(others)))]


@pytest.mark.parametrize("damage", [_cut, _flipped, _model_changed])
def test_damaged_files_raise_errors_of_their_own(
    damage: Callable[[bytes, np.random.Generator], bytes],
) -> None:
    data = saved()
    for seed in range(25):
        with suppress(ModelError, UnsupportedError):
            import_pt2(damage(data, np.random.default_rng(seed)), source="f.pt2")
