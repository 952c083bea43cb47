//! Lanes against single values, lane by lane, and the backends of the lanes against each
//! other, limb by limb.

mod extremes;
mod fiat;
mod operations;
mod primes;
mod representations;
mod subject;

use sigmill::hazmat::field::p256::P256Kernel;
use sigmill::hazmat::field::{Field, Lanes, MontgomeryField};

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
