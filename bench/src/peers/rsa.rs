//! RSA compared with ECDSA, as in R. Struik's tables: verification of PKCS#1 v1.5 with e = 65537,
//! by OpenSSL and AWS-LC.

use std::rc::Rc;

use anyhow::{Result, ensure};
use aws_lc_rs::digest::{self, Digest};
use aws_lc_rs::signature::{
    ParsedPublicKey, RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY, RSA_PKCS1_2048_8192_SHA256,
};
use foreign_types::ForeignType as _;
use openssl::bn::{BigNum, BigNumContext, BigNumContextRef, MsbOption};
use openssl::hash::{MessageDigest, hash};
use openssl::nid::Nid;
use openssl::pkey::Public;
use openssl::rsa::Rsa;

use crate::inputs::random;
use crate::registry::{OPENSSL, Peer, Registry, Subject, verdict};

/// The lengths of the modulus.
pub(crate) const BITS: [i32; 5] = [1024, 2048, 3072, 7680, 15_360];

/// The longest modulus that AWS-LC accepts.
const MOST_OF_AWS_LC: i32 = 8192;

pub(crate) fn register(registry: &mut Registry) {
    let version = openssl::version::version().trim_start_matches("OpenSSL ");
    let mut peer = registry.peer(OPENSSL, version.to_owned());
    for bits in BITS {
        let timed = "RSA_verify: key parsed beforehand, digest given";
        register_one(&mut peer, bits, timed, openssl);
    }
    let version = registry.versions.of_with("aws-lc-rs", "aws-lc-sys");
    let mut peer = registry.peer("AWS-LC", version);
    for bits in BITS.into_iter().filter(|&bits| bits <= MOST_OF_AWS_LC) {
        let timed = "ParsedPublicKey::verify_digest_sig: key parsed beforehand, digest given";
        register_one(&mut peer, bits, timed, aws_lc);
    }
}

fn register_one(
    peer: &mut Peer<'_>,
    bits: i32,
    timed: &'static str,
    make: fn(&Signed) -> Result<Box<dyn Subject>>,
) {
    let op = format!("rsa{bits}/verify/single");
    peer.compute(&op, timed, None, move |_| make(&Signed::new(bits)?));
}

/// A public key and signatures of digests.
struct Signed {
    key: Rsa<Public>,
    rows: Rc<Vec<(Vec<u8>, Vec<u8>)>>,
}

/// The number of signatures: each needs seconds to create, and all are verified alike.
const ROWS: usize = 2;

/// DER before a digest by SHA-256 (RFC 8017 §9.2).
const DIGEST_INFO: [u8; 19] = [
    0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05,
    0x00, 0x04, 0x20,
];

/// Factors of a modulus, in bits. Finding two large primes would need minutes; a verifier sees only
/// the modulus.
const FACTOR: i32 = 512;

impl Signed {
    fn new(bits: i32) -> Result<Self> {
        let context = &mut *BigNumContext::new()?;
        let e = BigNum::from_u32(65_537)?;
        let (n, d) = loop {
            let (n, totient) = modulus(bits, context)?;
            let mut common = BigNum::new()?;
            common.gcd(&e, &totient, context)?;
            if common.is_bit_set(0) && common.num_bits() == 1 {
                let mut d = BigNum::new()?;
                d.mod_inverse(&e, &totient, context)?;
                break (n, d);
            }
        };
        let length = bits as usize / 8;
        let mut rows = vec![];
        for _ in 0..ROWS {
            let message: [u8; 32] = random()?;
            let digest = hash(MessageDigest::sha256(), &message)?.to_vec();
            let ones = vec![0xff; length - 3 - DIGEST_INFO.len() - digest.len()];
            let encoded = [&[0, 1], &ones[..], &[0], &DIGEST_INFO, &digest].concat();
            let mut signature = BigNum::new()?;
            signature.mod_exp(&*BigNum::from_slice(&encoded)?, &d, &n, context)?;
            rows.push((digest, signature.to_vec_padded(length as i32)?));
        }
        let key = Rsa::from_public_components(n, e)?;
        let rows = Rc::new(rows);
        Ok(Self { key, rows })
    }
}

/// A product of primes with exactly the given number of bits, and the number of units modulo it.
fn modulus(bits: i32, context: &mut BigNumContextRef) -> Result<(BigNum, BigNum)> {
    let mut n = BigNum::from_u32(1)?;
    let mut totient = BigNum::from_u32(1)?;
    while n.num_bits() < bits {
        let missing = bits - n.num_bits();
        // The last factor makes up for the bits that the product lacks.
        let length = if missing > FACTOR + FACTOR / 2 {
            FACTOR
        } else {
            missing + 1
        };
        let mut prime = BigNum::new()?;
        prime.rand(length, MsbOption::ONE, true)?;
        let [mut product, mut less, mut units] = [BigNum::new()?, BigNum::new()?, BigNum::new()?];
        product.checked_mul(&n, &prime, context)?;
        if product.num_bits() <= bits && prime.is_prime(20, context)? {
            less.checked_sub(&prime, &*BigNum::from_u32(1)?)?;
            units.checked_mul(&totient, &less, context)?;
            (n, totient) = (product, units);
        }
    }
    Ok((n, totient))
}

fn openssl(signed: &Signed) -> Result<Box<dyn Subject>> {
    let (key, rows) = (signed.key.clone(), Rc::clone(&signed.rows));
    let verify = move |digest: &[u8], signature: &[u8]| {
        // SAFETY: the slices have the lengths passed, and the key lives.
        unsafe {
            openssl_sys::RSA_verify(
                Nid::SHA256.as_raw(),
                digest.as_ptr(),
                digest.len() as u32,
                signature.as_ptr(),
                signature.len() as u32,
                key.as_ptr(),
            ) == 1
        }
    };
    subject(rows, verify)
}

fn aws_lc(signed: &Signed) -> Result<Box<dyn Subject>> {
    let algorithm = match signed.key.size() {
        128 => &RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY,
        _ => &RSA_PKCS1_2048_8192_SHA256,
    };
    let key = ParsedPublicKey::new(algorithm, signed.key.public_key_to_der_pkcs1()?)?;
    let digests = signed.rows.iter();
    let digests = digests.map(|(digest, _)| Digest::import_less_safe(digest, &digest::SHA256));
    let digests = digests.collect::<Result<Vec<_>, _>>()?;
    let rows = Rc::clone(&signed.rows);
    let verify = move |digest: &[u8], signature: &[u8]| {
        let digest = digests.iter().find(|other| other.as_ref() == digest);
        digest.is_some_and(|digest| key.verify_digest_sig(digest, signature).is_ok())
    };
    subject(rows, verify)
}

/// Verifies the rows in turn, after checking that a signature of another digest is rejected.
fn subject(
    rows: Rc<Vec<(Vec<u8>, Vec<u8>)>>,
    verify: impl Fn(&[u8], &[u8]) -> bool + 'static,
) -> Result<Box<dyn Subject>> {
    ensure!(
        !verify(&rows[0].0, &rows[1].1),
        "accepted the signature of another digest"
    );
    Ok(verdict(move |i| {
        let (digest, signature) = &rows[i % rows.len()];
        verify(digest, signature)
    }))
}
