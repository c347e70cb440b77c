"""Training an encoder with SALT or a baseline: configuration, loop, checkpoints, logs (DESIGN.md §5)."""
