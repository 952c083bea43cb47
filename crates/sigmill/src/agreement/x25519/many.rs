//! X25519 of many rows: eight or four ladders in lanes, and one inversion for a block of rows.

use alloc::vec::Vec;
use core::ops::Range;

use super::{
    PublicKey, Scalar, SharedSecret, StaticSecret, X25519_BASEPOINT_BYTES, base, decode_u, encode,
    multiply,
};
use zeroize::Zeroizing;

use crate::agreement::ladder;
#[cfg(feature = "portable-lanes")]
use crate::cpu;
#[cfg(target_arch = "x86_64")]
use crate::cpu::{Avx2, Ifma};
use crate::ct;
use crate::error::Error;
#[cfg(target_arch = "x86_64")]
use crate::field::C25519FieldNarrowX4;
use crate::field::c25519::{C25519Field, C25519FieldX8, FieldElement, FoldKernel, LazyField};
use crate::field::{Field, PrimeField, invert_all};
#[cfg(target_arch = "x86_64")]
use crate::limbs::{AlignedX4, Avx2Quads, IfmaWords, NarrowQuads};
use crate::limbs::{VectorOperation, Vectors as _, Words, X8, array_from_fn};

/// The number of rows that share an inversion.
pub(super) const BLOCK_ROWS: usize = 64;

/// Returns [`StaticSecret::diffie_hellman`] of every row, in order. Computes eight rows at once if
/// the CPU has AVX-512 IFMA, four if it has AVX2.
///
/// # Errors
/// For each row: [`Error::SharedSecretZero`] if its public key is a point of small order.
pub fn diffie_hellman_many(
    rows: &[(&StaticSecret, &PublicKey)],
) -> Vec<Result<SharedSecret, Error>> {
    ct::wiping_stack(ct::Depth::Many, || {
        let mut shared = Vec::with_capacity(rows.len());
        x25519_many(
            rows.len(),
            |i| (&*rows[i].0.0, &rows[i].1.0),
            |bytes| shared.push(SharedSecret::new(bytes)),
        );
        shared
    })
}

/// Returns the public keys for many secret keys, in order. Computes eight at once if the CPU has
/// AVX-512 IFMA, otherwise one by one with an inversion that many share.
#[must_use]
pub fn public_keys(secrets: &[StaticSecret]) -> Vec<PublicKey> {
    ct::wiping_stack(ct::Depth::Many, || {
        let mut keys = Vec::with_capacity(secrets.len());
        // A public key is public, whatever it was computed from.
        let mut output = |bytes| keys.push(PublicKey(ct::declassify(&bytes)));
        let of_ladders = match (has_eight_lanes(), secrets.len() % 8) {
            (true, rest @ ..FEWEST_IN_EIGHT_LANES) => secrets.len() - rest,
            (true, _) => secrets.len(),
            (false, _) => 0,
        };
        let (of_ladders, of_table) = secrets.split_at(of_ladders);
        let row = |i: usize| (&*of_ladders[i].0, &X25519_BASEPOINT_BYTES);
        x25519_many(of_ladders.len(), row, &mut output);
        base::public_keys(of_table, output);
        keys
    })
}

/// The fewest rows for eight ladders. For fewer, multiples of the base point from its table are
/// faster: they need 4.2 us each, eight ladders 27 us (an Intel Xeon with AVX-512 IFMA and AMX).
/// Measure with calls of `x25519::public_keys` of 6 and 8 keys.
const FEWEST_IN_EIGHT_LANES: usize = 7;

/// Returns true if [`x25519_many`] runs eight ladders at once. Four ladders, by products of 32
/// bits, are slower than four multiples of the base point from its table.
fn has_eight_lanes() -> bool {
    #[cfg(target_arch = "x86_64")]
    if Ifma::detect().is_some() {
        return true;
    }
    #[cfg(feature = "portable-lanes")]
    if cpu::wants_portable_lanes() {
        return true;
    }
    false
}

/// Divides, and outputs each quotient as bytes.
pub(super) fn output_quotients(
    points: &mut [[FieldElement; 2]],
    output: &mut impl FnMut([u8; 32]),
) {
    with_field!(field => output_quotients_by(field, points, output))
}

/// [`output_quotients`] with this field of single values.
fn output_quotients_by<K: FoldKernel>(
    field: C25519Field<K>,
    points: &mut [[FieldElement; 2]],
    output: &mut impl FnMut([u8; 32]),
) {
    divide(field, points);
    for [quotient, _] in points {
        output(encode(&Zeroizing::new(field.to_integer(quotient))));
    }
}

