"""Spark frames, with Python workers on two cores of a local Spark."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sigmill
import sigmill.spark
from conftest import make_rows
from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.memory", "1g")
            .getOrCreate()
        )
        yield session
        session.stop()


@pytest.mark.filterwarnings("ignore")
def test_every_row_is_judged_once(spark: Any, tmp_path: Path) -> None:
    rows = make_rows(20_000)
    table = pa.table(
        {
            "id": range(len(rows)),
            "key": rows.keys,
            "message": rows.messages,
            "signature": rows.signatures,
        }
    )
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=3000)
    frame = spark.read.parquet(str(tmp_path / "rows.parquet")).repartition(5)
    judged = sigmill.spark.verify(frame, "ES256", message="message")
    assert judged.columns == [*frame.columns, "valid", "reason"]
    found = judged.select("id", "valid", "reason").orderBy("id").collect()
    assert [tuple(row) for row in found] == [
        (id_, reason is None, reason) for id_, reason in enumerate(rows.reasons)
    ]
    # Workers read the files themselves.
    source = str(tmp_path / "rows.parquet")
    judged = sigmill.spark.verify_parquet(spark, source, "ES256", message="message")
    assert judged.columns == [*frame.columns, "valid", "reason"]
    again = judged.orderBy("id")
    assert again.select("id", "valid", "reason").collect() == found
    assert again.select(frame.columns).collect() == frame.orderBy("id").collect()
    only = sigmill.spark.verify_parquet(
        spark,
        f"file://{tmp_path}",
        "ES256",
        message="message",
        columns=["id"],
        rejected_only=True,
        rows=999,
    )
    assert only.orderBy("id").collect() == [row for row in found if not row["valid"]]
    with pytest.raises(ValueError, match="columns: no column 'ids'"):
        sigmill.spark.verify_parquet(spark, source, "ES256", message="message", columns=["ids"])
    # The rejected rows, joined back.
    bad = judged.filter("not valid").select("id")
    assert frame.join(bad, "id").count() == sum(reason is not None for reason in rows.reasons)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("is_old", [False, True])
def test_few_keys_by_name_and_nulls(
    spark: Any, is_old: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_old:
        # As in Spark 4.0.
        monkeypatch.delattr("pyspark.sql.functions.arrow_udf")
    key = sigmill.SigningKey.generate("P-384")
    signature = key.sign(b"hello")
    frame = spark.createDataFrame(
        [
            ("a", bytearray(b"hello"), bytearray(signature)),
            ("a", bytearray(b"other"), bytearray(signature)),
            ("b", bytearray(b"hello"), bytearray(signature)),
            (None, bytearray(b"hello"), bytearray(signature)),
            ("a", None, bytearray(signature)),
            ("a", bytearray(b"hello"), None),
        ],
        "issuer string, text binary, sig binary",
    ).coalesce(1)
    judged = sigmill.spark.verify(
        frame,
        "ES384",
        key="issuer",
        message="text",
        signature="sig",
        keys={"a": key.public_key().to_der()},
        format="der",
        valid="ok",
        reason="why",
    )
    assert [row["why"] for row in judged.collect()] == [
        None,
        "signature-mismatch",
        "key-null",
        "key-null",
        "input-null",
        "signature-null",
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("is_old", [False, True])
def test_nulls_stay_in_their_rows(
    spark: Any, is_old: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nulls in each column, inside batches and at their ends; valid rows follow."""
    if is_old:
        monkeypatch.delattr("pyspark.sql.functions.arrow_udf")
    rows = make_rows(60)
    columns: dict[str, Any] = {
        "id": range(60),
        "key": list(rows.keys),
        "message": list(rows.messages),
        "signature": list(rows.signatures),
    }
    expected = list(rows.reasons)
    for name, reason, places in (
        ("key", "key-null", (1, 6, 40)),
        ("message", "input-null", (0, 7, 20)),
        ("signature", "signature-null", (3, 13, 59)),
    ):
        for row in places:
            columns[name][row], expected[row] = None, reason
    pq.write_table(pa.table(columns), tmp_path / "rows.parquet", row_group_size=9)
    source = str(tmp_path / "rows.parquet")
    size = "spark.sql.execution.arrow.maxRecordsPerBatch"
    spark.conf.set(size, 7)
    try:
        judged = sigmill.spark.verify(spark.read.parquet(source), "ES256", message="message")
        found = judged.select("id", "valid", "reason").orderBy("id").collect()
    finally:
        spark.conf.unset(size)
    assert [tuple(row) for row in found] == [
        (row, reason is None, reason) for row, reason in enumerate(expected)
    ]
    read = sigmill.spark.verify_parquet(spark, source, "ES256", message="message", rows=4)
    assert read.select("id", "valid", "reason").orderBy("id").collect() == found


@pytest.mark.filterwarnings("ignore")
def test_what_is_wrong_is_said_before_any_task(spark: Any) -> None:
    frame = spark.createDataFrame([(b"k", b"m", b"s")], "key binary, m binary, signature binary")
    with pytest.raises(ValueError, match="signed: no column 'text'"):
        sigmill.spark.verify(frame, "ES256", message="text")
    with pytest.raises(ValueError, match="valid: column exists already: 'm'"):
        sigmill.spark.verify(frame, "ES256", message="m", valid="m")
    with pytest.raises(TypeError, match="one of message and digest"):
        sigmill.spark.verify(frame, "ES256")
    for wrong in ({"alg": "RS256"}, {"format": "raw"}, {"policy": "any"}, {"window": 12}):
        choices: dict[str, Any] = {"alg": "ES256", "message": "m"} | wrong
        with pytest.raises(sigmill.Error):
            sigmill.spark.verify(frame, **choices)
    texts = spark.createDataFrame([(b"k", "m", b"s")], "key binary, m string, signature binary")
    with pytest.raises(Exception, match="messages: must be bytes, not text"):
        sigmill.spark.verify(texts, "ES256", message="m").collect()


@pytest.mark.filterwarnings("ignore")
def test_a_worker_without_the_wheel(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(WITHOUT)
    # Workers with another environment are separate workers.
    monkeypatch.setitem(spark.sparkContext.environment, "PYTHONPATH", str(tmp_path))
    rows = [(b"k", b"m", b"s")]
    frame = spark.createDataFrame(rows, "key binary, m binary, signature binary")
    judged = sigmill.spark.verify(frame, "ES256", message="m")
    with pytest.raises(Exception, match="ModuleNotFoundError: No module named 'sigmill'"):
        judged.collect()


# A Python without the package.
WITHOUT = """
import sys

class Without:
    def find_spec(self, name, path=None, target=None):
        if name == "sigmill":
            raise ModuleNotFoundError("No module named 'sigmill'")

sys.meta_path.insert(0, Without())
"""


def test_a_cluster_that_loses_a_worker(tmp_path: Path) -> None:
    script = Path(__file__).parent / "spark_cluster.py"
    command = [sys.executable, str(script), "--rows", "210000", "--folder", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    report = json.loads(done.stdout)
    assert report["rejected"] == 30_000
    assert 0 < report["tasks done by then"] < report["tasks"]
