"""Text to counts: iterables, files and data frames."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from fsmj.corpus.duck import Engine, MissingLabelError, Progress, UnreadableRowError, open_engine
from fsmj.corpus.places import ClassFolders, DataFile, Paths, find
from fsmj.corpus.rule import TokenRule
from fsmj.corpus.sql import counting
from fsmj.corpus.streams import (
    LabelCodes,
    coded_documents,
    folder_documents,
    frame_columns,
    watched,
)
from fsmj.corpus.tables import (
    LABEL_THEM,
    Table,
    columns_of,
    columns_to_sql,
    documents,
    missing_label_error,
    split,
    tables,
)
from fsmj.corpus.unreadable import Unreadable
from fsmj.counts import ClassTermCounts

_DEFAULT_RULE = TokenRule()


def count_texts(
    texts: Iterable[str],
    labels: Iterable[Any],
    rule: TokenRule = _DEFAULT_RULE,
    *,
    min_docs: int = 1,
    memory_limit: str | None = None,
) -> ClassTermCounts:
    """Count texts and labels that are drawn one by one, and never held together.

    Parameters
    ----------
    texts : iterable of str
        The documents.
    labels : iterable
        The label of each document: a string or a number; or a list of several labels, where the
        document counts for each of them. A document with an empty list belongs to no class.
    rule : TokenRule, optional
        How to cut a text into terms.
    min_docs : int, default=1
        Forget terms that occur in fewer documents, once all are counted.
    memory_limit : str, optional
        A size such as "1GB", beyond which the counting spills to disk.

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
    if isinstance(texts, str):
        raise ValueError("texts must be a list or another iterable of strings, not one string")
    codes = LabelCodes()
    with open_engine(memory_limit) as engine:
        schema, batches = coded_documents(texts, labels, codes)
        query = counting(rule, "SELECT text, label FROM stream", several=True)
        engine.run_on_stream(_into_table(query), "stream", schema, batches)
        return _collected(engine, min_docs, "there are no texts to count", codes.labels)


