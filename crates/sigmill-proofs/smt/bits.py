"""Bit vectors: integers if they are known, otherwise terms of bitwuzla."""

from __future__ import annotations

from collections.abc import Callable

from bitwuzla import Kind, Term, TermManager

TERMS = TermManager()


class Bits:
    """A bit vector. `poison` is a bit vector of one bit, or None if the value is never poison."""

    __slots__ = ("poison", "value", "width")

    def __init__(self, width: int, value: int | Term, poison: Bits | None = None) -> None:
        self.width = width
        self.value = value & ((1 << width) - 1) if isinstance(value, int) else value
        self.poison = None if poison is None or poison.known == 0 else poison

    @property
    def known(self) -> int | None:
        return self.value if isinstance(self.value, int) else None

    @property
    def signed(self) -> int:
        """The known value as a signed number."""
        assert isinstance(self.value, int)
        return self.value - (self.value >> (self.width - 1) << self.width)

    @property
    def term(self) -> Term:
        if isinstance(self.value, int):
            return TERMS.mk_bv_value(TERMS.mk_bv_sort(self.width), self.value)
        return self.value

    def with_poison(self, poison: Bits | None) -> Bits:
        """The same value, which is also poison if `poison` is set."""
        return Bits(self.width, self.value, either(self.poison, poison))

    def __add__(self, other: Bits | int) -> Bits:
        return apply(Kind.BV_ADD, lambda a, b: a + b, self, other)

    def __sub__(self, other: Bits | int) -> Bits:
        return apply(Kind.BV_SUB, lambda a, b: a - b, self, other)

    def __mul__(self, other: Bits | int) -> Bits:
        return apply(Kind.BV_MUL, lambda a, b: a * b, self, other)

    def __and__(self, other: Bits | int) -> Bits:
        return apply(Kind.BV_AND, lambda a, b: a & b, self, other)

    def __or__(self, other: Bits | int) -> Bits:
        return apply(Kind.BV_OR, lambda a, b: a | b, self, other)

    def __xor__(self, other: Bits | int) -> Bits:
        return apply(Kind.BV_XOR, lambda a, b: a ^ b, self, other)

    def __invert__(self) -> Bits:
        return self ^ -1

    def __neg__(self) -> Bits:
        return Bits(self.width, 0) - self

    def __lshift__(self, other: Bits | int) -> Bits:
        return apply(Kind.BV_SHL, lambda a, b: a << b if b < self.width else 0, self, other)

    def __rshift__(self, other: Bits | int) -> Bits:
        return apply(Kind.BV_SHR, lambda a, b: a >> b, self, other)

    def sar(self, other: Bits | int) -> Bits:
        """The shift that copies the sign."""
        width = self.width

        def known(a: int, b: int) -> int:
            return (a - (a >> (width - 1) << width)) >> b

        return apply(Kind.BV_ASHR, known, self, other)

    def eq(self, other: Bits | int) -> Bits:
        return apply(Kind.BV_COMP, lambda a, b: int(a == b), self, other, width=1)

    def ne(self, other: Bits | int) -> Bits:
        return ~self.eq(other)

    def ult(self, other: Bits | int) -> Bits:
        return apply(Kind.BV_ULT, lambda a, b: int(a < b), self, other, width=1)

    def ule(self, other: Bits | int) -> Bits:
        return ~bits(other, self.width).ult(self)

    def slt(self, other: Bits | int) -> Bits:
        top = 1 << (self.width - 1)
        return (self ^ top).ult(bits(other, self.width) ^ top)

    def sle(self, other: Bits | int) -> Bits:
        return ~bits(other, self.width).slt(self)

    def __getitem__(self, place: slice | int) -> Bits:
        """Bits `start : stop`, the lowest first, or one bit."""
        if isinstance(place, int):
            place = slice(place, place + 1)
        start, stop = place.start or 0, self.width if place.stop is None else place.stop
        assert 0 <= start < stop <= self.width
        if isinstance(self.value, int):
            return Bits(stop - start, self.value >> start, self.poison)
        if (start, stop) == (0, self.width):
            return self
        term = TERMS.mk_term(Kind.BV_EXTRACT, [self.value], [stop - 1, start])
        return Bits(stop - start, term, self.poison)

    def zext(self, width: int) -> Bits:
        return self._extend(Kind.BV_ZERO_EXTEND, width, self.value)

    def sext(self, width: int) -> Bits:
        known = self.signed if isinstance(self.value, int) else 0
        return self._extend(Kind.BV_SIGN_EXTEND, width, known)

    def _extend(self, kind: Kind, width: int, known: int | Term) -> Bits:
        assert width >= self.width
        if isinstance(self.value, int) or width == self.width:
            value = known if isinstance(self.value, int) else self.value
            return Bits(width, value, self.poison)
        return Bits(width, TERMS.mk_term(kind, [self.value], [width - self.width]), self.poison)


def bits(value: Bits | int, width: int) -> Bits:
    result = Bits(width, value) if isinstance(value, int) else value
    assert result.width == width, f"{result.width} bits and {width}"
    return result


def apply(
    kind: Kind,
    known: Callable[[int, int], int],
    a: Bits,
    b: Bits | int,
    width: int | None = None,
) -> Bits:
    """The operation `kind`; `known` computes it on integers."""
    b = bits(b, a.width)
    width = width or a.width
    poison = either(a.poison, b.poison)
    if isinstance(a.value, int) and isinstance(b.value, int):
        return Bits(width, known(a.value, b.value), poison)
    term = TERMS.mk_term(kind, [a.term, b.term])
    if kind == Kind.BV_ULT:
        term = TERMS.mk_term(Kind.ITE, [term, Bits(1, 1).term, Bits(1, 0).term])
    return Bits(width, term, poison)


def either(a: Bits | None, b: Bits | None) -> Bits | None:
    """The disjunction of two conditions; None never holds."""
    if a is None or b is None or a.known == 1 or b.known == 1:
        known = [x for x in (a, b) if x is not None]
        return max(known, key=lambda x: x.known or 0, default=None)
    return a | b


def concat(parts: list[Bits]) -> Bits:
    """Joins parts, the lowest first."""
    width = sum(part.width for part in parts)
    poison = None
    for part in parts:
        poison = either(poison, part.poison)
    if all(part.known is not None for part in parts):
        value = 0
        for part in reversed(parts):
            value = value << part.width | (part.known or 0)
        return Bits(width, value, poison)
    if len(parts) == 1:
        return parts[0]
    return Bits(width, TERMS.mk_term(Kind.BV_CONCAT, [p.term for p in reversed(parts)]), poison)


def choose(condition: Bits, yes: Bits, no: Bits) -> Bits:
    """`yes` if the condition holds, otherwise `no`; only the chosen one passes poison on."""
    if condition.known is not None:
        return (yes if condition.known else no).with_poison(condition.poison)
    poison = condition.poison
    if yes.poison or no.poison:
        never = Bits(1, 0)
        clean = Bits(1, condition.value)
        poison = either(poison, choose(clean, yes.poison or never, no.poison or never))
    is_set = TERMS.mk_term(Kind.EQUAL, [condition.term, Bits(1, 1).term])
    return Bits(yes.width, TERMS.mk_term(Kind.ITE, [is_set, yes.term, no.term]), poison)


def fresh(width: int, name: str) -> Bits:
    """Any value."""
    return Bits(width, TERMS.mk_const(TERMS.mk_bv_sort(width), name))
