"""The paper's own matrix: Deng Cai's `Reuters21578.mat`."""

from __future__ import annotations

import os
import warnings
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fsmj.datasets import cache
from fsmj.datasets.dataset import LEWIS, Dataset
from fsmj.documents import Documents

NAME = "Reuters21578.mat"
URL = "http://www.cad.zju.edu.cn/home/dengcai/Data/Reuters21578/Reuters21578.mat"
SHA256 = "2e442026efc64cfbcd3a531b4bc99b21eed6c5463276dbfa69d096f91dd5c245"
_CAI = (
    "D. Cai, X. He and J. Han, Document Clustering Using Locality Preserving Indexing, "
    "IEEE Transactions on Knowledge and Data Engineering 17(12), 2005, 1624-1637."
)
TIMEOUT_SECONDS = 10
MIN_TRAINING_DOCS = 4
VOCABULARY_TOPICS = 20


def load(topics: int | None, path: str | os.PathLike[str] | None = None) -> Dataset:
    """Load the documents of the first `topics` topics, with the paper's terms as columns.

    The terms are those in at least 4 training documents of the first 20 topics, whatever
    `topics` is: the 7,789 of the paper. The file holds no words; a term is named by its column
    in the file, from 1 on.
    """
    origin, content = _content(path)
    variables = _variables(origin, content)
    counts, gnd = variables["fea"], variables["gnd"]
    train, test = variables["trainIdx"] - 1, variables["testIdx"] - 1
    vocabulary_docs = counts[train[gnd[train] <= VOCABULARY_TOPICS]]
    docs_per_term = np.bincount(vocabulary_docs.indices, minlength=counts.shape[1])
    columns = np.flatnonzero(docs_per_term >= MIN_TRAINING_DOCS)
    if topics is not None and topics > gnd.max():
        raise ValueError(f"{origin} has {gnd.max()} topics, fewer than the {topics} asked for")

    terms = (columns + 1).astype(str)

    def part(rows: NDArray[Any]) -> Documents:
        kept = rows if topics is None else rows[gnd[rows] <= topics]
        return Documents(counts[kept][:, columns], gnd[kept], terms)

    return Dataset(
        "Reuters (matrix)" if topics is None else f"Reuters-{topics} (matrix)",
        part(train),
        part(test),
        f"{LEWIS} Matrix: {_CAI}",
    )


def _content(path: str | os.PathLike[str] | None) -> tuple[str, bytes]:
    """Return where the file came from, and its bytes."""
    supplied = path if path is not None else os.environ.get("FSMJ_REUTERS_MAT") or None
    if supplied is not None:
        try:
            return str(supplied), Path(supplied).expanduser().read_bytes()
        except OSError as error:
            where = "path" if path is not None else "FSMJ_REUTERS_MAT"
            raise OSError(f"cannot read {supplied}, given as {where}: {error.strerror}") from error
    content = cache.recall(NAME, SHA256)
    if content is None:
        content = _download()
        cache.keep(NAME, content, SHA256)
    return str(cache.folder() / NAME), content


def _download() -> bytes:
    from http.client import HTTPException
    from urllib.request import urlopen

    try:
        with urlopen(URL, timeout=TIMEOUT_SECONDS) as response:
            content: bytes = response.read()
        found = cache.digest(content)
        if found != SHA256:
            raise OSError(f"the file that came has the sha256 {found} instead of {SHA256}")
    except (OSError, HTTPException) as error:
        raise OSError(
            f"could not get {NAME} from {URL} ({error}); get it by other means and give its path, "
            "or name it in the environment variable FSMJ_REUTERS_MAT"
        ) from error
    return content


def _variables(origin: str, content: bytes) -> dict[str, Any]:
    """Return the four variables: the matrix in CSR form, topics and row numbers as vectors."""
    from scipy.io import loadmat
    from scipy.sparse import csr_array

    try:
        with warnings.catch_warnings(action="ignore"):  # whether it returns matrices or arrays
            loaded = loadmat(BytesIO(content))
    except Exception as error:  # loadmat raises whatever the damaged bytes lead it to
        raise ValueError(f"{origin} is not a readable MATLAB file: {error}") from error
    missing = {"fea", "gnd", "trainIdx", "testIdx"} - loaded.keys()
    if missing:
        raise ValueError(f"{origin} is not {NAME}: it has no variable {', '.join(sorted(missing))}")
    vectors = {k: loaded[k].ravel().astype(np.int64) for k in ("gnd", "trainIdx", "testIdx")}
    rows = np.concatenate([vectors["trainIdx"], vectors["testIdx"]])
    n_docs = loaded["fea"].shape[0]
    if len(vectors["gnd"]) != n_docs or not ((rows >= 1) & (rows <= n_docs)).all():
        raise ValueError(f"{origin} is not {NAME}: its variables do not fit together")
    counts = csr_array(loaded["fea"])
    counts.eliminate_zeros()
    if (counts.data == np.rint(counts.data)).all():
        counts = counts.astype(np.int64)
    return {"fea": counts, **vectors}
