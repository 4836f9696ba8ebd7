"""Texts cut into terms, by one rule, into a matrix or into counts."""

import json
import pickle
import re
import signal
import tempfile
import threading
import time
import warnings
from collections import Counter as Tally
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

import naive_tokens
from fsmj import FSMJ, TermVectorizer, datasets
from fsmj.corpus import counter as counting
from fsmj.corpus.counter import Counter, size_of
from fsmj.tokens import _terms
from fsmj.tokens.characters import LOWERED_BY_CONTEXT, every_character
from fsmj.tokens.matrix import term_matrix
from fsmj.tokens.pattern import translate
from fsmj.tokens.rule import TokenRule
from texts import AWKWARD, CONTRACT, every_old_character

# Our pattern, and Python's for the same tokens.
PATTERNS = {
    r"\w+": None,
    r"[a-z]+(?:-[a-z]+)*": r"[a-z]+(?:-[a-z]+)*",
    r"\d+|[a-z]{2,3}?": r"\d+|[a-z]{2,3}?",
    r"[a-z ]+": r"[a-z ]+",
    r"\S+": r"\S+",
}
LETTERS = st.sampled_from("aAbzk19_ -'.\n\0éÉßẞΣσςİıſKȺⱥ中文字\u0301हिन्दी𝐁𐐔😀\uffff\U0010fffd")
TEXTS = st.lists(st.text(LETTERS, max_size=25) | st.text(max_size=8), max_size=8)
RULES = st.fixed_dictionaries(
    {
        "pattern": st.sampled_from(list(PATTERNS)),
        "lowercase": st.booleans(),
        "stop_words": st.sampled_from([(), ("a", "ab", "中文", "abbbbbbbbbb")]),
        "ngram_range": st.sampled_from([(1, 1), (1, 2), (2, 4), (3, 3)]),
        "min_length": st.sampled_from([1, 2, 3]),
        "characters": st.booleans(),
    }
)


def by_hand(texts, **rule):
    rule["pattern"] = PATTERNS[rule.get("pattern", r"\w+")]
    return [Tally(naive_tokens.terms(text, **rule)) for text in texts]


def rows_of(X, terms):
    return [
        {terms[c]: int(n) for c, n in zip(X[[d]].indices, X[[d]].data)} for d in range(X.shape[0])
    ]


def counted(texts, labels, rule, n_threads=2, batch=3, **options):
    """Count lists of labels, some documents at a time."""
    with Counter(rule, n_threads=n_threads, **options) as counter:
        for start in range(0, len(texts), batch):
            part = slice(start, start + batch)
            counter.add(pa.array(texts[part], pa.string()), labels[part])
        return counter.finish()


def cells_of(table, counts):
    cells = table.tocoo()
    return {
        (counts.classes[i], counts.terms[j]): int(n)
        for i, j, n in zip(cells.row, cells.col, cells.data)
    }


def assert_counts(counts, texts, labels, **rule):
    occurrences, documents, of_term = naive_tokens.count(texts, labels, **rule)
    assert cells_of(counts.term_counts, counts) == occurrences
    assert cells_of(counts.doc_counts, counts) == documents
    assert dict(zip(counts.terms, counts.docs_per_term.tolist())) == of_term
    assert counts.terms.tolist() == sorted(of_term)
    assert counts.n_docs == len(texts)
    of_class = Tally(label for several in labels for label in several)
    assert dict(zip(counts.classes, counts.docs_per_class.tolist())) == of_class
    assert counts.classes.tolist() == sorted(of_class)


# ── texts to a matrix ────────────────────────────────────────────────────────────────────────


@given(TEXTS, RULES)
def test_matrix_equals_the_slow_one(texts, rule):
    expected = by_hand(texts, **rule)
    if not any(expected):
        with pytest.raises(ValueError, match="no terms"):
            term_matrix(texts, TokenRule(**rule))
        return
    X, terms = term_matrix(texts, TokenRule(**rule))
    assert terms.tolist() == sorted(set().union(*expected))
    assert rows_of(X, terms) == expected
    assert X.has_canonical_format
    assert X.dtype == np.int64


@given(TEXTS, RULES)
def test_tokens_of_one_text_equal_the_slow_ones(texts, rule):
    expected = by_hand(texts, **rule)
    assert [Tally(TokenRule(**rule).tokens(text)) for text in texts] == expected


