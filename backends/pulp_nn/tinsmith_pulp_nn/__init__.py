"""The back end for PULP clusters: int8 kernels that eight cores share."""

from tinsmith_pulp_nn.backend import PulpNnBackend

__all__ = ["PulpNnBackend"]
