import base64
import hashlib
import html
import json
import re
from dataclasses import asdict
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import MultinomialNB
from typer.testing import CliRunner

import fsmj
from fsmj.cli.app import app
from fsmj.datasets import Corpus, Part
from fsmj.experiment import CANDIDATES, averages, comparisons, problem_of, read_results, run_all
from fsmj.reporting import build
from fsmj.reporting.passages import LONGEST_TEXT, passages_of

CLASSES = ("grain", "metal", "ship")
OWN = {
    "grain": ["wheat", "corn", "crop"],
    "metal": ["gold", "ore", "mine"],
    "ship": ["port", "crew"],
}


def corpus(n_docs, seed):
    """Texts in which each class prefers a few words of its own, and labels."""
    rng = np.random.default_rng(seed)
    common = [f"word{i}" for i in range(30)]
    texts, labels = [], []
    for i in range(n_docs):
        label = CLASSES[i % 3]
        own = rng.choice(OWN[label], rng.integers(0, 3))
        noise = rng.choice(common + OWN[CLASSES[(i + 1) % 3]], 8)
        texts.append(" ".join([*own, *noise]))
        labels.append(label)
    return texts, labels


TEXTS, LABELS = corpus(60, seed=1)
TEST_TEXTS, TEST_LABELS = corpus(30, seed=2)
COUNTS = fsmj.count_texts(TEXTS, LABELS)


@pytest.fixture(scope="module")
def from_texts():
    return fsmj.report(texts=TEXTS, labels=LABELS, cv=5)


@pytest.fixture(scope="module")
def held_out():
    return fsmj.report(
        texts=TEXTS, labels=LABELS, test_texts=TEST_TEXTS, test_labels=TEST_LABELS
    )  # fmt: skip


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    train, test = Part(np.array(LABELS), TEXTS), Part(np.array(TEST_LABELS), TEST_TEXTS)
    problem = problem_of(Corpus("goods & ships", train, test, np.array(CLASSES), None, "nobody"))
    run_all([problem], folder, {name: CANDIDATES[name] for name in ("fsmj", "df", "ig")}, n_jobs=1)
    return folder


# What the summary says


def test_words_are_those_of_the_ranking():
    ranking = fsmj.rank(COUNTS)
    words = fsmj.report(ranking).summary.words
    np.testing.assert_array_equal(words.terms, ranking.terms)
    np.testing.assert_array_equal(words.scores, ranking.scores)
    np.testing.assert_array_equal(words.explained, ranking.explained)
    np.testing.assert_array_equal(words.contributions, ranking.contributions())
    strongest = COUNTS.classes[ranking.contributions().argmax(axis=1)]
    np.testing.assert_array_equal(np.array(words.classes)[words.strongest], strongest)


def test_words_of_a_class_are_its_largest_contributions():
    ranking = fsmj.rank(COUNTS)
    table = pd.DataFrame(ranking.contributions(), ranking.terms, COUNTS.classes)
    for class_ in fsmj.report(ranking).summary.words.by_class:
        column = table[class_.name]
        assert list(class_.contributions) == sorted(column[column > 0], reverse=True)[:12]
        np.testing.assert_array_equal(column[list(class_.terms)], class_.contributions)
        assert class_.n_docs == LABELS.count(class_.name)


def test_only_so_many_words_are_listed_as_asked_for():
    words = fsmj.report(COUNTS, top=4).summary.words
    assert len(words.terms) == len(words.scores) == len(words.contributions) == 4
    assert (words.n_ranked, words.n_terms) == (COUNTS.n_terms, COUNTS.n_terms)


def test_bars_of_many_classes_are_kept_for_the_leading_terms():
    n_terms, n_classes = 1200, 100
    X = np.random.default_rng(0).poisson(1, (n_classes, n_terms)) + np.eye(n_classes, n_terms)
    counts = fsmj.ClassTermCounts.from_matrix(X, range(n_classes))
    words = fsmj.report(counts).summary.words
    assert words.contributions.shape == (1000, n_classes)
    assert len(words.terms) == len(words.strongest) == n_terms


