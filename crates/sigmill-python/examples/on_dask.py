"""Partitions of a Dask frame, each verified by the engine of its worker.

python examples/on_dask.py
"""

from __future__ import annotations

from functools import cache

import dask
import dask.dataframe as dd
import pandas as pd
import sigmill


@cache
def engine() -> sigmill.Engine:
    """One engine per process, with the keys that it remembers."""
    return sigmill.Engine(threads=1)


def judge(part: pd.DataFrame) -> pd.DataFrame:
    """The partition with its verdicts."""
    verdicts = engine().verify(
        "ES256", part["key"], messages=part["message"], signatures=part["signature"]
    )
    return part.assign(valid=verdicts.to_pyarrow()["valid"].to_numpy())


def main() -> None:
    """Signs rows, changes one, and finds it."""
    key = sigmill.SigningKey.generate("P-256")
    messages = [b"row %d" % i for i in range(5000)]
    signed = sigmill.Engine().sign(key, messages=messages).to_pyarrow()
    messages[1234] = b"another"
    columns = {
        "id": range(5000),
        "key": [key.public_key().to_sec1()] * 5000,
        "message": messages,
        "signature": signed["signature"].to_pylist(),
    }
    # Bytes stay bytes, and do not become text.
    dask.config.set({"dataframe.convert-string": False})
    frame = dd.from_pandas(pd.DataFrame(columns), npartitions=4)
    meta = frame._meta.assign(valid=True)
    judged = frame.map_partitions(judge, meta=meta).compute()
    rejected = judged.loc[~judged["valid"], "id"].tolist()
    print(f"{len(judged):,} rows: {judged['valid'].sum():,} valid, rejected: {rejected}")


if __name__ == "__main__":
    main()
