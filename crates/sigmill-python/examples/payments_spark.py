"""The archive of `payments.py`, verified by Spark, the rejected payments joined back.

python examples/payments_spark.py [FOLDER]
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import payments
import sigmill.spark
from pyspark.sql import SparkSession


def judge(spark: SparkSession, folder: Path) -> list[Any]:
    """Finds the payments that differ from what their merchants signed."""
    archive = spark.read.parquet(f"{folder}/payments.parquet")
    merchants = spark.read.parquet(f"{folder}/merchants.parquet")
    # Few keys sign many payments: they go to each worker once.
    keys = {row["merchant"]: bytes(row["key"]) for row in merchants.collect()}
    judged = sigmill.spark.verify(archive, "ES256", key="merchant", message="message", keys=keys)
    rejected = judged.filter("not valid").select("id", "reason")
    joined = archive.join(rejected, "id").orderBy("id")
    return joined.selectExpr("id", "merchant", "cast(message as string)", "reason").collect()


def main(folder: Path) -> None:
    """Creates, verifies and prints."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    payments.make(folder)
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
    spark = builder.config("spark.driver.host", "127.0.0.1").getOrCreate()
    for row in judge(spark, folder):
        print(*row, sep=": ")
    spark.stop()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(Path(sys.argv[1] if len(sys.argv) > 1 else temporary))
