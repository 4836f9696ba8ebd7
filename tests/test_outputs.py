"""Where results go: no name promises what is not there, and no input is replaced by its results."""

import csv
import json
import os
import sys

import pytest

import fsmj
from commands import LABELS, TEXTS, refused, run
from fsmj._spreadsheets import guarded, unguarded
from fsmj.corpus import file_columns
from fsmj.corpus.counting import count_files


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder to work in, with a table that the commands take and a model of it."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{text.replace(',', '')},{label}\n" for text, label in zip(TEXTS, LABELS)]
    (tmp_path / "news.csv").write_text("text,label\n" + "".join(rows))
    fsmj.TextModel(count_files("news.csv")).save("model.parquet")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "output"),
    [
        (["train", "news.csv"], "model.csv"),
        (["train", "news.csv"], "model.pkl"),
        (["count", "news.csv"], "counts.csv"),
        (["merge", "model.parquet"], "all.CSV"),
        (["report", "news.csv"], "x.csv"),
        (["report", "news.csv"], "x.pdf"),
        (["rank", "news.csv"], "words.xlsx"),
        (["rank", "news.csv"], "words.csv.gz"),
        (["classify", "model.parquet", "news.csv"], "labels.parquet"),
        (["evaluate", "model.parquet", "news.csv", "--confusion"], "matrix.tsv"),
        (["compare", "news.csv"], "comparison.csv"),
        (["report", "news.csv", "--figures"], "figures.html"),
        (["reproduce", "--results"], "results.parquet"),
    ],
)
def test_a_name_that_promises_another_format_is_refused_before_the_work(
    here, monkeypatch, command, output
):
    monkeypatch.setattr("fsmj.corpus.places.find", None)
    monkeypatch.setattr("fsmj.model.load_model", None)
    monkeypatch.setattr("fsmj.paper.reproduce", None)
    option = [] if command[-1].startswith("--") else ["-o"]
    said = refused(*command, *option, output)
    assert said.startswith(f"fsmj: {output}")
    assert "name" in said
    assert not (here / output).exists()


@pytest.mark.parametrize("output", ["counts", "counts.parquet", "counts.PQ"])
def test_the_only_format_needs_no_ending(here, output):
    run("count", "news.csv", "-o", output)
    assert fsmj.load_counts(output).n_docs == len(TEXTS)


def as_it_is(path):
    return path.name


def relative(path):
    (path.parent / "folder").mkdir(exist_ok=True)
    return f"folder/../{path.name}"


def symlink(path):
    path.with_name("soft").with_suffix(path.suffix).symlink_to(path)
    return f"soft{path.suffix}"


def hard_link(path):
    os.link(path, path.with_name("hard").with_suffix(path.suffix))
    return f"hard{path.suffix}"


@pytest.mark.posix
@pytest.mark.parametrize("way", [as_it_is, relative, symlink, hard_link])
@pytest.mark.parametrize(
    "command",
    [
        ["rank", "news.csv"],
        ["rank", "*.csv"],
        ["rank", "folder"],
        ["rank", "other.csv", "--stop-words", "news.csv"],
        ["classify", "model.parquet", "news.csv"],
        ["classify", "news.csv", "other.csv"],
        ["evaluate", "model.parquet", "news.csv", "--confusion"],
    ],
    ids=" ".join,
)
def test_an_input_is_never_replaced_by_its_results(here, way, command):
    table = here / "news.csv"
    before = table.read_bytes()
    (here / "other.csv").write_bytes(before)
    (here / "folder").mkdir()
    os.link(table, here / "folder" / "news.csv")
    option = [] if command[-1].startswith("--con") else ["-o"]
    output = way(table)
    assert refused(*command, *option, output) == (
        f"fsmj: {output} is one of the files to read; write to another one\n"
    )
    assert table.read_bytes() == before


def test_counts_are_never_replaced_by_what_is_made_of_them(here):
    for name in ("a.parquet", "b.parquet"):
        run("count", "news.csv", "-o", name)
    for command in (["merge", "b.parquet"], ["train"], ["count"], ["report"]):
        name = "a.html" if command == ["report"] else "a.parquet"
        (here / "a.parquet").rename(here / name)
        before = (here / name).read_bytes()
        assert "is one of the files to read" in refused(*command, name, "-o", name)
        assert (here / name).read_bytes() == before
        (here / name).rename(here / "a.parquet")


