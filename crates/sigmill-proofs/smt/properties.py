"""The properties that are proved, each as a function that states it of a [`Proof`]."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from bits import Bits, choose, concat
from llvm import Run
from proof import Proof, Steps

Property = Callable[[Proof], None]
MASK_62 = (1 << 62) - 1


def repeated(mask: Bits, count: int) -> Bits:
    return concat([mask] * count)


def distance(x: Bits, bound: int) -> Bits:
    """Whether |x| is at most the bound."""
    return Bits(x.width, -bound).sle(x) & x.sle(Bits(x.width, bound))


def absolute(x: Bits) -> Bits:
    return choose(x[x.width - 1], -x, x)


def sum_of_sizes(x: Bits, y: Bits, bound: int) -> Iterator[Bits]:
    """Whether |x| + |y| is at most the bound, without absolute values."""
    yield distance(x + y, bound)
    yield distance(x - y, bound)


def sums(count: int, p: Proof) -> None:
    a, b = p.array("a", count), p.array("b", count)
    long_a, long_b, n = concat(a), concat(b), 64 * count
    total = p.call(f"add_{count}", a, b, out=count)
    if count == 4:
        p.claim(
            concat([*total.arrays[2], total.word[:1]]).eq(long_a.zext(n + 1) + long_b.zext(n + 1))
        )
    carry = Bits(65, 0)
    for x, y, limb in zip(a, b, total.arrays[2]):
        exact = x.zext(65) + y.zext(65) + carry
        p.claim(limb.eq(exact[:64]))
        carry = exact[64].zext(65)
    p.claim(total.word.eq(carry[:64]))
    rest = p.call(f"subtract_{count}", a, b, out=count)
    again = p.call(f"subtract_assign_{count}", a, b)
    if count == 4:
        p.claim(concat(rest.arrays[2]).eq(long_a - long_b))
        p.claim(rest.word.eq(long_a.ult(long_b).zext(64)))
    borrow = Bits(65, 0)
    for x, y, limb, same in zip(a, b, rest.arrays[2], again.arrays[0]):
        exact = x.zext(65) - y.zext(65) - borrow
        p.claim(limb.eq(exact[:64]) & same.eq(exact[:64]))
        borrow = exact[64].zext(65)
    p.claim(rest.word.eq(borrow[:64]) & again.word.eq(borrow[:64]))


def words(p: Proof) -> None:
    a, b, carry = p.word("a"), p.word("b"), p.word("carry")
    p.assume(carry.ule(1))
    total = p.call("add_with_carry", a, b, carry, out=1)
    p.claim(concat([*total.arrays[0], total.word]).eq(a.zext(128) + b.zext(128) + carry.zext(128)))
    rest = p.call("subtract_with_borrow", a, b, carry, out=1)
    p.claim(concat([*rest.arrays[0], -rest.word]).eq(a.zext(128) - b.zext(128) - carry.zext(128)))
    p.claim(rest.word.ule(1))


def masks(p: Proof) -> None:
    a, b, condition = p.word("a"), p.word("b"), p.word("condition", 1)
    p.claim(p.call("mask", condition).word.eq(condition.sext(64)))
    p.claim(p.call("mask_zero", a).word.eq(a.eq(0).sext(64)))
    p.claim(p.call("mask_equal", a, b).word.eq(a.eq(b).sext(64)))


def comparisons(count: int, p: Proof) -> None:
    a, b = p.array("a", count), p.array("b", count)
    less, zero, equal = concat(a).ult(concat(b)), concat(a).eq(0), concat(a).eq(concat(b))
    p.claim(p.call(f"is_below_{count}", a, b).word.eq(less.zext(64)))
    p.claim(p.call(f"less_than_{count}", a, b).word.eq(less.zext(64)))
    p.claim(p.call(f"is_zero_{count}", a).word.eq(zero.zext(64)))
    p.claim(p.call(f"are_zero_{count}", a).word.eq(zero.zext(64)))
    p.claim(p.call(f"equal_{count}", a, b).word.eq(equal.zext(64)))


def selections(count: int, p: Proof) -> None:
    a, b, choice, mask = (
        p.array("a", count),
        p.array("b", count),
        p.word("choice", 1),
        p.word("mask"),
    )
    chosen = p.call(f"select_{count}", choice.sext(64), a, b, out=count).arrays[2]
    p.claim(concat(chosen).eq(choose(choice, concat(a), concat(b))))
    masked = p.call(f"masked_{count}", a, mask, out=count).arrays[1]
    p.claim(concat(masked).eq(concat(a) & repeated(mask, count)))


def conditional_subtraction(count: int, p: Proof) -> None:
    """a - m if that is not negative, by the shipped difference, mask and selection."""
    a, m = p.array("a", count), p.array("m", count)
    n = 64 * count + 1
    long_a, long_m = concat(a).zext(n), concat(m).zext(n)
    p.assume(long_a.ult(long_m + long_m))
    rest = p.call(f"subtract_{count}", a, m, out=count)
    mask = p.call("mask", rest.word[0]).word
    result = concat(p.call(f"select_{count}", mask, a, rest.arrays[2], out=count).arrays[2]).zext(n)
    p.claim(result.ult(long_m))
    p.claim(result.eq(long_a) | (result + long_m).eq(long_a))


def lengths(count: int, p: Proof) -> None:
    a = p.array("a", count)
    n = 64 * count + 1
    length, long = p.call(f"bit_length_{count}", a).word.zext(n), concat(a).zext(n)
    p.claim(long.ult(Bits(n, 1) << length) & length.ule(n - 1))
    p.claim(length.eq(0) | (Bits(n, 1) << (length - 1)).ule(long))


def shifts(count: int, p: Proof) -> None:
    a, top = p.array("a", count), p.word("top", 1)
    shifted = p.call(f"shift_right_one_{count}", a, top.zext(64), out=count).arrays[1]
    p.claim(concat(shifted).eq(concat([concat(a), top])[1:]))
    for by in range(64 * count + 2):
        shifted = p.call(f"shift_right_{count}", a, by, out=count).arrays[1]
        p.claim(concat(shifted).eq(concat(a) >> by if by < 64 * count else 0))


def readings(count: int, p: Proof) -> None:
    data = p.array("bytes", 8 * count, 8)
    read = p.call(f"read_{count}", data, out=count)
    p.claim(concat(read.arrays[1]).eq(concat(data[::-1])) & read.word.eq(1))


def part(a: Bits, start: int, stop: int, width: int) -> Bits:
    """Bits `start .. stop`; those above are zero."""
    stop = min(stop, a.width)
    return a[start:stop].zext(width) if start < stop else Bits(width, 0)


def radix(count: int, length: int, p: Proof) -> None:
    a = p.array("a", count)
    for size in range(1, 64):
        limbs = p.call(f"to_radix_{count}_{length}", a, size, out=length).arrays[1]
        for i, limb in enumerate(limbs):
            p.claim(limb.eq(part(concat(a), size * i, size * (i + 1), 64)))


def windows(p: Proof) -> None:
    a = p.array("a", 4)
    for size in (1, 5, 8, 12, 31, 57):
        for start in range(0, 260):
            p.claim(
                p.call("bits_4", a, start, size).word.eq(part(concat(a), start, start + size, 64))
            )


def signed_limbs(count: int, p: Proof) -> None:
    a = p.array("a", count)
    limbs = p.call(f"to_signed_{count}", a, out=10).arrays[1]
    for i, limb in enumerate(limbs):
        p.claim(limb.eq(part(concat(a), 62 * i, 62 * (i + 1), 64)))
    joined = p.call(f"from_signed_{count}", limbs, out=count).arrays[1]
    p.claim(concat(joined).eq(concat(a)))


def booth(count: int, size: int, window: int, p: Proof, bound: int = 0) -> None:
    """Digit i takes the sum of those below from one closed form to the next."""
    k = p.array("k", count)
    long = concat(k)
    if size < 64 * count:
        p.assume(long[size:].eq(0))
    digits = -(-(size + 1) // window)
    n = window * digits + 1

    def below(i: int) -> Bits:
        """The sum of the first i digits: k modulo 2^(window i), less 2^(window i) for a top bit."""
        if i == 0:
            return Bits(n, 0)
        top = window * i
        carry = long[top - 1] if top <= 64 * count else Bits(1, 0)
        return part(long, 0, top, n) - (carry.zext(n) << top)

    for i in range(digits):
        digit = p.call(f"booth_{count}", k, window, i).word
        p.claim(distance(digit, bound or 1 << (window - 1)))
        if count == 4:
            p.claim((below(i) + (digit.sext(n) << (window * i))).eq(below(i + 1)))
        # The carries cancel: the carry out of a digit is the carry into the next.
        carry_in = part(long, window * i - 1, window * i, 32) if i else Bits(32, 0)
        carry_out = part(long, window * (i + 1) - 1, window * (i + 1), 32)
        own = part(long, window * i, window * (i + 1), 32)
        p.claim(digit.eq(own + carry_in - (carry_out << window)))
    p.claim(part(long, window * digits - 1, window * digits, 1).eq(0))
    p.claim(below(digits).eq(part(long, 0, size, n)))


def odd_windows(count: int, size: int, window: int, p: Proof, bound: int = 0) -> None:
    k = p.array("k", count)
    long = concat(k)
    p.assume(k[0][0])
    if size < 64 * count:
        p.assume(long[size:].eq(0))
    digits = -(-size // window)
    n = size + 34
    # The sum of the digits from i on, in units of 2^(window i): k_i = (k >> window i) | 1.
    # The identity that takes one digit from any such sum:
    rest = part(long, 0, size, n) | 1
    p.claim(
        rest.eq(part(rest, 0, window + 1, n) - (1 << window) + (((rest >> window) | 1) << window))
    )
    for i in range(digits):
        digit = p.call(f"odd_{count}", k, window, i, digits).word
        p.claim(digit[0] & distance(digit, bound or (1 << window) - 1))
        start, last = window * i, i + 1 == digits
        stop = start + window + (not last)
        p.claim(digit.eq((part(long, start, stop, 32) | 1) - (0 if last else 1 << window)))
        p.claim(~digit[31] if last else Bits(1, 1))
    p.claim(part(long, window * digits, 64 * count + 1, 64 * count).eq(0))


def make_odd(count: int, p: Proof) -> None:
    k, n = p.array("k", count), p.array("n", count)
    p.assume(concat(k).ult(concat(n)) & n[0][0])
    odd = p.call(f"make_odd_{count}", k, n, out=count)
    p.claim(odd.word.eq((~k[0][0]).sext(64)) & odd.arrays[2][0][0])
    p.claim(concat(odd.arrays[2]).eq(choose(k[0][0], concat(k), concat(n) - concat(k))))


def wnaf(width: int, p: Proof, bound: int = 0) -> None:
    """One digit: the bits up to it plus the carry are the digit, with a new carry above it."""
    ahead, carry = p.word("ahead"), p.word("carry", 1)
    results = p.call("wnaf_digit", ahead, carry.zext(64), width, out=3).arrays[0]
    zeros, digit, above = results
    n = 80
    before, one = zeros.zext(n), Bits(n, 1)
    found, bound = digit.ne(0), bound or (1 << (width - 1)) - 1
    size = choose(found, before + width, before)
    low = ahead.zext(n) & ((one << size) - 1)
    p.claim((low + carry.zext(n)).eq((digit.sext(n) << before) + (above.zext(n) << size)))
    p.claim(above.ule(1) & zeros.ule(64) & distance(digit, bound))
    p.claim(choose(found, digit[0] & size.ule(64), zeros.ne(0) & Bits(64, 64 - width).ult(zeros)))


def division_invariant(i: int, p: Proof, lost: int = 0) -> None:
    """Step i of twenty: if the words hold f and g with their coefficients, they do so afterwards.

    2^i f = u F + v G and 2^i g = q F + r G for the F and G at the start.
    """
    f, g = (p.word(name, 20).sext(64) for name in "fg")
    # Coefficients have few bits, and room for sums of their absolute values.
    u, v, q, r = (p.word(name, i + 2).sext(i + 8) for name in "uvqr")
    zeta = p.word("zeta", 42).sext(64)

    def packed(x: Bits, first: Bits, second: Bits, steps: int) -> Bits:
        return x + (first.sext(64) << (40 - steps)) + (second.sext(64) << (62 - steps))

    def conditions(state: list[Bits], steps: int) -> Iterator[Bits]:
        f, g, u, v, q, r = state
        most = 1 << steps
        yield f[0]
        for x in (f, g):
            yield Bits(64, -1 << 19).sle(x) & x.slt(1 << 19)
        for x, y in ((u, v), (q, r)):
            yield from sum_of_sizes(x, y, most)
        # Two rows with v = r = 2^i would be dependent.
        yield from sum_of_sizes(v, r, 2 * most - 1 - lost * (steps > i))

    for condition in conditions([f, g, u, v, q, r], i):
        p.assume(condition)
    start = [packed(f, u, v, i), packed(g, q, r, i), zeta]
    after = p.call("division_step", start, out=3).arrays[1]
    exchange, odd = zeta.slt(0) & g[0], g[0]
    new_f = [choose(exchange, y, x) for x, y in ((f, g), (u, q), (v, r))]
    new_g = [choose(exchange, y - x, choose(odd, y + x, y)) for x, y in ((f, g), (u, q), (v, r))]
    p.claim(~new_g[0][0])
    state = [new_f[0], new_g[0].sar(1), new_f[1] << 1, new_f[2] << 1, new_g[1], new_g[2]]
    for condition in conditions(state, i + 1):
        p.claim(condition)
    p.claim(after[0].eq(packed(state[0], state[2], state[3], i + 1)))
    p.claim(after[1].eq(packed(state[1], state[4], state[5], i + 1)))
    p.claim(after[2].eq(choose(exchange, -zeta - 2, zeta - 1)))


def division_ends(p: Proof, bound: int = 1 << 20) -> None:
    f, g, u, v = (p.word(name) for name in "fguv")
    start = p.call("pack", f, g, out=2).arrays[0]
    p.claim(start[0].eq(f[:20].sext(64) + (1 << 40)) & start[1].eq(g[:20].sext(64) + (1 << 62)))
    low = p.word("low", 20)
    p.assume(distance(u, bound) & distance(v, bound) & (absolute(u) + absolute(v)).ule(bound))
    end = p.call("unpack", low.sext(64) + (u << 20) + (v << 42), out=2).arrays[0]
    p.claim(end[0].eq(u) & end[1].eq(v))


def steps_of_assembly(
    name: str,
    step: str,
    count: int,
    length: int,
    places: tuple[list[int], list[int]],
    groups: int,
    p: Proof,
) -> None:
    """Assembly takes `count` of the portable steps, from any state."""
    steps = Steps(p, step, length * groups, places, groups)
    state = p.array("words", len(places[0]))
    run = Run(cut=steps.cut)
    result = p.call(name, state, out=len(state), run=run).arrays[1]
    p.claim(Bits(1, int(steps.done == count + 1)))
    for first, last, before, after in zip(steps.first, steps.state, state, result):
        p.claim(first.eq(before) & after.eq(last))


def gcd_step(i: int, p: Proof, lost: int = 0) -> None:
    """Step i of thirty: the words, the rows as sums of two coefficients, and the symbol."""
    a, b, exchanges, halvings = (p.word(name) for name in ("a", "b", "exchanges", "halvings"))
    x, y, z, w = (p.word(name, i + 2).sext(i + 8) for name in "xyzw")

    def conditions(rows: list[Bits], steps: int) -> Iterator[Bits]:
        for first, second in (rows[:2], rows[2:]):
            yield from sum_of_sizes(first, second, (1 << steps) - lost * (steps > i))

    p.assume(b[0])
    for condition in conditions([x, y, z, w], i):
        p.assume(condition)

    def packed(first: Bits, second: Bits) -> Bits:
        return first.sext(64) + (second.sext(64) << 32)

    start = [a, b, packed(x, y), packed(z, w), exchanges, halvings]
    after = p.call("gcd_step", start, out=6).arrays[1]
    odd = a[0]
    exchange = odd & a.ult(b)
    difference = choose(odd, choose(exchange, b - a, a - b), a)
    p.claim(~difference[0] & after[0].eq(difference >> 1) & after[1].eq(choose(exchange, a, b)))
    rows = [choose(exchange, s - t, choose(odd, t - s, t)) for t, s in ((x, z), (y, w))]
    rows += [choose(exchange, t, s) << 1 for t, s in ((x, z), (y, w))]
    p.claim(after[1][0])
    for condition in conditions(rows, i + 1):
        p.claim(condition)
    p.claim(after[2].eq(packed(*rows[:2])) & after[3].eq(packed(*rows[2:])))
    both_are_three = exchange & a[1] & b[1]
    p.claim(after[4][1].eq(exchanges[1] ^ both_are_three))
    low = after[1][:3]
    p.claim(after[5][2].eq(halvings[2] ^ (low.eq(3) | low.eq(5))))


def gcd_ends(p: Proof, bound: int = 1 << 30) -> None:
    u, v, q, r = (p.word(name) for name in "uvqr")
    for first, second in ((u, v), (q, r)):
        p.assume(
            distance(first, bound)
            & distance(second, bound)
            & (absolute(first) + absolute(second)).ule(bound)
        )
    zero = Bits(64, 0)
    rows = [zero, zero, q + (r << 32), u + (v << 32), zero, zero]
    for word, expected in zip(p.call("gcd_matrix", rows, out=4).arrays[1], (u, v, q, r)):
        p.claim(word.eq(expected << 32))


def not_negative(p: Proof, name: str, length: int) -> tuple[list[Bits], Bits]:
    """Ten limbs of 62 bits of which `length` are used, and their value."""
    limbs = [limb.zext(64) for limb in p.array(name, length, 62)]
    value = concat([limb[:62] for limb in limbs])
    return limbs + [Bits(64, 0)] * (10 - length), value


def approximations(length: int, p: Proof, high: int = 32) -> None:
    """The low 32 bits of each, and 32 bits from the highest of the longer one down."""
    (a, long_a), (b, long_b) = not_negative(p, "a", length), not_negative(p, "b", length)
    results = p.call("approximations", a, b, length, out=2).arrays[2]
    n = 62 * length
    size = Bits(n, 0)
    for i in range(n):
        size = choose((long_a | long_b)[i], Bits(n, i + 1), size)
    for word, long in zip(results, (long_a, long_b)):
        top = (long >> (size - high))[:32]
        p.claim(word.eq(choose(size.ule(64), long[:64], concat([long[:32], top]))))


def signed_value(limbs: list[Bits], length: int) -> Bits:
    """The value of limbs of which the highest holds the sign, with room to spare."""
    return concat([*(limb[:62] for limb in limbs[: length - 1]), limbs[length - 1]]).sext(
        62 * length + 8
    )


def negation(length: int, p: Proof) -> None:
    limbs, _ = not_negative(p, "x", length)
    limbs[length - 1] = p.word("top")
    p.assume(distance(limbs[length - 1], 1 << 61))
    sign = p.word("sign", 1)
    after = p.call("negate_if", limbs, sign.sext(64), length).arrays[0]
    value = signed_value(limbs, length)
    p.claim(signed_value(after, length).eq(choose(sign, -value, value)))
    for limb in after[: length - 1]:
        p.claim(limb.ule(MASK_62))


def normalization(length: int, p: Proof, low: int = 2) -> None:
    d, _ = not_negative(p, "d", length)
    d[length - 1] = p.word("top of d")
    prime, long_p = not_negative(p, "p", length)
    n = 62 * length + 8
    value, long_p = signed_value(d, length), long_p.zext(n)
    p.assume(distance(d[length - 1], 1 << 61) & long_p.ult(1 << (62 * length - 4)) & long_p.ne(0))
    p.assume((-(long_p * low)).slt(value) & value.slt(long_p))
    sign = p.word("sign", 1)
    after = p.call("normalize", d, sign.sext(64), prime, length, out=10).arrays[2]
    result = signed_value(after, length)
    p.claim(Bits(n, 0).sle(result) & result.slt(long_p))
    signed = choose(sign, -value, value)
    p.claim(
        result.eq(signed)
        | result.eq(signed - long_p)
        | result.eq(signed + long_p)
        | result.eq(signed + long_p + long_p)
    )
    for limb in after[: length - 1]:
        p.claim(limb.ule(MASK_62))


def properties(every: bool) -> Iterator[tuple[str, Property]]:
    """What is proved; `every` adds what needs minutes."""
    yield "ct::mask, mask_zero, mask_equal", masks
    yield "limbs::add_with_carry, subtract_with_borrow", words
    for count in (4, 9):
        of = f"of {count} limbs"
        yield (
            f"limbs::is_below, less_than, is_zero, are_zero, equal {of}",
            partial(comparisons, count),
        )
        yield f"limbs::select, masked {of}", partial(selections, count)
        yield f"limbs::bit_length_vartime {of}", partial(lengths, count)
        yield f"limbs::shift_right_one, shift_right {of} by any distance", partial(shifts, count)
        yield f"limbs::read_be_bytes {of}", partial(readings, count)
        yield f"to_signed, from_signed {of}", partial(signed_limbs, count)
    for count in (4, 6):
        yield f"limbs::add, subtract, subtract_assign of {count} limbs", partial(sums, count)
    yield (
        "subtract, mask, select: a conditional subtraction of 4 limbs",
        partial(conditional_subtraction, 4),
    )
    yield "recode::make_odd of 4 limbs", partial(make_odd, 4)
    for count, length in ((4, 5), (4, 9), (9, 11)):
        yield (
            f"limbs::to_radix from {count} limbs to {length} of 1 to 63 bits",
            partial(radix, count, length),
        )
    yield "limbs::bits: 1, 5, 8, 12, 31 and 57 bits anywhere in 4 limbs", windows
    for count, size in ((4, 256), (9, 521)):
        for window in range(1 if count == 4 else 4, 12):
            yield (
                f"recode::booth_digit, {size} bits, window {window}",
                partial(booth, count, size, window),
            )
        for window in range(1 if count == 4 else 4, 9):
            yield (
                f"recode::odd_digit, {size} bits, window {window}",
                partial(odd_windows, count, size, window),
            )
    for width in range(2, 8):
        yield f"recode: one digit of the wNAF of width {width}", partial(wnaf, width)
    for i in range(20) if every else (0, 10, 19):
        yield f"divsteps: step {i} keeps the words' invariant", partial(division_invariant, i)
    yield "divsteps: pack and unpack", division_ends
    one, two = ([0, 1, 2], [0, 3, 2]), ([0, 1, 2, 4, 5, 6], [0, 3, 2, 4, 7, 6])
    of = partial(steps_of_assembly, "twenty_division_steps", "division_step", 20, 14, one, 1)
    yield "divsteps: assembly of one takes 20 portable steps", of
    of = partial(steps_of_assembly, "twenty_division_steps_of_two", "division_step", 20, 14, two, 2)
    yield "divsteps: assembly of two takes 20 portable steps each", of
    for i in range(30) if every else (0, 7, 14):
        yield f"binary GCD: step {i} keeps the words' invariant", partial(gcd_step, i)
    yield "binary GCD: coefficients of the rows", gcd_ends
    for length in (5, 7) if every else (5,):
        yield (
            f"binary GCD: approximations of {length} signed limbs",
            partial(approximations, length),
        )
    for length in (5, 7, 9):
        yield f"negate_if of {length} signed limbs", partial(negation, length)
    if every:
        yield "normalize of 2 signed limbs", partial(normalization, 2)
