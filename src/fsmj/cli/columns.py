"""Which columns hold the text and the label, where the user does not say."""

from __future__ import annotations

from collections.abc import Sequence

TEXTS = (
    "text", "texts", "body", "content", "document", "doc", "message", "review", "article",
    "comment", "sentence", "abstract", "post", "tweet",
)  # fmt: skip
LABELS = (
    "label", "labels", "class", "classes", "category", "categories", "topic", "topics",
    "target", "group", "tag", "tags", "sentiment", "section", "genre",
)  # fmt: skip


def guess(
    name: str, columns: Sequence[str], text: str | None, label: str | None
) -> tuple[str, str, bool]:
    """Complete the names of the two columns, where only one choice is reasonable.

    Returns
    -------
    tuple of str, str and bool
        The column with the text, that with the label, and whether anything was guessed.

    Examples
    --------
    >>> guess("news.csv", ["id", "Body", "topic"], None, None)
    ('Body', 'topic', True)
    >>> guess("news.csv", ["what", "label"], None, None)
    ('what', 'label', True)
    """
    if text is not None and label is not None:
        return text, label, False
    found_text = text or _one_of(TEXTS, columns, label)
    found_label = label or _one_of(LABELS, columns, text)
    if len(columns) == 2:  # then knowing one is knowing both
        found_text = found_text or _other(columns, found_label)
        found_label = found_label or _other(columns, found_text)
    if found_text is None or found_label is None:
        missing = [
            option
            for option, found in (("--text", found_text), ("--label", found_label))
            if found is None
        ]
        listed = ", ".join(map(repr, columns[:20])) + (", ..." if len(columns) > 20 else "")
        raise ValueError(
            f"say with {' and '.join(missing)} which column of {name} to read; it has {listed}"
        )
    return found_text, found_label, True


def guess_text(name: str, columns: Sequence[str], text: str | None) -> str:
    """Complete the name of the text column alone."""
    found = text or _one_of(TEXTS, columns, None) or (columns[0] if len(columns) == 1 else None)
    if found is None:
        listed = ", ".join(map(repr, columns[:20]))
        raise ValueError(f"say with --text which column of {name} to read; it has {listed}")
    return found


def _one_of(names: Sequence[str], columns: Sequence[str], taken: str | None) -> str | None:
    """Return the column with one of the names; the first name wins, then only a single match."""
    free = [column for column in columns if column != taken]
    matching = [column for column in free if column.lower() == names[0]]
    matching = matching or [column for column in free if column.lower() in names]
    return matching[0] if len(matching) == 1 else None


def _other(columns: Sequence[str], known: str | None) -> str | None:
    rest = [column for column in columns if column != known]
    return rest[0] if len(rest) == 1 else None
