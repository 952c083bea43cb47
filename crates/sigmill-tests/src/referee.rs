//! Referees that share no code with this crate: OpenSSL as calculator and verifier, and RustCrypto.

use num_bigint::BigUint;
use openssl::asn1::Asn1Object;
use openssl::bn::{BigNum, BigNumContext};
use openssl::ec::{EcGroup, EcKey, EcPoint, PointConversionForm};
use openssl::ecdsa::EcdsaSig;
use openssl::nid::Nid;
use sigmill::CurveName;

use super::numbers::{from_hex, invert, to_bytes};

/// OpenSSL's number for a curve.
pub fn nid(curve: CurveName) -> Nid {
    let object = Asn1Object::from_str(curve.object_identifier());
    object.expect("an object identifier").nid()
}

/// A curve with OpenSSL's arithmetic. Points are SEC 1 bytes; infinity is the byte 0.
pub struct Referee {
    pub name: CurveName,
    pub p: BigUint,
    pub n: BigUint,
    pub b: BigUint,
    group: EcGroup,
}

/// The parts of a valid signature.
#[derive(Clone, Debug)]
pub struct Forged {
    /// The key, uncompressed.
    pub key: Vec<u8>,
    pub e: BigUint,
    pub r: BigUint,
    pub s: BigUint,
}

impl Referee {
    pub fn new(name: CurveName) -> Self {
        let group = EcGroup::from_curve_name(nid(name)).unwrap();
        let mut context = BigNumContext::new().unwrap();
        let [mut p, mut a, mut b, mut n] = [(); 4].map(|()| BigNum::new().unwrap());
        group
            .components_gfp(&mut p, &mut a, &mut b, &mut context)
            .unwrap();
        group.order(&mut n, &mut context).unwrap();
        Self {
            name,
            p: from_bn(&p),
            n: from_bn(&n),
            b: from_bn(&b),
            group,
        }
    }

    /// The length of a coordinate, and of r and s.
    pub fn length(&self) -> usize {
        assert_eq!(self.name.field_len(), self.name.order_len());
        self.name.field_len()
    }

    /// The digest of full length whose leftmost bits are e.
    pub fn digest(&self, e: &BigUint) -> Vec<u8> {
        let unused = 8 * self.length() as u64 - self.n.bits();
        to_bytes(&(e << unused), self.length())
    }

    fn encode(&self, point: &EcPoint, form: PointConversionForm) -> Vec<u8> {
        let mut context = BigNumContext::new().unwrap();
        point.to_bytes(&self.group, form, &mut context).unwrap()
    }

    fn decode(&self, point: &[u8]) -> Option<EcPoint> {
        let mut context = BigNumContext::new().unwrap();
        EcPoint::from_bytes(&self.group, point, &mut context).ok()
    }

    /// k G.
    pub fn generator_multiple(&self, k: &BigUint) -> Vec<u8> {
        let mut context = BigNumContext::new().unwrap();
        let mut point = EcPoint::new(&self.group).unwrap();
        point
            .mul_generator2(&self.group, &to_bn(k), &mut context)
            .unwrap();
        self.encode(&point, PointConversionForm::UNCOMPRESSED)
    }

    /// a G + b P.
    pub fn combination(&self, a: &BigUint, b: &BigUint, point: &[u8]) -> Vec<u8> {
        let mut context = BigNumContext::new().unwrap();
        let mut sum = EcPoint::new(&self.group).unwrap();
        let point = self.decode(point).unwrap();
        sum.mul_full(&self.group, &to_bn(a), &point, &to_bn(b), &mut context)
            .unwrap();
        self.encode(&sum, PointConversionForm::UNCOMPRESSED)
    }

    /// The sum of two points that are not infinity.
    pub fn sum(&self, a: &[u8], b: &[u8]) -> Vec<u8> {
        let mut context = BigNumContext::new().unwrap();
        let mut sum = EcPoint::new(&self.group).unwrap();
        let [a, b] = [a, b].map(|point| self.decode(point).unwrap());
        sum.add(&self.group, &a, &b, &mut context).unwrap();
        self.encode(&sum, PointConversionForm::UNCOMPRESSED)
    }

    pub fn compress(&self, point: &[u8]) -> Vec<u8> {
        self.encode(
            &self.decode(point).unwrap(),
            PointConversionForm::COMPRESSED,
        )
    }

    /// The point with this x and parity of y, if it exists.
    pub fn lift_x(&self, x: &BigUint, odd: bool) -> Option<Vec<u8>> {
        let tag = if odd { 3 } else { 2 };
        let bytes = [vec![tag], to_bytes(x, self.length())].concat();
        Some(self.encode(&self.decode(&bytes)?, PointConversionForm::UNCOMPRESSED))
    }

