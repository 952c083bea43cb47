"""Polars expressions: `pl.col("signature").sigmill.verify("ES256", key="key", message="text")`.

Importing this module registers the namespace `sigmill` of expressions.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from typing import Any

import polars as pl

from sigmill._sigmill import Engine, Verdicts

__all__ = ["Namespace"]


@cache
def _engine_of(process: int) -> Engine:
    """One engine for the whole process; a forked process creates its own."""
    return Engine()


def _expression(column: str | pl.Expr) -> pl.Expr:
    return pl.col(column) if isinstance(column, str) else column


def _has(expression: pl.Expr, trait: str) -> bool:
    """Returns `True` if Polars knows that an expression has a trait.

    Polars 1 has no traits. Polars 2 knows none of an expression that calls Python or selects
    columns.
    """
    try:
        return bool(getattr(expression.meta, trait)())
    except (AttributeError, pl.exceptions.PolarsError):
        return False


def _is_scalar(expression: pl.Expr) -> bool:
    """Returns `True` for one value that applies to all rows, such as a literal or an aggregate.

    A column that a filter or `drop_nulls` reduces to one value is not a scalar.
    """
    if hasattr(expression.meta, "is_scalar"):
        return _has(expression, "is_scalar")
    # Polars 1 repeats a scalar here, and raises an error for columns, including those of a frame.
    try:
        return pl.select(pl.int_range(2), expression.alias("")).height == 2
    except pl.exceptions.PolarsError:
        return False


def _keeps_rows(expression: pl.Expr) -> bool:
    """Returns `True` for an expression with a value for each row that depends on no other row."""
    traits = ("is_length_preserving", "is_row_separable")
    return expression.meta.is_column() or all(_has(expression, trait) for trait in traits)


def _aligned(
    columns: Sequence[pl.Series], are_scalars: dict[str, bool], rows: int | None
) -> list[pl.Series]:
    """The columns with the same number of rows each; scalars are repeated.

    `rows` is that number; by default it is the length of the longest column that is not a scalar.
    """
    named = list(zip(are_scalars.items(), columns, strict=True))
    if rows is None:
        rows = max((len(column) for (_, scalar), column in named if not scalar), default=1)
    aligned = []
    for (name, is_scalar), column in named:
        if is_scalar and len(column) == 1:
            aligned.append(column.new_from_index(0, rows))
        elif len(column) == rows:
            aligned.append(column)
        else:
            raise pl.exceptions.ShapeError(
                f"{name}: length {len(column)}; expected {rows}, the number of rows. Only "
                "scalars, such as pl.lit(...), are repeated; filter the frame instead of its "
                "columns"
            )
    return aligned


@pl.api.register_expr_namespace("sigmill")
class Namespace:
    """Methods of signature expressions."""

    def __init__(self, signatures: pl.Expr) -> None:
        self._signatures = signatures

    def _judge(
        self,
        alg: str,
        key: str | pl.Expr,
        message: str | pl.Expr | None,
        digest: str | pl.Expr | None,
        format: Any,
        engine: Engine | None,
        take: str,
        dtype: Any,
    ) -> pl.Expr:
        if (message is None) == (digest is None):
            raise TypeError("exactly one of message and digest must be given")
        name = "digest" if message is None else "message"
        signed = digest if message is None else message
        assert signed is not None
        expressions = {
            "key": _expression(key),
            name: _expression(signed),
            "signature": self._signatures,
        }
        are_scalars = {field: _is_scalar(column) for field, column in expressions.items()}
        # Polars may call an elementwise function on parts of a frame, after repeating columns of
        # length 1. A column that may lose rows is therefore judged in one piece, together with the
        # number of rows.
        is_elementwise = all(
            are_scalars[field] or _keeps_rows(column) for field, column in expressions.items()
        )
        number = [] if is_elementwise else [pl.len()]

        def judge(columns: Sequence[pl.Series]) -> pl.Series:
            rows = None if is_elementwise else columns[-1].item()
            keys, inputs, signatures = _aligned(columns[:3], are_scalars, rows)
            columns_of_call: dict[str, Any] = {f"{name}s": inputs, "signatures": signatures}
            verdicts: Verdicts = (_engine_of(os.getpid()) if engine is None else engine).verify(
                alg, keys, format=format, **columns_of_call
            )
            return verdicts.to_polars()[take].cast(dtype)

        return pl.map_batches(
            [*expressions.values(), *number],
            judge,
            return_dtype=dtype,
            is_elementwise=is_elementwise,
        ).alias(take)

    def verify(
        self,
        alg: str,
        *,
        key: str | pl.Expr,
        message: str | pl.Expr | None = None,
        digest: str | pl.Expr | None = None,
        format: Any = "auto",
        engine: Engine | None = None,
    ) -> pl.Expr:
        """Reports whether each signature is valid: a Boolean named `valid`.

        `key`, and `message` or `digest`, are names of columns or expressions, such as
        `pl.lit(pem)`. `engine` is one for the whole process by default. Other arguments are those
        of `Engine.verify`.

        Each column has a value for every row of the frame. Only scalars are repeated: a
        literal, or, from Polars 2 on, an aggregate such as `pl.col("key").first()`. Another length
        raises `polars.exceptions.ShapeError` before any row is judged.
        """
        return self._judge(alg, key, message, digest, format, engine, "valid", pl.Boolean)

    def reason(
        self,
        alg: str,
        *,
        key: str | pl.Expr,
        message: str | pl.Expr | None = None,
        digest: str | pl.Expr | None = None,
        format: Any = "auto",
        engine: Engine | None = None,
    ) -> pl.Expr:
        """The reason why each signature is rejected: a String named `reason`, null if valid."""
        return self._judge(alg, key, message, digest, format, engine, "reason", pl.String)
