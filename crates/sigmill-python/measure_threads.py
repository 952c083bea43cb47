"""Gain of threads: those of an engine, and those of Python.

    python crates/sigmill-python/measure_threads.py [--rows N] [--rounds N]

Needs two free cores, and no package except sigmill. One thread and two threads alternate on the
same work. The table shows medians of wall-clock times over the rounds. Verdicts are checked.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import sigmill

Job = Callable[[], object]


def line(name: str, count: int, rounds: int, one: Job, others: list[Job | None]) -> None:
    """Prints the time per row in one thread, and the speedup of the others."""
    jobs = [one, *filter(None, others)]
    times: dict[Job, list[float]] = {job: [] for job in jobs}
    for turn in range(rounds + 1):
        for job in jobs:
            began = time.perf_counter()
            job()
            # The first round fills caches and builds tables of keys.
            if turn:
                times[job].append(time.perf_counter() - began)
    alone = statistics.median(times[one])
    gains = [f"{alone / statistics.median(times[job]):.2f}" if job else "" for job in others]
    print(f"| {name} | {alone / count * 1e6:.2f} | {' | '.join(gains)} |")


def main() -> None:
    """Measures on P-256."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    rows, rounds = arguments.rows, arguments.rounds
    pool = ThreadPoolExecutor(2)

    engines = [sigmill.Engine(threads=threads) for threads in (1, 2)]
    table = engines[0].sample(rows, keys=16)
    half = engines[0].sample(rows // 2, keys=16)

    def judge(engine: sigmill.Engine, table: sigmill.Sample) -> None:
        assert engine.verify_table("ES256", table, messages="message").all_valid

    # A part suffices for single calls.
    calls = rows // 20
    secret = sigmill.SigningKey.generate("P-256")
    signature, key = secret.sign(b"message"), secret.public_key()

    def call(key: sigmill.VerifyingKey | sigmill.PreparedKey, count: int) -> None:
        for _ in range(count):
            key.verify(signature, b"message")

    def by_two(job: Callable[[], None]) -> None:
        for done in [pool.submit(job) for _ in range(2)]:
            done.result()

    # Python before 3.13 lacks this function.
    has_gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    print(f"CPython {sys.version.split()[0]}, {'with' if has_gil else 'without'} the GIL\n")
    print("| | µs a row, one thread | `threads=2` | two threads of Python |\n|---|---|---|---|")
    line(
        f"`Engine.verify_table`, {rows:,} rows",
        rows,
        rounds,
        partial(judge, engines[0], table),
        [partial(judge, engines[1], table), partial(by_two, partial(judge, engines[0], half))],
    )
    for used in (key, key.prepare()):
        name = f"`{type(used).__name__}.verify`"
        one = partial(call, used, calls)
        line(name, calls, rounds, one, [None, partial(by_two, partial(call, used, calls // 2))])


if __name__ == "__main__":
    main()
