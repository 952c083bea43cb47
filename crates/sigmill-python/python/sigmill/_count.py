"""Numbers and reasons that nobody takes for verdicts."""

from __future__ import annotations

from typing import NoReturn

__all__ = ["Count", "Reason"]


class Count(int):
    """How many rows are valid. `bool()` raises: one valid row would make it true."""

    def __bool__(self) -> NoReturn:
        raise ValueError(
            "the number of valid rows is no verdict: use .all_valid, or compare it with len()"
        )


class Reason(str):
    """Why a row was rejected. `bool()` raises: a rejected row would be true, a valid one false."""

    __slots__ = ()

    def __bool__(self) -> NoReturn:
        raise ValueError(
            "a reason is no verdict: compare it with None, which stands for a valid row"
        )
