"""The sign-flip test: could a sum of paired differences be chance?"""

import math

import numpy as np

from alee_mteb.tacc import Floats

#: Up to this many differences of unequal size, the test goes through all 2^n signs; beyond, it is asymptotic.
_EXACT = 12
#: Equal parts summed in another order differ by less than this; one triplet of a million counts for more.
_DUST = 1e-14


def sign_flip_p(differences: Floats) -> float:
    """Two-sided p of a sum of paired differences, shape (R,), were each as likely to have the other sign.

    Exact where all differences that are not zero have one size (one perturbation of one language: McNemar's exact
    test), and for up to 12 of any size; else by the normal distribution with variance Σ d². 1 where nothing differs.
    """
    present = differences[np.abs(differences) > _DUST]
    if not present.size:
        return 1.0
    sizes = np.abs(present)
    if float(sizes.max() - sizes.min()) <= 1e-9 * float(sizes.max()):
        return _binomial_p(int((present > 0).sum()), present.size)
    total = abs(float(present.sum()))
    if present.size <= _EXACT:
        signs = 1 - 2 * ((np.arange(2**present.size)[:, None] >> np.arange(present.size)) & 1)
        return float((np.abs(signs @ present) >= total * (1 - 1e-9) - 1e-15).mean())
    return math.erfc(total / math.sqrt(2 * float(np.square(present).sum())))


def _binomial_p(heads: int, n: int) -> float:
    """Two-sided p of that many heads in n tosses of a fair coin."""
    fewer = min(heads, n - heads)
    logs = [_log_choose(n, k) - n * math.log(2) for k in range(fewer + 1)]
    return min(1.0, 2 * math.fsum(math.exp(one) for one in logs))


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
