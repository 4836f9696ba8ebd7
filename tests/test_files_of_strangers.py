"""Counts files that nobody should trust: one sentence each, and no more memory than is due."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fsmj
from fsmj import ClassTermCounts, load_counts

COUNTS = ClassTermCounts.from_matrix(
    [[2, 1, 0], [0, 3, 0], [1, 1, 1]], ["wheat", "gold", "wheat"], ["crop", "the", "bushel"]
)


@pytest.fixture
def saved(tmp_path):
    """The rows of sound counts, as a frame to spoil, and a function that loads them again."""
    path = tmp_path / "counts.parquet"
    COUNTS.save(path)
    table = pq.read_table(path)

    def load(metadata=None, **columns):
        spoilt = table
        for name, values in columns.items():
            spoilt = spoilt.set_column(spoilt.column_names.index(name), name, values)
        if metadata is not None:
            spoilt = spoilt.replace_schema_metadata(metadata)
        pq.write_table(spoilt, path)
        return load_counts(path)

    return table, load


def changed(column, place, value, kind=None):
    """A column with one value changed, the first of those for which `place` holds."""
    values = column.to_pylist()
    values[place] = value
    return pa.array(values, kind or column.type)


def row_of(table, class_, term):
    """The place of the row of a class and a term, either of which may be None."""
    pairs = zip(table["class"].to_pylist(), table["term"].to_pylist(), strict=True)
    return list(pairs).index((class_, term))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("term", pa.list_(pa.string())),
        ("term", pa.struct([("x", pa.string())])),
        ("term", pa.bool_()),
        ("term", pa.float64()),
        ("class", pa.list_(pa.int64())),
        ("class", pa.date32()),
        ("count", pa.string()),
        ("docs", pa.bool_()),
    ],
)
def test_columns_of_other_kinds(saved, name, kind):
    table, load = saved
    with pytest.raises(ValueError, match=f"its column '{name}' holds"):
        load(**{name: pa.nulls(len(table), kind)})


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["count", "docs"])
def test_numbers_that_are_not_finite(saved, name, value):
    table, load = saved
    place = row_of(table, "wheat", "crop")
    with pytest.raises(ValueError, match="not finite"):
        load(**{name: changed(table[name], place, value, pa.float64())})


@pytest.mark.parametrize(
    ("name", "class_", "term", "value", "reason"),
    [
        ("count", "wheat", "crop", -1, "negative"),
        ("docs", "wheat", None, -1, "negative"),
        ("count", "wheat", "crop", None, "missing"),
        ("docs", None, None, None, "missing"),
        ("docs", "wheat", "crop", 0, "no document"),
        ("count", "wheat", "crop", 0, "none of its occurrences"),
        ("docs", "wheat", "the", 3, "more documents of a class than there are"),
        ("docs", None, "crop", 1, "than of all classes"),
        ("docs", None, "crop", 4, "a term is in more documents than there are"),
        ("docs", "gold", None, 4, "a class has more documents than there are"),
        ("count", "wheat", "crop", 1, "than it occurs"),
        ("count", "wheat", None, 1, "fewer tokens"),
        ("docs", None, None, 0, "more documents than there are"),
    ],
)
def test_numbers_that_no_documents_have(saved, name, class_, term, value, reason):
    table, load = saved
    with pytest.raises(ValueError, match=reason):
        load(**{name: changed(table[name], row_of(table, class_, term), value)})


def test_documents_that_are_all_zero(saved):
    table, load = saved
    with pytest.raises(ValueError, match="not a sound table"):
        load(docs=pa.array(np.zeros(len(table), np.int64)))


def test_a_class_that_is_no_number(saved):
    table, load = saved
    labels = [None if label is None else {"wheat": 1.0, "gold": np.nan}[label]
              for label in table["class"].to_pylist()]  # fmt: skip
    with pytest.raises(ValueError, match="not a number"):
        load(**{"class": pa.array(labels, pa.float64(), from_pandas=False)})


def test_narrow_integers_are_added_in_64_bits(tmp_path):
    big = ClassTermCounts.from_matrix([[10**9, 1], [1, 1]], ["a", "b"], ["x", "y"])
    big.save(tmp_path / "0.parquet")
    table = pq.read_table(tmp_path / "0.parquet")
    narrow = table.cast(
        table.schema.set(2, pa.field("count", pa.int32())).set(3, pa.field("docs", pa.int8()))
    )
    for number in range(3):
        pq.write_table(narrow, tmp_path / f"{number}.parquet")
    assert load_counts(tmp_path) == big + big + big


def test_sums_beyond_64_bits_are_refused(tmp_path):
    half = ClassTermCounts.from_matrix([[2**62, 1], [1, 1]], ["a", "b"], ["x", "y"])
    with pytest.raises(ValueError, match="more than 64 bits can hold"):
        half + half
    for number in range(2):
        half.save(tmp_path / f"{number}.parquet")
    with pytest.raises(ValueError, match="more than 64 bits can hold"):
        load_counts(tmp_path)
    many = ClassTermCounts.from_matrix([[1], [1]], ["a", "b"], sample_weight=[2**61, 2**61])
    with pytest.raises(ValueError, match="more than 64 bits can hold"):
        many + many


def test_unsigned_numbers_beyond_64_bits(saved):
    table, load = saved
    column = pa.array([0 if n is None else n for n in table["count"].to_pylist()], pa.uint64())
    with pytest.raises(ValueError, match="64 bits cannot hold"):
        load(count=changed(column, row_of(table, "wheat", "crop"), 2**64 - 1))


def test_real_counts_may_be_larger_than_any_integer():
    counts = ClassTermCounts.from_matrix([[1e20, 1.0], [1.0, 1e19]], ["a", "b"])
    assert counts.term_counts.sum() == pytest.approx(1.1e20)
    with pytest.raises(ValueError, match="floating-point"):
        ClassTermCounts.from_matrix([[1e308, 1.0], [1e308, 1.0]], ["a", "b"])


@pytest.mark.parametrize("number", [3 * 10**8, 2**62, -1])
def test_a_term_number_allocates_nothing(tmp_path, number):
    COUNTS.save(tmp_path / "named.parquet")
    table = pq.read_table(tmp_path / "named.parquet")
    numbers = {None: None, "crop": 0, "the": 1, "bushel": number}
    terms = pa.array([numbers[term] for term in table["term"].to_pylist()], pa.int64())
    pq.write_table(table.set_column(1, "term", terms), tmp_path / "numbered.parquet")
    with pytest.raises(ValueError, match="its terms are numbered from"):
        load_counts(tmp_path / "numbered.parquet")


def test_formats(saved):
    _, load = saved
    assert load(metadata={"fsmj.format": "1"}) == load(metadata={}) == COUNTS
    with pytest.raises(ValueError, match="newer fsmj, in format 2"):
        load(metadata={"fsmj.format": "2"})
    with pytest.raises(ValueError, match="its format is 'x'"):
        load(metadata={"fsmj.format": "x"})
    with pytest.raises(ValueError, match="damaged"):
        load(metadata={b"fsmj.rule": b"\xff\xfe"})


def test_a_rule_that_cannot_be_used_is_said_of_its_file(saved):
    _, load = saved
    with pytest.raises(ValueError, match=r"counts\.parquet holds a rule of words that cannot be"):
        load(metadata={"fsmj.rule": '{"ngram_range": [1, 1000000000]}'})


@pytest.mark.parametrize("columns", ["", "[]", "[1]", '"text"', "[" * 3000, '{"text": 1}'])
def test_columns_that_are_no_names_are_said_of_their_file(saved, tmp_path, columns):
    _, load = saved
    rule = fsmj.TokenRule().to_json()
    load(metadata={"fsmj.rule": rule, "fsmj.alpha": "1", "fsmj.columns": columns})
    with pytest.raises(ValueError, match=r"counts\.parquet is damaged: the columns of its texts"):
        fsmj.load_model(tmp_path / "counts.parquet")


def test_a_model_whose_alpha_is_beyond_all_numbers(saved, tmp_path):
    _, load = saved
    rule = fsmj.TokenRule().to_json()
    load(metadata={"fsmj.rule": rule, "fsmj.alpha": "1e308"})
    model = fsmj.load_model(tmp_path / "counts.parquet")
    with pytest.raises(ValueError, match=r"alpha is too large: 1e\+308"):
        model.predict(["crop"])


@given(st.data())
def test_damaged_files_are_refused_or_read(tmp_path_factory, data):
    """A byte changed, or the end cut off: a ValueError or counts, and nothing else."""
    path = tmp_path_factory.mktemp("damaged") / "counts.parquet"
    COUNTS.save(path)
    content = bytearray(path.read_bytes())
    if data.draw(st.booleans()):
        content = content[: data.draw(st.integers(0, len(content) - 1))]
    else:
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    try:
        loaded = load_counts(path)
    except ValueError as reason:
        said = str(reason)
    else:
        said = repr(loaded)
    assert said
    assert "\n" not in said


def test_labels_that_a_table_cannot_hold(tmp_path):
    days = np.array(["2026-01-01", "2026-01-02"], "datetime64[D]")
    counts = ClassTermCounts.from_matrix(np.eye(2, dtype=int), days)
    with pytest.raises(ValueError, match="make them strings"):
        counts.save(tmp_path / "days.parquet")


def test_parts_of_different_kinds(tmp_path):
    for name, labels in (("a", ["x", "y"]), ("b", [1, 2])):
        ClassTermCounts.from_matrix(np.eye(2, dtype=int), labels).save(tmp_path / f"{name}.parquet")
    with pytest.raises(ValueError, match="different kinds of class"):
        load_counts(tmp_path)


def test_rows_of_equal_cells_are_added_up_as_they_come(tmp_path, monkeypatch):
    monkeypatch.setattr("fsmj.counts._table._ROWS", 20)
    monkeypatch.setattr("fsmj.counts._parquet._BATCH", 7)
    COUNTS.save(tmp_path / "0.parquet")
    table = pq.read_table(tmp_path / "0.parquet")
    pq.write_table(pa.concat_tables([table] * 30), tmp_path / "0.parquet")
    once = ClassTermCounts.from_matrix(
        [[2, 1, 0], [0, 3, 0], [1, 1, 1]], ["wheat", "gold", "wheat"], COUNTS.terms,
        sample_weight=[30] * 3,
    )  # fmt: skip
    assert load_counts(tmp_path / "0.parquet") == once


# Small files that say the same again and again: many rows, or a long term in many rows.
BOMBS = {"rows": (["x"], 20), "long terms": (["x" * 1_000_000], 1)}
LOAD = """
import resource, sys
import pyarrow.parquet, fsmj
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
fsmj.ClassTermCounts, before = fsmj.ClassTermCounts, peak()
try:
    fsmj.load_counts(sys.argv[1])