/// Computes X25519 of the scalar and the u-coordinate that `row` returns for each index below
/// `count`.
fn x25519_many<'a>(
    count: usize,
    row: impl Fn(usize) -> (&'a [u8; 32], &'a [u8; 32]),
    mut output: impl FnMut([u8; 32]),
) {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = Ifma::detect() {
        let words = IfmaWords::new(proof);
        let ladders = |scalars: &_, u: [&_; 8]| words.run(LadderX8 { scalars, u });
        return in_lanes(ladders, count, row, output);
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = Avx2::detect() {
        let quads = Avx2Quads::new(proof);
        let ladders = |scalars: &_, u: [&_; 4]| quads.run(LadderNarrowX4 { scalars, u });
        return in_lanes(ladders, count, row, output);
    }
    #[cfg(feature = "portable-lanes")]
    if cpu::wants_portable_lanes() {
        let words = crate::limbs::PortableWords;
        let ladders = |scalars: &_, u: [&_; 8]| words.run(LadderX8 { scalars, u });
        return in_lanes(ladders, count, row, output);
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

/// The fewest rows for which lanes are faster than single ladders: four or eight lanes cost as much
/// as two of those.
const FEWEST: usize = 3;

/// [`x25519_many`] by ladders side by side, one in each lane. `ladders` returns the X and the Z of
/// each, below 2^256.
fn in_lanes<'a, const LANES: usize>(
    ladders: impl Fn(&[Scalar; LANES], [&[u64; 4]; LANES]) -> [[[u64; 4]; LANES]; 2],
    count: usize,
    row: impl Fn(usize) -> (&'a [u8; 32], &'a [u8; 32]),
    mut output: impl FnMut([u8; 32]),
) {
    let mut start = 0;
    while start < count {
        let rows = start..count.min(start + BLOCK_ROWS);
        start = rows.end;
        if rows.len() < FEWEST {
            one_by_one(rows, &row, &mut output);
            continue;
        }
        let mut points = Zeroizing::new([[FieldElement::ZERO, FieldElement::ONE]; BLOCK_ROWS]);
        for (group, points) in points.chunks_mut(LANES).enumerate() {
            let first = rows.start + LANES * group;
            if first >= rows.end {
                break;
            }
            // Lanes that are left over repeat the last row.
            let row = |lane: usize| row((first + lane).min(rows.end - 1));
            let scalars: [_; LANES] = core::array::from_fn(|lane| Scalar::new(row(lane).0));
            let u: [_; LANES] = array_from_fn(|lane| decode_u(row(lane).1));
            let u = array_from_fn(|lane| &u[lane]);
            let [x, z] = &*Zeroizing::new(ladders(&scalars, u));
            for (point, (x, z)) in points.iter_mut().zip(x.iter().zip(z)) {
                *point = [x, z].map(|limbs| FieldElement::from_limbs(*limbs));
            }
        }
        output_quotients(&mut points[..rows.len()], &mut output);
    }
}

/// Eight ladders.
struct LadderX8<'a> {
    scalars: &'a [Scalar; 8],
    u: [&'a [u64; 4]; 8],
}

impl<W: Words> VectorOperation<W> for LadderX8<'_> {
    type Output = [[[u64; 4]; 8]; 2];

    #[inline(always)]
    fn run(self, words: W) -> Self::Output {
        let field = C25519FieldX8::new(words);
        let bits = Zeroizing::new(bits_of(self.scalars).map(X8));
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

/// Four ladders, by products of 32 bits.
#[cfg(target_arch = "x86_64")]
struct LadderNarrowX4<'a> {
    scalars: &'a [Scalar; 4],
    u: [&'a [u64; 4]; 4],
}

#[cfg(target_arch = "x86_64")]
impl<Q: NarrowQuads> VectorOperation<Q> for LadderNarrowX4<'_> {
    type Output = [[[u64; 4]; 4]; 2];

    #[inline(always)]
    fn run(self, quads: Q) -> Self::Output {
        let field = C25519FieldNarrowX4::new(quads);
        let bits = Zeroizing::new(bits_of(self.scalars).map(AlignedX4));
        let bit_differs = |i: u32| {
            let word = quads.load(&bits[i as usize / 64]);
            let bit = quads.splat(1 << (i % 64));
            quads.equal(quads.and(word, bit), bit)
        };
        let base = [field.pack(self.u), field.splat(1)];
        ladder::multiply(field, &base, bit_differs).map(|coordinate| field.unpack(&coordinate))
    }
}

/// Word j of the scalars' bits, for all lanes.
#[inline(always)]
fn bits_of<const LANES: usize>(scalars: &[Scalar; LANES]) -> [[u64; LANES]; 4] {
    array_from_fn(|j| array_from_fn(|lane| scalars[lane].0[j]))
}

/// Replaces every [x, z] by [x / z, _], which is zero if z is zero: four products each and one
/// inversion. Constant time.
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
