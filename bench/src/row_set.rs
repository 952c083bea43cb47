//! The sets of rows for operations: how many keys sign how many rows, and how often each.

use std::collections::HashMap;

use anyhow::Result;
use openssl::bn::{BigNum, BigNumContext, BigNumRef};
use openssl::ec::{EcGroup, EcPoint, PointConversionForm};
use openssl::ecdsa::EcdsaSig;
use sigmill::CurveName;

use crate::inputs::{
    CurveInputs, KeyPair, Row, low_s, openssl_digest, openssl_group, padded, random,
};

/// The rows of a bulk operation unless its set overrides it; with fewer `--signatures` than this,
/// all sets shrink in proportion.
const FULL: usize = 4096;

/// Rows and keys as an operation requires them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RowSet {
    /// As `--signatures` and `--keys` request, the keys in turn.
    AsAsked,
    /// 4,096 rows of 16 keys in turn.
    FewKeys,
    /// 4,096 rows of 1,000 keys in turn.
    ThousandKeys,
    /// 131,072 rows of 100,000 keys: of all rows, the k-th commonest key has a share in proportion
    /// to 1/k (Zipf's law with exponent 1). The key of each row is drawn at random, so rare keys
    /// may not occur at all.
    Zipf,
    /// 4,096 rows, each with a different key.
    NewKeys,
    /// 4,096 rows of one key.
    OneKey,
    /// The same, crafted by an attacker: in each row u2 Q equals the point that u1 selects from the
    /// generator's table, and that a tree of 25 points adds to it first.
    Meeting,
}

/// The size of a set, and the distribution of its keys over its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    keys: usize,
    rows: usize,
    is_zipf: bool,
    meets: bool,
}

impl RowSet {
    /// The shape for this number of `--signatures`; `None` if the options determine everything.
    pub(crate) fn shape(self, signatures: usize) -> Option<Shape> {
        let (keys, rows) = match self {
            Self::AsAsked => return None,
            Self::FewKeys => (16, FULL),
            Self::ThousandKeys => (1_000, FULL),
            Self::Zipf => (100_000, 32 * FULL),
            Self::NewKeys | Self::Meeting => (FULL, FULL),
            Self::OneKey => (1, FULL),
        };
        let shrunk = |full: usize| (full * signatures.min(FULL) / FULL).max(full.min(4));
        Some(Shape {
            keys: shrunk(keys),
            rows: shrunk(rows),
            is_zipf: self == Self::Zipf,
            meets: self == Self::Meeting,
        })
    }
}

impl Shape {
    /// Creates the rows, and the keys that have any.
    pub(crate) fn make(self, curve: CurveName) -> Result<CurveInputs> {
        let of_rows = if self.is_zipf {
            zipf(self.keys, self.rows)?
        } else {
            (0..self.rows).map(|row| row % self.keys).collect()
        };
        let mut maker = Maker::new(curve)?;
        let mut places = HashMap::new();
        let mut rows = Vec::with_capacity(self.rows);
        for key in of_rows {
            if self.meets {
                rows.push(maker.meeting_row()?);
                continue;
            }
            let place = match places.get(&key) {
                Some(&place) => place,
                None => {
                    maker.add_key()?;
                    places.insert(key, places.len());
                    places.len() - 1
                }
            };
            rows.push(maker.row(place)?);
        }
        Ok(CurveInputs {
            curve,
            keys: maker.keys,
            rows,
        })
    }
}

/// The key of each of `rows` rows; 0 is the commonest key.
fn zipf(keys: usize, rows: usize) -> Result<Vec<usize>> {
    let mut sum = 0.0;
    let cumulative: Vec<f64> = (1..=keys)
        .map(|k| {
            sum += 1.0 / k as f64;
            sum
        })
        .collect();
    (0..rows)
        .map(|_| {
            let drawn = u64::from_le_bytes(random()?) as f64 / 2_f64.powi(64) * sum;
            Ok(cumulative
                .partition_point(|&upto| upto <= drawn)
                .min(keys - 1))
        })
        .collect()
}

/// Creates keys and signatures with an addition of points for each. A multiplication would need a
/// millisecond in OpenSSL on P-384. Private keys and nonces are sums of a few random numbers. They
/// are worthless as secrets, but to a verifier, the signatures are like all others.
struct Maker {
    curve: CurveName,
    group: EcGroup,
    order: BigNum,
    context: BigNumContext,
    nonces: Walk,
    private: Walk,
    scalars: Vec<BigNum>,
    keys: Vec<KeyPair>,
}

