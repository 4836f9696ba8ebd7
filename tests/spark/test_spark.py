"""On a cluster of two workers, each of which is a process of its own."""

import csv
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from decimal import Decimal
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import fsmj
from fsmj import datasets, spark
from fsmj.corpus import TokenRule, count_files, count_texts
from texts import (
    CONTRACT,
    MESSY,
    as_table,
    awkward_corpus,
    by_scikit_learn,
    every_old_character,
    rows_by_hand,
    rows_of,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore:.*unclosed:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

# Rules that scikit-learn has no options for.
RULES = {
    "marks": TokenRule(marks=True, min_length=1),
    "characters": TokenRule(ngram_range=(1, 3), characters=True, min_length=1),
    "pairs": TokenRule(stop_words=["and", "words", "it's", "οδος"], ngram_range=(1, 3)),
    "as written": TokenRule(r"\p{L}[\p{L}'’-]*|\d+(?:[.,]\d+)*?", lowercase=False, min_length=3),
}


def java():
    home = os.environ.get("JAVA_HOME")
    return (home and (Path(home) / "bin" / "java").exists()) or shutil.which("java")


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    if not java():
        if os.environ.get("FSMJ_TEST_ALL") == "1":
            pytest.fail("there is no Java, which Spark needs")
        pytest.skip("there is no Java, which Spark needs")
    from pyspark.sql import SparkSession

    # Each process lives for a minute, within which the slower compiler of Java does not pay.
    java_options = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    settings = {
        "spark.driver.extraJavaOptions": java_options,
        "spark.executor.extraJavaOptions": java_options,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.files.maxPartitionBytes": "2m",
        "spark.task.maxFailures": "8",
        "spark.shuffle.io.retryWait": "1s",  # what a killed worker held is not coming back
        "spark.local.dir": str(tmp_path_factory.mktemp("spark")),
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("fsmj tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    # The workers' folders are made where the driver runs.
    before = Path.cwd()
    os.chdir(tmp_path_factory.mktemp("workers"))
    session = builder.getOrCreate()
    os.chdir(before)
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture
def table(session, tmp_path):
    """A function that puts texts and labels into a Spark table."""

    def write(texts, labels, names=("text", "label")):
        path = tmp_path / "documents.parquet"
        rows = as_table(texts, labels).rename_columns(names)
        pq.write_table(rows, path, row_group_size=max(1, len(texts) // 8))
        return session.read.parquet(str(path))

    return write


def rows_of_spark(df):
    return {(row["class"], row["term"]): (row["count"], row["docs"]) for row in df.collect()}


def worker_processes():
    """The numbers of the worker processes that this process has started."""
    children = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, rest = status.read_text().split(" (", 1)
            children.setdefault(int(rest.rsplit(") ", 1)[1].split()[1]), []).append(int(number))
        except OSError:
            continue  # it has just ended
    ours, wave = [], [os.getpid()]
    while wave:
        wave = [child for parent in wave for child in children.get(parent, [])]
        ours += wave
    return [n for n in ours if "CoarseGrainedExecutorBackend" in _command(n)]


def _command(number):
    try:
        return Path(f"/proc/{number}/cmdline").read_text()
    except OSError:
        return ""


@pytest.mark.parametrize(("rule", "options"), CONTRACT)
def test_the_contract_of_all_engines(table, rule, options):
    texts, labels = awkward_corpus()
    found = rows_of_spark(spark.count(table(texts, labels), rule=rule))
    assert found == rows_of(by_scikit_learn(texts, labels, rule, **options))
    assert found == rows_of(count_texts(texts, labels, rule))
    assert found == rows_by_hand(texts, labels, rule)


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_other_rules(table, rule):
    texts, labels = awkward_corpus()
    found = rows_of_spark(spark.count(table(texts, labels), rule=rule))
    assert found == rows_of(count_texts(texts, labels, rule))
    assert found == rows_by_hand(texts, labels, rule)


@pytest.mark.slow
def test_every_old_character(table):
    texts, labels = every_old_character()
    # Spark's newer tables have ʕ as a letter without case, which a sigma beside it feels.
    kept = [row for row, text in enumerate(texts) if "ʕ" not in text]
    assert len(kept) == len(texts) - 1
    texts, labels = ([column[row] for row in kept] for column in (texts, labels))
    rule = TokenRule(min_length=1)
    found = rows_of_spark(spark.count(table(texts, labels), rule=rule))
    assert found == rows_by_hand(texts, labels, rule)


def test_quoted_newlines_of_csv(session, tmp_path):
    texts, labels = awkward_corpus()
    path = tmp_path / "a.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, quoting=csv.QUOTE_ALL)
        writer.writerows([("text", "label"), *zip(texts, labels)])
    df = session.read.csv(str(path), header=True, multiLine=True, escape='"', maxCharsPerColumn=-1)
    df = df.na.fill("", ["text"])  # Spark takes an empty field for a missing one
    assert rows_of_spark(spark.count(df)) == rows_of(count_files(path))


def test_the_same_messy_table(table):
    texts, labels = zip(*MESSY)
    assert rows_of_spark(spark.count(table(texts, labels))) == rows_of(count_texts(texts, labels))
    for missing, why, skip in (
        (None, "text", "skip_missing"),
        ("lost", "label", "skip_unlabelled"),
    ):
        df = table([*texts, missing], [*labels, "z" if missing is None else None])
        with pytest.raises(Exception, match=f"a {why} in .* is missing; .*{skip}"):
            spark.count(df).collect()
        found = rows_of_spark(spark.count(df, **{skip: True}))
        assert found == rows_of(count_texts(texts, labels))


def test_several_labels_and_hostile_names(table):
    text, label = "it's; `text`", 'a "label".{}'
    texts = ["one two two", None, "two three", "two four", "five two five", ""]
    several = [[2, 1], [1], [2], [], [3, 1, 2, 1], [1]]
    kept = [(t, s) for t, s in zip(texts, several) if t is not None]
    expected = rows_by_hand(*zip(*kept), TokenRule())
    df = table(texts, several, (text, label))
    assert rows_of_spark(spark.count(df, text, label, skip_missing=True)) == expected
    joined = [" |.".join(map(str, s)) for _, s in kept if s]
    df = table([t for t, s in kept if s], joined, (text, label))
    texts, labels = zip(*((t, [str(one) for one in s]) for t, s in kept if s))
    found = rows_of_spark(spark.count(df, text, label, label_separator="|."))
    assert found == rows_by_hand(texts, labels, TokenRule())


def test_labels_and_texts_are_those_of_files(table, tmp_path):
    for texts, labels in [
        (["one", "two"], [Decimal("1.50"), Decimal("-2.00")]),
        (["one", "two"], [[Decimal("1.50")], [Decimal("2.00"), Decimal("1.50")]]),
        (["one", "two"], [1.5, 0.1]),
        (["one", "two"], [True, False]),
        (["na\u00efve".encode(), b"", b"two"], ["a", "b", "b"]),
    ]:
        found = rows_of_spark(spark.count(table(texts, labels)))
        assert found == rows_of(count_files(tmp_path / "documents.parquet"))


def test_bad_input(table, session, tmp_path):
    for labels, separator in (
        (["a", None], None), (["a", ""], ";"), ([0.5, float("nan")], None),
        ([["a"], ["b", None]], None), ([["a"], ["b", ""]], None),
    ):  # fmt: skip
        df = table(["one", "two"], labels)
        with pytest.raises(Exception, match="a label in the column 'label' is missing; label"):
            spark.count(df, label_separator=separator).collect()
        found = spark.count(df, label_separator=separator, skip_unlabelled=True)
        assert rows_of_spark(found)[None, None] == (None, 1)
    with pytest.raises(Exception, match="a text in the column 'text' is missing; fill it in"):
        spark.count(table(["one", None], ["a", "b"])).collect()
    with pytest.raises(Exception, match="bytes in the column 'text' are not text in utf-8"):
        spark.count(table([b"one", b"na\xefve"], ["a", "b"]), skip_missing=True).collect()
    with pytest.raises(ValueError, match="the label separator is empty"):
        spark.count(table(["one"], ["a"]), label_separator="")
    with pytest.raises(ValueError, match="the text column of the data frame holds bigint, not"):
        spark.count(table([1], ["a"]))
    with pytest.raises(ValueError, match="no column 'body'; it has 'text', 'label'"):
        spark.count(df, text="body")
    session.range(3).write.parquet(str(tmp_path / "other"))
    with pytest.raises(ValueError, match="is not a table of counts: it has no column 'class'"):
        spark.load(tmp_path / "other")
    schema = "class string, term string, count long, docs long"
    session.createDataFrame([], schema).write.parquet(str(tmp_path / "none"))
    with pytest.raises(ValueError, match="is not a complete table of counts"):
        spark.load(tmp_path / "none")


@pytest.mark.parametrize(
    "load", [datasets.r52, pytest.param(datasets.newsgroups, marks=pytest.mark.slow)]
)
def test_real_texts_words_and_pairs(table, tmp_path, load):
    train, rule = load().train, TokenRule(ngram_range=(1, 2))
    expected = count_texts(train.texts, train.y, rule)
    path = tmp_path / "counts"
    spark.count(table(train.texts, list(train.y)), rule=rule).write.parquet(str(path))
    assert spark.load(path, min_docs=4) == expected.prune(4)
    assert fsmj.load_counts(path).restrict(expected.terms) == expected
    assert fsmj.load_counts(path).rule == rule


def test_a_share_is_no_number_of_documents(tmp_path):
    with pytest.raises(ValueError, match="min_docs is a number of documents, 1 or more"):
        spark.load(tmp_path, min_docs=0.1)


def test_several_columns_of_text(session):
    rows = [("one", "two", "a"), (None, "three", "b"), ("four", None, "b")]
    df = session.createDataFrame(rows, "title string, body string, label string")
    found = rows_of_spark(spark.count(df, ["title", "body"]))
    assert found == rows_of(count_texts(["one\ntwo", "three", "four"], ["a", "b", "b"]))


def test_texts_that_are_hardly_cut_are_hinted_at(table, tmp_path):
    texts = ["金の価格は今日上昇した", "小麦の収穫は今年も良い"]
    with pytest.warns(UserWarning, match="written without spaces") as expected:
        count_texts(texts, ["gold", "wheat"])
    spark.count(table(texts, ["gold", "wheat"])).write.parquet(str(tmp_path / "counts"))
    with pytest.warns(UserWarning, match="written without spaces") as found:
        spark.load(tmp_path / "counts")
    assert [str(one.message) for one in found] == [str(one.message) for one in expected]


def test_missing_spark_is_said():
    code = "import sys; sys.modules['pyspark'] = None; import fsmj; import fsmj.spark"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stderr.splitlines()[-1].endswith(
        "needs Spark; install it: pip install 'fsmj[spark]'"
    )


def test_a_killed_worker_does_not_change_the_counts(session, table, tmp_path):
    train, rule = datasets.r52().train, TokenRule(ngram_range=(1, 2))
    df = table(train.texts, list(train.y))
    path = tmp_path / "counts"
    job = threading.Thread(
        target=lambda: spark.count(df, rule=rule).write.parquet(str(path)), daemon=True
    )
    tracker = session.sparkContext.statusTracker()
    workers = worker_processes()
    assert len(workers) == 2
    job.start()
    killed_at = None
    while job.is_alive() and killed_at is None:
        # Once a task has ended, its part of the result lies with one of the two workers.
        for stage in tracker.getActiveStageIds():
            state = tracker.getStageInfo(stage)
            if state and state.numCompletedTasks and state.numActiveTasks:
                os.kill(workers[0], signal.SIGKILL)
                killed_at = state.numCompletedTasks, state.numTasks
                break
        time.sleep(0.01)
    assert killed_at is not None, "the job was over before a worker could be killed"
    job.join(300)
    assert not job.is_alive()
    assert spark.load(path) == count_texts(train.texts, train.y, rule)
    assert workers[0] not in worker_processes()
    assert set(worker_processes()) - set(workers), "a new worker took its place"
