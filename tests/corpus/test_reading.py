"""Documents read from files are those that were written, in their order."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fsmj.corpus import read_batches

TEXTS = ["one, two\nthree", '"quoted"', "", "naïve Σίσυφος", "x;y|z"] * 3000
LABELS = [f"class {row % 7}" for row in range(len(TEXTS))]


def write(path):
    frame = pd.DataFrame({"text": TEXTS, "label": LABELS})
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path, row_group_size=999)
    return path


def read(*arguments, **options):
    batches = list(read_batches(*arguments, **options))
    texts = [text for batch in batches for text in batch.texts.to_pylist()]
    return texts, [label for batch in batches for label in batch.labels or []]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_order_is_kept(tmp_path, ending):
    path = write(tmp_path / f"a.{ending}")
    assert read(path) == (TEXTS, LABELS)
    assert read(path, label=None) == (TEXTS, [])
    assert read([path, path]) == (TEXTS * 2, LABELS * 2)


def test_folders_of_texts(tmp_path):
    for name, text in (("b/1.txt", "second"), ("a/2.txt", "first"), ("b/2.txt", "third")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert read(tmp_path) == (["first", "second", "third"], ["a", "b", "b"])


def test_labels_keep_their_type_and_several_stay_a_list(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["a", "b", "c"], "label": [[1], [2, 3], [3]]}), path)
    texts, (first, several, last) = read(path)
    assert (texts, first, several, last) == (["a", "b", "c"], [1], [2, 3], [3])
    (tmp_path / "a.csv").write_text("text,label\na,x; y\nb,y\n")
    texts, (several, last) = read(tmp_path / "a.csv", label_separator=";")
    assert (texts, sorted(several), last) == (["a", "b"], ["x", "y"], "y")


def test_what_is_held_of_a_parquet_file_does_not_grow_with_it(tmp_path):
    path = tmp_path / "many.parquet"
    letters = np.random.default_rng(0).integers(ord("a"), ord("z"), (40, 200, 5000), np.uint8)
    with pq.ParquetWriter(path, pa.schema({"text": pa.string(), "label": pa.string()})) as writer:
        for rows in letters:  # a group of rows each
            texts = [row.tobytes().decode() for row in rows]
            writer.write_table(pa.table({"text": texts, "label": ["a"] * len(texts)}))
    before, held = pa.total_allocated_bytes(), []
    for batch in read_batches(path, "text", "label"):
        held.append(pa.total_allocated_bytes() - before)
        del batch
    assert max(held) < letters.nbytes / 2
