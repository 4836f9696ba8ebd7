"""The same counts on a Spark cluster, by DataFrame functions alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import reduce

from fsmj._matrix import require_number_of_docs
from fsmj._names import spoken
from fsmj.corpus.batch import position, wanted
from fsmj.corpus.languages import hint
from fsmj.counts import ClassTermCounts, _parquet
from fsmj.counts._table import COLUMNS
from fsmj.tokens.pattern import literal
from fsmj.tokens.rule import WORDS, TokenRule

try:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql import functions as sf
    from pyspark.sql import types as st
except ImportError:
    raise ImportError("fsmj.spark needs Spark; install it: pip install 'fsmj[spark]'") from None


def count(
    df: DataFrame,
    text: str | Sequence[str] = "text",
    label: str = "label",
    rule: TokenRule = WORDS,
    *,
    label_separator: str | None = None,
    skip_unlabelled: bool = False,
    skip_missing: bool = False,
) -> DataFrame:
    """Count the documents of a Spark DataFrame.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        One row for each document.
    text : str or sequence of str
        The column with the text; of several, the texts are joined by line ends.
    label : str
        The column with the label, which may be an array of labels.
    rule : TokenRule, optional
        How to cut a text into terms.
    label_separator : str, optional
        What separates several labels in one string.
    skip_unlabelled, skip_missing : bool, default=False
        Whether to leave out documents whose label or text is missing. Otherwise they end the job
        with an error, as do bytes that are not UTF-8.

    Returns
    -------
    pyspark.sql.DataFrame
        The columns `class`, `term`, `count` and `docs`, as `ClassTermCounts.save` writes them:
        write it as Parquet, and read it with `load` or `fsmj.load_counts`. Tables of several
        corpora may be appended to each other. The rule stands in the metadata of `term`, which
        Spark keeps in Parquet.

    Notes
    -----
    Each document is cut and its terms are added up where it lies. What travels over the network
    is one row for each class and term of a partition; then one for each class and term. Nothing
    is computed in Python.
    """
    columns = wanted(text, label, label_separator).text
    for name in (*columns, label):
        position("the data frame", name, df.columns)
    texts = _joined([_texts(_column(name), df.schema[name].dataType, name) for name in columns])
    labels = _labels(_column(label), df.schema[label].dataType, label_separator)
    documents = df.select(texts.alias("text"), labels.alias("labels"))
    documents = _there(
        documents, "text", skip_missing,
        f"a text in the {spoken(columns)} is missing; fill it in (an empty text is fine), or leave "
        "such rows out with skip_missing",
    )  # fmt: skip
    documents = _there(
        documents, "labels", skip_unlabelled,
        f"a label in the column {label!r} is missing; label such documents, or leave them out "
        "with skip_unlabelled",
    )  # fmt: skip
    # A column of its own for each step: Spark computes again what one expression names twice.
    cut = documents.select("labels", _words(rule, sf.col("text")).alias("words"))
    cut = cut.select("labels", _terms(rule, sf.col("words")).alias("terms"))
    table = _with_all_documents(_added_up(_occurrences(cut)))
    kept = {_parquet.SPARK_RULE: rule.to_json()}
    return table.select("class", sf.col("term").alias("term", metadata=kept), "count", "docs")


def load(path: str | os.PathLike[str], min_docs: int = 1) -> ClassTermCounts:
    """Bring counts to the driver, without the terms that occur in few documents.

    Parameters
    ----------
    path : path-like
        Where the result of `count` was written as Parquet, on any file system of the cluster.
    min_docs : int, default=1
        Forget terms that occur in fewer documents. This happens on the cluster: only what is
        left has to fit into the driver's memory.

    Returns
    -------
    ClassTermCounts
        Terms and classes sorted, with the rule they were counted by.
    """
    require_number_of_docs(min_docs)
    spark = SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
    table = spark.read.parquet(os.fspath(path))
    for name in COLUMNS:
        if name not in table.columns:
            raise ValueError(f"{path} is not a table of counts: it has no column {name!r}")
    rule = table.schema["term"].metadata.get(_parquet.SPARK_RULE)
    table = _added_up(table)
    no_class, no_term = sf.col("class").isNull(), sf.col("term").isNull()
    terms = table.where(no_class & ~no_term & (sf.col("docs") >= min_docs))
    cells = table.where(~no_class & ~no_term).join(terms.select("term"), "term", "left_semi")
    # A class has the tokens of the terms that stay, and those that stood outside of its terms.
    kept = cells.groupBy("class").agg(sf.sum("count").alias("kept"))
    totals = table.groupBy("class").agg(
        sf.sum(sf.when(no_term, sf.col("docs"))).alias("docs"),
        sf.sum(sf.when(no_term, sf.col("count")).otherwise(-sf.col("count"))).alias("rest"),
    )
    totals = totals.join(kept, totals["class"].eqNullSafe(kept["class"]), "left").select(
        totals["class"],
        sf.lit(None).cast("string").alias("term"),
        (sf.col("rest") + sf.coalesce("kept", sf.lit(0))).cast("long").alias("count"),
        "docs",
    )
    # The terms keep the order in which they first appear.
    parts = [totals.toArrow(), terms.toArrow().sort_by("term"), cells.toArrow()]
    fields = _parquet.fields_of(parts, os.fspath(path))
    counts = ClassTermCounts(**fields, rule=None if rule is None else TokenRule.from_json(rule))
    hint(counts)
    return counts


def _there(documents: DataFrame, name: str, skip: bool, message: str) -> DataFrame:
    """Leave out the rows where a column is missing, or let them end the job."""
    missing = sf.col(name).isNull()
    if skip:
        return documents.where(~missing)
    return documents.withColumn(
        name, sf.when(missing, sf.raise_error(sf.lit(message))).otherwise(sf.col(name))
    )


def _column(name: str) -> Column:
    return sf.col("`" + name.replace("`", "``") + "`")


def _texts(column: Column, kind: st.DataType, name: str) -> Column:
    """Return the texts of a column; bytes that are none end the job."""
    if isinstance(kind, st.BinaryType):
        text = sf.try_validate_utf8(column.cast("string"))
        message = f"bytes in the column {name!r} are not text in utf-8"
        undecodable = column.isNotNull() & text.isNull()
        return sf.when(undecodable, sf.raise_error(sf.lit(message))).otherwise(text)
    if isinstance(kind, (st.StringType, st.NullType)):
        return column.cast("string")
    raise ValueError(f"the text column of the data frame holds {kind.simpleString()}, not text")


def _joined(texts: list[Column]) -> Column:
    """Join texts by line ends; the whole is missing only where all of them are."""
    if len(texts) == 1:
        return texts[0]
    missing = reduce(lambda left, right: left & right, (text.isNull() for text in texts))
    return sf.when(~missing, sf.concat_ws("\n", *texts))


def _labels(column: Column, kind: st.DataType, separator: str | None) -> Column:
    """Return an array of the classes of a document, each of them once; null where missing."""
    single = kind.elementType if isinstance(kind, st.ArrayType) else kind
    as_type = _class_type(single)
    if isinstance(kind, st.ArrayType):
        labels = sf.array_distinct(column.cast(f"array<{as_type}>"))
        missing = sf.exists(labels, lambda one: _is_missing(one, as_type))
    elif separator is not None:
        parts = sf.transform(
            sf.split(column.cast("string"), literal(separator)), lambda part: sf.trim(part)
        )
        labels = sf.array_distinct(sf.filter(parts, lambda part: part != ""))
        missing = _is_missing(column.cast(as_type), as_type) | (sf.size(labels) == 0)
    else:
        labels = sf.array(column.cast(as_type))
        missing = _is_missing(column.cast(as_type), as_type)
    return sf.when(column.isNotNull() & ~missing, labels)


def _class_type(kind: st.DataType) -> str:
    """Return the type of classes that `count_files` would give labels of a kind."""
    if isinstance(kind, st.IntegralType):
        return "long"
    if isinstance(kind, st.BooleanType):
        return "boolean"
    return (
        "double" if isinstance(kind, (st.FloatType, st.DoubleType)) else "string"
    )  # as decimals are


def _is_missing(label: Column, as_type: str) -> Column:
    if as_type == "double":
        return label.isNull() | sf.isnan(label)
    return label.isNull() | (label == "") if as_type == "string" else label.isNull()


def _words(rule: TokenRule, text: Column) -> Column:
    """Return the array of a text's tokens, before n-grams are formed."""
    lowered = sf.lower(text) if rule.lowercase else text
    found = sf.regexp_extract_all(lowered, sf.lit(rule.regex), sf.lit(0))
    if rule.shortest_kept > 1:
        found = sf.filter(found, lambda word: sf.char_length(word) >= rule.min_length)
    if rule.stop_words:
        dropped = list(rule.stop_words)
        found = sf.filter(found, lambda word: ~word.isin(dropped))
    return found