except ValueError as reason:
    print(reason)
print(peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux")
@pytest.mark.parametrize(("terms", "millions"), BOMBS.values(), ids=BOMBS)
@pytest.mark.long
def test_small_files_take_little_memory(tmp_path, terms, millions):
    def column(values):
        return pa.DictionaryArray.from_arrays(pa.array(np.zeros(10**6, np.int32)), pa.array(values))

    ones = np.ones(10**6, np.int64)
    table = pa.table({"class": column(["c"]), "term": column(terms), "count": ones, "docs": ones})
    path = tmp_path / "bomb.parquet"
    with pq.ParquetWriter(path, table.schema, compression="zstd", store_schema=False) as writer:
        for _ in range(millions):
            writer.write_table(table)
    ran = subprocess.run([sys.executable, "-c", LOAD, path], capture_output=True, text=True)
    *sentence, megabytes = ran.stdout.splitlines() or [ran.stderr]
    assert len(sentence) == 1, ran.stderr
    assert "table of counts" in sentence[0]
    assert int(megabytes) < 400


READ = """
import resource, sys
from fsmj.corpus import read_batches
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
before = peak()
print(sum(len(batch.texts) for batch in read_batches(sys.argv[1])))
print(peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux")
@pytest.mark.long
def test_a_long_text_in_many_rows_takes_little_memory(tmp_path):
    rows = pa.array(np.zeros(1000, np.int32))
    texts = pa.DictionaryArray.from_arrays(rows, pa.array(["gold oil " * 111_111]))
    path = tmp_path / "bomb.parquet"
    table = pa.table({"text": texts, "label": ["a"] * 1000})
    pq.write_table(table, path, compression="zstd", store_schema=False)
    assert path.stat().st_size < 10_000
    ran = subprocess.run([sys.executable, "-c", READ, path], capture_output=True, text=True)
    n_docs, megabytes = ran.stdout.split() or [ran.stderr, "0"]
    assert n_docs == "1000"
    assert int(megabytes) < 700


def test_what_is_saved_can_be_ranked_after_loading(tmp_path):
    COUNTS.save(tmp_path / "counts.parquet")
    loaded = load_counts(tmp_path / "counts.parquet")
    assert fsmj.rank(loaded).terms.tolist() == fsmj.rank(COUNTS).terms.tolist()