def test_milestones_are_the_fewest_terms_that_reach_a_share():
    ranking = fsmj.rank(COUNTS)
    curve = fsmj.report(ranking).summary.sizes.divergence
    assert [milestone.share for milestone in curve.milestones] == [0.5, 0.8, 0.95]
    for share, k in (tuple(asdict(m).values()) for m in curve.milestones):
        assert ranking.explained[k - 1] >= share > ranking.explained[k - 2]
    np.testing.assert_array_equal(curve.terms, ranking.terms[curve.ks - 1])


def test_the_headline_counts_the_words_that_reach_most_of_the_divergence():
    ranking = fsmj.rank(COUNTS)
    k = int((ranking.explained < 0.8).sum()) + 1
    headline = fsmj.report(ranking).summary.headline
    assert headline == f"{k} of {COUNTS.n_terms} words reach 80 % of the divergence"
    short = fsmj.report(fsmj.rank(COUNTS, n_terms=2)).summary.headline
    reached = round(100 * ranking.explained[1])
    assert short == f"The first 2 of {COUNTS.n_terms} words reach {reached} % of the divergence"


def test_classes_that_use_the_same_words_are_said_to():
    counts = fsmj.ClassTermCounts.from_matrix([[1, 2], [1, 2]], ["a", "b"])
    assert "No word tells these classes apart" in fsmj.report(counts).summary.headline


def test_counts_alone_say_why_there_is_no_accuracy():
    summary = fsmj.report(COUNTS).summary
    assert summary.sizes.accuracy == ()
    assert "only be measured on documents" in summary.sizes.notes[0]
    assert summary.documents is None
    assert summary.comparison is None


@pytest.mark.parametrize("keep_rest", [False, True])
def test_cross_validation_is_that_of_fsmjcv(from_texts, keep_rest):
    curve = from_texts.summary.sizes.accuracy[keep_rest]
    X, _ = fsmj.corpus.document_matrix(TEXTS)
    best = fsmj.FSMJCV(cv=5, keep_rest=keep_rest).fit(X, LABELS)
    frugal = fsmj.FSMJCV(cv=5, keep_rest=keep_rest, one_standard_error=True).fit(X, LABELS)
    np.testing.assert_allclose(curve.mean, best.cv_results_["mean_test_score"][curve.ks - 1])
    np.testing.assert_allclose(curve.spread, best.cv_results_["std_test_score"][curve.ks - 1])
    assert (curve.best, curve.enough) == (best.n_features_, frugal.n_features_)
    assert curve.best_accuracy == pytest.approx(best.best_score_)


def test_held_out_accuracy_is_that_of_a_classifier_trained_anew(held_out):
    X, terms = fsmj.corpus.document_matrix(TEXTS)
    place = {term: column for column, term in enumerate(terms)}
    X_test = np.zeros((len(TEST_TEXTS), len(terms)))
    for row, text in enumerate(TEST_TEXTS):
        for token in text.split():
            X_test[row, place[token]] += 1
    order = fsmj.rank(COUNTS).order
    curve = held_out.summary.sizes.accuracy[0]
    for k, accuracy in zip(curve.ks, curve.mean):
        model = MultinomialNB().fit(X[:, order[:k]], LABELS)
        assert model.score(X_test[:, order[:k]], TEST_LABELS) == pytest.approx(accuracy)
    error = np.sqrt(curve.mean * (1 - curve.mean) / len(TEST_LABELS))
    np.testing.assert_allclose(curve.spread, error)


