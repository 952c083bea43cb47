"""Blocks of a table, verified by Ray's workers, each with its own engine.

python examples/on_ray.py
"""

from __future__ import annotations

import pyarrow as pa
import ray
import sigmill


@ray.remote
class Judge:
    """A worker that keeps its engine, with the keys that it remembers."""

    def __init__(self) -> None:
        self.engine = sigmill.Engine(threads=1)

    def judge(self, block: pa.Table) -> pa.Table:
        """The block with its verdicts."""
        verdicts = self.engine.verify_table("ES256", block, messages="message")
        return block.append_column("valid", verdicts.to_pyarrow()["valid"])


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
        "signature": signed["signature"],
    }
    table = pa.table(columns)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    judges = [Judge.remote() for _ in range(2)]
    blocks = [table.slice(first, 1000) for first in range(0, 5000, 1000)]
    work = [judges[i % 2].judge.remote(block) for i, block in enumerate(blocks)]
    judged = pa.concat_tables(ray.get(work))
    valid = judged["valid"].to_pylist()
    rejected = [
        row for row, is_valid in zip(judged["id"].to_pylist(), valid, strict=True) if not is_valid
    ]
    print(f"{len(valid):,} rows: {sum(valid):,} valid, rejected: {rejected}")
    ray.shutdown()


if __name__ == "__main__":
    main()
