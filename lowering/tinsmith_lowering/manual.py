"""The table of supported operators, written from the kernels' declarations."""

from collections.abc import Sequence

from tinsmith_ir.checked import checked
from tinsmith_ir.rounding import Rounding

from tinsmith_lowering.kernel import AS_THEY_LIE, Kernel, rule_text


@checked
def supported_operators(kernels: Sequence[Kernel]) -> str:
    """Markdown: one section per operator, its kernels in order of preference with types and rules."""
    operators = sorted({kernel.computes for kernel in kernels})
    sections = [_section(name, kernels) for name in operators]
    return "\n\n".join(sections) + "\n"


def _section(computed: str, kernels: Sequence[Kernel]) -> str:
    rows = [
        f"| `{kernel.name}` | {kernel.backend} | `{kernel.signature}` | {_rules(kernel)} |"
        for kernel in kernels
        if kernel.computes == computed
    ]
    head = ["| kernel | backend | element types | rules |", "|---|---|---|---|"]
    return "\n".join([f"### {computed}", "", *head, *rows])


def _rules(kernel: Kernel) -> str:
    weights = _WEIGHTS[kernel.asymmetric_weights]
    rounded = [] if kernel.roundings == (Rounding.TFLITE,) else [_rounded(kernel)]
    rules = map(rule_text, (*kernel.rules, *kernel.pays))
    lie = [AS_THEY_LIE] if kernel.as_they_lie else []
    return "; ".join([*weights, *rounded, *rules, *lie]) or "-"


_WEIGHTS = {
    False: (),
    True: ("Takes weights with a zero point other than 0",),
    None: ("Takes weights with any zero point",),
}


def _rounded(kernel: Kernel) -> str:
    width = ", with multipliers of less than 31 bits" if kernel.narrow else ""
    return f"Rounds by {' or '.join(rounding.value for rounding in kernel.roundings)}{width}"
