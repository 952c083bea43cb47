"""Columns in every container listed in docs/python.md."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import nanoarrow
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sigmill
from conftest import Rows

Make = Callable[[list[bytes]], Any]


def fixed(values: list[bytes]) -> pa.Array:
    return pa.array(values, pa.binary(len(values[0])))


def sliced(values: list[bytes]) -> pa.Array:
    padded = pa.array([b"x" * 70, None, b"", *values, b"y"], pa.binary())
    return padded.slice(3, len(values))


def sliced_fixed(values: list[bytes]) -> pa.Array:
    width = len(values[0])
    padded = pa.array([bytes(width), None, *values, bytes(width)], pa.binary(width))
    return padded.slice(2, len(values))


def chunked(values: list[bytes], kind: pa.DataType | None = None) -> pa.ChunkedArray:
    kind = kind or pa.binary()
    chunks = [values[:1], [], values[1:100], values[100:]]
    return pa.chunked_array([pa.array(chunk, kind) for chunk in chunks])


def chunked_dictionary(values: list[bytes]) -> pa.ChunkedArray:
    chunks = [values[:50], values[50:51], values[51:]]
    return pa.chunked_array([pa.array(chunk, pa.binary()).dictionary_encode() for chunk in chunks])


CONTAINERS: dict[str, Make] = {
    "list": list,
    "tuple": tuple,
    "bytearrays": lambda values: [bytearray(value) for value in values],
    "binary": lambda values: pa.array(values, pa.binary()),
    "large_binary": lambda values: pa.array(values, pa.large_binary()),
    "binary_view": lambda values: pa.array(values, pa.binary_view()),
    "fixed": fixed,
    "sliced": sliced,
    "sliced_fixed": sliced_fixed,
    "sliced_view": lambda values: sliced(values).cast(pa.binary_view()),
    "dictionary": lambda values: pa.array(values, pa.binary()).dictionary_encode(),
    "dictionary_int8": lambda values: (
        pa.DictionaryArray.from_arrays(
            pa.array(np.arange(len(values)) % 100, pa.int8()), pa.array(values[:100], pa.binary())
        )
        if len(set(values)) <= 100 and values == [values[i % 100] for i in range(len(values))]
        else pa.array(values, pa.binary()).dictionary_encode()
    ),
    "chunked": chunked,
    "chunked_view": lambda values: chunked(values, pa.binary_view()),
    "chunked_fixed": lambda values: chunked(values, pa.binary(len(values[0]))),
    "chunked_dictionary": chunked_dictionary,
    "table": lambda values: pa.table({"only": values}),
    "record batch": lambda values: pa.record_batch({"only": pa.array(values, pa.binary())}).slice(
        0
    ),
    "nanoarrow": lambda values: nanoarrow.c_array(pa.array(values, pa.binary())),
    "polars": lambda values: pl.Series(values, dtype=pl.Binary),
    "polars frame": lambda values: pl.DataFrame({"only": values}),
    "polars chunks": lambda values: pl.concat(
        [pl.Series(values[:9]), pl.Series(values[9:])], rechunk=False
    ),
    "pandas arrow": lambda values: pd.Series(values, dtype=pd.ArrowDtype(pa.binary())),
    "pandas object": lambda values: pd.Series(values, dtype=object),
    "pandas frame": lambda values: pd.DataFrame({"only": pd.Series(values, dtype=object)}),
    "numpy V": lambda values: np.array(values, dtype=f"V{len(values[0])}"),
    "numpy S": lambda values: np.array(values, dtype=f"S{len(values[0])}"),
    "numpy uint8": lambda values: np.frombuffer(b"".join(values), np.uint8).reshape(
        len(values), -1
    ),
    "memoryview": lambda values: memoryview(b"".join(values)).cast(
        "B", (len(values), len(values[0]))
    ),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_verdicts_are_the_same_in_every_container(
    rows: Rows, engine: sigmill.Engine, name: str
) -> None:
    make = CONTAINERS[name]
    keys, digests, signatures = make(rows.keys), make(rows.digests), make(rows.signatures)
    verdicts = engine.verify("ES256", keys, digests=digests, signatures=signatures)
    assert list(verdicts) == rows.reasons
    # Each together with lists.
    for columns in (
        (keys, rows.digests, rows.signatures),
        (rows.keys, digests, rows.signatures),
        (rows.keys, rows.digests, signatures),
    ):
        k, d, s = columns
        assert list(engine.verify("ES256", k, digests=d, signatures=s)) == rows.reasons


def test_duckdb(rows: Rows, engine: sigmill.Engine) -> None:
    table = pa.table({"key": rows.keys, "message": rows.messages, "signature": rows.signatures})
    connection = duckdb.connect()
    connection.register("signed", table)
    relation = connection.sql("select * from signed")
    verdicts = engine.verify_table("ES256", relation, messages="message")
    assert list(verdicts) == rows.reasons
    columns = [connection.sql(f"select {name} from signed") for name in table.column_names]
    verdicts = engine.verify("ES256", columns[0], messages=columns[1], signatures=columns[2])
    assert list(verdicts) == rows.reasons
    # Back into SQL, by the name of a variable.
    result = verdicts.to_pyarrow()
    connection.register("verdicts", result)
    counts = connection.sql(
        "select coalesce(reason, 'valid'), count(*) from verdicts where not valid group by 1"
    ).fetchall()
    assert dict(counts) == verdicts.reasons


def test_tables_by_name(rows: Rows, engine: sigmill.Engine) -> None:
    columns: dict[str, Any] = {
        "id": list(range(len(rows))),
        "signer": rows.keys,
        "digest": rows.digests,
        "sig": rows.signatures,
    }
    table = pa.table(columns)
    batches = pa.Table.from_batches(table.to_batches(max_chunksize=64))
    for given in (table, batches, pl.DataFrame(columns), batches.slice(0), pd.DataFrame(columns)):
        verdicts = engine.verify_table(
            "ES256", given, keys="signer", digests="digest", signatures="sig"
        )
        assert list(verdicts) == rows.reasons
    part = batches.slice(50, 120)
    verdicts = engine.verify_table("ES256", part, keys="signer", digests="digest", signatures="sig")
    assert list(verdicts) == rows.reasons[50:170]
    batch = table.to_batches()[0].slice(7, 30)
    struct = batch.to_struct_array()
    for given in (batch, struct):
        verdicts = engine.verify_table(
            "ES256", given, keys="signer", digests="digest", signatures="sig"
        )
        assert list(verdicts) == rows.reasons[7:37]
    with pytest.raises(sigmill.ColumnError, match='keys: no column "key"'):
        engine.verify_table("ES256", table, digests="digest", signatures="sig")
    twice = pa.table([table["signer"]] * 2 + [table["digest"]], names=["key", "key", "digest"])
    with pytest.raises(sigmill.ColumnError, match="keys: there must be one column"):
        engine.verify_table("ES256", twice, digests="digest", signatures="digest")
    with pytest.raises(sigmill.ColumnError, match="table: must have __arrow_c_stream__"):
        engine.verify_table("ES256", columns, digests="digest")  # type: ignore[arg-type]
    with pytest.raises(sigmill.ColumnError, match="keys: must be a table"):
        engine.verify_table("ES256", table["signer"], digests="digest")


def test_one_value_for_all_rows(engine: sigmill.Engine) -> None:
    key = sigmill.SigningKey.generate("P-256")
    public = key.public_key()
    signatures = [key.sign(b"hello"), key.sign(b"other"), key.sign(b"hello")]
    expected = [None, "signature-mismatch", None]
    one: list[Any] = [public, public.to_sec1(), public.to_der(), public.to_pem(), public.to_jwk()]
    for keys in [*one, [public] * 3, [public.to_pem()] * 3]:
        verdicts = engine.verify("ES256", keys, messages=b"hello", signatures=signatures)
        assert list(verdicts) == expected
    text = pa.array([public.to_pem()] * 3)
    assert list(engine.verify("ES256", text, messages=b"hello", signatures=signatures)) == expected
    frame = pl.Series([public.to_jwk()] * 3)
    assert list(engine.verify("ES256", frame, messages=b"hello", signatures=signatures)) == expected
    with pytest.raises(sigmill.ColumnError, match="rows: at least one column"):
        engine.verify("ES256", public, messages=b"hello", signatures=signatures[0])


def test_nulls_are_verdicts(engine: sigmill.Engine) -> None:
    key = sigmill.SigningKey.generate("P-256")
    point, signature = key.public_key().to_sec1(), key.sign(b"hello")
    columns: list[list[bytes | None]] = [
        [point, None, point, point],
        [b"hello", b"hello", None, b"hello"],
        [signature, signature, signature, None],
    ]
    expected = [None, "key-null", "input-null", "signature-null"]
    ways: list[Callable[[list[bytes | None]], Any]] = [
        list,
        lambda values: pa.array(values, pa.binary()),
        lambda values: pa.array(values, pa.large_binary()),
        lambda values: pa.array(values, pa.binary_view()),
        lambda values: pa.array(values, pa.binary()).dictionary_encode(),
        lambda values: pa.chunked_array(
            [pa.array(values[:2], pa.binary()), pa.array(values[2:], pa.binary())]
        ),
        lambda values: pa.chunked_array(
            [
                pa.array(values[:2], pa.binary()).dictionary_encode(),
                pa.array(values[2:], pa.binary()).dictionary_encode(),
            ]
        ),
        lambda values: pl.Series(values, dtype=pl.Binary),
        lambda values: pd.Series(values, dtype=object),
        lambda values: pa.array([b"pad", *values, None], pa.binary()).slice(1, 4),
    ]
    for way in ways:
        keys, messages, signatures = (way(column) for column in columns)
        verdicts = engine.verify("ES256", keys, messages=messages, signatures=signatures)
        assert list(verdicts) == expected
        assert verdicts.to_pyarrow()["valid"].to_pylist() == [True, False, False, False]
    nulls = engine.verify("ES256", pa.nulls(4), messages=columns[1], signatures=columns[2])
    assert nulls.reasons == {"key-null": 4}
    # The null is in the dictionary.
    dictionary = pa.DictionaryArray.from_arrays([0, 1, 0, 0], pa.array([point, None], pa.binary()))
    verdicts = engine.verify("ES256", dictionary, messages=b"hello", signatures=[signature] * 4)
    assert list(verdicts) == [None, "key-null", None, None]


def test_zero_rows(engine: sigmill.Engine) -> None:
    empty: list[Any] = [
        [],
        (),
        pa.array([], pa.binary()),
        pa.array([], pa.binary_view()),
        pa.array([], pa.binary(64)),
        pa.array([b"x"], pa.binary()).slice(1),
        pa.array([], pa.binary()).dictionary_encode(),
        pa.chunked_array([], pa.binary()),
        pl.Series([], dtype=pl.Binary),
        np.zeros((0, 64), np.uint8),
        np.zeros(0, "V64"),
    ]
    for column in empty:
        verdicts = engine.verify("ES256", column, messages=column, signatures=column)
        assert (len(verdicts), verdicts.all_valid, verdicts.reasons) == (0, True, {})
        assert verdicts.to_pyarrow().num_rows == 0
        assert len(engine.recover("ES256K", messages=column, signatures=column)) == 0


def test_results_go_anywhere(rows: Rows, engine: sigmill.Engine) -> None:
    verdicts = engine.verify(
        "ES256", rows.keys, digests=rows.digests, signatures=rows.signatures, want_hints=True
    )
    expected = [reason is None for reason in rows.reasons]
    table = pa.table(verdicts)
    assert table == verdicts.to_pyarrow()
    assert table.schema.field("valid").type == pa.bool_()
    assert table.schema.field("reason").type == pa.dictionary(pa.int16(), pa.string())
    assert table.schema.field("hint").type == pa.uint8()
    assert pa.record_batch(verdicts).num_rows == len(rows)
    assert pa.schema(verdicts) == table.schema
    assert table["valid"].to_pylist() == expected
    assert table["reason"].to_pylist() == rows.reasons
    frame = verdicts.to_polars()
    assert frame["valid"].to_list() == expected
    assert frame["reason"].cast(pl.String).to_list() == rows.reasons
    pandas = verdicts.to_pandas()
    assert pandas["valid"].tolist() == expected
    assert nanoarrow.c_array(verdicts).length == len(rows)
    # The buffers are shared, not copied.
    again = pa.table(verdicts)["valid"].chunk(0).buffers()[1]
    assert again is not None
    assert again.address == table["valid"].chunk(0).buffers()[1].address
    assert len(verdicts) == len(rows)
    assert verdicts[-1] == rows.reasons[-1]
    with pytest.raises(IndexError):
        verdicts[len(rows)]
    bad = rows.reasons.index("r-zero")
    assert "r must be" in (verdicts.message(bad) or "")
    assert verdicts.message(0) is None
    assert verdicts.valid + verdicts.rejected == len(rows)
    assert sum(verdicts.reasons.values()) == verdicts.rejected
    assert "r-zero" in repr(verdicts)
    assert "<td>r-zero</td>" in verdicts._repr_html_()
