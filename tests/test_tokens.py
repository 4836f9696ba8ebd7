"""Texts cut into terms, by one rule, into a matrix."""

import json
import re
from collections import Counter as Tally

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

import naive_tokens
from fsmj.tokens import _terms
from fsmj.tokens.characters import LOWERED_BY_CONTEXT, every_character
from fsmj.tokens.matrix import term_matrix
from fsmj.tokens.pattern import translate
from fsmj.tokens.rule import TokenRule
from rules import LETTERS, RULES, TEXTS, by_hand, rows_of
from texts import AWKWARD, CONTRACT, every_old_character


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
