//! Every operation of lanes, against single values.

use sigmill::hazmat::field::{
    Body, Factors, Field, LOOKUP_BLOCK, Lanes, Mask, PrimeField, Registers, SecretLanes,
    SecretRegisters, SingleElement, invert_all_vartime, roots_of_all,
};
use sigmill::hazmat::limbs::X8;

use super::subject::{Representation, Subject, Values};

/// Every kind of factor, multiplied in every way.
fn multiply_factors<F: Factors>(
    field: F,
    [a, b, c]: [&F::Element; 3],
    some: F::Mask,
) -> Vec<F::Element> {
    let (difference, itself) = (field.difference(a, b), field.difference(b, b));
    let factors = [
        field.factor(a),
        difference,
        itself,
        field.difference(b, a),
        field.square_triple_add(a, b),
        field.choose(some, &difference, &field.factor(a)),
    ];
    let mut products = vec![];
    for factor in &factors {
        products.push(field.times(factor, b));
        products.push(field.times_sub(factor, b, c));
    }
    for factor in [&difference, &itself] {
        products.push(field.double_times_sub(factor, b, a));
    }
    products
}

/// [`multiply_factors`] in registers.
struct MultiplyFactors<'a, L: Lanes> {
    elements: [&'a L::Element; 3],
    some: L::Mask,
    products: &'a mut Vec<L::Element>,
}

impl<L: Lanes> Body<L> for MultiplyFactors<'_, L> {
    fn step(&mut self, field: L::Registers, _: usize) {
        let [a, b, c] = self.elements.map(|element| field.load(element));
        let products = multiply_factors(field, [&a, &b, &c], self.some);
        self.products
            .extend(products.iter().map(|product| field.store(product)));
    }
}

/// Building and looking up tables, in registers: entries of a and b in two blocks, looked up by
/// number; lanes of a and b; and a comparison of the numbers with 5.
struct LookUp<'a, L: SecretLanes> {
    entries: [&'a [SingleElement<L>; 8]; 2],
    lanes: &'a [L::Lane],
    numbers: X8,
    found: &'a mut Vec<L::Element>,
    is_five: &'a mut Vec<L::Mask>,
}

impl<L: SecretLanes> Body<L> for LookUp<'_, L> {
    fn step(&mut self, field: L::Registers, _: usize) {
        let ([a, b], last) = (self.entries, L::WIDTH - 1);
        let blocks = [
            field.lookup_block(std::array::from_fn::<_, LOOKUP_BLOCK, _>(|i| {
                [&a[i], &b[i]]
            })),
            field.lookup_block(std::array::from_fn::<_, LOOKUP_BLOCK, _>(|i| {
                [&b[i], &a[i]]
            })),
        ];
        let [first, second] = field.look_up(&blocks, &self.numbers);
        let gathered = [
            field.gather_values(std::array::from_fn(|i| &b[7 - i])),
            field.gather_lanes(std::array::from_fn(|i| &self.lanes[last - i % L::WIDTH])),
            field.gather_signed(
                std::array::from_fn(|i| &b[i]),
                L::Mask::from_lanes(is_negated),
            ),
            field.gather_signed(std::array::from_fn(|i| &a[i]), L::Mask::from_lanes(is_kept)),
        ];
        for element in [first, second].iter().chain(&gathered) {
            self.found.push(field.store(element));
        }
        self.is_five.push(field.is_number(&self.numbers, 5));
    }
}

/// True for some of the lanes.
fn is_negated(lane: usize) -> bool {
    lane % 3 != 1
}

/// True for the others.
fn is_kept(lane: usize) -> bool {
    !is_negated(lane)
}

