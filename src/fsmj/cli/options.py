"""Options that several commands share: a dataclass of options stands for its fields."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from fsmj.methods.table import METHODS, method_named

if TYPE_CHECKING:
    from fsmj.tokens.rule import TokenRule

_PLACES = "Files (CSV, TSV, JSON lines, Parquet, also compressed), patterns, folders, "
Data = Annotated[
    list[str], typer.Argument(help=_PLACES + "counts made by fsmj count, or - for standard input.")
]
Documents = Annotated[list[str], typer.Argument(help=_PLACES + "or - for standard input.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but warnings and errors.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]

Against = Annotated[
    str | None, typer.Option("--class", help="Rank the words that tell this class from all others.")
]
Test = Annotated[list[str] | None, typer.Option(help="Measure on these documents.")]
Resamples = Annotated[
    int,
    typer.Option(
        min=0, show_default=False,
        help="Rank so many resampled corpora, such as 200, and say how sure each word is of its "
        "place among the first 100, or half of all where that is less.",
    ),
]  # fmt: skip

# The panels of the help text.
_data = partial(typer.Option, rich_help_panel="The data")
_words = partial(typer.Option, rich_help_panel="What a word is")
_ranking = partial(typer.Option, rich_help_panel="The method")


@dataclass(frozen=True)
class Reading:
    """Which documents to read."""

    text: Annotated[
        list[str] | None,
        _data(
            help="The column with the text; guessed if only one can be meant. Given several times, "
            "the columns are read one after the other, such as title and body."
        ),
    ] = None
    label: Annotated[
        list[str] | None,
        _data(
            help="The column with the label; guessed if only one can be meant.", metavar="COLUMN"
        ),
    ] = None
    label_separator: Annotated[
        str | None, _data(help='What separates several labels in one column, such as ";".')
    ] = None
    min_docs: Annotated[int, _data(min=1, help="Leave out words that fewer documents contain.")] = 1
    min_class_docs: Annotated[
        int, _data(min=1, help="Leave out classes that have fewer documents, and say which.")
    ] = 1
    skip_unlabelled: Annotated[
        bool, _data("--skip-unlabelled", help="Leave out documents without a label.")
    ] = False
    skip_missing: Annotated[
        bool, _data("--skip-missing", help="Leave out documents without a text.")
    ] = False
    encoding: Annotated[str, _data(help="Of text files, such as cp1252 or utf-16.")] = "utf-8"
    strict: Annotated[
        bool, _data("--strict", help="Refuse a file with any row that cannot be read.")
    ] = False

    def __post_init__(self) -> None:
        """Refuse a second label, of which one would be left out silently."""
        if self.label and len(self.label) > 1:
            given = " and ".join(map(repr, self.label))
            raise ValueError(f"--label names one column; leave out all but one of {given}")


MemoryLimit = Annotated[str | None, _data(help="Such as 1GB: beyond it, counting goes on on disk.")]


@dataclass(frozen=True)
class Words:
    """What a word is; as `fsmj.TokenRule`."""

    pattern: Annotated[str, _words(help="A regular expression for a word.")] = r"\w+"
    lowercase: Annotated[bool, _words(help="Lower-case the text first.")] = True
    stop_words: Annotated[
        str | None, _words(help='"english", or a file with a word to leave out on each line.')
    ] = None
    ngrams: Annotated[int, _words(min=1, help="2 counts words and pairs of words.")] = 1
    min_length: Annotated[int, _words(min=1, help="Leave out shorter words.")] = 2
    marks: Annotated[
        bool,
        _words("--marks", help="Count combining marks as part of words: Indic scripts need it."),
    ] = False
    characters: Annotated[
        bool,
        _words(
            "--characters",
            help="Count the characters of words, and with --ngrams 2 each two in a row: for "
            "languages without spaces.",
        ),
    ] = False

    @property
    def files(self) -> list[str]:
        """The files that these options name."""
        return [self.stop_words] if self.stop_words else []

    @property
    def rule(self) -> TokenRule:
        """The token rule that these options describe."""
        from fsmj.tokens.rule import TokenRule

        given = {**vars(self), "stop_words": _stop_words(self.stop_words)}
        return TokenRule(ngram_range=(1, given.pop("ngrams")), **given)


def _of_table(name: str) -> tuple[str, Any, Any]:
    """Return the command line's form of an option of methods: a field that may be left out."""
    having = {
        method: option
        for method, row in METHODS.items()
        for option in row.options
        if option.name == name and not row.variant_of
    }
    first = next(iter(having.values()))
    allowed = [*first.choices, *(["NUMBER"] if first.above is not None else [])]
    of = ", ".join(f"{method} (default {option.default})" for method, option in having.items())
    described = _ranking(help=f"{first.help} Of {of}.", metavar="|".join(allowed))
    return name, Annotated[str | None, described], None


_OPTIONS = list(dict.fromkeys(o.name for row in METHODS.values() for o in row.options))
_NEED_DOCUMENTS = [name for name, row in METHODS.items() if row.needs == "documents"]


class _Ranking:
    """How to rank: a method of the table, and its options."""

    method: str

    @property
    def options(self) -> dict[str, Any]:
        """The options that were given, read as the table says."""
        own = {option.name: option for option in method_named(self.method).options}
        every = {option.name: option for row in METHODS.values() for option in row.options}
        given = ((name, getattr(self, name)) for name in _OPTIONS)
        return {n: own.get(n, every[n]).read(text) for n, text in given if text is not None}

    @property
    def own_options(self) -> dict[str, Any]:
        """Those for the method: naive Bayes's constant may be given where the method has none."""
        known = {option.name for option in method_named(self.method).options}
        return {n: value for n, value in self.options.items() if n != "alpha" or n in known}


RankingMethod: Any = dataclasses.make_dataclass(
    "RankingMethod",
    [
        (
            "method",
            Annotated[
                str,
                _ranking(
                    metavar="METHOD",
                    autocompletion=lambda: list(METHODS),
                    help=f"One of {', '.join(METHODS)}. Of them {', '.join(_NEED_DOCUMENTS)} need "
                    "documents, not only counts.",
                ),
            ],
            "fsmj",
        ),
        *(_of_table(name) for name in _OPTIONS),
    ],
    bases=(_Ranking,),
    frozen=True,
)


def _stop_words(given: str | None) -> Any:
    if given is None or given == "english":
        return given or ()
    try:
        return Path(given).read_text(encoding="utf-8-sig").split()
    except FileNotFoundError:
        raise ValueError(
            f"there is no list of stop words {given!r}; give a file of words, or english"
        ) from None
    except UnicodeDecodeError:
        raise ValueError(f"{given}, the file of stop words, is not text in UTF-8") from None


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """Let each parameter that is a dataclass of options stand for its fields."""
    own = _parameters_of(command)
    groups: dict[str, Any] = {
        p.name: p.annotation for p in own if dataclasses.is_dataclass(p.annotation)
    }
    spread_out = (_parameters_of(groups[p.name]) if p.name in groups else [p] for p in own)
    parameters = [parameter for several in spread_out for parameter in several]

    @wraps(command)
    def run(**values: Any) -> None:
        for name, kind in groups.items():
            values[name] = kind(**{f.name: values.pop(f.name) for f in dataclasses.fields(kind)})
        command(**values)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _parameters_of(called: Callable[..., Any]) -> list[inspect.Parameter]:
    hints = get_type_hints(called, include_extras=True)
    return [
        parameter.replace(kind=parameter.KEYWORD_ONLY, annotation=hints[parameter.name])
        for parameter in inspect.signature(called).parameters.values()
    ]
