"""The token rule, and counting by it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsmj.corpus import TokenRule, count_texts
from fsmj.tokens.pattern import translate
from texts import (
    CONTRACT,
    awkward_corpus,
    by_scikit_learn,
    every_old_character,
    rows_by_hand,
    rows_of,
)

RULES = {
    "words": TokenRule(),
    "pairs": TokenRule(ngram_range=(1, 2)),
    "only triples": TokenRule(ngram_range=(3, 3)),
    "as written": TokenRule(lowercase=False),
    "marks": TokenRule(marks=True, min_length=1),
    "long": TokenRule(min_length=20),
    "stop words": TokenRule(stop_words=["and", "words", "it's", "οδος"], ngram_range=(1, 2)),
    "letters": TokenRule(r"\p{L}[\p{L}'’-]*", min_length=3),
    "numbers": TokenRule(r"\d+(?:[.,]\d+)*|[a-z]{2,4}?", min_length=1),
    "no spaces": TokenRule(r"[^\s\p{P}]+", min_length=1),
}


# The rule


@pytest.mark.parametrize(("rule", "options"), CONTRACT)
def test_engines_agree_with_scikit_learn_on_awkward_texts(rule, options):
    texts, labels = awkward_corpus()
    expected = by_scikit_learn(texts, labels, rule, **options)
    assert count_texts(texts, labels, rule) == expected
    assert rows_by_hand(texts, labels, rule) == rows_of(expected)


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_counting_agrees_with_python_on_awkward_texts(rule):
    texts, labels = awkward_corpus()
    assert rows_of(count_texts(texts, labels, rule)) == rows_by_hand(texts, labels, rule)


@pytest.mark.long
def test_counting_agrees_with_python_on_every_old_character():
    texts, labels = every_old_character()
    for rule in (TokenRule(min_length=1), TokenRule(min_length=1, marks=True)):
        assert rows_of(count_texts(texts, labels, rule)) == rows_by_hand(texts, labels, rule)


@given(
    st.lists(
        st.text(st.sampled_from("aΣσ'.: \u0301İiA-1\u00ad\u2019ʰ\n"), max_size=12), min_size=60
    )
)
def test_counting_lowers_sigma_as_python_does(texts):
    rule = TokenRule(r"\S+", min_length=1)
    assert rows_of(count_texts(texts, ["c"] * len(texts), rule)) == rows_by_hand(
        texts, ["c"] * len(texts), rule
    )


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_rule_survives_json(rule):
    again = TokenRule.from_json(rule.to_json())
    assert again == rule
    assert hash(again) == hash(rule)
    assert json.loads(rule.to_json())["pattern"] == rule.pattern


@pytest.mark.parametrize("text", ["", "[]", '{"other": 1}', '{"pattern": 3}', '"x"'])
def test_rule_refuses_other_json(text):
    with pytest.raises(ValueError, match=r"token rule|pattern must be"):
        TokenRule.from_json(text)


def test_marks_keep_indic_words_whole():
    assert TokenRule().tokens("हिन्दी") == []
    assert TokenRule(marks=True).tokens("हिन्दी") == ["हिन्दी"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pattern": r"\b\w+\b"}, r"has \\b"),
        ({"pattern": r"(\w+)"}, "has a group"),
        ({"pattern": r"(?=a)b"}, "has a group"),
        ({"pattern": r"(?i)a"}, "has a group"),
        ({"pattern": r"^\w+"}, "has the anchor"),
        ({"pattern": r"\w*"}, "matches the empty text"),
        ({"pattern": r"a|"}, "matches the empty text"),
        ({"pattern": ""}, "matches the empty text"),
        ({"pattern": r"a**"}, "repeats"),
        ({"pattern": r"a++"}, "repeats"),
        ({"pattern": r"+"}, "repeats"),
        ({"pattern": r"a{2000}"}, "counts beyond 1000"),
        ({"pattern": r"[\W]"}, "inside brackets"),
        ({"pattern": r"[a"}, "ends too early"),
        ({"pattern": "a\\"}, "ends too early"),
        ({"pattern": r"[a-\d]"}, "a range that ends"),
        ({"pattern": r"[z-a]"}, "is wrong"),
        ({"pattern": r"(?:a"}, "is wrong"),
        ({"pattern": r"\p{Greek}"}, "without a category"),
        ({"pattern": r"\Q"}, "has the escape"),
        ({"pattern": 3}, "must be a string"),
        ({"min_length": 0}, "min_length"),
        ({"ngram_range": (2, 1)}, "ngram_range"),
        ({"ngram_range": 2}, "ngram_range"),
        ({"stop_words": "the"}, "stop_words"),
        ({"stop_words": 3}, "stop_words"),
        ({"lowercase": "yes"}, "lowercase"),
    ],
)
def test_rule_refuses(options, message):
    with pytest.raises(ValueError, match=message):
        TokenRule(**options)


@pytest.mark.parametrize(
    "pattern",
    [r"[]x^-]+", r"[^a-c\]]+", r"a.b", r"a\.b\-\n", r"{a}", r"a{,3}b", r"x|(?:yz)+?|\W", "é+'",
     r"\p{Lu}\p{Ll}*", r"[\d_&&~\[-]+"],
)  # fmt: skip
def test_patterns_mean_the_same_to_counting(pattern):
    texts = ["x^-]] abc a.b a-\n {a} a{,3}b yzyz !é'éé' Abc ABC 12&&_[- a\rb aéb", "\0a\0b] a.b-\n"]
    rule = TokenRule(pattern, lowercase=False, min_length=1)
    found = rows_of(count_texts(texts, ["c", "d"], rule))
    assert found == rows_by_hand(texts, ["c", "d"], rule)
    assert len(found) > 4


def test_translation_is_plain_for_words():
    assert translate(r"\w+") == r"[\p{L}\p{N}_]+"