/// Checks [`LookUp`] against the entries.
pub(super) fn look_up<L: Representation + SecretLanes>(
    subject: &Subject<L>,
    [a, b]: [&Values<L>; 2],
) {
    let field = subject.field;
    let numbers = X8([5, 0, 15, 8, 7, 10, 13, 5]);
    let lanes = field.lanes(&a.lanes);
    let (mut found, mut is_five) = (vec![], vec![]);
    field.each(
        1,
        LookUp {
            entries: [&a.single, &b.single],
            lanes: lanes.as_ref(),
            numbers,
            found: &mut found,
            is_five: &mut is_five,
        },
    );
    let entry = |lane: usize, second: bool| {
        let number = numbers.0[lane] as usize;
        let of_a = (number < 8) != second;
        if of_a { a } else { b }.single[number % 8]
    };
    subject.check("first entry", &found[0], |i| entry(i, false));
    subject.check("second entry", &found[1], |i| entry(i, true));
    subject.check("gathered values", &found[2], |i| b.single[7 - i]);
    subject.check("gathered lanes", &found[3], |i| a.single[L::WIDTH - 1 - i]);
    let f = field.single();
    subject.check("some negated", &found[4], |i| {
        f.negate_if(&b.single[i], is_negated(i))
    });
    subject.check("others negated", &found[5], |i| {
        f.negate_if(&a.single[i], is_kept(i))
    });
    for (lane, &number) in numbers.0[..L::WIDTH].iter().enumerate() {
        assert_eq!(is_five[0].lane(lane), number == 5);
    }
}

/// Roots by powers: their squares are the elements, or the negatives of elements without a root.
fn roots<L: Representation>(subject: &Subject<L>, elements: [&Values<L>; 3]) {
    let (field, f) = (subject.field, subject.field.single());
    let mut roots = elements.map(|element| element.lanes);
    let has_roots = f.modulus().as_ref()[0] & 3 == 3;
    assert_eq!(roots_of_all(field, &mut roots[..]), has_roots);
    if has_roots {
        for (root, a) in roots.iter().zip(elements) {
            subject.check("square of a root", &field.square(root), |i| {
                f.negate_if(&a.single[i], f.legendre(&a.single[i]) == -1)
            });
        }
    }
}

