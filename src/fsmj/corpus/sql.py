"""The token rule and the counting in DuckDB's SQL."""

from collections.abc import Iterable

from fsmj.corpus.rule import TokenRule

# The characters around a capital sigma that decide whether it ends its word (Unicode's
# Final_Sigma): cased ones that are not case-ignorable, and the case-ignorable ones.
CASED = (
    r"\p{Lu}\p{Ll}\p{Lt}\x{aa}\x{ba}\x{2160}-\x{217f}\x{24b6}-\x{24e9}"
    r"\x{1f130}-\x{1f149}\x{1f150}-\x{1f169}\x{1f170}-\x{1f189}"
)
IGNORABLE = (
    r"\p{Mn}\p{Me}\p{Cf}\p{Lm}\p{Sk}\x{27}\x{2e}\x{3a}\x{b7}\x{387}\x{55f}\x{5f4}\x{2018}\x{2019}"
    r"\x{2024}\x{2027}\x{fe13}\x{fe52}\x{fe55}\x{ff07}\x{ff0e}\x{ff1a}"
)
_FINAL_SIGMA = f"([{CASED}][{IGNORABLE}]*)Σ([{IGNORABLE}]*(?:[^{CASED}{IGNORABLE}]|\\z))"


def quoted(text: str) -> str:
    """Write a string as an SQL literal, whatever it holds."""
    parts = ("'" + part.replace("'", "''") + "'" for part in text.split("\0"))
    return "(" + " || chr(0) || ".join(parts) + ")" if "\0" in text else next(parts)


def quoted_list(texts: Iterable[str]) -> str:
    """Write a list of strings as an SQL literal."""
    return "[" + ", ".join(map(quoted, texts)) + "]"


def lowered(text: str) -> str:
    """Lower-case as Python does: DuckDB's `lower` looks at one character at a time."""
    ends = rf"regexp_replace({text}, {quoted(_FINAL_SIGMA)}, '\1ς\2', 'g')"
    whole = f"lower(replace({ends}, 'İ', {quoted('İ'.lower())}))"
    rare = f"contains({text}, 'Σ') OR contains({text}, 'İ')"
    return f"CASE WHEN {rare} THEN {whole} ELSE lower({text}) END"


def words(rule: TokenRule, text: str) -> str:
    """Return the SQL of the list of a text's tokens, before n-grams are formed."""
    found = f"regexp_extract_all({lowered(text) if rule.lowercase else text}, {quoted(rule.regex)})"
    conditions = []
    if rule.shortest_kept > 1:
        conditions.append(f"length(word) >= {rule.min_length}")
    if rule.stop_words:
        # Three times as fast as NOT IN.
        conditions.append(f"NOT list_contains({quoted_list(rule.stop_words)}, word)")
    if conditions:
        return f"list_filter({found}, lambda word: {' AND '.join(conditions)})"
    return found


def terms(rule: TokenRule, tokens: str) -> str:
    """Return the SQL of the list of n-grams of a list of tokens."""
    lists = []
    for n in range(rule.ngram_range[0], rule.ngram_range[1] + 1):
        # Shifted copies side by side, cut to the shortest: a lambda that looked back into the
        # list would copy it for each of its elements.
        shifted = ", ".join([tokens, *(f"{tokens}[{k + 1}:]" for k in range(1, n))])
        joined = " || ' ' || ".join(f"gram[{k + 1}]" for k in range(n))
        grams = f"list_transform(list_zip({shifted}, true), lambda gram: {joined})"
        lists.append(tokens if n == 1 else grams)
    return lists[0] if len(lists) == 1 else f"list_concat({', '.join(lists)})"


def counting(rule: TokenRule, documents: str, several: bool) -> str:
    """Return the query that counts documents in one pass.

    Parameters
    ----------
    rule : TokenRule
        How to cut the texts.
    documents : str
        A query for the columns `text`, null where it cannot be read, and `label`.
    several : bool
        Whether a label is a list of classes, each of them once.

    Returns
    -------
    str
        A query for the columns `class`, `term`, `count` and `docs`. A row without a term holds
        documents; a row without a class corrects for documents with several labels or none, so
        that the rows of a term add up to the documents with it. The row without either has the
        unreadable documents as its count.
    """
    if several:
        classes = "CASE WHEN len(label) = 1 THEN label ELSE list_append(label, NULL) END"
        class_, weight = f"unnest({classes})", "1 - len(label)"
    else:
        class_, weight = "label", "1"
    # In a sorted list, the last of equal terms is the one that differs from its successor: it
    # stands for the document. Grouping by document, class and term would hold every document
    # at once, and a histogram of each document takes longer.
    return f"""
        WITH documents AS ({documents}),
        cut AS (SELECT text IS NULL AS unreadable, label, {words(rule, "text")} AS words
                FROM documents),
        listed AS (
            SELECT label, unreadable,
                   CASE WHEN unreadable THEN 0 ELSE {weight} END AS weight,
                   list_append(list_sort({terms(rule, "words")}), NULL) AS terms
            FROM cut),
        labelled AS (SELECT {class_} AS class, unreadable, weight, terms FROM listed),
        spread AS (SELECT class, unreadable, weight, unnest(terms) AS term,
                          unnest(terms[2:]) AS next
                   FROM labelled)
        SELECT class, term, count(CASE WHEN unreadable OR term IS NOT NULL THEN 1 END) AS count,
               sum(CASE WHEN term = next THEN 0 WHEN class IS NULL THEN weight ELSE 1 END)::BIGINT
               AS docs
        FROM spread GROUP BY ALL"""
