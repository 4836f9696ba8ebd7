"""What reaches a screen: nothing that a terminal would obey, and numbers that are whole."""

import io
import re
import sys

import pandas as pd
import pytest

import fsmj
from commands import HOSTILE, LABELS, TEXTS, run
from commands import news as news
from fsmj.cli.app import app
from fsmj.cli.terminal import bar, print_table, shown


@pytest.mark.posix
def test_hostile_names_are_only_text(tmp_path):
    path = tmp_path / f"{HOSTILE.replace('/', '')}.csv"
    frame = pd.DataFrame({HOSTILE: [*TEXTS, "\x1b[31mred"], 'la"bel;': [*LABELS, HOSTILE]})
    frame.to_csv(path, index=False)
    options = (path, "--text", HOSTILE, "--label", 'la"bel;', "--pattern", r"\S+")
    printed = run("rank", *options, "--top", 100).stdout
    assert "\x1b" not in printed
    run("count", *options, "-o", tmp_path / "counts.parquet")
    counted = fsmj.load_counts(tmp_path / "counts.parquet")
    assert HOSTILE in counted.classes
    assert "\x1b[31mred" in counted.terms
    run("train", tmp_path / "counts.parquet", "-o", tmp_path / "model.parquet")
    result = run("classify", tmp_path / "model.parquet", stdin="\x1b[31mred " * 5)
    assert '"<script>alert(' in result.stdout  # quoted, as it holds quotes itself


def test_what_a_terminal_would_obey_is_made_visible():
    assert shown("a\nb\x1b") == "a�b�"
    assert len(shown("x" * 10_000)) == 40
    assert [bar(share, 2) for share in (-1, 0, 0.25, 1, 7)] == ["", "", "▌", "██", "██"]


class Screen(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("options", [["--json"], ["-o", "-"], []], ids=str)
def test_nothing_that_a_terminal_would_obey_reaches_it(tmp_path, monkeypatch, options):
    path = tmp_path / "a.csv"
    path.write_text("text,label\n\x1b[31mred \x9b1m,\x1b]0;x\x07a\ngold,b\n", encoding="utf-8")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys, "stdout", screen := Screen())
    app(["rank", str(path), "--pattern", r"[^\s,]+", *options], standalone_mode=False)
    assert "[31mred" in screen.getvalue()
    assert not set(screen.getvalue()) & set("\x1b\x9b\x07")


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_numbers_are_whole_on_any_screen(monkeypatch, width):
    monkeypatch.setattr(sys, "stdout", screen := Screen())
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    columns = [("word", "left"), ("gain", "right"), ("", "left"), ("times", "right"),
               ("speaks for", "left"), ("share", "right")]  # fmt: skip
    rows = [
        ("word" * 9, "12.345", "█" * 12, "1,234,567", "class" * 7, f"{n}.25%") for n in range(3)
    ]
    print_table(columns, rows)
    header, *lines = re.sub(r"\x1b\[\d+m", "", screen.getvalue()).splitlines()
    assert header.split() == ["word", "gain", "times", "speaks", "for", "share"]
    for n, line in enumerate(lines):
        assert [cell for cell in line.split() if cell[0].isdigit()] == [
            "12.345", "1,234,567", f"{n}.25%"
        ]  # fmt: skip
        assert line.startswith("word")


def test_on_a_narrow_screen_names_differ_and_what_can_be_spared_is_left_out(monkeypatch):
    monkeypatch.setattr(sys, "stdout", screen := Screen())
    monkeypatch.setenv("COLUMNS", "36")
    monkeypatch.setenv("TERM", "xterm")
    columns = [("word", "left"), ("gain", "right"), ("times", "right"), ("docs", "right")]
    rows = [(f"antidisestablishmentarianism{n}", "12.345", "1,234", "1,000,000") for n in range(9)]
    print_table(columns, rows, spare=["docs", "times"])
    header, *lines = re.sub(r"\x1b\[\d+m", "", screen.getvalue()).splitlines()
    assert header.split() == ["word", "gain", "times"]
    assert len({line.split()[0] for line in lines}) == 9
    assert max(map(len, lines)) <= 36


def test_words_of_few_documents_are_not_called_sure(news):
    told = run("rank", news, "--resamples", 3, "--top", 3)
    measured = fsmj.stability(fsmj.Documents.from_texts(TEXTS, LABELS), n_resamples=3)
    judged = [v for v in measured.verdict[:3] if v in ("few documents", "no gain")]
    assert judged
    assert sum(told.stdout.count(verdict) for verdict in set(judged)) == len(judged)


def test_how_sure_a_word_is_does_not_hang_on_how_many_are_shown(news):
    documents = fsmj.Documents.from_texts(TEXTS, LABELS)
    usual = fsmj.stability(documents, n_resamples=3)
    for top in (usual.n_terms - 2, usual.n_terms, usual.n_terms + 1):
        told = run("rank", news, "--resamples", 3, "--top", top, "-o", "-")
        expected = usual if top <= usual.n_terms else fsmj.stability(documents, "fsmj", top, 3)
        assert expected.sentence in told.stderr
        found = pd.read_csv(io.StringIO(told.stdout))
        assert found["verdict"].tolist() == expected.verdict[:top].tolist()


def test_numbers_of_documents_are_whole_beside_words_that_are_not_judged(news):
    rows = run("rank", news, "--resamples", 2, "-o", "-").stdout.splitlines()
    header, *cells = (row.split(",") for row in rows)
    n_docs = {row[header.index("class_docs")] for row in cells}
    assert n_docs > {""}
    assert "".join(n_docs).isdigit()


def test_the_bar_of_resamples_begins_with_what_is_known(news, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # makes Rich take the pipe for a terminal
    monkeypatch.setattr("rich.progress.Progress.update", lambda *_, **told: heard.append(told))
    heard = []
    run("rank", news, "--resamples", 7)
    of_resamples = [told["completed"] for told in heard if told["total"] == 7]
    assert of_resamples == list(range(8))
