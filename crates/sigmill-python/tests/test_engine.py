"""Engines: recovery, signing, hints, plans, signals, threads, processes."""

from __future__ import annotations

import hashlib
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import pyarrow as pa
import pytest
import sigmill
from conftest import Rows, make_rows


def test_every_threads_and_memory(rows: Rows) -> None:
    good: list[dict[str, Any]] = [{"threads": 2}, {"key_memory": 0}, {"window": 4}, {"threads": 0}]
    for choices in good:
        engine = sigmill.Engine(**choices)
        for _ in range(3):
            verdicts = engine.verify(
                "ES256", rows.keys, messages=rows.messages, signatures=rows.signatures
            )
            assert list(verdicts) == rows.reasons
    stats = engine.stats()
    assert stats["fresh"] + stats["prepared"] > 0
    assert stats["distinct_keys"] == 3
    bad: list[dict[str, Any]] = [
        {"window": 0},
        {"window": 12},
        {"threads": 1025},
        {"policy": "any"},
    ]
    for choices in bad:
        with pytest.raises(sigmill.Error):
            sigmill.Engine(**choices)


def test_policies(engine: sigmill.Engine) -> None:
    key = sigmill.SigningKey.generate("secp256k1").with_policy("low-s")
    digest = hashlib.sha256(b"x").digest()
    low = key.sign_prehash(digest, format="p1363")
    n = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
    high = low[:32] + (n - int.from_bytes(low[32:])).to_bytes(32)
    point = key.public_key().to_sec1()
    for policy, expected in (("default", [None, None]), ("low-s", [None, "high-s"])):
        strict = sigmill.Engine(threads=1, policy=policy)  # type: ignore[arg-type]
        verdicts = strict.verify("ES256K", point, digests=digest, signatures=[low, high])
        assert list(verdicts) == expected


def test_recover_and_sign(engine: sigmill.Engine) -> None:
    key = sigmill.SigningKey.generate("secp256k1")
    messages = [b"%d" % i for i in range(2500)]
    digests = [hashlib.sha256(message).digest() for message in messages]
    one = engine.sign(key, messages=messages, format="p1363")
    many = sigmill.Engine(threads=3).sign(key, digests=pa.array(digests), format="p1363")
    assert one.to_pyarrow() == many.to_pyarrow()
    assert (one.signed, one.rejected, len(one)) == (2500, 0, 2500)
    made = one.to_pyarrow()
    signatures, ids = made["signature"].to_pylist(), made["hint"].to_pylist()
    assert signatures[7] == key.sign(messages[7], format="p1363")
    assert (signatures[8], ids[8]) == key.sign_prehash_recoverable(digests[8], format="p1363")
    rsv = [signature + bytes([27 + v]) for signature, v in zip(signatures, ids, strict=True)]
    rsv[3] = rsv[3][:64] + b"\x09"
    columns: list[bytes | None] = [*rsv[:4], None]
    recovered = engine.recover("ES256K", digests=digests[:5], signatures=columns)
    point = key.public_key().to_sec1()
    assert recovered.to_pyarrow()["key"].to_pylist() == [point] * 3 + [None] * 2
    assert list(recovered)[:3] == [None] * 3
    assert list(recovered)[4] == "signature-null"
    assert (recovered.recovered, recovered.rejected) == (3, 2)
    assert sum(recovered.reasons.values()) == 2
    other = engine.sign(key, messages=messages[:3], hash="SHA-512")
    assert other.to_pyarrow()["signature"][0].as_py() == key.sign(messages[0], hash="SHA-512")
    nulls = engine.sign(key, digests=[digests[0], None, b""])
    assert list(nulls) == [None, "input-null", "digest-empty"]
    assert nulls.to_pyarrow()["signature"].null_count == 2


def test_hints_change_no_verdict(rows: Rows) -> None:
    engine = sigmill.Engine(threads=1, batch=True)
    columns: dict[str, Any] = {"digests": rows.digests, "signatures": rows.signatures}
    first = engine.verify("ES256", rows.keys, want_hints=True, **columns).to_pyarrow()
    hints = first["hint"].to_pylist()
    assert [hint is None for hint in hints] == [reason is not None for reason in rows.reasons]
    as_bytes = [None if hint is None else bytes([hint]) for hint in hints]
    wrong = [0 if hint is None else hint ^ 1 for hint in hints]
    for given in (first["hint"], hints, as_bytes, wrong, [9] * len(rows)):
        verdicts = engine.verify("ES256", rows.keys, hints=given, **columns)
        assert list(verdicts) == rows.reasons
    with pytest.raises(sigmill.ColumnError, match="hints: row 0 must be recovery ids"):
        engine.verify("ES256", rows.keys, hints=[300] * len(rows), **columns)


def test_explain(rows: Rows) -> None:
    engine = sigmill.Engine(threads=1)
    columns: dict[str, Any] = {"digests": rows.digests, "signatures": rows.signatures}
    plan = engine.explain("ES256", rows.keys, **columns)
    assert plan.rows == len(rows) == sum(group["rows"] for group in plan.groups)
    assert plan.actual is None
    assert plan.estimated > 0
    assert "strategy" in str(plan)
    assert "<td>P-256</td>" in plan._repr_html_()
    done = engine.verify("ES256", rows.keys, explain=True, **columns)
    assert done.plan is not None
    assert done.plan.actual is not None
    assert done.plan.actual > 0
    assert list(done) == rows.reasons
    assert engine.verify("ES256", rows.keys, **columns).plan is None


