"""Numbers of rows that nobody takes for verdicts."""

from __future__ import annotations

from typing import NoReturn

__all__ = ["Count"]


class Count(int):
    """How many rows are valid. `bool()` raises: one valid row would make it true."""

    def __bool__(self) -> NoReturn:
        raise ValueError(
            "the number of valid rows is no verdict: use .all_valid, or compare it with len()"
        )