/// A number and its multiple of the generator, advanced by steps drawn at random from a small set.
/// If numbers counted up, many sums would be equal; with these, none are.
struct Walk {
    scalar: BigNum,
    point: EcPoint,
    steps: Vec<(BigNum, EcPoint)>,
}

/// The number of steps that a walk draws from.
const STEPS: usize = 16;

impl Walk {
    fn new(group: &EcGroup, order: &BigNumRef, context: &mut BigNumContext) -> Result<Self> {
        let mut drawn = || {
            let (mut scalar, mut point) = (BigNum::new()?, EcPoint::new(group)?);
            order.rand_range(&mut scalar)?;
            point.mul_generator2(group, &scalar, context)?;
            anyhow::Ok((scalar, point))
        };
        let (scalar, point) = drawn()?;
        let steps = (0..STEPS).map(|_| drawn()).collect::<Result<_>>()?;
        Ok(Self {
            scalar,
            point,
            steps,
        })
    }

    fn step(
        &mut self,
        group: &EcGroup,
        order: &BigNumRef,
        context: &mut BigNumContext,
    ) -> Result<()> {
        let [drawn] = random::<1>()?;
        let (scalar, point) = &self.steps[usize::from(drawn) % STEPS];
        let mut sum = BigNum::new()?;
        sum.mod_add(&self.scalar, scalar, order, context)?;
        self.scalar = sum;
        let mut next = EcPoint::new(group)?;
        next.add(group, &self.point, point, context)?;
        self.point = next;
        Ok(())
    }
}

impl Maker {
    fn new(curve: CurveName) -> Result<Self> {
        let group = openssl_group(curve)?;
        let mut context = BigNumContext::new()?;
        let mut order = BigNum::new()?;
        group.order(&mut order, &mut context)?;
        Ok(Self {
            curve,
            nonces: Walk::new(&group, &order, &mut context)?,
            private: Walk::new(&group, &order, &mut context)?,
            group,
            order,
            context,
            scalars: Vec::new(),
            keys: Vec::new(),
        })
    }

    fn add_key(&mut self) -> Result<()> {
        let Self {
            group,
            order,
            context,
            private,
            ..
        } = self;
        private.step(group, order, context)?;
        let form = PointConversionForm::UNCOMPRESSED;
        self.keys.push(KeyPair {
            private: padded(&private.scalar, self.curve.order_len())?,
            public: private.point.to_bytes(group, form, context)?,
        });
        self.scalars.push(private.scalar.to_owned()?);
        Ok(())
    }

    /// Signs a random message with this key: SEC 1, section 4.1.3.
    fn row(&mut self, key: usize) -> Result<Row> {
        let Self {
            group,
            order,
            context,
            nonces,
            ..
        } = self;
        let message: [u8; 32] = random()?;
        // The digest has the same number of bits as the order, so it is e.
        let e = BigNum::from_slice(&openssl_digest(self.curve, &message)?)?;
        nonces.step(group, order, context)?;
        let (mut x, mut y) = (BigNum::new()?, BigNum::new()?);
        nonces
            .point
            .affine_coordinates(group, &mut x, &mut y, context)?;
        let mut r = BigNum::new()?;
        r.nnmod(&x, order, context)?;
        let (mut rd, mut sum) = (BigNum::new()?, BigNum::new()?);
        rd.mod_mul(&r, &self.scalars[key], order, context)?;
        sum.mod_add(&e, &rd, order, context)?;
        let (mut inverse, mut s) = (BigNum::new()?, BigNum::new()?);
        inverse.mod_inverse(&nonces.scalar, order, context)?;
        s.mod_mul(&inverse, &sum, order, context)?;
        let mut signature = EcdsaSig::from_private_components(r, s)?;
        if self.curve == CurveName::Secp256k1 {
            signature = low_s(&signature, group)?;
        }
        Row::new(self.curve, key, message, &signature)
    }

