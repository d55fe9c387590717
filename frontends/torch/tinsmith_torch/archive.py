"""A file of `torch.export.save`, checked and written anew, so that PyTorch may open it although a stranger wrote it.

PyTorch's loader trusts its files: it unpickles sample inputs, constants of other classes than tensors and tensors of
other kinds, evaluates the texts of sizes, looks up operators by paths of attributes, loads compiled code. So what it
gets here holds tensors as bytes, a graph of operators that are known by name, and numbers for sizes; all else is
refused, or left out where nothing here needs it. Nothing of PyTorch is needed to check that.
"""

import io
import json
import math
import re
import struct
import zipfile
from collections.abc import Collection, Iterator, Mapping
from typing import cast

from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.escape import visible

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

_DAMAGE = (
    zipfile.BadZipFile,
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
    struct.error,
)
"""What the standard library raises for archives that are none."""
_MOST_MEMBERS = 1 << 14
_MOST_NODES = 1 << 16
_MOST_CLAIMED = 1 << 24
"""Elements of a tensor beyond what it has bytes, as expanded tensors have."""
_FORMAT = "archive_format"
_MODEL = "models/model.json"
_OLD = "serialized_exported_program.json"
_WEIGHTS = "data/weights"
_CONSTANTS = "data/constants"
_PLAIN = (
    _FORMAT,
    "archive_version",
    "byteorder",
    ".data/version",
    ".data/serialization_id",
)
_LEFT_OUT = ("data/sample_inputs/", "extra/")
"""Pickled inputs of the export, and whatever the user put beside it."""
_CODE = ("data/aotinductor/", "data/executorch/", "data/mtia/")
_MEMBER = re.compile(r"[A-Za-z0-9_.\-]+(/[A-Za-z0-9_.\-]+)*")
_FILE = re.compile(r"[A-Za-z0-9_\-]+")
_OPERATOR = re.compile(r"torch\.ops\.([A-Za-z0-9_]+\.[A-Za-z0-9_]+)\.([A-Za-z0-9_]+)")
_PYTHON = frozenset(
    f"_operator.{name}"
    for name in ("add", "eq", "floordiv", "ge", "getitem", "gt", "le", "lt", "mod", "mul", "ne")
) | {"_operator.neg", "_operator.sub", "_operator.truediv", "math.ceil", "math.floor", "math.trunc"}
_WRAPPERS = frozenset(
    f"torch.ops.higher_order.{name}"
    for name in ("wrap_with_autocast", "wrap_with_set_grad_enabled")
)
_SYMBOLIC = frozenset(
    f"torch.sym_{name}" for name in ("float", "int", "ite", "max", "min", "not", "sum")
)
_REFUSED = {
    "as_custom_obj": "an object of another class than Tensor",
    "as_operator": "an operator as an argument",
}
_TREES = frozenset(
    {None, "builtins.dict", "builtins.list", "builtins.tuple", "collections.OrderedDict"}
)


def checked_archive(data: bytes, name: str, known: Collection[str]) -> bytes:
    """What of a file PyTorch may open. known: operators by name, as `aten.add`, of which the program may consist.

    Sizes that a program leaves open become those of the example that it was exported with.

    Raises ModelError for a file that is damaged or claims what it does not hold, UnsupportedError for a sound one
    with what only trusted files may have, or with other operators.
    """
    members = _members(data, name)
    if _MODEL not in members:
        raise UnsupportedError(
            f"{name}: expected a file of torch.export.save with one program, {_MODEL}, got "
            f"{_listed(path for path in members if path.startswith('models/'))}; older PyTorch writes other files: "
            "export again"
        )
    kept = {path: members[path] for path in _PLAIN if path in members}
    kept |= _tensors(members, _WEIGHTS, "weight_", name)
    kept |= _tensors(members, _CONSTANTS, "tensor_", name)
    kept[_MODEL] = _encoded(_Model(name, known).checked(_decoded(members[_MODEL], _MODEL, name)))
    kept["data/sample_inputs/model.pt"] = b""
    return _written(kept)


