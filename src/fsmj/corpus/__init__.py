"""Text to counts: the token rule, and one module for each engine."""

from fsmj.corpus.counting import count_files, count_frame, count_texts, file_columns
from fsmj.corpus.reading import document_matrix, read_documents
from fsmj.corpus.rule import TokenRule

__all__ = [
    "TokenRule",
    "count_files",
    "count_frame",
    "count_texts",
    "document_matrix",
    "file_columns",
    "read_documents",
]
