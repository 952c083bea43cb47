//! OpenSSL with the provider and without: keys, digests and signatures of any kind through `EVP_*`
//! get the same answers, what one has signed the other accepts, and they agree on the same secrets.
#![no_main]

#[path = "shared/evp.rs"]
mod evp;

use std::ffi::CStr;
use std::sync::LazyLock;

use arbitrary::Arbitrary;
use evp::{Answer, Derivation, Key, Library};
use libfuzzer_sys::fuzz_target;

/// The object identifiers of curves with the lengths of their orders; the first are ours.
const CURVES: [(&[u8], usize); 9] = [
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7], 32), // P-256
    (&[0x2b, 0x81, 4, 0, 34], 48),                  // P-384
    (&[0x2b, 0x81, 4, 0, 35], 66),                  // P-521
    (&[0x2b, 0x81, 4, 0, 10], 32),                  // secp256k1
    (&[0x2b, 0x24, 3, 3, 2, 8, 1, 1, 7], 32),       // brainpoolP256r1
    (&[0x2b, 0x24, 3, 3, 2, 8, 1, 1, 8], 32),       // brainpoolP256t1
    (&[0x2b, 0x24, 3, 3, 2, 8, 1, 1, 11], 48),      // brainpoolP384r1
    (&[0x2b, 0x81, 4, 0, 33], 28),                  // P-224
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 1], 24), // P-192
];
const OUR_CURVES: usize = 5;

/// The first are hashes that the provider has.
const HASHES: [&CStr; 14] = [
    c"SHA1",
    c"SHA224",
    c"SHA256",
    c"SHA384",
    c"SHA512",
    c"SHA512-224",
    c"SHA512-256",
    c"SHA3-224",
    c"SHA3-256",
    c"SHA3-384",
    c"SHA3-512",
    c"MD5",
    c"SM3",
    c"BLAKE2S-256",
];
const OUR_HASHES: usize = 11;

#[derive(Arbitrary, Debug)]
enum AnyKey<'a> {
    /// A key that the fuzzer knows, with the form of its point.
    Whole {
        curve: u8,
        which: u8,
        form: u8,
    },
    /// The same with bytes changed by exclusive or.
    Changed {
        curve: u8,
        which: u8,
        form: u8,
        changes: Vec<(u8, u8)>,
    },
    Private {
        curve: u8,
        which: u8,
        changes: Vec<(u8, u8)>,
    },
    Spki(&'a [u8]),
    PrivateDer(&'a [u8]),
    /// A point of any bytes.
    Point {
        curve: u8,
        point: &'a [u8],
    },
}

#[derive(Arbitrary, Debug)]
enum AnySignature<'a> {
    Whole,
    Changed(Vec<(u8, u8)>),
    Cut(u8),
    Longer(&'a [u8]),
    /// The contents of two integers.
    Integers(&'a [u8], &'a [u8]),
    Bytes(&'a [u8]),
}

#[derive(Arbitrary, Debug)]
enum Use<'a> {
    Message {
        parts: u8,
        to_copy: bool,
    },
    Digest {
        digest: &'a [u8],
        with_hash: bool,
        to_copy: bool,
        is_signed: bool,
    },
    Sign {
        space: u8,
    },
    SignDigest {
        digest: &'a [u8],
        with_hash: bool,
        space: u8,
    },
    /// By ECDH, with a derivation if there is a length.
    Agree {
        peer: AnyKey<'a>,
        length: Option<u8>,
        info: &'a [u8],
        space: u8,
        to_copy: bool,
    },
    X25519 {
        own: &'a [u8],
        peer: &'a [u8],
        space: u8,
        to_copy: bool,
    },
}

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    key: AnyKey<'a>,
    hash: u8,
    message: &'a [u8],
    signature: AnySignature<'a>,
    uses: Vec<Use<'a>>,
}

static LIBRARIES: LazyLock<[Library; 2]> =
    LazyLock::new(|| [Library::stock(), Library::with_sigmill()]);

/// A value of DER.
fn tagged(tag: u8, value: &[u8]) -> Vec<u8> {
    let length = value.len();
    let mut der = vec![tag];
    match length {
        0..0x80 => der.push(length as u8),
        0x80..0x100 => der.extend([0x81, length as u8]),
        _ => der.extend([0x82, (length >> 8) as u8, length as u8]),
    }
    der.extend(value);
    der
}

/// A private key (RFC 5915) without its public key, which OpenSSL computes.
fn private_key(curve: u8, which: u8) -> Vec<u8> {
    let (oid, length) = CURVES[usize::from(curve) % CURVES.len()];
    let mut scalar = vec![0x35 + which % 4; length];
    scalar[0] = 0;
    // Small ones are next to special cases of sums: 1 and n - 1 have the same x.
    if which.is_multiple_of(4) {
        scalar.fill(0);
        scalar[length - 1] = 1 + which / 4 % 4;
    }
    let parts = [
        tagged(2, &[1]),
        tagged(4, &scalar),
        tagged(0xa0, &tagged(6, oid)),
    ];
    tagged(0x30, &parts.concat())
}

