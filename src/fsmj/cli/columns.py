"""Which columns hold the text and the label, where the user does not say."""

from __future__ import annotations

from collections.abc import Sequence

from fsmj._names import listed

USUAL = {
    "text": (
        "text", "texts", "body", "content", "document", "doc", "message", "review", "article",
        "comment", "sentence", "abstract", "post", "tweet",
    ),
    "label": (
        "label", "labels", "class", "classes", "category", "categories", "topic", "topics",
        "target", "group", "tag", "tags", "sentiment", "section", "genre",
    ),
}  # fmt: skip


def guess(name: str, columns: Sequence[str], **given: Sequence[str]) -> dict[str, list[str]]:
    """Complete the names of the columns, where only one choice is reasonable.

    Examples
    --------
    >>> guess("news.csv", ["id", "Body", "topic"], text=[], label=[])
    {'text': ['Body'], 'label': ['topic']}
    >>> guess("news.csv", ["what", "label"], text=[], label=[])
    {'text': ['what'], 'label': ['label']}
    """
    free = [column for column in columns if not any(column in named for named in given.values())]
    found = {what: list(named) or _one_of(USUAL[what], free) for what, named in given.items()}
    missing = [what for what, named in found.items() if not named]
    left = [column for column in free if [column] not in found.values()]
    if len(missing) == len(left) == 1 and len(columns) == len(found):
        return found | {missing[0]: left}  # knowing all others is knowing it
    if missing:
        options = " and ".join(f"--{what}" for what in missing)
        raise ValueError(
            f"say with {options} which column of {name} to read; it has {listed(columns, 20)}"
        )
    return found


def _one_of(names: Sequence[str], free: Sequence[str]) -> list[str]:
    """Return the column with one of the names; the first name wins, then only a single match."""
    matching = [column for column in free if column.lower() == names[0]]
    matching = matching or [column for column in free if column.lower() in names]
    return matching if len(matching) == 1 else []
