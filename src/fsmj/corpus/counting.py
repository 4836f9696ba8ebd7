"""Text to counts: iterables, files and data frames."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from typing import Any

from fsmj._matrix import require_number_of_docs
from fsmj.corpus import columnar, lists
from fsmj.corpus.batch import Batch, wanted
from fsmj.corpus.counter import Counter
from fsmj.corpus.languages import hint
from fsmj.corpus.places import Paths
from fsmj.corpus.policy import Policy
from fsmj.corpus.reading import read_batches
from fsmj.corpus.streams import Progress
from fsmj.counts import ClassTermCounts
from fsmj.tokens.cutter import require_texts
from fsmj.tokens.rule import WORDS, TokenRule


def count_texts(
    texts: Iterable[str],
    labels: Iterable[Any],
    rule: TokenRule = WORDS,
    *,
    min_docs: int = 1,
    min_class_docs: int = 1,
    memory_limit: str | None = None,
    skip_unlabelled: bool = False,
    skip_missing: bool = False,
) -> ClassTermCounts:
    """Count texts and labels that are drawn one by one, and never held together.

    Parameters
    ----------
    texts : iterable of str
        The documents.
    labels : iterable
        The label of each document: a string or a number; or a list of several labels, where the
        document counts for each of them. A document with an empty list belongs to no class.
    rule, min_docs, min_class_docs, memory_limit, skip_unlabelled, skip_missing
        As for `count_files`. Missing are None and NaN, and an empty label.

    Returns
    -------
    ClassTermCounts
        Terms and classes sorted.

    Examples
    --------
    >>> from fsmj.corpus import count_texts
    >>> counts = count_texts(["Black tea, green tea", "Crude oil"], ["tea", "oil"])
    >>> counts.terms
    array(['black', 'crude', 'green', 'oil', 'tea'], dtype=object)
    """
    require_texts(texts)
    policy = Policy(skip_unlabelled=skip_unlabelled, skip_missing=skip_missing)
    batches = _admitted(lists.read(texts, labels), policy, "these texts")
    return _counted(batches, rule, min_docs, min_class_docs, memory_limit)


def count_files(
    paths: Paths,
    text: str | Sequence[str] = "text",
    label: str = "label",
    rule: TokenRule = WORDS,
    *,
    min_docs: int = 1,
    min_class_docs: int = 1,
    memory_limit: str | None = None,
    label_separator: str | None = None,
    encoding: str = "utf-8",
    strict: bool = False,
    skip_unlabelled: bool = False,
    skip_missing: bool = False,
    progress: Progress | None = None,
) -> ClassTermCounts:
    r"""Count the documents of files, with no more than a part of them in memory.

    Parameters
    ----------
    paths : path-like, or iterable of them
        CSV, TSV, JSON lines, JSON arrays and Parquet files, also compressed by gzip or zstd;
        patterns such as ``part-*.csv``; folders of such files; folders that hold a folder of text
        files for each class; "-" for standard input.
    text : str or sequence of str
        The column with the text; of several, the texts are joined by line ends.
    label : str
        The column with the label. A list in it gives a document several labels. Labels of CSV
        and JSON files are strings; those of Parquet files keep their type.
    rule : TokenRule, optional
        How to cut a text into terms.
    min_docs : int, default=1
        Forget terms that occur in fewer documents of all files together.
    min_class_docs : int, default=1
        Leave out classes with fewer documents, with a warning that names them.
    memory_limit : str, optional
        A size such as "1GB", beyond which the counting spills to disk; the program and the result
        come on top.
    label_separator : str, optional
        What separates several labels in one string.
    encoding : str, default="utf-8"
        The encoding of files of text.
    strict : bool, default=False
        Whether a row that cannot be read is an error. Otherwise a few are left out, and a
        warning says how many they are; more than a few are an error.
    skip_unlabelled, skip_missing : bool, default=False
        Whether to leave out, with a warning, documents whose label or text is missing. Otherwise
        they are an error. An empty text is not missing: it has no words.
    progress : callable, optional
        Called with the share of the work that is done, from 0 to 1.

    Returns
    -------
    ClassTermCounts
        Terms and classes sorted.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from fsmj.corpus import count_files
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     _ = path.write_text("label,text\ntea,Green tea\noil,Crude\n")
    ...     count_files(path)
    ClassTermCounts(2 classes × 3 terms, 2 documents, 3 tokens)
    """
    batches = read_batches(
        paths, text, label, label_separator=label_separator, encoding=encoding, strict=strict,
        skip_unlabelled=skip_unlabelled, skip_missing=skip_missing, progress=progress,
    )  # fmt: skip
    return _counted(batches, rule, min_docs, min_class_docs, memory_limit)


def count_frame(
    frame: Any,
    text: str | Sequence[str] = "text",
    label: str = "label",
    rule: TokenRule = WORDS,
    *,
    min_docs: int = 1,
    min_class_docs: int = 1,
    memory_limit: str | None = None,
    label_separator: str | None = None,
    strict: bool = False,
    skip_unlabelled: bool = False,
    skip_missing: bool = False,
) -> ClassTermCounts:
    """Count the documents of a data frame.

    Parameters
    ----------
    frame : data frame
        Of pandas, polars or Arrow, or a reader of Arrow batches.
    text, label : str
        The columns with the text (or several) and with the label, which may be a list of labels.
    rule, min_docs, min_class_docs, memory_limit
        As for `count_files`.
    label_separator, strict, skip_unlabelled, skip_missing
        As for `count_files`.

    Returns
    -------
    ClassTermCounts
        Terms and classes sorted.

    Examples
    --------
    >>> import pandas as pd
    >>> from fsmj.corpus import count_frame
    >>> frame = pd.DataFrame({"text": ["green tea", "crude oil"], "label": [1, 2]})
    >>> count_frame(frame).classes
    array([1, 2])
    """
    policy = Policy(strict, skip_unlabelled, skip_missing)
    rows = columnar.read_frame(frame, wanted(text, label, label_separator), policy)
    batches = _admitted(rows, policy, "the data frame")
    return _counted(batches, rule, min_docs, min_class_docs, memory_limit)


def _admitted(rows: Iterable[Batch], policy: Policy, name: str) -> Generator[Batch, None, None]:
    """Yield the documents among rows, and say at the end what was left out."""
    for part in rows:
        yield policy.admit(part)
    policy.finish(name, stacklevel=4)


def _counted(
    batches: Generator[Batch, None, None],
    rule: TokenRule,
    min_docs: int,
    min_class_docs: int,
    memory_limit: str | None,
) -> ClassTermCounts:
    """Count documents as they come."""
    require_number_of_docs(min_docs)
    require_number_of_docs(min_class_docs, "min_class_docs")
    # Terms are rare or not among the documents that stay, so small classes go first.
    first_min_docs = min_docs if min_class_docs <= 1 else 1
    with closing(batches), Counter(rule, memory_limit=memory_limit) as counter:
        for batch in batches:
            counter.add(batch.texts, batch.labels or [])
        counts = counter.finish(first_min_docs)
    kept = counts.without_small_classes(min_class_docs).prune(min_docs)
    hint(kept, stacklevel=4)
    return kept