/// Checks every operation on a, b and c.
pub(super) fn operations<L: Representation>(subject: &Subject<L>, [a, b, c]: [&Values<L>; 3]) {
    let field = subject.field;
    let f = field.single();
    let (x, y, z) = (&a.lanes, &b.lanes, &c.lanes);
    let (sx, sy, sz) = (&a.single, &b.single, &c.single);
    let check = |name, lanes: &_, expected: &dyn Fn(usize) -> SingleElement<L>| {
        subject.check(name, lanes, expected);
    };
    check("pack", x, &|i| sx[i]);
    check("add", &field.add(x, y), &|i| f.add(&sx[i], &sy[i]));
    check("sub", &field.sub(x, y), &|i| f.sub(&sx[i], &sy[i]));
    check("sub itself", &field.sub(x, x), &|_| f.zero());
    check("sub_both", &field.sub_both(x, y, z), &|i| {
        f.sub(&f.sub(&sx[i], &sy[i]), &sz[i])
    });
    check("negate", &field.negate(x), &|i| f.negate(&sx[i]));
    check("double", &field.double(x), &|i| f.double(&sx[i]));
    check("half", &field.half(x), &|i| f.half(&sx[i]));
    check("mul", &field.mul(x, y), &|i| f.mul(&sx[i], &sy[i]));
    check("square", &field.square(x), &|i| f.square(&sx[i]));
    // Sums not reduced below p are inputs to everything.
    let (sum, difference) = (field.add(x, y), field.sub(y, z));
    let (s_sum, s_difference) = (
        |i: usize| f.add(&sx[i], &sy[i]),
        |i: usize| f.sub(&sy[i], &sz[i]),
    );
    check("mul of sums", &field.mul(&sum, &difference), &|i| {
        f.mul(&s_sum(i), &s_difference(i))
    });
    check("square of a sum", &field.square(&sum), &|i| {
        f.square(&s_sum(i))
    });
    check("half of a sum", &field.half(&sum), &|i| f.half(&s_sum(i)));
    check(
        "sub_both of sums",
        &field.sub_both(&difference, &sum, &sum),
        &|i| f.sub(&f.sub(&s_difference(i), &s_sum(i)), &s_sum(i)),
    );
    let some = L::Mask::from_lanes(|i| i % 3 == 1);
    check("select", &field.select(some, x, y), &|i| {
        if i % 3 == 1 { sx[i] } else { sy[i] }
    });
    check("negate_if", &field.negate_if(x, some), &|i| {
        if i % 3 == 1 { f.negate(&sx[i]) } else { sx[i] }
    });
    check("mul_sub", &field.mul_sub(&sum, y, &difference), &|i| {
        f.sub(&f.mul(&s_sum(i), &sy[i]), &s_difference(i))
    });
    let three = field.square_sub_both(&difference, &sum, &sum);
    check("square_sub_both", &three, &|i| {
        f.square_sub_both(&s_difference(i), &s_sum(i), &s_sum(i))
    });
    let mut products = vec![];
    let multiply = MultiplyFactors {
        elements: [&sum, &difference, z],
        some,
        products: &mut products,
    };
    field.each(1, multiply);
    let expected: Vec<_> = (0..L::WIDTH)
        .map(|i| {
            let elements = [&s_sum(i), &s_difference(i), &sz[i]];
            multiply_factors(f, elements, some.lane(i))
        })
        .collect();
    assert_eq!(products.len(), expected[0].len());
    for (k, product) in products.iter().enumerate() {
        check("product of a factor", product, &|i| expected[i][k]);
    }
    let over_r = |a: &_| f.from_integer_over_r(&f.to_integer(a));
    check(
        "over R",
        &field.pack_over_r(|i| f.to_integer(&sx[i])),
        &|i| over_r(&sx[i]),
    );
    for (a, b) in sx.iter().zip(sy).take(L::WIDTH) {
        let quotient = |a, b| f.mul(a, &f.invert(b));
        let is_it = f.equal(&quotient(&over_r(a), &over_r(b)), &quotient(a, b));
        assert!(is_it, "R cancels");
    }
    let last = L::WIDTH - 1;
    let lanes = [x, y, &sum].map(|a| field.lanes(a));
    check(
        "lanes",
        &field.load_lanes(|i| &lanes[i % 3].as_ref()[last - i]),
        &|i| [sx[last - i], sy[last - i], s_sum(last - i)][i % 3],
    );
    for by in [1, 2, 4].into_iter().filter(|&by| by < L::WIDTH) {
        check("rotate", &field.rotate(x, by), &|i| sx[(i + by) % L::WIDTH]);
    }
    let equal = field.equal(&field.sub(&field.add(x, y), y), &field.select(some, x, z));
    let zero = field.is_zero(&field.select(some, &field.sub(x, x), y));
    for i in 0..L::WIDTH {
        assert_eq!(
            equal.lane(i),
            i % 3 == 1 || f.equal(&sx[i], &sz[i]),
            "equal, lane {i}"
        );
        assert_eq!(
            zero.lane(i),
            i % 3 == 1 || f.is_zero(&sy[i]),
            "is_zero, lane {i}"
        );
    }
    roots(subject, [a, b, c]);
    let mut elements = [*x, *y, *z, field.mul(x, y), field.one()];
    let originals = elements;
    let mut scratch = elements;
    let zeros = invert_all_vartime(field, &mut elements[..], &mut scratch);
    assert_eq!(zeros, originals.iter().any(|a| field.is_zero(a).any()));
    for (inverse, original) in elements.iter().zip(&originals) {
        let product = field.mul(inverse, original);
        check("inverse", &product, &|i| {
            if field.is_zero(original).lane(i) {
                f.zero()
            } else {
                f.one()
            }
        });
    }
}
