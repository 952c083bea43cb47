"""Sample rows: each is what it is meant to be, and equals the command's row."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
import sigmill

SHAPES: list[dict[str, Any]] = [
    {},
    {"curve": "secp256k1", "format": "p1363", "key_format": "sec1-compressed"},
    {"curve": "P-384", "key_format": "spki", "input": "digest"},
    {"curve": "P-521", "key_format": "pem", "keys": 1},
    {"curve": "brainpoolP256r1", "distribution": "zipf", "keys": 5},
]


@pytest.mark.parametrize("shape", SHAPES)
def test_rows_are_what_they_are_meant_to_be(shape: dict[str, Any]) -> None:
    engine = sigmill.Engine(threads=2)
    sample = engine.sample(3000, invalid=0.1, malformed=0.07, seed=7, **shape)
    assert (sample.valid, sample.invalid, sample.malformed) == (2490, 300, 210)
    assert repr(sample) == "<Sample 2490 valid, 300 invalid, 210 malformed>"
    table = sample.to_pyarrow()
    # Readers of the algorithm reject rows with an unknown one.
    named = [alg != "RS256" for alg in table["alg"].to_pylist()]
    (alg,) = set(table["alg"].to_pylist()) - {"RS256"}
    what = shape.get("input", "message")
    columns: dict[str, Any] = {f"{what}s": what}
    verdicts = engine.verify_table(alg, sample, format=shape.get("format", "der"), **columns)
    for row, (id_, reason) in enumerate(zip(table["id"].to_pylist(), verdicts, strict=True)):
        meant, number = id_.split("-")
        assert int(number) == row + 1
        assert (meant == "valid" or not named[row]) == (reason is None), (id_, reason)
        if meant == "invalid":
            assert reason == "signature-mismatch"
    assert named.count(False) == 30
    assert {"key-null", "signature-null", "r-zero", "key-not-on-curve"} <= set(verdicts.reasons)


def test_the_same_choices_give_the_same_rows() -> None:
    one, two = sigmill.Engine(threads=1), sigmill.Engine(threads=3)
    first = one.sample(5000, seed=3, malformed=0.01).to_pyarrow()
    assert first == two.sample(5000, seed=3, malformed=0.01).to_pyarrow()
    assert first.slice(0, 70) == one.sample(70, seed=3, malformed=0.01).to_pyarrow()
    assert first["signature"][0] != one.sample(1, seed=4).to_pyarrow()["signature"][0]
    assert len(one.sample(0)) == 0


def test_rows_are_those_of_the_command() -> None:
    """The hash of all cells of `sigmill sample --rows 1000 --keys 5 --distribution zipf --invalid
    0.1 --malformed 0.2 --seed 9 --out rows.parquet`.
    """
    made = sigmill.Engine(threads=1).sample(
        1000, keys=5, distribution="zipf", invalid=0.1, malformed=0.2, seed=9
    )
    assert digest(made.to_pyarrow()) == COMMAND


COMMAND = "d06c0b9d34e4b5519d14c353307b4dec85ed90edc8425c97506c0b7cc2d17172"


def digest(table: Any) -> str:
    """The hash of all cells, column by column."""
    cells = hashlib.sha256()
    for name in ("id", "alg", "key", "message", "signature"):
        for cell in table[name].to_pylist():
            cells.update(b"-" if cell is None else b"+")
            cells.update(cell.encode() if isinstance(cell, str) else cell or b"")
    return cells.hexdigest()


@pytest.mark.parametrize(
    ("choices", "rule"),
    [
        ({"keys": 0}, "keys: must be from 1 to 1048576"),
        ({"keys": 2**32 - 1}, "keys: must be from 1 to 1048576"),
        ({"rows": 2**63}, "rows: must be at most 67108864"),
        ({"invalid": -0.1}, "invalid: must be from 0 to 1"),
        ({"malformed": float("nan")}, "malformed: must be from 0 to 1"),
        ({"invalid": 0.6, "malformed": 0.6}, "malformed: sum with invalid must be at most 1"),
        ({"distribution": "normal"}, "distribution: must be one of uniform, zipf, not"),
        ({"input": "text"}, "input: must be one of message, digest"),
        ({"key_format": "der"}, "key_format: must be one of sec1, sec1-compressed, spki, pem"),
        ({"format": "auto"}, "format: must be der or p1363"),
    ],
)
def test_choices_that_are_none(choices: dict[str, Any], rule: str) -> None:
    with pytest.raises(sigmill.ColumnError, match=rule):
        sigmill.Engine(threads=1).sample(**{"rows": 1} | choices)


def test_progress_can_end_it() -> None:
    def stop(done: int, total: int) -> None:
        raise StopIteration(done)

    with pytest.raises(StopIteration):
        sigmill.Engine(threads=1).sample(60_000_000, progress=stop)
