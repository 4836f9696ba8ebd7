"""Tables of texts and labels, written in every format."""

import csv
import gzip
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq

from texts import as_table


def write_csv(path, texts, labels, delimiter=","):
    with io.TextIOWrapper(path, "utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter=delimiter)
        writer.writerow(["id", "label", "text"])
        writer.writerows([row, label, text] for row, (text, label) in enumerate(zip(texts, labels)))


def write_tsv(path, texts, labels):
    write_csv(path, texts, labels, "\t")


def write_semicolons(path, texts, labels):
    write_csv(path, texts, labels, ";")


def write_json(path, texts, labels):
    with path:
        for text, label in zip(texts, labels):
            path.write(json.dumps({"text": text, "label": label}).encode() + b"\n")


def write_json_array(path, texts, labels):
    with path:
        rows = [{"text": text, "label": label} for text, label in zip(texts, labels)]
        path.write(json.dumps(rows, ensure_ascii=False, indent=1).encode())


def write_parquet(path, texts, labels):
    with path:
        pq.write_table(as_table(texts, labels), path, row_group_size=7)


WRITERS = {
    ".csv": write_csv,
    "; .csv": write_semicolons,
    ".tsv": write_tsv,
    ".jsonl": write_json,
    ".json": write_json_array,
    ".parquet": write_parquet,
}


def opened(path):
    if path.suffix == ".gz":
        return gzip.open(path, "wb")
    if path.suffix == ".zst":
        return pa.CompressedOutputStream(pa.OSFile(str(path), "wb"), "zstd")
    return path.open("wb")


def written(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path