/// SPKI of a point.
fn spki(curve: u8, point: &[u8]) -> Vec<u8> {
    let (oid, _) = CURVES[usize::from(curve) % CURVES.len()];
    let ec = tagged(6, &[0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1]);
    let algorithm = tagged(0x30, &[ec, tagged(6, oid)].concat());
    let point = tagged(3, &[&[0][..], point].concat());
    tagged(0x30, &[algorithm, point].concat())
}

/// The public key of a private one; its point uncompressed, compressed or hybrid.
fn public_key(curve: u8, which: u8, form: u8) -> Vec<u8> {
    let (_, length) = CURVES[usize::from(curve) % CURVES.len()];
    let key = LIBRARIES[0].key(&private_key(curve, which), true).unwrap();
    let der = key.spki();
    let point = &der[der.len() - 1 - 2 * length..];
    assert_eq!(point[0], 4);
    let parity = point[2 * length] & 1;
    match form % 3 {
        0 => der,
        1 => spki(curve, &[&[2 + parity], &point[1..=length]].concat()),
        _ => spki(curve, &[&[6 + parity], &point[1..]].concat()),
    }
}

fn change(bytes: &mut [u8], changes: &[(u8, u8)]) {
    for (at, with) in changes.iter().take(8) {
        let length = bytes.len().max(1);
        if let Some(byte) = bytes.get_mut(usize::from(*at) % length) {
            *byte ^= with;
        }
    }
}

impl AnyKey<'_> {
    /// As DER, whether it is private, and the private key that belongs to it.
    fn der(&self) -> (Vec<u8>, bool, Option<Vec<u8>>) {
        match *self {
            Self::Whole { curve, which, form } => {
                let private = private_key(curve, which);
                (public_key(curve, which, form), false, Some(private))
            }
            Self::Changed {
                curve,
                which,
                form,
                ref changes,
            } => {
                let mut der = public_key(curve, which, form);
                change(&mut der, changes);
                (der, false, Some(private_key(curve, which)))
            }
            Self::Private {
                curve,
                which,
                ref changes,
            } => {
                let private = private_key(curve, which);
                let mut der = private.clone();
                change(&mut der, changes);
                (der, true, Some(private))
            }
            Self::Spki(der) => (der.to_vec(), false, None),
            Self::PrivateDer(der) => (der.to_vec(), true, None),
            Self::Point { curve, point } => (spki(curve, point), false, None),
        }
    }
}

impl AnySignature<'_> {
    fn der(&self, whole: &[u8]) -> Vec<u8> {
        let mut signature = whole.to_vec();
        match self {
            Self::Whole => {}
            Self::Changed(changes) => change(&mut signature, changes),
            Self::Cut(length) => signature.truncate(usize::from(*length)),
            Self::Longer(more) => signature.extend_from_slice(more),
            Self::Integers(r, s) => {
                signature = tagged(0x30, &[tagged(2, r), tagged(2, s)].concat());
            }
            Self::Bytes(bytes) => signature = bytes.to_vec(),
        }
        signature
    }
}

/// Both libraries say the same, but for what docs/openssl.md lists.
fn compare(what: &dyn std::fmt::Debug, [stock, sigmill]: [Answer; 2], is_empty: bool) {
    assert!(!stock.is_ours);
    // From OpenSSL 3.5 on "no" to a signature of no bytes.
    let is_known = is_empty && stock.verdict == 0 && sigmill.verdict == -1;
    assert!(
        stock.verdict == sigmill.verdict || is_known,
        "{what:02x?}: {stock:?} {sigmill:?}"
    );
}

/// Signatures by either are accepted by both.
fn accept(
    keys: &[Key; 2],
    signed: &[(Answer, Vec<u8>); 2],
    verify: impl Fn(&Key, &[u8]) -> Answer,
) {
    for (answer, signature) in signed {
        if answer.verdict == 1 {
            for key in keys {
                let verdict = verify(key, signature).verdict;
                assert_eq!(verdict, 1, "{signature:02x?} by {answer:?}");
            }
        }
    }
}

/// Both agree with a peer on the same, or with none.
fn agree(
    case: &Case,
    keys: &[Key; 2],
    peers: &[Option<Key>; 2],
    (derivation, space, to_copy): (Option<&Derivation>, usize, bool),
) {
    if let [Some(stock), Some(sigmill)] = peers {
        let stock = keys[0].agree(stock, derivation, space, to_copy);
        let sigmill = keys[1].agree(sigmill, derivation, space, to_copy);
        assert!(!stock.0.is_ours);
        assert_eq!(
            (stock.0.verdict, stock.1),
            (sigmill.0.verdict, sigmill.1),
            "{case:02x?}"
        );
    }
}