def test_reasons_add_up_to_the_scores_of_naive_bayes(held_out):
    documents = held_out.summary.documents
    X, terms = fsmj.corpus.document_matrix(TEXTS)
    columns = fsmj.rank(COUNTS).order[: documents.n_terms]
    model = MultinomialNB().fit(X[:, columns], LABELS)
    selected = set(terms[columns])
    assert {example.right for example in documents.examples} == {True, False}
    for example in documents.examples:
        text = "".join(passage.text for passage in example.passages)
        row = [[text.split().count(terms[column]) for column in columns]]
        joint = dict(zip(model.classes_, model.predict_joint_log_proba(row)[0]))
        assert example.decision == max(joint, key=joint.get)
        assert example.label == TEST_LABELS[TEST_TEXTS.index(text)]
        assert example.right == (example.label == example.decision)
        np.testing.assert_allclose(example.totals, [joint[name] for name in example.classes])
        added = np.sum([reason.scores for reason in example.reasons], axis=0)
        np.testing.assert_allclose(added, example.totals)
        assert example.probability == pytest.approx(model.predict_proba(row).max())
        marked = {passage.text for passage in example.passages if passage.lead is not None}
        assert marked == selected & set(text.split())
        if not example.right:
            assert example.classes == (example.decision, example.label)


def test_wrong_and_right_decisions_are_counted(held_out):
    curve = held_out.summary.sizes.accuracy[0]
    n_right = round(curve.enough_accuracy * len(TEST_LABELS))
    found = re.match(r"([\d,]+) of ([\d,]+) documents", held_out.summary.documents.note)
    assert found.groups() == (str(n_right), str(len(TEST_LABELS)))


@pytest.mark.parametrize("method", ["ig", "cmim"])
def test_texts_can_be_ranked_by_any_method(method):
    report = fsmj.report(texts=TEXTS, labels=LABELS, method=method, cv=2)
    X, terms = fsmj.corpus.document_matrix(TEXTS)
    expected = (
        fsmj.rank(COUNTS, "ig") if method == "ig"
        else fsmj.rank_documents(X, LABELS, "cmim", terms=terms)
    )  # fmt: skip
    assert list(report.summary.words.terms) == expected.terms.tolist()
    assert not report.summary.words.gains
    assert len(report.summary.sizes.accuracy) == 2


def test_documents_with_several_labels_are_counted_but_not_decided():
    labels = [[label, "all"] for label in LABELS]
    summary = fsmj.report(texts=TEXTS, labels=labels).summary
    assert summary.words.classes == ("all", *CLASSES)
    assert summary.sizes.accuracy == ()
    assert "several labels" in summary.sizes.notes[0]


@pytest.mark.parametrize(
    ("labels", "test_labels"),
    [([[label] for label in LABELS], TEST_LABELS), (LABELS, [{label} for label in TEST_LABELS])],
)
def test_documents_with_several_labels_cannot_be_tested(labels, test_labels):
    with pytest.raises(ValueError, match="leave out the test documents"):
        fsmj.report(texts=TEXTS, labels=labels, test_texts=TEST_TEXTS, test_labels=test_labels)


def test_labels_may_be_fractions():
    fractions = [CLASSES.index(label) + 0.5 for label in LABELS]
    summary = fsmj.report(texts=TEXTS, labels=fractions, cv=3).summary
    named = fsmj.report(texts=TEXTS, labels=LABELS, cv=3).summary
    assert summary.words.classes == ("0.5", "1.5", "2.5")
    np.testing.assert_array_equal(summary.sizes.accuracy[0].mean, named.sizes.accuracy[0].mean)


@pytest.mark.parametrize("kinds", [(int, str), (str, int), (bool, str), (float, str)])
def test_labels_are_the_same_as_numbers_and_as_strings(kinds):
    numbers = [kinds[0 if kinds[1] is str else 1](label == "grain") for label in LABELS]
    held = numbers[: len(TEST_LABELS)]  # both parts have the classes in the same order
    parts = {str: lambda labels: list(map(str, labels))}
    train, test = (parts.get(kind, list)(part) for kind, part in zip(kinds, (numbers, held)))

    def sizes(labels, test_labels):
        return fsmj.report(
            texts=TEXTS, labels=labels, test_texts=TEST_TEXTS, test_labels=test_labels
        ).summary.sizes  # fmt: skip

    mixed, same = sizes(train, test), sizes(numbers, held)
    np.testing.assert_array_equal(mixed.accuracy[0].mean, same.accuracy[0].mean)
    assert mixed.notes == same.notes
    assert "errors" not in mixed.notes[0]


