"""Rewrites of the float network's channels, after which integers lose less: scaled, or split."""
