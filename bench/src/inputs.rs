//! Common inputs of all implementations: keys, messages and signatures, created by OpenSSL.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use anyhow::{Context as _, Result, bail};
use openssl::asn1::Asn1Object;
use openssl::bn::{BigNum, BigNumContext};
use openssl::ec::{EcGroup, EcKey, EcPoint, PointConversionForm};
use openssl::ecdsa::EcdsaSig;
use openssl::hash::{MessageDigest, hash};
use openssl::pkey::{Id, PKey, Private};
use sigmill::{CurveName, HashName};

use crate::row_set::RowSet;

/// OpenSSL's form of a curve.
pub(crate) fn openssl_group(curve: CurveName) -> Result<EcGroup> {
    let object = Asn1Object::from_str(curve.object_identifier())?;
    EcGroup::from_curve_name(object.nid()).with_context(|| format!("OpenSSL lacks {curve}"))
}

/// The prefix of the names of a curve's operations: "p256", "brainpoolp256r1".
pub(crate) fn prefix(curve: CurveName) -> String {
    curve.as_str().replace('-', "").to_lowercase()
}

/// The digest of a message, by the curve's own hash.
pub(crate) fn openssl_digest(curve: CurveName, message: &[u8]) -> Result<Vec<u8>> {
    let algorithm = match curve.default_algorithm().hash {
        HashName::Sha256 => MessageDigest::sha256(),
        HashName::Sha384 => MessageDigest::sha384(),
        HashName::Sha512 => MessageDigest::sha512(),
        other => bail!("no digests by {other}"),
    };
    Ok(hash(algorithm, message)?.to_vec())
}

/// A key pair on a curve.
#[derive(Clone)]
pub(crate) struct KeyPair {
    /// Big-endian, `order_len` octets.
    pub(crate) private: Vec<u8>,
    /// SEC 1, uncompressed.
    pub(crate) public: Vec<u8>,
}

/// The approximate number of rows of [`CurveInputs::planted`] that are followed by changed copies.
const PLANTED: usize = 24;

/// A message and a signature of it.
#[derive(Clone)]
pub(crate) struct Row {
    /// Index of the key that signed.
    pub(crate) key: usize,
    pub(crate) message: [u8; 32],
    /// The curve's hash of the message.
    pub(crate) digest: Vec<u8>,
    /// r and s, big-endian, `order_len` octets each (IEEE P1363).
    pub(crate) signature: Vec<u8>,
    /// The same in DER.
    pub(crate) der: Vec<u8>,
}

/// Keys on one curve and rows signed by them.
#[derive(Clone)]
pub(crate) struct CurveInputs {
    pub(crate) curve: CurveName,
    pub(crate) keys: Vec<KeyPair>,
    pub(crate) rows: Vec<Row>,
}

