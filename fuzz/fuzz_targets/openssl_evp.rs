//! OpenSSL with the provider and without: keys, digests and signatures of any kind give the same
//! answers through `EVP_*`, each library accepts the signatures of the other, and both agree on the
//! same secrets, inside asynchronous jobs too.
#![no_main]

#[path = "shared/evp.rs"]
mod evp;
#[path = "shared/evp_inputs.rs"]
mod evp_inputs;
#[path = "shared/job.rs"]
mod job;

use std::sync::LazyLock;

use arbitrary::Arbitrary;
use evp::{Answer, Derivation, Key, Library};
use evp_inputs::{AnyKey, AnySignature, CURVES, HASHES, OUR_CURVES, OUR_HASHES};
use libfuzzer_sys::fuzz_target;

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
    /// With [`IN_JOB`], everything is done inside jobs.
    hash: u8,
    message: &'a [u8],
    signature: AnySignature<'a>,
    uses: Vec<Use<'a>>,
}

/// The bit of `hash` that requests jobs.
const IN_JOB: u8 = 0x80;

impl Case<'_> {
    /// Runs a call of both libraries, in a job if the case requests it.
    fn call<T>(&self, call: impl FnOnce() -> T) -> T {
        job::run(self.hash & IN_JOB != 0, call)
    }
}

static LIBRARIES: LazyLock<[Library; 2]> = LazyLock::new(|| {
    job::guard_stacks();
    [Library::stock(), Library::with_sigmill()]
});

/// Checks that both libraries give the same answer, except for the differences in docs/openssl.md.
fn compare(what: &dyn std::fmt::Debug, [stock, sigmill]: [Answer; 2], is_empty: bool) {
    assert!(!stock.is_ours);
    // From OpenSSL 3.5 on, the answer to a signature of no bytes is "no".
    let is_known = is_empty && stock.verdict == 0 && sigmill.verdict == -1;
    assert!(
        stock.verdict == sigmill.verdict || is_known,
        "{what:02x?}: {stock:?} {sigmill:?}"
    );
}

/// Checks that both libraries accept the signatures of either, or that neither does if the public
/// part is that of another key.
fn accept(
    case: &Case,
    keys: &[Key; 2],
    signed: &[(Answer, Vec<u8>); 2],
    verify: impl Fn(&Key, &[u8]) -> Answer,
) {
    let may_be_anothers = matches!(case.key, AnyKey::Pair { .. });
    for (answer, signature) in signed {
        if answer.verdict == 1 {
            let verdict = |key| case.call(|| verify(key, signature).verdict);
            let [stock, sigmill] = keys.each_ref().map(verdict);
            assert!(
                stock == sigmill && (stock == 1 || may_be_anothers),
                "{signature:02x?} by {answer:?}: {stock} {sigmill}"
            );
        }
    }
}

/// The way in which both libraries agree.
struct Agreement<'a> {
    derivation: Option<Derivation<'a>>,
    space: usize,
    to_copy: bool,
    /// True if the peer's key has explicit parameters, and may be refused (docs/openssl.md).
    may_refuse: bool,
}

/// Checks that both libraries agree with a peer on the same secret, or that neither does.
fn agree(case: &Case, keys: &[Key; 2], peers: &[Option<Key>; 2], how: &Agreement) {
    if let [Some(stock), Some(sigmill)] = peers {
        let derivation = how.derivation.as_ref();
        let by =
            |key: &Key, peer| case.call(|| key.agree(peer, derivation, how.space, how.to_copy));
        let stock = by(&keys[0], stock);
        let sigmill = by(&keys[1], sigmill);
        assert!(!stock.0.is_ours);
        if how.may_refuse && sigmill.0.verdict == -1 {
            return;
        }
        assert_eq!(
            (stock.0.verdict, stock.1),
            (sigmill.0.verdict, sigmill.1),
            "{case:02x?}"
        );
    }
}

