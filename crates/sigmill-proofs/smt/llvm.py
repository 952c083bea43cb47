"""Runs functions of LLVM IR on bit vectors that are known or not.

A branch on a known bit is followed. A branch on another bit is followed both ways, and the results
are merged. So loops with known bounds need no unrolling. Memory is a set of arrays of bytes, and
every address is one of them plus a known offset. Any instruction, flag or call that is not listed
here raises `Unsupported`.

Poison follows the rules of LLVM: `nuw`, `exact` and so on make a value poison, which spreads. What
would be undefined behaviour becomes an obligation, a bit that must be shown to be 1: a poison
branch, load of `noundef` or result, a false `assume`, a panic, a claimed range.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from assembly import Assembly, Unsupported
from bits import Bits, bits, choose, concat, either

NO = Bits(1, 0)
POISON = Bits(1, 1)


@dataclass(frozen=True)
class Pointer:
    base: str
    offset: int


Value = Bits | Pointer | list[Bits]
Memory = dict[str, list[Bits]]


@dataclass
class Function:
    name: str
    result: str
    result_range: str | None
    parameters: list[tuple[str, str]]
    blocks: dict[str, list[str]]
    first: str


@dataclass
class Outcome:
    """One way through a function: its condition, the result and the memory."""

    path: Bits
    result: Bits | None
    memory: Memory


@dataclass
class Run:
    """A call: its obligations, and a callback for its assembly."""

    obligations: list[Bits] = field(default_factory=list)
    cut: Callable[[Assembly], None] | None = None
    steps: int = 0
    allocations: int = 0

    def require(self, path: Bits, condition: Bits) -> None:
        if condition.poison is not None:
            condition = Bits(1, condition.value) & ~condition.poison
        obligation = ~path | condition
        if obligation.known != 1 and condition.known != 1:
            self.obligations.append(obligation)


NAME = r'%(?:"[^"]*"|[\w.$-]+)'
KNOWN_ATTRIBUTES = re.compile(
    r"\b(?:noundef|nonnull|noalias|readonly|writeonly|readnone|zeroext|signext|tail|"
    r"initializes\(\(.*?\)\)|"
    r"align \d+|captures\([\w, ]*\)|dereferenceable\(\d+\)|dead_on_return)(?=[\s,)]|$)"
)
INTRINSICS_WITHOUT_EFFECT = ("llvm.experimental.noalias.scope.decl", "llvm.lifetime.")
PANICS = ("panic_bounds_check", "slice_index_fail")


def width_of(kind: str) -> int:
    if not re.fullmatch(r"i\d+", kind):
        raise Unsupported(f"type {kind}")
    return int(kind[1:])


def size_of(kind: str) -> int:
    array = re.fullmatch(r"\[(\d+) x (.*)\]", kind)
    if array:
        return int(array[1]) * size_of(array[2])
    return max(width_of(kind), 8) // 8


class Module:
    """The functions of a file of LLVM IR."""

    def __init__(self, text: str) -> None:
        self.texts: dict[str, str] = {}
        for match in re.finditer(r"^define [^\n]*?@([\w.$]+)\(.*?^}$", text, re.M | re.S):
            self.texts[match[1]] = match[0]
        aliases = re.finditer(r"^@(\w+) = .*?alias .*?, ptr @(\w+)$", text, re.M)
        self.aliases = {match[1]: match[2] for match in aliases}

    def with_defect(self, name: str, pattern: str, replacement: str) -> Module:
        """The module with another text in one place of a function."""
        name = self.aliases.get(name, name)
        changed, count = re.subn(pattern, replacement, self.texts[name], count=1)
        assert count == 1, f"nothing to change in {name}: {pattern}"
        module = Module("")
        module.texts = {**self.texts, name: changed}
        module.aliases = self.aliases
        return module

    def function(self, name: str) -> Function:
        lines = self.texts[self.aliases.get(name, name)].splitlines()
        head = re.match(
            r"define (.*?)@[\w.$]+\((.*)\) [\w ]*#\d+ (?:personality \S+ @\w+ )?{$", lines[0]
        )
        if not head:
            raise Unsupported(lines[0])
        result_range = re.search(r"range\((i\d+ .*?)\)", head[1])
        result = re.sub(r"range\(.*?\)", "", head[1])
        parameters = []
        for parameter in re.sub(
            r"\(\(.*?\)\)|\([^()]*\)", lambda m: m[0].replace(",", ";"), head[2]
        ).split(", "):
            words = KNOWN_ATTRIBUTES.sub("", parameter.replace(";", ",")).split()
            if len(words) != 2:
                raise Unsupported(f"parameter {parameter}")
            parameters.append((words[0], words[1]))
        blocks: dict[str, list[str]] = {}
        for line in lines[1:-1]:
            line = re.sub(r"\s*; preds = .*$", "", line)
            label = re.fullmatch(r'("[^"]*"|[\w.$-]+):', line)
            if label:
                blocks["%" + label[1]] = current = []
            elif line.strip() and not line.startswith(";"):
                current.append(line.strip())
        kind = KNOWN_ATTRIBUTES.sub("", result).split()[-1]
        return Function(
            name,
            kind,
            result_range[1] if result_range else None,
            parameters,
            blocks,
            next(iter(blocks)),
        )

    def run(self, name: str, arguments: list[Bits | list[Bits]], run: Run) -> Outcome:
        """Calls a function. An array stands for a pointer to it; memory has the new contents."""
        function = self.function(name)
        if len(arguments) != len(function.parameters):
            raise Unsupported(f"{name} has {len(function.parameters)} parameters")
        variables: dict[str, Value] = {}
        memory: Memory = {}
        for (kind, parameter), argument in zip(function.parameters, arguments):
            if isinstance(argument, list):
                assert kind == "ptr"
                memory[parameter] = [
                    item[i : i + 8] for item in argument for i in range(0, item.width, 8)
                ]
                variables[parameter] = Pointer(parameter, 0)
            else:
                variables[parameter] = bits(argument, width_of(kind))
        outcomes = Execution(function, run).from_block(
            function.first, "", variables, memory, Bits(1, 1)
        )
        if not outcomes:
            raise Unsupported(f"{name} never returns")
        total = outcomes.pop()
        while outcomes:
            other = outcomes.pop()
            for base, content in total.memory.items():
                if base in other.memory:
                    pairs = zip(other.memory[base], content)
                    total.memory[base] = [
                        b if a is b else choose(other.path, a, b) for a, b in pairs
                    ]
            if total.result is not None and other.result is not None:
                total.result = choose(other.path, other.result, total.result)
        return total


class Execution:
    def __init__(self, function: Function, run: Run) -> None:
        self.function = function
        self.state = run

    def from_block(
        self, label: str, previous: str, variables: dict[str, Value], memory: Memory, path: Bits
    ) -> list[Outcome]:
        while True:
            lines = self.function.blocks[label]
            phis = {}
            for line in lines:
                phi = re.fullmatch(rf"({NAME}) = phi (\S+) (.*)", line)
                if not phi:
                    break
                choices = dict((b, a) for a, b in re.findall(rf"\[ (\S+), ({NAME}) \]", phi[3]))
                phis[phi[1]] = self.operand(phi[2], choices[previous], variables)
            variables.update(phis)
            for line in lines[len(phis) : -1]:
                self.state.steps += 1
                if self.state.steps > 100_000:
                    raise Unsupported("a loop without an end")
                self.instruction(
                    re.sub(r"(, ![\w.]+ !\d+| #\d+)+$", "", line), variables, memory, path
                )
                if (loaded := re.match(rf"({NAME}) = load i", line)) and "!noundef" in line:
                    value = variables[loaded[1]]
                    self.state.require(
                        path, Bits(1, 1, value.poison if isinstance(value, Bits) else None)
                    )
            end = lines[-1]
            if end == "unreachable":
                self.state.require(path, NO)
                return []
            if end == "ret void":
                return [Outcome(path, None, memory)]
            if match := re.fullmatch(r"ret (i\d+) (\S+)", end):
                result = self.bits(match[1], match[2], variables)
                self.state.require(path, Bits(1, 1, result.poison))
                if self.function.result_range:
                    self.state.require(path, in_range(result, self.function.result_range))
                return [Outcome(path, result, memory)]
            if match := re.fullmatch(rf"br label ({NAME})(?:, !llvm.loop !\d+)?", end):
                label, previous = match[1], label
                continue
            match = re.fullmatch(
                rf"br i1 (\S+), label ({NAME}), label ({NAME})(?:, ![\w.]+ !\d+)*", end
            )
            if not match:
                raise Unsupported(end)
            condition = self.bits("i1", match[1], variables)
            self.state.require(path, Bits(1, 1, condition.poison))
            condition = Bits(1, condition.value)
            if condition.known is not None:
                label, previous = match[2 if condition.known else 3], label
                continue
            copy = {base: list(content) for base, content in memory.items()}
            return [
                *self.from_block(match[2], label, dict(variables), copy, path & condition),
                *self.from_block(match[3], label, variables, memory, path & ~condition),
            ]

    def operand(self, kind: str, text: str, variables: dict[str, Value]) -> Value:
        if text.startswith("%"):
            return variables[text]
        if text in ("true", "false"):
            return Bits(1, int(text == "true"))
        if text in ("poison", "undef"):
            return Bits(width_of(kind), 0, POISON)
        if not re.fullmatch(r"-?\d+", text):
            raise Unsupported(f"operand {text}")
        return Bits(width_of(kind), int(text))

    def bits(self, kind: str, text: str, variables: dict[str, Value]) -> Bits:
        value = self.operand(kind, text, variables)
        if not isinstance(value, Bits):
            raise Unsupported(f"{kind} {text} is not a word")
        return bits(value, width_of(kind))

    def pointer(self, text: str, variables: dict[str, Value]) -> Pointer:
        value = self.operand("ptr", text, variables)
        if not isinstance(value, Pointer):
            raise Unsupported(f"{text} is not a pointer")
        return value

    def place(self, pointer: Pointer, size: int, memory: Memory) -> slice:
        if pointer.offset < 0 or pointer.offset + size > len(memory[pointer.base]):
            raise Unsupported(f"{size} bytes at {pointer}")
        return slice(pointer.offset, pointer.offset + size)

    def instruction(
        self, line: str, variables: dict[str, Value], memory: Memory, path: Bits
    ) -> None:
        if match := re.fullmatch(r"store (?:volatile )?(i\d+) (\S+), ptr (\S+), align \d+", line):
            value = self.bits(match[1], match[2], variables)
            pointer = self.pointer(match[3], variables)
            size = size_of(match[1])
            if value.width != 8 * size:
                raise Unsupported(line)
            place = self.place(pointer, size, memory)
            memory[pointer.base][place] = [value[8 * i : 8 * i + 8] for i in range(size)]
            return
        if match := re.fullmatch(rf"(?:({NAME}) = )?(?:tail )?call (.*)", line):
            value = self.call(match[2], variables, memory, path)
            if match[1]:
                assert value is not None
                variables[match[1]] = value
            return
        match = re.fullmatch(rf"({NAME}) = (\w+) (.*)", line)
        if not match:
            raise Unsupported(line)
        name, opcode, rest = match.groups()
        if opcode == "alloca":
            kind = re.fullmatch(r"(\[.*\]|i\d+), align \d+", rest)
            if not kind:
                raise Unsupported(line)
            self.state.allocations += 1
            base = f"alloca {self.state.allocations}"
            memory[base] = [Bits(8, 0, POISON)] * size_of(kind[1])
            variables[name] = Pointer(base, 0)
        elif opcode == "load":
            kind = re.fullmatch(r"(i\d+), ptr (\S+), align \d+", rest)
            if not kind or width_of(kind[1]) % 8:
                raise Unsupported(line)
            pointer = self.pointer(kind[2], variables)
            place = self.place(pointer, size_of(kind[1]), memory)
            variables[name] = concat(memory[pointer.base][place])
        elif opcode == "getelementptr":
            kind = re.fullmatch(
                r"(?:inbounds |nuw |nusw )*(i\d+|\[.*\]), ptr (\S+), i64 (\S+)", rest
            )
            if not kind:
                raise Unsupported(line)
            pointer = self.pointer(kind[2], variables)
            index = self.bits("i64", kind[3], variables)
            if index.known is None or index.poison:
                raise Unsupported(f"an unknown address: {line}")
            offset = pointer.offset + index.signed * size_of(kind[1])
            if not 0 <= offset <= len(memory[pointer.base]):
                raise Unsupported(f"an address outside of its array: {line}")
            variables[name] = Pointer(pointer.base, offset)
        elif opcode == "extractvalue":
            kind = re.fullmatch(r"\{.*\} (\S+), (\d+)", rest)
            parts = kind and variables[kind[1]]
            if not kind or not isinstance(parts, list):
                raise Unsupported(line)
            variables[name] = parts[int(kind[2])]
        elif opcode == "select":
            kind = re.fullmatch(r"i1 (\S+), (i\d+) (\S+), i\d+ (\S+)", rest)
            if not kind:
                raise Unsupported(line)
            condition, *sides = [
                self.bits(k, v, variables)
                for k, v in (("i1", kind[1]), (kind[2], kind[3]), (kind[2], kind[4]))
            ]
            variables[name] = choose(condition, *sides)
        elif opcode in ("zext", "sext", "trunc"):
            kind = re.fullmatch(r"((?:nneg |nuw |nsw )*)(i\d+) (\S+) to (i\d+)", rest)
            if not kind:
                raise Unsupported(line)
            value = self.bits(kind[2], kind[3], variables)
            variables[name] = convert(opcode, set(kind[1].split()), value, width_of(kind[4]))
        else:
            kind = re.fullmatch(r"((?:[a-z]+ )*)(i\d+|ptr) (\S+), (\S+)", rest)
            if not kind:
                raise Unsupported(line)
            words = kind[1].split()
            if opcode == "icmp" and kind[2] == "ptr" and words in (["eq"], ["ne"]):
                a, b = (self.pointer(kind[i], variables) for i in (3, 4))
                if a.base != b.base:
                    raise Unsupported(line)
                variables[name] = Bits(1, int((a == b) == (words == ["eq"])))
                return
            a, b = (self.bits(kind[2], kind[i], variables) for i in (3, 4))
            variables[name] = (
                compare(words, a, b) if opcode == "icmp" else compute(opcode, set(words), a, b)
            )

    def call(
        self, text: str, variables: dict[str, Value], memory: Memory, path: Bits
    ) -> Value | None:
        if " asm " in text:
            match = re.fullmatch(
                r'(?:noundef )?(\{.*?\}|i64) asm inteldialect "(.*?)", "(.*?)"\((.*)\)', text
            )
            if not match:
                raise Unsupported(text)
            inputs = [
                self.bits(kind, operand, variables)
                for kind, operand in (argument.split() for argument in match[4].split(", "))
            ]
            outputs = [width_of(kind) for kind in match[1].strip("{} ").split(", ")]
            assembly = Assembly(match[2], match[3], outputs, inputs)
            results = assembly.run(self.state.cut)
            return results if match[1].startswith("{") else results[0]
        match = re.fullmatch(r"((?:[\w ]|range\(.*?\))*?) ?@([\w.$]+)\((.*)\)", text)
        if not match:
            raise Unsupported(text)
        kind, name, rest = match.groups()
        if name.startswith(INTRINSICS_WITHOUT_EFFECT):
            return None
        if any(panic in name for panic in PANICS):
            # The next instruction is `unreachable`.
            return None
        without_ranges = re.sub(r"range\(.*?\)", "", rest)
        arguments = [
            argument.split() for argument in KNOWN_ATTRIBUTES.sub("", without_ranges).split(", ")
        ]
        if any(len(argument) != 2 for argument in arguments):
            raise Unsupported(text)
        if name.startswith(("llvm.memcpy.p0.p0", "llvm.memset.p0")):
            to = self.pointer(arguments[0][1], variables)
            size = self.bits(*arguments[2], variables).known
            if size is None:
                raise Unsupported(text)
            place = self.place(to, size, memory)
            if name.startswith("llvm.memset"):
                memory[to.base][place] = [self.bits(*arguments[1], variables)] * size
            else:
                source = self.pointer(arguments[1][1], variables)
                memory[to.base][place] = memory[source.base][self.place(source, size, memory)]
            return None
        words = [self.bits(*argument, variables) for argument in arguments]
        for argument, word in zip(rest.split(", i"), words):
            if claimed := re.search(r"range\((i\d+ .*?)\)", argument):
                self.state.require(path, in_range(word, claimed[1]))
        if name == "llvm.assume":
            self.state.require(path, words[0])
            return None
        result = intrinsic(name, words)
        if claimed := re.search(r"range\((i\d+ .*?)\)", kind):
            result = result.with_poison(~in_range(result, claimed[1]))
        return result


def in_range(value: Bits, text: str) -> Bits:
    """Whether a value is in a range of LLVM, which may wrap."""
    match = re.fullmatch(r"i\d+ (-?\d+), (-?\d+)", text)
    assert match, text
    low, high = (Bits(value.width, int(match[i])) for i in (1, 2))
    return (value - low).ult(high - low)


def convert(opcode: str, flags: set[str], value: Bits, width: int) -> Bits:
    if opcode == "sext" and not flags:
        return value.sext(width)
    if opcode == "zext" and flags <= {"nneg"}:
        return value.zext(width).with_poison(value[value.width - 1] if flags else None)
    if opcode == "trunc" and flags <= {"nuw", "nsw"}:
        result = value[:width]
        lost = None
        if "nuw" in flags:
            lost = either(lost, result.zext(value.width).ne(value))
        if "nsw" in flags:
            lost = either(lost, result.sext(value.width).ne(value))
        return result.with_poison(lost)
    raise Unsupported(f"{opcode} {flags}")


def compare(words: list[str], a: Bits, b: Bits) -> Bits:
    same = "samesign" in words
    *_, relation = words
    if len(words) != 1 + same:
        raise Unsupported(f"icmp {words}")
    results = {
        "eq": lambda: a.eq(b),
        "ne": lambda: a.ne(b),
        "ult": lambda: a.ult(b),
        "ule": lambda: a.ule(b),
        "ugt": lambda: b.ult(a),
        "uge": lambda: b.ule(a),
        "slt": lambda: a.slt(b),
        "sle": lambda: a.sle(b),
        "sgt": lambda: b.slt(a),
        "sge": lambda: b.sle(a),
    }
    top = a.width - 1
    return results[relation]().with_poison(a[top].ne(b[top]) if same else None)


def compute(opcode: str, flags: set[str], a: Bits, b: Bits) -> Bits:
    """A binary operation. Its flags say when the result is poison."""
    width = a.width
    too_far = None if b.known is not None and b.known < width else Bits(width, width).ule(b)
    if opcode in ("and", "xor") and not flags:
        return a & b if opcode == "and" else a ^ b
    if opcode == "or" and flags <= {"disjoint"}:
        return (a | b).with_poison((a & b).ne(0) if flags else None)
    if opcode in ("add", "sub", "mul") and flags <= {"nuw", "nsw"}:
        # Longer operands show what the result lacks.
        longer = 2 * width if opcode == "mul" else width + 1

        def exact(x: Bits, y: Bits) -> Bits:
            return x + y if opcode == "add" else x - y if opcode == "sub" else x * y

        result, poison = exact(a, b), None
        if "nuw" in flags:
            poison = either(poison, exact(a.zext(longer), b.zext(longer)).ne(result.zext(longer)))
        if "nsw" in flags:
            poison = either(poison, exact(a.sext(longer), b.sext(longer)).ne(result.sext(longer)))
        return result.with_poison(poison)
    if opcode == "shl" and flags <= {"nuw", "nsw"}:
        result, poison = a << b, too_far
        if "nuw" in flags:
            poison = either(poison, (result >> b).ne(a))
        if "nsw" in flags:
            poison = either(poison, result.sar(b).ne(a))
        return result.with_poison(poison)
    if opcode in ("lshr", "ashr") and flags <= {"exact"}:
        result = a >> b if opcode == "lshr" else a.sar(b)
        return result.with_poison(either(too_far, (result << b).ne(a) if flags else None))
    raise Unsupported(f"{opcode} {flags}")


def intrinsic(name: str, words: list[Bits]) -> Bits:
    match = re.fullmatch(r"llvm\.(\w+)\.i(\d+)", name)
    a = words[0]
    if not match or a.width != int(match[2]):
        raise Unsupported(f"a call of {name}")
    if match[1] == "bswap":
        return concat([a[i : i + 8] for i in reversed(range(0, a.width, 8))])
    if match[1] == "fshl" and words[2].known is not None:
        by = words[2].known % a.width
        return concat([words[1], a])[a.width - by : 2 * a.width - by]
    if match[1] in ("ctlz", "cttz") and words[1].known is not None:
        result = Bits(a.width, a.width)
        # The bit that decides comes last.
        order = range(a.width) if match[1] == "ctlz" else reversed(range(a.width))
        for i in order:
            zeros = a.width - 1 - i if match[1] == "ctlz" else i
            result = choose(a[i], Bits(a.width, zeros), result)
        return result.with_poison(a.eq(0) if words[1].known else None)
    if match[1] in ("umin", "umax", "smin", "smax"):
        less = a.ult(words[1]) if match[1][0] == "u" else a.slt(words[1])
        return choose(less, *(words if match[1].endswith("min") else reversed(words)))
    raise Unsupported(f"a call of {name}")
