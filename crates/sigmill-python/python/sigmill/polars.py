"""Expressions of Polars: `pl.col("signature").sigmill.verify("ES256", key="key", message="text")`.

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
    """One for all of the process; a process that was forked makes its own."""
    return Engine()


def _expression(column: str | pl.Expr) -> pl.Expr:
    return pl.col(column) if isinstance(column, str) else column


@pl.api.register_expr_namespace("sigmill")
class Namespace:
    """What expressions of signatures can do."""

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
            raise TypeError("one of message and digest must be given, and not both")
        name = "digests" if message is None else "messages"
        signed = digest if message is None else message
        assert signed is not None

        def judge(columns: Sequence[pl.Series]) -> pl.Series:
            keys, inputs, signatures = columns
            # A literal is one value for all rows.
            rows = max(map(len, columns))
            keys, inputs, signatures = (
                column if len(column) == rows else column.new_from_index(0, rows)
                for column in (keys, inputs, signatures)
            )
            columns_of_call: dict[str, Any] = {name: inputs, "signatures": signatures}
            verdicts: Verdicts = (_engine_of(os.getpid()) if engine is None else engine).verify(
                alg, keys, format=format, **columns_of_call
            )
            return verdicts.to_polars()[take].cast(dtype)

        return pl.map_batches(
            [_expression(key), _expression(signed), self._signatures],
            judge,
            return_dtype=dtype,
            is_elementwise=True,
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
        """Whether each signature is valid, a Boolean named `valid`.

        `key`, and `message` or `digest`, are names of columns or expressions, as `pl.lit(pem)`.
        `engine` is one for all of the process unless given. Else as of `Engine.verify`.
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
        """Why each signature is rejected, a String named `reason`, null where it is valid."""
        return self._judge(alg, key, message, digest, format, engine, "reason", pl.String)
