"""What terms and classes are called where there is little room."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from unicodedata import east_asian_width

LONGEST_NAME = 120
"""Terms and class names with more characters are shortened, which an ellipsis shows."""
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")  # the direction of all that follows
_NEAR = (0, -1, 1, -2, 2, -3, 3, -4, 4)  # characters, within which a word may begin
_KEPT = 8  # characters at least, of names that begin alike


def name_of(value: object, longest: int = LONGEST_NAME) -> str:
    """Return a term or a label as it is shown: a long one without its middle.

    Long names often begin, or end, alike; so both ends are kept.

    Examples
    --------
    >>> name_of("wheat"), len(name_of("w" * 10_000))
    ('wheat', 120)
    >>> name_of("comp.sys.ibm.pc.hardware", 16)
    'comp.sy…hardware'
    >>> name_of("comp.os.ms-windows.misc", 20)  # what is kept of the end begins with a word
    'comp.os…windows.misc'
    """
    text = str(value)
    if len(text) <= longest:
        return text
    half = len(text) - longest // 2
    last = next((half + by for by in _NEAR if _begins_word(text, half + by)), half)
    return f"{text[: longest - 1 - len(text) + last].rstrip()}…{text[last:]}"


def _begins_word(text: str, place: int) -> bool:
    return 0 < place < len(text) and text[place].isalnum() and not text[place - 1].isalnum()


def quoted(value: object, longest: int = 80) -> str:
    """Return a term or a label as a sentence names it, which it must not turn around.

    Examples
    --------
    >>> quoted("gold")
    '“gold”'
    """
    return f"“{_TURNING.sub('�', name_of(value, longest))}”"


def counted(n: int, what: str = "word") -> str:
    """Say how many things there are.

    Examples
    --------
    >>> counted(1), counted(2000, "text")
    ('1 word', '2,000 texts')
    """
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def listed(names: Sequence[object], most: int = 10) -> str:
    """Name some things, as they would be written in Python; of many, the first.

    Examples
    --------
    >>> listed(["tea", "oil", "ore"], 2)
    "'tea', 'oil', ..."
    """
    return ", ".join(map(repr, names[:most])) + (", ..." if len(names) > most else "")


def spoken(columns: Sequence[str]) -> str:
    """Return columns as a sentence names them.

    Examples
    --------
    >>> spoken(["body"]), spoken(["title", "body"])
    ("column 'body'", "columns 'title' and 'body'")
    """
    return f"column{'s'[: len(columns) - 1]} {' and '.join(map(repr, columns))}"


def short_names(names: Sequence[str], longest: int = 20) -> dict[str, str]:
    """Shorten the long ones among names so that no two of them look the same.

    A Chinese or Japanese character takes the room of two letters.

    Those that would are shown without what they begin and end with alike; if that does not tell
    them apart, less is left out.

    Examples
    --------
    >>> short_names(["comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware", "misc"], 12)
    {'comp.sys.ibm.pc.hardware': '…ibm.pc…', 'comp.sys.mac.hardware': '…mac…'}
    """
    names = list(dict.fromkeys(names))
    long = [name for name in names if _room(name) > longest]
    alike = defaultdict(list)
    for name in long:
        alike[_fitting(name, longest)].append(name)
    groups = [group for group in alike.values() if len(group) > 1]
    left = {name: name[_shared_words(group) :] for group in groups for name in group}
    end = _shared_end([*left.values()])
    without = {name: name for name in long} | {
        name: f"…{part[: len(part) - end]}{'…' if end else ''}" for name, part in left.items()
    }
    shown, limit = {name: _fitting(without[name], longest) for name in long}, longest
    while repeated := _repeated([*shown.values(), *(name for name in names if name not in shown)]):
        limit += 8
        for name in long:
            if shown[name] in repeated:
                shown[name] = _fitting(without[name] if limit < LONGEST_NAME else name, limit)
    return {name: short for name, short in shown.items() if short != name}


def _room(name: str) -> int:
    """Return for how many letters a name takes the room."""
    return len(name) + sum(east_asian_width(character) in "WF" for character in name)


def _fitting(name: str, room: int) -> str:
    return name_of(name, room * len(name) // max(_room(name), 1))


def _repeated(names: Sequence[str]) -> set[str]:
    return {name for name, times in Counter(names).items() if times > 1}


def _shared_words(names: Sequence[str]) -> int:
    """Return with how many characters all begin, none of them of the word that differs."""
    same = max(0, min(_alike(names), min(map(len, names)) - _KEPT))
    first = names[0][:same]
    return next((i for i in range(same, max(0, same - 12), -1) if not first[i - 1].isalnum()), same)


def _shared_end(names: Sequence[str]) -> int:
    """Return with how many characters all end, of whole words, such that something is left."""
    turned = [name[:0:-1] for name in names] or [""]
    return next((i for i in range(_alike(turned), 0, -1) if not turned[0][i - 1].isalnum()), 0)


def _alike(names: Sequence[str]) -> int:
    """Return with how many characters all begin."""
    least, last = min(names), max(names)  # what these begin with alike, all do
    pairs = enumerate(zip(least, last, strict=False))
    return next((i for i, (a, b) in pairs if a != b), len(least))
