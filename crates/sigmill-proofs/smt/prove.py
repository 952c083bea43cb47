"""Proves properties of sigmill's bit manipulation for all inputs (see .ci/smt).

python prove.py LLVM_IR SHARED_LIBRARY [--all] [PART OF A TITLE]
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from llvm import Module
from proof import Argument, Proof, differences
from properties import (
    Property,
    approximations,
    booth,
    division_ends,
    division_invariant,
    gcd_ends,
    gcd_step,
    odd_windows,
    properties,
    selections,
    shifts,
    steps_of_assembly,
    sums,
    wnaf,
)


def planted() -> Iterator[tuple[str, Property, tuple[str, str, str] | None]]:
    """Wrong claims, and right claims about a function in which one instruction is changed."""
    yield "a Booth digit is below 2^(w-1)", partial(booth, 4, 256, 5, bound=15), None
    yield "an odd digit is below 2^w - 1", partial(odd_windows, 4, 256, 4, bound=14), None
    yield "a digit of the wNAF is below 2^(w-1) - 1", partial(wnaf, 5, bound=14), None
    yield (
        "coefficients of division steps are one less",
        partial(division_invariant, 3, lost=1),
        None,
    )
    yield "coefficients of 2^22 fit", partial(division_ends, bound=1 << 22), None
    yield "rows of the GCD are one less", partial(gcd_step, 3, lost=1), None
    yield "rows of the GCD up to 2^31 fit", partial(gcd_ends, bound=1 << 31), None
    yield "an approximation has 31 high bits", partial(approximations, 5, high=31), None
    yield (
        "a carry is dropped",
        partial(sums, 4),
        ("add_4", r"zext i1 (%\S+) to i64", r"zext i1 false to i64"),
    )
    yield (
        "a borrow is dropped",
        partial(sums, 4),
        ("subtract_4", r"zext i1 (%\S+) to i64", r"zext i1 false to i64"),
    )
    yield (
        "a selection reads one operand",
        partial(selections, 4),
        ("select_4", r" and i64 (%\S+), %mask", r" and i64 \1, 0"),
    )
    yield (
        "a shift is short by one",
        partial(shifts, 4),
        ("shift_right_one_4", r"i64 63\)", "i64 62)"),
    )
    yield (
        "a Booth digit lacks its carry",
        partial(booth, 4, 256, 5),
        ("booth_4", r"lshr i64 (%bits\S*), 1", r"lshr i64 \1, 2"),
    )
    yield (
        "an odd digit may be even",
        partial(odd_windows, 4, 256, 4),
        ("odd_4", r" or i32 (%\S+), 1", r" or i32 \1, 0"),
    )
    step = partial(division_invariant, 3)
    yield (
        "a division step never exchanges",
        step,
        ("division_step", r"ashr i64 (%\S+), 63", r"ashr i64 0, 63"),
    )
    yield "a division step does not count", step, ("division_step", ", -1\n", ", 0\n")
    one = ([0, 1, 2], [0, 3, 2])
    assembly = partial(steps_of_assembly, "twenty_division_steps", "division_step", 20, 14, one, 1)
    yield "the assembly takes 16 steps", assembly, ("twenty_division_steps", r"i32 5\)", "i32 4)")
    yield "the assembly halves without a sign", assembly, ("twenty_division_steps", "sar", "shr")
    yield (
        "the assembly subtracts in the wrong order",
        assembly,
        ("twenty_division_steps", "cmovc", "cmovns"),
    )
    yield (
        "a step of the GCD does not exchange",
        partial(gcd_step, 3),
        ("gcd_step", r"icmp ult i64 (%\S+), %\S+", r"icmp ult i64 \1, 0"),
    )


def check(module: Module, claimed: Property) -> tuple[str | None, Proof]:
    proof = Proof(module)
    claimed(proof)
    return proof.refute(), proof


def main() -> int:
    module = Module(Path(sys.argv[1]).read_text())
    library = ctypes.CDLL(sys.argv[2])
    rest = sys.argv[3:]
    every = "--all" in rest
    only = " ".join(word for word in rest if word != "--all")
    failures, proved, caught, runs = 0, 0, 0, 0
    calls: dict[str, tuple[str, list[Argument]]] = {}
    begin = time.monotonic()
    for title, claimed in properties(every):
        if only not in title:
            continue
        start = time.monotonic()
        counterexample, proof = check(module, claimed)
        calls |= proof.calls
        verdict = "proved" if counterexample is None else "WRONG "
        print(f"{verdict} {time.monotonic() - start:6.2f} s  {title}", flush=True)
        if counterexample is None:
            proved += 1
        else:
            failures += 1
            print(f"       {counterexample}")
    for title, claimed, defect in planted():
        if only:
            break
        start = time.monotonic()
        counterexample, _ = check(module.with_defect(*defect) if defect else module, claimed)
        verdict = "MISSED" if counterexample is None else "caught"
        print(f"{verdict} {time.monotonic() - start:6.2f} s  planted: {title}", flush=True)
        failures += counterexample is None
        caught += counterexample is not None
    # A few of the calls with known arguments stand for all of them.
    for number, (name, arguments) in enumerate(calls.values()):
        if number % 10 == 0 or not any(isinstance(argument, int) for argument in arguments):
            runs += differences(module, library, name, arguments)
    print(
        f"{proved} proved, {caught} defects caught, {runs} runs as compiled, "
        f"{time.monotonic() - begin:.1f} s"
    )
    return int(failures > 0 or proved == 0)


if __name__ == "__main__":
    sys.exit(main())
