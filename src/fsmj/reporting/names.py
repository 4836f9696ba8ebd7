"""What terms and classes are called on a page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

LONGEST_NAME = 120
"""Terms and class names with more characters are shortened, which an ellipsis shows."""


def name_of(value: object, longest: int = LONGEST_NAME) -> str:
    """Return a term or a label as it is shown: a long one without its middle.

    Long names often begin, or end, alike; so both ends are kept.

    Examples
    --------
    >>> name_of("wheat"), len(name_of("w" * 10_000))
    ('wheat', 120)
    >>> name_of("comp.sys.ibm.pc.hardware", 16)
    'comp.sy…hardware'
    """
    text = str(value)
    if len(text) <= longest:
        return text
    first = (longest - 1) // 2
    return f"{text[:first]}…{text[len(text) - (longest - 1 - first) :]}"


def n_words(n: int) -> str:
    """Say how many words.

    Examples
    --------
    >>> n_words(1), n_words(2000)
    ('1 word', '2,000 words')
    """
    return f"{n:,} word" if n == 1 else f"{n:,} words"


def short_names(names: Sequence[str], longest: int = 20) -> dict[str, str]:
    """Shorten the long ones among names so that no two of them look the same.

    Those that would are shortened around the part in which they differ.

    Examples
    --------
    >>> short_names(["comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware", "misc"], 20)
    {'comp.sys.ibm.pc.hardware': '…ibm.pc.hardware', 'comp.sys.mac.hardware': '…mac.hardware'}
    """
    alike = defaultdict(list)
    for name in dict.fromkeys(names):
        alike[name_of(name, longest)].append(name)
    shown = {}
    for short, group in alike.items():
        if len(group) == 1:
            if short != group[0]:
                shown[group[0]] = short
            continue
        same = _common(group)
        tail = _common([name[same:][::-1] for name in group])
        for name in group:
            middle = name_of(name[same : len(name) - tail], longest)
            end = name[len(name) - tail :]
            room = longest - 2 - len(middle)
            kept = end if len(end) <= room else f"…{end[len(end) - max(room - 1, 0) :]}"
            shown[name] = f"…{middle}{kept}"
    return shown if len(set(shown.values())) == len(shown) else {}


def _common(names: Sequence[str]) -> int:
    """Return with how many characters all of them begin."""
    same = 0
    for letters in zip(*names, strict=False):
        if len(set(letters)) > 1:
            break
        same += 1
    return same