# Members


def _members(data: bytes, name: str) -> dict[str, bytes]:
    """Their bytes by their path below the folder that all lie in."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            _check_kind([entry.filename for entry in entries], name)
            _check_entries(entries, len(data), name)
            read = {entry.filename: archive.read(entry) for entry in entries}
    except _DAMAGE as error:
        raise ModelError(
            f"{name}: expected a sound archive, got a damaged one ({error})"
        ) from error
    return _below_root(read, name)


def _check_kind(paths: Collection[str], name: str) -> None:
    """That it is none of PyTorch's other archives, which people have more often, nor anybody else's."""
    files = {path.rpartition("/")[2] for path in paths}
    if "data.pkl" in files:
        other = "TorchScript" if "constants.pkl" in files else "what torch.save pickles"
        raise ModelError(
            f"{name}: expected a program of torch.export.save, got {other}; export the module with torch.export"
        )
    if _OLD in files:
        raise UnsupportedError(
            f"{name}: expected a file of torch.export.save with {_MODEL}, got {_OLD} of older PyTorch; export again"
        )
    if _FORMAT not in files and not any("models/" in path for path in paths):
        raise ModelError(
            f"{name}: expected a program of torch.export.save, with {_FORMAT} and {_MODEL}, got none of them but "
            f"{_listed(paths) if paths else 'an empty archive'}; give the file that torch.export.save writes"
        )


def _check_entries(entries: list[zipfile.ZipInfo], size_bytes: int, name: str) -> None:
    if len(entries) > _MOST_MEMBERS:
        raise ModelError(
            f"{name}: expected at most {_MOST_MEMBERS:,} members, got {len(entries):,}"
        )
    if len({entry.filename for entry in entries}) < len(entries):
        raise ModelError(f"{name}: expected members of different names")
    for entry in entries:
        path = entry.filename
        if not _MEMBER.fullmatch(path) or {".", ".."} & set(path.split("/")):
            raise ModelError(
                f"{name}: expected paths below the archive's folder, of letters and digits, got {visible(path)!r}"
            )
        if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1:
            raise ModelError(
                f"{name}: {path}: expected a member as torch.export.save writes it, neither compressed nor encrypted"
            )
    claimed = sum(entry.file_size for entry in entries)
    if claimed > size_bytes:
        raise ModelError(
            f"{name}: expected members of at most {size_bytes:,} bytes, as the file has, got {claimed:,}"
        )


def _below_root(read: Mapping[str, bytes], name: str) -> dict[str, bytes]:
    roots = {path.partition("/")[0] for path in read}
    if len(roots) != 1:
        raise ModelError(f"{name}: expected all members in one folder, got {_listed(roots)}")
    members = {path.partition("/")[2]: content for path, content in read.items()}
    for path in members:
        if path.startswith(_CODE):
            raise UnsupportedError(
                f"{name}: expected a program alone, got compiled code, {path}; save it by torch.export.save"
            )
        folders = (f"{_WEIGHTS}/", f"{_CONSTANTS}/", "models/", *_LEFT_OUT)
        if path not in _PLAIN and not path.startswith(folders):
            raise UnsupportedError(
                f"{name}: expected members as torch.export.save writes them, got {path}"
            )
    return members


def _written(members: Mapping[str, bytes]) -> bytes:
    """An archive of these, in one folder."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for path, content in members.items():
            archive.writestr(zipfile.ZipInfo(f"model/{path}"), content)
    return out.getvalue()


# Tensors


