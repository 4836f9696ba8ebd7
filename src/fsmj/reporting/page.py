"""One HTML file from a summary: nothing is loaded from elsewhere, and no text can become code.

What can be read without scripts is written by the templates. The scripts add what moves: the
table that sorts, the charts, and one word or document in detail. They read `page_data`.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fsmj._extras import from_extras
from fsmj._names import counted, name_of, short_names
from fsmj.reporting.cautions import FEW_DOCUMENTS
from fsmj.reporting.samples import ON_CARD
from fsmj.reporting.summary import Samples, Summary, Words

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_STYLES = (
    "vendor/uPlot.min.css",
    "vendor/tabulator_simple.min.css",
    *(f"assets/{name}.css" for name in ("base", "words", "charts", "documents", "media")),
)
_LIBRARIES = ("vendor/uPlot.iife.min.js", "vendor/tabulator.min.js")
_SCRIPTS = tuple(
    f"assets/{name}.js"
    for name in ("dom", "theme", "chart", "word", "words", "sizes", "comparison", "page")
)
_IN_CELLS = ("class_occurrences", "class_documents", "ratios", "by_class")
_DIGITS = 4  # of fractions on the page; nobody reads more
_NAVIGATION = (
    ("words", "Words"),
    ("sizes", "How many"),
    ("comparison", "Compare"),
    ("documents", "Documents"),
    ("about", "About"),
)


def page_of(summary: Summary) -> str:
    """Return the page.

    Its Content-Security-Policy lets only the scripts and styles run that are written here.
    """
    styles, scripts, samples = _styles(), _scripts(), summary.samples
    template = _templates().get_template("page.html")
    page = template.render(
        summary=summary,
        sections=[(id_, title) for id_, title in _NAVIGATION if getattr(summary, id_)],
        # Of which pairs of class and decision there are documents.
        cells=set() if samples is None else {(s.label, s.decision) for s in samples.samples},
        short=_short(summary),
        on_card=ON_CARD,
        few=FEW_DOCUMENTS,
        policy=f"default-src 'none'; script-src {_hashes(scripts)}; style-src {_hashes(styles)}; "
        "img-src data:; base-uri 'none'; form-action 'none'",
        styles=styles,
        scripts=scripts,
        data=script_safe(page_data(summary)),
    )
    # Half a pair of surrogates is no text in UTF-8.
    return page.encode("utf-8", "replace").decode("utf-8")


def page_data(summary: Summary) -> dict[str, Any]:
    """Return what the scripts need."""
    return {
        "short": _short(summary),
        "words": summary.words and _word_data(summary.words),
        "sizes": plain(summary.sizes),
        "contests": plain(summary.comparison.contests) if summary.comparison else [],
        "samples": summary.samples and _sample_data(summary.samples),
    }


def _short(summary: Summary) -> dict[str, str]:
    """Return how the long ones among the classes are called where there is little room."""
    known = summary.samples or summary.words
    return short_names(known.classes) if known else {}


def _word_data(words: Words) -> dict[str, Any]:
    kept = {field.name: plain(getattr(words, field.name)) for field in fields(words)
            if field.name not in _IN_CELLS}  # fmt: skip
    kept["cells"] = _cells_of(words)
    kept["by_class"] = {
        class_.index: {
            "contribution": class_.by_contribution.places.tolist(),
            "ratio": class_.by_ratio.places.tolist(),
        }
        for class_ in words.by_class
    }
    return kept


def _cells_of(words: Words) -> list[list[Any]]:
    """Return for each detailed term the classes that have it: number, times and documents."""
    row, class_ = np.nonzero(words.class_occurrences)
    cells = (class_, words.class_occurrences[row, class_], words.class_documents[row, class_])
    flat = plain(np.stack(cells, axis=1).ravel())
    ends = 3 * np.searchsorted(row, np.arange(len(words.detailed) + 1))
    return [flat[first:last] for first, last in pairwise(ends.tolist())]


def _sample_data(samples: Samples) -> dict[str, Any]:
    return {
        "classes": samples.classes,
        "samples": [
            [s.text, int(s.begins), int(s.ends), s.label, s.decision, s.places.ravel().tolist()]
            for s in samples.samples
        ],
    }


def framed(page: str) -> str:
    """Return the page inside a frame from which it can reach nothing of the notebook around."""
    return (
        f'<iframe sandbox="allow-scripts" srcdoc="{html.escape(page)}" title="fsmj report" '
        'style="width: 100%; height: 800px; border: 1px solid #8884"></iframe>'
    )


def script_safe(value: Any) -> str:
    r"""Return JSON that can stand inside a script element.

    Examples
    --------
    >>> print(script_safe("</script>"))
    "\u003c/script\u003e"
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def plain(value: Any) -> Any:
    """Return what JSON knows; fractions have four digits or two decimals, no number is null.

    Examples
    --------
    >>> plain((1, 0.123456, float("nan")))
    [1, 0.1235, None]
    """
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, float):
        value = np.array(value)
    if isinstance(value, np.ndarray):
        return _listed(_rounded(value).tolist()) if value.dtype.kind == "f" else value.tolist()
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return value


