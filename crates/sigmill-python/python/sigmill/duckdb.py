"""Functions of SQL for DuckDB: `sigmill.duckdb.register(connection)`.

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

__all__ = ["register"]


def _judge(
    engine: Engine, inputs: str, column: str, algs: Any, keys: Any, signed: Any, signatures: Any
) -> pa.Array:
    """The column of verdicts of a batch, each row by its own algorithm."""
    names = pc.unique(algs).to_pylist()
    if len(names) == 1 and names[0] is not None:
        columns: Any = {inputs: signed, "signatures": signatures}
        verdicts = engine.verify(names[0], keys, **columns).to_pyarrow()[column]
        return verdicts.combine_chunks().cast(pa.string() if column == "reason" else pa.bool_())
    out: list[Any] = [None] * len(algs)
    for name in names:
        is_its = pc.is_null(algs) if name is None else pc.fill_null(pc.equal(algs, name), False)
        rows = pc.indices_nonzero(is_its)
        if name is None:
            judged: list[Any] = ["algorithm-null" if column == "reason" else False] * len(rows)
        else:
            columns = {inputs: signed.take(rows), "signatures": signatures.take(rows)}
            judged = (
                engine.verify(name, keys.take(rows), **columns).to_pyarrow()[column].to_pylist()
            )
        for row, verdict in zip(rows.to_pylist(), judged, strict=True):
            out[row] = verdict
    return pa.array(out, pa.string() if column == "reason" else pa.bool_())


def _function(engine: Engine, inputs: str, column: str) -> Callable[[Any, Any, Any, Any], pa.Array]:
    """A function of four columns, as DuckDB counts them."""

    def judge(algs: Any, keys: Any, signed: Any, signatures: Any) -> pa.Array:
        return _judge(engine, inputs, column, algs, keys, signed, signatures)

    return judge


def register(connection: duckdb.DuckDBPyConnection, engine: Engine | None = None) -> Engine:
    """Registers four functions, and gives the engine that they share.

    `sigmill_valid(alg, key, message, signature)` is a BOOLEAN, `sigmill_reason(...)` a VARCHAR,
    NULL where the signature is valid; `sigmill_valid_digest` and `sigmill_reason_digest` take
    digests in place of messages. `alg` is a VARCHAR as of `Engine.verify`, the others are BLOBs. A
    NULL makes a row that is not valid ("key-null"), in place of NULL.
    """
    # DuckDB runs functions in threads of its own.
    shared = Engine(threads=1) if engine is None else engine
    for inputs, suffix in (("messages", ""), ("digests", "_digest")):
        for column, kind in (("valid", "BOOLEAN"), ("reason", "VARCHAR")):
            # Its types know of no functions on columns of Arrow.
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
