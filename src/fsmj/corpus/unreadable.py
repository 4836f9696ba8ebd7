"""Rows that could not be read: how many, and which was the first."""

from __future__ import annotations

from fsmj.corpus.duck import Engine
from fsmj.corpus.tables import Table, first_row

_COUNT = "SELECT coalesce(sum(count), 0)::BIGINT FROM counted WHERE class IS NULL AND term IS NULL"
_REJECTS = """(SELECT scan_id, file_id, line, min(error_message) AS reason
               FROM reject_errors GROUP BY ALL)"""
_FIRST_REJECT = f"""
    SELECT file_path, line, reason FROM {_REJECTS} JOIN reject_scans USING (scan_id, file_id)
    ORDER BY file_path, line LIMIT 1"""


class Unreadable:
    """Collects what could not be read while documents pass by, and says it in one sentence."""

    def __init__(self) -> None:
        self.count = 0
        self.first = ""

    def note(self, where: str) -> None:
        """Remember a place, if it is the first."""
        self.first = self.first or where

    def look_into(self, engine: Engine, tables: list[Table]) -> None:
        """Add what the counting of tables has left out."""
        ((missing_text,),) = engine.rows(_COUNT)
        self.count = missing_text
        if missing_text and not self.first:
            self.find_in(engine, tables)
        self.add_rejected(engine, tables)

    def find_in(self, engine: Engine, tables: list[Table]) -> None:
        """Look for the first row without a text."""
        for table in tables:
            found = first_row(engine, table, "text IS NULL")
            if found:
                return self.note(f"row {found[1]:,} of {found[0]}, which has no readable text")
        return None

    def scan_csv(self, engine: Engine, tables: list[Table]) -> None:
        """Read CSV files once more for the rows that stopped a strict reading."""
        for table in tables:
            for file in table.files if table.rejects else ():
                rows = f"SELECT {table.text} FROM {table.rows([file])}"
                try:
                    engine.rows(f"SELECT count(*) FROM ({rows})")
                except ValueError as reason:
                    raise ValueError(f"{file.name} cannot be read: {reason}") from None
        self.add_rejected(engine, tables)

    def add_rejected(self, engine: Engine, tables: list[Table]) -> None:
        """Add the rows that the reader of CSV files has left out."""
        if not any(table.rejects for table in tables):
            return
        ((count,),) = engine.rows(f"SELECT count(*) FROM {_REJECTS}")
        for path, line, reason in engine.rows(_FIRST_REJECT):
            names = {file.path: file.name for table in tables for file in table.files}
            self.note(f"line {line:,} of {names.get(path, path)} ({reason.rstrip('.')})")
        self.count += int(count)

    def __str__(self) -> str:
        rows = "1 row" if self.count == 1 else f"{self.count:,} rows"
        return f"{rows} could not be read; the first is {self.first or 'unknown'}"
