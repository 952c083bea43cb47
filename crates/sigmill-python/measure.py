"""How fast the package is beside pyca's `cryptography`, in one process on one core.

    taskset -c 0 python crates/sigmill-python/measure.py [--rows N] [--rounds N]

Contestants take turns, and the tables have medians over the rounds, of the time that the process
has on the core; every result is checked. Ratios compare, times do not: other machines, and other
minutes on this one, have other times.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any

import jwt
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import sigmill
import sigmill.jwt
import sigmill.spark
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

CURVES: list[tuple[str, str, hashes.HashAlgorithm]] = [
    ("P-256", "ES256", hashes.SHA256()),
    ("secp256k1", "ES256K", hashes.SHA256()),
    ("P-384", "ES384", hashes.SHA384()),
]


def table(title: str, rows: int, rounds: int, contestants: dict[str, Callable[[], None]]) -> None:
    """Prints the medians; the first contestant is what the others are compared with."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for turn in range(rounds + 1):
        for name, run in contestants.items():
            began = time.process_time()
            run()
            # The first round is for caches, and for tables of keys.
            if turn:
                times[name].append(time.process_time() - began)
    first = statistics.median(next(iter(times.values())))
    print(f"\n{title}\n")
    print("| | µs a row | rows/s | ratio |\n|---|---|---|---|")
    for name, taken in times.items():
        median = statistics.median(taken)
        speed = f"{rows / median:,.0f}"
        print(f"| {name} | {median / rows * 1e6:.2f} | {speed} | {first / median:.1f} |")


def judge_columns(curve: str, alg: str, hash_: Any, count: int, signers: int, rounds: int) -> None:
    """Valid rows of so many keys."""
    engine = sigmill.Engine(threads=1)
    keys = [sigmill.SigningKey.generate(curve) for _ in range(signers)]
    messages = [b"message %d" % i for i in range(count)]
    signatures: list[Any] = [None] * count
    for i, key in enumerate(keys):
        made = engine.sign(key, messages=messages[i::signers])
        signatures[i::signers] = made.to_pyarrow()["signature"].to_pylist()
    pem = [key.public_key().to_pem().encode() for key in keys]
    pyca = [serialization.load_pem_public_key(text) for text in pem]
    points = [keys[i % signers].public_key().to_sec1() for i in range(count)]
    ours = [key.public_key() for key in keys]
    prepared = [key.prepare() for key in ours]
    # A part is enough for what takes long.
    part = min(count, 1000)

    def by_pyca() -> None:
        scheme = ec.ECDSA(hash_)
        for i in range(part):
            key = pyca[i % signers]
            assert isinstance(key, ec.EllipticCurvePublicKey)
            key.verify(signatures[i], messages[i], scheme)

    def by_keys(keys: Any) -> Callable[[], None]:
        def run() -> None:
            for i in range(part):
                keys[i % signers].verify(signatures[i], messages[i])

        return run

    table(
        f"{curve}, {signers} keys, single calls",
        part,
        rounds,
        {
            "`cryptography`, a loop": by_pyca,
            "`VerifyingKey.verify`": by_keys(ours),
            "`PreparedKey.verify`": by_keys(prepared),
        },
    )

    arrow = [pa.array(values, pa.binary()) for values in (points, messages, signatures)]
    dictionary = arrow[0].dictionary_encode()
    fixed = np.array(points, f"V{len(points[0])}")

    def by_engine(engine: sigmill.Engine, k: Any, m: Any, s: Any) -> Callable[[], None]:
        def run() -> None:
            verdicts = engine.verify(alg, k, messages=m, signatures=s, format="der")
            assert verdicts.all_valid
            assert len(verdicts) == count

        return run

    contestants = {
        "lists": by_engine(engine, points, messages, signatures),
        "Arrow": by_engine(engine, *arrow),
        "Arrow, keys as a dictionary": by_engine(engine, dictionary, *arrow[1:]),
        "NumPy keys": by_engine(engine, fixed, *arrow[1:]),
        "Arrow, no memory for keys": by_engine(sigmill.Engine(threads=1, key_memory=0), *arrow),
    }
    times: dict[str, list[float]] = {name: [] for name in ["pyca", *contestants]}
    for turn in range(rounds + 1):
        began = time.process_time()
        by_pyca()
        if turn:
            times["pyca"].append((time.process_time() - began) / part)
        for name, run in contestants.items():
            began = time.process_time()
            run()
            if turn:
                times[name].append((time.process_time() - began) / count)
    pyca_time = statistics.median(times.pop("pyca"))
    print(f"\n{curve}, {signers} keys, `Engine.verify` of {count:,} rows\n")
    print("| | µs a row | rows/s | times `cryptography`'s loop |\n|---|---|---|---|")
    print(f"| `cryptography`, a loop | {pyca_time * 1e6:.2f} | {1 / pyca_time:,.0f} | 1.0 |")
    for name, taken in times.items():
        median = statistics.median(taken)
        ratio = pyca_time / median
        print(f"| {name} | {median * 1e6:.2f} | {1 / median:,.0f} | {ratio:.1f} |")
    # What is not the engine's work: reading columns, and writing verdicts.
    began = time.perf_counter()
    plan = engine.verify(
        alg, dictionary, messages=arrow[1], signatures=arrow[2], format="der", explain=True
    ).plan
    wall = time.perf_counter() - began
    assert plan is not None
    assert plan.actual is not None
    print(f"\nOf {wall * 1e3:.1f} ms, {plan.actual * 1e3:.1f} ms are rows that are judged.")


