"""Which columns hold the text and the label, where the user does not say."""

from __future__ import annotations

from collections.abc import Sequence

from fsmj._names import listed

TEXTS = (
    "text", "texts", "body", "content", "document", "doc", "message", "review", "article",
    "comment", "sentence", "abstract", "post", "tweet",
)  # fmt: skip
LABELS = (
    "label", "labels", "class", "classes", "category", "categories", "topic", "topics",
    "target", "group", "tag", "tags", "sentiment", "section", "genre",
)  # fmt: skip


def guess(
    name: str, columns: Sequence[str], text: Sequence[str] | None, label: str | None
) -> tuple[list[str], str, bool]:
    """Complete the names of the columns, where only one choice is reasonable.

    Returned are those with the text, that with the label, and whether anything was guessed.

    Examples
    --------
    >>> guess("news.csv", ["id", "Body", "topic"], None, None)
    (['Body'], 'topic', True)
    >>> guess("news.csv", ["what", "label"], None, None)
    (['what'], 'label', True)
    """
    if text and label is not None:
        return list(text), label, False
    found_text = None if text else _one_of(TEXTS, columns, [label])
    found_label = label or _one_of(LABELS, columns, text or [])
    if len(columns) == 2:  # then knowing one is knowing both
        found_text = found_text or _other(columns, found_label)
        found_label = found_label or _other(columns, text[0] if text else found_text)
    missing = [
        option
        for option, found in (("--text", text or found_text), ("--label", found_label))
        if not found
    ]
    if missing:
        raise ValueError(
            f"say with {' and '.join(missing)} which column of {name} to read; "
            f"it has {listed(columns, 20)}"
        )
    assert found_label is not None
    return list(text or [str(found_text)]), found_label, True


def guess_text(name: str, columns: Sequence[str], text: Sequence[str] | None) -> list[str]:
    """Complete the name of the text column alone."""
    if text:
        return list(text)
    found = _one_of(TEXTS, columns, []) or (columns[0] if len(columns) == 1 else None)
    if found is None:
        raise ValueError(
            f"say with --text which column of {name} to read; it has {listed(columns, 20)}"
        )
    return [found]


def of_model(
    name: str, columns: Sequence[str], text: Sequence[str] | None, known: Sequence[str]
) -> list[str] | None:
    """Return the text columns that are given, or else those of which a model was made.

    Examples
    --------
    >>> of_model("news.csv", ["id", "title", "body"], None, ["title", "body"])
    ['title', 'body']
    """
    missing = [column for column in known if column not in columns]
    if missing and columns and not text:
        raise ValueError(
            f"{name} has no column {missing[0]!r}, from which the model takes its text; say with "
            f"--text what to read instead: it has {listed(columns, 20)}"
        )
    return list(text or (known if columns else ())) or None


def spoken(columns: Sequence[str]) -> str:
    """Return columns as a sentence names them.

    Examples
    --------
    >>> spoken(["body"]), spoken(["title", "body"])
    ("column 'body'", "columns 'title' and 'body'")
    """
    return f"column{'s'[: len(columns) - 1]} {' and '.join(map(repr, columns))}"


def _one_of(
    names: Sequence[str], columns: Sequence[str], taken: Sequence[str | None]
) -> str | None:
    """Return the column with one of the names; the first name wins, then only a single match."""
    free = [column for column in columns if column not in taken]
    matching = [column for column in free if column.lower() == names[0]]
    matching = matching or [column for column in free if column.lower() in names]
    return matching[0] if len(matching) == 1 else None


def _other(columns: Sequence[str], known: str | None) -> str | None:
    rest = [column for column in columns if column != known]
    return rest[0] if len(rest) == 1 else None