    /// Creates a random message with a valid signature and a key such that u2 Q = 2^132 G. With a
    /// window of 11 bits, digit 12 of u1 also stands for that point.
    ///
    /// u1 is random except for that digit, R = u1 G + 2^132 G, r = x(R), s = e / u1, u2 = r / s,
    /// and
    /// the private key 2^132 / u2.
    fn meeting_row(&mut self) -> Result<Row> {
        let Self {
            curve,
            group,
            order,
            context,
            ..
        } = self;
        let message: [u8; 32] = random()?;
        let e = BigNum::from_slice(&openssl_digest(*curve, &message)?)?;
        let mut point = BigNum::new()?;
        point.set_bit(132)?;
        let mut u1 = BigNum::new()?;
        order.rand_range(&mut u1)?;
        for bit in 131..=142 {
            if bit == 132 {
                u1.set_bit(bit)?;
            } else {
                u1.clear_bit(bit)?;
            }
        }
        let number = BigNum::new;
        let (mut k, mut x, mut y, mut r) = (number()?, number()?, number()?, number()?);
        k.mod_add(&u1, &point, order, context)?;
        let mut sum = EcPoint::new(group)?;
        sum.mul_generator2(group, &k, context)?;
        sum.affine_coordinates(group, &mut x, &mut y, context)?;
        r.nnmod(&x, order, context)?;
        let (mut inverse, mut s, mut u2, mut private) =
            (number()?, number()?, number()?, number()?);
        inverse.mod_inverse(&u1, order, context)?;
        s.mod_mul(&e, &inverse, order, context)?;
        inverse.mod_inverse(&s, order, context)?;
        u2.mod_mul(&r, &inverse, order, context)?;
        inverse.mod_inverse(&u2, order, context)?;
        private.mod_mul(&point, &inverse, order, context)?;
        let mut public = EcPoint::new(group)?;
        public.mul_generator2(group, &private, context)?;
        let form = PointConversionForm::UNCOMPRESSED;
        self.keys.push(KeyPair {
            private: padded(&private, curve.order_len())?,
            public: public.to_bytes(group, form, context)?,
        });
        let signature = EcdsaSig::from_private_components(r, s)?;
        Row::new(*curve, self.keys.len() - 1, message, &signature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::ec_key;

    #[test]
    fn every_row_of_every_set_is_valid_and_distinct() {
        for (curve, set) in [
            (CurveName::P256, RowSet::FewKeys),
            (CurveName::P384, RowSet::NewKeys),
            (CurveName::P256, RowSet::Zipf),
            (CurveName::P256, RowSet::Meeting),
        ] {
            let inputs = set.shape(16).unwrap().make(curve).unwrap();
            let keys: Vec<_> = inputs.keys.iter().map(|key| ec_key(curve, key)).collect();
            for row in &inputs.rows {
                let key = keys[row.key].as_ref().unwrap();
                key.check_key().unwrap();
                assert!(row.parsed().unwrap().verify(&row.digest, key).unwrap());
            }
            let mut signatures: Vec<_> = inputs.rows.iter().map(|row| &row.signature).collect();
            signatures.sort_unstable();
            signatures.dedup();
            assert_eq!(signatures.len(), inputs.rows.len());
        }
    }

    #[test]
    fn shapes_are_what_their_names_say_and_shrink_together() {
        let sizes = |set: RowSet, signatures| {
            let shape = set.shape(signatures).unwrap();
            (shape.keys, shape.rows)
        };
        assert_eq!(sizes(RowSet::FewKeys, 4096), (16, 4096));
        assert_eq!(sizes(RowSet::FewKeys, 1_000_000), (16, 4096));
        assert_eq!(sizes(RowSet::ThousandKeys, 4096), (1000, 4096));
        assert_eq!(sizes(RowSet::NewKeys, 4096), (4096, 4096));
        assert_eq!(sizes(RowSet::Zipf, 4096), (100_000, 131_072));
        assert_eq!(sizes(RowSet::Zipf, 64), (1562, 2048));
        assert_eq!(sizes(RowSet::FewKeys, 1), (4, 4));
        assert_eq!(RowSet::AsAsked.shape(64), None);
        let new = RowSet::NewKeys
            .shape(8)
            .unwrap()
            .make(CurveName::P256)
            .unwrap();
        assert_eq!((new.keys.len(), new.rows.len()), (8, 8));
    }

    #[test]
    fn the_commonest_keys_have_their_share() {
        let mut counts = vec![0_u32; 1000];
        for key in zipf(1000, 100_000).unwrap() {
            counts[key] += 1;
        }
        // 1/k of 100,000 over the 1000th harmonic number, 7.485: within six standard deviations.
        for (k, expected) in [(1, 13_360_u32), (2, 6_680), (10, 1_336), (100, 134)] {
            let off = counts[k - 1].abs_diff(expected);
            assert!(
                u64::from(off).pow(2) < 36 * u64::from(expected),
                "{k}: {off}"
            );
        }
    }
}
