"""Speed of the package compared with pyca's `cryptography`, in one process on one core.

    taskset -c 0 python crates/sigmill-python/measure.py [--rows N] [--rounds N]

Contestants alternate. The tables show medians over the rounds, of the process's CPU time. Every
result is checked. Compare ratios, not times: times differ between machines, and between minutes
on one machine.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
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
    """Prints the medians; the others are compared with the first contestant."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for turn in range(rounds + 1):
        for name, run in contestants.items():
            began = time.process_time()
            run()
            # The first round fills caches and builds tables of keys.
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
    """Valid rows of the given number of keys."""
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
    # A part suffices for slow contestants.
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
    # The engine judges on its own thread: this one reads columns, and writes verdicts.
    shares = []
    for _ in range(3 * rounds):
        began, own = time.process_time(), time.thread_time()
        contestants["Arrow"]()
        shares.append((time.thread_time() - own) / (time.process_time() - began))
    print(f"\n{100 * statistics.median(shares):.1f} % of the Arrow call is not judging rows.")


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


def processor_time(name: bytes) -> float:
    """The CPU seconds of descendant processes whose command has this name."""
    parents, times = {}, {}
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            rest = (process / "stat").read_text().rpartition(")")[2].split()
            number = int(process.name)
            parents[number] = int(rest[1])
            if name in (process / "cmdline").read_bytes():
                times[number] = sum(map(int, rest[11:15])) / os.sysconf("SC_CLK_TCK")
    family = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in family} - family:
        family |= more
    return sum(time for number, time in times.items() if number in family)


def judge_spark(count: int, rounds: int, command: str | None) -> None:
    """Rows of Parquet in Spark, in an engine of this process, and in the command.

    Times are CPU times: for Spark, of Java and Python together.
    """
    from pyspark.sql import SparkSession

    engine = sigmill.Engine(threads=1)
    sample = engine.sample(count, format="p1363").to_pyarrow()
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.memory", "2g")
    spark = builder.config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    times: dict[str, list[tuple[float, float]]] = {}

    def note(name: str, java: float, other: float) -> None:
        times.setdefault(name, []).append((java / count, other / count))

    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/rows.parquet"
        pq.write_table(sample, path)
        frame = spark.read.parquet(path)
        # Java's compiler has warmed up after some rounds.
        for _ in range(rounds + 3):
            for batch in (10_000, 65_536):
                spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", batch)
                judged = sigmill.spark.verify(frame, "ES256", message="message")
                began = processor_time(b"java"), processor_time(b"pyspark.daemon")
                assert judged.filter("valid").count() == count
                java, other = processor_time(b"java"), processor_time(b"pyspark.daemon")
                note(f"`verify`, batches of {batch:,}", java - began[0], other - began[1])
            given: list[tuple[str, dict[str, Any]]] = [
                ("ids and verdicts", {}),
                ("rejected rows, of which there are none", {"rejected_only": True}),
            ]
            for name, choices in given:
                judged = sigmill.spark.verify_parquet(
                    spark, path, "ES256", message="message", columns=["id"], **choices
                )
                began = processor_time(b"java"), processor_time(b"pyspark.daemon")
                assert judged.count() == (0 if choices else count)
                java, other = processor_time(b"java"), processor_time(b"pyspark.daemon")
                note(f"`verify_parquet`, giving {name}", java - began[0], other - began[1])
            start = time.process_time()
            read = pq.read_table(path, use_threads=False)
            assert engine.verify_table("ES256", read, messages="message").valid == count
            note("`Engine.verify_table`, with reading", 0, time.process_time() - start)
            if command:
                start = sum(os.times()[2:4])
                subprocess.run([command, "verify", path, "--quiet"], check=True)
                note("`sigmill verify`", 0, sum(os.times()[2:4]) - start)
    spark.stop()
    print(f"\nP-256, 16 keys, {count:,} rows of Parquet, medians of the last {rounds} rounds\n")
    print("| | µs a row | of these in Java | rows/s of a core | of `sigmill verify` |")
    print("|---|---|---|---|---|")
    medians = {
        name: [statistics.median(part) * 1e6 for part in zip(*taken[-rounds:], strict=True)]
        for name, taken in times.items()
    }
    best = sum(medians.get("`sigmill verify`", [0]))
    for name, (java, other) in medians.items():
        whole = java + other
        ratio = f"{100 * best / whole:.0f} %" if best else ""
        print(f"| {name} | {whole:.2f} | {java:.2f} | {1e6 / whole:,.0f} | {ratio} |")


def main() -> None:
    """Measures everything."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--spark", type=int, metavar="ROWS", help="measure Spark only")
    parser.add_argument("--curve", choices=[curve for curve, _, _ in CURVES], help="no other one")
    parser.add_argument("--command", help="the command sigmill, for Spark to be compared with")
    arguments = parser.parse_args()
    if arguments.spark:
        judge_spark(arguments.spark, arguments.rounds, arguments.command)
        return
    for curve, alg, hash_ in CURVES:
        if arguments.curve not in (None, curve):
            continue
        rows = arguments.rows if curve != "P-384" else arguments.rows // 5
        for signers in (1, 16):
            judge_columns(curve, alg, hash_, rows, signers, arguments.rounds)
    if arguments.curve is None:
        judge_tokens(1000, arguments.rounds)


if __name__ == "__main__":
    main()
