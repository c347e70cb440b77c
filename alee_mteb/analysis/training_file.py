"""A model's training data per language, from a file of the user's."""

from pathlib import Path

from alee_mteb.analysis.training_data import Amounts
from alee_mteb.errors import DataError
from alee_mteb.tables import TableReader

COLUMNS = ("language", "pretraining", "contrastive")


def load_amounts(path: Path) -> Amounts:
    """Amounts by language key, else by code (``deu_Latn``), else by ISO 639-3 code.

    The file is a table (CSV, TSV, JSONL, Parquet) with the columns of `COLUMNS`; an empty amount is unknown.

    Raises:
        DataError: a missing column, a language that is there twice, or an amount that is no number.
    """
    table = TableReader([path]).read(list(COLUMNS)).to_pylist()
    amounts: dict[str, tuple[float | None, float | None]] = {}
    for place, row in enumerate(table, start=1):
        language = str(row["language"] or "").replace("-", "_")
        if not language or language in amounts:
            raise DataError(f"{path}: row {place}: language {language!r} is {'twice there' if language else 'empty'}")
        amounts[language] = (_amount(row["pretraining"], path, place), _amount(row["contrastive"], path, place))

    def find(key: str, code: str) -> tuple[float | None, float | None]:
        for name in (key, code, code.split("_")[0]):
            if name in amounts:
                return amounts[name]
        return None, None

    return find


def _amount(value: object, path: Path, place: int) -> float | None:
    if value is None or str(value).strip() == "":
        return None
    try:
        number = float(str(value))
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise DataError(f"{path}: row {place}: {value!r} is not an amount of data; expected a number of at least 0")
    return number
