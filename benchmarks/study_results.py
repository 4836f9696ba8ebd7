"""What the study found, as four small tables: corpora, accuracies, paired tests, stability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fsmj.experiment import Problem
from fsmj.experiment.results import holm, mcnemar
from fsmj.experiment.sheets import write_csv
from study_runs import KEY, SIZES

# As tables list them: from the least to the most that they cost.
METHODS = {
    "IG": "counts", "Chi": "counts", "FSMJ": "counts", "Bound": "counts",
    "CMIM": "documents", "L1 SVM": "documents", "Logit": "documents", "CLL": "documents",
}  # fmt: skip
BANDS = {
    "10 to 50 words": [k for k in SIZES if k <= 50],
    "100 to 500 words": [k for k in SIZES if k > 50],
}
ENOUGH = 0.003  # a method that costs less is taken if it is behind the best by no more
HELD = "counts", "documents"  # what one has


class Study(NamedTuple):
    """The study's numbers; all tables and figures of its page are made from these."""

    corpora: pd.DataFrame
    """corpus, source, n_train, n_test, n_classes, n_terms, all_terms: naive Bayes with all."""
    accuracy: pd.DataFrame
    """corpus, classifier, method, k, option, strength, cv_accuracy, test_accuracy, ..., seconds."""
    pairs: pd.DataFrame
    """corpus, classifier, have, k, reference, other, wins, losses (of the reference), p, p_holm."""
    stability: pd.DataFrame
    """corpus, method, stability, low, high: of the first 50 words."""

    def write(self, folder: Path) -> None:
        """Write the tables as CSV."""
        for table, path in zip(self, _paths(folder), strict=True):
            write_csv(table, path)

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read what `write` wrote."""
        return cls(*(pd.read_csv(path, keep_default_na=False) for path in _paths(folder)))


def study_of(
    sources: Mapping[str, Sequence[Problem]], measured: pd.DataFrame, stability: pd.DataFrame
) -> Study:
    """Put the tables together.

    Parameters
    ----------
    sources : mapping of str to sequence of Problem
        The corpora, by where their documents come from.
    measured : pandas.DataFrame
        From `study_runs.look_at_test`.
    stability : pandas.DataFrame
        From `study_runs.draw_anew`.
    """
    corpora = pd.DataFrame(
        _described(problem, source) for source, problems in sources.items() for problem in problems
    )
    place = {name: number for number, name in enumerate([*corpora["corpus"], *METHODS])}
    ordered = measured.sort_values(
        KEY, key=lambda column: column.map(place) if column.name in ("corpus", "method") else column
    )
    ordered = ordered[KEY + [name for name in ordered if name not in KEY]]
    study = Study(corpora, ordered.drop(columns="right"), pd.DataFrame(), stability)
    chosen = recommended(study)
    n_test = corpora.set_index("corpus")["n_test"]
    pairs = [
        _pairs(table, chosen, n_test[str(key[0])])
        for key, table in ordered.groupby(["corpus", "classifier"], sort=False)
    ]
    return study._replace(pairs=pd.concat(pairs, ignore_index=True))


def means(study: Study, figure: str) -> pd.DataFrame:
    """Average a figure over the corpora of each source, then over the sources.

    The corpora of one source share most of their documents: by the corpus, they would outvote
    the other source.

    Returns
    -------
    pandas.DataFrame
        One row for each classifier and method, one column for each k.
    """
    table = study.accuracy.merge(study.corpora[["corpus", "source"]], on="corpus")
    keys = ["classifier", "method", "k"]
    by_source = table.groupby([*keys, "source"], sort=False)[figure].mean()
    return by_source.groupby(keys, sort=False).mean().unstack("k")


def band_means(study: Study) -> pd.DataFrame:
    """Average the cross-validated accuracies over each band: a column for each."""
    table = means(study, "cv_accuracy")
    return pd.DataFrame({band: table[ks].mean(axis=1, skipna=False) for band, ks in BANDS.items()})


def recommended(study: Study) -> pd.DataFrame:
    """Return the method to take: a row for each classifier and band, a column for what one has.

    It is the one that costs least of those within `ENOUGH` of the best in cross-validation.
    """
    table = band_means(study)
    index = pd.MultiIndex.from_product([table.index.unique("classifier"), BANDS])
    rows = []
    for classifier, band in index:
        reached = table.loc[classifier, band].reindex(list(METHODS)).dropna()
        fitting = [[m for m in reached.index if have in (METHODS[m], "documents")] for have in HELD]
        rows.append([_cheapest(reached[methods]) for methods in fitting])
    return pd.DataFrame(rows, index, list(HELD))


def _cheapest(reached: pd.Series[float]) -> str:
    enough = reached >= reached.max() - ENOUGH
    return str(reached.index[int(np.argmax(enough))])


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


def _pairs(measured: pd.DataFrame, chosen: pd.DataFrame, n_test: int) -> pd.DataFrame:
    """Test what is recommended against all others; Holm's correction over corpus and classifier."""
    classifier = measured["classifier"].iloc[0]
    rows = []
    for k, table in measured.groupby("k"):
        band = next(name for name, sizes in BANDS.items() if k in sizes)
        right = {
            method: bits(text, n_test) for method, text in table[["method", "right"]].to_numpy()
        }
        for have in HELD:
            one = chosen.loc[(classifier, band), have]
            for other in METHODS:
                if other != one and other in right and have in (METHODS[other], "documents"):
                    wins = int((right[one] & ~right[other]).sum())
                    losses = int((right[other] & ~right[one]).sum())
                    rows.append((have, k, one, other, wins, losses, mcnemar(wins, losses)))
    columns = ["have", "k", "reference", "other", "wins", "losses", "p"]
    pairs = pd.DataFrame(rows, columns=columns)
    pairs.insert(0, "classifier", classifier)
    pairs.insert(0, "corpus", measured["corpus"].iloc[0])
    return pairs.assign(p_holm=holm(pairs["p"]))


def bits(packed: str, n_docs: int) -> NDArray[np.bool_]:
    """Unpack which documents were classified right."""
    bytes_ = np.frombuffer(bytes.fromhex(packed), np.uint8)
    return np.unpackbits(bytes_, count=n_docs).astype(bool)


def _paths(folder: Path) -> list[Path]:
    names = ("study_corpora.csv", "study.csv", "study_pairs.csv", "study_stability.csv")
    return [folder / name for name in names]
