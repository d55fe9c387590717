"""Operators that are defined by others: functions of the model, and those of the `onnx` package's definitions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, cast

import numpy as np
import onnx
from onnx import AttributeProto, FunctionProto, NodeProto, defs, helper

from tinsmith_onnx.context import Item, TensorList, schema_of
from tinsmith_onnx.model_file import domain_of

Key = tuple[str, str, str]


class _Definition(Protocol):
    """What the package's declarations of its own types leave out."""

    has_function: bool
    has_context_dependent_function: bool
    function_opset_versions: list[int]
    context_dependent_function_opset_versions: list[int]

    def get_function_with_opset_version(self, version: int) -> bytes: ...

    def get_context_dependent_function_with_opset_version(
        self, version: int, node: bytes, types: list[bytes]
    ) -> bytes: ...


def functions_of(functions: Sequence[FunctionProto]) -> Mapping[Key, FunctionProto]:
    """The functions that a model brings, by domain, name and overload."""
    return {(each.domain, each.name, each.overload): each for each in functions}


def defined_function(
    node: NodeProto, operands: Sequence[Item | None], version: int
) -> FunctionProto | None:
    """What the `onnx` package says that an operator is made of; None if it says nothing."""
    found = schema_of(node.op_type, version, domain_of(node))
    if found is None:
        return None
    schema = cast("_Definition", found)
    if schema.has_function:
        body = _newest(schema.function_opset_versions, version)
        if body is None:
            return None
        text = schema.get_function_with_opset_version(body)
        return _with_defaults(FunctionProto.FromString(text), found)
    if schema.has_context_dependent_function:
        body = _newest(schema.context_dependent_function_opset_versions, version)
        if body is not None:
            types = [type_of(operand).SerializeToString() for operand in operands]
            text = schema.get_context_dependent_function_with_opset_version(
                body, node.SerializeToString(), types
            )
            return _with_defaults(FunctionProto.FromString(text), found)
    return None


def _with_defaults(function: FunctionProto, schema: defs.OpSchema) -> FunctionProto:
    """The function with what its operator says of attributes that a caller leaves out."""
    said = {attribute.name for attribute in function.attribute_proto}
    for name, attribute in schema.attributes.items():
        if name not in said and attribute.default_value.name:
            function.attribute_proto.add().CopyFrom(attribute.default_value)
    return function


def type_of(tensor: Item | None) -> onnx.TypeProto:
    """The type of a tensor or a sequence in the format's terms; an empty one for what is left out."""
    if tensor is None:
        return onnx.TypeProto()
    if isinstance(tensor, TensorList):
        return helper.make_sequence_type_proto(type_of(next(iter(tensor.tensors), None)))
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(tensor.dtype))
    return helper.make_tensor_type_proto(kind, tensor.shape)


def called(function: FunctionProto, node: NodeProto) -> list[NodeProto]:
    """The nodes of a function, with the attributes that its caller gives."""
    given = {attribute.name: attribute for attribute in function.attribute_proto}
    given |= {attribute.name: attribute for attribute in node.attribute}
    return [_bound(inner, given) for inner in function.node]


def _newest(versions: Iterable[int], limit: int) -> int | None:
    return max((version for version in versions if version <= limit), default=None)


def _bound(node: NodeProto, given: Mapping[str, AttributeProto]) -> NodeProto:
    """A node whose attributes refer to none of the function's; those that the caller leaves out are left out."""
    bound = NodeProto()
    bound.CopyFrom(node)
    del bound.attribute[:]
    for attribute in node.attribute:
        if attribute.ref_attr_name:
            if attribute.ref_attr_name in given:
                copy = bound.attribute.add()
                copy.CopyFrom(given[attribute.ref_attr_name])
                copy.name = attribute.name
            continue
        copy = bound.attribute.add()
        copy.CopyFrom(attribute)
        for graph in (copy.g, *copy.graphs) if copy.type in _GRAPHS else ():
            nodes = [_bound(inner, given) for inner in graph.node]
            del graph.node[:]
            graph.node.extend(nodes)
    return bound


_GRAPHS = (AttributeProto.GRAPH, AttributeProto.GRAPHS)
