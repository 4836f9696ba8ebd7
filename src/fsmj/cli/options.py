"""Options that several commands share: a dataclass of options stands for its fields."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

if TYPE_CHECKING:
    from fsmj.corpus import TokenRule

_TEXT, _WORDS, _METHOD = "The data", "What a word is", "The method"

Data = Annotated[
    list[str],
    typer.Argument(
        help="Files (CSV, TSV, JSON lines, Parquet, also compressed), patterns, folders, "
        "counts made by fsmj count, or - for standard input.",
        show_default=False,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]

Method = Literal["fsmj", "df", "ig", "chi2", "rs", "cet", "ngl", "mi", "cll", "cmim"]
Aggregate = Literal["max", "sum", "average"]


@dataclass(frozen=True)
class Reading:
    """Which documents to read."""

    text: Annotated[
        str | None,
        typer.Option(
            help="The column with the text; guessed if only one can be meant.",
            show_default=False,
            rich_help_panel=_TEXT,
        ),
    ] = None
    label: Annotated[
        str | None,
        typer.Option(
            help="The column with the label; guessed if only one can be meant.",
            show_default=False,
            rich_help_panel=_TEXT,
        ),
    ] = None
    label_separator: Annotated[
        str | None,
        typer.Option(
            help='What separates several labels in one column, such as ";".',
            show_default=False,
            rich_help_panel=_TEXT,
        ),
    ] = None
    min_docs: Annotated[
        int,
        typer.Option(
            min=1, help="Leave out words that fewer documents contain.", rich_help_panel=_TEXT
        ),
    ] = 1
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Refuse a file with unreadable rows instead of leaving them out.",
            rich_help_panel=_TEXT,
        ),
    ] = False


@dataclass(frozen=True)
class Memory:
    """How much memory counting may take."""

    memory_limit: Annotated[
        str | None,
        typer.Option(
            help="Such as 1GB: beyond it, counting goes on on disk.",
            show_default=False,
            rich_help_panel=_TEXT,
        ),
    ] = None


@dataclass(frozen=True)
class Words:
    """What a word is; as `fsmj.TokenRule`."""

    pattern: Annotated[
        str, typer.Option(help="A regular expression for a word.", rich_help_panel=_WORDS)
    ] = r"\w+"
    lowercase: Annotated[
        bool, typer.Option(help="Lower-case the text first.", rich_help_panel=_WORDS)
    ] = True
    stop_words: Annotated[
        str | None,
        typer.Option(
            help='"english", or a file with a word to leave out on each line.',
            show_default=False,
            rich_help_panel=_WORDS,
        ),
    ] = None
    ngrams: Annotated[
        int,
        typer.Option(min=1, help="2 counts words and pairs of words.", rich_help_panel=_WORDS),
    ] = 1
    min_length: Annotated[
        int, typer.Option(min=1, help="Leave out shorter words.", rich_help_panel=_WORDS)
    ] = 2
    marks: Annotated[
        bool,
        typer.Option(
            "--marks",
            help="Count combining marks as part of words: Indic scripts need it.",
            rich_help_panel=_WORDS,
        ),
    ] = False

    @property
    def rule(self) -> TokenRule:
        """The token rule that these options describe."""
        from fsmj.corpus import TokenRule

        return TokenRule(
            self.pattern,
            lowercase=self.lowercase,
            stop_words=_stop_words(self.stop_words),
            ngram_range=(1, self.ngrams),
            min_length=self.min_length,
            marks=self.marks,
        )


@dataclass(frozen=True)
class RankingMethod:
    """How to rank."""

    method: Annotated[
        Method,
        typer.Option(
            help="fsmj; a classical score; or cll and cmim, which need the documents.",
            rich_help_panel=_METHOD,
        ),
    ] = "fsmj"
    aggregate: Annotated[
        Aggregate,
        typer.Option(
            help="How the classical scores of the classes become one.", rich_help_panel=_METHOD
        ),
    ] = "max"
    reference: Annotated[
        Literal["mixture", "complement"],
        typer.Option(
            help="Compare a class with all classes, or with the others.", rich_help_panel=_METHOD
        ),
    ] = "mixture"
    weights: Annotated[
        Literal["uniform", "prior"],
        typer.Option(
            help="Let every class weigh the same, or by its documents.", rich_help_panel=_METHOD
        ),
    ] = "uniform"
    smoothing: Annotated[
        float,
        typer.Option(
            min=0, help="Added to every count by fsmj in ranking.", rich_help_panel=_METHOD
        ),
    ] = 0.0


def _stop_words(given: str | None) -> Any:
    if given is None or given == "english":
        return given or ()
    try:
        return Path(given).read_text(encoding="utf-8-sig").split()
    except UnicodeDecodeError:
        raise ValueError(f"{given}, the file of stop words, is not text in UTF-8") from None


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """Let each parameter that is a dataclass of options stand for its fields."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {
        name: kind for name, kind in hints.items() if dataclasses.is_dataclass(kind)
    }
    parameters = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name in groups:
            parameters += _parameters_of(groups[parameter.name])
        else:
            parameters.append(
                parameter.replace(
                    kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[parameter.name]
                )
            )

    @wraps(command)
    def run(**values: Any) -> None:
        for name, kind in groups.items():
            values[name] = kind(**{f.name: values.pop(f.name) for f in dataclasses.fields(kind)})
        command(**values)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _parameters_of(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=hints[field.name],
        )
        for field in dataclasses.fields(group)
    ]
