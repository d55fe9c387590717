"""The error of what a TFLite file cannot say."""

from tinsmith_ir.errors import UnsupportedError


class RefusalError(UnsupportedError):
    """What TFLite cannot say of one node, and what to do; the exporter adds the node's text."""
