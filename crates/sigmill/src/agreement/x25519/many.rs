//! X25519 of many rows: eight ladders in lanes, and one inversion for a block of rows.

use alloc::vec::Vec;
use core::ops::Range;

use super::{
    PublicKey, Scalar, SharedSecret, StaticSecret, X25519_BASEPOINT_BYTES, decode_u, encode,
    multiply,
};
use zeroize::Zeroizing;

use crate::agreement::ladder;
#[cfg(feature = "portable-lanes")]
use crate::cpu;
#[cfg(target_arch = "x86_64")]
use crate::cpu::Ifma;
use crate::ct;
use crate::error::Error;
#[cfg(target_arch = "x86_64")]
use crate::field::c25519::C25519Adx;
use crate::field::c25519::{C25519Field, C25519FieldX8, FieldElement, FoldKernel, LazyField};
use crate::field::{Field, PrimeField, invert_all};
#[cfg(target_arch = "x86_64")]
use crate::limbs::IfmaWords;
use crate::limbs::{Words, WordsOperation, X8};

/// Rows that share an inversion.
const BLOCK_ROWS: usize = 64;

/// The lanes of a group of rows.
const LANES: usize = 8;

/// [`StaticSecret::diffie_hellman`] of every row, in order: eight rows at once where the CPU has
/// AVX-512 IFMA.
///
/// # Errors
/// Of a row: [`Error::SharedSecretZero`] when its public key is a point of small order.
pub fn diffie_hellman_many(
    rows: &[(&StaticSecret, &PublicKey)],
) -> Vec<Result<SharedSecret, Error>> {
    ct::wiping_stack(ct::Depth::Many, || {
        let mut shared = Vec::with_capacity(rows.len());
        x25519_many(
            rows.len(),
            |i| (&rows[i].0.0, &rows[i].1.0),
            |bytes| shared.push(SharedSecret::new(bytes)),
        );
        shared
    })
}

/// The public keys of many secret ones, in order: eight at once where the CPU has AVX-512 IFMA.
#[must_use]
pub fn public_keys(secrets: &[StaticSecret]) -> Vec<PublicKey> {
    ct::wiping_stack(ct::Depth::Many, || {
        let mut keys = Vec::with_capacity(secrets.len());
        x25519_many(
            secrets.len(),
            |i| (&secrets[i].0, &X25519_BASEPOINT_BYTES),
            // A public key may be known, whatever it was made from.
            |bytes| keys.push(PublicKey(ct::declassify(&bytes))),
        );
        keys
    })
}

/// X25519 of the scalar and the u-coordinate that `row` gives for each index below `count`.
fn x25519_many<'a>(
    count: usize,
    row: impl Fn(usize) -> (&'a [u8; 32], &'a [u8; 32]),
    mut output: impl FnMut([u8; 32]),
) {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = Ifma::detect() {
        let single = C25519Field::new(C25519Adx::new(proof.adx()));
        return in_lanes(IfmaWords::new(proof), single, count, row, output);
    }
    #[cfg(feature = "portable-lanes")]
    if cpu::wants_portable_lanes() {
        let single = C25519Field::new(crate::field::c25519::C25519Portable);
        return in_lanes(crate::limbs::PortableWords, single, count, row, output);
    }
    one_by_one(0..count, row, &mut output);
}

fn one_by_one<'a>(
    rows: Range<usize>,
    row: impl Fn(usize) -> (&'a [u8; 32], &'a [u8; 32]),
    output: &mut impl FnMut([u8; 32]),
) {
    for i in rows {
        let (scalar, u) = row(i);
        output(multiply(scalar, u));
    }
}

fn in_lanes<'a, W: Words, K: FoldKernel>(
    words: W,
    field: C25519Field<K>,
    count: usize,
    row: impl Fn(usize) -> (&'a [u8; 32], &'a [u8; 32]),
    mut output: impl FnMut([u8; 32]),
) {
    let mut start = 0;
    while start < count {
        let rows = start..count.min(start + BLOCK_ROWS);
        start = rows.end;
        // Eight lanes cost what two single ladders do.
        if rows.len() <= 2 {
            one_by_one(rows, &row, &mut output);
            continue;
        }
        let mut points = Zeroizing::new([[FieldElement::ZERO, FieldElement::ONE]; BLOCK_ROWS]);
        for (group, points) in points.chunks_mut(LANES).enumerate() {
            let first = rows.start + LANES * group;
            if first >= rows.end {
                break;
            }
            // A group that is not full repeats its last row.
            let row = |lane: usize| row((first + lane).min(rows.end - 1));
            let scalars: [_; LANES] = core::array::from_fn(|lane| Scalar::new(row(lane).0));
            let u: [_; LANES] = core::array::from_fn(|lane| decode_u(row(lane).1));
            let [x, z] = &*Zeroizing::new(words.run(LadderX8 {
                scalars: &scalars,
                u: core::array::from_fn(|lane| &u[lane]),
            }));
            for (point, (x, z)) in points.iter_mut().zip(x.iter().zip(z)) {
                *point = [x, z].map(|limbs| FieldElement::from_limbs(*limbs));
            }
        }
        let points = &mut points[..rows.len()];
        divide(field, points);
        for [quotient, _] in points {
            output(encode(&Zeroizing::new(field.to_integer(quotient))));
        }
    }
}

/// Eight ladders: the X and the Z of each, below 2^256.
struct LadderX8<'a> {
    scalars: &'a [Scalar; LANES],
    u: [&'a [u64; 4]; LANES],
}

impl<W: Words> WordsOperation<W> for LadderX8<'_> {
    type Output = [[[u64; 4]; LANES]; 2];

    #[inline(always)]
    fn run(self, words: W) -> Self::Output {
        let field = C25519FieldX8::new(words);
        // Word j of the scalars' bits, of all lanes.
        let bits: Zeroizing<[X8; 4]> = Zeroizing::new(core::array::from_fn(|j| {
            X8(core::array::from_fn(|lane| self.scalars[lane].0[j]))
        }));
        let bit_differs = |i: u32| {
            let word = words.load(&bits[i as usize / 64]);
            !words.zeros(words.and(word, words.splat(1 << (i % 64))))
        };
        let base = [field.pack_minuend(self.u), field.splat(1)];
        let [x, z] = &ladder::multiply(field, &base, bit_differs);
        field
            .factors([x, z])
            .map(|coordinate| field.unpack(&coordinate))
    }
}

/// Replaces every [x, z] by [x / z, _], zero where z is zero: four products each and one inversion.
/// Constant time.
fn divide<K: FoldKernel>(field: C25519Field<K>, points: &mut [[FieldElement; 2]]) {
    let mut inverses = Zeroizing::new([FieldElement::ONE; BLOCK_ROWS]);
    let inverses = &mut inverses[..points.len()];
    for ([x, z], denominator) in points.iter_mut().zip(inverses.iter_mut()) {
        // 0 / 1 in place of x / 0.
        let is_zero = field.is_zero(z);
        *x = field.select(is_zero, &FieldElement::ZERO, x);
        *denominator = field.select(is_zero, &FieldElement::ONE, z);
    }
    let mut scratch = Zeroizing::new([FieldElement::ONE; BLOCK_ROWS]);
    invert_all(field, inverses, &mut scratch[..points.len()]);
    for ([x, _], inverse) in points.iter_mut().zip(inverses) {
        *x = field.mul(x, inverse);
    }
}
