"""Damaged and hostile files on the command line: a result, or one sentence and status 2.

FSMJ_FUZZ=10000 tries so many cases; the same number gives the same cases.
"""

import gzip
import json
import os
import pty
import random
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import fsmj
from fsmj.cli.app import app

pytestmark = pytest.mark.long

N_CASES = int(os.environ.get("FSMJ_FUZZ", "100"))
SECONDS = 60  # no case may take longer, however busy the machine is
TEXTS = ['gold bar and "silver"', "crude oil, a well", "naïve wheat\nand corn", "", "gold oil x"]
LABELS = ["metal", "fuel", "crop", "crop", "metal"]
HOSTILE = [
    b'"', b'""', b",", b"\n", b"\r", b"\r\n", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe",
    b"\x1b[31m", b"\x1b]0;x\x07", b"\xc2\x9b1m", b"=1+1", b"{", b"}", b"[", b"]", b"\\", b'\\"',
    b"\\ud800", b"null", b"NaN", b"1e999", b"-1", b"9" * 30, b"a" * 3000, b"[" * 2000,
    b"label", b"text", b"\t", b";", "\u202e\u0301".encode(), "Σς".encode(), "İ".encode(),
    b"PAR1", b"\x1f\x8b", b"\x28\xb5\x2f\xfd",
]  # fmt: skip
COMMANDS = (
    ["rank", "count"] * 4 + ["merge", "train", "classify", "evaluate"] * 2 + ["report", "compare"]
)
OPTIONS = [
    ["--pattern", r"\w*"], ["--pattern", "(?:a+)+b"], ["--pattern", "("], ["--pattern", r"[^\s]+"],
    ["--pattern", "\\"], ["--pattern", "."], ["--ngrams", "2"], ["--ngrams", "3000"],
    ["--ngrams", "x"], ["--min-docs", "2"], ["--min-docs", "99"], ["--min-class-docs", "2"],
    ["--min-length", "9"], ["--encoding", "cp1252"], ["--encoding", "utf-16"],
    ["--encoding", "zip"], ["--encoding", "\x1b[31m"], ["--label-separator", ""],
    ["--label-separator", "l"],
    ["--skip-unlabelled"], ["--skip-missing"], ["--strict"], ["--text", "text"],
    ["--label", "text"], ["--text", "no\x1b[31m"], ["--marks"], ["--memory-limit", "1MB"],
    ["--memory-limit", "٣GB"], ["--stop-words", "english"],
    ["--no-lowercase"], ["--quiet"], ["--characters"],
]  # fmt: skip
RANKING = [["--method", name] for name in (*fsmj.METHODS, "no")] + [
    ["--top", "1"], ["--top", "0"], ["--smoothing", "1e308"], ["--smoothing", "nan"],
    ["--alpha", "1e308"], ["--aggregate", "sum"], ["--reference", "complement"],
    ["--weights", "prior"], ["--class", "metal"], ["--json"],
]  # fmt: skip
REPORT = [
    ["--cv", "2"], ["--cv", "1"], ["--top", "2"], ["--class", "metal"], ["--class", "no"],
    ["--resamples", "2"], ["--title", "\x1b[31m<script>"], ["--method", "df"], ["--method", "cmim"],
]  # fmt: skip
COMPARE = [
    ["--cv", "2"], ["--cv", "99"], ["--test-share", "0.5"], ["--test-share", "nan"],
    ["--test-share", "1e-9"], ["--aggregate", "sum"], ["--aggregate", "no"], ["--json"],
]  # fmt: skip


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    """Sound files of each kind, as bytes by name."""
    folder = tmp_path_factory.mktemp("seeds")
    table = pa.table({"text": TEXTS, "label": LABELS})
    rows = "".join('"{}",{}\n'.format(t.replace('"', '""'), y) for t, y in zip(TEXTS, LABELS))
    objects = [{"text": t, "label": y} for t, y in zip(TEXTS, LABELS)]
    counts = fsmj.count_texts(TEXTS, LABELS)
    for method in fsmj.METHODS:  # what is to be compiled first is no part of a case
        fsmj.rank(fsmj.Documents([[3, 1, 2], [1, 2, 0]] * 9, [0, 1] * 9), method)
    pq.write_table(table, folder / "a.parquet")
    counts.save(folder / "counts.parquet")
    fsmj.TextModel(counts).save(folder / "model.parquet")
    found = {path.name: path.read_bytes() for path in folder.iterdir()}
    found["a.csv"] = f"text,label\n{rows}".encode()
    found["a.tsv"] = b"label\ttext\n" + b"".join(b"%d\tgold oil\n" % (n % 3) for n in range(9))
    found["a.jsonl"] = "\n".join(map(json.dumps, objects)).encode()
    found["a.json"] = json.dumps(objects).encode()
    found["a.txt"] = "\n".join(TEXTS).encode()
    found["a.csv.gz"] = gzip.compress(found["a.csv"], mtime=0)
    found["a.csv.zst"] = pa.compress(found["a.csv"], "zstd", asbytes=True)
    return found


