"""Ranges of tensors, by calibration, and which tensors have one."""
