"""Rows of all kinds, and threads that start at once."""

from __future__ import annotations

import hashlib
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
import sigmill

HAS_GIL = not sysconfig.get_config_var("Py_GIL_DISABLED")
THREADS = 8


def together(work: Callable[[int], None], threads: int = THREADS) -> None:
    """Runs the work in several threads that start at once; raises what one of them raised."""
    # A free-threaded Python enables the GIL for all if it imports a module that needs it.
    assert HAS_GIL or not getattr(sys, "_is_gil_enabled")()  # noqa: B009
    begin = threading.Barrier(threads)
    raised: list[BaseException] = []

    def run(number: int) -> None:
        begin.wait()
        try:
            work(number)
        except BaseException as error:
            raised.append(error)

    running = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    if raised:
        raise raised[0]


@dataclass
class Rows:
    """Columns as lists, and the expected reason of each row."""

    keys: list[bytes] = field(default_factory=list)
    messages: list[bytes] = field(default_factory=list)
    digests: list[bytes] = field(default_factory=list)
    signatures: list[bytes] = field(default_factory=list)
    reasons: list[str | None] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.keys)


def make_rows(count: int, signers: int = 3) -> Rows:
    """Rows on P-256 with P1363 signatures; every seventh is tampered with in some way."""
    rows = Rows()
    keys = [
        sigmill.SigningKey.from_scalar("P-256", hashlib.sha256(b"signer %d" % i).digest())
        for i in range(signers)
    ]
    points = [key.public_key().to_sec1() for key in keys]
    by_signer = []
    for i, key in enumerate(keys):
        messages = [b"message %d" % row for row in range(i, count, signers)]
        made = sigmill.Engine(threads=1).sign(key, messages=messages, format="p1363")
        by_signer.append(iter(made.to_pyarrow()["signature"].to_pylist()))
    for row in range(count):
        signature = next(by_signer[row % signers])
        point, reason = points[row % signers], None
        if row % 7 == 5:
            match row // 7 % 4:
                case 0:
                    signature = signature[:40] + bytes([signature[40] ^ 1]) + signature[41:]
                    reason = "signature-mismatch"
                case 1:
                    signature = bytes(32) + signature[32:]
                    reason = "r-zero"
                case 2:
                    signature = signature[:32] + b"\xff" * 32
                    reason = "s-out-of-range"
                case _:
                    point = point[:-1] + bytes([point[-1] ^ 1])
                    reason = "key-not-on-curve"
        rows.keys.append(point)
        rows.messages.append(b"message %d" % row)
        rows.digests.append(hashlib.sha256(b"message %d" % row).digest())
        rows.signatures.append(signature)
        rows.reasons.append(reason)
    return rows


@pytest.fixture
def hurry() -> Iterator[None]:
    """Threads with a GIL switch more often."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(usual)


@pytest.fixture(scope="session")
def rows() -> Rows:
    """Three hundred rows."""
    return make_rows(300)


@pytest.fixture(scope="session")
def engine() -> sigmill.Engine:
    """An engine on the caller's thread."""
    return sigmill.Engine(threads=1)
