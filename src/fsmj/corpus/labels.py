"""Labels that come from files of different kinds: 1 in one is "1" in another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any


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


def of_one_kind(*parts: Sequence[Any]) -> list[list[Any]]:
    """Make strings of all labels where the parts have labels of different types.

    Examples
    --------
    >>> of_one_kind([1, 2], ["1", "2"]), of_one_kind([1, 2], [2])
    ([['1', '2'], ['1', '2']], [[1, 2], [2]])
    """
    types = {frozenset(type(label) for label in part) for part in parts}
    return [list(map(label_text, part)) if len(types) > 1 else list(part) for part in parts]
