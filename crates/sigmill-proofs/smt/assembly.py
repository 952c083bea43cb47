"""Runs inline assembly for x86-64 on bit vectors: the instructions of the inner loops."""

from __future__ import annotations

import re
from collections.abc import Callable

from bits import Bits, choose, fresh


class Unsupported(Exception):
    """Something that this translator does not know."""


class Assembly:
    """A block of assembly, its registers and flags.

    `cut` is called before the first instruction and after every `step` instructions; it may look at
    registers and replace them.
    """

    def __init__(
        self, template: str, constraints: str, outputs: list[int], inputs: list[Bits]
    ) -> None:
        self.lines = [line for line in template.replace("\\0A", "\n").split("\n") if line]
        self.widths = outputs
        self.registers = [fresh(64, f"register {i} at the start") for i in range(len(outputs))]
        ties = constraints.split(",")
        known = {"~{dirflag}", "~{fpsr}", "~{flags}"}
        if (
            ties[: len(outputs)] != ["=&r"] * len(outputs)
            or not set(ties[len(outputs) + len(inputs) :]) <= known
        ):
            raise Unsupported(f"constraints {constraints}")
        for tie, value in zip(ties[len(outputs) :], inputs):
            if value.width != outputs[int(tie)]:
                raise Unsupported(f"constraints {constraints}")
            # The upper half of a register is unknown if the operand has 32 bits. None may read it.
            if value.width != 64 and f"${{{tie}:q}}" in template:
                raise Unsupported(f"register {tie} as 64 bits")
            self.registers[int(tie)] = value.zext(64)
        self.executed = 0
        self.forget_flags()

    def forget_flags(self) -> None:
        self.flags = {flag: fresh(1, f"flag {flag}") for flag in "CSZ"}

    def run(self, cut: Callable[[Assembly], None] | None) -> list[Bits]:
        if self.lines == ["/* ${0:q} */"]:
            # A barrier for the compiler.
            return [self.registers[0]]
        labels = {line[:-1]: i for i, line in enumerate(self.lines) if line.endswith(":")}
        position = 0
        while position < len(self.lines):
            line = self.lines[position]
            position += 1
            if line.endswith(":"):
                continue
            if jump := re.fullmatch(r"jnz (\d+)b", line):
                if self.flags["Z"].known is None:
                    raise Unsupported("a jump that depends on an unknown value")
                if not self.flags["Z"].known:
                    position = labels[jump[1]]
                continue
            if cut and not self.is_count(line):
                cut(self)
            self.step(line)
            self.executed += not self.is_count(line)
        if cut:
            cut(self)
        return [register[:width] for register, width in zip(self.registers, self.widths)]

    def is_count(self, line: str) -> bool:
        """Whether a line counts the rounds of the loop."""
        return re.fullmatch(r"dec \$\{\d+:k\}", line) is not None

    def step(self, line: str) -> None:
        match = re.fullmatch(r"(\w+) \$\{(\d+):([qk])\}(?:, (.*))?", line)
        if not match:
            raise Unsupported(f"assembly: {line}")
        name, to, size, source = match[1], int(match[2]), 64 if match[3] == "q" else 32, match[4]
        a = self.registers[to][:size]
        if name == "lea" and size == 64:
            terms = re.fullmatch(r"\[(\S+) \+ (\S+)\]", source or "")
            if not terms:
                raise Unsupported(f"assembly: {line}")
            self.registers[to] = self.source(terms[1], 64) + self.source(terms[2], 64)
            return
        b = self.source(source, size) if source else Bits(size, 1)
        flags = self.flags
        if name in ("cmovc", "cmovns"):
            self.write(to, choose(flags["C"] if name == "cmovc" else ~flags["S"], b, a))
        elif name == "mov" and source:
            self.write(to, b)
        elif name == "not" and not source:
            self.write(to, ~a)
        elif name == "bt" and b.known is not None and b.known < size:
            # Z stays; S is undefined.
            flags["S"] = fresh(1, "flag after bt")
            flags["C"] = a[b.known]
        elif name in ("xor", "and") and source:
            # A register minus itself is zero whatever it was.
            same = source == f"${{{to}:{match[3]}}}"
            result = Bits(size, 0) if same and name == "xor" else a ^ b if name == "xor" else a & b
            self.write(to, result)
            self.result_flags(result, Bits(1, 0))
        elif name == "add" and source:
            total = a.zext(size + 1) + b.zext(size + 1)
            self.write(to, total[:size])
            self.result_flags(total[:size], total[size])
        elif name == "sub" and source:
            self.write(to, a - b)
            self.result_flags(a - b, a.ult(b))
        elif name == "dec" and not source:
            self.write(to, a - 1)
            self.result_flags(a - 1, flags["C"])
        elif name in ("shl", "shr", "sar") and b.known is not None and 0 < b.known < size:
            result = a << b if name == "shl" else a >> b if name == "shr" else a.sar(b)
            self.write(to, result)
            self.result_flags(result, a[size - b.known if name == "shl" else b.known - 1])
        else:
            raise Unsupported(f"assembly: {line}")

    def source(self, text: str, size: int) -> Bits:
        if match := re.fullmatch(r"\$\{(\d+):([qk])\}", text):
            if (64 if match[2] == "q" else 32) != size:
                raise Unsupported(f"operand {text}")
            return self.registers[int(match[1])][:size]
        if re.fullmatch(r"\d+", text):
            return Bits(size, int(text))
        raise Unsupported(f"operand {text}")

    def write(self, to: int, value: Bits) -> None:
        """A write of 32 bits clears the upper half."""
        self.registers[to] = value.zext(64)

    def result_flags(self, result: Bits, carry: Bits) -> None:
        self.flags = {"C": carry, "S": result[result.width - 1], "Z": result.eq(0)}