impl CurveInputs {
    /// Creates `keys` fresh keys and `rows` fresh random messages, each with a valid signature. Row
    /// i is signed by key i mod `keys`. On secp256k1 every s is the low one of the two, as its
    /// libraries demand.
    fn new(curve: CurveName, keys: usize, rows: usize) -> Result<Self> {
        let group = openssl_group(curve)?;
        let len = curve.order_len();
        let mut context = BigNumContext::new()?;
        let ec_keys: Vec<EcKey<Private>> = (0..keys)
            .map(|_| EcKey::generate(&group))
            .collect::<Result<_, _>>()?;
        let keys = ec_keys
            .iter()
            .map(|key| {
                Ok(KeyPair {
                    private: padded(key.private_key(), len)?,
                    public: key.public_key().to_bytes(
                        &group,
                        PointConversionForm::UNCOMPRESSED,
                        &mut context,
                    )?,
                })
            })
            .collect::<Result<Vec<_>>>()?;
        let rows = (0..rows)
            .map(|i| {
                let key = i % ec_keys.len();
                let message: [u8; 32] = random()?;
                let digest = openssl_digest(curve, &message)?;
                let mut signature = EcdsaSig::sign(&digest, &ec_keys[key])?;
                if curve == CurveName::Secp256k1 {
                    signature = low_s(&signature, &group)?;
                }
                Row::new(curve, key, message, &signature)
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(Self { curve, keys, rows })
    }

    /// The first `limit` rows, some of them followed by copies with the message, r, s or the key
    /// changed; and for each row whether it is valid. Every implementation must distinguish them.
    pub(crate) fn planted(&self, limit: usize) -> Result<(Self, Vec<bool>)> {
        let limit = limit.min(self.rows.len());
        let every = limit.div_ceil(PLANTED).max(1);
        let mut rows = Vec::new();
        let mut are_valid = Vec::new();
        for (i, row) in self.rows[..limit].iter().enumerate() {
            rows.push(row.clone());
            are_valid.push(true);
            if i % every != 0 {
                continue;
            }
            let mut message = row.message;
            message[i % 32] ^= 1 << (i % 8);
            rows.push(Row::new(self.curve, row.key, message, &row.parsed()?)?);

            let len = self.curve.order_len();
            for last in [len - 1, 2 * len - 1] {
                let mut bytes = row.signature.clone();
                bytes[last] ^= 1 << (i % 8);
                let signature = parse(&bytes)?;
                rows.push(Row::new(self.curve, row.key, row.message, &signature)?);
            }
            if let Some(other) = self.rows.iter().find(|other| other.key != row.key) {
                let key = other.key;
                rows.push(Row { key, ..row.clone() });
            }
            are_valid.resize(rows.len(), false);
        }
        let planted = Self {
            curve: self.curve,
            keys: self.keys.clone(),
            rows,
        };
        Ok((planted, are_valid))
    }

    /// The row of the i-th call.
    pub(crate) fn row(&self, i: usize) -> &Row {
        &self.rows[i % self.rows.len()]
    }

    /// The keys of the i-th key agreement, own and peer's: all pairs occur in turn.
    pub(crate) fn pair(&self, i: usize) -> (usize, usize) {
        pair(i, self.keys.len())
    }
}

fn pair(i: usize, keys: usize) -> (usize, usize) {
    (i % keys, (i + 1 + i / keys) % keys)
}

impl Row {
    /// Creates the row of this message, with its digest and both encodings of the signature.
    pub(crate) fn new(
        curve: CurveName,
        key: usize,
        message: [u8; 32],
        signature: &EcdsaSig,
    ) -> Result<Self> {
        let len = curve.order_len();
        let mut bytes = padded(signature.r(), len)?;
        bytes.extend(padded(signature.s(), len)?);
        let digest = openssl_digest(curve, &message)?;
        Ok(Self {
            key,
            message,
            digest,
            signature: bytes,
            der: signature.to_der()?,
        })
    }

    /// OpenSSL's form of the signature.
    pub(crate) fn parsed(&self) -> Result<EcdsaSig> {
        parse(&self.signature)
    }
}

/// OpenSSL's form of a P1363 signature.
pub(crate) fn parse(signature: &[u8]) -> Result<EcdsaSig> {
    let (r, s) = signature.split_at(signature.len() / 2);
    Ok(EcdsaSig::from_private_components(
        BigNum::from_slice(r)?,
        BigNum::from_slice(s)?,
    )?)
}

/// OpenSSL's form of a key pair.
pub(crate) fn ec_key(curve: CurveName, pair: &KeyPair) -> Result<EcKey<Private>> {
    let group = openssl_group(curve)?;
    let mut context = BigNumContext::new()?;
    let public = EcPoint::from_bytes(&group, &pair.public, &mut context)?;
    let private = BigNum::from_slice(&pair.private)?;
    Ok(EcKey::from_private_components(&group, &private, &public)?)
}

pub(crate) fn low_s(signature: &EcdsaSig, group: &EcGroup) -> Result<EcdsaSig> {
    let mut order = BigNum::new()?;
    let mut context = BigNumContext::new()?;
    group.order(&mut order, &mut context)?;
    let mut negated = BigNum::new()?;
    negated.checked_sub(&order, signature.s())?;
    let s = if negated < *signature.s() {
        negated
    } else {
        signature.s().to_owned()?
    };
    Ok(EcdsaSig::from_private_components(
        signature.r().to_owned()?,
        s,
    )?)
}

pub(crate) fn padded(number: &openssl::bn::BigNumRef, len: usize) -> Result<Vec<u8>> {
    Ok(number.to_vec_padded(i32::try_from(len)?)?)
}

pub(crate) fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    openssl::rand::rand_bytes(&mut bytes)?;
    Ok(bytes)
}

/// Key pairs of X25519, raw octets.
pub(crate) struct X25519Inputs {
    pub(crate) keys: Vec<([u8; 32], [u8; 32])>,
}

impl X25519Inputs {
    fn new(keys: usize) -> Result<Self> {
        let keys = (0..keys)
            .map(|_| {
                let private: [u8; 32] = random()?;
                let key = PKey::private_key_from_raw_bytes(&private, Id::X25519)?;
                let public = key.raw_public_key()?;
                Ok((private, public.as_slice().try_into()?))
            })
            .collect::<Result<_>>()?;
        Ok(Self { keys })
    }

