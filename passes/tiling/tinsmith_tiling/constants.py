"""Constants as kernels read them, and as one copy brings those of a part of the channels near."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_lowering import AsGiven, Kernel, Layer, Prepared

from tinsmith_tiling.ways import Cut

NEAR_ALIGNMENT = 4


@dataclass(frozen=True, eq=False)
class StagedConstants:
    """What the calls of a part of the channels read, one after the other, as one copy brings it near.

    data: int8. offsets: where each constant of each layer begins.
    """

    data: NDArray[np.int8]
    offsets: Mapping[tuple[int, str], int]

    def offset(self, layer: Layer, layout: str) -> int:
        """Of a constant that a layer's kernel prepares."""
        return self.offsets[id(layer), layout]


class Preparing:
    """What kernels make of the constants of layers, each layer's once: packing weights is work."""

    def __init__(self) -> None:
        # By identity; the layer is kept so that no other one gets its number.
        self._found: dict[int, tuple[Layer, tuple[Prepared | AsGiven, ...]]] = {}

    def of(self, kernel: Kernel, layer: Layer) -> tuple[Prepared | AsGiven, ...]:
        """Those of a layer of the kernel."""
        if id(layer) not in self._found:
            self._found[id(layer)] = layer, kernel.prepare(layer)
        return self._found[id(layer)][1]

    def staged(
        self, cut: Cut, part: int, layers: Sequence[Layer] | None = None
    ) -> StagedConstants | None:
        """None where the kernel reads constants as the graph has them, or none at all; those that it reads from a
        memory of their own are not among them.

        layers: some of the part's; None for all.
        """
        wanted = {id(layer): layer for layer in layers or cut.layers[part]}
        arrays: list[NDArray[np.int8]] = []
        known: dict[bytes, int] = {}
        offsets: dict[tuple[int, str], int] = {}
        end = 0
        for layer in wanted.values():
            prepared = self.of(cut.kernel, layer)
            if not all(isinstance(found, Prepared) for found in prepared):
                return None
            for found in copied(prepared):
                data = np.ascontiguousarray(found.data).reshape(-1).view(np.int8)
                key = data.tobytes()
                if key not in known:
                    known[key] = end
                    padding = -len(data) % NEAR_ALIGNMENT
                    arrays.append(np.concatenate([data, np.zeros(padding, np.int8)]))
                    end += len(data) + padding
                offsets[id(layer), found.layout] = known[key]
        return StagedConstants(np.concatenate(arrays), offsets) if arrays else None


def copied(prepared: Iterable[Prepared | AsGiven]) -> list[Prepared]:
    """What a kernel arranges and finds near, as it wants it in no memory of its own."""
    return [one for one in prepared if isinstance(one, Prepared) and not one.memory]