def _tensors(members: Mapping[str, bytes], folder: str, prefix: str, name: str) -> dict[str, bytes]:
    """The list of a folder's tensors, and the files that it names."""
    kind = folder.rpartition("/")[2]
    path = f"{folder}/model_{kind}_config.json"
    if path not in members:
        raise UnsupportedError(
            f"{name}: expected {path}; older PyTorch pickles its {kind}: export again"
        )
    listing = _dict(_decoded(members[path], path, name), path, name)
    entries = _dict(listing.get("config"), path, name)
    kept: dict[str, bytes] = {}
    for own, entry in entries.items():
        where = f"{name}: {visible(own)!r}"
        payload = _dict(entry, path, name)
        file = payload.get("path_name")
        if payload.get("use_pickle") is not False or not str(file).startswith(prefix):
            raise UnsupportedError(
                f"{where}: expected a plain tensor, which is saved as its bytes, got what PyTorch pickles; of tensors "
                "of other classes, as quantize_ of torchao makes, save program.run_decompositions({})"
            )
        if not isinstance(file, str) or not _FILE.fullmatch(file):
            raise ModelError(f"{where}: expected the name of a file, got {visible(str(file))!r}")
        if f"{folder}/{file}" not in members:
            raise ModelError(f"{where}: expected its bytes in {folder}/{file}, got no such member")
        content = members[f"{folder}/{file}"]
        _check_tensor(_dict(payload.get("tensor_meta"), path, name), len(content), where)
        kept[f"{folder}/{file}"] = content
    kept[path] = _encoded({"config": cast(Json, entries)})
    return kept


def _check_tensor(meta: Mapping[str, Json], size_bytes: int, where: str) -> None:
    """That a tensor is on the processor, and no larger than its bytes and a bound allow."""
    device = meta.get("device")
    if not isinstance(device, dict) or device.get("type") != "cpu":
        raise UnsupportedError(
            f"{where}: expected a tensor of the CPU, got one of another device; export the module on the CPU"
        )
    sizes = meta.get("sizes")
    found = [_size(size, where) for size in sizes] if isinstance(sizes, list) else []
    if math.prod(found) > max(size_bytes, _MOST_CLAIMED):
        raise ModelError(
            f"{where}: expected at most as many elements as it has bytes, {size_bytes:,}, got shape {found[:16]}"
        )
    for key in ("strides", "storage_offset"):
        numbers = meta.get(key)
        for number in numbers if isinstance(numbers, list) else [numbers]:
            _size(number, where)


def _size(size: Json, where: str) -> int:
    found = size.get("as_int") if isinstance(size, dict) else None
    if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found < 1 << 48:
        raise ModelError(f"{where}: expected sizes from 0, got {visible(str(size)[:80])}")
    return found


# The program


