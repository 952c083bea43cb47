//! Every way to verify a signature, checked together: all must agree exactly.

use num_bigint::BigUint;
use sigmill::bulk::{Engine, Input, Row, Speed};
use sigmill::ecdsa::{FullSignature, Signature};
use sigmill::hazmat::curve::{Curve as _, NamedCurve};
use sigmill::hazmat::ecdsa::{KnownPoint, LeadsTo, Verify, verify_many_vartime};
use sigmill::hazmat::{KeyParts as _, SignatureParts as _};
use sigmill::keys::{PreparedKey, VerifyingKey};
use sigmill::{
    Algorithm, AnyVerifyingKey, CurveName, Error, HashName, Hint, Policy, RecoveryId,
    SignatureFormat, VerifyOptions,
};

use super::der::der_signature;
use super::numbers::to_bytes;
use crate::for_curve;
use crate::kernels::{P256Generic, P384Generic, Secp256k1Generic};
use crate::processes::is_again_for_lanes;

type Verdict = Result<(), Error>;
type Verifier = Box<dyn Fn(&[u8], &[u8], SignatureFormat) -> Verdict>;

/// All windows of tables.
pub const ALL_WINDOWS: [u32; 11] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];

/// One key under every strategy, on every backend.
pub struct Strategies {
    length: usize,
    /// Verifiers that accept r and s.
    verifiers: Vec<(String, Verifier)>,
    /// Verifiers that decode signatures themselves.
    decoders: Vec<(String, Verifier)>,
}

impl Strategies {
    /// A key as a SEC 1 point, with tables of the given windows.
    ///
    /// # Errors
    /// The error that every decoder returns for the key; all must agree.
    pub fn new(curve: CurveName, key: &[u8], windows: &[u32]) -> Result<Self, Error> {
        let any = AnyVerifyingKey::from_sec1_bytes(curve, key);
        assert_eq!(any, AnyVerifyingKey::from_encoded(Some(curve), key));
        let mut verifiers = for_curve!(curve, C => { typed::<C>(key, windows, any.err()) });
        // The same curve by its constants, if different code runs it.
        let few = &windows[..windows.len().min(2)];
        verifiers.extend(match curve {
            CurveName::P256 => typed::<P256Generic>(key, few, any.err()),
            CurveName::Secp256k1 => typed::<Secp256k1Generic>(key, few, any.err()),
            CurveName::P384 => typed::<P384Generic>(key, few, any.err()),
            _ => vec![],
        });
        let any = any?;
        assert_eq!(any.curve(), curve);
        let mut decoders: Vec<(String, Verifier)> = vec![];
        decoders.push((
            "any fresh".into(),
            Box::new(move |digest, signature, format| {
                any.verify_prehash(digest, signature, format)
            }),
        ));
        for &window in windows.iter().take(1) {
            let prepared = any.prepare_with_window(window).unwrap();
            decoders.push((
                format!("any prepared {window}"),
                Box::new(move |digest, signature, format| {
                    prepared.verify_prehash(digest, signature, format)
                }),
            ));
        }
        decoders.push(engine_verifier(curve, key, 0));
        decoders.push(engine_verifier(curve, key, 1 << 20));
        Ok(Self {
            length: curve.order_len(),
            verifiers,
            decoders,
        })
    }

    /// Returns the common verdict of all verifiers on an encoded signature.
    ///
    /// # Panics
    /// If they disagree.
    #[track_caller]
    pub fn judge(&self, digest: &[u8], signature: &[u8], format: SignatureFormat) -> Verdict {
        let expected = (self.verifiers[0].1)(digest, signature, format);
        for (name, verify) in self.verifiers[1..].iter().chain(&self.decoders) {
            assert_eq!(
                verify(digest, signature, format),
                expected,
                "{name} differs: digest {digest:02x?}, {format} {signature:02x?}"
            );
        }
        expected
    }

    /// Returns the common verdict of all verifiers on r and s below 2^(8 length): in P1363, and for
    /// those that decode also in DER.
    ///
    /// # Panics
    /// If they disagree.
    #[track_caller]
    pub fn verdict(&self, digest: &[u8], r: &BigUint, s: &BigUint) -> Verdict {
        let p1363 = [to_bytes(r, self.length), to_bytes(s, self.length)].concat();
        let expected = self.judge(digest, &p1363, SignatureFormat::P1363);
        let der = der_signature(r, s);
        for (name, verify) in &self.decoders {
            let found = verify(digest, &der, SignatureFormat::Der);
            assert_eq!(found, expected, "{name}, DER: r {r:x}, s {s:x}");
        }
        expected
    }
}

/// The strategies of a typed key. `error` is the known defect of the key, if any.
fn typed<C: NamedCurve + Default>(
    key: &[u8],
    windows: &[u32],
    error: Option<Error>,
) -> Vec<(String, Verifier)> {
    let label = C::default().curve().label();
    let key = match VerifyingKey::<C>::from_sec1_bytes(key) {
        Ok(key) => key,
        Err(found) => {
            assert_eq!(Some(found), error, "{label}");
            return vec![];
        }
    };
    assert_eq!(error, None, "{label}");
    let prepared = windows
        .first()
        .map(|&window| key.prepare_with_window(window).unwrap());
    let mut verifiers: Vec<(String, Verifier)> = vec![
        (
            format!("{label} fresh"),
            Box::new(move |digest, signature, format| {
                key.verify_prehash(digest, &Signature::from_bytes(signature, format)?)
            }),
        ),
        (
            format!("{label} many"),
            Box::new(move |digest, signature, format| {
                many(
                    &key,
                    prepared.as_ref(),
                    digest,
                    &Signature::from_bytes(signature, format)?,
                )
            }),
        ),
    ];
    let prepared = windows
        .first()
        .map(|&window| key.prepare_with_window(window).unwrap());
    // Calls that know R have one lane.
    if !is_again_for_lanes() {
        verifiers.push((
            format!("{label} hinted"),
            Box::new(move |digest, signature, format| {
                let signature = Signature::from_bytes(signature, format)?;
                hinted(&key, prepared.as_ref(), digest, &signature)
            }),
        ));
    }
    for &window in windows {
        let prepared = key.prepare_with_window(window).unwrap();
        assert_eq!(prepared.window(), window);
        assert_eq!(prepared.memory_bytes(), key.table_bytes(window).unwrap());
        verifiers.push((
            format!("{label} prepared {window}"),
            Box::new(move |digest, signature, format| {
                prepared.verify_prehash(digest, &Signature::from_bytes(signature, format)?)
            }),
        ));
    }
    verifiers
}