@given(TEXTS, st.lists(st.text(LETTERS, max_size=3), unique=True, max_size=5))
def test_known_terms_are_counted_in_their_order(texts, known):
    X, terms = term_matrix(texts, TokenRule(min_length=1), terms=known)
    assert terms.tolist() == known
    assert X.shape == (len(texts), len(known))
    expected = by_hand(texts, min_length=1)
    assert X.toarray().tolist() == [[row[term] for term in known] for row in expected]


@pytest.mark.parametrize(("rule", "options"), CONTRACT)
def test_matrix_equals_that_of_scikit_learn(rule, options):
    vectorizer = CountVectorizer(**options)
    expected = vectorizer.fit_transform(AWKWARD)
    X, terms = term_matrix(AWKWARD, rule)
    assert terms.tolist() == vectorizer.get_feature_names_out().tolist()
    assert (expected != X).nnz == 0


@pytest.mark.long
def test_every_character_is_seen_as_by_scikit_learn():
    texts, _ = every_old_character()
    vectorizer = CountVectorizer(token_pattern=r"(?u)\w+")
    expected = vectorizer.fit_transform(texts)
    X, terms = term_matrix(texts, TokenRule(min_length=1))
    assert terms.tolist() == vectorizer.get_feature_names_out().tolist()
    assert (expected != X).nnz == 0


def test_marks_belong_to_words_when_asked():
    texts = AWKWARD[8:12]
    X, terms = term_matrix(texts, TokenRule(marks=True))
    expected = [Tally(naive_tokens.terms(text, marks=True)) for text in texts]
    assert rows_of(X, terms) == expected
    assert [Tally(TokenRule(marks=True).tokens(text)) for text in texts] == expected


def test_two_characters_need_more_than_a_table_for_their_lower_case():
    for point in range(every_character()):
        character = chr(point)
        alone = character.lower()
        in_a_word = ("a" + character).lower()[1:]
        assert (len(alone) == 1 and alone == in_a_word) != (character in LOWERED_BY_CONTEXT)


@pytest.mark.parametrize("n_words", [511, 512, 513, 527, 528, 529, 5000])
def test_long_texts_are_cut_in_parts_without_a_seam(n_words):
    rng = np.random.default_rng(n_words)
    text = " ".join(rng.choice(["a", "bb", "ccc", "of", "elongated"], n_words))
    options = {"ngram_range": (1, 16), "stop_words": ("of",), "min_length": 1}
    X, terms = term_matrix([text], TokenRule(**options))
    assert rows_of(X, terms) == by_hand([text], **options)


@pytest.mark.parametrize("size", [6, 7, 8, 9, 40])
def test_terms_are_told_apart_whatever_their_size(size):
    """Longer terms are found by a hash, shorter ones by themselves."""
    long, other = "x" * size, "x" * (size - 1) + "y"
    texts = [f"{long} {other} {long[1:]} {long}x the {long}"]
    X, _ = term_matrix(texts, TokenRule(), terms=[other, long, f"{other} {long}"])
    assert X.toarray().tolist() == [[1, 2, 0]]
    X, terms = term_matrix(texts, TokenRule(stop_words=[long], ngram_range=(1, 2)))
    assert rows_of(X, terms) == by_hand(texts, stop_words=[long], ngram_range=(1, 2))


def test_different_terms_with_one_hash_get_different_numbers():
    text = np.frombuffer(b"elephants elephantx elephant elephants        ", np.uint8)
    bounds = [(0, 9), (10, 19), (20, 28), (29, 38)]
    pieces = np.array([[begin, end, -5, 0] for begin, end in bounds])
    terms = _terms.no_terms()
    _terms.number_all(
        terms.slots, terms.starts, terms.letters, terms.size, text, pieces, 0, 4, True
    )
    assert pieces[:, 3].tolist() == [0, 1, 2, 0]


def test_halves_of_surrogate_pairs_end_words():
    texts = ["ab\ud800cd", "\udfff", "ab"]
    X, terms = term_matrix(texts, TokenRule())
    assert rows_of(X, terms) == by_hand(texts)


def test_arrow_arrays_are_texts():
    texts = ["not this", "green tea", "crude oil", "", "oil"]
    expected = term_matrix(texts[1:], TokenRule())
    for kind in (pa.string(), pa.large_string()):
        sliced = pa.array(texts, kind)[1:]
        for given_texts in (sliced, pa.chunked_array([sliced[:2], sliced[2:]])):
            X, terms = term_matrix(given_texts, TokenRule())
            assert terms.tolist() == expected[1].tolist()
            assert (expected[0] != X).nnz == 0


