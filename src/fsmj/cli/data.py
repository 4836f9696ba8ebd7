"""What the user names on the command line: documents, or counts of documents."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import chain
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fsmj._names import listed, spoken
from fsmj._scratch import scratch_folder
from fsmj.cli.columns import guess
from fsmj.cli.options import Reading, Words
from fsmj.cli.terminal import progress_bar, say
from fsmj.methods.table import method_named

if TYPE_CHECKING:
    from fsmj.corpus.places import Place
    from fsmj.counts import ClassTermCounts
    from fsmj.documents import Documents
    from fsmj.model import TextModel
    from fsmj.tokens.rule import TokenRule

_COUNTS = {"class", "term", "count", "docs"}
_COLUMNS = ("text", "label")
_Read = TypeVar("_Read")


@dataclass(frozen=True)
class Source:
    """Documents or counts, and how to read them; made by `opened`."""

    places: Sequence[Place]
    reading: Reading
    words: Words
    quiet: bool
    model: TextModel | None = None  # which knows the columns that it was made of

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
        """The names of the columns, guessed where neither the user nor a model names them."""
        if not self.columns:
            return ["text"], "label"
        found = self._found("text", "label")
        text, (label,) = found["text"], found["label"]
        if not (self.quiet or (self.reading.text and self.reading.label)):
            say(f"reading the text from {spoken(text)} and the label from {label!r}")
        return text, label

    @property
    def text_alone(self) -> list[str]:
        """The names of the columns with the text, where labels are not wanted."""
        text = self._found("text")["text"]
        if not (self.reading.text or self.quiet):
            say(f"reading the text from {spoken(text)}")
        return text

    def _found(self, *wanted: str) -> dict[str, list[str]]:
        from fsmj.corpus.batch import position

        given = {what: getattr(self.reading, what) or self._known(what) for what in wanted}
        found = guess(self.places[0].name, self.columns, **given)
        for name in chain.from_iterable(found.values()):
            position(self.places[0].name, name, self.columns)
        return found

    def _known(self, what: str) -> Sequence[str]:
        """Return the columns of which the model was made; its text is nowhere else to be found."""
        if self.model is None or not self.columns:
            return ()
        if what == "label":
            return [name for name in self.columns if name == self.model.label]
        missing = [name for name in self.model.columns if name not in self.columns]
        if missing:
            raise ValueError(
                f"{self.name} has no column {missing[0]!r}, from which the model takes its text; "
                f"say with --text what to read instead: it has {listed(self.columns, 20)}"
            )
        return self.model.columns

    @property
    def origin(self) -> tuple[Sequence[str], str | None]:
        """The columns with text and label; of counts, where they came from, if all agree on it."""
        from fsmj.counts import load_columns

        if not self.is_counts:
            return self.text_and_label if self.columns else ((), None)
        found = {load_columns(place.path) for place in self.places}  # type: ignore[union-attr]
        return found.pop() if len(found) == 1 else ((), None)

    @property
    def _how(self) -> dict[str, Any]:
        """The options of reading, but for the columns."""
        return {name: given for name, given in vars(self.reading).items() if name not in _COLUMNS}

    def _require_texts(self, what: str) -> None:
        if self.is_counts:
            raise ValueError(
                f"{what} needs the documents themselves; {self.name} holds only their counts"
            )

    def counts(self, memory_limit: str | None = None) -> ClassTermCounts:
        """Count the documents, or add up the counts."""
        if self.is_counts:
            kept = self.loaded.without_small_classes(self.reading.min_class_docs)
            return kept if self.reading.min_docs == 1 else kept.prune(self.reading.min_docs)
        from fsmj.corpus import count_files

        return self._read("counting", count_files, memory_limit=memory_limit)

    def documents(self, what: str) -> Documents:
        """Read the documents; `what` says in a message who needs them."""
        from fsmj.corpus import read_documents

        self._require_texts(what)
        return self._read("reading", read_documents)

    def for_method(self, method: str, memory_limit: str | None) -> ClassTermCounts | Documents:
        """Return what a method ranks: counts, unless it looks at the documents."""
        if method_named(method).needs == "documents":
            return self.documents(f"the method {method}")
        return self.counts(memory_limit)

    def _read(self, title: str, read: Callable[..., _Read], **more: Any) -> _Read:
        how = self._how | more
        with progress_bar(title, self.quiet) as show:
            return read(self.places, *self.text_and_label, self.rule, **how,
                        progress=lambda share: show(share, 1))  # fmt: skip

    def labelled_texts(self, what: str) -> Generator[tuple[Any, list[Any]], None, None]:
        """Read texts and labels, one each."""
        from fsmj.corpus import read_batches

        self._require_texts(what)
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

    def test_documents(self, paths: Sequence[str], training: Documents) -> Documents:
        """Read others in the same way, over the terms of these, on which they are to be tested."""
        import numpy as np

        from fsmj.corpus import read_documents
        from fsmj.corpus.labels import label_text

        every = {"terms": training.terms, "min_docs": 1, "min_class_docs": 1}
        with opened(paths, self.reading, self.words, self.quiet) as others:
            test: Documents = others._read("reading", read_documents, **every)
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
    model: TextModel | None = None,
) -> Iterator[Source]:
    """Find what the paths name; standard input is kept on disk meanwhile."""
    from fsmj.corpus.places import find

    with scratch_folder() as scratch:
        places = find(paths, scratch)
        source = Source(places, reading or Reading(), words or Words(), quiet, model)
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
            f"{counts.name} was counted by another rule of what a word is; leave out --stop-words "
            "and what else says what a word is, or give it to fsmj count"
        )
