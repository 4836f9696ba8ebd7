"""Labels: of any type, from files of different kinds, one or several for a document."""

from __future__ import annotations

import re
from typing import Any

from fsmj._matrix import SEVERAL, is_null


def label_text(label: Any) -> str:
    """Write a label so that the same label reads the same from any kind of file.

    Examples
    --------
    >>> [label_text(label) for label in (1, 1.0, "1.0", True, "True", "true", 0.5)]
    ['1', '1', '1', 'true', 'true', 'true', '0.5']
    """
    text = str(label)
    text = {"True": "true", "False": "false"}.get(text, text)
    return re.sub(r"^(-?\d+)\.0$", r"\1", text)


def is_missing(label: Any) -> bool:
    """Whether a label is null, not a number, or empty.

    Examples
    --------
    >>> [is_missing(label) for label in (None, float("nan"), "", 0, "nan", False)]
    [True, True, True, False, False, False]
    """
    return not label if isinstance(label, str) else is_null(label)


def tidied(label: Any, separator: str | None = None) -> Any:
    """Return a label, a list of several without repetition, or None where it is missing.

    Examples
    --------
    >>> [tidied(label, ";") for label in ("a", "b; a;;b", " ; ", ["x", None], [])]
    ['a', ['b', 'a'], None, None, []]
    """
    if separator is not None and not isinstance(label, SEVERAL) and not is_missing(label):
        parts = [part.strip() for part in str(label).split(separator)]
        # Nothing between separators is no label; nothing at all is a missing one.
        label = [part for part in parts if part] or None
        return label[0] if label and len(label) == 1 else tidied(label)
    if not isinstance(label, SEVERAL):
        return None if is_missing(label) else getattr(label, "item", lambda: label)()
    several = [tidied(one) for one in label]
    return None if None in several else list(dict.fromkeys(several))
