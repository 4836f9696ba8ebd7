"""Text to counts or documents: one reader for every source, one policy for what is missing."""

from fsmj.corpus.batch import Batch
from fsmj.corpus.counting import count_files, count_frame, count_texts
from fsmj.corpus.reading import file_columns, read_batches, read_documents
from fsmj.tokens.rule import TokenRule

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