def test_too_few_documents_are_said_to_be():
    summary = fsmj.report(texts=["gold ore", "wheat", "wheat crop"], labels=[1, 2, 2]).summary
    assert summary.words.terms
    assert "two classes with two documents each" in summary.sizes.notes[0]


def test_one_word_is_one_word():
    # Texts that are all the same: no word adds to what the larger class decides.
    summary = fsmj.report(texts=["same old"] * 9, labels=["a", "b", "b"] * 3, cv=3).summary
    assert summary.sizes.accuracy[0].enough == 1
    assert summary.figures[-1].what == "accuracy with 1 word"
    assert "decided right with 1 word;" in summary.documents.note


def test_test_documents_of_an_unknown_class_are_said_to_be_errors():
    labels = ["moon", *TEST_LABELS[1:]]
    summary = fsmj.report(
        texts=TEXTS, labels=LABELS, test_texts=TEST_TEXTS, test_labels=labels
    ).summary  # fmt: skip
    assert "1 of them errors for a label that no training document has" in summary.sizes.notes[0]
    assert summary.sizes.accuracy[0].mean.max() < 1


def test_a_class_that_says_nothing_in_a_fold_is_an_error_there():
    texts, labels = [*TEXTS, "moon", "", ""], [*LABELS, "sky", "sky", "sky"]
    curve = fsmj.report(texts=texts, labels=labels, cv=3).summary.sizes.accuracy[0]
    X, _ = fsmj.corpus.document_matrix(texts)
    expected = fsmj.FSMJCV(cv=3).fit(X, labels).cv_results_["mean_test_score"]
    np.testing.assert_allclose(curve.mean, expected[curve.ks - 1])


def test_a_class_without_any_word_is_refused():
    with pytest.raises(ValueError, match="'sky' has no tokens"):
        fsmj.report(texts=[*TEXTS, ""], labels=[*LABELS, "sky"])


# Results of experiments


def test_the_comparison_is_what_the_result_files_say(results):
    read = read_results(results)
    (contest,) = fsmj.report(results).summary.comparison.contests
    assert contest.problem == "goods & ships"
    assert (
        len(contest.lines)
        == read.curves[["method", "aggregate", "rest"]].drop_duplicates().shape[0]
    )
    mean = averages(read).set_index(["method", "variant", "aggregate", "rest"])["accuracy"]
    for line in contest.lines:
        key = (line.method, line.variant, line.aggregate, line.rest)
        run = next(run for name, run in read.lines(contest.problem) if name == key)
        known = ~np.isnan(line.accuracy)
        np.testing.assert_array_equal(contest.ks[known], run["k"])
        np.testing.assert_array_equal(line.accuracy[known], run["accuracy"])
        np.testing.assert_equal(line.average, mean[key])
    assert (contest.lines[0].method, contest.lines[0].rest) == ("fsmj", False)


def test_the_headline_names_the_run_with_the_best_average():
    from fsmj.reporting.comparison import leaders
    from fsmj.reporting.summary import Comparison, Contest, Line

    def contest(**average):
        lines = [Line(name, name, "", "", False, a, np.array([a])) for name, a in average.items()]
        return Contest("any", 9, np.array([1]), tuple(lines), (), ())

    one, other = contest(fsmj=0.9, ig=0.8, cll=np.nan), contest(fsmj=0.7, ig=0.8)
    assert leaders(Comparison("", (one,))) == "Best average accuracy: “fsmj”"
    assert leaders(Comparison("", (other, one, one))) == (
        "Best average accuracy: “fsmj” on 2 of 3 corpora, “ig” on 1"
    )
    assert leaders(Comparison("", (contest(cll=np.nan),))) == "Rankings compared: 1"


def test_duels_are_the_paired_comparisons(results):
    (contest,) = fsmj.report(results).summary.comparison.contests
    expected = comparisons(read_results(results))
    found = [
        (k, duel.wins, duel.losses, duel.verdict)
        for rival in contest.rivals
        for k, duel in zip(contest.compared_at, rival.duels)
        if duel is not None
    ]
    columns = ["k", "wins", "losses", "verdict"]
    assert found == list(expected[columns].itertuples(index=False, name=None))