def _terms(rule: TokenRule, words: Column) -> Column:
    """Return the array of a document's n-grams, of tokens or of their characters."""
    lengths = range(rule.ngram_range[0], rule.ngram_range[1] + 1)
    if not rule.characters:
        return sf.concat(*(_ngrams(words, n, " ") for n in lengths))
    # An array of characters, since Spark looks for the k-th of a text from its beginning.
    letters = sf.transform(words, lambda word: sf.split(word, ""))
    return sf.flatten(
        sf.transform(letters, lambda word: sf.concat(*(_ngrams(word, n, "") for n in lengths)))
    )


def _ngrams(pieces: Column, n: int, between: str) -> Column:
    """Return the array of all n pieces that follow each other, joined."""
    if n == 1:
        return pieces
    shifted = [pieces, *(sf.slice(pieces, k + 1, sf.size(pieces)) for k in range(1, n))]
    joined = reduce(
        lambda left, right: sf.zip_with(left, right, lambda a, b: sf.concat(a, sf.lit(between), b)),
        shifted,
    )
    return sf.filter(joined, lambda gram: gram.isNotNull())


def _occurrences(cut: DataFrame) -> DataFrame:
    """Return a row for each class and token of a document, and one without a term for itself."""
    # Documents with several labels, or none, would not add up to the number of documents: a
    # row without a class corrects it.
    several = sf.array_append("labels", sf.lit(None))
    classes = sf.when(sf.size("labels") == 1, sf.col("labels")).otherwise(several)
    # In a sorted list, the last of equal terms is the one that differs from its successor: it
    # stands for the document. Partial sums swallow these rows before anything is sent.
    listed = cut.select(
        sf.explode(classes).alias("class"),
        (1 - sf.size("labels")).alias("surplus"),
        sf.size("terms").alias("tokens"),
        sf.array_append(sf.sort_array("terms"), sf.lit(None)).alias("term"),
    )
    followed = listed.withColumn("next", sf.slice("term", 2, sf.size("term")))
    rows = followed.select("class", "surplus", "tokens", sf.inline(sf.arrays_zip("term", "next")))
    no_class, no_term = sf.col("class").isNull(), sf.col("term").isNull()
    count = sf.when(no_term, sf.col("tokens")).otherwise(1)
    docs = sf.when(no_class, sf.col("surplus")).otherwise(1)
    last = no_term | ~sf.col("term").eqNullSafe(sf.col("next"))
    return rows.select(
        "class",
        "term",
        sf.when(~no_class, count).cast("long").alias("count"),
        sf.when(last, docs).otherwise(0).cast("long").alias("docs"),
    )


def _with_all_documents(cells: DataFrame) -> DataFrame:
    """Add the rows of all documents together, whatever their class."""
    class_type = cells.schema["class"].dataType
    everywhere = sf.struct(sf.lit(None).cast(class_type).alias("class"),
                           sf.lit(None).cast("long").alias("count"))  # fmt: skip
    own = sf.struct("class", "count")
    correction = sf.col("class").isNull()
    rows = sf.when(correction, sf.array(everywhere)).otherwise(sf.array(own, everywhere))
    spread = cells.select("term", "docs", sf.explode(rows).alias("row"))
    return _added_up(spread.select("row.class", "term", "row.count", "docs"))


def _added_up(table: DataFrame) -> DataFrame:
    sums = (sf.sum(name).cast("long").alias(name) for name in ("count", "docs"))
    return table.groupBy("class", "term").agg(*sums)
