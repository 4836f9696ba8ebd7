"""CSV read by compiled loops is what Python's csv module reads, at any size."""

import csv
import gzip
import io
import itertools
import random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsmj.corpus import _rows, file_columns, read_batches, separated, streams

PIECES = st.sampled_from(
    ['"', '""', ",", "\n", "\r", "\r\n", "a", "é", " ", '"b"', ',"', '",', "\0"]
)


def split(content, final=True, cuts=()):
    """All rows by the kernel, handed over in blocks that end at the cuts."""
    data, at, line, found = np.frombuffer(content, np.uint8), 0, 1, []
    slots = np.arange(50)
    for end in (*cuts, len(content)):
        fields, rows = np.empty((3, 50, 200), np.int64), np.empty((5, 200), np.int64)
        last = final and end == len(content)
        n_rows, at, line = _rows.split_rows(data[:end], at, line, last, 44, slots, fields, rows)
        for row in range(n_rows):
            texts = []
            for begin, stop, doubled in fields[:, : rows[2, row], row].T:
                text = content[begin:stop]
                texts.append(text.replace(b'""', b'"') if doubled else text)
            found.append((rows[1, row], texts, rows[3, row]))
    return found


def by_python(text):
    """Rows and the lines where they begin, by the csv module; None where it finds them wrong."""
    lines = io.StringIO(text, newline="")
    reader = csv.reader(lines, strict=True)
    rows, line = [], 1
    try:
        for row in reader:
            if row:
                rows.append((line, [field.encode() for field in row], _rows.FINE))
            line = reader.line_num + 1
    except csv.Error:
        return None
    return rows


@given(st.lists(PIECES, max_size=25).map("".join))
def test_rows_are_those_of_the_csv_module(text):
    found, expected = split(text.encode()), by_python(text)
    if expected is None:
        assert any(quotes != _rows.FINE for _, _, quotes in found)
    else:
        assert found == expected


@given(st.lists(PIECES, max_size=25).map("".join), st.data())
def test_where_blocks_end_makes_no_difference(text, data):
    content = text.encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(content)), max_size=4)))
    assert split(content, cuts=cuts) == split(content)


def read(path, **options):
    batches = list(read_batches(path, **options))
    return ([text for batch in batches for text in batch.texts.to_pylist()],
            [label for batch in batches for label in batch.labels])  # fmt: skip


def messy_table(size, seed):
    """Texts with quotes, commas, line ends and lines that look like rows, of about a size."""
    rng = random.Random(seed)
    parts = [
        "word",
        "é",
        '"',
        '""',
        ",",
        "\n",
        "\r\n",
        "\r",
        ";",
        "\t",
        "\\",
        'x,a\n"y",b\n',
        " ",
        "Σ",
    ]
    texts, total = [], 0
    while total < size:
        length = rng.choice([0, 1, 5, 50, 500])
        text = "".join(rng.choices(parts, k=length)) * rng.choice([1, 1, 1, 20])
        texts.append(text)
        total += len(text) + 10
    return texts, [rng.choice(["a", "b,c", 'd"e', "f\ng"]) for _ in texts]


def write(path, texts, labels, **options):
    rows = io.StringIO(newline="")
    csv.writer(rows, **options).writerows(
        [("label", "id", "text"), *zip(labels, itertools.count(), texts)]
    )
    content = rows.getvalue().encode()
    if path.suffix == ".gz":
        content = gzip.compress(content, 1)
    elif path.suffix == ".zst":
        content = pa.compress(content, "zstd", asbytes=True)
    path.write_bytes(content)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".csv.zst"])
@pytest.mark.parametrize("size", [1_000, 100_000, 10_000_000])
def test_tables_come_back_document_for_document(tmp_path, size, ending):
    texts, labels = messy_table(size, size)
    write(tmp_path / f"a{ending}", texts, labels)
    assert read(tmp_path / f"a{ending}") == (texts, labels)


