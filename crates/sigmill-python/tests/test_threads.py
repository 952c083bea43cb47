"""Many threads at once, on a Python with the GIL and on one without (`python3.14t`)."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any

import pytest
import sigmill
from c_data import Arrays, Made
from conftest import HAS_GIL, THREADS, Rows, make_rows, together
from sigmill._store import KeyStore


def part(rows: Rows, number: int, count: int) -> tuple[dict[str, Any], list[str | None]]:
    """Some rows, different for each number, as arguments; and their expected reasons."""
    first = number * 53 % (len(rows) - count)
    which = slice(first, first + count)
    columns = {
        "keys": rows.keys[which],
        "messages": rows.messages[which],
        "signatures": rows.signatures[which],
    }
    return columns, rows.reasons[which]


@pytest.mark.skipif(HAS_GIL, reason="this Python has a GIL")
def test_the_module_needs_no_gil() -> None:
    # Python would warn, and enable the GIL, for a module without the declaration.
    code = "import sys, sigmill; assert not sys._is_gil_enabled()"
    chosen = {name: value for name, value in os.environ.items() if name != "PYTHON_GIL"}
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, env=chosen)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("key_memory", [0, 300_000, 1 << 28])
def test_an_engine_for_all(threads: int, key_memory: int) -> None:
    # Memory for no key, so that all are evicted at once, for two tables, for all.
    rows = make_rows(1500, signers=7)
    engine = sigmill.Engine(threads=threads, key_memory=key_memory)
    key = sigmill.VerifyingKey.from_sec1("P-256", rows.keys[0])

    def work(number: int) -> None:
        for turn in range(4):
            columns, reasons = part(rows, number + turn, 600)
            verdicts = engine.verify("ES256", **columns)
            assert list(verdicts) == reasons
            assert verdicts.valid + verdicts.rejected == len(verdicts) == 600
            assert engine.explain("ES256", **columns).rows == 600
            with suppress(sigmill.Error):
                # An error if there is no memory for it.
                engine.pin(key, 4 + (number + turn) % 5)
            engine.verify_row(
                "ES256", rows.keys[0], signature=rows.signatures[0], message=rows.messages[0]
            )
            assert engine.stats()["distinct_keys"] > 0

    together(work)


def test_a_key_is_prepared_while_it_verifies() -> None:
    secret = sigmill.SigningKey.generate("P-256")
    key = secret.public_key()
    good = secret.sign(b"data")

    def work(number: int) -> None:
        for turn in range(20):
            prepared = key.prepare(2 + (number + turn) % 6) if (number + turn) % 2 else key
            prepared.verify(good, b"data")
            with pytest.raises(sigmill.InvalidSignature):
                prepared.verify(good, b"other")
            assert prepared.curve == "P-256"
            assert hash(key) == hash(secret.public_key())

    together(work)


def test_signatures_are_those_of_one_thread() -> None:
    secret = sigmill.SigningKey.from_scalar("P-256", b"\x05" * 32)
    messages = [b"%d" % row for row in range(300)]
    engine = sigmill.Engine(threads=2)
    alone = engine.sign(secret, messages=messages).to_pyarrow()["signature"].to_pylist()
    peer = sigmill.SigningKey.generate("P-256")
    shared = secret.exchange(peer.public_key())

    def work(number: int) -> None:
        for _ in range(3):
            signed = engine.sign(secret, messages=messages)
            assert signed.to_pyarrow()["signature"].to_pylist() == alone
            assert secret.sign(messages[number]) == alone[number]
            assert peer.exchange(secret.public_key()) == shared

    together(work)


@pytest.mark.usefixtures("hurry")
def test_a_store_of_keys() -> None:
    keys = [sigmill.SigningKey.generate("P-256") for _ in range(6)]
    signatures = [key.sign(b"data") for key in keys]
    for _ in range(20):
        # Fewer places than keys, so that some are evicted while others are looked up.
        store = KeyStore(size=4, prepare_at=2)

        def work(number: int, store: KeyStore = store) -> None:
            for turn in range(12):
                at = (number + turn) // 2 % len(keys)
                store.get(at, None, keys[at].public_key).verify(signatures[at], b"data")
                assert len(store) <= 4 + THREADS

        together(work)
        assert len(store) == 4


def test_an_exception_of_progress_ends_its_own_call() -> None:
    rows = make_rows(700)
    engine = sigmill.Engine(threads=1)

    def work(number: int) -> None:
        columns, reasons = part(rows, number, 500)
        told: list[int] = []

        def progress(done: int, total: int) -> None:
            told.append(done)
            if number % 2:
                raise LookupError(str(number))

        if number % 2:
            with pytest.raises(LookupError, match=str(number)):
                engine.verify("ES256", progress=progress, **columns)
        else:
            assert list(engine.verify("ES256", progress=progress, **columns)) == reasons
        assert told

    together(work)


def test_lists_that_change() -> None:
    rows = make_rows(400)
    engine = sigmill.Engine(threads=1)
    keys, messages = list(rows.keys), [bytearray(message) for message in rows.messages]
    signatures: list[bytes | None] = list(rows.signatures)
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            keys.pop()
            keys.append(rows.keys[-1])
            messages[0].extend(b"more and more")
            del messages[0][9:]
            signatures[7:9] = [None]
            signatures[7:8] = rows.signatures[7:9]

    changing = threading.Thread(target=change)
    changing.start()

    def work(number: int) -> None:
        for _ in range(20):
            try:
                verdicts = engine.verify("ES256", keys, messages=messages, signatures=signatures)
            except sigmill.ColumnError as error:
                # One of the columns was one row shorter.
                assert "rows" in str(error)  # noqa: PT017
                continue
            assert list(verdicts)[20:-1] == rows.reasons[20:-1]

    try:
        together(work, 3)
    finally:
        stop.set()
        changing.join()


def test_arrays_that_change() -> None:
    np = pytest.importorskip("numpy")
    # Rows that need some tenths of a second, so that progress is called before they are judged.
    secret = sigmill.SigningKey.generate("P-521")
    count = 30_000
    point, digest = secret.public_key().to_sec1(), b"\x07" * 64
    signature = secret.sign_prehash(digest, format="p1363")
    columns = {
        "keys": np.array([point] * count, f"V{len(point)}"),
        "digests": np.frombuffer(bytearray(digest * count), np.uint8).reshape(count, -1),
        "signatures": memoryview(bytearray(signature * count)).cast("B", (count, len(signature))),
    }

    def change(done: int, total: int) -> None:
        for array in columns.values():
            np.asarray(array).view(np.uint8)[:] = 0xFF

    engine = sigmill.Engine(threads=1, key_memory=0)
    # The arrays' contents at the start of the call count.
    assert engine.verify("ES512", progress=change, **columns).all_valid
    assert engine.verify("ES512", **columns).valid == 0


def test_arrays_that_others_write_to() -> None:
    np = pytest.importorskip("numpy")
    rows = make_rows(200)
    engine = sigmill.Engine(threads=1)
    keys, digests = np.array(rows.keys, "V65"), np.array(rows.digests, "V32")
    signatures = np.array(rows.signatures, "V64")
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            for array in (keys, digests, signatures):
                # Only the first half of the rows changes.
                array[:100] = array[0:100][::-1].copy()

    changing = threading.Thread(target=change)
    changing.start()

    def work(number: int) -> None:
        for _ in range(50):
            verdicts = engine.verify("ES256", keys, digests=digests, signatures=signatures)
            assert list(verdicts)[100:] == rows.reasons[100:]

    try:
        together(work, 3)
    finally:
        stop.set()
        changing.join()


def test_capsules_are_taken_once() -> None:
    engine = sigmill.Engine(threads=1)

    class Again:
        """Exports the same capsules to every caller."""

        def __init__(self, made: Made) -> None:
            self.capsules = made.__arrow_c_array__()

        def __arrow_c_array__(self, requested_schema: object = None) -> Any:
            return self.capsules

    class StreamAgain:
        """The same for a stream."""

        def __init__(self, made: Arrays) -> None:
            self.capsule = made.__arrow_c_stream__()

        def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
            return self.capsule

    for _ in range(30):
        made = [Made(format=b"n", length=3, null_count=3) for _ in range(2)]
        arrays = Arrays(made[1], [made[1]])
        for given in (Again(made[0]), StreamAgain(arrays)):
            judged: list[list[str | None]] = []

            def work(
                number: int, given: Any = given, judged: list[list[str | None]] = judged
            ) -> None:
                try:
                    verdicts = engine.verify("ES256", given, digests=b"x", signatures=[b"s"] * 3)
                except sigmill.ColumnError as error:
                    assert "already consumed" in str(error)  # noqa: PT017
                    return
                judged.append(list(verdicts))

            together(work, 4)
            assert judged in ([], [["key-null"] * 3])


def test_columns_are_read_by_all() -> None:
    np, pa = pytest.importorskip("numpy"), pytest.importorskip("pyarrow")
    rows = make_rows(400)
    engine = sigmill.Engine(threads=1)
    lists = {"key": rows.keys, "digest": rows.digests, "signature": rows.signatures}

    def arrow(values: list[bytes]) -> Any:
        return pa.array(values, pa.binary())

    def chunks(values: list[bytes]) -> Any:
        parts = values[:99], values[99:]
        return pa.chunked_array([arrow(part).dictionary_encode() for part in parts])

    def read_only(values: list[bytes]) -> Any:
        array = np.array(values, f"V{len(values[0])}")
        array.flags.writeable = False
        return array

    makers: list[Any] = [tuple, arrow, chunks, read_only]
    # All threads share these objects.
    columns = [{name: make(values) for name, values in lists.items()} for make in makers]
    table = pa.table(columns[1])

    def work(number: int) -> None:
        for turn in range(8):
            k, d, s = columns[(number + turn) % len(columns)].values()
            assert list(engine.verify("ES256", k, digests=d, signatures=s)) == rows.reasons
            assert list(engine.verify_table("ES256", table, digests="digest")) == rows.reasons

    together(work)


def test_results_are_read_by_all() -> None:
    rows = make_rows(500)
    engine = sigmill.Engine(threads=1)
    columns, reasons = part(rows, 0, 450)
    verdicts = engine.verify("ES256", want_hints=True, explain=True, **columns)

    def work(number: int) -> None:
        for _ in range(20):
            assert list(verdicts) == reasons
            assert [verdicts[row] for row in range(450)] == reasons
            assert sum(verdicts.reasons.values()) == verdicts.rejected
            assert verdicts.plan is not None
            assert verdicts.plan.rows == 450
            verdicts.__arrow_c_array__()
            verdicts.__arrow_c_stream__()

    together(work)