    /// Like [`CurveInputs::pair`].
    pub(crate) fn pair(&self, i: usize) -> (usize, usize) {
        pair(i, self.keys.len())
    }
}

/// All inputs, each created on first use.
pub(crate) struct Inputs {
    keys: usize,
    rows: usize,
    sets: RefCell<HashMap<(CurveName, RowSet), Rc<CurveInputs>>>,
    x25519: OnceCell<Rc<X25519Inputs>>,
}

impl Inputs {
    pub(crate) fn new(keys: usize, rows: usize) -> Self {
        Self {
            keys,
            rows,
            sets: RefCell::default(),
            x25519: OnceCell::new(),
        }
    }

    /// The number of rows on every curve unless a set overrides it.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Keys and rows in the numbers requested on the command line.
    pub(crate) fn curve(&self, curve: CurveName) -> Result<Rc<CurveInputs>> {
        self.set(curve, RowSet::AsAsked)
    }

    /// The rows of a set.
    pub(crate) fn set(&self, curve: CurveName, set: RowSet) -> Result<Rc<CurveInputs>> {
        if let Some(inputs) = self.sets.borrow().get(&(curve, set)) {
            return Ok(Rc::clone(inputs));
        }
        let inputs = Rc::new(match set.shape(self.rows) {
            None => CurveInputs::new(curve, self.keys, self.rows)?,
            Some(shape) => shape.make(curve)?,
        });
        self.sets
            .borrow_mut()
            .insert((curve, set), Rc::clone(&inputs));
        Ok(inputs)
    }

    pub(crate) fn x25519(&self) -> Result<Rc<X25519Inputs>> {
        once(&self.x25519, || X25519Inputs::new(self.keys))
    }
}

fn once<T>(cell: &OnceCell<Rc<T>>, make: impl FnOnce() -> Result<T>) -> Result<Rc<T>> {
    if let Some(value) = cell.get() {
        return Ok(Rc::clone(value));
    }
    let value = Rc::new(make()?);
    Ok(Rc::clone(cell.get_or_init(|| value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_valid_distinct_and_signed_by_the_keys_in_turn() {
        for &curve in CurveName::ALL {
            let inputs = CurveInputs::new(curve, 3, 7).unwrap();
            for (i, row) in inputs.rows.iter().enumerate() {
                assert_eq!(row.key, i % 3);
                assert_eq!(row.signature.len(), 2 * curve.order_len());
                let key = ec_key(curve, &inputs.keys[row.key]).unwrap();
                assert!(row.parsed().unwrap().verify(&row.digest, &key).unwrap());
            }
            let mut messages: Vec<_> = inputs.rows.iter().map(|r| r.message).collect();
            messages.sort_unstable();
            messages.dedup();
            assert_eq!(messages.len(), 7);
        }
    }

    #[test]
    fn openssl_rejects_the_planted_rows_and_no_other() {
        let inputs = CurveInputs::new(CurveName::P256, 2, 50).unwrap();
        let (planted, are_valid) = inputs.planted(48).unwrap();
        assert_eq!((planted.rows.len(), are_valid.len()), (48 + 4 * 24, 144));
        assert_eq!(are_valid.iter().filter(|&&valid| valid).count(), 48);
        for (row, valid) in planted.rows.iter().zip(are_valid) {
            let key = ec_key(CurveName::P256, &planted.keys[row.key]).unwrap();
            let signature = row.parsed().unwrap();
            assert_eq!(signature.verify(&row.digest, &key).unwrap_or(false), valid);
        }
    }

    #[test]
    fn agreements_visit_every_pair() {
        let mut pairs: Vec<_> = (0..16).map(|i| pair(i, 4)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(pairs.len(), 16);
    }
}
