"""Columns of 2^31 bytes, and columns that claim more rows than fit in memory."""

from __future__ import annotations

import struct
import subprocess
import sys
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import sigmill
from c_data import Arrays, Made


def column(kind: Any, code: str, values: list[bytes], end: int) -> pa.Array:
    """The first value, a null, and the other values at the end of a buffer of the given length.

    Untouched pages use no memory: they are mapped, and nothing reads them.
    """
    first, *others = values
    last = b"".join(others)
    memory = np.zeros(end, np.uint8)
    memory[: len(first)] = np.frombuffer(first, np.uint8)
    memory[end - len(last) :] = np.frombuffer(last, np.uint8)
    offsets = [0, len(first), end - len(last)]
    for value in others:
        offsets.append(offsets[-1] + len(value))
    buffers = [
        pa.py_buffer(b"\xfd"),
        pa.py_buffer(struct.pack(f"{len(offsets)}{code}", *offsets)),
        pa.py_buffer(memory),
    ]
    return pa.Array.from_buffers(kind, len(values) + 1, buffers, null_count=1)


@pytest.mark.parametrize(
    ("bytes_", "texts", "code", "end"),
    [
        (pa.binary(), pa.string(), "i", 2**31 - 1),
        (pa.large_binary(), pa.large_string(), "q", 2**31),
        (pa.large_binary(), pa.large_string(), "q", 2**32 + 7),
    ],
)
def test_columns_of_so_many_bytes(bytes_: Any, texts: Any, code: str, end: int) -> None:
    key = sigmill.SigningKey.generate("P-256")
    other = sigmill.SigningKey.generate("P-256").public_key()
    messages = [b"first", b"second", b"third"]
    keys = [key.public_key(), key.public_key(), other]
    pems = column(texts, code, [key.to_pem().encode() for key in keys], end)
    ders = column(bytes_, code, [key.to_der() for key in keys], end)
    columns: dict[str, Any] = {
        "messages": column(bytes_, code, messages, end),
        "signatures": column(bytes_, code, [key.sign(message) for message in messages], end),
    }
    engine = sigmill.Engine(threads=1)
    for given in (pems, ders):
        verdicts = engine.verify("ES256", given, **columns)
        assert list(verdicts) == [None, "key-null", None, "signature-mismatch"]
        # Values beyond the last 32-bit offset, in a slice.
        late = {name: values.slice(2) for name, values in columns.items()}
        verdicts = engine.verify("ES256", given.slice(2), **late)
        assert list(verdicts) == [None, "signature-mismatch"]
    signed = engine.sign(key, messages=columns["messages"]).to_pyarrow()["signature"]
    assert signed[2].as_py() == key.sign(b"second")
    assert signed.null_count == 1


def test_columns_of_type_null(engine: sigmill.Engine) -> None:
    key = sigmill.SigningKey.generate("P-256")
    none, chunks = pa.nulls(5), pa.chunked_array([pa.nulls(2), pa.nulls(3)])
    for given in (none, chunks, none.slice(0, 5)):
        verdicts = engine.verify("ES256", given, messages=b"m", signatures=[b"s"] * 5)
        assert list(verdicts) == ["key-null"] * 5
        verdicts = engine.verify("ES256", key.public_key(), messages=given, signatures=given)
        assert set(verdicts) == {"input-null"}
        assert list(engine.sign(key, messages=given)) == ["input-null"] * 5
        recovered = engine.recover("ES256", digests=given, signatures=[bytes(65)] * 5)
        assert set(recovered) == {"input-null"}
    indices = pa.DictionaryArray.from_arrays(pa.array([1, 0, None]), pa.nulls(2))
    verdicts = engine.verify("ES256", indices, messages=b"m", signatures=[b"s"] * 3)
    assert list(verdicts) == ["key-null"] * 3
    with pytest.raises(sigmill.ColumnError, match="signatures: the column must have 4 rows"):
        engine.verify("ES256", pa.nulls(4), messages=b"m", signatures=pa.nulls(5))


def claim(rows: int) -> Made:
    """An array of type null that costs its producer nothing."""
    return Made(format=b"n", length=rows, null_count=rows)


def test_claims_of_rows_are_refused(engine: sigmill.Engine) -> None:
    few = [b"x"] * 3
    for rows in (2**33, 2**40, 2**57):
        made: list[Any] = [claim(rows), Arrays(claim(rows), [claim(rows), claim(rows)])]
        for keys in made:
            with pytest.raises(sigmill.ColumnError, match="the column must have"):
                engine.verify("ES256", keys, digests=b"x", signatures=few)
    key = sigmill.SigningKey.generate("P-256")
    for rows in (2**40, 2**57):
        with pytest.raises(sigmill.ColumnError, match=f"not enough memory for {rows} rows"):
            engine.verify("ES256", claim(rows), digests=b"x", signatures=claim(rows))
        with pytest.raises(sigmill.ColumnError, match=f"not enough memory for {rows} rows"):
            engine.recover("ES256", digests=claim(rows), signatures=claim(rows))
        with pytest.raises(sigmill.ColumnError, match=f"not enough memory for {rows} rows"):
            engine.sign(key, digests=claim(rows))


def test_nulls_take_no_more_than_verdicts() -> None:
    code = """
import resource, pyarrow as pa, sigmill
engine = sigmill.Engine(threads=1)
def judge(rows):
    nulls = pa.chunked_array([pa.nulls(rows // 2), pa.nulls(rows // 2)])
    verdicts = engine.verify("ES256", nulls, digests=b"x", signatures=pa.nulls(rows))
    assert verdicts.reasons == {"key-null": rows}
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
few = judge(100_000)
print((judge(20_000_000) - few) / 20_000_000)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # The engine's documented memory, and the columns of the result; nothing for the nulls.
    assert float(done.stdout) < 48