# Python's writer quotes a lone carriage return only where it may end a line: with line feeds as
# line ends not even its own reader would give the table back, unless everything is quoted.
@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [{}, {"quoting": csv.QUOTE_ALL}, {"quoting": csv.QUOTE_ALL, "lineterminator": "\n"}],
    ids=str,
)
def test_large_tables_come_back_document_for_document(tmp_path, options):
    texts, labels = messy_table(50_000_000, 7)
    write(tmp_path / "a.csv", texts, labels, **options)
    assert read(tmp_path / "a.csv") == (texts, labels)


@pytest.mark.parametrize("block", [1, 2, 3, 7, 100])
def test_any_size_of_block(tmp_path, monkeypatch, block):
    texts, labels = messy_table(3_000, 1)
    write(tmp_path / "a.csv", texts, labels)
    for module in (separated, streams):
        monkeypatch.setattr(module, "BLOCK", block)
    assert read(tmp_path / "a.csv") == (texts, labels)


@pytest.mark.long
def test_a_row_of_70_megabytes_and_a_header_of_one(tmp_path):
    texts = ["short", 'long "text",\n' * 5_400_000, "after"]
    write(tmp_path / "a.csv", texts, ["a", "b", "a"])
    assert read(tmp_path / "a.csv") == (texts, ["a", "b", "a"])
    names = [f"column {n}" for n in range(80_000)]
    path = tmp_path / "wide.csv"
    path.write_text(",".join([*names, "text", "label"]) + "\n" + "," * len(names) + "one,a\n")
    assert path.stat().st_size > 1 << 20
    assert file_columns(path) == [*names, "text", "label"]
    assert read(path) == (["one"], ["a"])


@pytest.mark.parametrize(
    "encoding", ["utf-8-sig", "cp1252", "latin-1", "utf-16", "utf-16-le", "utf-32"]
)
def test_encodings(tmp_path, encoding):
    texts, path = ["naïve\r\ncafé", "Ærø", ""] * 3000, tmp_path / "a.csv"
    write(path, texts, ["ä"] * len(texts))
    path.write_bytes(path.read_bytes().decode().encode(encoding))
    assert read(path, encoding=encoding) == (texts, ["ä"] * len(texts))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("naïve,a\n".encode("cp1252") * 20, "10 rows .* line 2 of .*encoding is cp1252"),
        (b'"five \\"inch\\" pipe",a\n' * 20, "10 rows .* line 2 of .* escaped by backslashes"),
        (b'"open,a\n' + b"one,b\n" * 20, "10 rows .* line 2 of .* a quote that is not closed"),
        (b"one,a\n,,\n,,\n", "2 of 3 rows .* line 3 of .* 3 fields, where the header has 2"),
    ],
    ids=["encoding", "backslashes", "open quote", "fields"],
)  # fmt: skip
def test_more_than_a_few_refuse_the_file(tmp_path, content, message):
    path = tmp_path / "a.csv"
    path.write_bytes(b"text,label\n" + content)
    with pytest.raises(ValueError, match=message):
        read(path)


def test_few_are_left_out_and_counted_truly(tmp_path):
    good = b'"two\nlines",a\n' * 500
    path = tmp_path / "a.csv"
    for bad, n_rows in [
        (b"short\n", 1),
        (b"na\xefve,a\n", 1),
        (b'"x"y,a\n', 1),
        (b'"open,a\nx,"b",c\n', 2),
    ]:
        path.write_bytes(b"text,label\n" + good + bad + good)
        found = "1 row" if n_rows == 1 else f"{n_rows} rows"
        with pytest.warns(
            UserWarning, match=f"{found} could not be read; the first is line 1,002 of"
        ):
            assert read(path) == (["two\nlines"] * 1000, ["a"] * 1000)
        with pytest.raises(ValueError, match=r"line 1,002 of .* cannot be read: it"):
            read(path, strict=True)


def test_the_rest_of_a_text_with_wrong_quotes_is_no_document(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("text,label\n" + "one,a\n" * 300 + '"a "b" c\nphantom",x\n' + "two,b\n" * 300)
    with pytest.warns(UserWarning, match="2 rows could not be read; the first is line 302"):
        assert read(path) == (["one"] * 300 + ["two"] * 300, ["a"] * 300 + ["b"] * 300)
