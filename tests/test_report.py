"""What the summary of a report says."""

import re
import warnings
from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import MultinomialNB

import fsmj
from fsmj.reporting.findings import accuracy_found, accuracy_notes
from fsmj.reporting.summary import AccuracyCurve
from reports import CLASSES, COUNTS, DOCUMENTS, LABELS, TEST, TEST_LABELS, TEST_TEXTS, TEXTS


@pytest.fixture(scope="module")
def cross_validated():
    return fsmj.report(DOCUMENTS, cv=5)


@pytest.fixture(scope="module")
def held_out():
    return fsmj.report(DOCUMENTS, test=TEST)


def test_words_are_those_of_the_ranking():
    ranking = fsmj.rank(COUNTS)
    words = fsmj.report(ranking).summary.words
    np.testing.assert_array_equal(words.terms, ranking.terms)
    np.testing.assert_array_equal(words.scores, ranking.scores)
    np.testing.assert_array_equal(words.explained, ranking.explained)
    strongest = COUNTS.classes[ranking.contributions().argmax(axis=1)]
    np.testing.assert_array_equal(np.array(words.classes)[words.strongest], strongest)


def test_numbers_beside_words_are_those_of_the_texts():
    words = fsmj.report(DOCUMENTS, cv=2).summary.words
    for place, term in enumerate(words.terms):
        times = dict.fromkeys(CLASSES, 0)
        docs = dict.fromkeys(CLASSES, 0)
        for text, label in zip(TEXTS, LABELS):
            times[label] += text.split().count(term)
            docs[label] += term in text.split()
        assert words.class_occurrences[place].tolist() == list(times.values())
        assert words.class_documents[place].tolist() == list(docs.values())
        assert words.occurrences[place] == sum(times.values())
        assert words.documents[place] == sum(docs.values())
    lengths = [sum(len(t.split()) for t, y in zip(TEXTS, LABELS) if y == c) for c in CLASSES]
    assert words.tokens_per_class.tolist() == lengths


def test_a_class_without_a_word_counts_as_against():
    X, y = [[9, 1, 20], [0, 5, 20], [3, 5, 20]], ["a", "b", "c"]
    words = fsmj.report(
        fsmj.ClassTermCounts.from_matrix(X, y, ["fast", "slow", "the"])
    ).summary.words
    place = words.terms.index("fast")
    assert words.class_occurrences[place].tolist() == [9, 0, 3]
    assert words.ratios[place].argmin() == 1
    assert words.ratios[place, 1] < 0


@pytest.mark.parametrize("order", ["by_contribution", "by_ratio"])
def test_words_of_a_class_speak_for_it_the_strongest_first(order):
    ranking = fsmj.rank(COUNTS)
    words = fsmj.report(ranking).summary.words
    contributions = pd.DataFrame(ranking.contributions(), ranking.terms, COUNTS.classes)
    values = {
        "by_contribution": contributions,
        "by_ratio": pd.DataFrame(words.ratios, ranking.terms, COUNTS.classes),
    }[order]
    for class_ in words.by_class:
        listed = getattr(class_, order)
        terms = np.array(words.terms)[listed.places]
        assert set(terms) == set(ranking.terms[contributions[class_.name] > 0])
        np.testing.assert_array_equal(values.loc[terms, class_.name], listed.values)
        assert (np.diff(listed.values) <= 0).all()
        assert class_.n_docs == LABELS.count(class_.name)


def test_only_so_many_words_are_listed_as_asked_for():
    words = fsmj.report(COUNTS, n_terms=4).summary.words
    assert len(words.terms) == len(words.scores) == len(words.ratios) == 4
    assert (words.n_ranked, words.n_terms) == (COUNTS.n_terms, COUNTS.n_terms)


