"""What terms and classes are called on a page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

LONGEST_NAME = 120
"""Terms and class names with more characters are shortened, which an ellipsis shows."""
_NEAR = (0, -1, 1, -2, 2, -3, 3)  # characters, within which a word may begin
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
    return f"{text[: longest - 1 - len(text) + last]}…{text[last:]}"


def _begins_word(text: str, place: int) -> bool:
    return 0 < place < len(text) and text[place].isalnum() and not text[place - 1].isalnum()


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

    Those that would are shown without what they begin with alike; if that does not tell them
    apart, less is left out.

    Examples
    --------
    >>> short_names(["comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware", "misc"], 16)
    {'comp.sys.ibm.pc.hardware': '…ibm.pc.hardware', 'comp.sys.mac.hardware': '…mac.hardware'}
    """
    names = list(dict.fromkeys(names))
    long = [name for name in names if len(name) > longest]
    alike = defaultdict(list)
    for name in long:
        alike[name_of(name, longest)].append(name)
    without = {
        name: f"…{name[_shared_words(group) :]}" if len(group) > 1 else name
        for group in alike.values()
        for name in group
    }
    shown, limit = {name: name_of(without[name], longest) for name in long}, longest
    while repeated := _repeated([*shown.values(), *(name for name in names if name not in shown)]):
        limit += 8
        for name in long:
            if shown[name] in repeated:
                shown[name] = name_of(without[name] if limit < LONGEST_NAME else name, limit)
    return {name: short for name, short in shown.items() if short != name}


def _repeated(names: Sequence[str]) -> set[str]:
    return {name for name, times in Counter(names).items() if times > 1}


def _shared_words(names: Sequence[str]) -> int:
    """Return with how many characters all begin, none of them of the word that differs."""
    least, last = min(names), max(names)  # what these begin with alike, all do
    common = next(
        (i for i, (a, b) in enumerate(zip(least, last, strict=False)) if a != b), len(least)
    )
    same = max(0, min(common, min(map(len, names)) - _KEPT))
    first = names[0][:same]
    return next((i for i in range(same, max(0, same - 12), -1) if not first[i - 1].isalnum()), same)
