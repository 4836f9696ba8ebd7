"""The tables of docs/study.md, made from the study's numbers."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from fsmj.experiment.results import verdicts
from fsmj.experiment.sheets import markdown
from pages import filled
from study_results import BANDS, METHODS, Study, band_means, means, recommended
from study_runs import CLASSIFIERS, SIZES

_TIED = "\N{NO-BREAK SPACE}"
HEADINGS = [f"k{_TIED}={_TIED}{k}" for k in SIZES]


def fill(page: str, study: Study) -> str:
    """Put the tables between their markers."""
    return filled(page, TABLES, lambda name: TABLES[name](study))


def take(study: Study) -> str:
    """Say which method to take."""
    chosen = recommended(study)
    rows = [
        [band, classifier, *(f"`{_key(name)}`" for name in chosen.loc[(classifier, band)])]
        for band in BANDS
        for classifier in CLASSIFIERS
    ]
    return markdown(["how many words", "classifier", "from counts", "from documents"], rows)


def corpora(study: Study) -> str:
    """List the corpora, with the accuracy that naive Bayes has on all terms."""
    return markdown(
        ["corpus", "source", "training documents", "test documents", "classes", "terms",
         "naive Bayes with all terms"],
        [
            [name, source, *(f"{size:,}" for size in sizes), f"{all_terms:.3f}"]
            for name, source, *sizes, all_terms in study.corpora.to_numpy()
        ],
    )  # fmt: skip


def recommendation(study: Study) -> str:
    """Show the cross-validated accuracies from which the recommendation follows."""
    table, chosen = band_means(study), recommended(study)
    rows = []
    for classifier in CLASSIFIERS:
        for band in BANDS:
            reached = table.loc[classifier, band]
            best = set(chosen.loc[(classifier, band)])
            cells = [
                "–" if name not in reached else f"**{reached[name]:.3f}**" if name in best
                else f"{reached[name]:.3f}"
                for name in METHODS
            ]  # fmt: skip
            rows.append([f"{classifier}, {band}", *cells])
    return markdown(["cross-validated accuracy", *METHODS], rows)


def accuracy(classifier: str) -> Callable[[Study], str]:
    """Return a table: the mean test accuracy of every method, the best at each k in bold."""

    def table(study: Study) -> str:
        wide = means(study, "test_accuracy").loc[classifier].reindex(list(METHODS)).dropna()
        rows = [
            [str(name), *(_bold(f"{v:.3f}", f"{wide[k].max():.3f}") for k, v in row.items())]
            for name, row in wide.iterrows()
        ]
        return markdown(["mean test accuracy", *HEADINGS], rows)

    return table


def each_corpus(study: Study) -> str:
    """Show the test accuracies by corpus of methods that one may have to choose between."""
    shown = ["FSMJ", "Bound", "CMIM", "L1 SVM", "Logit", "CLL"]
    wide = study.accuracy.pivot_table(
        index=["corpus", "method"], columns=["k", "classifier"], values="test_accuracy", sort=False
    )
    rows = [
        [
            _in_one_piece(f"{corpus}: {method}"),
            *("<br>".join(f"{row[k, c]:.3f}" for c in CLASSIFIERS) for k in SIZES),
        ]
        for (corpus, method), row in wide.iterrows()
        if method in shown
    ]
    return markdown(["<br>".join(CLASSIFIERS), *HEADINGS], rows)


def tests(have: str) -> Callable[[Study], str]:
    """Return a table: on how many corpora the recommended method is ahead, open and behind."""

    def cell(rows: pd.DataFrame) -> str:
        if rows.empty:
            return "–"
        found = verdicts(rows)
        return f"{_TIED}·{_TIED}".join(
            str((found == verdict).sum()) for verdict in ("ahead", "open", "behind")
        )

    def table(study: Study) -> str:
        pairs = study.pairs[study.pairs["have"] == have]
        rows = []
        for classifier in CLASSIFIERS:
            for other in METHODS:
                part = pairs[(pairs["classifier"] == classifier) & (pairs["other"] == other)]
                if len(part):
                    cells = [cell(part[part["k"] == k]) for k in SIZES]
                    rows.append([f"{classifier}, against {other}", *cells])
        return markdown(["recommended method", *HEADINGS], rows)

    return table


def gap(one: str, other: str, classifier: str) -> Callable[[Study], str]:
    """Return a table: how far one method is ahead of another on the test parts."""

    def table(study: Study) -> str:
        part = study.accuracy[study.accuracy["classifier"] == classifier]
        wide = part.pivot_table(
            index="corpus", columns=["method", "k"], values="test_accuracy", sort=False
        )
        gaps = wide[one] - wide[other]
        gaps.loc["mean over the corpora"] = gaps.mean()
        rows = [[str(name), *map(_signed, row)] for name, row in gaps.iterrows()]
        return markdown([f"{one} − {other}, {classifier}", *HEADINGS], rows)

    return table


def choices(study: Study) -> str:
    """Count the corpora on which cross-validation chose each option and strength."""
    table = study.accuracy.assign(
        chosen=study.accuracy["classifier"] + ", " + study.accuracy["method"] + ": "
        + study.accuracy["option"]
    )  # fmt: skip
    table = table[table["option"] != ""]
    strength = study.accuracy[study.accuracy["strength"] > 0]
    strength = strength.assign(chosen="strength C = " + strength["strength"].map("{:g}".format))
    counted = pd.concat([table, strength]).groupby(["chosen", "k"]).size().unstack(fill_value=0)
    rows = [[str(name), *(str(row.get(k, 0)) for k in SIZES)] for name, row in counted.iterrows()]
    return markdown(["chosen", *HEADINGS], rows)


def seconds(study: Study) -> str:
    """Show how much CPU time the choice of words took, at most."""
    wide = study.accuracy.pivot_table(
        index="corpus", columns="method", values="seconds", aggfunc="max", sort=False
    )
    wide = wide.reindex(columns=list(METHODS)).dropna(axis=1)
    rows = [[str(name), *map(_two_digits, row)] for name, row in wide.iterrows()]
    return markdown(["seconds of CPU", *map(_in_one_piece, wide.columns)], rows)


def stability(study: Study) -> str:
    """Show how alike the words are that a method takes when documents are drawn anew."""
    wide = study.stability.pivot_table(
        index="corpus", columns="method", values="stability", sort=False
    )
    rows = [[str(name), *(f"{v:.2f}" for v in row)] for name, row in wide.iterrows()]
    return markdown(["stability", *map(_in_one_piece, wide.columns)], rows)


TABLES: dict[str, Callable[[Study], str]] = {
    "take": take,
    "corpora": corpora,
    "recommendation": recommendation,
    "naive-bayes": accuracy("naive Bayes"),
    "logistic-regression": accuracy("logistic regression"),
    "each-corpus": each_corpus,
    "tests-counts": tests("counts"),
    "tests-documents": tests("documents"),
    "logit-l1": gap("Logit", "L1 SVM", "logistic regression"),
    "bound-cmim": gap("Bound", "CMIM", "naive Bayes"),
    "choices": choices,
    "seconds": seconds,
    "stability": stability,
}


def _key(method: str) -> str:
    return {"Chi": "chi2", "L1 SVM": "LinearSVC, L1"}.get(method, method.lower())


def _signed(value: float) -> str:
    """Write a difference with its sign; one that rounds to nothing has none."""
    text = f"{value:+.3f}".replace("-", "\N{MINUS SIGN}")
    return text[1:] if float(text[1:]) == 0 else text


def _two_digits(value: float) -> str:
    return f"{value:#.2g}" if value < 10 else f"{value:.0f}"


def _in_one_piece(name: str) -> str:
    """Keep a line from breaking within a name."""
    return name.replace("-", "\N{NON-BREAKING HYPHEN}").replace(" ", _TIED)


def _bold(cell: str, best: str) -> str:
    return f"**{cell}**" if cell == best else cell
