"""The page docs/supported_ops.md: `python -m tinsmith_driver.manual > docs/supported_ops.md`."""

from tinsmith_lowering import supported_operators

from tinsmith_driver.plugins import registry

_HEAD = """# Supported operators

Written from the kernels' declarations by `python -m tinsmith_driver.manual`; a test keeps it fresh.
Kernels of an operator stand in order of preference; a layer gets the first whose element types and rules
it obeys. The rules are also the text of the errors. Which shapes and attributes an operator may have at
all is the business of [the IR](../ir/README.md).

"""

# Its table is the longest: targets without SIMD have fewer rules.
_TARGET = "cortex-m4"


def supported_operators_page() -> str:
    """The whole page."""
    chosen = registry().target(_TARGET)
    return _HEAD + supported_operators(registry().kernels(chosen, None, packed=True))


if __name__ == "__main__":
    print(supported_operators_page(), end="")