def test_rare_terms_are_left_out():
    X, terms = term_matrix(["tea oil", "tea", "oil tea gas"], TokenRule(), min_docs=2)
    assert terms.tolist() == ["oil", "tea"]
    assert X.toarray().tolist() == [[1, 1], [0, 1], [1, 1]]
    with pytest.raises(ValueError, match="no term occurs in 4 documents"):
        term_matrix(["tea"], TokenRule(), min_docs=4)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("one string", "not one string"),
        (pd.DataFrame({"title": ["a"], "body": ["b"]}), "a table; give one column"),
        (["a", None], "the text of document 1 is not a string but NoneType"),
        (pa.array(["a", None]), "a text is missing"),
        (pa.array([1]), "Arrow array of int64"),
    ],
)
def test_what_is_no_text_is_refused(texts, message):
    with pytest.raises(ValueError, match=message):
        term_matrix(texts, TokenRule())


# ── the transformer ──────────────────────────────────────────────────────────────────────────


def test_transformer_follows_count_vectorizer():
    ours, theirs = TermVectorizer(), CountVectorizer()
    assert (ours.fit_transform(AWKWARD) != theirs.fit_transform(AWKWARD)).nnz == 0
    assert ours.vocabulary_ == theirs.vocabulary_
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    unseen = ["words and unknownwords", "", "café"]
    for fitted in (ours, pickle.loads(pickle.dumps(ours)), clone(ours).fit(AWKWARD)):
        assert (fitted.transform(unseen) != theirs.transform(unseen)).nnz == 0


@pytest.mark.network
@pytest.mark.parametrize("options", [{}, {"ngram_range": (1, 2)}, {"stop_words": "english"}])
def test_transformer_equals_count_vectorizer_on_20_newsgroups(options):
    corpus = datasets.newsgroups()
    train, test = corpus.train.texts[:3000], corpus.test.texts[:1000]
    ours, theirs = TermVectorizer(rule=TokenRule(**options)), CountVectorizer(**options)
    assert (ours.fit_transform(train) != theirs.fit_transform(train)).nnz == 0
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert (ours.transform(test) != theirs.transform(test)).nnz == 0


def test_transformer_is_a_step_like_any_other():
    texts = ["green tea", "black tea", "tea leaves", "crude oil", "oil price", "oil wells"] * 3
    labels = ["tea", "tea", "tea", "oil", "oil", "oil"] * 3
    steps = make_pipeline(TermVectorizer(), FSMJ(2), MultinomialNB())
    grid = {
        "termvectorizer__min_docs": [1, 3],
        "termvectorizer__rule": [TokenRule(), TokenRule(ngram_range=(1, 2))],
    }
    search = GridSearchCV(steps, grid, cv=3, error_score="raise").fit(texts, labels)
    assert search.best_score_ == 1
    assert search.best_estimator_[:-1].get_feature_names_out().tolist() == ["oil", "tea"]
    # Those of scikit-learn's checks that need no matrix.
    for check in (
        estimator_checks.check_parameters_default_constructible,
        estimator_checks.check_no_attributes_set_in_init,
        estimator_checks.check_get_params_invariance,
        estimator_checks.check_set_params,
        estimator_checks.check_estimator_cloneable,
        estimator_checks.check_estimator_repr,
    ):
        check("TermVectorizer", TermVectorizer())


@pytest.mark.parametrize("vocabulary", [["tea", "oil"], {"oil": 1, "tea": 0}])
def test_a_given_vocabulary_needs_no_fitting(vocabulary):
    vectorizer = TermVectorizer(vocabulary=vocabulary)
    assert vectorizer.transform(["oil and oil", "tea"]).toarray().tolist() == [[0, 2], [1, 0]]
    assert vectorizer.vocabulary_ == {"tea": 0, "oil": 1}


def test_a_vocabulary_that_lower_casing_keeps_from_occurring_is_warned_of():
    texts = ["Tea and tea"]
    with pytest.warns(UserWarning, match="'Tea' never occurs"):
        assert TermVectorizer(vocabulary=["Tea", "and"]).fit_transform(
            texts
        ).toarray().tolist() == [[0, 1]]
    with pytest.warns(UserWarning, match="'Tea' never occurs"):
        TermVectorizer(vocabulary=["Tea"]).transform(texts)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kept = TermVectorizer(rule=TokenRule(lowercase=False), vocabulary=["Tea"])
        assert kept.transform(texts).toarray().tolist() == [[1]]