def test_single_rows_and_pins(engine: sigmill.Engine) -> None:
    key = sigmill.SigningKey.generate("P-256")
    public = key.public_key()
    signature = key.sign(b"data")
    digest = hashlib.sha256(b"data").digest()
    for encoded in (public.to_sec1(), public.to_der(), public.to_pem()):
        engine.verify_row("ES256", encoded, message=b"data", signature=signature)
        engine.verify_row("ES256", encoded, digest=digest, signature=signature, format="der")
    with pytest.raises(sigmill.InvalidSignature) as caught:
        engine.verify_row("ES256", public.to_sec1(), message=b"other", signature=signature)
    assert caught.value.reason == "signature-mismatch"
    with pytest.raises(sigmill.InvalidSignature, match="key"):
        engine.verify_row("ES256", b"\x04" * 65, message=b"other", signature=signature)
    with pytest.raises(sigmill.Error, match="digest"):
        engine.verify_row("ES256", public.to_sec1(), digest=b"", signature=signature)
    with pytest.raises(TypeError, match="one of message and digest"):
        engine.verify_row("ES256", public.to_sec1(), signature=signature)
    with pytest.raises(sigmill.ColumnError, match="key: must be bytes or text"):
        engine.verify_row("ES256", [b""], message=b"", signature=b"")  # type: ignore[arg-type]
    before = engine.stats()["prepared"]
    engine.pin(public)
    engine.verify_row("ES256", public.to_sec1(), message=b"data", signature=signature)
    assert engine.stats()["prepared"] == before + 1
    with pytest.raises(sigmill.Error, match="window"):
        engine.pin(public, 12)


# Enough for more than a second on any machine: signed once, with distinct messages.
def long_call() -> tuple[sigmill.Engine, dict[str, Any]]:
    key = sigmill.SigningKey.generate("P-521")
    signature = key.sign(b"data", format="p1363")
    engine = sigmill.Engine(threads=1, key_memory=0)
    return engine, {
        "keys": key.public_key().to_sec1(),
        "messages": [b"%d" % i for i in range(400_000)],
        "signatures": signature,
    }


def test_progress_and_what_it_raises(rows: Rows, engine: sigmill.Engine) -> None:
    told: list[tuple[int, int]] = []
    engine.verify(
        "ES256",
        rows.keys,
        digests=rows.digests,
        signatures=rows.signatures,
        progress=lambda done, total: told.append((done, total)),
    )
    assert told[-1] == (len(rows), len(rows))
    slow, columns = long_call()

    def stop(done: int, total: int) -> None:
        assert 0 <= done <= total == 400_000
        raise StopIteration("enough")

    began = time.monotonic()
    with pytest.raises(StopIteration, match="enough"):
        slow.verify("ES512", progress=stop, **columns)
    assert time.monotonic() - began < 60


def test_signals_end_calls() -> None:
    engine, columns = long_call()
    raised: list[float] = []

    def interrupt(number: int, frame: object) -> None:
        raised.append(time.monotonic())
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            engine.verify("ES512", **columns)
        ended = time.monotonic()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # A tenth of a second, and a block; the bound allows for busy machines.
    assert ended - raised[0] < 20
    judged = engine.stats()
    assert judged["fresh"] + judged["prepared"] < 400_000


def test_the_gil_is_released() -> None:
    engine, columns = long_call()
    counted = [0]
    stop = threading.Event()

    def count() -> None:
        while not stop.wait(0.001):
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    seen: list[int] = []

    def progress(done: int, total: int) -> None:
        seen.append(counted[0])
        if len(seen) == 5:
            raise StopIteration

    with pytest.raises(StopIteration):
        engine.verify("ES512", progress=progress, **columns)
    stop.set()
    thread.join()
    assert seen[-1] > seen[0]


def test_many_threads_share_an_engine() -> None:
    rows = make_rows(2000)
    engine = sigmill.Engine(threads=2)
    wrong: list[int] = []

    def judge(first: int) -> None:
        for _ in range(5):
            part = slice(first, first + 700)
            verdicts = engine.verify(
                "ES256",
                rows.keys[part],
                messages=rows.messages[part],
                signatures=rows.signatures[part],
            )
            if list(verdicts) != rows.reasons[part]:
                wrong.append(first)

    threads = [threading.Thread(target=judge, args=(first,)) for first in (0, 400, 1300)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_pickled_and_forked() -> None:
    engine = sigmill.Engine(threads=1, key_memory=1 << 20, window=8, policy="low-s", batch=True)
    again = pickle.loads(pickle.dumps(engine))
    assert repr(again) == repr(engine)
    assert 'policy="low-s", batch=True' in repr(engine)
    code = """
import os, sigmill
engine = sigmill.Engine(threads=2)
if (child := os.fork()) == 0:
    try:
        engine.verify("ES256", [b""], messages=[b""], signatures=[b""])
    except RuntimeError as error:
        os._exit(7 if "fork" in str(error) else 1)
    os._exit(2)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
assert len(engine.verify("ES256", [b""], messages=[b""], signatures=[b""])) == 1
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, env=os.environ)
