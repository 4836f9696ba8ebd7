"""What a corpus amounts to: its sums, their arithmetic, and their file."""

from fsmj.counts._parquet import load_metadata
from fsmj.counts.class_term_counts import ClassTermCounts
from fsmj.counts.classes import class_number, small_classes, two_sides, warn_of_small_classes
from fsmj.counts.loading import columns_as_metadata, load_columns, load_counts

__all__ = [
    "ClassTermCounts",
    "class_number",
    "columns_as_metadata",
    "load_columns",
    "load_counts",
    "load_metadata",
    "small_classes",
    "two_sides",
    "warn_of_small_classes",
]
