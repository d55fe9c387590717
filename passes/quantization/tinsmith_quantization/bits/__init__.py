"""Bits of each layer's weights, chosen for budgets."""
