"""Runs: counts sorted by term, in memory or in scratch files, and their sum."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fsmj.corpus._cells import COUNT, HALF
from fsmj.tokens.matrix import order_of, rows_of

# In a block of a run, of which many are merged at a time.
_TERMS = 1 << 14
_CELLS = 1 << 14

_CELL = pa.struct({"class": pa.int64(), "count": pa.int64(), "docs": pa.int64()})
_SCHEMA = pa.schema({"term": pa.large_binary(), "docs": pa.int64(), "cells": pa.large_list(_CELL)})


@dataclass(frozen=True)
class Block:
    """Some terms in their order, and their cells; those of term t are at ``starts[t:t + 2]``."""

    terms: Any  # Arrow array of bytes
    docs: NDArray[np.int64]
    starts: NDArray[np.int64]
    classes: NDArray[np.int64]
    counts: NDArray[np.int64]
    class_docs: NDArray[np.int64]

    def part(self, start: int, stop: int) -> Block:
        """Return the block of some terms in a row."""
        stop = min(stop, len(self.docs))
        cells = slice(self.starts[start], self.starts[stop])
        return Block(
            self.terms[start:stop], self.docs[start:stop],
            self.starts[start : stop + 1] - self.starts[start],
            self.classes[cells], self.counts[cells], self.class_docs[cells],
        )  # fmt: skip


def in_order(
    terms: Any, docs: NDArray[np.int64], pairs: NDArray[np.int64], sums: NDArray[np.int64]
) -> Iterator[Block]:
    """Sort sums by term and class: a run.

    Terms (in bytes) and their documents are in the order of their numbers; pairs and sums are as
    of `_cells.listed`, and used up.
    """
    order = order_of(terms)
    terms, docs = rows_of(terms, order), docs[order]
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    # In place as far as can be: these are the largest arrays of all.
    place = place[pairs >> COUNT]
    place <<= COUNT
    pairs &= HALF
    pairs |= place
    place = pairs.argsort()
    pairs, sums = pairs[place], sums[place]
    starts = np.zeros(len(docs) + 1, np.int64)
    np.cumsum(np.bincount(pairs >> COUNT, minlength=len(docs)), out=starts[1:])
    return _blocks(terms, docs, starts, pairs, sums)


def _blocks(
    terms: Any, docs: NDArray[np.int64], starts: NDArray[np.int64], pairs: NDArray[np.int64],
    sums: NDArray[np.int64],
) -> Iterator[Block]:  # fmt: skip
    """Yield what is in order block by block."""
    start = 0
    while start < len(docs):
        stop = int(np.searchsorted(starts, starts[start] + _CELLS, side="right")) - 1
        stop = min(max(stop, start + 1), start + _TERMS)
        cells = slice(starts[start], starts[stop])
        yield Block(
            terms[start:stop], docs[start:stop], starts[start : stop + 1] - starts[start],
            pairs[cells] & HALF, sums[cells] >> COUNT, sums[cells] & HALF,
        )  # fmt: skip
        start = stop


def write(path: Path, blocks: Iterable[Block]) -> None:
    """Write a run as an Arrow file."""
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, _SCHEMA) as writer:
        for block in blocks:
            cells = pa.StructArray.from_arrays(
                [block.classes, block.counts, block.class_docs], fields=list(_CELL)
            )
            listed = pa.LargeListArray.from_arrays(block.starts, cells)
            writer.write_batch(
                pa.record_batch([block.terms, pa.array(block.docs), listed], schema=_SCHEMA)
            )


def read(path: Path) -> Iterator[Block]:
    """Read a run block by block."""
    with pa.OSFile(str(path), "rb") as source:
        reader = pa.ipc.open_file(source)
        for i in range(reader.num_record_batches):
            terms, docs, cells = reader.get_batch(i).columns
            parts = (part.to_numpy() for part in cells.values.flatten())
            yield Block(terms, docs.to_numpy(), cells.offsets.to_numpy(), *parts)


def merged(runs: Iterable[Iterator[Block]]) -> Iterator[Block]:
    """Add runs up, a piece at a time: what is held is a block of each run."""
    waiting = [(block, run) for run in runs if (block := next(run, None)) is not None]
    while waiting:
        # Of every run, all terms up to this one are here.
        last = min(block.terms[-1].as_py() for block, _ in waiting)
        parts, left = [], []
        for block, run in waiting:
            n = bisect_right(block.terms, last, key=lambda term: term.as_py())
            parts.append(block.part(0, n))
            rest = block.part(n, len(block.docs)) if n < len(block.docs) else next(run, None)
            if rest is not None:
                left.append((rest, run))
        waiting = left
        yield _added_up([part for part in parts if len(part.docs)])


def _added_up(parts: list[Block]) -> Block:
    """Add up blocks that have terms in common."""
    if len(parts) == 1:
        return parts[0]
    coded = pa.concat_arrays([part.terms for part in parts]).dictionary_encode()
    order = order_of(coded.dictionary)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    term = place[coded.indices.to_numpy()]  # of each term of each part
    docs = np.zeros(len(order), np.int64)
    np.add.at(docs, term, np.concatenate([part.docs for part in parts]))
    n_cells = np.concatenate([np.diff(part.starts) for part in parts])
    classes = np.concatenate([part.classes for part in parts])
    pair = (np.repeat(term, n_cells) << COUNT) | classes
    by_term = np.argsort(pair, kind="stable")
    pair = pair[by_term]
    starts = np.flatnonzero(np.diff(pair, prepend=-1))  # where a new pair begins
    counts, class_docs = (
        np.add.reduceat(np.concatenate(arrays)[by_term], starts) if len(starts) else pair
        for arrays in ([part.counts for part in parts], [part.class_docs for part in parts])
    )
    pair = pair[starts]
    of_term = np.zeros(len(order) + 1, np.int64)
    np.cumsum(np.bincount(pair >> COUNT, minlength=len(order)), out=of_term[1:])
    terms = rows_of(coded.dictionary, order)
    return Block(terms, docs, of_term, pair & HALF, counts, class_docs)