class _Model:
    """One program, checked part by part."""

    def __init__(self, name: str, known: Collection[str]) -> None:
        self._name = name
        self._known = known
        self._nodes = 0
        self._unknown: dict[str, None] = {}

    def checked(self, model: Json) -> dict[str, Json]:
        """The program without what is not needed."""
        whole = _dict(model, _MODEL, self._name)
        module = _dict(whole.get("graph_module"), _MODEL, self._name)
        kept: dict[str, Json] = {
            **whole,
            "graph_module": {
                **module,
                "graph": self._plain(module.get("graph")),
                "metadata": {},
                "module_call_graph": self._calls(module.get("module_call_graph")),
                "signature": self._plain(module.get("signature")),
            },
            "guards_code": [],
            "range_constraints": {},
        }
        if self._unknown:
            raise UnsupportedError(
                f"{self._name}: expected operators that are supported, or decomposed by PyTorch into such, got "
                f"{_listed(self._unknown)}"
            )
        return kept

    def _plain(self, value: Json) -> Json:
        """The same with numbers for sizes, after a look at each operator and argument."""
        if isinstance(value, list):
            return [self._plain(entry) for entry in value]
        if not isinstance(value, dict):
            return value
        if "as_expr" in value:
            return self._fixed(value["as_expr"])
        for key, what in _REFUSED.items():
            if value.get(key) is not None:
                raise UnsupportedError(f"{self._name}: expected tensors and numbers, got {what}")
        if value.get("custom_obj_values"):
            raise UnsupportedError(
                f"{self._name}: expected tensors and numbers, got objects of other classes"
            )
        if "target" in value and "inputs" in value:
            value = self._node(value)
        return {key: self._plain(entry) for key, entry in value.items()}

    def _fixed(self, expression: Json) -> Json:
        """The number that an expression of sizes was when the program was exported. Its text would be evaluated."""
        hint = expression.get("hint") if isinstance(expression, dict) else None
        if isinstance(hint, dict) and len(hint) == 1:
            (number,) = hint.values()
            if isinstance(number, (bool, int, float)):
                return dict(hint)
        raise UnsupportedError(
            f"{self._name}: expected sizes that are fixed, or those of an example, got some that depend on elements"
        )

    def _node(self, node: Mapping[str, Json]) -> dict[str, Json]:
        """Without what is only told about it, but the module that it is in."""
        self._nodes += 1
        if self._nodes > _MOST_NODES:
            raise UnsupportedError(
                f"{self._name}: expected a network for a microcontroller of at most {_MOST_NODES:,} operators"
            )
        self._check_target(node.get("target"))
        metadata = node.get("metadata")
        stack = metadata.get("nn_module_stack") if isinstance(metadata, dict) else None
        kept: dict[str, Json] = {"nn_module_stack": stack} if isinstance(stack, str) else {}
        return {**node, "metadata": kept}

    def _check_target(self, target: Json) -> None:
        """An operator by its name; what looks like another path of attributes never gets to PyTorch."""
        if not isinstance(target, str):
            raise ModelError(f"{self._name}: expected the name of an operator, got {target!r:.80}")
        if target in _PYTHON or target in _SYMBOLIC or target in _WRAPPERS:
            return
        match = _OPERATOR.fullmatch(target)
        if match is None or "__" in match[2] or not self._is_known(match[1]):
            self._unknown[target.removeprefix("torch.ops.")] = None

    def _is_known(self, name: str) -> bool:
        """Operators that change an operand are called as those that do not, with a line behind; those that Python's
        signs stand for, such as `aten.__and__`, have their whole names in the list.
        """
        return name in self._known or ("__" not in name and name.rstrip("_") in self._known)

    def _calls(self, calls: Json) -> Json:
        """How the whole is called, which says the outputs' names."""
        entries = (
            [_dict(entry, _MODEL, self._name) for entry in calls] if isinstance(calls, list) else []
        )
        kept: list[Json] = []
        for entry in entries:
            if entry.get("fqn") != "":
                continue
            signature = entry.get("signature")
            if isinstance(signature, dict):
                self._check_tree(signature.get("in_spec"))
                self._check_tree(signature.get("out_spec"))
                signature = self._plain(signature)
            kept.append({"fqn": "", "signature": signature})
        return kept

    def _check_tree(self, text: Json) -> None:
        """Tuples, lists and dicts, whose keys are texts and numbers: those of other classes would be looked up."""
        tree = _decoded(str(text).encode(), "the tree of its arguments", self._name)
        waiting: list[Json] = tree[1:] if isinstance(tree, list) else [None]
        while waiting:
            entry = _dict(waiting.pop(), _MODEL, self._name)
            kind, context, children = (
                entry.get(key) for key in ("type", "context", "children_spec")
            )
            keys = None if context is None else _decoded(str(context).encode(), "keys", self._name)
            is_plain = keys is None or (
                isinstance(keys, list) and all(isinstance(key, (int, str)) for key in keys)
            )
            if kind not in _TREES or not is_plain or not isinstance(children, list):
                raise UnsupportedError(
                    f"{self._name}: expected inputs and outputs in tuples, lists and dicts, got {visible(str(kind))}"
                )
            waiting += children


# JSON


def _decoded(data: bytes, path: str, name: str) -> Json:
    try:
        return cast(Json, json.loads(data))
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{name}: {path}: expected JSON, got other data ({error})") from error


def _encoded(value: Json) -> bytes:
    return json.dumps(value).encode()


def _dict(value: Json, path: str, name: str) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise ModelError(f"{name}: {path}: expected an object, got {visible(str(value)[:80])}")
    return value


def _listed(names: Iterator[str] | Collection[str]) -> str:
    found = sorted(map(visible, names))
    shown = ", ".join(found[:12])
    return f"{shown} and {len(found) - 12} more" if len(found) > 12 else shown or "none"