/// Returns true if a key has explicit parameters, found by the name of prime fields.
fn has_parameters(der: &[u8]) -> bool {
    let prime_field = [6, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 1, 1];
    der.windows(prime_field.len())
        .any(|part| part == prime_field)
}

fn run(case: &Case) {
    let (der, is_private, signer) = case.key.der();
    let keys = LIBRARIES
        .each_ref()
        .map(|library| case.call(|| library.key(&der, is_private)));
    let [Some(stock), Some(sigmill)] = keys else {
        assert!(keys.iter().all(Option::is_none), "{der:02x?}");
        return;
    };
    let keys = [stock, sigmill];
    // Our provider handles keys on our curves.
    if let AnyKey::Whole { curve, .. } = case.key
        && !has_parameters(&der)
    {
        let signature = [0x30, 6, 2, 1, 1, 2, 1, 1];
        let verdict = keys[1].verify_digest(None, &[1; 32], false, &signature);
        let is_ours = usize::from(curve) % CURVES.len() < OUR_CURVES;
        assert_eq!(verdict.is_ours, is_ours);
    }
    let hash_index = usize::from(case.hash) % HASHES.len();
    let hash = HASHES[hash_index];
    // The signer of the message or the digest, in the stock library.
    let signer = signer.as_ref().map(|known| &known.key);
    for step in case.uses.iter().take(6) {
        let both = |run: &dyn Fn(&Key) -> Answer| keys.each_ref().map(|key| case.call(|| run(key)));
        match *step {
            Use::Message { parts, to_copy } => {
                let whole = signer.map(|key| key.sign(hash, case.message, 200));
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
                    // Our provider refuses the hash at the beginning of the operation.
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
                let whole = signer.map(|key| key.sign_digest(hash, signed, 200));
                let signature = case.signature.der(&whole.map_or(vec![], |(_, der)| der));
                let answers = both(&|key| key.verify_digest(hash, digest, to_copy, &signature));
                compare(&(case, &signature), answers, signature.is_empty());
            }
            Use::Sign { space } => {
                let sign = |key: &Key| case.call(|| key.sign(hash, case.message, space.into()));
                let signed = keys.each_ref().map(sign);
                if hash_index >= OUR_HASHES && signed[1].0.verdict == -2 {
                    continue;
                }
                compare(case, signed.each_ref().map(|(answer, _)| *answer), false);
                accept(case, &keys, &signed, |key, signature| {
                    key.verify(hash, &[case.message], false, signature)
                });
            }
            Use::SignDigest {
                digest,
                with_hash,
                space,
            } => {
                let hash = with_hash.then_some(hash);
                let sign = |key: &Key| case.call(|| key.sign_digest(hash, digest, space.into()));
                let signed = keys.each_ref().map(sign);
                compare(case, signed.each_ref().map(|(answer, _)| *answer), false);
                accept(case, &keys, &signed, |key, signature| {
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
                // Hashes that our provider does not have are refused.
                let hash = HASHES[usize::from(case.hash) % OUR_HASHES];
                let derivation = length.map(|length| Derivation {
                    hash,
                    length: length.into(),
                    info,
                });
                let how = Agreement {
                    derivation,
                    space: space.into(),
                    to_copy,
                    may_refuse: has_parameters(&der),
                };
                agree(case, &keys, &peers, &how);
            }
            Use::X25519 {
                own,
                peer,
                space,
                to_copy,
            } => {
                let keys = LIBRARIES
                    .each_ref()
                    .map(|library| case.call(|| library.x25519(own, true)));
                let peers = LIBRARIES
                    .each_ref()
                    .map(|library| case.call(|| library.x25519(peer, false)));
                if let [Some(stock), Some(sigmill)] = keys {
                    let how = Agreement {
                        derivation: None,
                        space: space.into(),
                        to_copy,
                        may_refuse: false,
                    };
                    agree(case, &[stock, sigmill], &peers, &how);
                }
            }
        }
    }
}

fuzz_target!(|case: Case| run(&case));
