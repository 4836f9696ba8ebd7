"""The same counts on a Spark cluster, by DataFrame functions alone."""

from __future__ import annotations

import os
from functools import reduce

from fsmj.corpus.duck import open_engine
from fsmj.corpus.pattern import RE2_AND_JAVA
from fsmj.corpus.rule import TokenRule
from fsmj.corpus.tables import EMPTY_SEPARATOR, LABEL_THEM, position
from fsmj.counts import ClassTermCounts

try:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql import functions as sf
    from pyspark.sql.types import (
        ArrayType,
        BinaryType,
        BooleanType,
        DataType,
        DoubleType,
        FloatType,
        IntegralType,
        StringType,
    )
except ImportError:
    raise ImportError("fsmj.spark needs Spark; install it: pip install 'fsmj[spark]'") from None

_DEFAULT_RULE = TokenRule()
_COLUMNS = ("class", "term", "count", "docs")


def count(
    df: DataFrame,
    text: str = "text",
    label: str = "label",
    rule: TokenRule = _DEFAULT_RULE,
    *,
    label_separator: str | None = None,
) -> DataFrame:
    """Count the documents of a Spark DataFrame.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        One row for each document.
    text, label : str
        The columns with the text and with the label, which may be an array of labels. A missing
        label ends the job with an error. Rows without a text, or with bytes that are not UTF-8,
        are left out.
    rule : TokenRule, optional
        How to cut a text into terms.
    label_separator : str, optional
        What separates several labels in one string.

    Returns
    -------
    pyspark.sql.DataFrame
        The columns `class`, `term`, `count` and `docs`, as `ClassTermCounts.save` writes them:
        write it as Parquet, and read it with `load` or `fsmj.load_counts`. Tables of several
        corpora may be appended to each other.

    Notes
    -----
    Each document is cut and its terms are added up where it lies. What travels over the network
    is one row for each class and term of a partition; then one for each class and term. Nothing
    is computed in Python.
    """
    for name in (text, label):
        position("the data frame", name, df.columns)
    labels = _labels(_column(label), df.schema[label].dataType, label, label_separator)
    texts = _texts(_column(text), df.schema[text].dataType)
    documents = df.select(texts.alias("text"), labels.alias("labels"))
    documents = documents.where(sf.col("text").isNotNull())
    # A column of its own for each step: Spark computes again what one expression names twice.
    cut = documents.select("labels", _words(rule, sf.col("text")).alias("words"))
    cut = cut.select("labels", _terms(rule, sf.col("words")).alias("terms"))
    return _with_all_documents(_added_up(_occurrences(cut)))


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
        Terms and classes sorted.
    """
    spark = SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
    table = spark.read.parquet(os.fspath(path))
    for name in _COLUMNS:
        if name not in table.columns:
            raise ValueError(f"{path} is not a table of counts: it has no column {name!r}")
    table = _added_up(table)
    no_class, no_term = sf.col("class").isNull(), sf.col("term").isNull()
    terms = table.where(no_class & ~no_term & (sf.col("docs") >= min_docs)).select("term", "docs")
    cells = table.where(~no_class & ~no_term).join(terms.select("term"), "term", "left_semi")
    totals = table.groupBy("class").agg(
        sf.sum(sf.when(no_term, sf.col("docs"))).alias("docs"),
        sf.sum(sf.when(no_term, sf.col("count")).otherwise(-sf.col("count"))).alias("rest"),
    )
    with open_engine() as engine:
        for name, part in (("cells", cells), ("terms", terms), ("totals", totals)):
            engine.connection.register("arrow", part.toArrow())
            engine.rows(f"CREATE TEMP TABLE {name} AS SELECT * FROM arrow")
            engine.connection.unregister("arrow")
        if not engine.rows("SELECT 1 FROM totals WHERE class IS NULL AND docs > 0"):
            raise ValueError(f"{path} is not a complete table of counts")
        return engine.collect()


def _column(name: str) -> Column:
    return sf.col("`" + name.replace("`", "``") + "`")


def _texts(column: Column, kind: DataType) -> Column:
    """Return the texts of a column, null where bytes are none."""
    if isinstance(kind, BinaryType):
        return sf.try_validate_utf8(column.cast("string"))
    if isinstance(kind, StringType):
        return column
    raise ValueError(f"the text column of the data frame holds {kind.simpleString()}, not text")


def _labels(column: Column, kind: DataType, name: str, separator: str | None) -> Column:
    """Return an array of the classes of a document, each of them once."""
    single = kind.elementType if isinstance(kind, ArrayType) else kind
    as_type = _class_type(single)
    if isinstance(kind, ArrayType):
        labels = sf.array_distinct(column.cast(f"array<{as_type}>"))
        missing = sf.exists(labels, lambda one: _is_missing(one, as_type))
    elif separator == "":
        raise ValueError(EMPTY_SEPARATOR)
    elif separator is not None:
        literally = "".join(map(RE2_AND_JAVA.character, separator))
        parts = sf.transform(sf.split(column.cast("string"), literally), lambda part: sf.trim(part))
        labels = sf.array_distinct(sf.filter(parts, lambda part: part != ""))
        missing = _is_missing(column.cast(as_type), as_type) | (sf.size(labels) == 0)
    else:
        labels = sf.array(column.cast(as_type))
        missing = _is_missing(column.cast(as_type), as_type)
    message = f"a label in the column {name!r} is missing; {LABEL_THEM}"
    return sf.when(column.isNull() | missing, sf.raise_error(sf.lit(message))).otherwise(labels)


def _class_type(kind: DataType) -> str:
    """Return the type of classes that `count_files` would give labels of a kind."""
    if isinstance(kind, IntegralType):
        return "long"
    if isinstance(kind, BooleanType):
        return "boolean"
    return "double" if isinstance(kind, (FloatType, DoubleType)) else "string"  # as decimals are


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
    """Return the array of a document's n-grams."""
    arrays = []
    for n in range(rule.ngram_range[0], rule.ngram_range[1] + 1):
        shifted = [words, *(sf.slice(words, k + 1, sf.size(words)) for k in range(1, n))]
        joined = reduce(
            lambda left, right: sf.zip_with(left, right, lambda a, b: sf.concat(a, sf.lit(" "), b)),
            shifted,
        )
        arrays.append(joined if n == 1 else sf.filter(joined, lambda gram: gram.isNotNull()))
    return sf.concat(*arrays)


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
