"""The `tinsmith` command and what it is made of."""

from tinsmith_driver.cli import main

__all__ = ["main"]
