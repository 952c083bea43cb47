//! Eight lanes against single values, lane by lane, and the backends of the lanes against each
//! other, limb by limb.

use num_bigint::BigUint;
use rand_chacha::rand_core::Rng;
#[cfg(target_arch = "x86_64")]
use sigmill::cpu::Ifma;
use sigmill::field::p256::{P256Kernel, P256Prime};
use sigmill::field::secp256k1::Secp256k1Kernel;
use sigmill::field::{
    Body, Factors, Field, FieldX8, Kernel, Lanes, Mask, Modulus, MontgomeryField, P256FieldX8,
    Portable, PrimeField, Reduction, ReductionX8, Registers, Residue, ResidueX8,
    Secp256k1ReductionX8, invert_all_vartime,
};
#[cfg(target_arch = "x86_64")]
use sigmill::limbs::IfmaWords;
use sigmill::limbs::{PortableWords, Words};
use sigmill::scalar::{P256Order, Secp256k1Order};

use sigmill_tests::numbers::{from_limbs, nasty_below, random_below, rng, to_limbs};
use sigmill_tests::rounds;

/// Eight values with what their lanes hold.
struct Values<M> {
    single: [Residue<M, 4>; 8],
    lanes: ResidueX8<M>,
}

fn values<W, K, S>(field: FieldX8<W, K, S>, mut next: impl FnMut() -> BigUint) -> Values<K::Modulus>
where
    W: Words,
    K: Reduction,
    S: Kernel<4, Modulus = K::Modulus>,
{
    let single: [_; 8] =
        std::array::from_fn(|_| Residue::try_from_montgomery_limbs(to_limbs(&next())).unwrap());
    Values {
        lanes: field.pack(|lane| &single[lane]),
        single,
    }
}

/// Checks a result lane by lane: its values, that they come out as integers too, and its bounds.
#[track_caller]
fn check<W, K, S>(
    field: FieldX8<W, K, S>,
    name: &str,
    lanes: &ResidueX8<K::Modulus>,
    expected: impl Fn(usize) -> Residue<K::Modulus, 4>,
) where
    W: Words,
    K: Reduction,
    S: Kernel<4, Modulus = K::Modulus>,
{
    let single = field.single();
    let mut values = [single.zero(); 8];
    field.unpack(lanes, &mut values);
    let mut integers = [[0; 4]; 8];
    field.to_integers(lanes, &mut integers);
    let bound = BigUint::from(9u32) << 254;
    for lane in 0..8 {
        assert_eq!(values[lane], expected(lane), "{name}, lane {lane}");
        assert_eq!(
            integers[lane],
            single.to_integer(&expected(lane)),
            "{name}, lane {lane} as an integer"
        );
        let limbs = lanes.limbs().map(|limb| limb.0[lane]);
        assert!(
            limbs.iter().all(|limb| limb >> 52 == 0),
            "{name}: {limbs:x?}"
        );
        let value = limbs
            .iter()
            .rev()
            .fold(BigUint::ZERO, |sum, &limb| (sum << 52) + limb);
        assert!(value < bound, "{name}: {value:x} is not below 2.25 2^256");
    }
}

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