    /// The x-coordinate of a point that is not infinity.
    pub fn x(&self, point: &[u8]) -> BigUint {
        assert_eq!(point.len(), 1 + 2 * self.length());
        BigUint::from_bytes_be(&point[1..=self.length()])
    }

    /// Creates the valid signature under key d whose verification computes these u1 and u2; `None`
    /// if the sum is infinity or r would be zero.
    pub fn forge(&self, d: &BigUint, u1: &BigUint, u2: &BigUint) -> Option<Forged> {
        let n = &self.n;
        let k = (u1 + u2 * d) % n;
        if k == BigUint::ZERO {
            return None;
        }
        let r = self.x(&self.generator_multiple(&k)) % n;
        (r != BigUint::ZERO).then(|| {
            let s = &r * invert(u2, n) % n;
            let key = self.generator_multiple(d);
            let e = u1 * &s % n;
            Forged { key, e, r, s }
        })
    }

    /// Creates a signature (r, s) and a key for it whose verification ends at the given point R. It
    /// is valid if and only if r = x(R) mod n.
    pub fn forge_key(&self, point: &[u8], r: &BigUint, u1: &BigUint, u2: &BigUint) -> Forged {
        let n = &self.n;
        let w = invert(u2, n);
        // Q = u2^-1 (R - u1 G).
        let key = self.combination(&((n - u1) * &w % n), &w, point);
        let s = r * &w % n;
        let e = u1 * &s % n;
        let r = r.clone();
        Forged { key, e, r, s }
    }

    /// OpenSSL's verdict.
    pub fn openssl(&self, key: &[u8], digest: &[u8], r: &BigUint, s: &BigUint) -> bool {
        let Some(point) = self.decode(key) else {
            return false;
        };
        let Ok(key) = EcKey::from_public_key(&self.group, &point) else {
            return false;
        };
        let signature = EcdsaSig::from_private_components(to_bn(r), to_bn(s)).unwrap();
        signature.verify(digest, &key).unwrap_or(false)
    }

    /// Reports whether RustCrypto supports the curve.
    pub fn has_rust_crypto(&self) -> bool {
        matches!(
            self.name,
            CurveName::P256 | CurveName::Secp256k1 | CurveName::P384
        )
    }

    /// RustCrypto's verdict; on secp256k1, which requires the lower s, that of the signature with
    /// the lower s. RustCrypto does not accept a digest shorter than half the field: the result is
    /// `None`, as on curves without RustCrypto ([`has_rust_crypto`](Self::has_rust_crypto)).
    pub fn rust_crypto(&self, key: &[u8], digest: &[u8], r: &BigUint, s: &BigUint) -> Option<bool> {
        macro_rules! verdict {
            ($module:ident $(, $normalize:ident)?) => {{
                use $module::ecdsa::signature::hazmat::PrehashVerifier;
                use $module::ecdsa::{Signature, VerifyingKey};
                (digest.len() >= self.length() / 2).then(|| {
                    let length = self.name.order_len();
                    let signature = [to_bytes(r, length), to_bytes(s, length)].concat();
                    match (
                        VerifyingKey::from_sec1_bytes(key),
                        Signature::from_slice(&signature),
                    ) {
                        (Ok(key), Ok(signature)) => {
                            $(let signature = signature.$normalize();)?
                            key.verify_prehash(digest, &signature).is_ok()
                        }
                        _ => false,
                    }
                })
            }};
        }
        match self.name {
            CurveName::P256 => verdict!(p256),
            CurveName::Secp256k1 => verdict!(k256, normalize_s),
            CurveName::P384 => verdict!(p384),
            _ => None,
        }
    }

    /// -d mod n for a non-zero d.
    pub fn negate(&self, d: &BigUint) -> BigUint {
        &self.n - d
    }
}

/// SEC 1 §4.1.3: a signature of the integer e by private key d with nonce k.
pub fn sign(referee: &Referee, d: &BigUint, k: &BigUint, e: &BigUint) -> (BigUint, BigUint) {
    let n = &referee.n;
    let r = referee.x(&referee.generator_multiple(k)) % n;
    let s = invert(k, n) * (e + &r * d) % n;
    (r, s)
}

/// The integer e of a digest (SEC 1 §4.1.4 step 3), by bits rather than bytes.
pub fn digest_integer(digest: &[u8], n: &BigUint) -> BigUint {
    let excess = (8 * digest.len() as u64).saturating_sub(n.bits());
    (BigUint::from_bytes_be(digest) >> excess) % n
}

pub fn to_bn(value: &BigUint) -> BigNum {
    BigNum::from_slice(&value.to_bytes_be()).unwrap()
}

fn from_bn(value: &BigNum) -> BigUint {
    from_hex(&value.to_hex_str().unwrap())
}
