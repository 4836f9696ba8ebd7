"""Text to counts or documents: one reader for every source, one policy for what is missing."""

from fsmj._extras import from_extras
from fsmj.tokens.rule import TokenRule

with from_extras():
    from fsmj.corpus.batch import Batch
    from fsmj.corpus.counting import count_files, count_frame, count_texts
    from fsmj.corpus.reading import file_columns, read_batches, read_documents

__all__ = [
    "Batch",
    "TokenRule",
    "count_files",
    "count_frame",
    "count_texts",
    "file_columns",
    "read_batches",
    "read_documents",
]