@pytest.mark.parametrize("name", sorted({*CountVectorizer().get_params()} - {"vocabulary"}))
def test_transformer_says_what_does_the_same_as_an_option_of_countvectorizer(name):
    with pytest.raises(TypeError, match="takes rule, min_docs and vocabulary only"):
        TermVectorizer().set_params(**{name: None})
    with pytest.raises(TypeError, match="takes rule, min_docs and vocabulary only") as error:
        TermVectorizer(**{name: 1})
    assert re.search(f"{name}: [a-z]+ .*[a-zX]", str(error.value))
    assert "there is no such option" not in str(error.value)
    with pytest.raises(TypeError, match="colour: there is no such option"):
        TermVectorizer(colour="blue")


def test_transformer_refuses_what_it_cannot_use():
    with pytest.raises(NotFittedError):
        TermVectorizer().transform(["a"])
    with pytest.raises(ValueError, match="a term twice"):
        TermVectorizer(vocabulary=["a", "a"]).fit(["a"])
    with pytest.raises(ValueError, match="numbers from 0 on"):
        TermVectorizer(vocabulary={"a": 0, "b": 2}).fit(["a"])
    with pytest.raises(ValueError, match="term 1 is not a string but int: 7"):
        TermVectorizer(vocabulary=["a", 7]).transform(["a"])


# ── texts to counts ──────────────────────────────────────────────────────────────────────────

LABELLED = st.lists(
    st.tuples(st.text(LETTERS, max_size=25), st.sets(st.sampled_from("xyz")).map(sorted)),
    max_size=12,
)


@given(LABELLED, RULES, st.sampled_from([1, 2]))
def test_counts_equal_the_slow_ones(documents, rule, n_threads):
    texts, labels = [text for text, _ in documents], [several for _, several in documents]
    counts = counted(texts, labels, TokenRule(**rule), n_threads)
    assert_counts(counts, texts, labels, **{**rule, "pattern": PATTERNS[rule["pattern"]]})
    assert counts.rule == TokenRule(**rule)


@pytest.mark.parametrize(
    ("most_runs", "most_tokens", "limit"),
    [(3, 1 << 30, "1KB"), (64, 1 << 30, "1KB"), (64, 100, None)],
)
def test_a_limit_of_memory_or_of_counts_changes_nothing(monkeypatch, most_runs, most_tokens, limit):
    monkeypatch.setattr(counting, "_SMALLEST_TABLES", 1)
    monkeypatch.setattr(counting, "_MOST_RUNS", most_runs)
    monkeypatch.setattr(counting, "_MOST_TOKENS", most_tokens)
    written = []
    write = counting.sorted_runs.write
    monkeypatch.setattr(
        counting.sorted_runs,
        "write",
        lambda path, blocks: written.append(path) or write(path, blocks),
    )
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{n}" for n in rng.zipf(1.3, 40) % 3000) for _ in range(60)]
    labels = [list(rng.choice(list("abc"), rng.integers(0, 3), replace=False)) for _ in texts]
    labels = [[str(label) for label in several] for several in labels]
    counts = counted(texts, labels, TokenRule(), memory_limit=limit)
    assert len(written) >= 20
    assert_counts(counts, texts, labels)
    monkeypatch.undo()
    assert counts == counted(texts, labels, TokenRule())


def test_rare_terms_are_forgotten_at_the_end():
    with Counter(TokenRule(), n_threads=2) as counter:
        for text in ("tea oil", "tea gas", "gas tea"):
            counter.add(pa.array([text]), [7])
        counts = counter.finish(min_docs=2)
    assert counts.terms.tolist() == ["gas", "tea"]
    assert counts.term_counts.toarray().tolist() == [[2, 3]]
    assert counts.classes.dtype.kind == "i"


def test_labels_that_cannot_be_sorted_are_refused():
    with pytest.raises(ValueError, match="int and str"):
        counted(["tea", "oil"], [["a"], [1]], TokenRule())


@pytest.mark.parametrize(
    ("size", "n_bytes"), [("1GB", 10**9), ("1.5 MiB", 1572864), ("20kb", 20_000)]
)
def test_sizes_are_read(size, n_bytes):
    assert size_of(size) == n_bytes


@pytest.mark.parametrize("size", ["٣GB", "1", "GB", "-1GB", "1e9GB", 5])
def test_other_sizes_are_refused(size):
    with pytest.raises(ValueError, match="memory_limit must be a size such as '1GB'"):
        Counter(TokenRule(), memory_limit=size)


