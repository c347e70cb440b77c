"""All rules of SALT §4 and C.5 on what is trained on, in one call."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic

from alee_mteb.errors import DataError
from salt.data.filters import (
    Item,
    by_languages,
    cap_languages,
    filter_lengths,
    measure,
    pair_of,
    scores_near_mean,
)
from salt.data.languages import touches_test
from salt.data.packing import Lengths
from salt.data.sampling import LanguagePair
from salt.encoders.base import TokenEncoder


@dataclass(frozen=True)
class SelectionSettings:
    """Which pairs are trained on.

    Attributes:
        test_languages_only: keep only language pairs that touch one of the 57 test languages (§4).
        max_pairs: at most so many pairs of a language pair (§4: 40,000); ``None``: all.
        deviations: drop pairs whose score is further from the mean of their language pair than so many standard
            deviations (§4: 1); ``None``: no score filter.
        max_tokens: drop pairs with more tokens on either side (C.5: 512).
        seed: of the choice under `max_pairs`.
    """

    test_languages_only: bool = False
    max_pairs: int | None = 40_000
    deviations: float | None = None
    max_tokens: int = 512
    seed: int = 0


@dataclass(frozen=True)
class Selected(Generic[Item]):
    """What is trained on.

    Attributes:
        items: by language pair, in their order.
        lengths: source and target tokens of each item; empty if nothing was measured.
        dropped: how many each rule left out: ``language``, ``cap``, ``length``, ``score``.
        read: how many there were.
    """

    items: dict[LanguagePair, list[Item]]
    lengths: dict[LanguagePair, list[Lengths]]
    dropped: dict[str, int] = field(default_factory=dict)
    read: int = 0

    @property
    def kept(self) -> int:
        """How many are left."""
        return sum(map(len, self.items.values()))


def select(
    items: Iterable[Item],
    encoder: TokenEncoder | None = None,
    settings: SelectionSettings | None = None,
    *,
    score: Callable[[list[Item]], list[Item]] | None = None,
    progress: Callable[[int], object] | None = None,
) -> Selected[Item]:
    """Apply language rule, cap, length filter and score filter, in this order.

    Args:
        items: pairs, or pairs with spans.
        encoder: whose tokenizer measures lengths; without one nothing is measured, and none is too long.
        settings: which rules.
        score: gives the items new scores, in order, before the score filter (such as BLASER's).
        progress: told how many more texts are measured.

    Raises:
        DataError: nothing is left; says what each rule left out.
    """
    settings = settings or SelectionSettings()
    counts = Counter[str]()
    tested = _of_tested_languages(items, counts, only=settings.test_languages_only)
    if settings.max_pairs is None:
        kept, over = list(tested), 0
    else:
        kept, over = cap_languages(tested, settings.max_pairs, settings.seed)  # holds no more than it keeps
    dropped = {"language": counts["language"], "cap": over, "length": 0, "score": 0}
    lengths: dict[int, Lengths] = {}
    if encoder is not None:
        longest = min(settings.max_tokens, encoder.max_tokens)
        kept, measured, dropped["length"] = filter_lengths(kept, measure(encoder, kept, progress), longest)
        lengths = dict(enumerate(measured))
    if score is not None:
        kept = score(kept)
    if settings.deviations is not None:
        stays = scores_near_mean(kept, settings.deviations)
        lengths = {at: length for at, length in lengths.items() if stays[at]}
        dropped["score"] = len(kept) - sum(stays)
        kept = [item for item, stay in zip(kept, stays, strict=True) if stay]
    if not kept:
        told = ", ".join(f"{rule} {count}" for rule, count in dropped.items())
        raise DataError(f"no pair left of {counts['read']} read; dropped by rule: {told}")
    return _grouped(kept, list(lengths.values()), dropped, counts["read"])


def _of_tested_languages(items: Iterable[Item], counts: Counter[str], *, only: bool) -> Iterator[Item]:
    for item in items:
        counts["read"] += 1
        if only and not touches_test(pair_of(item).languages):
            counts["language"] += 1
        else:
            yield item


def _grouped(kept: Sequence[Item], lengths: Sequence[Lengths], dropped: dict[str, int], total: int) -> Selected[Item]:
    of_items: dict[LanguagePair, list[Lengths]] = defaultdict(list)
    for item, length in zip(kept, lengths, strict=False):  # no lengths at all without an encoder
        of_items[pair_of(item).languages].append(length)
    return Selected(by_languages(kept), dict(of_items), dropped, total)
