"""What the user names on the command line: documents, or counts of documents."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsmj.cli.columns import guess
from fsmj.cli.options import Reading, Words
from fsmj.cli.progress import progress_bar
from fsmj.cli.terminal import say

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from fsmj.corpus import TokenRule
    from fsmj.corpus.places import Place
    from fsmj.corpus.reading import Batch
    from fsmj.counts import ClassTermCounts

_COUNTS = {"class", "term", "count", "docs"}


@dataclass(frozen=True)
class Source:
    """Documents or counts, and how to read them; made by `opened`."""

    places: Sequence[Place]
    reading: Reading
    words: Words
    quiet: bool

    @property
    def name(self) -> str:
        """What to call it in a message or a title."""
        first = Path(self.places[0].name).resolve().name
        return first if len(self.places) == 1 else f"{first} and others"

    @cached_property
    def columns(self) -> list[str]:
        """The names of the first file's columns; none of a folder of texts."""
        from fsmj.corpus import file_columns

        return file_columns(self.places[0])

    @cached_property
    def is_counts(self) -> bool:
        """Whether it holds counts, not texts."""
        kinds = {_holds_counts(place) for place in self.places}
        if len(kinds) > 1:
            raise ValueError("some of these files hold counts and others texts; give one kind")
        return kinds.pop()

    @cached_property
    def rule(self) -> TokenRule:
        """What a word is: as the counts say, or else the options."""
        from fsmj.model import rule_of_counts

        if not self.is_counts:
            return self.words.rule
        rules = {rule_of_counts(place.path) for place in self.places}  # type: ignore[union-attr]
        if len(rules - {None}) > 1:
            raise ValueError("these counts were made by different rules of what a word is")
        return max(rules, key=bool) or self.words.rule

    @cached_property
    def text_and_label(self) -> tuple[str, str]:
        """The names of the two columns, guessed where they are not given."""
        if not self.columns:
            return "text", "label"
        text, label, guessed = guess(
            self.places[0].name, self.columns, self.reading.text, self.reading.label
        )
        if guessed and not self.quiet:
            say(f"reading the text from column {text!r} and the label from {label!r}")
        return text, label

    def counts(self, memory_limit: str | None = None) -> ClassTermCounts:
        """Count the documents, or add up the counts."""
        if self.is_counts:
            from fsmj.counts import load_counts

            parts = (load_counts(place.path) for place in self.places)  # type: ignore[union-attr]
            total = next(parts)
            for part in parts:
                total = total + part
            return total if self.reading.min_docs == 1 else total.prune(self.reading.min_docs)
        from fsmj.corpus import count_files

        with progress_bar("counting", self.quiet) as show:
            return count_files(
                self.places, *self.text_and_label, self.rule,
                min_docs=self.reading.min_docs, memory_limit=memory_limit,
                label_separator=self.reading.label_separator, strict=self.reading.strict,
                progress=lambda share: show(share, 1),
            )  # fmt: skip

    def documents(self, what: str, several: bool = False) -> Iterator[Batch]:
        """Read documents; `what` says in a message who needs them, and one label for each.

        With `several`, a document may have a list of labels.
        """
        from fsmj.corpus import read_documents

        if self.is_counts:
            raise ValueError(
                f"{what} needs the documents themselves; {self.name} holds only their counts"
            )
        nothing = True
        for batch in read_documents(
            self.places, *self.text_and_label,
            label_separator=self.reading.label_separator, strict=self.reading.strict,
        ):  # fmt: skip
            listed = next((label for label in batch.labels if isinstance(label, list)), None)
            if listed is not None and not several:
                raise ValueError(f"{what} needs one label for each document; one has {listed}")
            nothing = nothing and not batch.texts
            yield batch
        if nothing:
            raise ValueError(f"there is no document in {self.name}")

    def texts_and_labels(self, what: str, several: bool = False) -> tuple[list[str], list[Any]]:
        """Read all documents, with their labels."""
        batches = list(self.documents(what, several))
        texts = [text for batch in batches for text in batch.texts]
        return texts, [label for batch in batches for label in batch.labels]

    def matrix(self, what: str) -> tuple[csr_array, NDArray[Any], NDArray[np.object_]]:
        """Read all documents as a matrix, with their labels and the names of the columns."""
        import numpy as np

        from fsmj.corpus import document_matrix

        labels: list[Any] = []

        def texts() -> Iterator[str]:
            for batch in self.documents(what):
                labels.extend(batch.labels)
                yield from batch.texts

        X, terms = document_matrix(texts(), self.rule, self.reading.min_docs)
        return X, np.array(labels), terms


@contextmanager
def opened(
    paths: Sequence[str],
    reading: Reading | None = None,
    words: Words | None = None,
    quiet: bool = False,
) -> Iterator[Source]:
    """Find what the paths name; standard input is kept on disk meanwhile."""
    from fsmj.corpus.places import find

    with tempfile.TemporaryDirectory(prefix="fsmj-") as scratch:
        places = find(paths, Path(scratch))
        source = Source(places, reading or Reading(), words or Words(), quiet)
        if source.is_counts:
            _refuse_options_for_texts(source)
        yield source


def _holds_counts(place: Place) -> bool:
    from fsmj.corpus import file_columns

    return getattr(place, "format", "") == "parquet" and set(file_columns(place)) == _COUNTS


def _refuse_options_for_texts(counts: Source) -> None:
    given = counts.reading
    if given.text or given.label or given.label_separator:
        raise ValueError(f"{counts.name} holds counts, not texts; leave out --text and --label")
    if counts.words != Words() and counts.words.rule != counts.rule:
        raise ValueError(
            f"{counts.name} was counted by another rule of what a word is; count the texts anew"
        )
