//! Multiples by halves, in lanes: integers for which sums of the halves meet.

use num_bigint::BigUint;
use sigmill::hazmat::curve::{
    AffinePoint, Curve, Group, LanesOf, LanesOperation, ScalarLanesOf, Secp256k1,
};
use sigmill::hazmat::field::secp256k1::FieldElement;
use sigmill::hazmat::field::{Mask, PrimeField};
use sigmill::hazmat::multiply::{
    LanesTerm, double_base_mul_vartime, variable_base_mul_affine_vartime,
    variable_base_mul_lanes_vartime,
};
use sigmill_tests::numbers::{big, from_hex, from_limbs, random_nonzero, rng, to_limbs};
use sigmill_tests::processes::on_every_backend;

type Point = AffinePoint<FieldElement>;

/// k P for every k, by both methods for many rows; `None` if a lane is marked as wrong.
struct Multiples<'a> {
    point: &'a Point,
    integers: &'a [[u64; 4]],
}

impl LanesOperation<Secp256k1> for Multiples<'_> {
    type Output = [Vec<Option<Point>>; 2];

    fn run<L: LanesOf<Secp256k1>, S: ScalarLanesOf<Secp256k1>>(
        self,
        curve: Secp256k1,
        base: L,
        order: S,
    ) -> Self::Output {
        let group = Group::wide(curve, base);
        let terms: Vec<LanesTerm<'_, _, _>> = self
            .integers
            .chunks(L::WIDTH)
            .map(|integers| {
                let [x, y] = [self.point.x, self.point.y];
                let point = AffinePoint {
                    x: base.pack(|_| &x),
                    y: base.pack(|_| &y),
                };
                (point, integers)
            })
            .collect();
        let bits = order.single().bits();
        [
            variable_base_mul_affine_vartime(&group, order.single(), &terms),
            variable_base_mul_lanes_vartime(&group, bits, &terms),
        ]
        .map(|multiples| {
            let mut points = vec![];
            for (multiple, wrong) in multiples {
                let mut x = vec![FieldElement::ZERO; L::WIDTH];
                let mut y = x.clone();
                base.unpack(&multiple.x, &mut x);
                base.unpack(&multiple.y, &mut y);
                points.extend((0..L::WIDTH).map(|lane| {
                    let point = AffinePoint {
                        x: x[lane],
                        y: y[lane],
                    };
                    (!wrong.lane(lane)).then_some(point)
                }));
            }
            points
        })
    }
}

/// k P, one at a time.
fn single(point: &Point, k: &[u64; 4]) -> Point {
    let group = Group::new(Secp256k1, Secp256k1.base_field());
    let sum = double_base_mul_vartime(&group, &[0; 4], point, k);
    group.to_affine_vartime(&sum).unwrap()
}

/// A lane whose halves meet is marked, and the other lanes are right. Odd halves, in affine
/// coordinates, of k = 2 d lambda meet d lambda with itself in the last window. Halves in Booth's
/// digits are shorter, and need only be right.
#[test]
fn halves_that_meet_are_marked_and_do_not_touch_other_lanes() {
    let n = from_limbs(Secp256k1.scalar_field().modulus().as_ref());
    let lambda = from_hex("5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72");
    assert_eq!((&lambda * &lambda + &lambda + 1u32) % &n, BigUint::ZERO);
    let mut rng = rng(51);
    let mut integers: Vec<BigUint> = vec![];
    for d in (1..32).step_by(2).map(big) {
        for k in [
            &d * &lambda * 2u32,
            &d * &lambda,
            &d * 2u32,
            &d * 3u32 + &d * &lambda,
        ] {
            integers.extend([&k % &n, &n - &k % &n, random_nonzero(&mut rng, &n)]);
        }
    }
    let integers: Vec<[u64; 4]> = integers.iter().map(to_limbs).collect();
    let point = single(
        Secp256k1.generator(),
        &to_limbs(&random_nonzero(&mut rng, &n)),
    );
    let expected: Vec<_> = integers.iter().map(|k| single(&point, k)).collect();
    let both = Secp256k1.dispatch_lanes(Multiples {
        point: &point,
        integers: &integers,
    });
    for (way, multiples) in ["affine", "Jacobian"].into_iter().zip(both) {
        assert_eq!(multiples.len(), integers.len());
        let mut marked = 0;
        for (i, (multiple, expected)) in multiples.iter().zip(&expected).enumerate() {
            match multiple {
                Some(multiple) => assert_eq!(multiple, expected, "{way}: integer {i}"),
                None => {
                    assert_ne!(i % 3, 2, "{way}: a random integer");
                    marked += 1;
                }
            }
        }
        assert!(marked < integers.len() / 3, "{way}: {marked}");
        assert_eq!(marked > 0, way == "affine");
    }
}

#[test]
fn every_backend() {
    on_every_backend(
        "halves::",
        "halves::halves_that_meet_are_marked_and_do_not_touch_other_lanes",
    );
}