def damaged(rng, content, others):
    """The content with something changed, most often a little."""
    content = bytearray(content)
    for _ in range(rng.choice([0, 1, 1, 1, 2, 5])):
        at = rng.randrange(len(content) + 1)
        kind = rng.randrange(6)
        if kind == 0:
            content[at:at] = rng.choice(HOSTILE)
        elif kind == 1 and at < len(content):
            content[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            del content[at:]
        elif kind == 3:
            del content[at : at + rng.choice([1, 2, 10])]
        elif kind == 4:
            content[at:at] = content[at : at + rng.choice([5, 50])] * rng.choice([1, 3])
        else:
            content[at:at] = rng.choice(others)[: rng.choice([4, 100, 10_000])]
    return bytes(content)


def with_other_metadata(rng, path):
    """Rewrite a table of counts, so that what it says of itself is wrong but whole."""
    table = pq.read_table(path)
    found = dict(table.schema.metadata or {})
    values = [
        b"",
        b"nan",
        b"-1",
        b"1e308",
        b"1e999",
        b"2",
        b"\xff",
        b"{}",
        b"[" * 3000,
        b'{"x": 1}',
        b'["text"]',
        b'["\\u001b[31m"]',
        b"[1]",
    ]
    rule = json.loads(found.get(b"fsmj.rule", b"{}"))
    for name, value in (("pattern", "(?:a+)+b"), ("ngram_range", [1, 10**9]), ("min_length", 1e308),
                        ("stop_words", ["a"] * 99), ("lowercase", None)):  # fmt: skip
        values.append(json.dumps({**rule, name: value}).encode())
    found[rng.choice([b"fsmj.rule", b"fsmj.alpha", b"fsmj.format", b"fsmj.columns"])] = rng.choice(
        values
    )
    column = rng.choice(["count", "docs"])
    numbers = table[column].to_pylist()
    numbers[rng.randrange(len(numbers))] = rng.choice([0, -1, 2**62, None, 1])
    if rng.random() < 0.5:
        at = table.column_names.index(column)
        table = table.set_column(at, column, pa.array(numbers, table[column].type))
    pq.write_table(table.replace_schema_metadata(found), path)


def case(number, seeds, folder):
    """Write the files of a case; return its arguments, its standard input, and its output."""
    rng = random.Random(number)
    command = rng.choice(COMMANDS)
    tables = [name for name in seeds if name not in ("counts.parquet", "model.parquet", "a.txt")]
    kinds = {"merge": ["counts.parquet"], "classify": [*tables, "a.txt"], "evaluate": tables,
             "compare": tables}  # fmt: skip
    names = rng.choices(kinds.get(command, [*tables, "counts.parquet"]), k=rng.choice([1, 1, 1, 2]))
    paths = []
    for i, seed in enumerate(names):
        stem, ending = seed.split(".", 1)
        if rng.random() < 0.05:
            ending = rng.choice(["csv", "jsonl", "parquet", "xlsx", "", "csv.gz"])
        start = rng.choice(["a", "b c", "é", "-", "x*", "q\x1b[31m"])
        path = folder / f"{start}{stem}{i}.{ending}"
        content = seeds[seed] if command in ("classify", "evaluate") and rng.random() < 0.4 else (
            damaged(rng, seeds[seed], list(seeds.values()))
        )  # fmt: skip
        path.write_bytes(content)
        if seed == "counts.parquet" and rng.random() < 0.5:
            path.write_bytes(seeds[seed])
            with_other_metadata(rng, path)
        paths.append(str(path))
    if command in ("classify", "evaluate"):
        model = folder / "model.parquet"
        model.write_bytes(seeds["model.parquet"])
        if rng.random() < 0.4:
            with_other_metadata(rng, model)
        elif rng.random() < 0.5:
            model.write_bytes(damaged(rng, seeds["model.parquet"], list(seeds.values())))
        paths.insert(0, str(model))
    reading = [option for option in OPTIONS if option[0] != "--memory-limit"]
    allowed = {"rank": [*OPTIONS, *RANKING], "train": [*OPTIONS, *RANKING], "count": OPTIONS,
               "report": REPORT + reading, "compare": COMPARE + reading}  # fmt: skip
    options = rng.choices(allowed.get(command, [["--quiet"]]), k=rng.choice([0, 0, 1, 2]))
    arguments = [command, *paths, *(word for option in options for word in option)]
    if command == "compare":
        arguments += ["--methods", rng.choice(["df", "fsmj,ig", "no", ","])]
    output = None
    always = command in ("count", "merge", "train", "report")
    if always or (command != "evaluate" and rng.random() < 0.5):
        endings = {"rank": [".csv", ".parquet", ".json"], "classify": [".csv", ".jsonl"],
                   "report": [".html"], "compare": [""]}  # fmt: skip
        output = folder / f"out{rng.choice(endings.get(command, ['.parquet']))}"
        arguments += ["-o", str(output)]
    stdin = damaged(rng, seeds["a.txt"], list(seeds.values()))
    if rng.random() < 0.1:
        arguments = ["-" if a in paths[-1:] else a for a in arguments]
    return arguments, stdin, output


@contextmanager
def limit(seconds):
    """Fail where something hangs; what an interrupt does not end hangs for ever."""

    def give_up(*_):
        raise AssertionError(f"it took more than {seconds} seconds")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def assert_fine(status, said, folder, files, output):
    """What holds for every case, whatever became of it."""
    assert status in (0, 2), said
    assert "Traceback" not in said
    for control in ("\x1b", "\x9b", "\x07", "\0"):
        assert control not in said
    errors = [
        line for line in said.splitlines()
        if line.startswith("fsmj: ") and not line.startswith(("fsmj: warning: ", "fsmj: reading "))
    ]  # fmt: skip
    if status == 2 and "Usage: " not in said:
        assert len(errors) == 1, said
        assert len(errors[0]) < 1000, "one sentence"
    made = {path.name for path in folder.iterdir()} - files
    assert made <= ({output.name} if output and status == 0 else set())


@pytest.mark.parametrize("part", range(10))
def test_damaged_and_hostile_files(part, seeds, tmp_path, monkeypatch):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    wrong = []
    for number in range(part * N_CASES // 10, (part + 1) * N_CASES // 10):
        folder = tmp_path / str(number)
        folder.mkdir()
        arguments, stdin, output = case(number, seeds, folder)
        files = {path.name for path in folder.iterdir()}
        try:
            with limit(SECONDS):
                done = CliRunner().invoke(app, arguments, input=stdin)
            assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
            assert_fine(done.exit_code, done.stderr, folder, files, output)
            assert list(scratch.iterdir()) == []
        except AssertionError as reason:
            wrong.append((number, arguments, str(reason)[:1000]))
        shutil.rmtree(folder)
    assert wrong == []


@pytest.mark.parametrize("part", range(2))
def test_on_a_terminal(part, seeds, tmp_path):
    """The same as processes of their own, with standard output and error on a terminal."""
    n_cases = max(4, N_CASES // 200)
    for number in range(part * n_cases // 2, (part + 1) * n_cases // 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        arguments, stdin, output = case(10**6 + number, seeds, folder)
        files = {path.name for path in folder.iterdir()}
        status, shown = on_a_terminal(arguments, stdin, tmp_path)
        assert_fine(status, shown, folder, files, output)
        assert not list(tmp_path.glob("fsmj-*")), arguments


def on_a_terminal(arguments, stdin, scratch):
    """Run the command; return its status, and what appears on the screen."""
    screen, end = pty.openpty()
    environment = {**os.environ, "TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "2000",
                   "TMPDIR": str(scratch)}  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-c", "from fsmj.cli import main; main()", *arguments],
        stdin=subprocess.PIPE, stdout=end, stderr=end, env=environment,
    )  # fmt: skip
    os.close(end)
    process.stdin.write(stdin)
    process.stdin.close()
    shown = b""
    with limit(SECONDS):
        while True:
            try:
                part = os.read(screen, 1 << 16)
            except OSError:  # everybody has closed it
                break
            if not part:
                break
            shown += part
        process.wait()
    os.close(screen)
    return process.returncode, shown.decode(errors="replace").replace("\r\n", "\n")