def test_a_failure_in_a_thread_is_raised(monkeypatch):
    def fail(*_):
        raise MemoryError("no room")

    monkeypatch.setattr(counting.Cutter, "cut", fail)
    with pytest.raises(MemoryError, match="no room"):
        counted(["a"], [["x"]], TokenRule())


def test_an_interrupt_ends_the_counting_and_leaves_nothing_behind(monkeypatch, tmp_path):
    counted(["compiled before"], [["x"]], TokenRule())
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(counting, "_SMALLEST_TABLES", 1)
    texts = pa.array([" ".join(f"w{n}" for n in range(20_000))] * 50)

    def interrupt_when_busy():
        while not list(Path(tmp_path).glob("*/*.arrow")):
            time.sleep(0.01)
        signal.raise_signal(signal.SIGINT)

    threading.Thread(target=interrupt_when_busy, daemon=True).start()

    def count_for_ever():
        with Counter(TokenRule(), memory_limit="1KB", n_threads=2) as counter:
            while True:
                counter.add(texts, ["a"] * 50)

    with pytest.raises(KeyboardInterrupt):
        count_for_ever()
    assert list(tmp_path.iterdir()) == []
    assert not [t for t in threading.enumerate() if t.name == "fsmj-counting" and t.is_alive()]


# ── the rule ─────────────────────────────────────────────────────────────────────────────────


def test_patterns_are_written_out_for_other_engines():
    assert translate(r"\w+") == r"[\p{L}\p{N}_]+"
    assert translate(r"[\w-]", marks=True) == r"[\p{L}\p{N}_\p{M}\x{2d}]"


def test_a_pattern_that_hangs_other_engines_does_not_hang_here():
    rule = TokenRule(r"(?:a+)+b")
    text = "a" * 5000
    assert rule.tokens(text) == []
    X, _ = term_matrix([text], rule, terms=["ab"])
    assert X.nnz == 0
    assert rule.tokens("xaab") == ["aab"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pattern": r"\w*"}, "matches the empty text; use + instead of *"),
        ({"pattern": "a|"}, "matches the empty text"),
        ({"pattern": "(?:" * 1500 + "a" + ")" * 1500}, "at most 2,000 characters"),
        ({"pattern": "(?:" * 60 + "a" + ")" * 60}, "more than 50 groups within each other"),
        ({"pattern": r"\w{1000}"}, "is wrong: pattern too large"),
        ({"pattern": "[z-a]"}, "is wrong"),
        ({"pattern": "(?:a"}, "is wrong"),
        ({"pattern": "a)"}, "is wrong"),
        ({"ngram_range": (1, 17)}, "at most 16"),
        ({"ngram_range": (1, 10**9)}, "at most 16"),
        ({"ngram_range": (0, 1)}, "ngram_range must be"),
        ({"ngram_range": (1, float("inf"))}, "ngram_range must be"),
        ({"ngram_range": "12"}, "ngram_range must be"),
        ({"min_length": 10**30}, "min_length must be a whole number"),
        ({"min_length": True}, "min_length must be a whole number"),
        ({"stop_words": [1, 2]}, "stop_words must be a list of words"),
        ({"stop_words": ["a", 2]}, "stop_words must be a list of words"),
        ({"stop_words": map(str, range(100_001))}, "at most 100,000 stop words"),
        ({"characters": 1}, "characters must be True or False"),
    ],
)
def test_rules_that_cannot_be_kept_are_refused(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        TokenRule(**options)


@pytest.mark.parametrize(
    "text",
    [
        '{"ngram_range": [1, 1e999]}',
        '{"min_length": 1e999}',
        "[" * 100_000 + "]" * 100_000,
        '{"ngram_range": ' + "[" * 100_000,
        '{"stop_words": [[]]}',
    ],
)
def test_hostile_json_is_refused_by_a_sentence(text):
    with pytest.raises(ValueError, match=r"must be|not a token rule"):
        TokenRule.from_json(text)


def test_rules_survive_json():
    rule = TokenRule(r"\S+", False, ["b", "a"], (1, 3), 1, True, True)
    assert TokenRule.from_json(rule.to_json()) == rule
    older = {k: v for k, v in json.loads(rule.to_json()).items() if k != "characters"}
    assert not TokenRule.from_json(json.dumps(older)).characters