@pytest.mark.long
def test_numbers_of_many_classes_are_kept_for_the_first_words_and_those_of_classes():
    n_terms, n_classes = 3000, 100
    X = np.random.default_rng(0).poisson(1, (n_classes, n_terms)) + np.eye(n_classes, n_terms)
    counts = fsmj.ClassTermCounts.from_matrix(X, range(n_classes))
    words = fsmj.report(counts).summary.words
    listed = {
        place
        for class_ in words.by_class
        for part in (class_.by_contribution, class_.by_ratio)
        for place in part.places.tolist()
    }
    assert set(words.detailed.tolist()) == listed | set(range(1000))
    for table in (words.ratios, words.class_occurrences, words.class_documents):
        assert table.shape == (len(words.detailed), n_classes)
    order = fsmj.rank(counts).order
    np.testing.assert_array_equal(words.class_occurrences, X[:, order[words.detailed]].T)
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
    assert headline == f"{k} of {COUNTS.n_terms} words hold 80 % of what tells the 3 classes apart"
    short = fsmj.report(fsmj.rank(COUNTS, n_terms=2)).summary.headline
    reached = round(100 * ranking.explained[1])
    held = f"{reached} % of what tells the 3 classes apart"
    assert short == f"The first 2 of {COUNTS.n_terms} words hold {held}"


def test_the_number_of_documents_stands_first():
    first = fsmj.report(COUNTS).summary.figures[0]
    assert (first.what, first.value) == ("documents", str(len(TEXTS)))


@pytest.mark.parametrize(("weights", "said"), [("uniform", "1.386 nats"), ("prior", "0.6931 nats")])
def test_the_divergence_is_said_to_be_a_sum_or_an_average(weights, said):
    apart = fsmj.ClassTermCounts.from_matrix([[1, 0], [0, 1]], ["gold", "wheat"])  # ln 2 in each
    facts = fsmj.report(fsmj.rank(apart, weights=weights)).summary.about.facts
    (value,) = [fact.value for fact in facts if fact.what == "Divergence of the classes"]
    assert value.startswith(said)
    assert ("summed over the classes" in value) == (weights == "uniform")
    assert ("averaged over the classes" in value) == (weights == "prior")


def test_classes_that_use_the_same_words_are_said_to():
    counts = fsmj.ClassTermCounts.from_matrix([[1, 2], [1, 2]], ["a", "b"])
    summary = fsmj.report(counts).summary
    assert "No word tells these classes apart" in summary.headline
    assert summary.details == summary.sizes.divergence.milestones == ()


def test_the_headline_of_one_class_names_it_alone():
    said = fsmj.report(COUNTS.against_rest("grain")).summary.headline
    assert said.endswith("% of what tells “grain” from all others")


def test_only_a_ranking_by_divergence_has_the_fewest_words_that_reach_a_share():
    ranking = fsmj.rank(COUNTS, "df")
    k = int((ranking.explained < 0.8).sum()) + 1
    assert fsmj.report(ranking).summary.headline.startswith(f"The first {k} of {COUNTS.n_terms} ")


def test_counts_alone_say_why_there_is_no_accuracy():
    summary = fsmj.report(COUNTS).summary
    assert summary.sizes.accuracy == ()
    assert "only be measured on documents" in summary.sizes.notes[0]
    assert summary.documents is summary.samples is summary.comparison is None


@pytest.mark.parametrize("keep_rest", [False, True])
def test_cross_validation_is_the_one_of_the_package(cross_validated, keep_rest):
    curve = cross_validated.summary.sizes.accuracy[keep_rest]
    whole = fsmj.cross_validate(DOCUMENTS, cv=5, keep_rest=keep_rest)
    places = curve.ks - 1
    np.testing.assert_array_equal(curve.mean, whole.accuracy[places])
    spread = np.std([part.accuracy for part in whole.parts], axis=0)
    np.testing.assert_allclose(curve.spread, spread[places])
    assert curve.best == whole.ks[whole.accuracy.argmax()]
    assert curve.enough <= curve.best


