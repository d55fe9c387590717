"""The reference backend: every operator on any CPU, by plain C kernels."""

from tinsmith_reference.backend import ReferenceBackend, backend

__all__ = ["ReferenceBackend", "backend"]
