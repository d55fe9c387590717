"""Flash as a contract beside RAM: where the arena is too small, less is decompressed at once."""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

from tinsmith_ir.errors import ConstantsDoNotFitError, DoesNotFitError
from tinsmith_ir.passes import AnyPass
from tinsmith_ir.pipeline import PipelineResult

from tinsmith_driver.options import COMPRESSING

Run = Callable[[Sequence[AnyPass]], PipelineResult]

_LEAST_PIECE = 256
_OPTION = "tile_bytes"


def in_pieces(passes: Sequence[AnyPass], whole: Run, fitted: Run) -> PipelineResult:
    """What the passes make, the one that compresses constants being told to take smaller pieces where RAM is short.

    whole: runs passes so that tensors stay whole, fitted: so that rows stream where they have to, which costs more than
    smaller pieces do. Raises DoesNotFitError, of what takes least, where nothing fits.
    """
    told = [*_in_smaller_pieces(passes)]
    if len(told) == 1:
        return fitted(passes)
    refusals: list[DoesNotFitError] = []
    for one in told:
        try:
            return whole(one)
        except ConstantsDoNotFitError:
            if not refusals:
                raise
            break  # nor do they in smaller pieces
        except DoesNotFitError as error:
            refusals.append(error)
    for one in dict.fromkeys((0, len(refusals) - 1)):
        try:
            return fitted(told[one])
        except DoesNotFitError as error:
            refusals.append(error)
    raise min(refusals, key=lambda error: error.needed_bytes or sys.maxsize)


def _in_smaller_pieces(passes: Sequence[AnyPass]) -> Iterator[Sequence[AnyPass]]:
    """The passes as they are, and with half as large pieces again and again, if they compress anything."""
    yield passes
    size = next((getattr(found, _OPTION, 0) for found in passes if found.name == COMPRESSING), 0)
    while size > _LEAST_PIECE:
        size //= 2
        yield [_told(found, size) for found in passes]


def _told(found: AnyPass, size: int) -> AnyPass:
    if found.name != COMPRESSING:
        return found
    return cast("AnyPass", replace(cast("Any", found), **{_OPTION: size}))