fn run(case: &Case) {
    let (der, is_private, signer) = case.key.der();
    let keys = LIBRARIES
        .each_ref()
        .map(|library| library.key(&der, is_private));
    let [Some(stock), Some(sigmill)] = keys else {
        assert!(keys.iter().all(Option::is_none), "{der:02x?}");
        return;
    };
    let keys = [stock, sigmill];
    let hash_index = usize::from(case.hash) % HASHES.len();
    let hash = HASHES[hash_index];
    // A signature of the message or of the digest, by the stock library.
    let signer = signer.and_then(|signer| LIBRARIES[0].key(&signer, true));
    for step in case.uses.iter().take(6) {
        let both = |run: &dyn Fn(&Key) -> Answer| keys.each_ref().map(run);
        match *step {
            Use::Message { parts, to_copy } => {
                let whole = signer.as_ref().map(|key| key.sign(hash, case.message, 200));
                let signature = case.signature.der(&whole.map_or(vec![], |(_, der)| der));
                let middle = usize::from(parts).min(case.message.len());
                let (first, rest) = case.message.split_at(middle);
                let split = [first, rest];
                let parts = if middle == 0 {
                    &[case.message][..]
                } else {
                    &split
                };
                let answers = both(&|key| key.verify(hash, parts, to_copy, &signature));
                if hash_index >= OUR_HASHES && answers[1].verdict == -2 {
                    // Refused when it begins, where the key is ours.
                    continue;
                }
                compare(&(case, &signature), answers, signature.is_empty());
            }
            Use::Digest {
                digest,
                with_hash,
                to_copy,
                is_signed,
            } => {
                let hash = with_hash.then_some(hash);
                let signed = if is_signed { digest } else { case.message };
                let whole = signer
                    .as_ref()
                    .map(|key| key.sign_digest(hash, signed, 200));
                let signature = case.signature.der(&whole.map_or(vec![], |(_, der)| der));
                let answers = both(&|key| key.verify_digest(hash, digest, to_copy, &signature));
                compare(&(case, &signature), answers, signature.is_empty());
            }
            Use::Sign { space } => {
                let signed = keys
                    .each_ref()
                    .map(|key| key.sign(hash, case.message, space.into()));
                if hash_index >= OUR_HASHES && signed[1].0.verdict == -2 {
                    continue;
                }
                compare(case, signed.each_ref().map(|(answer, _)| *answer), false);
                accept(&keys, &signed, |key, signature| {
                    key.verify(hash, &[case.message], false, signature)
                });
            }
            Use::SignDigest {
                digest,
                with_hash,
                space,
            } => {
                let hash = with_hash.then_some(hash);
                let sign = |key: &Key| key.sign_digest(hash, digest, space.into());
                let signed = keys.each_ref().map(sign);
                compare(case, signed.each_ref().map(|(answer, _)| *answer), false);
                accept(&keys, &signed, |key, signature| {
                    key.verify_digest(hash, digest, false, signature)
                });
            }
            Use::Agree {
                ref peer,
                length,
                info,
                space,
                to_copy,
            } => {
                let (der, is_private, _) = peer.der();
                let peers = LIBRARIES
                    .each_ref()
                    .map(|library| library.key(&der, is_private));
                // Hashes that we have not are refused.
                let hash = HASHES[usize::from(case.hash) % OUR_HASHES];
                let derivation = length.map(|length| Derivation {
                    hash,
                    length: length.into(),
                    info,
                });
                let how = (derivation.as_ref(), space.into(), to_copy);
                agree(case, &keys, &peers, how);
            }
            Use::X25519 {
                own,
                peer,
                space,
                to_copy,
            } => {
                let keys = LIBRARIES
                    .each_ref()
                    .map(|library| library.x25519(own, true));
                let peers = LIBRARIES
                    .each_ref()
                    .map(|library| library.x25519(peer, false));
                if let [Some(stock), Some(sigmill)] = keys {
                    let how = (None, space.into(), to_copy);
                    agree(case, &[stock, sigmill], &peers, how);
                }
            }
        }
        // Keys on our curves are ours.
        if let AnyKey::Whole { curve, .. } = case.key {
            let signature = [0x30, 6, 2, 1, 1, 2, 1, 1];
            let ours = keys[1]
                .verify_digest(None, &[1; 32], false, &signature)
                .is_ours;
            assert_eq!(ours, usize::from(curve) % CURVES.len() < OUR_CURVES);
        }
    }
}

fuzz_target!(|case: Case| run(&case));
