"""The original distribution of Reuters-21578: `reut2-*.sgm` files, split by their attributes."""

from __future__ import annotations

import gzip
import html
import os
import re
import tarfile
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fsmj.datasets.dataset import Labelled, class_sizes, only

LARGEST = 1 << 24  # bytes, ten times as many as any of the files has
N_FILES = 22
FILE_NAME = re.compile(r"reut2-\d{3}\.sgm")
STORY = re.compile(r"<REUTERS\b(.*?)>(.*?)</REUTERS>", re.DOTALL)
ATTRIBUTE = re.compile(r'(\w+)="(.*?)"', re.DOTALL)
TOPICS = re.compile(r"<TOPICS>(.*?)</TOPICS>", re.DOTALL)
TOPIC = re.compile(r"<D>(.*?)</D>", re.DOTALL)
TEXT = re.compile(r"<TEXT\b(.*?)>(.*?)</TEXT>", re.DOTALL)
TITLE = re.compile(r"<TITLE>(.*?)</TITLE>", re.DOTALL)
BODY = re.compile(r"<BODY>(.*?)</BODY>", re.DOTALL)
TAG = re.compile(r"</?[A-Z]+>")
# Only references that are closed: "AT&T" and "S&P" stay as they are.
REFERENCE = re.compile(r"&(#\d+|\w+);")


@dataclass(frozen=True)
class Story:
    """One document: its part of the ModApte split ("train", "test" or ""), topics and text."""

    part: str
    topics: tuple[str, ...]
    text: str


def read(
    path: str | os.PathLike[str], *, multilabel: bool = False
) -> tuple[list[Labelled], list[Labelled]]:
    """Read the ModApte split: single-topic documents, or lists of topics.

    Kept are the topics with at least one training and one test document, and the documents
    that have one of them.
    """
    found = [story for file, content in _files(Path(path)) for story in stories(file, content)]
    train, test = (
        [
            (list(story.topics) if multilabel else story.topics[0], story.text)
            for story in found
            if story.part == part and (len(story.topics) == 1 or (multilabel and story.topics))
        ]
        for part in ("train", "test")
    )
    classes = class_sizes(train).keys() & class_sizes(test).keys()
    if not classes:
        raise ValueError(
            f"no topic in {path} has both training and test documents "
            '(LEWISSPLIT="TRAIN" or "TEST", and TOPICS="YES")'
        )
    return only(classes, train), only(classes, test)


def stories(file: str, content: str) -> Iterator[Story]:
    r"""Read the stories of one file, which is named in error messages.

    Examples
    --------
    >>> topics, text = "<TOPICS><D>tea</D></TOPICS>", "<TEXT><TITLE>TEA &lt;T></TITLE></TEXT>"
    >>> head = '<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN">'
    >>> list(stories("reut2-000.sgm", f"{head}\n{topics}\n{text}\n</REUTERS>"))
    [Story(part='train', topics=('tea',), text='TEA <T>')]
    """
    found = STORY.findall(content)
    n_begun = content.count("<REUTERS")
    if not found or n_begun != len(found):
        raise ValueError(
            f"{file} is cut short or not of the distribution: {n_begun} stories begin in it "
            f"and {len(found)} end; get it again"
        )
    for header, story in found:
        attributes = dict(ATTRIBUTE.findall(header))
        used = attributes.get("TOPICS") == "YES"
        split = {"TRAIN": "train", "TEST": "test"}.get(attributes.get("LEWISSPLIT", ""), "")
        listed = TOPICS.search(story)
        topics = TOPIC.findall(listed[1]) if listed else []
        # A dict keeps each topic once, in the order of the file.
        unique = tuple(dict.fromkeys(_unescape(topic).strip() for topic in topics))
        yield Story(split if used else "", unique, _text(story))


def _text(story: str) -> str:
    """Return title and body; the dateline and the author are no part of what is said."""
    found = TEXT.search(story)
    if found is None:
        return ""
    kind, content = found.groups()
    if "UNPROC" in kind:
        return _unescape(TAG.sub(" ", content)).strip()
    pieces = [match[1] for match in (TITLE.search(content), BODY.search(content)) if match]
    return _unescape("\n".join(pieces)).strip()


def _unescape(text: str) -> str:
    def character(reference: re.Match[str]) -> str:
        replaced = html.unescape(reference[0])
        return replaced if replaced.isprintable() and replaced else " "

    return REFERENCE.sub(character, text)


def _files(path: Path) -> list[tuple[str, str]]:
    """Return name and text of each file of the distribution, in the order of the names."""
    path = path.expanduser()
    if path.is_dir():
        files = [f for f in path.iterdir() if FILE_NAME.fullmatch(f.name) and f.is_file()]
        found = {file.name: file.read_bytes() for file in files}
    elif path.is_file():
        found = _archived(path)
    else:
        raise FileNotFoundError(f"there is no folder or file {path}")
    if not found:
        raise FileNotFoundError(f"there are no reut2-*.sgm files in {path}")
    if len(found) != N_FILES:
        warnings.warn(
            f"{path} holds {len(found)} of the {N_FILES} files of the distribution; "
            "the corpus is not the whole Reuters-21578",
            stacklevel=4,
        )
    # The distribution has bytes that are no UTF-8; Latin-1 reads every byte.
    return [(name, found[name].decode("latin-1")) for name in sorted(found)]


def _archived(path: Path) -> dict[str, bytes]:
    """Read the files out of the archive without unpacking it."""
    found = {}
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                name = Path(member.name).name
                stream = archive.extractfile(member) if FILE_NAME.fullmatch(name) else None
                if stream is not None:
                    if member.size > LARGEST:
                        raise tarfile.TarError(f"{name} has {member.size:,} bytes")
                    found[name] = stream.read()
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{path} is damaged or no tar archive: {error}; get it again") from error
    return found
