"""The CMSIS-NN backend: int8 kernels for Cortex-M (and plain C anywhere) behind Arm's public names."""

from tinsmith_cmsis_nn.backend import CmsisNnBackend, backend

__all__ = ["CmsisNnBackend", "backend"]