def count_files(
    paths: Paths,
    text: str = "text",
    label: str = "label",
    rule: TokenRule = _DEFAULT_RULE,
    *,
    min_docs: int = 1,
    memory_limit: str | None = None,
    label_separator: str | None = None,
    strict: bool = False,
    progress: Progress | None = None,
) -> ClassTermCounts:
    r"""Count the documents of files, in parallel, with no more than a part of them in memory.

    Parameters
    ----------
    paths : path-like, or iterable of them
        CSV, TSV, JSON lines and Parquet files, also compressed by gzip or zstd; patterns such as
        ``part-*.csv``; folders of such files; folders that hold a folder of text files for each
        class; "-" for standard input.
    text, label : str
        The columns with the text and with the label. A list in the label column gives a document
        several labels. Labels of CSV and JSON files are strings; those of Parquet files keep
        their type.
    rule : TokenRule, optional
        How to cut a text into terms.
    min_docs : int, default=1
        Forget terms that occur in fewer documents of all files together.
    memory_limit : str, optional
        A size such as "1GB", beyond which the counting spills to disk.
    label_separator : str, optional
        What separates several labels in one string.
    strict : bool, default=False
        Whether a row that cannot be read is an error. Otherwise such rows are left out, and a
        warning says how many they are.
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
    with open_engine(memory_limit) as engine:
        places = find(paths, engine.folder)
        folders = [place for place in places if isinstance(place, ClassFolders)]
        files = [place for place in places if isinstance(place, DataFile)]
        read = tables(files, text, label, label_separator, engine)
        kinds = {table.kind for table in read} | ({"VARCHAR"} if folders else set())
        kind = kinds.pop() if len(kinds) == 1 else "VARCHAR"
        several = any(table.several for table in read)
        parts = [documents(table, kind, several, strict) for table in read]
        if folders:
            stream = Table((), "stream", "text", "label", "VARCHAR", False)
            parts.append(documents(stream, kind, several, strict))
        query = _into_table(counting(rule, " UNION ALL ".join(parts), several))
        unreadable = Unreadable()
        try:
            if folders:
                schema, batches = folder_documents(folders, strict, unreadable, progress)
                engine.run_on_stream(query, "stream", schema, batches)
            else:
                engine.run(query, progress)
        except MissingLabelError:
            raise missing_label_error(engine, read, label) from None
        except UnreadableRowError:
            unreadable.find_in(engine, read)
            raise ValueError(f"{unreadable.first} (strict reading)") from None
        except ValueError:
            # What stopped a strict reading may be a row that another reading leaves out.
            unreadable.scan_csv(engine, read)
            if strict and unreadable.count:
                raise ValueError(str(unreadable)) from None
            raise
        unreadable.look_into(engine, read)
        names = ", ".join(dict.fromkeys(place.name for place in places[:3]))
        nothing = f"there is no document in {names}{', ...' if len(places) > 3 else ''}"
        return _collected(engine, min_docs, nothing, unreadable=unreadable)


def count_frame(
    frame: Any,
    text: str = "text",
    label: str = "label",
    rule: TokenRule = _DEFAULT_RULE,
    *,
    min_docs: int = 1,
    memory_limit: str | None = None,
    label_separator: str | None = None,
    strict: bool = False,
) -> ClassTermCounts:
    """Count the documents of a data frame.

    Parameters
    ----------
    frame : data frame
        Of pandas, polars or Arrow, a DuckDB relation, or a reader of Arrow batches.
    text, label : str
        The columns with the text and with the label, which may be a list of labels.
    rule, min_docs, memory_limit, label_separator, strict
        As for `count_files`; a row without a text is one that cannot be read.

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
    reader = frame_columns(frame, text, label)
    as_text, as_label, kind, several = columns_to_sql(reader.schema, text, label, "the data frame")
    as_label, kind, several = split(as_label, kind, several, label_separator)
    table = Table((), "stream", as_text, as_label, kind, several)
    unreadable = Unreadable()
    with open_engine(memory_limit) as engine:
        query = counting(rule, documents(table, kind, several, strict), several)
        batches = watched(reader, text, unreadable)
        try:
            engine.run_on_stream(_into_table(query), "stream", reader.schema, batches)
        except MissingLabelError:
            raise ValueError(
                f"a label in the column {label!r} of the data frame is missing; {LABEL_THEM}"
            ) from None
        except UnreadableRowError:
            raise ValueError(unreadable.first or "a row of the data frame has no text") from None
        unreadable.look_into(engine, [])
        return _collected(
            engine, min_docs, "the data frame holds no document", unreadable=unreadable
        )


def file_columns(path: Any) -> list[str]:
    r"""Return the names of the columns of a file; none for a folder of text files.

    Parameters
    ----------
    path : path-like
        As for `count_files`, but not standard input, which can be read only once.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     _ = path.write_text("label,text\n")
    ...     file_columns(path)
    ['label', 'text']
    """
    with open_engine() as engine:
        first = find(path, engine.folder)[0]
        return columns_of(first, engine) if isinstance(first, DataFile) else []


def _into_table(query: str) -> str:
    return f"CREATE OR REPLACE TEMP TABLE counted AS {query}"


def _collected(
    engine: Engine,
    min_docs: int,
    nothing: str,
    labels: list[Any] | None = None,
    unreadable: Unreadable | None = None,
) -> ClassTermCounts:
    """Turn the table `counted` into counts, or say that it holds nothing."""
    left_out = str(unreadable) if unreadable is not None and unreadable.count else ""
    engine.rows(
        "CREATE TEMP TABLE totals AS SELECT class, docs, 0 AS rest FROM counted"
        " WHERE class IS NOT NULL AND term IS NULL UNION ALL"
        " SELECT NULL, coalesce(sum(docs), 0), 0 FROM counted WHERE term IS NULL"
    )
    ((n_docs,),) = engine.rows("SELECT docs FROM totals WHERE class IS NULL")
    if n_docs == 0:
        raise ValueError(f"{nothing}: {left_out}" if left_out else nothing)
    if left_out:
        warnings.warn(f"{left_out}; left out", stacklevel=3)
    engine.rows(
        "CREATE TEMP TABLE terms AS SELECT term, sum(docs)::BIGINT AS docs FROM counted"
        f" WHERE term IS NOT NULL GROUP BY term HAVING sum(docs) >= {float(min_docs)!r}"
    )
    engine.rows("ALTER TABLE counted RENAME TO cells")
    return engine.collect(labels)
