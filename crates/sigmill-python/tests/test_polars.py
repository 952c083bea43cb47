"""Polars expressions: a column of another length is rejected, and scalars are repeated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
import sigmill
import sigmill.polars
from polars.exceptions import InvalidOperationError, ShapeError

ENGINE = sigmill.Engine(threads=1)
KEY = sigmill.SigningKey.from_scalar("P-256", bytes(31) + b"\x07")
POINT, GOOD = KEY.public_key().to_sec1(), KEY.sign(b"pay", format="p1363")
IS_OLD = not hasattr(pl.lit(1).meta, "is_scalar")

Run = Callable[[pl.LazyFrame, pl.Expr], list[bool]]


def one_valid(rows: int = 4) -> pl.LazyFrame:
    """Rows of one key and one message; the first is valid."""
    columns = {
        "key": [POINT] * rows,
        "message": [b"pay"] * rows,
        "signature": [GOOD] + [b"\x01" * 64] * (rows - 1),
        "group": [row // 2 for row in range(rows)],
    }
    return pl.LazyFrame(columns)


def verify(signature: pl.Expr | None = None, key: Any = "key", message: Any = "message") -> pl.Expr:
    signature = pl.col("signature") if signature is None else signature
    namespace = signature.sigmill  # type: ignore[attr-defined]
    found: pl.Expr = namespace.verify("ES256", key=key, message=message, engine=ENGINE)
    return found


def select(frame: pl.LazyFrame, valid: pl.Expr) -> list[bool]:
    return frame.select(valid).collect()["valid"].to_list()


def stream(frame: pl.LazyFrame, valid: pl.Expr) -> list[bool]:
    return frame.select(valid).collect(engine="streaming")["valid"].to_list()


def with_columns(frame: pl.LazyFrame, valid: pl.Expr) -> list[bool]:
    return frame.with_columns(valid).collect()["valid"].to_list()


def kept(frame: pl.LazyFrame, valid: pl.Expr) -> list[bool]:
    """As a filter: the rows that are kept."""
    rows = frame.with_row_index().filter(valid).collect()["index"]
    total = frame.select(pl.len()).collect().item()
    return [row in rows for row in range(total)]


def stream_kept(frame: pl.LazyFrame, valid: pl.Expr) -> list[bool]:
    rows = frame.with_row_index().filter(valid).collect(engine="streaming")["index"]
    total = frame.select(pl.len()).collect().item()
    return [row in rows for row in range(total)]


def over(frame: pl.LazyFrame, valid: pl.Expr) -> list[bool]:
    return frame.select(valid.over("group")).collect()["valid"].to_list()


def grouped(frame: pl.LazyFrame, valid: pl.Expr) -> list[bool]:
    groups = frame.group_by("group", maintain_order=True).agg(valid)
    return groups.explode("valid").collect()["valid"].drop_nulls().to_list()


RUNS: list[Run] = [select, stream, with_columns, kept, stream_kept, over, grouped]
NAMES = ["key", "message", "signature"]


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("nulls", [1, 2, 3])
def test_nulls_that_are_dropped(run: Run, name: str, nulls: int) -> None:
    """Nulls in up to all but one row: the remaining value does not stand for all rows."""
    is_null = pl.int_range(pl.len()) >= 4 - nulls
    frame = one_valid().with_columns(pl.when(~is_null).then(name))
    assert run(frame, verify()) == [True, False, False, False]
    column = pl.col(name).drop_nulls()
    with pytest.raises(ShapeError, match=f"{name}: length .; expected ., the number of rows"):
        run(frame, verify(**{name: column}))
    # All other columns are literals, so no column has the number of rows.
    literals: dict[str, Any] = {
        "key": pl.lit(POINT),
        "message": pl.lit(b"pay"),
        "signature": pl.lit(GOOD),
    }
    with pytest.raises(ShapeError, match=f"{name}: length .; expected ., the number of rows"):
        run(frame, verify(**(literals | {name: column})))


@pytest.mark.parametrize("run", [select, stream, kept, stream_kept])
@pytest.mark.parametrize("name", NAMES)
def test_columns_of_other_lengths(run: Run, name: str) -> None:
    column = pl.col(name)
    ways = [
        column.head(3),
        column.head(1),
        column.filter(pl.lit(False)),
        column.filter(pl.col("group") > 0),
    ]
    ways += [column.append(column), column.unique().head(1), column.gather([0]), column.slice(3)]
    for way in ways:
        with pytest.raises(ShapeError, match=r"expected ., the number of rows"):
            run(one_valid(), verify(**{name: way}))


def test_rows_that_are_dropped_in_different_places() -> None:
    frame = one_valid().with_columns(
        pl.when(pl.int_range(pl.len()) != 2).then("key").alias("key"),
        pl.when(pl.int_range(pl.len()) != 0).then("signature").alias("signature"),
    )
    key, signature = pl.col("key").drop_nulls(), pl.col("signature").drop_nulls()
    message = pl.col("message").head(3)
    for run in RUNS:
        with pytest.raises(ShapeError, match=r"length .; expected ., the number of rows"):
            run(frame, verify(signature, key=key, message=message))


def test_nothing_is_judged_before() -> None:
    before = ENGINE.stats()
    with pytest.raises(ShapeError):
        select(one_valid(), verify(pl.col("signature").head(1)))
    assert ENGINE.stats() == before


@pytest.mark.parametrize("run", RUNS)
def test_scalars_stand_for_all_rows(run: Run) -> None:
    expected = [True, False, False, False]
    scalars: list[dict[str, Any]] = [
        {"key": pl.lit(POINT)},
        {"key": pl.lit(KEY.public_key().to_pem())},
        {"key": pl.lit(POINT.hex()).str.decode("hex"), "message": pl.lit("pay").cast(pl.Binary)},
        {"message": pl.lit(b"pay").alias("other")},
    ]
    for scalar in scalars:
        assert run(one_valid(), verify(**scalar)) == expected
    aggregate = verify(key=pl.col("key").first())
    if IS_OLD:
        with pytest.raises(ShapeError, match="Only scalars"):
            run(one_valid(), aggregate)
    else:
        assert run(one_valid(), aggregate) == expected
    # A Series of one value is a column.
    for series in ([POINT], [POINT] * 3):
        with pytest.raises((ShapeError, InvalidOperationError)):
            run(one_valid(), verify(key=pl.lit(pl.Series(series))))


def test_frames_of_one_row_and_of_none() -> None:
    literals: dict[str, Any] = {"key": pl.lit(POINT), "message": pl.lit(b"pay")}
    columns: dict[str, Any] = {"key": pl.col("key").drop_nulls(), "message": pl.col("message")}
    for run in RUNS:
        for arguments in ({}, literals, columns):
            signature = pl.col("signature").drop_nulls()
            for valid in (verify(**arguments), verify(signature, **arguments)):
                assert run(one_valid(1), valid) == [True]
                assert run(one_valid().clear(), valid) == []
    # All columns are scalars, and so is the verdict.
    valid = verify(pl.lit(GOOD), **literals)
    assert one_valid().select("key", valid).collect()["valid"].to_list() == [True] * 4
    assert one_valid().clear().with_columns(valid).collect().height == 0
    empty = one_valid().select(verify(pl.col("signature").filter(pl.lit(False)), **literals))
    with pytest.raises(ShapeError):
        empty.collect()


def test_decoded_columns_stream() -> None:
    """Each row is decoded separately, so parts of a frame are judged as they arrive."""
    frame = one_valid(1000).with_columns(pl.col("signature").bin.encode("hex"))
    valid = verify(pl.col("signature").str.decode("hex"))
    assert stream(frame, valid) == [True] + [False] * 999
    # A Python function may do anything, so it receives all rows at once.
    called = pl.col("signature").map_batches(
        lambda series: series.str.decode("hex"), return_dtype=pl.Binary
    )
    assert stream(frame, verify(called)) == [True] + [False] * 999
    less = pl.col("signature").map_batches(
        lambda series: series.str.decode("hex").head(1), return_dtype=pl.Binary
    )
    for run in (select, stream, kept, stream_kept):
        with pytest.raises(ShapeError, match="signature: length 1; expected 1000"):
            run(frame, verify(less))


def test_columns_by_pattern_and_elements_of_lists() -> None:
    expected = [True, False, False, False]
    for column in (pl.col("^sig.*$"), pl.nth(2)):
        assert select(one_valid(), verify(column)) == expected
    names = ["key", "message", "signature"]
    frame = one_valid().select(pl.struct(names).implode().alias("rows"))
    key, message, signature = (pl.element().struct.field(name) for name in names)
    rows = pl.col("rows").list
    judged = frame.select(rows.eval(verify(signature, key, message))).collect()
    assert judged.item().to_list() == expected
    less = frame.select(rows.eval(verify(signature.head(1), key, message)))
    with pytest.raises(ShapeError, match=r"signature: length 1; expected 4"):
        less.collect()