def test_nor_is_what_a_comparison_reads(here):
    folder = here / "comparison"
    folder.mkdir()
    (here / "news.csv").rename(folder / "accuracy.csv")
    said = refused("compare", folder / "accuracy.csv", "-o", folder)
    assert "accuracy.csv is one of the files to read" in said


@pytest.mark.posix
def test_nor_is_the_file_that_is_standard_input(here, monkeypatch):
    with (here / "news.csv").open() as table:
        monkeypatch.setattr(sys, "stdin", table)
        from fsmj.cli.output import FORMATS, check_target

        with pytest.raises(ValueError, match="one of the files to read"):
            check_target(here / "news.csv", FORMATS, ["-"])


RUN_BY_A_SPREADSHEET = ["=A1", "+x", "-x", "@x", "\tx", "'=A1", "-3", "plain"]


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_labels_are_disarmed_in_a_table_and_known_again(here, ending):
    labels = [label for label in RUN_BY_A_SPREADSHEET if label != "'=A1"]
    with (here / "train.jsonl").open("w") as stream:
        for n, label in enumerate(labels * 2):
            stream.write(json.dumps({"text": f"word{n % len(labels)}", "label": label}) + "\n")
    run("train", "train.jsonl", "-o", "model.parquet")
    classified = here / f"out.{ending}"
    run("classify", "model.parquet", "train.jsonl", "--keep", "text", "-o", classified)
    with classified.open(newline="") as stream:
        table = csv.DictReader(stream, delimiter="," if ending == "csv" else "\t")
        cells = [row["label"] for row in table]
    assert cells[: len(labels)] == ["'=A1", "'+x", "'-x", "'@x", "'\tx", "-3", "plain"]
    evaluated = run("evaluate", "model.parquet", classified, "--json", "--confusion", "matrix.csv")
    assert "knows no class" not in evaluated.stderr
    figures = json.loads(evaluated.stdout)
    assert (figures["accuracy"], set(figures["classes"])) == (1.0, set(labels))
    with (here / "matrix.csv").open(newline="") as stream:
        header, *rows = csv.reader(stream)
    assert sorted(header[1:]) == sorted(row[0] for row in rows) == sorted(cells[: len(labels)])
    assert set(count_files(classified).classes) == set(labels)


@pytest.mark.parametrize("cell", RUN_BY_A_SPREADSHEET)
def test_guarding_has_one_inverse(cell):
    assert not guarded(cell).startswith(("=", "+", "-x", "@", "\t"))
    assert guarded(guarded(cell)) == guarded(cell)
    assert unguarded(guarded(cell)) == cell.removeprefix("'")


def test_names_of_columns_are_disarmed_too(here):
    (here / "formula.csv").write_text("=A1,text,label\n1,gold,a\n2,oil,b\n")
    run("classify", "model.parquet", "formula.csv", "-o", "out.csv")
    assert (here / "out.csv").read_text().splitlines()[0].split(",")[0] == "'=A1"
    assert file_columns("out.csv")[0] == "=A1"


def test_nor_is_a_text_of_a_folder(here):
    (here / "texts").mkdir()
    (here / "texts" / "a.csv").write_text("gold")
    said = refused("classify", "model.parquet", "texts", "-o", "texts/a.csv")
    assert "texts/a.csv is one of the files to read" in said


def test_what_lies_in_a_folder_but_is_not_read_may_be_replaced(here):
    (here / "tables" / "out").mkdir(parents=True)
    (here / "news.csv").rename(here / "tables" / "news.csv")
    for _ in range(2):
        run("rank", "tables", "-o", "tables/out/words.csv")
    for number, (text, label) in enumerate(zip(TEXTS, LABELS)):
        (here / "classes" / label).mkdir(exist_ok=True, parents=True)
        (here / "classes" / label / f"{number}.txt").write_text(text)
    for _ in range(2):
        run("report", "classes", "-o", "classes/report.html")


def test_a_report_on_results_may_stand_among_them(here):
    run("compare", "news.csv", "--cv", 2, "--methods", "df", "-o", "comparison")
    for _ in range(2):
        run("report", "comparison", "-o", "comparison/report.html")
