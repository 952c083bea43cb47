"""Arrays that lie, and objects that are not columns: an exception names the column and the rule."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import sigmill
from c_data import NAMES, RELEASED, Arrays, Made


def offsets(*numbers: int, code: str = "i") -> bytes:
    return struct.pack(f"{len(numbers)}{code}", *numbers)


def view(length: int, buffer: int = 0, begin: int = 0) -> bytes:
    return struct.pack("i4sii", length, b"abcd", buffer, begin)


def good(**changes: Any) -> Made:
    parts: dict[str, Any] = {
        "buffers": [None, offsets(0, 2, 4, 6), b"aabbcc"],
        "length": 3,
    }
    return Made(**parts | changes)


def dictionary(indices: bytes, **changes: Any) -> Made:
    parts: dict[str, Any] = {
        "format": b"i",
        "buffers": [None, indices],
        "length": 3,
        "dictionary": good(),
    }
    return Made(**parts | changes)


def judge(column: Any, rows: int = 3) -> sigmill.Verdicts:
    other = [b"x"] * rows
    return sigmill.Engine(threads=1).verify("ES256", column, digests=other, signatures=other)


WELL_FORMED: dict[str, Callable[[], Made]] = {
    "as it is": lambda: good(),
    "large": lambda: good(format=b"Z", buffers=[None, offsets(0, 2, 4, 6, code="q"), b"aabbcc"]),
    "offset": lambda: good(length=2, offset=1, buffers=[None, offsets(9, 2, 4, 6), b"aabbcc"]),
    "null count of an absent buffer": lambda: good(null_count=0),
    "views": lambda: good(
        format=b"vz",
        buffers=[None, view(4) + view(0) + view(13, 0, 1), b"x" * 20, offsets(20, code="q")],
    ),
    "dictionary": lambda: dictionary(offsets(2, 0, 1)),
}


@pytest.mark.parametrize("name", WELL_FORMED)
def test_the_well_formed_are_taken(name: str) -> None:
    column = WELL_FORMED[name]()
    verdicts = judge(column, column.length)
    assert len(verdicts) == column.length
    assert verdicts.valid == 0
    # Everything handed over is released exactly once.
    RELEASED.clear()
    judge(WELL_FORMED[name](), column.length)
    assert sorted(RELEASED) == ["array", "schema"]


LIES: dict[str, tuple[Callable[[], Made], str]] = {
    "released": (lambda: good(released=True), "already consumed"),
    "no format": (lambda: good(format=None), "the format must not be NULL"),
    "empty format": (lambda: good(format=b""), "must be bytes or text, not"),
    "integers": (lambda: good(format=b"i"), 'must be bytes or text, not Arrow\'s format "i"'),
    "long format": (lambda: good(format=b"+" * 5000), "must be bytes or text"),
    "not UTF-8": (lambda: good(format=b"w:\xff"), "must be bytes or text"),
    "width 0": (lambda: good(format=b"w:0", n_buffers=2), "must be bytes or text"),
    "width -1": (lambda: good(format=b"w:-1", n_buffers=2), "must be bytes or text"),
    "width beyond memory": (
        lambda: good(format=b"w:9223372036854775807", n_buffers=2),
        "must be those of memory",
    ),
    "width beyond numbers": (
        lambda: good(format=b"w:99999999999999999999", n_buffers=2),
        "must be bytes or text",
    ),
    "length -1": (lambda: good(length=-1), "the length must not be negative"),
    "offset -1": (lambda: good(offset=-1), "the offset must not be negative"),
    "length beyond memory": (lambda: good(length=2**63 - 1), "must be those of memory"),
    "offset beyond memory": (lambda: good(offset=2**63 - 1), "must be those of memory"),
    "sum beyond memory": (lambda: good(offset=2**62, length=2**62), "must be those of memory"),
    "two buffers": (lambda: good(n_buffers=2), "there must be 3 buffers, not 2"),
    "buffers -1": (lambda: good(n_buffers=-1), "there must be 3 buffers"),
    "buffers NULL": (lambda: good(no_buffers=True), "the buffers must be there"),
    "views without end": (
        lambda: good(format=b"vz", n_buffers=2**62),
        "buffers cannot be",
    ),
    "offsets NULL": (
        lambda: good(buffers=[None, None, b"aabbcc"]),
        "a buffer of numbers must be there",
    ),
    "offsets not aligned": (
        lambda: good(buffers=[None, 0x1001, b"aabbcc"]),
        "must be there, and aligned",
    ),
    "data NULL": (
        lambda: good(buffers=[None, offsets(0, 2, 4, 6), None]),
        "a buffer of values must not be NULL",
    ),
    "last offset negative": (
        lambda: good(buffers=[None, offsets(0, 2, 4, -6), b"aabbcc"]),
        "the last offset must not be negative",
    ),
    "first offset negative": (
        lambda: good(buffers=[None, offsets(-4, 2, 4, 6), b"aabbcc"]),
        "keys: offset 0 must be at least",
    ),
    "offsets decrease": (
        lambda: good(buffers=[None, offsets(0, 4, 2, 6), b"aabbcc"]),
        "keys: offset 2 must be at least",
    ),
    "offset beyond the last": (
        lambda: good(buffers=[None, offsets(0, 2**31 - 1, 4, 6), b"aabbcc"]),
        "keys: offset 2 must be at least",
    ),
    "large offset beyond memory": (
        lambda: good(format=b"Z", buffers=[None, offsets(0, 0, 0, -(2**63), code="q"), b"x"]),
        "the last offset must not be negative",
    ),
    "validity NULL": (lambda: good(null_count=1), "the buffer of validity must be there"),
    "children": (lambda: good(n_children=1), "must not have children"),
    "view beyond its buffer": (
        lambda: good(
            format=b"vz",
            buffers=[None, view(13, 0, 8) * 3, b"x" * 20, offsets(20, code="q")],
        ),
        "the view of row 0 must lie within its buffer",
    ),
    "view of no buffer": (
        lambda: good(
            format=b"vz",
            buffers=[None, view(4) + view(13, 1, 0) * 2, b"x" * 20, offsets(20, code="q")],
        ),
        "the view of row 1 must lie within its buffer",
    ),
    "view of negative length": (
        lambda: good(format=b"vz", buffers=[None, view(-1) * 3, None]),
        "the view of row 0",
    ),
    "view of a negative place": (
        lambda: good(
            format=b"vz", buffers=[None, view(13, -1, -1) * 3, b"x" * 20, offsets(20, code="q")]
        ),
        "the view of row 0",
    ),
    "view of an absent buffer": (
        lambda: good(format=b"vz", buffers=[None, view(13) * 3, None, offsets(20, code="q")]),
        "the view of row 0",
    ),
    "index beyond the dictionary": (
        lambda: dictionary(offsets(0, 3, 1)),
        "keys: the index of row 1 must be below the number of values, 3",
    ),
    "index negative": (
        lambda: dictionary(offsets(0, 1, -1)),
        "keys: the index of row 2 must be below",
    ),
    "indices of text": (
        lambda: dictionary(offsets(0, 1, 2), format=b"z"),
        "the indices of a dictionary must be integers",
    ),
    "dictionary in a dictionary": (
        lambda: dictionary(offsets(0, 1, 2), dictionary=dictionary(offsets(0, 1, 2))),
        "must not be in a dictionary",
    ),
    "dictionary of the schema only": (
        lambda: good(schema_dictionary=good()),
        "schema and array must both have a dictionary",
    ),
    "dictionary that decreases": (
        lambda: dictionary(
            offsets(0, 1, 2),
            dictionary=good(buffers=[None, offsets(0, 5, 4, 6), b"aabbcc"]),
        ),
        "keys: offset 2 must be at least",
    ),
    "dictionary of integers": (
        lambda: dictionary(offsets(0, 1, 2), dictionary=good(format=b"l", n_buffers=2)),
        "must be bytes or text",
    ),
    "wrong names": (
        lambda: good(names=(NAMES[1], NAMES[0])),
        'must be in capsules named "arrow_schema"',
    ),
    "struct without children": (
        lambda: good(format=b"+s", n_buffers=1),
        "must have one column, not 0",
    ),
    "struct with NULL": (
        lambda: good(format=b"+s", n_buffers=1, n_children=1, schema_children=1),
        "the columns of the schema must be there",
    ),
    "struct with fewer children": (
        lambda: good(format=b"+s", n_buffers=1, n_children=0, schema_children=1, children=[good()]),
        "schema and array must have as many columns",
    ),
    "struct with a short child": (
        lambda: good(
            format=b"+s", n_buffers=1, n_children=1, schema_children=1, children=[good(length=2)]
        ),
        "the column has 2 rows, and must have 3",
    ),
}


@pytest.mark.parametrize("name", LIES)
def test_lies_are_refused(name: str) -> None:
    make, rule = LIES[name]
    RELEASED.clear()
    with pytest.raises(sigmill.ColumnError) as caught:
        judge(make())
    assert str(caught.value).startswith("keys: ")
    assert rule in str(caught.value)
    assert caught.value.column == "keys"
    assert RELEASED.count("schema") == (0 if name == "wrong names" else 1)


@pytest.mark.parametrize("name", LIES)
def test_lies_in_streams_are_refused(name: str) -> None:
    make = LIES[name][0]
    stream = Arrays(make(), [make(), make()])
    with (
        pytest.raises(sigmill.ColumnError, match="keys: ")
        if name
        not in {
            "released",
            "wrong names",
        }
        else pytest.raises(sigmill.ColumnError)
    ):
        judge(stream, 7)


def test_streams_that_fail() -> None:
    for stream, rule in (
        (Arrays(good(), [good()], fails=b"disk full\nand more"), "the stream failed: disk full$"),
        (Arrays(good(), [], fails=b""), "the stream failed with code 5"),
        (Arrays(good(), [], schema_fails=True), "the stream failed with code 5"),
    ):
        RELEASED.clear()
        with pytest.raises(sigmill.ColumnError, match="keys: " + rule):
            judge(stream)
        assert RELEASED[-1] == "stream"
    RELEASED.clear()
    assert len(judge(Arrays(good(), [good(), good()]), 6)) == 6
    assert sorted(RELEASED) == ["array", "array", "schema", "stream"]

    class Raises:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise KeyError("no such table")

    with pytest.raises(KeyError, match="no such table"):
        judge(Raises())

    class Wrong:
        def __init__(self, answer: object) -> None:
            self.answer = answer

        def __arrow_c_array__(self, requested_schema: object = None) -> object:
            return self.answer

    for answer in (None, 1, (), (1,), (1, 2), (1, 2, 3)):
        with pytest.raises(sigmill.ColumnError, match="keys: "):
            judge(Wrong(answer))


@pytest.mark.parametrize(
    ("column", "rule"),
    [
        (7, "must be an Arrow column, a NumPy array, a list or one value"),
        (None, "not NoneType"),
        (["text"], "row 0 must be bytes, not str"),
        ("text", "must be bytes, not str"),
        ([b"x", 3], "row 1 must be bytes, not int"),
        (pa.array(["text"]), "must be bytes, not text"),
        (pa.array(["text"], pa.large_string()), "must be bytes, not text"),
        (pa.array(["text"], pa.string_view()), "must be bytes, not text"),
        (pa.array(["text"]).dictionary_encode(), "must be bytes, not text"),
        (pa.array([1]), 'must be bytes, not Arrow\'s format "l"'),
        (pa.array([[b"x"]]), 'must be bytes, not Arrow\'s format "+l"'),
        (pa.table({"a": [b"x"], "b": [b"x"]}), "must have one column, not 2"),
        (np.zeros(1, np.uint8), "a NumPy array of dtype S or V"),
        (np.zeros((1, 2), np.uint16), "a NumPy array of dtype S or V"),
        (np.zeros((1, 2, 3), np.uint8), "a NumPy array of dtype S or V"),
        (np.zeros(1, "U4"), "a NumPy array of dtype S or V"),
        (np.zeros(1, [("a", "u1"), ("b", "u1")]), "a NumPy array of dtype S or V"),
        (np.zeros((1, 0), np.uint8), "at least one byte"),
        (np.zeros((2, 4), np.uint8)[:, ::2], "must be contiguous"),
        (np.zeros((4, 2), np.uint8).T, "must be contiguous"),
        (np.array([b"x", None], object), "must be"),
    ],
)
def test_what_is_no_column(column: Any, rule: str) -> None:
    engine = sigmill.Engine(threads=1)
    for name in ("messages", "digests", "signatures"):
        columns: dict[str, Any] = {"digests": [b"x"], "signatures": [b"x"]} | {name: column}
        if name == "messages":
            del columns["digests"]
        if column is None and name != "signatures":
            continue
        with pytest.raises(sigmill.ColumnError) as caught:
            engine.verify("ES256", [b"x"], **columns)
        assert str(caught.value).startswith(f"{name}: ")
        assert rule in str(caught.value)


def test_rows_that_do_not_fit() -> None:
    engine = sigmill.Engine(threads=1)
    with pytest.raises(sigmill.ColumnError, match="digests: the column must have 2 rows"):
        engine.verify("ES256", [b"x"] * 2, digests=[b"x"], signatures=[b"x"])
    with pytest.raises(sigmill.ColumnError, match="signatures: the column must have 2 rows"):
        engine.verify("ES256", [b"x"] * 2, messages=[b"x"] * 2, signatures=[b"x"])
    with pytest.raises(sigmill.ColumnError, match="hints: the column must have 2 rows"):
        engine.verify("ES256", [b"x"] * 2, messages=b"x", signatures=[b"x"] * 2, hints=[1])
    with pytest.raises(TypeError, match="one of messages and digests"):
        engine.verify("ES256", [b"x"], signatures=[b"x"])
    with pytest.raises(TypeError, match="one of messages and digests"):
        engine.verify("ES256", [b"x"], messages=[b"x"], digests=[b"x"], signatures=[b"x"])
    with pytest.raises(sigmill.Error) as caught:
        engine.verify("RS256", [b"x"], messages=[b"x"], signatures=[b"x"])
    assert caught.value.reason == "unknown-algorithm"
    key = sigmill.SigningKey.generate("P-256").public_key()
    mixed: Any = [key, b"x"]
    with pytest.raises(sigmill.ColumnError, match="keys: row 1 must be a VerifyingKey"):
        engine.verify("ES256", mixed, digests=[b"x"] * 2, signatures=[b"x"] * 2)
    other = sigmill.SigningKey.generate("P-384").public_key()
    verdicts = engine.verify("ES256", [key, other], digests=b"x", signatures=[bytes(64)] * 2)
    assert list(verdicts) == ["r-zero", "key-curve-mismatch"]
