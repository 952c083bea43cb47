"""Columns of different lengths form no rows, in any interface; nulls stay in their rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sigmill
from conftest import Rows
from test_columns import CONTAINERS

NAMES = ["keys", "digests", "signatures"]


def columns_of(rows: Rows, count: int) -> dict[str, list[bytes]]:
    return {
        "keys": rows.keys[:count],
        "digests": rows.digests[:count],
        "signatures": rows.signatures[:count],
    }


@pytest.fixture(scope="module")
def four() -> dict[str, list[bytes]]:
    """Four rows with one key and one digest; the first is valid."""
    key = sigmill.SigningKey.from_scalar("P-256", bytes(31) + b"\x07")
    signature = key.sign_prehash(b"d" * 32, format="p1363")
    return {
        "keys": [key.public_key().to_sec1()] * 4,
        "digests": [b"d" * 32] * 4,
        "signatures": [signature] + [bytes([i]) * 64 for i in (1, 2, 3)],
    }


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("name", NAMES)
def test_shorter_and_longer_columns(
    four: dict[str, list[bytes]], engine: sigmill.Engine, container: str, name: str
) -> None:
    make = CONTAINERS[container]
    columns: dict[str, Any] = {column: make(values) for column, values in four.items()}
    assert list(engine.verify("ES256", **columns)) == [None] + ["signature-mismatch"] * 3
    # Dropped nulls, down to one value, and one value too many.
    for length in (3, 2, 1, 5):
        changed = columns | {name: make((four[name] * 2)[:length])}
        with pytest.raises(sigmill.ColumnError, match=r"must have . rows as those before it"):
            engine.verify("ES256", **changed)
        with pytest.raises(sigmill.ColumnError, match=r"must have . rows as those before it"):
            engine.explain("ES256", **changed)


def test_empty_columns_hints_and_recovery(
    four: dict[str, list[bytes]], engine: sigmill.Engine
) -> None:
    for name in NAMES:
        empties: list[Any] = [[], pa.array([], pa.binary()), np.zeros((0, 64), np.uint8)]
        for empty in empties:
            with pytest.raises(sigmill.ColumnError, match="rows as those before it"):
                engine.verify("ES256", **(four | {name: empty}))
    for hints in ([0], [0] * 3, [0] * 5, np.zeros(3, np.uint8), pa.array([0, 0, 0], pa.uint8())):
        with pytest.raises(sigmill.ColumnError, match=r"hints: .* must have 4 rows"):
            engine.verify("ES256", hints=hints, **four)  # type: ignore[arg-type]
    for length in (1, 3, 5):
        with pytest.raises(sigmill.ColumnError, match=r"signatures: .* must have 4 rows"):
            engine.recover("ES256K", digests=four["digests"], signatures=[bytes(65)] * length)


def chunks(values: list[Any], ends: list[int], kind: Any) -> pa.ChunkedArray:
    parts = np.split(np.arange(len(values)), ends)
    return pa.chunked_array([kind([values[i] for i in part]) for part in parts])


@pytest.mark.parametrize(
    "kind",
    [
        lambda values: pa.array(values, pa.binary()),
        lambda values: pa.array(values, pa.binary_view()),
        lambda values: pa.array(values, pa.binary()).dictionary_encode(),
        lambda values: pa.array([b"-", *values, b"-"], pa.binary()).slice(1, len(values)),
    ],
)
def test_chunks_that_end_elsewhere(
    rows: Rows, engine: sigmill.Engine, kind: Callable[[list[Any]], Any]
) -> None:
    ends = {"keys": [100, 200], "digests": [1, 1, 299], "signatures": [0, 64, 150, 300]}
    columns: dict[str, Any] = dict(columns_of(rows, 300))
    expected = list(rows.reasons)
    # Nulls, in different rows of each column, on both sides of chunk boundaries.
    for name, reason, places in (
        ("keys", "key-null", (99, 200)),
        ("digests", "input-null", (1, 298)),
        ("signatures", "signature-null", (64, 149)),
    ):
        columns[name] = [None if row in places else v for row, v in enumerate(columns[name])]
        for place in places:
            expected[place] = reason
    chunked = {name: chunks(columns[name], ends[name], kind) for name in NAMES}
    assert list(engine.verify("ES256", **chunked)) == expected
    table = pa.table(chunked)
    found = engine.verify_table(
        "ES256", table, keys="keys", digests="digests", signatures="signatures"
    )
    assert list(found) == expected
    for name in NAMES:
        # The same chunks except one, and all nulls dropped.
        less = pa.chunked_array(chunked[name].chunks[:-2] + chunked[name].chunks[-1:])
        dropped = kind([value for value in columns[name] if value is not None])
        for shorter in (less, dropped, chunked[name].slice(1)):
            with pytest.raises(sigmill.ColumnError, match="rows as those before it"):
                engine.verify("ES256", **(chunked | {name: shorter}))


def test_numpy_repeats_nothing_and_masks_nothing(
    four: dict[str, list[bytes]], engine: sigmill.Engine
) -> None:
    arrays: dict[str, Any] = {
        name: np.frombuffer(b"".join(values), np.uint8).reshape(4, -1)
        for name, values in four.items()
    }
    for name, array in arrays.items():
        # NumPy itself would repeat these.
        for given in (array[:1], np.broadcast_to(array[0], array.shape), array[0], array[::2]):
            with pytest.raises(sigmill.ColumnError, match=f"{name}: |rows as those before it"):
                engine.verify("ES256", **(arrays | {name: given}))
        # The buffer includes the masked value.
        for mask in (np.ma.nomask, array == array[0]):
            with pytest.raises(sigmill.ColumnError, match=f"{name}: must not be masked"):
                engine.verify("ES256", **(arrays | {name: np.ma.MaskedArray(array, mask)}))


@pytest.mark.parametrize("name", NAMES)
def test_pandas_drops_nulls(
    four: dict[str, list[bytes]], engine: sigmill.Engine, name: str
) -> None:
    frame = pd.DataFrame(
        {column: pd.Series(values, dtype=object) for column, values in four.items()}
    )
    frame.loc[2, name] = None
    columns: dict[str, Any] = {column: frame[column] for column in NAMES}
    reasons = {"keys": "key-null", "digests": "input-null", "signatures": "signature-null"}
    expected = [None, "signature-mismatch", reasons[name], "signature-mismatch"]
    assert list(engine.verify("ES256", **columns)) == expected
    with pytest.raises(sigmill.ColumnError, match=r"must have . rows"):
        engine.verify("ES256", **(columns | {name: frame[name].dropna()}))
    # The same number of rows in each, but different rows.
    dropped = {column: frame[column].drop(index=3) for column in NAMES}
    assert list(engine.verify("ES256", **dropped)) == expected[:3]
    with pytest.raises(sigmill.ColumnError, match="index must equal that of"):
        engine.verify("ES256", **(dropped | {name: frame[name].dropna()}))
    with pytest.raises(sigmill.ColumnError, match="index must equal that of"):
        engine.explain("ES256", **(dropped | {name: frame[name].dropna()}))
    places: Any = {name: list(frame[name].dropna())}
    assert len(engine.verify("ES256", **(dropped | places))) == 3


def test_pandas_keeps_labels(rows: Rows, engine: sigmill.Engine) -> None:
    frame = pd.DataFrame(columns_of(rows, 300)).assign(expected=rows.reasons)
    frame = frame.sample(frac=0.5, random_state=1)
    verdicts = engine.verify_table(
        "ES256", frame, keys="keys", digests="digests", signatures="signatures"
    )
    by_columns: dict[str, Any] = {name: frame[name] for name in NAMES}
    for given in (verdicts, engine.verify("ES256", **by_columns)):
        # pandas aligns assigned values by label.
        judged = frame.assign(reason=given.to_pandas()["reason"])
        assert judged["reason"].isna().equals(judged["expected"].isna())
        rejected = frame[~given.to_pandas()["valid"]]
        assert set(rejected.index) == set(frame.index[frame["expected"].notna()])
    # Objects outside pandas have no labels.
    mixed = engine.verify("ES256", **(by_columns | {"keys": list(frame["keys"])}))
    assert mixed.to_pandas().index.equals(frame.index)
    lists: dict[str, Any] = {name: list(frame[name]) for name in NAMES}
    listed = engine.verify("ES256", **lists)
    assert listed.to_pandas().index.equals(pd.RangeIndex(150))
    key = sigmill.SigningKey.from_scalar("secp256k1", bytes(31) + b"\x07")
    signed = engine.sign(key, digests=frame["digests"], format="p1363").to_pandas()
    assert signed.index.equals(frame.index)
    vs = pd.Series([bytes([v]) for v in signed["hint"]], signed.index)
    recovered = engine.recover(
        "ES256K", digests=frame["digests"], signatures=signed["signature"] + vs
    )
    assert recovered.recovered == 150
    assert recovered.to_pandas().index.equals(frame.index)
    with pytest.raises(sigmill.ColumnError, match="signatures: index must equal that of digests"):
        engine.recover(
            "ES256K", digests=frame["digests"], signatures=(signed["signature"] + vs).sort_index()
        )


@pytest.mark.parametrize("name", NAMES)
def test_relations_of_duckdb(
    four: dict[str, list[bytes]], engine: sigmill.Engine, name: str
) -> None:
    nulls: list[bytes | None] = [*four[name][:2], None, four[name][3]]
    connection = duckdb.connect()
    connection.register("signed", pa.table(four | {name: nulls}))
    relations: dict[str, Any] = {
        column: connection.sql(f"select {column} from signed") for column in NAMES
    }
    reasons = {"keys": "key-null", "digests": "input-null", "signatures": "signature-null"}
    expected = [None, "signature-mismatch", reasons[name], "signature-mismatch"]
    assert list(engine.verify("ES256", **relations)) == expected
    for rest in (f"where {name} is not null", "limit 1"):
        relations[name] = connection.sql(f"select {name} from signed {rest}")
        with pytest.raises(sigmill.ColumnError, match=r"must have . rows"):
            engine.verify("ES256", **relations)


def test_results_have_no_truth_value(four: dict[str, list[bytes]], engine: sigmill.Engine) -> None:
    columns: dict[str, Any] = dict(four)
    key = sigmill.SigningKey.from_scalar("secp256k1", bytes(31) + b"\x07")
    for count in (0, 1, 4):
        some = {name: values[:count] for name, values in columns.items()}
        verdicts = engine.verify("ES256", **some)
        with pytest.raises(ValueError, match=r"Verdicts is ambiguous: use \.all_valid"):
            bool(verdicts)
        # One valid row would make it true.
        with pytest.raises(ValueError, match=r"use \.all_valid"):
            bool(verdicts.valid)
        # Reasons would be true, and None, which means a valid row, false.
        for reason in [*verdicts, *([verdicts[-1]] if count else [])]:
            if reason is not None:
                with pytest.raises(ValueError, match="a reason is not a verdict"):
                    bool(reason)
        assert count < 4 or verdicts[3] == "signature-mismatch"
        assert verdicts.valid == min(count, 1)
        assert type(verdicts.valid + 0) is int
        assert f"{verdicts.valid:,} of {len(verdicts)}" == f"{min(count, 1)} of {count}"
        others: list[sigmill.Result] = [
            engine.sign(key, digests=some["digests"]),
            engine.recover("ES256K", digests=some["digests"], signatures=[bytes(65)] * count),
            engine.sample(count),
        ]
        for result in others:
            with pytest.raises(ValueError, match=f"{type(result).__name__} is ambiguous: use len"):
                bool(result)
            assert len(result) == count
