"""Spark frames, verified in the workers: `sigmill.spark.verify(frame, "ES256", message="text")`.

Every Python worker creates one engine. It keeps the engine, with the keys that it remembers, for
all its tasks (`spark.python.worker.reuse`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.dataset
import pyarrow.fs
import pyarrow.parquet as pq

from sigmill._sigmill import Engine

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["verify", "verify_parquet"]


@cache
def _engine(key_memory: int, window: int, policy: Any, batch: bool) -> Engine:
    """The engine of this worker: with one thread, as Spark has a worker for each core."""
    return Engine(threads=1, key_memory=key_memory, window=window, policy=policy, batch=batch)


@dataclass(frozen=True)
class _Judge:
    """A worker's job on its batches. It is a class of this module, so that workers import the
    module with its existing engine, instead of receiving a copy with each task.
    """

    alg: str
    columns: tuple[str, str, str]
    keys: dict[str, bytes] | None
    inputs: str
    format: Any
    reason: str
    engine: tuple[int, int, Any, bool]

    @classmethod
    def of(
        cls,
        columns: Sequence[str],
        *,
        alg: str,
        names: tuple[str, str | None, str | None, str],
        keys: Mapping[str, bytes] | None,
        format: Any,
        made: tuple[str, str],
        engine: tuple[int, int, Any, bool],
    ) -> _Judge:
        """The job of a call, for a table with these columns. Errors are raised here, and not in
        the first task.
        """
        key, message, digest, signature = names
        if (message is None) == (digest is None):
            raise TypeError("exactly one of message and digest must be given")
        signed = digest if message is None else message
        assert signed is not None
        for argument, name in (("key", key), ("signed", signed), ("signature", signature)):
            if name not in columns:
                raise ValueError(f"{argument}: no column {name!r}")
        for argument, name in zip(("valid", "reason"), made, strict=True):
            if name in columns:
                raise ValueError(f"{argument}: column exists already: {name!r}")
        _, window, policy, _ = engine
        Engine(threads=1, key_memory=0, window=window, policy=policy).explain(
            alg, [b""], digests=b"x", signatures=[b""], format=format
        )
        return cls(
            alg=alg,
            columns=(key, signed, signature),
            keys=None if keys is None else dict(keys),
            inputs="digests" if message is None else "messages",
            format=format,
            reason=made[1],
            engine=engine,
        )

    def judge(self, keys: pa.Array, inputs: pa.Array, signatures: pa.Array) -> pa.Array:
        """The reason why each row is rejected; null if valid."""
        columns: Any = {self.inputs: inputs, "signatures": signatures}
        engine = _engine(*self.engine)
        verdicts = engine.verify(self.alg, self._keys(keys), format=self.format, **columns)
        return pa.record_batch(verdicts).column("reason").cast(pa.string())

    def batches(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The same for whole rows, for a Spark without functions on Arrow columns (4.0)."""
        for batch in batches:
            columns = [batch.column(name) for name in self.columns]
            arrays = [*batch.columns, self.judge(*columns)]
            yield pa.RecordBatch.from_arrays(arrays, [*batch.schema.names, self.reason])

    def _keys(self, names: pa.Array) -> pa.Array:
        """Maps names to keys, each key once, if the column only holds names."""
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
    """Adds two columns to the frame: whether each row is valid, and the reason if not (else null).

    `key`, `message` or `digest`, and `signature` are names of columns of bytes. If few keys sign
    many rows, pass `keys`: it maps the values of the column `key`, of text, to the encoded keys,
    which go to every worker once. An unknown name is rejected as "key-null". The other arguments
    are those of `Engine` and `Engine.verify`; `key_memory` is per worker.
    """
    judge = _Judge.of(
        frame.columns,
        alg=alg,
        names=(key, message, digest, signature),
        keys=keys,
        format=format,
        made=(valid, reason),
        engine=(key_memory, window, policy, batch),
    )
    judged = _judged(frame, judge)
    columns = [_column(name) for name in frame.columns]
    return judged.select(*columns, _column(reason).isNull().alias(valid), _column(reason))


def _column(name: str) -> Any:
    """A column by name, with any characters in it."""
    from pyspark.sql.functions import col

    return col("`" + name.replace("`", "``") + "`")