def _listed(value: Any) -> Any:
    """Write whole numbers as such, and what is no number as null."""
    if isinstance(value, list):
        return [_listed(item) for item in value]
    if not isfinite(value):
        return None
    return int(value) if value.is_integer() else value


def _rounded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(all="ignore"):
        size = np.floor(np.log10(np.abs(values)))
        scale = 10.0 ** np.clip(np.nan_to_num(_DIGITS - 1 - size), 2, 300)
        return np.where(np.isfinite(values * scale), np.round(values * scale) / scale, values)


def _hashes(texts: Iterable[str]) -> str:
    digests = (hashlib.sha256(text.encode()).digest() for text in texts)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


@cache
def _templates() -> Environment:
    with from_extras():
        from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("fsmj.reporting"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    made.filters |= {
        "number": lambda value: f"{value:,.10g}",
        "percent": lambda share: f"{100 * share:.1f} %",
        "reached": _reached,
        "rounded": lambda value: f"{value:.3g}",
        "short": name_of,
        "signed": _signed,
        "breakable": _breakable,
        "tied": lambda text: re.sub(" (?=%)|(?<=>) ", "\N{NO-BREAK SPACE}", text),
        "words": counted,
        "log_score": _log_score,
        "columns": _columns,
    }
    return made


def _breakable(name: str) -> Markup:
    """Let a line break after what joins the parts of a name."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"(?<=[./_:…-])(?=\w)", "<wbr>", str(escape(name))))


def _reached(share: float) -> str:
    """Say 100 % only when there is nothing left."""
    return "> 99.9 %" if 0.999 < share < 1 else f"{100 * share:.1f} %"


def _log_score(value: float) -> str:
    digits = 1 if abs(value) < 99.95 else 0
    return f"{value:,.{digits}f}".replace("-", "−")


def _signed(value: float) -> str:
    digits = 2 if abs(value) < 1 else 1 if abs(value) < 10 else 0
    return f"{value:+,.{digits}f}".replace("-", "−")


def _columns(n_cards: int) -> int:
    """Return in how many columns cards stand so that the last row is not left nearly empty."""
    return min((5, 4, 3), key=lambda n: (-n_cards % n, -n)) if n_cards > 5 else max(n_cards, 2)


@cache
def _styles() -> list[str]:
    # The policy allows no style attributes: what varies is a step: of 5 % mostly, or a column.
    steps = "\n".join(f".step-{step} {{ --step: {step}; }}" for step in range(21))
    return [*(_asset(name) for name in _STYLES), steps]


@cache
def _scripts() -> list[str]:
    own = "\n".join(_asset(name) for name in _SCRIPTS)
    return [*(_asset(name) for name in _LIBRARIES), f'"use strict";\n(() => {{\n{own}}})();\n']


def _asset(name: str) -> str:
    return files("fsmj.reporting").joinpath(name).read_text(encoding="utf-8")
