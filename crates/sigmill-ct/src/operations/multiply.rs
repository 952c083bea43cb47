//! Multiples of points, and their table look-ups.

use sigmill::for_each_curve;
use sigmill::hazmat::ct;
use sigmill::hazmat::curve::{
    AffinePoint, BaseField, Curve, Group, NamedCurve, Operation as CurveOperation, ScalarField,
    ScalarLanesOf, SecretLanesOf, SecretLanesOperation,
};
use sigmill::hazmat::field::{Limbs as _, PrimeField as _};
use sigmill::hazmat::multiply::{
    SecretTerm, base_mul, generator_row, secret_sum, variable_base_mul, variable_base_mul_affine,
};
use sigmill::hazmat::table::masked_odd_multiple;

use super::inputs::{element, stays_secret};
use super::{Operation, prefix};

/// The computation.
#[derive(Clone, Copy)]
enum Of {
    MaskedOddMultiple,
    BaseMul,
    /// The computation of a public key.
    BaseMulAffine,
    /// The computation of r.
    BaseMulX,
    VariableBaseMul,
    /// With the same point three times, so that sums meet their own operands.
    SecretSum,
}

const ALL: [(&str, Of); 6] = [
    ("masked-odd-multiple", Of::MaskedOddMultiple),
    ("base-mul", Of::BaseMul),
    ("base-mul/affine", Of::BaseMulAffine),
    ("base-mul/x", Of::BaseMulX),
    ("variable-base-mul", Of::VariableBaseMul),
    ("secret-sum", Of::SecretSum),
];

struct OnCurve(Of);

impl<C: Curve> CurveOperation<C> for OnCurve {
    type Output = ();

    #[inline(always)]
    fn run<F: BaseField<C>, S: ScalarField<C>>(self, curve: C, base: F, order: S) {
        let group = &Group::new(curve, base);
        // The first use builds the table, from public points.
        let _ = base_mul(group, order, &order.to_integer(&order.one()));
        // An odd and an even scalar.
        for seed in [1, 2] {
            let mut k = order.to_integer(&element(order, seed));
            k.as_mut()[0] = k.as_ref()[0] & !1 | seed & 1;
            let k = ct::classify(&k);
            match self.0 {
                Of::MaskedOddMultiple => {
                    let row: [_; 16] = std::array::from_fn(|i| AffinePoint {
                        x: element(base, 2 * i as u64),
                        y: element(base, 2 * i as u64 + 1),
                    });
                    for digit in [-31, -1, 1, 31] {
                        stays_secret(masked_odd_multiple(base, &row, ct::classify(&digit)));
                    }
                }
                Of::BaseMul => stays_secret(*base_mul(group, order, &k)),
                Of::BaseMulAffine => {
                    stays_secret(group.extended_to_affine(&base_mul(group, order, &k)));
                }
                Of::BaseMulX => stays_secret(group.extended_to_x(&base_mul(group, order, &k))),
                Of::VariableBaseMul => {
                    stays_secret(*variable_base_mul(group, order, &k, curve.generator()));
                }
                Of::SecretSum => {
                    let term = SecretTerm {
                        k: &k,
                        bits: order.bits(),
                        multiples: generator_row(group, order),
                    };
                    stays_secret(*secret_sum(group, order, &[term; 3]));
                }
            }
        }
    }
}

/// k P for many k, in one group of lanes. With one lane, agreements of many rows are single ones.
struct Many;

impl<C: Curve> SecretLanesOperation<C> for Many {
    type Output = ();

    #[inline(always)]
    fn run<L: SecretLanesOf<C>, S: ScalarLanesOf<C>>(self, curve: C, lanes: L, order: S) {
        let order = order.single();
        if const { L::WIDTH == 1 } {
            return;
        }
        // Odd and even scalars.
        let scalars: Vec<_> = (0..L::WIDTH as u64)
            .map(|seed| {
                let mut k = order.to_integer(&element(order, seed));
                k.as_mut()[0] = k.as_ref()[0] & !1 | seed & 1;
                ct::classify(&k)
            })
            .collect();
        let generator = curve.generator();
        let point = AffinePoint {
            x: lanes.pack(|_| &generator.x),
            y: lanes.pack(|_| &generator.y),
        };
        let group = Group::wide(curve, lanes);
        for product in variable_base_mul_affine(&group, order, &[point], &scalars).iter() {
            let mut x = vec![C::Integer::ZERO; L::WIDTH];
            lanes.to_integers(&product.x, &mut x);
            x.into_iter().for_each(stays_secret);
        }
    }
}

/// Returns the number of lanes.
pub(super) struct Width;

impl<C: Curve> SecretLanesOperation<C> for Width {
    type Output = usize;

    #[inline(always)]
    fn run<L: SecretLanesOf<C>, S: ScalarLanesOf<C>>(self, _: C, _: L, _: S) -> usize {
        L::WIDTH
    }
}

/// The operations of a curve.
fn list_of<C: NamedCurve + Default>(operations: &mut Vec<Operation>) {
    let (curve, name) = (C::default().curve(), prefix::<C>());
    operations.push(Operation::new(
        format!("{name}/variable-base-mul/many"),
        move || curve.dispatch_secret_lanes(Many),
    ));
    for (operation, of) in ALL {
        operations.push(Operation::new(format!("{name}/{operation}"), move || {
            curve.dispatch(OnCurve(of));
        }));
    }
}

pub(super) fn list(operations: &mut Vec<Operation>) {
    for_each_curve!(C => list_of::<C>(operations));
}