/// Verifies the same signature in fresh and prepared rows, together with rows of another digest. A
/// call of eight lanes repeats the last row to fill up, so the signature is in every lane but one.
fn many<C: NamedCurve>(
    key: &VerifyingKey<C>,
    prepared: Option<&PreparedKey<C>>,
    digest: &[u8],
    signature: &Signature<C>,
) -> Verdict {
    let mut other = digest.to_vec();
    if let Some(byte) = other.first_mut() {
        *byte ^= 0x80;
    }
    let row = |strategy, digest| Verify {
        strategy,
        digest,
        signature: signature.scalars(),
    };
    let with_table = prepared.map_or(key.strategy(), |prepared| prepared.strategy());
    let rows = [
        row(key.strategy(), &*other),
        row(with_table, &*other),
        row(with_table, digest),
        row(key.strategy(), digest),
    ];
    let mut verdicts = [Ok(()); 4];
    verify_many_vartime(key.domain().curve(), &rows, &mut verdicts);
    assert_eq!(verdicts[0], key.verify_prehash(&other, signature));
    assert_eq!(
        verdicts[0], verdicts[1],
        "fresh and prepared, another digest"
    );
    assert_eq!(verdicts[2], verdicts[3], "prepared and fresh");
    verdicts[3]
}

/// The verdict on a signature with a hint to R, right or wrong. The right hint leads to a valid
/// signature, and no hint changes a verdict. At most one of the four ids is right.
pub fn hinted<C: NamedCurve>(
    key: &VerifyingKey<C>,
    prepared: Option<&PreparedKey<C>>,
    digest: &[u8],
    signature: &Signature<C>,
) -> Verdict {
    let known = key.verify_prehash_recoverable(digest, signature);
    if let Some(prepared) = prepared {
        let by_table = prepared.verify_prehash_recoverable(digest, signature);
        assert_eq!(by_table, known, "by a table");
    }
    let verdict = known.map(|_| ());
    let (input, plain) = (Input::Digest(digest), VerifyOptions::new());
    let with = |hint| key.verify_with(input, signature, &plain.hint(hint));
    let leads = |point| {
        let verify = Verify {
            strategy: key.strategy(),
            digest,
            signature: signature.scalars(),
        };
        key.domain().curve().dispatch(LeadsTo { verify, point })
    };
    let s = signature.scalars().s().as_ref()[0];
    let any = RecoveryId::ALL[s as usize % 4];
    for id in RecoveryId::ALL {
        // The right id, and one other.
        if known != Ok(id) && any != id {
            continue;
        }
        let leads = leads(KnownPoint::Hint(Hint::Id(id)));
        assert_eq!(leads, known == Ok(id), "{id:?}, but {known:?}");
    }
    assert_eq!(with(Hint::Id(any)), verdict, "with {any:?}");
    if let Ok(id) = known {
        let full = FullSignature::new(signature, id).unwrap();
        let bytes = full.to_bytes(s & 4 == 0);
        assert_eq!(FullSignature::from_bytes_on(key.domain(), &bytes), Ok(full));
        assert_eq!(key.verify_full(input, &full, &plain), Ok(()));
        let bytes = full.to_bytes(false);
        let length = key.domain().name().field_len();
        let y = Hint::Y(&bytes[1 + length..][..length]);
        assert!(leads(KnownPoint::Hint(y)) && with(y) == Ok(()));
    }
    let friendly = known.and_then(|id| id.is_friendly().then_some(()).ok_or(Error::NotFriendly));
    let options = VerifyOptions::new().policy(Policy::FRIENDLY);
    for options in [options, options.hint(Hint::Id(any))] {
        assert_eq!(key.verify_with(input, signature, &options), friendly);
        if let Some(prepared) = prepared {
            let found = prepared.verify_with(input, signature, &options);
            assert_eq!(found, friendly);
        }
    }
    verdict
}

/// A row in a separate engine; with memory, a table verifies from the sixth signature on.
fn engine_verifier(curve: CurveName, key: &[u8], memory: usize) -> (String, Verifier) {
    let engine = Engine::builder()
        .speed(Speed::Fixed)
        .key_memory(memory)
        .window(4)
        .build()
        .unwrap();
    let key = key.to_vec();
    let algorithm = Algorithm::new(curve, HashName::Sha256);
    (
        format!("engine with {memory} bytes"),
        Box::new(move |digest, signature, format| {
            let row = Row::new(algorithm, &key, Input::Digest(digest), signature, format);
            let verdict = engine.verify_row(&row);
            assert!(engine.key_store().stats().table_bytes <= memory as u64);
            verdict
        }),
    )
}
