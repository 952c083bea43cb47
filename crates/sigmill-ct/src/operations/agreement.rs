//! Agreements with more than one multiplication: ECMQV, and those with a certificate.

use sigmill::agreement::{
    CertificateSignature, EphemeralKeyPair, diffie_hellman_with_certificate_from_rng, ecmqv,
    ecmqv_one_pass_respond, ecmqv_with_certificate_from_rng,
};
use sigmill::curves::NamedCurve;
use sigmill::for_each_curve;
use sigmill::keys::VerifyingKey;

use super::ecdsa::{key, shared};
use super::inputs::{SecretRng, bytes};
use super::{Operation, prefix};

fn ephemeral<C: NamedCurve + Default>(seed: u64) -> EphemeralKeyPair<C> {
    let Ok(pair) = EphemeralKeyPair::generate_from_rng(&mut SecretRng::new(seed));
    pair
}

/// Runs `agree` with a valid certificate of a key by another one, and with an invalid one.
fn with_certificates<C: NamedCurve + Default>(
    agree: impl Fn(&VerifyingKey<C>, &CertificateSignature<'_, C>),
) {
    let issuer = key::<C>(11);
    let digest: [u8; 32] = bytes(2);
    let (signature, id) = issuer.sign_prehash_recoverable(&digest).expect("a digest");
    let peer = *key::<C>(7).verifying_key();
    for digest in [digest, bytes(3), [0; 32]] {
        let certificate = CertificateSignature {
            issuer: issuer.verifying_key(),
            digest: &digest,
            signature: &signature,
            hint: sigmill::Hint::Id(id),
        };
        agree(&peer, &certificate);
    }
}

/// The operations of curve `C`.
fn list_of<C: NamedCurve + Default>(operations: &mut Vec<Operation>) {
    let name = prefix::<C>();
    let mut add = |operation: &str, run: fn()| {
        operations.push(Operation::new(format!("{name}/{operation}"), run));
    };
    add("agree/ecmqv", || {
        let (peer, theirs) = (key::<C>(7), ephemeral::<C>(9));
        let agreed = ecmqv(
            key::<C>(8).secret_scalar(),
            ephemeral(10),
            peer.verifying_key(),
            theirs.public_key(),
        );
        shared(&agreed.expect("no keys that cancel"));
        // Equal keys, whose multiples meet.
        let public = peer.verifying_key();
        let agreed = ecmqv(peer.secret_scalar(), ephemeral(10), public, public);
        shared(&agreed.expect("no keys that cancel"));
    });
    add("agree/ecmqv-one-pass", || {
        let (peer, theirs) = (key::<C>(7), ephemeral::<C>(9));
        let agreed =
            ecmqv_one_pass_respond(&key::<C>(8), peer.verifying_key(), theirs.public_key());
        shared(&agreed.expect("no keys that cancel"));
    });
    add("agree/with-certificate", || {
        with_certificates::<C>(|peer, certificate| {
            let agreed = diffie_hellman_with_certificate_from_rng(
                key::<C>(8).secret_scalar(),
                peer,
                certificate,
                &mut SecretRng::new(12),
            );
            shared(&agreed.expect("a certificate"));
        });
    });
    add("agree/ecmqv-with-certificate", || {
        with_certificates::<C>(|peer, certificate| {
            let agreed = ecmqv_with_certificate_from_rng(
                key::<C>(8).secret_scalar(),
                ephemeral(10),
                peer,
                peer,
                certificate,
                &mut SecretRng::new(12),
            );
            shared(&agreed.expect("a certificate"));
        });
    });
}

pub(super) fn list(operations: &mut Vec<Operation>) {
    for_each_curve!(C => list_of::<C>(operations));
}
