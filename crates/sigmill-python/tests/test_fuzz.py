"""The import of Arrow arrays against structs with random changes, in other processes.

A seed that kills a process is printed. SIGMILL_FUZZ_SECONDS makes the run longer, with other seeds
each time; `pytest -s` then prints the number of arrays.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path

import sigmill
from c_data import Arrays, Made
from test_hostile import dictionary, good, offsets, view

# Duration of the run; without it, two rounds of fixed seeds.
SECONDS = float(os.environ.get("SIGMILL_FUZZ_SECONDS", "0"))

# Arrays per process; a process needs half a second to start.
COUNT = 10_000 if SECONDS else 500

# Replacement numbers: those that overflow a sum or a product, and their neighbours.
NASTY = [0, 1, -1, 2, 3, 4, 7, 2**31 - 1, 2**31, -(2**31), 2**58, 2**61, 2**62, 2**63 - 1, -(2**63)]


def change(made: Made, chance: random.Random) -> Made:
    """Changes some field, so that memory is still as long as format and length require.

    A consumer cannot check how long the producer's memory is. So lengths and offsets only grow
    beyond all memory, and formats do not require more than is allocated.
    """
    for _ in range(chance.randint(1, 3)):
        number = chance.choice(NASTY)
        match chance.randrange(9):
            case 0:
                made.length = chance.choice([0, 1, 2, -1, 2**58 + 1, 2**63 - 1, -(2**63)])
            case 1 if made.format == b"n":
                # Nothing is in memory, so any length is acceptable.
                made.length = chance.choice([3, 2**20, 2**33, 2**40])
            case 1:
                made.offset = chance.choice([0, -1, 2**58 + 1, 2**63 - 1, -(2**63)])
            case 2:
                made.null_count = number
            case 3:
                made.n_buffers = chance.choice([0, 1, 2, -1, 2**62, -(2**63), 2**63 - 1])
            case 4:
                made.n_children = number
            case 5:
                # Not a format that reads its buffers differently.
                made.format = chance.choice(
                    [b"+s", b"+l", b"", b"w:", b"w:-3", b"\xff", b"n", None]
                )
            case 6:
                made.schema_children = 0 if made.format == b"+s" else number
            case 7 if made.buffers:
                made.buffers[chance.randrange(len(made.buffers))] = chance.choice([None, 0x1001])
                made.buffers = [
                    # Misaligned buffers are refused for numbers, but would be read for bytes.
                    None if buffer == 0x1001 and at != 1 else buffer
                    for at, buffer in enumerate(made.buffers)
                ]
                if made.format in {b"vz", b"vu"} or (made.format or b"").startswith(b"w:"):
                    made.buffers = [None if buffer == 0x1001 else buffer for buffer in made.buffers]
            case _ if len(made.buffers) > 1 and isinstance(made.buffers[1], bytes):
                # Offsets, views and indices may be anything, except the last offset: it is the
                # length of the data.
                last = 8 if made.format == b"Z" else 4 if made.format == b"z" else 0
                body = bytearray(made.buffers[1])
                for _ in range(chance.randint(1, 6)):
                    body[chance.randrange(len(body) - last)] = chance.randrange(256)
                made.buffers[1] = bytes(body)
    return made


def seeds(chance: random.Random) -> Made:
    """Well-formed arrays."""
    match chance.randrange(6):
        case 0:
            return good()
        case 1:
            return good(format=b"Z", buffers=[None, offsets(0, 2, 4, 6, code="q"), b"aabbcc"])
        case 2:
            body = view(4) + view(0) + view(13, 0, 1)
            return good(format=b"vz", buffers=[None, body, b"x" * 20, offsets(20, code="q")])
        case 3:
            return dictionary(offsets(2, 0, 1), dictionary=seeds(chance))
        case 4:
            return good(format=b"w:2", buffers=[b"\x05", b"aabbcc"])
        case _:
            child = good()
            return good(
                format=b"+s",
                buffers=[None],
                n_children=1,
                schema_children=1,
                children=[change(child, chance) if chance.random() < 0.5 else child],
            )


def run(seed: int, count: int) -> None:
    """Judges the given number of arrays; the results are verdicts, or exceptions that name a
    column.

    Memory or time in proportion to what an array claims ends the process.
    """
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    chance = random.Random(seed)
    engine = sigmill.Engine(threads=1, key_memory=0)
    refused, named = 0, set()
    for _ in range(count):
        made = seeds(chance)
        part = change(made.dictionary, chance) if made.dictionary else made
        if part is made or chance.random() < 0.5:
            change(made, chance)
        column = made if chance.random() < 0.7 else Arrays(made, [made, good()])
        try:
            verdicts = engine.verify("ES256", column, digests=b"x", signatures=[b"x"] * 3)
        except sigmill.ColumnError as error:
            refused += 1
            named.add(error.column)
        else:
            assert verdicts.valid == 0
    assert 0 < refused < count
    assert named <= {"keys", "signatures"}


def test_changed_structs_are_refused_or_judged() -> None:
    end = time.monotonic() + SECONDS
    rounds = 0
    while rounds < 2 or time.monotonic() < end:
        seed = random.randrange(2**32) if SECONDS else rounds
        command = [sys.executable, "-c", f"import test_fuzz; test_fuzz.run({seed}, {COUNT})"]
        done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, check=False)
        assert done.returncode == 0, (seed, done.returncode, done.stderr.decode()[-2000:])
        rounds += 1
    print(f"{rounds * COUNT:,} arrays")
