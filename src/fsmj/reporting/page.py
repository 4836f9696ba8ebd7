"""One HTML file from a summary: nothing is loaded from elsewhere, and no text can become code."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np

from fsmj.reporting.summary import Summary

_STYLES = (
    "vendor/uPlot.min.css",
    "vendor/tabulator_simple.min.css",
    *(f"assets/{name}.css" for name in ("base", "words", "charts", "documents", "media")),
)
_LIBRARIES = ("vendor/uPlot.iife.min.js", "vendor/tabulator.min.js")
_SCRIPTS = tuple(
    f"assets/{name}.js"
    for name in (
        "dom", "theme", "chart", "word", "classes", "words", "sizes", "comparison", "documents",
        "page",
    )
)  # fmt: skip
_DIGITS = 4  # of fractions on the page; nobody reads more


def page_of(summary: Summary) -> str:
    """Return the page.

    Its Content-Security-Policy lets only the scripts and styles run that are written here.
    """
    styles, scripts = _styles(), _scripts()
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {_hashes(scripts)}",
            f"style-src {_hashes(styles)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    return Template(_asset("assets/page.html")).substitute(
        policy=policy,
        title=html.escape(summary.title),
        headline=html.escape(summary.headline),
        styles="".join(f"<style>{style}</style>\n" for style in styles),
        summary=script_safe(plain(summary)),
        scripts="".join(f"<script>{script}</script>\n" for script in scripts),
    )


def framed(page: str, height: int = 800) -> str:
    """Return the page inside a frame from which it can reach nothing of the notebook around."""
    return (
        f'<iframe sandbox="allow-scripts" srcdoc="{html.escape(page)}" title="fsmj report" '
        f'style="width: 100%; height: {height}px; border: 1px solid #8884"></iframe>'
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
    # Half a pair of surrogates is no text in UTF-8.
    return text.encode("utf-8", "replace").decode("utf-8")


def plain(value: Any) -> Any:
    """Return what JSON knows; fractions have four digits or two decimals, no number is null.

    Examples
    --------
    >>> plain((1, 0.123456, float("nan")))
    [1, 0.1235, None]
    """
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, float):
        if not np.isfinite(value):
            return None
        if value.is_integer():
            return int(value)
        return float(f"{value:.{_DIGITS}g}") if abs(value) < 100 else round(value, 2)
    return value


def _hashes(texts: Iterable[str]) -> str:
    digests = (hashlib.sha256(text.encode()).digest() for text in texts)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


@cache
def _styles() -> list[str]:
    return [_asset(name) for name in _STYLES]


@cache
def _scripts() -> list[str]:
    own = "\n".join(_asset(name) for name in _SCRIPTS)
    return [*(_asset(name) for name in _LIBRARIES), f'"use strict";\n(() => {{\n{own}}})();\n']


def _asset(name: str) -> str:
    return files("fsmj.reporting").joinpath(name).read_text(encoding="utf-8")