def test_results_and_texts_make_one_report(results):
    summary = fsmj.report(results, texts=TEXTS, labels=LABELS, cv=2).summary
    assert summary.comparison is not None
    assert summary.words is not None
    assert any(fact.what == "goods & ships" for fact in summary.about.facts)


# Marked texts


def test_passages_are_the_text_again():
    rule = fsmj.TokenRule(stop_words=["the"], ngram_range=(1, 2))
    text = "The <b>old</b> man, the old MAN & he"
    passages, cut = passages_of(text, rule, {"old man": 2.0, "he": -1.0})
    assert "".join(passage.text for passage in passages) == text
    assert not cut
    # "b" and "the" are dropped before pairs are formed; "he" is no part of "The".
    assert [(p.text, p.lead) for p in passages if p.lead is not None] == [
        ("old</b> man", 2.0),
        ("old MAN", 2.0),
        ("he", -1.0),
    ]


def test_a_letter_whose_lower_case_is_longer_moves_no_mark():
    passages, _ = passages_of("İstanbul gold", fsmj.TokenRule(), {"gold": 1.0})
    assert [passage.text for passage in passages if passage.lead] == ["gold"]


def test_a_long_text_is_cut():
    passages, cut = passages_of("gold " * 10_000, fsmj.TokenRule(), {"gold": 1.0})
    assert cut
    assert sum(len(passage.text) for passage in passages) == LONGEST_TEXT


# The page

HOSTILE = ("</script><script>alert(1)</script>", "\u2028\u202e<!--", "&lt;'\"", "x" * 10_000)


class Elements(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.scripts, self.styles, self.data, self.attributes = [], [], [], []
        self.inside = None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.attributes += [(tag, name, value) for name, value in attrs]
        kinds = {"script": self.scripts, "style": self.styles}
        self.inside = kinds.get(tag)
        if dict(attrs).get("type") == "application/json":
            self.inside = self.data
        if self.inside is not None:
            self.inside.append("")

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, text):
        if self.inside is not None:
            self.inside[-1] += text

    def value(self, tag, name):
        return [value for t, n, value in self.attributes if (t, n) == (tag, name)]


def hostile_report():
    X = np.eye(len(HOSTILE), dtype=int) + 1
    counts = fsmj.ClassTermCounts.from_matrix(X, HOSTILE, HOSTILE)
    return fsmj.report(counts, title=HOSTILE[0])


def test_the_page_carries_the_summary_and_nothing_breaks_out():
    report = hostile_report()
    elements = Elements(report.to_html())
    assert len(elements.scripts) == 3
    data = json.loads(elements.data[0])
    assert data["words"]["terms"] == list(report.summary.words.terms)
    assert HOSTILE[0] in data["words"]["terms"]
    assert data["title"] == HOSTILE[0]
    assert max(map(len, data["words"]["terms"])) < 200


def test_the_policy_allows_just_the_scripts_and_styles_of_the_page():
    elements = Elements(fsmj.report(COUNTS).to_html())
    policy = elements.value("meta", "content")[0]

    def hashes(texts):
        digests = [hashlib.sha256(text.encode()).digest() for text in texts]
        return {f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests}

    rules = {name: set(values) for name, *values in map(str.split, policy.split(";"))}
    assert rules["default-src"] == {"'none'"}
    assert rules["script-src"] == hashes(elements.scripts)
    assert rules["style-src"] == hashes(elements.styles)


def test_the_page_refers_to_nothing_outside():
    elements = Elements(fsmj.report(COUNTS).to_html())
    assert elements.value("script", "src") == []
    assert set(elements.value("link", "href")) == {"data:,"}


def test_a_notebook_shows_the_page_in_a_closed_frame():
    report = fsmj.report(COUNTS)
    elements = Elements(report._repr_html_())
    assert elements.value("iframe", "sandbox") == ["allow-scripts"]
    assert elements.value("iframe", "srcdoc") == [report.to_html()]
    assert html.escape("<") not in elements.value("iframe", "srcdoc")[0][:15]


