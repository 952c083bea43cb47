"""Numbers and reasons that cannot be mistaken for verdicts."""

from __future__ import annotations

from typing import NoReturn

__all__ = ["Count", "Reason"]


class Count(int):
    """The number of valid rows. `bool()` raises: one valid row would make it true."""

    def __bool__(self) -> NoReturn:
        raise ValueError(
            "the number of valid rows is not a verdict: use .all_valid, or compare it with len()"
        )


class Reason(str):
    """A reason for a rejection. `bool()` raises: a rejected row would be true, a valid one not."""

    __slots__ = ()

    def __bool__(self) -> NoReturn:
        raise ValueError("a reason is not a verdict: compare it with None, which means valid")
