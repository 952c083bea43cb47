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
    key: str
    keys: dict[str, bytes] | None
    inputs: str
    signed: str
    signature: str
    format: Any
    names: tuple[str, str]
    engine: tuple[int, int, Any, bool]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        engine = _engine(*self.engine)
        for batch in batches:
            columns: Any = {
                self.inputs: batch.column(self.signed),
                "signatures": batch.column(self.signature),
            }
            keys = self._keys(batch.column(self.key))
            verdicts = engine.verify(self.alg, keys, format=self.format, **columns)
            judged = pa.record_batch(verdicts)
            valid, reason = judged.column("valid"), judged.column("reason").cast(pa.string())
            arrays = [*batch.columns, valid, reason]
            yield pa.RecordBatch.from_arrays(arrays, [*batch.schema.names, *self.names])

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
    from pyspark.sql.types import BooleanType, StringType, StructField, StructType

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
        key=key,
        keys=None if keys is None else dict(keys),
        inputs="digests" if message is None else "messages",
        signed=signed,
        signature=signature,
        format=format,
        names=(valid, reason),
        engine=(key_memory, window, policy, batch),
    )
    fields = [
        *frame.schema.fields,
        StructField(valid, BooleanType(), False),
        StructField(reason, StringType(), True),
    ]
    return frame.mapInArrow(judge, StructType(fields))