def test_held_out_accuracy_is_that_of_a_classifier_trained_anew(held_out):
    order = fsmj.rank(COUNTS).order
    curve = held_out.summary.sizes.accuracy[0]
    for k, accuracy in zip(curve.ks, curve.mean):
        model = MultinomialNB().fit(DOCUMENTS.X[:, order[:k]], LABELS)
        assert model.score(TEST.X[:, order[:k]], TEST_LABELS) == pytest.approx(accuracy)
    error = np.sqrt(curve.mean * (1 - curve.mean) / len(TEST_LABELS))
    np.testing.assert_allclose(curve.spread, error)


def test_reasons_add_up_to_the_scores_of_naive_bayes(held_out):
    documents = held_out.summary.documents
    columns = fsmj.rank(COUNTS).order[: documents.n_terms]
    model = MultinomialNB().fit(DOCUMENTS.X[:, columns], LABELS)
    terms = DOCUMENTS.terms[columns].tolist()
    assert {example.right for example in documents.examples} == {True, False}
    for example in documents.examples:
        text = "".join(passage.text for passage in example.passages)
        row = [[text.split().count(term) for term in terms]]
        joint = dict(zip(model.classes_, model.predict_joint_log_proba(row)[0]))
        assert example.decision == max(joint, key=joint.get)
        assert example.label == TEST_LABELS[TEST_TEXTS.index(text)]
        assert example.right == (example.label == example.decision)
        np.testing.assert_allclose(example.totals, [joint[name] for name in example.classes])
        added = np.sum([reason.scores for reason in example.reasons], axis=0)
        np.testing.assert_allclose(added, example.totals)
        assert example.probability == pytest.approx(model.predict_proba(row).max())
        marked = [passage for passage in example.passages if passage.lead is not None]
        assert {passage.text for passage in marked} == set(terms) & set(text.split())
        listed = held_out.summary.words.terms
        assert all(listed[passage.place] == passage.text for passage in marked)
        if not example.right:
            assert example.classes == (example.decision, example.label)


def test_wrong_and_right_decisions_are_counted(held_out):
    curve = held_out.summary.sizes.accuracy[0]
    n_right = round(curve.enough_accuracy * len(TEST_LABELS))
    found = re.match(r"([\d,]+) of ([\d,]+) documents", held_out.summary.documents.note)
    assert found.groups() == (str(n_right), str(len(TEST_LABELS)))


@pytest.mark.parametrize(
    ("method", "options"), [("ig", {"aggregate": "sum"}), ("cmim", {}), ("fsmj", {"smoothing": 1})]
)
def test_documents_can_be_ranked_by_any_method(method, options):
    summary = fsmj.report(DOCUMENTS, method=method, cv=2, **options).summary
    expected = fsmj.rank(DOCUMENTS, method, **options)
    assert list(summary.words.terms) == expected.terms.tolist()
    assert summary.words.gains == (method == "fsmj")
    assert summary.words.method == fsmj.METHODS[method].title
    assert len(summary.sizes.accuracy) == 2


def test_documents_with_several_labels_are_counted_but_not_decided():
    several = fsmj.Documents.from_texts(TEXTS, [[label, "all"] for label in LABELS])
    summary = fsmj.report(several).summary
    assert summary.words.classes == ("all", *CLASSES)
    assert summary.sizes.accuracy == ()
    assert "several labels" in summary.sizes.notes[0]
    with pytest.raises(ValueError, match="leave out the test documents"):
        fsmj.report(several, test=TEST)


def test_documents_without_texts_are_decided_but_not_shown():
    bare = fsmj.Documents(DOCUMENTS.X, LABELS, DOCUMENTS.terms)
    summary, shown = (fsmj.report(d, cv=3).summary for d in (bare, DOCUMENTS))
    np.testing.assert_array_equal(
        summary.documents.confusion.table, shown.documents.confusion.table
    )
    assert summary.documents.examples == ()
    assert summary.samples is None


def test_labels_may_be_fractions():
    fractions = [CLASSES.index(label) + 0.5 for label in LABELS]
    summary = fsmj.report(fsmj.Documents(DOCUMENTS.X, fractions), cv=3).summary
    named = fsmj.report(DOCUMENTS, cv=3).summary
    assert summary.words.classes == ("0.5", "1.5", "2.5")
    np.testing.assert_array_equal(summary.sizes.accuracy[0].mean, named.sizes.accuracy[0].mean)


