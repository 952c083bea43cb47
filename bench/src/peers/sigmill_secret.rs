//! sigmill's secret operations: signatures, keys and agreements, one at a time and many per call.

use std::ops::Range;

use anyhow::Result;
use sigmill::agreement::{diffie_hellman, diffie_hellman_many};
use sigmill::curves::NamedCurve;
use sigmill::for_each_curve;
use sigmill::keys::{SecretScalar, SigningKey, VerifyingKey, sign_prehash_many};

use crate::inputs::{CurveInputs, prefix};
use crate::registry::{OURS, Output, Peer, Registry, Subject, computation, computation_of_many};

/// Rows per call.
const ROWS: usize = 1024;

/// A curve known at compile time.
trait Known: NamedCurve + Default {}

impl<C: NamedCurve + Default> Known for C {}

fn keys<C: Known>(inputs: &CurveInputs) -> Result<Vec<SigningKey<C>>> {
    let keys = inputs.keys.iter();
    keys.map(|key| Ok(SigningKey::from_be_bytes(&key.private)?))
        .collect()
}

fn sign<C: Known>(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let (keys, inputs) = (keys::<C>(inputs)?, inputs.clone());
    Ok(computation(
        move |i| {
            let row = inputs.row(i);
            Ok(keys[row.key].sign_prehash(&row.digest)?)
        },
        |_, signature| Ok(Output::Signature(signature.to_p1363())),
    ))
}

fn sign_many<C: Known>(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let (keys, inputs) = (keys::<C>(inputs)?, inputs.clone());
    Ok(computation_of_many(
        ROWS,
        move |rows| {
            let rows = rows.map(|i| {
                let row = inputs.row(i);
                (&keys[row.key], row.digest.as_slice())
            });
            let signatures = sign_prehash_many(&rows.collect::<Vec<_>>());
            Ok(signatures.into_iter().collect::<Result<_, _>>()?)
        },
        |signature| Ok(Output::Signature(signature.to_p1363())),
    ))
}

/// Both halves of a new key.
fn pair<C: Known>(key: &SigningKey<C>) -> Result<Output> {
    Ok(Output::KeyPair {
        private: key.to_be_bytes().to_vec(),
        public: key.verifying_key().to_sec1_bytes(false),
    })
}

fn keygen<C: Known>() -> Result<Box<dyn Subject>> {
    let generate = |_| Ok(SigningKey::<C>::generate()?);
    Ok(computation(generate, |_, key| pair(&key)))
}

fn keygen_many<C: Known>() -> Result<Box<dyn Subject>> {
    let generate = |rows: Range<usize>| Ok(SigningKey::<C>::generate_many(rows.len())?);
    Ok(computation_of_many(ROWS, generate, |key| pair(&key)))
}

/// Private keys, and the public keys of the others.
#[allow(clippy::type_complexity, reason = "two columns")]
fn ecdh_keys<C: Known>(
    inputs: &CurveInputs,
) -> Result<(Vec<SecretScalar<C>>, Vec<VerifyingKey<C>>)> {
    let own = inputs
        .keys
        .iter()
        .map(|key| Ok(SecretScalar::from_be_bytes(&key.private)?))
        .collect::<Result<Vec<_>>>()?;
    let peers = inputs
        .keys
        .iter()
        .map(|key| Ok(VerifyingKey::from_sec1_bytes(&key.public)?))
        .collect::<Result<Vec<_>>>()?;
    Ok((own, peers))
}

fn ecdh<C: Known>(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let ((own, peers), inputs) = (ecdh_keys::<C>(inputs)?, inputs.clone());
    Ok(computation(
        move |i| {
            let (mine, theirs) = inputs.pair(i);
            Ok(diffie_hellman(&own[mine], &peers[theirs]))
        },
        |_, shared| Ok(Output::Shared(shared.as_bytes().to_vec())),
    ))
}

fn ecdh_many<C: Known>(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let ((own, peers), inputs) = (ecdh_keys::<C>(inputs)?, inputs.clone());
    Ok(computation_of_many(
        ROWS,
        move |rows| {
            let rows = rows.map(|i| {
                let (mine, theirs) = inputs.pair(i);
                (&own[mine], &peers[theirs])
            });
            Ok(diffie_hellman_many(&rows.collect::<Vec<_>>()))
        },
        |shared| Ok(Output::Shared(shared.as_bytes().to_vec())),
    ))
}

/// A function that creates the subject of an operation.
type Make = fn(&CurveInputs) -> Result<Box<dyn Subject>>;

fn register_curve<C: Known>(peer: &mut Peer<'_>) {
    let curve = C::default().name();
    let operations: [(&str, &str, Make); 6] = [
        (
            "sign/single",
            "SigningKey::sign_prehash: key parsed beforehand, digest given, deterministic nonce",
            sign::<C>,
        ),
        (
            "sign/bulk",
            "ecdsa::sign_prehash_many of 1,024 rows: keys parsed beforehand, digests given",
            sign_many::<C>,
        ),
        (
            "keygen/single",
            "SigningKey::generate: from the operating system's generator, with the public key",
            |_| keygen::<C>(),
        ),
        (
            "keygen/bulk",
            "SigningKey::generate_many of 1,024 keys, with their public keys",
            |_| keygen_many::<C>(),
        ),
        (
            "ecdh/single",
            "agreement::diffie_hellman: both keys parsed beforehand",
            ecdh::<C>,
        ),
        (
            "ecdh/bulk",
            "agreement::diffie_hellman_many of 1,024 rows: all keys parsed beforehand",
            ecdh_many::<C>,
        ),
    ];
    for (name, timed, make) in operations {
        let op = format!("{}/{name}", prefix(curve));
        peer.compute(&op, timed, Some(curve), move |inputs| {
            make(&*inputs.curve(curve)?)
        });
    }
}

pub(crate) fn register(registry: &mut Registry) {
    let version = registry.versions.of("sigmill");
    let mut peer = registry.peer(OURS, version);
    for_each_curve!(C => register_curve::<C>(&mut peer));
}
