"""Frames of Spark, verified where they lie: `sigmill.spark.verify(frame, "ES256", message="text")`.

Every Python worker makes one engine, and keeps it, with the keys that it remembers, for all its
tasks (`spark.python.worker.reuse`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sigmill._sigmill import Engine

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["verify"]


@cache
def _engine(key_memory: int, window: int, policy: Any, batch: bool) -> Engine:
    """The engine of this worker; Spark has a worker for each core, so it has one thread."""
    return Engine(threads=1, key_memory=key_memory, window=window, policy=policy, batch=batch)


@dataclass(frozen=True)
class _Judge:
    """What a worker does with its batches. A class of this module, so that workers import it, and
    with it the engine that is there, rather than get a copy of it with each task.
    """

    alg: str
    columns: tuple[str, str, str]
    keys: dict[str, bytes] | None
    inputs: str
    format: Any
    reason: str
    engine: tuple[int, int, Any, bool]

    def judge(self, keys: pa.Array, inputs: pa.Array, signatures: pa.Array) -> pa.Array:
        """Why each row is rejected; null where it is valid."""
        columns: Any = {self.inputs: inputs, "signatures": signatures}
        engine = _engine(*self.engine)
        verdicts = engine.verify(self.alg, self._keys(keys), format=self.format, **columns)
        return pa.record_batch(verdicts).column("reason").cast(pa.string())

    def batches(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The same of whole rows, for a Spark without functions on Arrow columns (4.0)."""
        for batch in batches:
            columns = [batch.column(name) for name in self.columns]
            arrays = [*batch.columns, self.judge(*columns)]
            yield pa.RecordBatch.from_arrays(arrays, [*batch.schema.names, self.reason])

    def _keys(self, names: pa.Array) -> pa.Array:
        """The keys themselves, each once, if the column only names them."""
        if self.keys is None:
            return names
        encoded = names.dictionary_encode()
        found = [self.keys.get(name) for name in encoded.dictionary.to_pylist()]
        return pa.DictionaryArray.from_arrays(encoded.indices, pa.array(found, pa.binary()))


def verify(
    frame: DataFrame,
    alg: str,
    *,
    key: str = "key",
    message: str | None = None,
    digest: str | None = None,
    signature: str = "signature",
    keys: Mapping[str, bytes] | None = None,
    format: Any = "auto",
    valid: str = "valid",
    reason: str = "reason",
    key_memory: int = 256 << 20,
    window: int = 10,
    policy: Any = "default",
    batch: bool = False,
) -> DataFrame:
    """The frame with two columns more: whether each row is valid, and why not (null where it is).

    `key`, `message` or `digest`, and `signature` are names of columns, of bytes. Where few keys
    sign many rows, `keys` maps the values of the column `key`, of text, to the encoded keys, which
    go to every worker once; a name that is not there is rejected as "key-null". The other
    arguments are those of `Engine` and `Engine.verify`; `key_memory` is that of each worker.
    """
    if (message is None) == (digest is None):
        raise TypeError("one of message and digest must be given, and not both")
    signed = digest if message is None else message
    assert signed is not None
    for argument, name in (("key", key), ("signed", signed), ("signature", signature)):
        if name not in frame.columns:
            raise ValueError(f"{argument}: there must be a column {name!r}")
    for argument, name in (("valid", valid), ("reason", reason)):
        if name in frame.columns:
            raise ValueError(f"{argument}: there is a column {name!r}")
    # Said here, and not by the first task.
    Engine(threads=1, key_memory=0, window=window, policy=policy).explain(
        alg, [b""], digests=b"x", signatures=[b""], format=format
    )
    judge = _Judge(
        alg=alg,
        columns=(key, signed, signature),
        keys=None if keys is None else dict(keys),
        inputs="digests" if message is None else "messages",
        format=format,
        reason=reason,
        engine=(key_memory, window, policy, batch),
    )
    judged = _judged(frame, judge)
    columns = [_column(name) for name in frame.columns]
    return judged.select(*columns, _column(reason).isNull().alias(valid), _column(reason))


def _column(name: str) -> Any:
    """A column by its name, whatever signs that has."""
    from pyspark.sql.functions import col

    return col("`" + name.replace("`", "``") + "`")


def _judged(frame: DataFrame, judge: _Judge) -> DataFrame:
    """The frame with the column of reasons more."""
    import pyspark.sql.functions
    from pyspark.sql.types import StringType, StructField, StructType

    # Only what is judged goes to the workers, and only reasons come back.
    arrow_udf = getattr(pyspark.sql.functions, "arrow_udf", None)
    if arrow_udf is None:
        fields = [*frame.schema.fields, StructField(judge.reason, StringType(), True)]
        return frame.mapInArrow(judge.batches, StructType(fields))
    # What is deterministic Spark may compute once for the column and again for a filter on it.
    function = arrow_udf(judge.judge, StringType()).asNondeterministic()
    return frame.select("*", function(*map(_column, judge.columns)).alias(judge.reason))