def test_too_few_documents_are_said_to_be():
    few = fsmj.Documents.from_texts(["gold ore", "wheat", "wheat crop"], [1, 2, 2])
    summary = fsmj.report(few).summary
    assert summary.words.terms
    assert "two classes with two documents each" in summary.sizes.notes[0]


def test_one_word_is_one_word():
    # Texts that are all the same: no word adds to what the larger class decides.
    same = fsmj.Documents.from_texts(["same old"] * 9, ["a", "b", "b"] * 3)
    summary = fsmj.report(same, cv=3).summary
    assert summary.sizes.accuracy[0].enough == 1
    assert summary.figures[-1].what == "accuracy with 1 word"
    assert "decided right with 1 word;" in summary.documents.note


@pytest.mark.parametrize("test", [None, TEST])
def test_accuracy_stands_beside_that_of_one_answer_for_all(test):
    uneven = ["metal" if label == "ship" else label for label in LABELS]
    documents = fsmj.Documents.from_texts(TEXTS, uneven)
    held = uneven if test is None else TEST_LABELS
    share = 100 * sum(label == "metal" for label in held) / len(held)
    details = fsmj.report(documents, test=test, cv=3).summary.details
    assert f"Always deciding on “metal” would be right for {share:.1f} %." in details


@pytest.mark.parametrize(
    ("accuracy", "found", "note"),
    [
        ((0.5, 0.9, 0.91), "; the best number, 3, gives 91.0 %.",
         "A: enough with 2 words (90.0 %), best with 3 words (91.0 %)."),
        ((0.5, 0.9, 0.90001), " (somehow).",
         "A: enough with 2 words (90.0 %), best with 3 words (90.0 %)."),
        ((0.5, 0.9, 0.8), " (somehow).",
         "A: best with 2 words (90.0 %), and fewer are not enough."),
        ((0.9, 0.9, 0.8), " (somehow).", "A: best with 1 word (90.0 %)."),
    ],
)  # fmt: skip
def test_what_is_enough_and_what_is_best_are_told_apart_where_they_differ(accuracy, found, note):
    mean = np.array(accuracy)
    best = int(mean.argmax())
    enough = int((mean >= mean[best] - 0.01).argmax())
    curve = AccuracyCurve(
        "a", np.arange(1, 4), mean, 0 * mean, best + 1, mean[best], enough + 1, mean[enough]
    )
    assert accuracy_found(curve, "somehow").endswith(found)
    assert accuracy_notes([curve], "somehow")[1] == note


def test_a_class_that_says_nothing_in_a_part_is_an_error_there():
    texts, labels = [*TEXTS, "moon", "", ""], [*LABELS, "sky", "sky", "sky"]
    documents = fsmj.Documents.from_texts(texts, labels)
    curve = fsmj.report(documents, cv=3).summary.sizes.accuracy[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = fsmj.cross_validate(documents, cv=3).accuracy
    np.testing.assert_array_equal(curve.mean, expected[curve.ks - 1])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"source": [1, 2]}, "got list"),
        ({"source": COUNTS, "test": TEST}, "test documents need training documents"),
        (
            {"source": DOCUMENTS, "test": fsmj.Documents.from_texts(TEXTS, LABELS, terms=["ore"])},
            "other terms than the training documents",
        ),
        ({"source": fsmj.rank(COUNTS, n_terms=0)}, "the ranking is empty"),
        ({"source": COUNTS, "n_terms": 0}, "n_terms must be 1 or more"),
        ({"source": COUNTS, "method": "gut feeling"}, "unknown method"),
        ({"source": COUNTS, "temperature": 2}, "fsmj has no option 'temperature'"),
        ({"source": "no/such/folder"}, "no/such/folder is not a folder of results"),
    ],
)
def test_what_cannot_be_reported_is_said(arguments, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        fsmj.report(**arguments)
