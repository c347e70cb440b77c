"""`alee pick`: which encoder to use for some languages."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from alee_mteb.analysis.pick import Advice, Candidate


def pick(
    results: Annotated[
        list[str] | None,
        typer.Argument(help="Results, and further languages; the folder `results` by default.", show_default=False),
    ] = None,
    languages: Annotated[
        list[str] | None,
        typer.Option("--languages", "-l", help="Keys, codes or English names; with spaces, commas, or repeated."),
    ] = None,
    published: Annotated[bool, typer.Option("--published", help="The paper's figures instead of results.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable output.")] = False,
) -> None:
    """Which encoder to use for these languages, with the evidence.

    Models that were scored on all of them, best first, with 95 % intervals, statistical ties, numbers of triplets,
    and what is missing.

    \b
    Examples:
      alee pick --languages roh_sursilv deu_Latn
      alee pick results other-results -l German,Japanese
      alee pick -l roh_puter --published --json
    """
    from pathlib import Path

    from alee_mteb.analysis import inputs
    from alee_mteb.analysis import pick as module
    from alee_mteb.errors import LanguageError, ResultsError

    places = [name for name in results or [] if _is_place(name)]
    wanted = [part for name in (languages or []) for part in name.split(",") if part.strip()]
    wanted += [part for name in results or [] if name not in places for part in name.split(",") if part.strip()]
    wanted = [name.strip() for name in wanted]
    if not wanted:
        raise LanguageError("no languages asked for; name some, e.g. --languages deu_Latn roh_sursilv")
    if published and places:
        raise ResultsError(f"--published and {places[0]} exclude each other")
    if published:
        advice = module.pick_published(wanted)
    elif not places and not Path("results").exists():
        raise ResultsError("no results folder here; name one, or take the paper's figures with --published")
    else:
        advice = module.pick(inputs.load([Path(name) for name in places or ["results"]]), wanted)
    typer.echo(as_json_text(advice) if as_json else as_text(advice))


def as_json_text(advice: "Advice") -> str:
    """Everything, numbers to six digits."""
    import json
    from dataclasses import asdict

    def rounded(value: object) -> object:
        if isinstance(value, dict):
            return {name: rounded(item) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [rounded(item) for item in value]
        return float(f"{value:.6g}") if isinstance(value, float) else value

    return json.dumps(rounded(asdict(advice)), indent=2, ensure_ascii=False, allow_nan=False)


def as_text(advice: "Advice") -> str:
    """A verdict, a table of the candidates, and what is missing."""
    from alee_mteb.analysis.output import table_text
    from alee_mteb.analysis.table import Row

    rows: list[Row] = []
    for one in advice.candidates:
        row: Row = {"rank": one.rank, "tie": _tie(one), "model": one.model}
        row["mean"] = _with_interval(one.mean, one.low, one.high)
        for cell in one.evidence:
            row[f"{cell.language} ({cell.dataset.removeprefix('ALEE-')})"] = _with_interval(
                cell.macro, cell.low, cell.high
            )
        if one.evidence[0].triplets is not None:
            row["triplets"] = sum(cell.triplets or 0 for cell in one.evidence)
        rows.append(row)
    lines = [_verdict(advice), "", table_text(rows).rstrip("\n"), ""]
    lines += [f"missing: no results for {name}" for name in advice.without_results]
    lines += [
        f"not ranked: {model} lacks {', '.join(names) or 'some of this data'}"
        for model, names in advice.incomplete.items()
    ]
    return "\n".join([*lines, *advice.notes])


def _verdict(advice: "Advice") -> str:
    best, *others = advice.candidates
    asked = ", ".join(advice.languages)
    ties = [one.model for one in others if one.ties_with_best]
    if not others:
        return f"{asked}: {best.model} is the only model with results (macro-TACC {best.mean:.3f})"
    if best.ties_with_best is None:
        return f"{asked}: {best.model} (macro-TACC {best.mean:.3f}) has the highest published score"
    if not ties:
        return f"{asked}: {best.model} (macro-TACC {best.mean:.3f}) is better than all {len(others)} others here"
    shown = ", ".join(ties[:5]) + (f" and {len(ties) - 5} more" if len(ties) > 5 else "")
    return f"{asked}: {best.model} (macro-TACC {best.mean:.3f}); not to be told from it: {shown}"


def _tie(one: "Candidate") -> str:
    return "" if one.ties_with_best is None else "=" if one.ties_with_best else ""


def _with_interval(value: float, low: float | None, high: float | None) -> str:
    interval = "" if low is None or high is None or low != low else f" [{low:.2f}, {high:.2f}]"
    return f"{value:.3f}{interval}"


def _is_place(name: str) -> bool:
    """Whether an argument names a folder or file rather than a language."""
    from pathlib import Path

    return Path(name).exists() or "/" in name or "\\" in name or name.endswith((".json", ".parquet"))
