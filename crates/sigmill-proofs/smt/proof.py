"""Claims about calls of functions, and the solver that decides them."""

from __future__ import annotations

import ctypes
import random
from dataclasses import dataclass

from assembly import Assembly, Unsupported
from bits import TERMS, Bits, concat, fresh
from bitwuzla import Bitwuzla, Kind, Option, Options, Result
from llvm import POISON, Module, Run

Argument = Bits | int | list[Bits]


@dataclass
class Answer:
    """The results of a call: the word, and the contents of the arrays that were passed."""

    word: Bits | None
    arrays: list[list[Bits]]


class Proof:
    """A theorem: for all inputs that satisfy the assumptions, the claims hold."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.assumptions: list[Bits] = []
        self.claims: list[Bits] = []
        self.inputs: dict[str, list[Bits]] = {}
        self.calls: dict[str, tuple[str, list[Argument]]] = {}

    def word(self, name: str, width: int = 64) -> Bits:
        self.inputs[name] = [fresh(width, name)]
        return self.inputs[name][0]

    def array(self, name: str, count: int, width: int = 64) -> list[Bits]:
        self.inputs[name] = [fresh(width, f"{name}[{i}]") for i in range(count)]
        return list(self.inputs[name])

    def assume(self, condition: Bits) -> None:
        self.assumptions.append(condition)

    def claim(self, condition: Bits) -> None:
        assert condition.poison is None
        self.claims.append(condition)

    def call(self, name: str, *arguments: Argument, out: int = 0, run: Run | None = None) -> Answer:
        """Runs a function. `out` is the length of a last array, which the function must fill."""
        run = run or Run()
        given: list[Argument] = [*arguments, *([[Bits(64, 0, POISON)] * out] if out else [])]
        kinds = [kind for kind, _ in self.module.function(name).parameters]
        values = [
            Bits(int(kind[1:]), a) if isinstance(a, int) else a for kind, a in zip(kinds, given)
        ]
        key = f"{name} {[a if isinstance(a, int) else '' for a in given]}"
        self.calls.setdefault(key, (name, given))
        outcome = self.module.run(name, values, run)
        arrays = []
        for (_, parameter), argument in zip(self.module.function(name).parameters, given):
            if isinstance(argument, list):
                content, size = outcome.memory[parameter], argument[0].width // 8
                arrays.append([concat(content[i : i + size]) for i in range(0, len(content), size)])
        for word in [item for array in arrays for item in array]:
            if word.poison is not None:
                run.obligations.append(~word.poison)
        self.claims += run.obligations
        results = [[Bits(word.width, word.value) for word in array] for array in arrays]
        word = outcome.result
        return Answer(None if word is None else Bits(word.width, word.value), results)

    def refute(self) -> str | None:
        """Searches for inputs that violate a claim: None if there are none."""
        open_claims = [claim for claim in self.claims if claim.known != 1]
        # Claims are decided one by one: their joint search would mix them up.
        for number, claim in enumerate(open_claims):
            solver = self.solver(claim)
            result = solver.check_sat()
            if result == Result.SAT:
                return f"claim {number} of {len(open_claims)} fails for {self.inputs_of(solver)}"
            if result != Result.UNSAT:
                return f"the solver gave up: {result}"
        return None

    def solver(self, claim: Bits) -> Bitwuzla:
        options = Options()
        options.set(Option.PRODUCE_MODELS, True)
        solver = Bitwuzla(TERMS, options)
        one = Bits(1, 1).term
        for assumption in self.assumptions:
            solver.assert_formula(TERMS.mk_term(Kind.EQUAL, [assumption.term, one]))
        solver.assert_formula(TERMS.mk_term(Kind.DISTINCT, [claim.term, one]))
        return solver

    def inputs_of(self, solver: Bitwuzla) -> str:
        def show(word: Bits) -> str:
            return (
                hex(int(solver.get_value(word.term).value(), 2))
                if word.known is None
                else hex(word.known)
            )

        values = [
            f"{name} = [{', '.join(map(show, words))}]" for name, words in self.inputs.items()
        ]
        return "; ".join(values)


class Steps:
    """Compares each step of assembly with a function, from an arbitrary state.

    `places` says which registers hold the state before the first step and the second, which
    alternate. After each step, every register and flag becomes unknown, so a step cannot depend on
    anything but the state before it.
    """

    def __init__(
        self, proof: Proof, step: str, length: int, places: tuple[list[int], list[int]], groups: int
    ) -> None:
        self.proof, self.step, self.length, self.places, self.groups = (
            proof,
            step,
            length,
            places,
            groups,
        )
        self.done = 0
        self.first: list[Bits] = []
        self.state: list[Bits] = []

    def cut(self, assembly: Assembly) -> None:
        if assembly.executed != self.done * self.length:
            return
        places = self.places[self.done % 2]
        registers = assembly.registers
        if self.done == 0:
            self.first = [registers[i] for i in places]
        else:
            size = len(places) // self.groups
            for start in range(0, len(places), size):
                before = self.state[start : start + size]
                expected = self.proof.call(self.step, before, out=size).arrays[1]
                for place, word in zip(places[start : start + size], expected):
                    self.proof.claim(registers[place].eq(word))
        for i in range(len(registers)):
            if f"dec ${{{i}:k}}" not in assembly.lines:
                registers[i] = fresh(64, f"register {i} after {self.done} steps")
        assembly.forget_flags()
        self.state = [registers[i] for i in places]
        for name, word in zip((f"word {i}" for i in places), self.state):
            self.proof.inputs[f"{name} after {self.done} steps"] = [word]
        self.done += 1


def differences(module: Module, library: ctypes.CDLL, name: str, arguments: list[Argument]) -> int:
    """Runs the translation and the compiled code on random inputs; returns the number of runs."""
    source = random.Random(name)
    edges = [0, 1, 2, (1 << 62) - 1, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]
    runs = 0
    function = module.function(name)
    compiled = library[name]
    compiled.restype = {"void": None, "i32": ctypes.c_uint32, "i64": ctypes.c_uint64}[
        function.result
    ]
    for _ in range(20):
        values: list[Bits | list[Bits]] = []
        natives: list[object] = []

        def word(width: int) -> Bits:
            number = source.choice(
                [source.choice(edges), source.getrandbits(width) >> source.randrange(width)]
            )
            return Bits(width, number)

        for (kind, _), argument in zip(function.parameters, arguments):
            if isinstance(argument, list):
                filled = [Bits(a.width, 0) if a.poison else word(a.width) for a in argument]
                values.append(filled)
                native = ctypes.c_uint64 if argument[0].width == 64 else ctypes.c_uint8
                natives.append((native * len(filled))(*(item.value for item in filled)))
                continue
            width = int(kind[1:])
            value = Bits(width, argument) if isinstance(argument, int) else word(width)
            values.append(value)
            natives.append(
                (
                    ctypes.c_uint64
                    if width > 32
                    else ctypes.c_uint32
                    if width > 1
                    else ctypes.c_bool
                )(value.value)
            )
        run = Run()
        outcome = module.run(name, values, run)
        if any(obligation.known != 1 for obligation in run.obligations):
            # The code may do anything with these inputs.
            continue
        runs += 1
        result = compiled(*natives)
        if outcome.result is not None and outcome.result.known != result:
            raise Unsupported(f"{name} returns {result}, not {outcome.result.known}: {values}")
        for (kind, parameter), native in zip(function.parameters, natives):
            if kind == "ptr" and bytes(native) != bytes(
                item.known for item in outcome.memory[parameter]
            ):
                raise Unsupported(f"{name} leaves another {parameter}: {[v for v in values]}")
    return runs