def test_a_failed_save_leaves_the_earlier_page(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    report = fsmj.report(COUNTS, path)
    earlier = path.read_text(encoding="utf-8")
    assert earlier == report.to_html()

    def fail(summary):
        raise OSError("no room")

    monkeypatch.setattr(build, "page_of", fail)
    with pytest.raises(OSError, match="no room"):
        report.save(path)
    assert path.read_text(encoding="utf-8") == earlier
    assert list(tmp_path.iterdir()) == [path]


def test_the_page_says_how_to_make_it_again():
    made = fsmj.report(texts=TEXTS, labels=LABELS, min_docs=2, cv=3, method="ig")
    again = "fsmj.report(texts=texts, labels=labels, min_docs=2, method='ig', cv=3)"
    assert made.summary.about.command == again
    assert fsmj.report(fsmj.rank(COUNTS)).summary.about.command == "fsmj.report(ranking)"
    assert fsmj.report(COUNTS, command="make it").summary.about.command == "make it"


def test_the_same_input_gives_the_same_page():
    assert fsmj.report(COUNTS).to_html() == fsmj.report(COUNTS).to_html()


def test_half_a_surrogate_pair_does_not_stop_the_page(tmp_path):
    counts = fsmj.ClassTermCounts.from_matrix([[2, 0], [0, 1]], ["a", "b"], ["\ud83d", "c"])
    assert fsmj.report(counts).save(tmp_path / "report.html").exists()


# Figures, the command line, and refusals


def test_every_figure_is_written_as_png_and_svg(from_texts, tmp_path):
    written = from_texts.save_figures(tmp_path / "figures")
    assert [path.stem for path in written] == ["words", "divergence", "accuracy"]
    for path in written:
        assert path.read_bytes().startswith(b"\x89PNG")
        assert "</svg>" in path.with_suffix(".svg").read_text(encoding="utf-8")


def test_figures_take_names_as_they_are(tmp_path):
    X = np.eye(3, dtype=int) + 1
    names = ["$\\frac$", "\x00\u202e", "<&>"]
    counts = fsmj.ClassTermCounts.from_matrix(X, names, names)
    assert len(fsmj.report(counts).save_figures(tmp_path)) == 2


def test_words_that_the_font_lacks_are_no_news(tmp_path, recwarn):
    names = ["金", "小麦"]
    counts = fsmj.ClassTermCounts.from_matrix([[2, 1], [1, 2]], names, names)
    fsmj.report(counts).save_figures(tmp_path)
    assert recwarn.list == []
    assert "小麦" in (tmp_path / "words.svg").read_text(encoding="utf-8")


def test_results_have_figures_of_their_own(results, tmp_path):
    stems = {path.stem for path in fsmj.report(results).save_figures(tmp_path)}
    assert {"panels", "few-terms"} <= stems


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "a report is made of counts, a ranking"),
        ({"source": [1, 2]}, "got list"),
        ({"texts": TEXTS}, "texts and labels go together"),
        ({"texts": TEXTS, "labels": LABELS[:-1]}, "60 texts but 59 labels"),
        ({"source": COUNTS, "texts": TEXTS, "labels": LABELS}, "not both"),
        ({"source": COUNTS, "test_texts": TEXTS, "test_labels": LABELS}, "need training documents"),
        ({"source": fsmj.rank(COUNTS, n_terms=0)}, "the ranking is empty"),
        ({"source": COUNTS, "top": 0}, "top must be 1 or more"),
        ({"source": COUNTS, "method": "gut feeling"}, "unknown method"),
        ({"source": "no/such/folder"}, "no/such/folder is not a folder of results"),
    ],
)
def test_what_cannot_be_reported_is_said(arguments, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        fsmj.report(**arguments)


def run(*arguments, status=0):
    result = CliRunner().invoke(app, ["report", *map(str, arguments)])
    assert result.exit_code == status, result.output
    return result


def data_of(path):
    return json.loads(Elements(path.read_text(encoding="utf-8")).data[0])


def test_the_command_reports_on_documents(tmp_path):
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    pd.DataFrame({"body": TEXTS, "topic": LABELS}).to_csv(train, index=False)
    pd.DataFrame({"body": TEST_TEXTS, "topic": TEST_LABELS}).to_csv(test, index=False)
    page, figures = tmp_path / "out.html", tmp_path / "figures"
    said = run(train, "--test", test, "-o", page, "--figures", figures, "--top", 9).stderr
    data = data_of(page)
    assert data["headline"] in said
    assert data["title"] == "train.csv"
    assert len(data["words"]["terms"]) == 9
    assert "30 test documents" in data["sizes"]["notes"][0]
    assert (figures / "accuracy.svg").exists()


def test_the_command_reports_on_counts_and_results(results, tmp_path):
    COUNTS.save(tmp_path / "counts.parquet")
    page = tmp_path / "report.html"
    run(tmp_path / "counts.parquet", "--method", "ig", "-o", page, "--title", "Goods", "--quiet")
    assert data_of(page)["title"] == "Goods"
    assert data_of(page)["words"]["method"] == "Information gain"
    run(results, "-o", page)
    assert data_of(page)["words"] is None
    assert data_of(page)["comparison"]["contests"][0]["problem"] == "goods & ships"


def test_the_command_reports_on_lists_of_labels(tmp_path):
    labels = [[label, "all"] for label in LABELS]
    file, page = tmp_path / "several.jsonl", tmp_path / "report.html"
    pd.DataFrame({"text": TEXTS, "label": labels}).to_json(file, orient="records", lines=True)
    run(file, "-o", page)
    assert data_of(page)["words"]["classes"] == ["all", *CLASSES]
    assert "several labels" in data_of(page)["sizes"]["notes"][0]
    page.unlink()
    test = tmp_path / "test.csv"
    pd.DataFrame({"text": TEST_TEXTS, "label": TEST_LABELS}).to_csv(test, index=False)
    assert "leave out the test documents" in run(file, "--test", test, "-o", page, status=2).stderr
    assert not page.exists()


def test_the_command_takes_labels_of_different_kinds_of_files(tmp_path):
    table = pd.DataFrame({"text": TEXTS, "label": [CLASSES.index(label) for label in LABELS]})
    table.to_parquet(tmp_path / "train.parquet")
    table.to_csv(tmp_path / "test.csv", index=False)
    page = tmp_path / "report.html"
    run(tmp_path / "train.parquet", "--test", tmp_path / "test.csv", "-o", page)
    sizes = data_of(page)["sizes"]
    assert "errors" not in sizes["notes"][0]
    assert sizes["accuracy"][0]["best_accuracy"] > 0.5


def test_a_class_may_be_named_as_the_folder_of_results(tmp_path):
    for class_, text in (("runs", "she ran a mile"), ("rests", "he slept")):
        (tmp_path / "texts" / class_).mkdir(parents=True)
        for number in range(2):
            (tmp_path / "texts" / class_ / f"{number}.txt").write_text(text)
    run(tmp_path / "texts", "-o", tmp_path / "report.html")
    assert data_of(tmp_path / "report.html")["words"]["classes"] == ["rests", "runs"]


def test_the_command_refuses_a_file_without_documents(tmp_path):
    (tmp_path / "empty.csv").write_text("text,label\n")
    said = run(tmp_path / "empty.csv", "-o", tmp_path / "report.html", status=2).stderr
    assert "there is no document in empty.csv" in said


def test_the_command_refuses_in_one_sentence(tmp_path):
    COUNTS.save(tmp_path / "counts.parquet")
    page = tmp_path / "report.html"
    said = run(tmp_path / "counts.parquet", "-o", tmp_path / "no" / "page.html", status=2).stderr
    assert f"{tmp_path / 'no'}: there is no such folder" in said
    said = run(tmp_path / "counts.parquet", "--test", "x.csv", "-o", page, status=2).stderr
    assert said.count("\n") == 1
    assert "--test needs documents" in said
    assert not page.exists()
