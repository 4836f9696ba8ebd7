"""What the study found, as four small tables: corpora, accuracies, paired tests, a check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple, Self

import pandas as pd

from fsmj.experiment import Candidate, Problem
from fsmj.experiment.results import bits
from fsmj.experiment.runs import COMPARED_AT
from fsmj.experiment.sheets import write_csv
from fsmj.experiment.significance import holm, mcnemar

METHODS = ["CLL", "FSMJ", "FSMJ, with rest cell", "IG", "Chi", "CMIM"]  # as tables list them
REFERENCES = ("CLL", "FSMJ")  # each is tested against all the others
BANDS = {
    "up to 100 terms": [k for k in COMPARED_AT if k <= 100],
    "more than 100 terms": [k for k in COMPARED_AT if k > 100],
}


class Study(NamedTuple):
    """The study's numbers; all tables and figures of its page are made from these."""

    corpora: pd.DataFrame
    """corpus, source, n_train, n_test, n_classes, n_terms, all_terms: accuracy with all of them."""
    accuracy: pd.DataFrame
    """corpus, method, k, choice, cv_accuracy, test_accuracy, test_macro_f1, seconds to rank."""
    pairs: pd.DataFrame
    """corpus, k, reference, other, wins, losses (of the reference), p, p_holm."""
    transfer: pd.DataFrame
    """corpus, method, k; accuracy held_out and on the test, both trained on two of three folds."""

    def write(self, folder: Path) -> None:
        """Write the tables as CSV."""
        for table, path in zip(self, _paths(folder), strict=True):
            write_csv(table, path)

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read what `write` wrote."""
        return cls(*(pd.read_csv(path, keep_default_na=False) for path in _paths(folder)))


def study_of(
    sources: Mapping[str, Sequence[Problem]], measured: pd.DataFrame, transfer: pd.DataFrame
) -> Study:
    """Put the tables together.

    Parameters
    ----------
    sources : mapping of str to sequence of Problem
        The corpora, by where their documents come from.
    measured : pandas.DataFrame
        From `study_runs.look_at_test`.
    transfer : pandas.DataFrame
        From `study_runs.transfer_of`.
    """
    corpora = pd.DataFrame(
        _described(problem, source) for source, problems in sources.items() for problem in problems
    )
    place = {name: number for number, name in enumerate([*corpora["corpus"], *METHODS])}
    named = (
        _named(measured)
        .sort_values("k")
        .sort_values(["corpus", "method"], key=lambda column: column.map(place), kind="stable")
    )
    n_test = corpora.set_index("corpus")["n_test"]
    groups = named.groupby("corpus", sort=False)
    pairs = pd.concat([_pairs(t, n_test[str(name)]) for name, t in groups], ignore_index=True)
    return Study(corpora, named.drop(columns="right"), pairs, _checked(transfer))


def mean_ranks(study: Study) -> pd.DataFrame:
    """Rank the methods by cross-validation, and average over the corpora of each source.

    Returns
    -------
    pandas.DataFrame
        One row for each source and method, one column for each k; 1 is the best.
    """
    table = study.accuracy.merge(study.corpora[["corpus", "source"]], on="corpus")
    table["rank"] = table.groupby(["corpus", "k"])["cv_accuracy"].rank(ascending=False)
    return table.pivot_table(index=["source", "method"], columns="k", values="rank", sort=False)


def band_ranks(study: Study) -> pd.DataFrame:
    """Average the ranks over each band of k, every source counting the same.

    The corpora of one source share most of their documents: by the corpus, they would outvote
    the other source.
    """
    overall = mean_ranks(study).groupby("method", sort=False).mean()
    means = {band: overall.filter(items=sizes).mean(axis=1) for band, sizes in BANDS.items()}
    return pd.DataFrame(means).T


def recommended(study: Study) -> dict[int, str]:
    """Return for each k the method with the lowest mean rank in the band of k."""
    best = band_ranks(study).idxmin(axis=1)
    return {k: str(best[band]) for band, sizes in BANDS.items() for k in sizes}


def _described(problem: Problem, source: str) -> dict[str, object]:
    return {
        "corpus": problem.name,
        "source": source,
        "n_train": problem.train.n_docs,
        "n_test": problem.n_test,
        "n_classes": len(problem.train.classes),
        "n_terms": problem.train.n_terms,
        "all_terms": problem.train.counts.naive_bayes().score(problem.tested.X, problem.tested.y),
    }


def _named(measured: pd.DataFrame) -> pd.DataFrame:
    """Name each method with its rest cell, and each choice in a word."""
    keys = measured[["method", "rest", "variant", "aggregate"]].to_numpy()
    plain = {"fsmj": "uniform"}
    named = pd.DataFrame(
        {
            "corpus": measured["problem"],
            "method": [Candidate(method, rest=rest).label for method, rest, _, _ in keys],
            "k": measured["k"],
            "choice": [v or a or plain.get(method, "") for method, _, v, a in keys],
        }
    )
    columns = {"accuracy": "test_accuracy", "macro_f1": "test_macro_f1"}
    figures = measured[["cv_accuracy", *columns, "seconds", "right"]].rename(columns=columns)
    return pd.concat([named, figures], axis=1)


def _checked(transfer: pd.DataFrame) -> pd.DataFrame:
    keys = transfer[["method", "variant"]].to_numpy()
    return pd.DataFrame(
        {
            "corpus": transfer["problem"],
            "method": [Candidate(method, variant).label for method, variant in keys],
            **transfer[["k", "held_out", "test"]],
        }
    )


def _pairs(measured: pd.DataFrame, n_test: int) -> pd.DataFrame:
    """Test each reference against all other methods, at each k; Holm's correction over all."""
    rows = []
    for k, table in measured.groupby("k"):
        right = {
            method: bits(packed, n_test) for method, packed in table[["method", "right"]].to_numpy()
        }
        for one, other in combinations(sorted(right, key=_references_first), 2):
            if one in REFERENCES:
                wins = int((right[one] & ~right[other]).sum())
                losses = int((right[other] & ~right[one]).sum())
                rows.append((k, one, other, wins, losses, mcnemar(wins, losses)))
    pairs = pd.DataFrame(rows, columns=["k", "reference", "other", "wins", "losses", "p"])
    pairs.insert(0, "corpus", measured["corpus"].iloc[0])
    return pairs.assign(p_holm=holm(pairs["p"]))


def _references_first(method: str) -> int:
    return REFERENCES.index(method) if method in REFERENCES else len(REFERENCES)


def _paths(folder: Path) -> list[Path]:
    names = ("study_corpora.csv", "study.csv", "study_pairs.csv", "study_transfer.csv")
    return [folder / name for name in names]
