"""Results that are put together or taken apart without moving a byte."""

from tinsmith_copy_elision.elide import ElideCopies, elide_copies

__all__ = ["ElideCopies", "elide_copies"]
