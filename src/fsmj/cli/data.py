"""What the user names on the command line: documents, or counts of documents."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsmj._scratch import scratch_folder
from fsmj.cli.columns import guess
from fsmj.cli.options import Reading, Words
from fsmj.cli.progress import progress_bar
from fsmj.cli.terminal import say

if TYPE_CHECKING:
    from fsmj.corpus.places import Place
    from fsmj.counts import ClassTermCounts
    from fsmj.documents import Documents
    from fsmj.tokens.rule import TokenRule

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

        return file_columns(self.places[0], self.reading.encoding)

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
        return (self.loaded.rule if self.is_counts else None) or self.words.rule

    @cached_property
    def loaded(self) -> ClassTermCounts:
        """The counts of the files, added up; by the rule of the options if they know none."""
        from fsmj.counts import load_counts

        total = reduce(add, (load_counts(place.path) for place in self.places))  # type: ignore[union-attr]
        return total if total.rule is not None else replace(total, rule=self.words.rule)

    @cached_property
    def text_and_label(self) -> tuple[list[str], str]:
        """The names of the columns, guessed where they are not given."""
        from fsmj.corpus.batch import position

        if not self.columns:
            return ["text"], "label"
        text, label, guessed = guess(
            self.places[0].name, self.columns, self.reading.text, self.reading.label
        )
        for name in (*text, label):
            position(self.places[0].name, name, self.columns)
        if guessed and not self.quiet:
            named = " and ".join(map(repr, text))
            say(f"reading the text from column {named} and the label from {label!r}")
        return text, label

    @property
    def _how(self) -> dict[str, Any]:
        reading = self.reading
        return {
            "min_docs": reading.min_docs,
            "min_class_docs": reading.min_class_docs,
            "label_separator": reading.label_separator,
            "encoding": reading.encoding,
            "strict": reading.strict,
            "skip_unlabelled": reading.skip_unlabelled,
            "skip_missing": reading.skip_missing,
        }

    def counts(self, memory_limit: str | None = None) -> ClassTermCounts:
        """Count the documents, or add up the counts."""
        if self.is_counts:
            kept = self.loaded.without_small_classes(self.reading.min_class_docs)
            return kept if self.reading.min_docs == 1 else kept.prune(self.reading.min_docs)
        from fsmj.corpus import count_files

        with progress_bar("counting", self.quiet) as show:
            return count_files(
                self.places, *self.text_and_label, self.rule, **self._how,
                memory_limit=memory_limit, progress=lambda share: show(share, 1),
            )  # fmt: skip

    def documents(self, what: str) -> Documents:
        """Read the documents; `what` says in a message who needs them."""
        from fsmj.corpus import read_documents

        if self.is_counts:
            raise ValueError(
                f"{what} needs the documents themselves; {self.name} holds only their counts"
            )
        with progress_bar("reading", self.quiet) as show:
            return read_documents(
                self.places, *self.text_and_label, self.rule, **self._how,
                progress=lambda share: show(share, 1),
            )  # fmt: skip

    def labelled_texts(self, what: str) -> Generator[tuple[Any, list[Any]], None, None]:
        """Read texts and labels, one each, some at a time."""
        from fsmj.corpus import read_batches

        if self.is_counts:
            raise ValueError(
                f"{what} needs the documents themselves; {self.name} holds only their counts"
            )
        how = {name: self._how[name] for name in self._how if not name.startswith("min_")}
        nothing = True
        for batch in read_batches(self.places, *self.text_and_label, **how):
            labels = batch.labels or []
            listed = next((label for label in labels if isinstance(label, list)), None)
            if listed is not None:
                raise ValueError(f"{what} needs one label for each document; one has {listed}")
            nothing = nothing and not len(batch.texts)
            yield batch.texts, labels
        if nothing:
            raise ValueError(f"there is no document in {self.name}")

    def test_documents(self, training: Documents) -> Documents:
        """Read the documents over the terms of others, on which they are to be tested."""
        import numpy as np

        from fsmj.corpus import read_documents
        from fsmj.corpus.labels import label_text

        how = {**self._how, "min_docs": 1, "min_class_docs": 1}
        test = read_documents(
            self.places, *self.text_and_label, self.rule, terms=training.terms, **how
        )
        # The label 1 of one kind of file is "1" in another.
        known = {label_text(label): label for label in training.classes.tolist()}
        labels = [known.get(label_text(label), label) for label in test.classes.tolist()]
        test.classes = np.array(
            labels, training.classes.dtype if set(labels) <= {*known.values()} else object
        )
        return test


@contextmanager
def opened(
    paths: Sequence[str],
    reading: Reading | None = None,
    words: Words | None = None,
    quiet: bool = False,
) -> Iterator[Source]:
    """Find what the paths name; standard input is kept on disk meanwhile."""
    from fsmj.corpus.places import find

    with scratch_folder() as scratch:
        places = find(paths, scratch)
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
