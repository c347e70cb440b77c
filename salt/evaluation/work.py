"""The tasks of a run as units of work: what each needs encoded, and what it computes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from alee_mteb.errors import DataError
from salt.evaluation import mining, space, spans
from salt.evaluation.alignment import evaluate_alignment
from salt.evaluation.geometry import PROBE_SENTENCES
from salt.evaluation.gold import GoldSet
from salt.evaluation.multiparallel import Multiparallel
from salt.evaluation.probes import Probing, evaluate_labelling, evaluate_wic, planned_texts
from salt.evaluation.results import digest
from salt.evaluation.retrieval import evaluate_retrieval
from salt.evaluation.scores import Score
from salt.evaluation.sources import Sources
from salt.evaluation.states import StateStore

if TYPE_CHECKING:
    from salt.encoders.decoder import FrozenDecoder

MTEB = {"xnli": "XNLI", "sts17": "STS17", "massive-intent": "MassiveIntentClassification"}
TASKS = (
    "alignment", "word-retrieval", "massive", "pan-x", "udpos", "wic", "mcl-wic", "xl-wic", "xsim", "xsim++",
    "span-similarity", "span-translation", "geometry", "neighbours", "pca", *MTEB,
)  # fmt: skip
ENGLISH = "eng_Latn"
Found = tuple[list[Score], dict[str, Any]]


@dataclass(frozen=True)
class Options:
    """What the tasks of a run share.

    Attributes:
        layers: of tasks that report by layer (alignment, span similarity).
        layer: of all others, and the headline.
        probing: settings of the probes.
        probe_sentences: sentences a language gives to the language probe.
        queries: English words whose neighbours are listed.
        pca_sentence: number of the sentence whose words are projected.
        decoder: translates spans.
        seed: of every random choice.
    """

    layers: tuple[int, ...] = (-1,)
    layer: int = -1
    probing: Probing = field(default_factory=Probing)
    probe_sentences: int = PROBE_SENTENCES
    queries: tuple[str, ...] = ()
    pca_sentence: int | None = None
    decoder: "FrozenDecoder | None" = None
    seed: int = 0


@dataclass(frozen=True)
class Unit:
    """A part of a run.

    Attributes:
        id: unique; begins with the task.
        data: digest of its data.
        settings: what else its scores depend on, beside the model.
        texts: (language, texts, layers) it will ask states of.
        compute: the work.
    """

    id: str
    data: str
    settings: Mapping[str, Any]
    texts: Callable[[], Iterator[tuple[str, Sequence[str], Sequence[int]]]]
    compute: Callable[[StateStore], Found]


def units_of(sources: Sources, tasks: Sequence[str], options: Options) -> list[Unit]:
    """The units of the asked tasks, in the order of `TASKS`; of all that the data allow (without mteb's) if none is.

    Raises:
        DataError: an unknown task, an asked task without its data, or two sources of the same name.
    """
    unknown = [task for task in tasks if task not in TASKS]
    if unknown:
        raise DataError(f"unknown task {unknown[0]!r}: choose some of {', '.join(TASKS)}")
    made: list[Unit] = []
    for task in TASKS:
        if tasks and task not in tasks:
            continue
        if not tasks and task in MTEB:
            continue
        found = list(_units(task, sources, options))
        if not found and tasks:
            raise DataError(f"task {task}: {_needs(task)}")
        made += found
    seen: set[str] = set()
    for unit in made:
        if unit.id in seen:
            raise DataError(f"two data sources give {unit.id}: name one of them, or rename a file")
        seen.add(unit.id)
    return made


def _needs(task: str) -> str:
    if task == "span-translation":
        return "needs --data spans=FILE and --decoder MODEL"
    needs = {
        "alignment": "xl-wa, simalign, awesome-align or kftt",
        "word-retrieval": "xl-wa, simalign, awesome-align or kftt",
        "xsim": "flores",
        "xsim++": "flores and xsim++",
        "span-similarity": "spans",
        "geometry": "flores",
        "neighbours": "flores, and --query WORD",
        "pca": "flores, and --pca-sentence NUMBER",
    }
    return f"needs --data of kind {needs.get(task, task)}"


def _units(task: str, sources: Sources, options: Options) -> Iterator[Unit]:
    if task == "alignment":
        yield from (_alignment(one, options) for one in sources.gold)
    elif task == "word-retrieval" and sources.gold:
        yield _retrieval(sources.gold, options)
    elif task in sources.labelled or task in sources.words_in_context:
        yield from _probes(task, sources, options)
    elif task in ("xsim", "xsim++", "geometry", "neighbours", "pca"):
        for data in sources.multiparallel:
            yield from _multiparallel(task, data, sources, options)
    elif task in ("span-similarity", "span-translation"):
        yield from _spans(task, sources, options)
    elif task in MTEB:
        yield _mteb(task)


def _alignment(one: GoldSet, options: Options) -> Unit:
    def texts() -> Iterator[tuple[str, Sequence[str], Sequence[int]]]:
        yield one.source_language, [pair.source for pair in one.pairs], options.layers
        yield one.target_language, [pair.target for pair in one.pairs], options.layers

    return Unit(
        f"alignment/{one.name}/{one.language}",
        _gold_digest([one]),
        {"layers": options.layers, "seed": options.seed},
        texts,
        lambda store: (evaluate_alignment(one, store, options.layers, seed=options.seed), {}),
    )


def _retrieval(sets: Sequence[GoldSet], options: Options) -> Unit:
    def texts() -> Iterator[tuple[str, Sequence[str], Sequence[int]]]:
        for one in sets:
            yield one.source_language, [pair.source for pair in one.pairs], (options.layer,)
            yield one.target_language, [pair.target for pair in one.pairs], (options.layer,)

    return Unit(
        "word-retrieval/all",
        _gold_digest(sets),
        {"layer": options.layer, "seed": options.seed},
        texts,
        lambda store: (evaluate_retrieval(sets, store, options.layer, seed=options.seed), {}),
    )


def _probes(task: str, sources: Sources, options: Options) -> Iterator[Unit]:
    sets: Sequence[Any] = sources.labelled.get(task) or sources.words_in_context[task]
    evaluate = evaluate_labelling if task in sources.labelled else evaluate_wic
    data = digest([repr(one) for one in sets])
    for setting in options.probing.settings:
        probing = _with_setting(options.probing, setting)

        def compute(store: StateStore, probing: Probing = probing) -> Found:
            return evaluate(task, task, sets, store, options.layer, probing), {}

        def texts(probing: Probing = probing) -> Iterator[tuple[str, Sequence[str], Sequence[int]]]:
            for language, wanted in planned_texts(sets, probing):
                yield language, wanted, (options.layer,)

        settings = {
            "layer": options.layer,
            "recipe": probing.recipe.describe(),
            "limits": dict(probing.limits),
            "validation": probing.validation,
            "unseen": probing.unseen_labels,
            "seed": probing.seed,
        }
        yield Unit(f"{task}/{setting}", data, settings, texts, compute)


def _with_setting(probing: Probing, setting: str) -> Probing:
    from dataclasses import replace

    return replace(probing, settings=(setting,))


def _multiparallel(task: str, data: Multiparallel, sources: Sources, options: Options) -> Iterator[Unit]:
    layers = () if task in ("xsim", "xsim++") else (options.layer,)
    layer, seed = options.layer, options.seed

    def texts() -> Iterator[tuple[str, Sequence[str], Sequence[int]]]:
        for language, lines in data.texts.items():
            yield data.code(language), [line for line in lines if line], layers

    content = digest(data.texts)
    mined = {"k": mining.NEIGHBOURS, "seed": seed}
    words: dict[str, Any] = {"layer": layer, "seed": seed}
    if task == "xsim":
        yield Unit(f"xsim/{data.name}", content, mined, texts, _scores_of(mining.evaluate_xsim, data, seed=seed))
    elif task == "xsim++":
        for path, altered in sources.altered:
            compute = _scores_of(mining.evaluate_xsimpp, data, altered, seed=seed)
            both = digest([content, repr(altered.rows)])
            yield Unit(f"xsim++/{data.name}/{path.stem}", both, mined, texts, compute)
    elif task == "geometry":
        n = options.probe_sentences
        compute = _scores_of(space.evaluate_geometry, data, layer=layer, probe_sentences=n, seed=seed)
        yield Unit(f"geometry/{data.name}", content, words | {"probe_sentences": n}, texts, compute)
    elif task == "neighbours":
        for query in options.queries:
            compute = _extra_of("neighbours", space.evaluate_neighbours, data, query=query, layer=layer)
            yield Unit(f"neighbours/{data.name}/{query}", content, words, texts, compute)
    elif options.pca_sentence is not None:
        number = options.pca_sentence
        compute = _extra_of("pca", space.projection, data, number=number, layer=layer)
        yield Unit(f"pca/{data.name}/{number}", content, words, texts, compute)


def _scores_of(task: Callable[..., list[Score]], *data: Any, **settings: Any) -> Callable[[StateStore], Found]:
    """A unit's work out of a task that gives scores."""
    return lambda store: (task(*data, store=store, **settings), {})


def _extra_of(name: str, task: Callable[..., Any], *data: Any, **settings: Any) -> Callable[[StateStore], Found]:
    """A unit's work out of a task that gives a table or coordinates."""
    return lambda store: ([], {name: task(*data, store=store, **settings)})


def _spans(task: str, sources: Sources, options: Options) -> Iterator[Unit]:
    decoder = options.decoder
    if task == "span-translation" and decoder is None:
        return
    for one in sources.spans:
        layers: tuple[int, ...] = options.layers if task == "span-similarity" else (-1,)

        def texts(one: spans.SpanSet = one, layers: tuple[int, ...] = layers) -> Iterator[Any]:
            yield one.source_language, [pair.pair.source for pair in one.pairs], layers
            yield one.target_language, [pair.pair.target for pair in one.pairs], layers

        def compute(store: StateStore, one: spans.SpanSet = one) -> Found:
            if decoder is None or task == "span-similarity":
                return spans.evaluate_span_similarity(one, store, options.layers, options.seed), {}
            made, references = spans.translate_spans(one, store, decoder)
            return spans.translation_scores(one, made, references, options.seed), {"translations": made}

        settings = {"layers": layers, "seed": options.seed, "decoder": decoder.name if decoder else None}
        yield Unit(f"{task}/{one.name}/{one.language}", digest(repr(one)), settings, texts, compute)


def _mteb(task: str) -> Unit:
    def compute(store: StateStore) -> Found:
        from salt.evaluation.mteb_tasks import evaluate_mteb

        return evaluate_mteb(store, (MTEB[task],)), {}

    return Unit(f"mteb/{MTEB[task]}", MTEB[task], {}, lambda: iter(()), compute)


def _gold_digest(sets: Sequence[GoldSet]) -> str:
    return digest(
        [
            [one.name, one.language, [[p.source, p.target, sorted(p.sure), sorted(p.possible)] for p in one.pairs]]
            for one in sets
        ]
    )