def judge_tokens(count: int, rounds: int) -> None:
    """Tokens of four keys, through PyJWT."""
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(4)]
    pems = [
        key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        for key in keys
    ]
    publics = [key.public_key() for key in keys]
    tokens = [jwt.encode({"n": i}, keys[i % 4], algorithm="ES256") for i in range(count)]
    ours = jwt.PyJWT()
    ours._jws = sigmill.jwt.pyjws()

    def decode(decoder: Any, given: list[Any]) -> Callable[[], None]:
        def run() -> None:
            for i, token in enumerate(tokens):
                assert decoder.decode(token, given[i % 4], algorithms=["ES256"])["n"] == i

        return run

    table(
        "`jwt.decode` of ES256 tokens, 4 keys",
        count,
        rounds,
        {
            "PyJWT, parsed keys": decode(jwt, publics),
            "PyJWT, PEM": decode(jwt, pems),
            "sigmill, parsed keys": decode(ours, publics),
            "sigmill, PEM": decode(ours, pems),
        },
    )


def judge_spark(count: int) -> None:
    """Rows of Parquet by one worker of Spark, and by an engine in this process."""
    from pyspark.sql import SparkSession

    engine = sigmill.Engine(threads=1)
    keys = [sigmill.SigningKey.generate("P-256") for _ in range(16)]
    messages = [b"message %d" % i for i in range(count)]
    signatures: list[Any] = [None] * count
    for i, key in enumerate(keys):
        made = engine.sign(key, messages=messages[i::16], format="p1363")
        signatures[i::16] = made.to_pyarrow()["signature"].to_pylist()
    points = [keys[i % 16].public_key().to_sec1() for i in range(count)]
    rows = pa.table({"key": points, "message": messages, "signature": signatures})
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.memory", "2g")
    spark = builder.config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    with tempfile.TemporaryDirectory() as folder:
        pq.write_table(rows, f"{folder}/rows.parquet")
        frame = spark.read.parquet(f"{folder}/rows.parquet")
        speeds = {}
        for batch in (10_000, 65_536):
            spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", batch)
            judged = sigmill.spark.verify(frame, "ES256", message="message")
            for _ in range(3):
                began = time.perf_counter()
                assert judged.filter("valid").count() == count
                speeds[f"Spark, batches of {batch:,}"] = time.perf_counter() - began
        for _ in range(3):
            began = time.perf_counter()
            read = pq.read_table(f"{folder}/rows.parquet")
            assert engine.verify_table("ES256", read, messages="message").valid == count
            speeds["`Engine.verify_table`, with reading"] = time.perf_counter() - began
    spark.stop()
    print(f"\nP-256, 16 keys, {count:,} rows of Parquet, the third run of each\n")
    print("| | rows/s |\n|---|---|")
    for name, taken in speeds.items():
        print(f"| {name} | {count / taken:,.0f} |")


def main() -> None:
    """Measures everything."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--spark", type=int, metavar="ROWS", help="measure Spark only")
    arguments = parser.parse_args()
    if arguments.spark:
        judge_spark(arguments.spark)
        return
    for curve, alg, hash_ in CURVES:
        rows = arguments.rows if curve != "P-384" else arguments.rows // 5
        judge_columns(curve, alg, hash_, rows, 16, arguments.rounds)
    judge_tokens(1000, arguments.rounds)


if __name__ == "__main__":
    main()
