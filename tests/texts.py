"""Texts that engines see differently, and counting by hand."""

import sys
import unicodedata
from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
from sklearn.feature_extraction.text import CountVectorizer

from fsmj import ClassTermCounts, TokenRule

# Rules, and what asks scikit-learn for the same terms.
CONTRACT = [
    (TokenRule(), {}),
    (TokenRule(ngram_range=(1, 2)), {"ngram_range": (1, 2)}),
    (TokenRule(ngram_range=(2, 3)), {"ngram_range": (2, 3)}),
    (TokenRule(lowercase=False), {"lowercase": False}),
    (TokenRule(stop_words="english"), {"stop_words": "english"}),
    (TokenRule(min_length=1), {"token_pattern": r"(?u)\b\w+\b"}),
    (TokenRule(min_length=20), {"token_pattern": r"(?u)\b\w{20,}\b"}),
]

LONG = "x" * 70_000 + "é" * 30_000

AWKWARD = [
    "",
    " \t\n",
    "Plain words, and more words; and a word.",
    "café CAFÉ cafe\u0301 naïve Ærø Straße STRAẞE ﬁne ǅ Ǆ ŒUVRE",
    "ΟΔΟΣ ὈΔΥΣΣΕΎΣ Σ ΣΑΣ ΑΣ'Σ ΑΣ. ΑΣ: ΑΣ\u00adΒ Α\u0301Σ ΣΣΣ xΣ 1Σ",
    "ªΣ ⅧΣ ⒶΣ σς ΟΣ-ΟΣ ΟΣ\u2019 ʰΣ ΑʰΣ",
    "İstanbul DİYARBAKIR ısı IŞIK i\u0307 İİ İΣ ΑİΣ",
    "a_1 __init__ x86_64 3.14 1,000 ½ x² Ⅷ ⅷ ① 2nd _ __",
    "emoji 😀😀 👩‍👩‍👧 flag🇨🇦flag heart❤️heart U+FE0F",
    "हिन्दी में लिखना தமிழ் বাংলা ไทยไทย ខ្មែរ",
    "中文分词 没有空格 二〇二五年 日本語テキスト 한국어 ｆｕｌｌｗｉｄｔｈ ＦＵＬＬ",
    "עִבְרִית العَرَبِيَّة فارسی\u200cنیم‌فاصله",
    LONG + " " + LONG,
    "nul\0inside \0 a\0b",
    "windows\r\nline\r\nends old\rmac",
    'quoted "newline\nhere" and ""doubled"" and \'single\'',
    "tab\tseparated; semicolon, comma | pipe \\ backslash \\n",
    "'; DROP TABLE counted; -- \" '' $$ {} %s {0} :x ?",
    "\ufeffmark para\u2028graph next\x85line nb\xa0space zero\u200bwidth soft\u00adhyphen",
    "𝐁𝐨𝐥𝐝 𐐔𐐯𐑅𐐨𐑉𐐯𐐻 Ꭰꭰ Ა ა Ⴀ ⴀ ꙀꙁԱբ Җж",
    "\uffff \ue000private\ue001 \U0010ffff",
]
LABELS = ["it's", 'a "quoted" one', "semi;colon", "Σ", "x\\y"]


# Texts and labels on which readers of tables stumble.
MESSY = [
    ("one, two\nthree", "a"), ('say "one"', "b"), ("", "a"), ("naïve Σίσυφος", "b,c"),
    ("x;y|z two", "a"),
]  # fmt: skip


def awkward_corpus():
    """Every text under every other label, so that each term meets several classes."""
    texts = AWKWARD * 3
    return texts, [LABELS[(7 * row) % len(LABELS)] for row in range(len(texts))]


def every_old_character():
    """Characters that all Unicode tables know: as a word, within one, and around a sigma."""
    known = [chr(c) for c in range(sys.maxunicode + 1)
             if unicodedata.ucd_3_2_0.category(chr(c)) not in ("Cn", "Cs", "Co")
             and unicodedata.category(chr(c)) != "Cn"]  # fmt: skip
    known += "\ue000\uf8ff\U000f0000\U0010fffd"  # of those for private use, all of which are alike
    texts = [f"{c}{c} a{c}b{c} A{c}Σ Σ{c}A AΣ{c}" for c in known]
    return texts, [unicodedata.category(c) for c in known]


def by_scikit_learn(texts, labels, rule=None, **options):
    """Counts by scikit-learn's options, which are said to mean the same as the rule."""
    vectorizer = CountVectorizer(**options)
    X = vectorizer.fit_transform(texts)
    counts = ClassTermCounts.from_matrix(X, labels, vectorizer.get_feature_names_out())
    return replace(counts, rule=rule or TokenRule())


def rows_of(counts):
    """The rows of a counts table, from the object."""
    rows = {(None, None): (None, counts.n_docs)}
    cells, docs = counts.term_counts.tocoo(), counts.doc_counts.tocoo()
    assert np.array_equal(cells.coords, docs.coords)
    classes, terms = counts.classes.tolist(), counts.terms.tolist()
    for row, column, count, n in zip(cells.row, cells.col, cells.data, docs.data):
        rows[classes[row], terms[column]] = int(count), int(n)
    for class_, count, n in zip(classes, counts.tokens_per_class, counts.docs_per_class):
        rows[class_, None] = int(count), int(n)
    for term, n in zip(terms, counts.docs_per_term):
        rows[None, term] = None, int(n)
    return rows


def rows_by_hand(texts, labels, rule):
    """The rows of a counts table, from one text after the other in Python."""
    count, docs = Counter(), Counter()
    for text, label in zip(texts, labels):
        tokens = rule.tokens(text)
        docs[None, None] += 1
        docs.update((None, term) for term in set(tokens))
        for class_ in set(label) if isinstance(label, list) else {label}:
            count[class_, None] += len(tokens)
            docs[class_, None] += 1
            count.update((class_, term) for term in tokens)
            docs.update((class_, term) for term in set(tokens))
    return {key: (None if key[0] is None else count[key], n) for key, n in docs.items()}


def as_table(texts, labels):
    return pa.table({"text": pa.array(texts), "label": pa.array(labels)})
