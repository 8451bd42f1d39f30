"""Counts the rows that queries return, since a query may be one and still read a whole field."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db.models.sql.compiler import SQLCompiler


@contextmanager
def rows_read() -> Iterator[list[int]]:
    """Collect how many rows each query of the ORM returned."""
    counts: list[int] = []
    execute = SQLCompiler.execute_sql

    def counted(compiler: SQLCompiler, *args: Any, **options: Any) -> Any:
        answer = execute(compiler, *args, **options)
        if answer is None or not hasattr(answer, "__iter__"):
            return answer
        chunks = list(answer)
        counts.append(sum(len(chunk) if isinstance(chunk, list) else 1 for chunk in chunks))
        return iter(chunks)

    SQLCompiler.execute_sql = counted  # type: ignore[method-assign]
    try:
        yield counts
    finally:
        SQLCompiler.execute_sql = execute  # type: ignore[method-assign]
