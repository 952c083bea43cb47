//! Counts the field operations of a verification, for `docs/verification.md` and
//! `docs/half-size.md`: the library's own code runs over a field that counts.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sigmill::hazmat::curve::{
    AffinePoint, BaseField, CompressedPoint, Curve, Domain as _, Group, P256, P384, P521, PointForm,
};
use sigmill::hazmat::field::{Limbs, MOST_LANES, PrimeField};
use sigmill::hazmat::multiply::{
    BlockSumsVartime, LaneMultiples, double_base_mul_vartime, is_double_base_sum_vartime,
    prepared_double_base_mul_vartime, variable_base_mul_lanes_vartime,
};
use sigmill::hazmat::recode::WnafVartime;
use sigmill::hazmat::scalar::halves_vartime;
use sigmill::hazmat::table::{MAX_WINDOW, OddMultiples, WindowTable, generator_table};
use sigmill_tests::counting::{Count, Counting, count};

/// The number of pairs of random scalars in an average.
const SAMPLES: usize = 4000;

/// A random integer below the order.
fn scalar<C: Curve>(curve: C, rng: &mut ChaCha8Rng) -> C::Integer {
    let order = curve.scalar_field();
    loop {
        let mut integer = C::Integer::ZERO;
        let limbs = integer.as_mut();
        limbs.fill_with(|| rng.next_u64());
        let beyond = 64 * limbs.len() as u32 - order.bits();
        limbs[limbs.len() - 1] >>= beyond;
        if order.from_integer(&integer).is_some() {
            return integer;
        }
    }
}

/// 2G: a point other than that of the generator's table.
fn key<C: Curve, F: BaseField<C>>(group: &Group<C, F>) -> AffinePoint<C::BaseElement> {
    let twice = group.double(&group.from_affine(group.curve().generator()));
    group.to_affine_vartime(&twice).expect("the order is not 2")
}

fn fresh<C: Curve, F: BaseField<C>>(group: &Group<C, F>, rng: &mut ChaCha8Rng) {
    let q = key(group);
    let odd = count(|| {
        OddMultiples::<_>::new_vartime(group, &q);
    });
    let (mut doublings, mut additions, mut terms) = (0, 0, 0);
    let mut sum = Count::default();
    for _ in 0..SAMPLES {
        let (u1, u2) = (scalar(group.curve(), rng), scalar(group.curve(), rng));
        let wnaf = WnafVartime::new(u2.as_ref(), OddMultiples::<C::BaseElement>::WIDTH);
        doublings += wnaf.digits().len();
        additions += wnaf.digits().iter().filter(|&&digit| digit != 0).count();
        terms += generator_table(group).terms_vartime(u1.as_ref()).count();
        sum += count(|| {
            double_base_mul_vartime(group, u1.as_ref(), &q, &u2);
        });
    }
    let [doublings, additions, terms] =
        [doublings, additions, terms].map(|sum| sum as f64 / SAMPLES as f64);
    println!("\n{}, fresh: M + S | inversions", group.curve().label());
    println!("| odd multiples | {odd} |");
    println!("| {doublings:.1} doublings, {additions:.1} additions of a multiple of Q |");
    println!("| {terms:.1} points of the generator's table |");
    println!("| together | {} |", sum.over(SAMPLES));
}

/// A signature with known R: valid, so the sum ends at infinity.
fn half_size<C: Curve, F: BaseField<C>>(group: &Group<C, F>, rng: &mut ChaCha8Rng) {
    let (order, q) = (group.curve().scalar_field(), key(group));
    let (mut doublings, mut lambda_bits, mut mu_bits) = (0, 0, 0);
    let (mut sum, mut with_root) = (Count::default(), Count::default());
    for _ in 0..SAMPLES {
        let (u1, u2) = (scalar(group.curve(), rng), scalar(group.curve(), rng));
        let r = double_base_mul_vartime(group, u1.as_ref(), &q, &u2);
        let r = group.to_affine_vartime(&r).expect("not infinity");
        let y_is_odd = group.field().is_odd(&r.y);
        let compressed = PointForm::Compressed(CompressedPoint { x: r.x, y_is_odd });
        let r = PointForm::Affine(r);
        let halves = halves_vartime(&order.modulus(), &u2);
        let [lambda, mu] = [halves.lambda, halves.mu.magnitude]
            .map(|half| WnafVartime::new(half.as_ref(), 2).digits().len());
        doublings += lambda.max(mu);
        lambda_bits += lambda;
        mu_bits += mu;
        sum += count(|| {
            assert!(is_double_base_sum_vartime(group, order, &u1, (&q, &u2), &r));
        });
        with_root += count(|| {
            let r = &compressed;
            assert!(is_double_base_sum_vartime(group, order, &u1, (&q, &u2), r));
        });
    }
    let [doublings, lambda, mu] =
        [doublings, lambda_bits, mu_bits].map(|sum| sum as f64 / SAMPLES as f64);
    println!("\n{}, R known: M + S | inversions", group.curve().label());
    println!("| {doublings:.1} doublings; lambda has {lambda:.1} digits, mu {mu:.1} |");
    println!("| together | {} |", sum.over(SAMPLES));
    println!("| with a root for R | {} |", with_root.over(SAMPLES));
}