def _judged(frame: DataFrame, judge: _Judge) -> DataFrame:
    """The frame with the column of reasons added."""
    import pyspark.sql.functions
    from pyspark.sql.types import StringType, StructField, StructType

    # Only the judged columns go to the workers, and only reasons come back.
    arrow_udf = getattr(pyspark.sql.functions, "arrow_udf", None)
    if arrow_udf is None:
        fields = [*frame.schema.fields, StructField(judge.reason, StringType(), True)]
        return frame.mapInArrow(judge.batches, StructType(fields))
    # Spark may compute a deterministic function once for the column and again for a filter on it.
    function = arrow_udf(judge.judge, StringType()).asNondeterministic()
    return frame.select("*", function(*map(_column, judge.columns)).alias(judge.reason))


def _open(path: str) -> tuple[pyarrow.fs.FileSystem, str]:
    """The file system of a URI or of a local path, and the path in it."""
    if "://" in path:
        found: tuple[pyarrow.fs.FileSystem, str] = pyarrow.fs.FileSystem.from_uri(path)
        return found
    return pyarrow.fs.LocalFileSystem(), os.path.abspath(path)


@dataclass(frozen=True)
class _Reader:
    """A worker's job on names of files and of row groups in them."""

    path: str
    judge: _Judge
    schema: pa.Schema
    rejected_only: bool
    rows: int

    def __call__(self, groups: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        files, _ = _open(self.path)
        wanted = self.schema.names[:-2]
        columns = list(dict.fromkeys([*wanted, *self.judge.columns]))
        for group in (group for batch in groups for group in batch.to_pylist()):
            with pq.ParquetFile(group["file"], filesystem=files) as file:
                batches = file.iter_batches(
                    self.rows, row_groups=[group["part"]], columns=columns, use_threads=False
                )
                for batch in batches:
                    reasons = self.judge.judge(*map(batch.column, self.judge.columns))
                    arrays = [*map(batch.column, wanted), reasons.is_null(), reasons]
                    casts = zip(arrays, self.schema.types, strict=True)
                    arrays = [array.cast(kind) for array, kind in casts]
                    judged = pa.RecordBatch.from_arrays(arrays, schema=self.schema)
                    yield judged.filter(reasons.is_valid()) if self.rejected_only else judged


def verify_parquet(
    spark: SparkSession,
    path: str,
    alg: str,
    *,
    columns: Sequence[str] | None = None,
    rejected_only: bool = False,
    rows: int = 65_536,
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
    """The rows of Parquet files with the columns that `verify` adds. The Python workers read the
    files, so Java never handles columns that are only judged.

    `path` is a file, or a folder of files of one schema: a URI that pyarrow supports (`s3://`,
    `hdfs://`), or a path that is the same on every machine. A task is a row group. `columns` are
    the columns of the result, by default all of the files; the judged columns need not be among
    them. `rejected_only` omits valid rows. `rows` is the number of rows judged together. The other
    arguments are those of `verify`.
    """
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
    from pyspark.sql.types import BooleanType, StringType, StructField, StructType

    files, inside = _open(path)
    dataset = pyarrow.dataset.dataset(inside, filesystem=files, format="parquet")
    judge = _Judge.of(
        dataset.schema.names,
        alg=alg,
        names=(key, message, digest, signature),
        keys=keys,
        format=format,
        made=(valid, reason),
        engine=(key_memory, window, policy, batch),
    )
    wanted = dataset.schema.names if columns is None else list(columns)
    for name in wanted:
        if name not in dataset.schema.names:
            raise ValueError(f"columns: no column {name!r}")
    if rows < 1:
        raise ValueError("rows: must be at least 1")
    fields = [*from_arrow_schema(pa.schema([dataset.schema.field(name) for name in wanted])).fields]
    fields += [StructField(valid, BooleanType(), False), StructField(reason, StringType(), True)]
    made = StructType(fields)
    groups = [
        (fragment.path, group.id)
        for fragment in dataset.get_fragments()
        for group in fragment.row_groups
    ]
    reader = _Reader(path, judge, to_arrow_schema(made), rejected_only, rows)
    frame = spark.createDataFrame(groups, "file string, part int")
    return frame.repartition(max(len(groups), 1)).mapInArrow(reader, made)
