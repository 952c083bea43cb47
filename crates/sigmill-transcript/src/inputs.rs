//! Keys, digests and signatures, valid and invalid: the same in every run.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sigmill::{AnySigningKey, AnyVerifyingKey, CurveName, Error, SignatureFormat};

/// The inputs for one curve.
pub(crate) struct Inputs {
    pub(crate) curve: CurveName,
    /// Private keys: the numbers 1 and 2, then random ones.
    pub(crate) keys: Vec<AnySigningKey>,
    /// Their public keys.
    pub(crate) public_keys: Vec<AnyVerifyingKey>,
    /// Digests of several lengths.
    pub(crate) digests: Vec<Vec<u8>>,
    /// Signatures, valid and invalid.
    pub(crate) rows: Vec<Row>,
}

/// A row to verify.
pub(crate) struct Row {
    /// The claimed signer, counted from 0.
    pub(crate) key: usize,
    pub(crate) digest: Vec<u8>,
    pub(crate) signature: Vec<u8>,
    pub(crate) format: SignatureFormat,
    /// The verdict of the single call without a table.
    pub(crate) verdict: Result<(), Error>,
}

/// The lengths of digests: shorter than every order, as long as one, longer than all.
const DIGESTS: [usize; 6] = [20, 32, 48, 64, 66, 100];

impl Inputs {
    /// The inputs of all curves, in the library's order.
    pub(crate) fn of_every_curve() -> Vec<Self> {
        CurveName::ALL
            .iter()
            .map(|&curve| Self::of(curve))
            .collect()
    }

    pub(crate) fn of(curve: CurveName) -> Self {
        let mut rng = rng(curve.as_str());
        let small = |number| {
            let mut bytes = vec![0; curve.order_len()];
            bytes[curve.order_len() - 1] = number;
            AnySigningKey::from_be_bytes(curve, &bytes).expect("1 and 2 are keys")
        };
        let mut keys = vec![small(1), small(2)];
        let Ok(one) = AnySigningKey::generate_from_rng(curve, &mut rng);
        keys.push(one);
        let Ok(many) = AnySigningKey::generate_many_from_rng(curve, &mut rng, 3);
        keys.extend(many);
        let digests: Vec<Vec<u8>> = DIGESTS
            .iter()
            .map(|&length| {
                let mut digest = vec![0; length];
                rng.fill_bytes(&mut digest);
                digest
            })
            .collect();
        let public_keys: Vec<_> = keys.iter().map(AnySigningKey::verifying_key).collect();
        Self {
            curve,
            rows: rows(&keys, &public_keys, &digests),
            keys,
            public_keys,
            digests,
        }
    }

    /// The rows of one key.
    pub(crate) fn rows_of(&self, key: usize) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.key == key)
    }
}

/// Randomness determined by a name.
pub(crate) fn rng(name: &str) -> ChaCha8Rng {
    let mut seed = [0; 32];
    seed[..name.len()].copy_from_slice(name.as_bytes());
    ChaCha8Rng::from_seed(seed)
}

/// Signatures of the first keys, and changed versions of each.
fn rows(keys: &[AnySigningKey], public_keys: &[AnyVerifyingKey], digests: &[Vec<u8>]) -> Vec<Row> {
    // Long numbers need several times as long.
    let (signers, signed) = if keys[0].curve().order_len() > 32 {
        (2, 2)
    } else {
        (3, 5)
    };
    let mut rows = vec![];
    for (key, signer) in keys.iter().enumerate().skip(1).take(signers) {
        for digest in digests.iter().cycle().skip(key).take(signed) {
            let sign = |format| signer.sign_prehash(digest, format).expect("a digest");
            let (p1363, der) = (sign(SignatureFormat::P1363), sign(SignatureFormat::Der));
            let mut add = |key, digest: &[u8], signature: &[u8], format| {
                rows.push(Row {
                    key,
                    digest: digest.to_vec(),
                    signature: signature.to_vec(),
                    format,
                    verdict: public_keys[key].verify_prehash(digest, signature, format),
                });
            };
            add(key, digest, &p1363, SignatureFormat::P1363);
            add(key, digest, &der, SignatureFormat::Der);
            add(key, digest, &der, SignatureFormat::Auto);
            add(key + 1, digest, &p1363, SignatureFormat::P1363);
            let other = changed(digest, 0, 0x80);
            add(key, &other, &p1363, SignatureFormat::P1363);
            add(key, &[], &p1363, SignatureFormat::P1363);
            for signature in changes(&p1363) {
                add(key, digest, &signature, SignatureFormat::P1363);
            }
            // A longer length in the header, and trailing data.
            add(key, digest, &changed(&der, 1, 1), SignatureFormat::Der);
            add(
                key,
                digest,
                &[&der[..], &[0]].concat(),
                SignatureFormat::Der,
            );
        }
    }
    rows
}

/// Signatures that differ from this one: in the last bit of r, in the first of s, with r or s zero
/// or too large, and one byte shorter.
fn changes(p1363: &[u8]) -> [Vec<u8>; 7] {
    let half = p1363.len() / 2;
    let filled = |first: bool, byte| {
        let mut signature = p1363.to_vec();
        let (r, s) = signature.split_at_mut(half);
        if first { r } else { s }.fill(byte);
        signature
    };
    [
        changed(p1363, half - 1, 1),
        changed(p1363, half, 1),
        filled(true, 0),
        filled(false, 0),
        filled(true, 0xff),
        filled(false, 0xff),
        p1363[1..].to_vec(),
    ]
}

/// The same bytes with some bits of one changed.
pub(crate) fn changed(bytes: &[u8], at: usize, bits: u8) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at] ^= bits;
    bytes
}
