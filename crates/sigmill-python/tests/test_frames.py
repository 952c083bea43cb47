"""DuckDB's functions, and Polars expressions."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pytest
import sigmill
import sigmill.duckdb
import sigmill.polars
from conftest import Rows, make_rows


def test_polars_expressions(rows: Rows) -> None:
    frame = pl.DataFrame(
        {"key": rows.keys, "text": rows.messages, "digest": rows.digests, "sig": rows.signatures}
    )
    signature = pl.col("sig").sigmill  # type: ignore[attr-defined]
    engine = sigmill.Engine(threads=1)
    judged = frame.with_columns(
        signature.verify("ES256", key="key", message="text", engine=engine),
        signature.reason("ES256", key=pl.col("key"), digest=pl.col("digest"), format="p1363"),
    )
    assert judged["valid"].to_list() == [reason is None for reason in rows.reasons]
    assert judged["reason"].to_list() == rows.reasons
    lazy = frame.lazy().filter(~signature.verify("ES256", key="key", message="text")).collect()
    assert len(lazy) == sum(reason is not None for reason in rows.reasons)
    stream = (
        frame.lazy()
        .select(signature.verify("ES256", key="key", message="text").sum())
        .collect(engine="streaming")
    )
    assert stream.item() == rows.reasons.count(None)
    one = sigmill.VerifyingKey.from_sec1("P-256", rows.keys[0]).to_pem()
    judged = frame.select(signature.verify("ES256", key=pl.lit(one), message="text"))
    assert judged["valid"].to_list() == [
        row % 3 == 0 and reason in {None, "key-not-on-curve"}
        for row, reason in enumerate(rows.reasons)
    ]
    assert frame.clear().select(signature.verify("ES256", key="key", message="text")).height == 0
    with pytest.raises(TypeError, match="one of message and digest"):
        signature.verify("ES256", key="key")
    with pytest.raises(sigmill.ColumnError, match="messages: must be bytes, not text"):
        frame.select(signature.verify("ES256", key="key", message=pl.col("text").bin.encode("hex")))


def test_the_five_lines_of_the_readme(
    rows: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = {"key": rows.keys, "message": rows.messages, "signature": rows.signatures}
    pl.DataFrame(columns).write_parquet(tmp_path / "signed.parquet")
    monkeypatch.chdir(tmp_path)
    project = Path(__file__).parents[3]
    text = (project / "README.md").read_text()
    (code,) = re.findall(r"```python\n(import polars as pl, sigmill\n.*?)```", text, re.DOTALL)
    assert code in (project / "docs" / "python.md").read_text()
    found: dict[str, object] = {}
    exec(code, found)
    printed = capsys.readouterr().out
    assert "'signature-mismatch'" in printed
    assert f"shape: ({sum(reason is not None for reason in rows.reasons)}, 3)" in printed


def test_duckdb_functions() -> None:
    # More rows than a DuckDB batch holds.
    rows = make_rows(5000)
    connection = duckdb.connect()
    engine = sigmill.duckdb.register(connection)
    table = pa.table(
        {
            "id": range(len(rows)),
            "key": rows.keys,
            "message": rows.messages,
            "digest": rows.digests,
            "signature": rows.signatures,
        }
    )
    connection.register("signed", table)
    query = """
        select sigmill_valid('ES256', key, message, signature),
               sigmill_reason('ES256', key, message, signature),
               sigmill_valid_digest('ES256', key, digest, signature),
               sigmill_reason_digest('P-256-SHA256', key, digest, signature)
        from signed order by id
    """
    judged = connection.sql(query).fetchall()
    assert judged == [(reason is None, reason) * 2 for reason in rows.reasons]
    assert engine.stats()["fresh"] + engine.stats()["prepared"] > 0
    # Rows of several algorithms, and nulls.
    query = """
        select sigmill_reason(
            case id % 4 when 0 then 'ES256' when 1 then 'ES384' when 2 then null else 'ES256' end,
            case when id < 8 then key end, message, signature)
        from signed where id in (0, 1, 2, 3, 40) order by id
    """
    reasons = [reason for (reason,) in connection.sql(query).fetchall()]
    assert reasons == [
        None,
        "key-curve-mismatch",
        "algorithm-null",
        None,
        "key-null",
    ] or reasons == [
        None,
        "key-length",
        "algorithm-null",
        None,
        "key-null",
    ]
    empty = connection.sql(
        "select sigmill_valid('ES256', key, message, signature) from signed where id < 0"
    )
    assert empty.fetchall() == []
    unknown = "select sigmill_valid('RS256', key, message, signature) from signed"
    assert set(connection.sql(unknown).fetchall()) == {(False,)}
    with pytest.raises(duckdb.Error):
        connection.sql(
            "select sigmill_valid('ES256', 7, message, signature) from signed"
        ).fetchall()


def test_duckdb_judges_the_rows_beside_an_unknown_algorithm() -> None:
    rows = make_rows(5000)
    names: list[str | None] = ["ES256", "none", "ES256", None, "", "ES256", "es\0256", "ES384"]
    algs = [names[row % 8] for row in range(len(rows))]
    reasons: dict[str | None, str] = {
        "ES384": "key-length",
        None: "algorithm-null",
    }
    expected = [
        reason if alg == "ES256" else reasons.get(alg, "algorithm-unknown")
        for alg, reason in zip(algs, rows.reasons, strict=True)
    ]
    # Each of these rows has a different name.
    algs[4000:4500] = [f"alg {row}" for row in range(500)]
    expected[4000:4500] = ["algorithm-unknown"] * 500
    connection = duckdb.connect()
    sigmill.duckdb.register(connection)
    columns = {
        "id": range(len(rows)),
        "alg": algs,
        "key": rows.keys,
        "message": rows.messages,
        "digest": rows.digests,
        "signature": rows.signatures,
    }
    connection.register("signed", pa.table(columns))
    query = """
        select sigmill_valid(alg, key, message, signature),
               sigmill_reason(alg, key, message, signature),
               sigmill_valid_digest(alg, key, digest, signature),
               sigmill_reason_digest(alg, key, digest, signature)
        from signed order by id
    """
    judged = connection.sql(query).fetchall()
    assert judged == [(reason is None, reason) * 2 for reason in expected]
    # If only some rows of a batch are judged, each row has its own verdict.
    query = """
        select case when id % 3 = 1 then sigmill_reason('ES256', key, message, signature)
                    else 'not asked' end
        from signed order by id
    """
    judged = connection.sql(query).fetchall()
    assert [reason for (reason,) in judged] == [
        reason if row % 3 == 1 else "not asked" for row, reason in enumerate(rows.reasons)
    ]


def test_duckdb_takes_text_as_it_is_written() -> None:
    key = sigmill.SigningKey.generate("P-256")
    connection = duckdb.connect()
    sigmill.duckdb.register(connection)
    columns = {
        "key": [key.public_key().to_pem()] * 2,
        "text": ["pay 1", "pay \\x31"],
        "signature": [key.sign(b"pay 1")] * 2,
    }
    connection.register("signed", pa.table(columns))
    query = "select sigmill_valid('ES256', encode(key), encode(text), signature) from signed"
    assert connection.sql(query).fetchall() == [(True,), (False,)]
    # Text is not converted to BLOB implicitly, as that would be a cast.
    with pytest.raises(duckdb.Error, match="No function matches"):
        connection.sql("select sigmill_valid('ES256', encode(key), text, signature) from signed")
