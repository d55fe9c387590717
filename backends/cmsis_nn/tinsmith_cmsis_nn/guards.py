"""The C that refuses a compiler for another CPU than a network's weights and scratch are arranged for.

It asks the compiler's feature macros, as `tinsmith_nn_implementation.h` does, and Arm's own library too, whose headers
know nothing of ours.
"""

from tinsmith_target import Target

from tinsmith_cmsis_nn.common import implementation
from tinsmith_cmsis_nn.packing import Implementation

_FORCED = "!defined(TINSMITH_NN_FORCE_C)"
_BUILT_IF: dict[Implementation, str] = {
    "mve": f"defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 1) && {_FORCED}",
    "dsp": f"defined(__ARM_FEATURE_DSP) && {_FORCED}",
}
"""In the order in which the kernels ask; plain C if neither holds."""

_KERNELS: dict[Implementation, str] = {
    "mve": "MVE",
    "dsp": "DSP",
    "c": "plain C",
}
_BRANCHES: tuple[tuple[str, Implementation], ...] = (
    ("#if", "mve"),
    ("#elif", "dsp"),
    ("#else", "c"),
)


def guards(target: Target) -> tuple[str, ...]:
    """For kernels whose constants or scratch depend on the implementation: `Kernel.guards`."""
    wanted = implementation(target)
    lines = [
        f"// Weights and scratch are arranged for {_KERNELS[wanted]} kernels; compiler flags choose the kernels."
    ]
    branches = _BRANCHES[:-1] if wanted == "c" else _BRANCHES
    for directive, found in branches:
        lines.append(f"{directive} {_BUILT_IF[found]}" if found in _BUILT_IF else directive)
        if found != wanted:
            lines.append(_refusal(target.name, _KERNELS[wanted], _KERNELS[found]))
    return ("\n".join([*lines, "#endif"]),)


def _refusal(name: str, wanted: str, found: str) -> str:
    """One line, no longer than others. GCC turns MVE off unless floats are passed in registers."""
    return (
        f'#error "generated for {name} ({wanted} kernels), but compiled for {found} kernels: '
        'wrong -mcpu, -mfloat-abi or --target"'
    )
