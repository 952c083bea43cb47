"""SQL functions for DuckDB: `sigmill.duckdb.register(connection)`.

select * from payments
where not sigmill_valid('ES256', key, message, signature)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from sigmill._sigmill import Engine
from sigmill.errors import Error

__all__ = ["register"]


def _is_algorithm(engine: Engine, name: str) -> bool:
    try:
        engine.explain(name, [], digests=[], signatures=[])
    except Error as error:
        if error.reason != "unknown-algorithm":
            raise
        return False
    return True


def _reasons(
    engine: Engine, inputs: str, algs: Any, keys: Any, signed: Any, signatures: Any
) -> Any:
    """The reason why each row of a batch is rejected, each by its own algorithm; null if valid."""

    def verify(alg: str, keys: Any, signed: Any, signatures: Any) -> Any:
        columns: Any = {inputs: signed, "signatures": signatures}
        return engine.verify(alg, keys, **columns).to_pyarrow()["reason"].cast(pa.string())

    names = pc.unique(algs).to_pylist()
    known = [name for name in names if name is not None and _is_algorithm(engine, name)]
    if names == known and len(known) == 1:
        return verify(known[0], keys, signed, signatures).combine_chunks()
    # An unknown name must not end the query: one row could prevent the verification of all others.
    reasons = pc.if_else(pc.is_null(algs), "algorithm-null", "algorithm-unknown").to_pylist()
    for name in known:
        rows = pc.indices_nonzero(pc.fill_null(pc.equal(algs, name), False))
        judged = verify(name, keys.take(rows), signed.take(rows), signatures.take(rows))
        for row, reason in zip(rows.to_pylist(), judged.to_pylist(), strict=True):
            reasons[row] = reason
    return pa.array(reasons, pa.string())


def _function(engine: Engine, inputs: str, column: str) -> Callable[[Any, Any, Any, Any], Any]:
    """A function of four columns, in the order of the SQL arguments."""

    def judge(algs: Any, keys: Any, signed: Any, signatures: Any) -> Any:
        reasons = _reasons(engine, inputs, algs, keys, signed, signatures)
        return reasons if column == "reason" else reasons.is_null()

    return judge


def register(connection: duckdb.DuckDBPyConnection, engine: Engine | None = None) -> Engine:
    """Registers four functions, and returns the engine that they share.

    `sigmill_valid(alg, key, message, signature)` is a BOOLEAN, `sigmill_reason(...)` a VARCHAR,
    NULL if the signature is valid. `sigmill_valid_digest` and `sigmill_reason_digest` accept
    digests instead of messages. `alg` is a VARCHAR as in `Engine.verify`, the others are BLOBs. A
    row with a NULL is not valid ("key-null"); the result is never NULL for it. A row with an
    unknown algorithm is not valid either ("algorithm-unknown").

    Text must be passed as `encode(text)`. The cast `text::BLOB` reads `\\x31` in it as the byte
    `1`.
    """
    # DuckDB runs functions on its own threads.
    shared = Engine(threads=1) if engine is None else engine
    for inputs, suffix in (("messages", ""), ("digests", "_digest")):
        for column, kind in (("valid", "BOOLEAN"), ("reason", "VARCHAR")):
            # DuckDB's type stubs do not know functions on Arrow columns.
            create: Any = connection.create_function
            create(
                f"sigmill_{column}{suffix}",
                _function(shared, inputs, column),
                ["VARCHAR", "BLOB", "BLOB", "BLOB"],
                kind,
                type="arrow",
                null_handling="special",
            )
    return shared