fn prepared<C: Curve, F: BaseField<C>>(group: &Group<C, F>, rng: &mut ChaCha8Rng) {
    println!(
        "\n{}, prepared: window | bytes | points of Q's table | to build: M + S | inversions | \
         to verify: M + S | inversions",
        group.curve().label()
    );
    let q = key(group);
    for window in 1..=MAX_WINDOW {
        let mut table = None;
        let build = count(|| {
            table = WindowTable::build_vartime(group, &q, window).ok();
        });
        let Some(table) = table else {
            continue;
        };
        let mut terms = 0;
        let mut sum = Count::default();
        for _ in 0..SAMPLES {
            let (u1, u2) = (scalar(group.curve(), rng), scalar(group.curve(), rng));
            terms += table.rows().terms_vartime(u2.as_ref()).count();
            sum += count(|| {
                prepared_double_base_mul_vartime(group, u1.as_ref(), table.rows(), u2.as_ref());
            });
        }
        println!(
            "| {window} | {} | {:.1} | {build} | {} |",
            table.memory_bytes(),
            terms as f64 / SAMPLES as f64,
            sum.over(SAMPLES)
        );
    }
}

/// A row of a block, one lane wide: the tree of a key with a table of window 7; and the part of a
/// fresh key's product before its tree, which is that of the generator's part and one point more.
fn blocks<C: Curve, F: BaseField<C>>(group: &Group<C, F>, rng: &mut ChaCha8Rng) {
    const ROWS: usize = 64;
    let q = key(group);
    let Ok(table) = WindowTable::build_vartime(group, &q, 7) else {
        return;
    };
    let bits = group.curve().scalar_field().bits();
    let scalars: Vec<[C::Integer; 2]> = (0..ROWS)
        .map(|_| [scalar(group.curve(), rng), scalar(group.curve(), rng)])
        .collect();
    let generator = generator_table(group);
    let tree = count(|| {
        let stride = table.rows().len() + generator.len();
        let mut sums = BlockSumsVartime::new(*group, &q, ROWS, stride);
        sums.read_block(
            ROWS,
            |_| None,
            |row| {
                let [u1, u2] = &scalars[row];
                let multiples = |tables, k| LaneMultiples {
                    tables: [tables; MOST_LANES],
                    scalars: core::slice::from_ref(k),
                };
                [multiples(table.rows(), u2), multiples(generator, u1)]
            },
        );
        sums.add_up();
    });
    let product = count(|| {
        let terms: Vec<_> = scalars
            .iter()
            .map(|[_, u2]| (q, core::slice::from_ref(u2)))
            .collect();
        variable_base_mul_lanes_vartime(group, bits, &terms);
    });
    println!(
        "\n{}, a row of a block of {ROWS}: M + S | inversions",
        group.curve().label()
    );
    println!("| tree, window 7 | {} |", tree.over(ROWS));
    println!("| product of a fresh key | {} |", product.over(ROWS));
}

fn count_all(curve: impl Curve) {
    let group = Group::new(curve, Counting(curve.base_field()));
    // The generator's table is built before counting starts.
    generator_table(&group);
    let rng = &mut ChaCha8Rng::seed_from_u64(0);
    fresh(&group, rng);
    half_size(&group, rng);
    prepared(&group, rng);
    blocks(&group, rng);
}

fn main() {
    count_all(P256);
    count_all(P384.curve());
    count_all(P521.curve());
}
