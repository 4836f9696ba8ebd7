"""Options of methods: their names, defaults and limits, once for Python and the command line."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Any


@dataclass(frozen=True)
class Option:
    """Something that may be chosen about a method.

    Attributes
    ----------
    name : str
        The keyword of `fsmj.rank`; on the command line, with two dashes.
    default : object
        What is taken if nothing is given.
    help : str
        What it means, in one sentence.
    choices : tuple of str
        The words it may be.
    above : float or None
        If it may be a number: a finite one, larger than this.
    """

    name: str
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    above: float | None = None

    def check(self, value: Any) -> Any:
        """Return the value if it is allowed."""
        if isinstance(value, str) and value in self.choices:
            return value
        if self.above is not None and isinstance(value, Real) and not isinstance(value, bool):
            number = float(value)
            if isfinite(number) and number > self.above:
                return number
        raise ValueError(f"{self.name} must be {self._allowed()}; got {value!r}")

    def read(self, text: str) -> Any:
        """Return what a word of the command line means."""
        try:
            return self.check(text if text in self.choices else float(text))
        except ValueError:
            raise ValueError(f"--{self.name} must be {self._allowed()}; got {text!r}") from None

    def _allowed(self) -> str:
        words = [repr(choice) for choice in self.choices]
        if self.above is not None:
            least = "0 or more" if self.above < 0 else f"above {self.above:g}"
            words.append(f"a number {least}")
        return " or ".join(words)


_BELOW_ZERO = -5e-324  # so that 0 itself is allowed

REFERENCE = Option(
    "reference", "mixture", "Compare each class with all classes, or with the others.",
    ("mixture", "complement"),
)  # fmt: skip
WEIGHTS = Option(
    "weights", "uniform", "Let every class weigh the same, or by its documents.",
    ("uniform", "prior"),
)  # fmt: skip
SMOOTHING = Option("smoothing", 0.0, "Added to every count in ranking.", above=_BELOW_ZERO)
AGGREGATE = Option(
    "aggregate", "max", "How a term's scores in the classes become one.", ("max", "sum", "average")
)
TEMPERATURE = Option(
    "temperature", "auto", "Below 1, it makes up for naive Bayes's overconfidence.", ("auto",), 0.0
)
ALPHA = Option("alpha", 1.0, "Added to every count by naive Bayes.", above=0.0)
BOUND_TEMPERATURE = Option(
    "temperature", 3.0, "The larger, the sooner two classes count as told apart.", ("auto",), 0.0
)
STRENGTH = Option(
    "strength", 0.3, "C of the logistic regression: the smaller, the stronger its penalty.",
    above=0.0,
)  # fmt: skip
TRANSFORM = Option(
    "transform", "log", "How counts are transformed: log(1 + count), tf-idf, or not at all.",
    ("log", "tf-idf", "none"),
)  # fmt: skip
