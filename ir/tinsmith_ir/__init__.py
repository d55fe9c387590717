"""Tinsmith's intermediate representation: Graph, Program, operators, verifier, evaluator, text."""

import tinsmith_ir.operators as _operators
from tinsmith_ir.boxes import Box, cut_type
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import (
    ArgumentError,
    DoesNotFitError,
    EvaluationError,
    GraphError,
    ModelError,
    ParseError,
    TinsmithError,
    UnsupportedError,
    UsageError,
)
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.graph import Array, Constant, Graph, Location, Node, Value
from tinsmith_ir.operators import *  # noqa: F403 (its __all__ is the list of operators)
from tinsmith_ir.parser import parse_graph, parse_program
from tinsmith_ir.passes import (
    BIT_EXACT,
    BitExact,
    Contract,
    NumericChange,
    Pass,
    PassRecord,
    Pipeline,
    PipelineResult,
    WarningPass,
)
from tinsmith_ir.printer import print_graph, print_node, print_program
from tinsmith_ir.program import (
    Barrier,
    Buffer,
    ConstantBuffer,
    DmaCopy,
    KernelCall,
    Memory,
    Program,
    Step,
)
from tinsmith_ir.rewrite import Pattern, Rewrite, apply_patterns, erase_dead
from tinsmith_ir.simulate import evaluate_program
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_ir.verify import verify_graph, verify_program

__all__: list[str] = [
    "BIT_EXACT",
    "ArgumentError",
    "Array",
    "Barrier",
    "BitExact",
    "Box",
    "Buffer",
    "Constant",
    "ConstantBuffer",
    "Contract",
    "DType",
    "DmaCopy",
    "DoesNotFitError",
    "EvaluationError",
    "Graph",
    "GraphError",
    "KernelCall",
    "Location",
    "Memory",
    "ModelError",
    "Node",
    "NumericChange",
    "ParseError",
    "Pass",
    "PassRecord",
    "Pattern",
    "Pipeline",
    "PipelineResult",
    "Program",
    "Quantization",
    "Rewrite",
    "Step",
    "TensorType",
    "TinsmithError",
    "UnsupportedError",
    "UsageError",
    "Value",
    "WarningPass",
    "apply_patterns",
    "cut_type",
    "erase_dead",
    "evaluate_graph",
    "evaluate_program",
    "parse_graph",
    "parse_program",
    "print_graph",
    "print_node",
    "print_program",
    "verify_graph",
    "verify_program",
]
__all__ += _operators.__all__
