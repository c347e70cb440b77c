"""The learning rate over time (paper, Appendix C.5)."""

import math


def warmup_cosine(step: int, warmup: int, total: int) -> float:
    """The factor on the peak learning rate at update `step` (from 0): linear warm-up, then a cosine down to zero.

    The first update already moves the weights (factor 1 / warmup); the factor would be zero at update `total`, the
    one after the last.
    """
    if step < warmup:
        return (step + 1) / warmup
    if step >= total:
        return 0.0
    return 0.5 * (1.0 + math.cos(math.pi * (step - warmup) / (total - warmup)))