/// Every operation on a, b and c.
fn operations<W, K, S>(field: FieldX8<W, K, S>, [a, b, c]: [&Values<K::Modulus>; 3])
where
    W: Words,
    K: Reduction,
    S: Kernel<4, Modulus = K::Modulus>,
{
    let f = field.single();
    let (x, y, z) = (&a.lanes, &b.lanes, &c.lanes);
    let (sx, sy, sz) = (&a.single, &b.single, &c.single);
    let check = |name, lanes: &_, expected: &dyn Fn(usize) -> Residue<K::Modulus, 4>| {
        check(field, name, lanes, expected);
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
    // Sums that were not taken to below p feed everything.
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
    let some = <FieldX8<W, K, S> as Field>::Mask::from_lanes(|i| i % 3 == 1);
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
    let expected: Vec<_> = (0..8)
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
    for (a, b) in sx.iter().zip(sy) {
        let quotient = |a, b| f.mul(a, &f.invert(b));
        assert_eq!(
            quotient(&over_r(a), &over_r(b)),
            quotient(a, b),
            "R cancels"
        );
    }
    let lanes = [x, y, &sum].map(|a| field.lanes(a).collect::<Vec<_>>());
    check("lanes", &field.load_lanes(|i| &lanes[i % 3][7 - i]), &|i| {
        [sx[7 - i], sy[7 - i], s_sum(7 - i)][i % 3]
    });
    for by in [1, 2, 4] {
        check("rotate", &field.rotate(x, by), &|i| sx[(i + by) % 8]);
    }
    let equal = field.equal(&field.sub(&field.add(x, y), y), &field.select(some, x, z));
    let zero = field.is_zero(&field.select(some, &field.sub(x, x), y));
    for i in 0..8 {
        assert_eq!(
            equal.lane(i),
            i % 3 == 1 || sx[i] == sz[i],
            "equal, lane {i}"
        );
        assert_eq!(
            zero.lane(i),
            i % 3 == 1 || f.is_zero(&sy[i]),
            "is_zero, lane {i}"
        );
    }
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

/// All operations on nasty and on random values; `run` is given the same numbers for each backend.
fn subject<M: Modulus<4>>(run: impl Fn(&mut dyn FnMut() -> BigUint)) {
    let p = from_limbs(&M::MODULUS);
    let nasty = nasty_below(&p);
    let mut rng = rng(52);
    for round in 0..rounds(40, 400) {
        run(&mut || {
            if rng.next_u32() % 4 < if round % 2 == 0 { 3 } else { 1 } {
                nasty[rng.next_u32() as usize % nasty.len()].clone()
            } else {
                random_below(&mut rng, &p)
            }
        });
    }
}

fn on_portable_words<K: Reduction>() {
    with_kernel::<K, _>(Portable::<K::Modulus>::new());
}

fn with_kernel<K: Reduction, S: Kernel<4, Modulus = K::Modulus>>(kernel: S) {
    let field = FieldX8::<_, K, S>::new(PortableWords, kernel);
    subject::<K::Modulus>(|next| {
        let [a, b, c] = [0; 3].map(|_| values(field, &mut *next));
        operations(field, [&a, &b, &c]);
    });
}

#[test]
fn portable_lanes_of_p256() {
    on_portable_words::<sigmill::field::P256ReductionX8>();
    on_portable_words::<ReductionX8<P256Prime>>();
}

#[test]
fn portable_lanes_of_the_order_of_p256() {
    on_portable_words::<ReductionX8<P256Order>>();
}

#[test]
fn portable_lanes_of_secp256k1() {
    with_kernel::<Secp256k1ReductionX8, _>(Secp256k1Kernel);
    on_portable_words::<ReductionX8<Secp256k1Order>>();
}

/// The kernel of P-256 and the generic one compute the same limbs: the same multiples of p.
#[test]
fn the_reduction_of_p256_is_the_generic_one() {
    let special = P256FieldX8::new(PortableWords, P256Kernel);
    let generic = FieldX8::<_, ReductionX8<P256Prime>, _>::new(PortableWords, P256Kernel);
    subject::<P256Prime>(|next| {
        let [a, b] = [0; 2].map(|_| values(special, &mut *next));
        let (x, y) = (&a.lanes, &b.lanes);
        assert_eq!(special.mul(x, y), generic.mul(x, y));
        assert_eq!(special.square(x), generic.square(x));
        assert_eq!(special.sub(x, y), generic.sub(x, y));
        assert_eq!(special.add(x, y), generic.add(x, y));
    });
}

/// AVX-512 IFMA, where the CPU has it, against portable words, limb by limb.
#[cfg(target_arch = "x86_64")]
#[test]
fn ifma_lanes_are_the_portable_lanes() {
    let Some(proof) = Ifma::detect() else {
        return;
    };
    fn compare<K: Reduction, S: Kernel<4, Modulus = K::Modulus>>(proof: Ifma, kernel: S) {
        let portable = FieldX8::<_, K, _>::new(PortableWords, kernel);
        let ifma = FieldX8::<_, K, _>::new(IfmaWords::new(proof), kernel);
        subject::<K::Modulus>(|next| {
            let [a, b, c] = [0; 3].map(|_| values(ifma, &mut *next));
            operations(ifma, [&a, &b, &c]);
            let (x, y, z) = (&a.lanes, &b.lanes, &c.lanes);
            assert_eq!(ifma.pack(|i| &a.single[i]), portable.pack(|i| &a.single[i]));
            assert_eq!(ifma.mul(x, y), portable.mul(x, y));
            assert_eq!(ifma.square(x), portable.square(x));
            assert_eq!(ifma.add(x, y), portable.add(x, y));
            assert_eq!(ifma.sub(x, y), portable.sub(x, y));
            assert_eq!(ifma.sub_both(x, y, z), portable.sub_both(x, y, z));
            assert_eq!(ifma.half(x), portable.half(x));
        });
    }
    compare::<sigmill::field::P256ReductionX8, _>(proof, P256Kernel);
    compare::<ReductionX8<P256Order>, _>(proof, Portable::new());
    compare::<Secp256k1ReductionX8, _>(proof, Secp256k1Kernel);
    compare::<ReductionX8<Secp256k1Order>, _>(proof, Portable::new());
}

/// One lane is the plain field.
#[test]
fn single_values_are_one_lane() {
    let field = MontgomeryField::new(P256Kernel);
    let two = field.double(&field.one());
    let mut out = [field.zero()];
    field.unpack(&field.pack(|_| &two), &mut out);
    assert_eq!(out, [two]);
    let mut integers = [[0; 4]];
    field.to_integers(&two, &mut integers);
    assert_eq!(integers, [[2, 0, 0, 0]]);
}
