"""Integers out of a code of them; passes make it, for constants that flash would hold as they are."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tinsmith_ir.boxes import Box
from tinsmith_ir.compression import Compression, decompress
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import EvaluationError, GraphError
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Operand, Operator, Restriction, Types, required
from tinsmith_ir.types import TensorType


@dataclass(frozen=True)
class Decompress(Operator):
    """int8 of `shape`, row by row, out of their code: bytes as plain uint8. See `tinsmith_ir.compression`.

    Of a Rice code they are the first integers; an LZ4 block has no more.
    """

    mnemonic: ClassVar[str] = "decompress"
    operands: ClassVar[tuple[Operand, ...]] = (Operand("code"),)

    compression: Compression = Compression.RICE
    shape: tuple[int, ...] = ()

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """int8 of `shape`."""
        checks.check_rank(checks.present(inputs, 0, "code"), 1, "code")
        return (TensorType(self.shape, DType.INT8),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """Plain uint8; the result may have any quantization, or none."""
        code = checks.present(inputs, 0, "code")
        checks.check_dtype(code, (DType.UINT8,), "code")
        checks.check_dtype(outputs[0], (DType.INT8,), "result")
        if code.quantization is not None:
            raise GraphError("expected a code without quantization")

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Of a Rice code, what comes first: nothing is known of where others begin."""
        code, whole = checks.present(inputs, 0, "code"), outputs[0].shape
        rows = Box.whole(whole).with_range(0, 0, box.ranges[0][1])
        if self.compression is not Compression.RICE or box != rows:
            return None
        return Restriction(replace(self, shape=box.shape), (Box.whole(code.shape),))

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Raises EvaluationError for bytes that are no code of so many integers."""
        try:
            data = decompress(
                required(arrays, 0).tobytes(), math.prod(self.shape), self.compression
            )
        except ValueError as error:
            raise EvaluationError(f"decompress: {error}") from None
        return (np.frombuffer(data, np.int8).reshape(self.shape),)
