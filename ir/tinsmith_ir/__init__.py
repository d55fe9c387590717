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
from tinsmith_ir.evaluate import evaluate_frames, evaluate_graph
from tinsmith_ir.expressions import Expression
from tinsmith_ir.graph import Array, Constant, Graph, Location, Node, State, Value
from tinsmith_ir.layouts import ElementLayout
from tinsmith_ir.operators import *  # noqa: F403 (its __all__ is the list of operators)
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.passes import (
    BIT_EXACT,
    AnyPass,
    BitExact,
    Contract,
    DetailedPass,
    GraphPass,
    LoweringPass,
    Metric,
    Outcome,
    Pass,
    PassRecord,
    ProgramPass,
    Retyped,
    Tolerance,
)
from tinsmith_ir.pipeline import Pipeline, PipelineResult
from tinsmith_ir.places import Places, places
from tinsmith_ir.printer import print_graph, print_node
from tinsmith_ir.program import (
    Buffer,
    Call,
    ConstantBuffer,
    Copy,
    Engine,
    Fill,
    Guard,
    Kept,
    Loop,
    Memory,
    Option,
    Overlap,
    Program,
    Ring,
    SimpleStep,
    Step,
    View,
    Wait,
    dense_strides,
    tensor,
    unrolled,
)
from tinsmith_ir.program_parser import parse_program
from tinsmith_ir.program_printer import print_overlap, print_program, print_step
from tinsmith_ir.rewrite import Pattern, Rewrite, apply_patterns, erase_dead
from tinsmith_ir.simulate import evaluate_program, evaluate_program_frames
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_ir.verify import verify_graph, verify_program

__all__: list[str] = [
    "BIT_EXACT",
    "AnyPass",
    "ArgumentError",
    "Array",
    "BitExact",
    "Box",
    "Buffer",
    "Call",
    "Constant",
    "ConstantBuffer",
    "Contract",
    "Copy",
    "DType",
    "DetailedPass",
    "DoesNotFitError",
    "ElementLayout",
    "Engine",
    "EvaluationError",
    "Expression",
    "Fill",
    "Graph",
    "GraphError",
    "GraphPass",
    "Guard",
    "Kept",
    "Location",
    "Loop",
    "LoweringPass",
    "Memory",
    "Metric",
    "ModelError",
    "Node",
    "Option",
    "Outcome",
    "Overlap",
    "ParseError",
    "Pass",
    "PassRecord",
    "Pattern",
    "Pipeline",
    "PipelineResult",
    "Places",
    "Program",
    "ProgramPass",
    "Quantization",
    "Retyped",
    "Rewrite",
    "Ring",
    "SimpleStep",
    "State",
    "Step",
    "TensorType",
    "TinsmithError",
    "Tolerance",
    "UnsupportedError",
    "UsageError",
    "Value",
    "View",
    "Wait",
    "apply_patterns",
    "cut_type",
    "dense_strides",
    "erase_dead",
    "evaluate_frames",
    "evaluate_graph",
    "evaluate_program",
    "evaluate_program_frames",
    "parse_graph",
    "parse_program",
    "places",
    "print_graph",
    "print_node",
    "print_overlap",
    "print_program",
    "print_step",
    "tensor",
    "unrolled",
    "verify_graph",
    "verify_program",
]
__all__ += _operators.__all__
