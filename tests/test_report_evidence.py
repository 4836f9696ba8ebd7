"""What lets a reader believe a report: cautions, documents, decisions, sureness."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix
from sklearn.naive_bayes import MultinomialNB

import fsmj
from fsmj._names import short_names
from fsmj.reporting import samples
from fsmj.reporting.cautions import count_duplicates
from fsmj.reporting.passages import LONGEST_TEXT, excerpt_of, passages_of, places_of
from reports import CLASSES, COUNTS, DOCUMENTS, LABELS, TEST, TEST_LABELS, TEXTS

RULE = fsmj.TokenRule()


def cautions(texts, labels, **options):
    return " ".join(
        fsmj.report(fsmj.Documents.from_texts(texts, labels, **options)).summary.cautions
    )


# Cautions


def test_a_sound_corpus_has_no_cautions():
    texts = [f"{text} number{i}" for i, text in enumerate(TEXTS)]
    assert cautions(texts, LABELS) == ""


def test_small_classes_are_named_with_their_size():
    said = cautions([*TEXTS, "buy now"], [*LABELS, "spam"])
    assert "One class has fewer than 10 documents: “spam” (1)" in said
    assert "grain" not in said


def test_a_class_without_words_is_named():
    with pytest.warns(UserWarning, match="no token is left of the class 'sky'"):
        said = cautions([*TEXTS, ""], [*LABELS, "sky"])
    assert "No word is left of “sky”" in said


def test_documents_whose_class_cannot_be_learnt_are_counted():
    labels = ["moon", "moon", *TEST_LABELS[2:]]
    test = fsmj.Documents(TEST.X, labels, TEST.terms)
    said = fsmj.report(DOCUMENTS, test=test).summary
    assert "2 documents held out can only be decided wrong" in " ".join(said.cautions)
    assert said.documents.confusion.names == (*CLASSES, "moon")


@pytest.mark.parametrize(
    ("texts", "options", "said"),
    [
        (["金の価格は今日上昇した。", "小麦の収穫は今年も良い。"], {}, "Chinese and Japanese"),
        (["今天黄金价格上涨了，", "小麦今年的收成很好，"], {}, "Chinese and Japanese"),
        (["金 の 価格", "小麦 の 収穫"], {"min_length": 1}, ""),
        (["ราคาทองคำวันนี้", "ข้าวสาลีปีนี้"], {}, "Thai"),
        (["ราคาทองคำวันนี้", "ข้าวสาลีปีนี้"], {"marks": True}, "as long as sentences"),
        (["ราคา ทองคำ", "ข้าว ปีนี้"], {"marks": True}, ""),
        (["小麦の収穫は今年も良い", "金の価格は"], {"characters": True}, ""),
        (["gold and ore", "wheat and corn"], {}, ""),
    ],
)
def test_scripts_without_spaces_are_noticed(texts, options, said):
    found = cautions(texts * 10, ["a", "b"] * 10, rule=fsmj.TokenRule(**options))
    assert ("written without spaces" in found) == bool(said)
    assert said in found
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        fsmj.count_texts(texts, ["a", "b"], fsmj.TokenRule(**options))
    assert [said in str(warning.message) for warning in warned] == [True] * bool(said)


def test_the_caller_may_caution_too():
    made = fsmj.report(COUNTS, cautions=["3 rows without a label were left out"])
    assert made.summary.cautions[0] == "3 rows without a label were left out."


@given(st.lists(st.sets(st.integers(0, 13)), min_size=2, max_size=12))
def test_duplicates_are_documents_with_nearly_the_words_of_an_earlier_one(sets):
    X = [[column in words for column in range(14)] for words in sets]
    before = [(words, sets[:i]) for i, words in enumerate(sets) if words]
    same = sum(words in earlier for words, earlier in before)
    near = sum(
        any(len(words & other) >= 0.9 * len(words | other) for other in earlier)
        for words, earlier in before
    )
    assert same <= count_duplicates(fsmj.Documents(X, range(len(sets)))) <= near


def test_a_word_more_or_less_does_not_hide_a_duplicate():
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{n}" for n in rng.choice(500, 40, replace=False)) for _ in range(50)]
    copies = [f"{text} signed{i}" for i, text in enumerate(texts)]
    assert "50 documents of 100 have nearly the same words" in cautions(
        [*texts, *copies], ["a", "b"] * 50
    )


# Decisions


def test_the_table_of_decisions_is_that_of_naive_bayes():
    documents = fsmj.report(DOCUMENTS, test=TEST).summary.documents
    columns = fsmj.rank(COUNTS).order[: documents.n_terms]
    model = MultinomialNB().fit(DOCUMENTS.X[:, columns], LABELS)
    expected = confusion_matrix(TEST_LABELS, model.predict(TEST.X[:, columns]), labels=CLASSES)
    np.testing.assert_array_equal(documents.confusion.table, expected)
    assert documents.confusion.names == CLASSES
    assert documents.confusion.others == 0


def test_of_many_classes_those_with_most_mistakes_are_shown():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 40
    X = np.eye(40, dtype=int)[y] * 9
    X[y >= 30] = rng.poisson(1, ((y >= 30).sum(), 40))  # only these are confused
    confusion = fsmj.report(fsmj.Documents(X + 1, y), cv=3).summary.documents.confusion
    assert confusion.others == 40 - len(confusion.names) == 16
    assert {str(i) for i in range(30, 40)} <= set(confusion.names)
    assert confusion.table.shape == (25, 25)
    assert confusion.table.sum() == 120


# Documents to show words in


def places_are_right(sample, terms):
    return all(
        sample.text[first:last].lower() == terms[word] for first, last, word in sample.places
    )


def test_the_first_words_are_met_where_they_occur():
    summary = fsmj.report(DOCUMENTS, cv=3).summary
    words, shown = summary.words, summary.samples
    assert shown.classes == words.classes
    met = {(word, s.label) for s in shown.samples for word in s.places[:, 2].tolist()}
    for word, occurrences in enumerate(words.class_occurrences):
        assert {(word, class_) for class_ in np.flatnonzero(occurrences)} <= met
    for sample in shown.samples:
        row = TEXTS.index(sample.text)
        assert sample.label == CLASSES.index(LABELS[row])
        assert places_are_right(sample, words.terms)
    assert len({sample.text for sample in shown.samples}) == len(shown.samples)


def test_documents_with_several_labels_are_shown_in_each_class():
    several = fsmj.Documents.from_texts(TEXTS, [[label, "all"] for label in LABELS])
    summary = fsmj.report(several).summary
    met = {(word, s.label) for s in summary.samples.samples for word in s.places[:, 2].tolist()}
    for word, occurrences in enumerate(summary.words.class_occurrences):
        assert {(word, class_) for class_ in np.flatnonzero(occurrences)} <= met


def test_each_kind_of_mistake_has_a_document():
    summary = fsmj.report(DOCUMENTS, test=TEST).summary
    shown = {(s.label, s.decision) for s in summary.samples.samples if s.decision is not None}
    assert shown == set(zip(*map(np.ndarray.tolist, np.nonzero(summary.documents.confusion.table))))


def test_the_text_of_a_page_is_bounded(monkeypatch):
    monkeypatch.setattr(samples, "MOST_TEXT", 300)
    shown = fsmj.report(DOCUMENTS, cv=3).summary.samples
    longest = max(map(len, TEXTS))
    assert 300 <= shown.n_characters < 300 + longest


def test_a_word_far_down_is_shown_with_what_is_around():
    texts = [f"{'filling ' * 400}gold{' ending' * 400}", "wheat crop"] * 2
    shown = fsmj.report(fsmj.Documents.from_texts(texts, ["a", "b"] * 2)).summary
    gold = shown.words.terms.index("gold")
    (sample, *_) = [s for s in shown.samples.samples if gold in s.places[:, 2]]
    assert not sample.begins
    assert not sample.ends
    assert places_are_right(sample, shown.words.terms)
    assert len(sample.text) <= samples.LONGEST_SAMPLE


# Marked texts


def test_passages_are_the_text_again():
    rule = fsmj.TokenRule(stop_words=["the"], ngram_range=(1, 2))
    text = "The <b>old</b> man, the old MAN & he"
    leads = {"old man": 2.0, "old": 1.0, "he": -1.0}
    passages = passages_of(excerpt_of(text, rule), rule, leads, {"he": 7})
    assert "".join(passage.text for passage in passages) == text
    # "b" and "the" are dropped before pairs are formed; "he" is no part of "The".
    assert [(p.text, p.lead, p.place) for p in passages if p.lead is not None] == [
        ("old</b> man", 2.0, None),
        ("old MAN", 2.0, None),
        ("he", -1.0, 7),
    ]


@given(st.text("aB ,İ", max_size=40), st.integers(0, 40), st.integers(8, 40))
def test_an_excerpt_is_a_piece_of_the_text(text, around, longest):
    excerpt = excerpt_of(text, RULE, around, longest)
    whole = text if len(text.lower()) == len(text) else text.lower()
    assert excerpt.shown in whole
    assert len(excerpt.shown) <= longest
    assert excerpt.begins <= whole.startswith(excerpt.shown)
    assert excerpt.ends <= whole.endswith(excerpt.shown)
    terms = set(RULE.tokens(excerpt.shown))
    found = list(places_of(excerpt, RULE, terms))
    assert [place.term for place in found] == RULE.tokens(excerpt.shown)
    assert all(excerpt.lowered[first:last] == term for first, last, term in found)


def test_sequences_of_characters_are_marked():
    rule = fsmj.TokenRule(ngram_range=(2, 2), characters=True)
    passages = passages_of(excerpt_of("小麦の収穫", rule), rule, {"小麦": 1.0, "収穫": 2.0}, {})
    assert [passage.text for passage in passages] == ["小麦", "の", "収穫"]


def test_a_long_text_is_cut():
    excerpt = excerpt_of("gold " * 10_000, RULE)
    assert (excerpt.begins, excerpt.ends) == (True, False)
    assert len(excerpt.shown) == LONGEST_TEXT


# Names


def room(name):
    return len(name) + name.count("日") + name.count("本")


@given(st.lists(st.text("ab 日本", min_size=1, max_size=60), max_size=8, unique=True))
def test_short_names_are_shorter_and_no_two_are_the_same(names):
    short = short_names(names, 12)
    shown = [short.get(name, name) for name in names]
    assert len(set(shown)) == len(names)
    assert all(room(name) > 12 and "…" in shown for name, shown in short.items())


@given(st.text("a日本", min_size=1, max_size=60))
def test_a_short_name_fits_whatever_its_script(name):
    shown = short_names([name], 12).get(name, name)
    assert room(shown) <= 12 + 8  # of letters and signs, either end may have more of the wide


def test_words_of_a_name_are_kept_whole_where_they_can_be():
    assert list(short_names(["Login / Account access"]).values()) == ["Login…Account access"]


def test_long_names_that_begin_alike_stay_short():
    names = [f"department of {a} / section {b}" for a in ("energy", "justice", "health")
             for b in ("north", "east", "south")]  # fmt: skip
    short = short_names(names)
    assert set(short) == set(names)
    assert all(len(name) <= 20 for name in short.values())


def test_names_that_differ_in_the_middle_are_shortened_around_it():
    names = [f"customers of the {kind} department" for kind in ("first", "second")]
    assert all(kind in short_names(names)[name] for kind, name in zip(("first", "second"), names))


def test_what_names_end_with_alike_is_left_out():
    names = [f"customers of the {kind} department (central)" for kind in ("first", "second")]
    assert list(short_names(names, 12).values()) == ["…first…", "…second…"]


# How sure


def test_sureness_stands_beside_the_words_it_is_of():
    measured = fsmj.stability(DOCUMENTS, n_terms=5, n_resamples=9)
    summary = fsmj.report(DOCUMENTS, cv=2, stability=measured).summary
    words, sure, frame = summary.words, summary.words.sureness, measured.to_frame()
    for place, term in enumerate(words.terms):
        found = frame[frame["term"] == term]
        if found.empty:
            assert np.isnan(sure.share[place])
            continue
        (row,) = found.itertuples()
        assert sure.share[place] == row.share_of_resamples
        assert (sure.log2_low[place], sure.log2_high[place]) == (row.log2_low, row.log2_high)
        for ours, theirs in ((sure.rank_low, row.rank_low), (sure.rank_high, row.rank_high)):
            assert ours[place] == (6 if pd.isna(theirs) else theirs)
    assert any(detail.startswith(measured.sentence) for detail in summary.details)


def test_the_stability_of_another_ranking_is_refused():
    measured = fsmj.stability(DOCUMENTS, "df", n_terms=5, n_resamples=2)
    with pytest.raises(ValueError, match="that of another ranking"):
        fsmj.report(DOCUMENTS, cv=2, stability=measured)
