"""An archive of payments in Parquet: verified in SQL, the rejected ones joined back.

    python examples/payments.py [FOLDER]

Creates the archive first: payments of some merchants, each signed by the merchant's key. A few were
changed afterwards. The keys are in a separate table.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import sigmill
import sigmill.duckdb

PAYMENTS, MERCHANTS = 20_000, 8


def make(folder: Path) -> None:
    """Creates two tables: the merchants' keys, and the signed payments."""
    engine = sigmill.Engine()
    keys = [sigmill.SigningKey.generate("P-256") for _ in range(MERCHANTS)]
    merchants = {
        "merchant": [f"merchant {i}" for i in range(MERCHANTS)],
        "key": [key.public_key().to_der() for key in keys],
    }
    pq.write_table(pa.table(merchants), folder / "merchants.parquet")
    messages = [b"payment %d of %d cents" % (i, i * 37 % 100_000) for i in range(PAYMENTS)]
    signatures: list[bytes] = [b""] * PAYMENTS
    for i, key in enumerate(keys):
        signed = engine.sign(key, messages=messages[i::MERCHANTS])
        signatures[i::MERCHANTS] = signed.to_pyarrow()["signature"].to_pylist()
    # Somebody was greedy.
    for i in range(777, PAYMENTS, 4000):
        messages[i] = messages[i].replace(b" cents", b"00 cents")
    payments = {
        "id": range(PAYMENTS),
        "merchant": [f"merchant {i % MERCHANTS}" for i in range(PAYMENTS)],
        "message": messages,
        "signature": signatures,
    }
    pq.write_table(pa.table(payments), folder / "payments.parquet")


def judge(folder: Path) -> list[tuple[int, str, str, str]]:
    """Finds the payments that differ from what their merchants signed."""
    connection = duckdb.connect()
    sigmill.duckdb.register(connection)
    query = f"""
        with judged as (
            select p.*, sigmill_reason('ES256', m.key, p.message, p.signature) as reason
            from '{folder}/payments.parquet' p left join '{folder}/merchants.parquet' m
            using (merchant)
        )
        select id, merchant, decode(message), reason from judged
        where reason is not null order by id
    """
    return connection.sql(query).fetchall()


def main(folder: Path) -> None:
    """Creates, verifies and prints."""
    make(folder)
    for row in judge(folder):
        print(*row, sep=": ")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(Path(sys.argv[1] if len(sys.argv) > 1 else temporary))
