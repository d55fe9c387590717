"""What learns by gradients: weights of few bits, and ranges."""
