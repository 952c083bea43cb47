//! sigmill's agreements with a peer whose key has a certificate, in one sum and after a
//! verification; and ECMQV.

use anyhow::{Result, ensure};
use sigmill::agreement::{
    CertificateSignature, EphemeralKeyPair, diffie_hellman, diffie_hellman_with_certificate, ecmqv,
};
use sigmill::curves::NamedCurve;
use sigmill::ecdsa::Signature;
use sigmill::keys::{SecretScalar, SigningKey, VerifyingKey};
use sigmill::{Hint, RecoveryId};

use crate::inputs::{CurveInputs, prefix};
use crate::registry::{OURS, Output, Peer, Registry, Subject, computation, verdict};

/// A curve known at compile time.
trait Known: NamedCurve + Default {}

impl<C: NamedCurve + Default> Known for C {}

/// A peer's key with its certificate: the issuer is the next key, and the digest that of a row.
struct Certified<C: Known> {
    issuer: usize,
    digest: Vec<u8>,
    signature: Signature<C>,
    id: RecoveryId,
    /// y(R).
    y: Vec<u8>,
}

struct Keys<C: Known> {
    keys: Vec<SigningKey<C>>,
    certified: Vec<Certified<C>>,
    inputs: CurveInputs,
}

impl<C: Known> Keys<C> {
    fn new(inputs: &CurveInputs) -> Result<Self> {
        let keys = inputs
            .keys
            .iter()
            .map(|key| Ok(SigningKey::from_be_bytes(&key.private)?))
            .collect::<Result<Vec<SigningKey<C>>>>()?;
        let certified = (0..keys.len())
            .map(|i| {
                let issuer = (i + 1) % keys.len();
                let digest = inputs.row(i).digest.clone();
                let (signature, id) = keys[issuer].sign_prehash_recoverable(&digest)?;
                // Reads R as a point: y by its parity.
                let (r, _) = signature.to_scalars();
                let tag = 2 | u8::from(id.is_y_odd());
                let padding = C::default().name().field_len() - r.len();
                let point = [vec![tag], vec![0; padding], r].concat();
                let (_, y) = VerifyingKey::<C>::from_sec1_bytes(&point)?.to_coordinates();
                Ok(Certified {
                    issuer,
                    digest,
                    signature,
                    id,
                    y,
                })
            })
            .collect::<Result<_>>()?;
        let inputs = inputs.clone();
        Ok(Self {
            keys,
            certified,
            inputs,
        })
    }

    /// Our secret, the peer's key and its certificate, in the i-th call.
    fn of(&self, i: usize) -> (&SecretScalar<C>, &VerifyingKey<C>, &Certified<C>) {
        let (mine, theirs) = self.inputs.pair(i);
        let public = self.keys[theirs].verifying_key();
        (
            self.keys[mine].secret_scalar(),
            public,
            &self.certified[theirs],
        )
    }

    fn certificate<'a>(
        &'a self,
        certified: &'a Certified<C>,
        hint: Hint<'a>,
    ) -> CertificateSignature<'a, C> {
        CertificateSignature {
            issuer: self.keys[certified.issuer].verifying_key(),
            digest: &certified.digest,
            signature: &certified.signature,
            hint,
        }
    }

    fn verify(&self, certified: &Certified<C>) -> bool {
        let issuer = self.keys[certified.issuer].verifying_key();
        let verdict = issuer.verify_prehash(&certified.digest, &certified.signature);
        verdict.is_ok()
    }
}

fn shared(_: usize, shared: sigmill::agreement::SharedSecret) -> Result<Output> {
    Ok(Output::Shared(shared.as_bytes().to_vec()))
}

fn plain<C: Known>(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let keys = Keys::<C>::new(inputs)?;
    let agree = move |i| {
        let (ours, peer, _) = keys.of(i);
        Ok(diffie_hellman(ours, peer))
    };
    Ok(computation(agree, shared))
}

fn verify<C: Known>(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let keys = Keys::<C>::new(inputs)?;
    Ok(verdict(move |i| keys.verify(keys.of(i).2)))
}

fn then_verify<C: Known>(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let keys = Keys::<C>::new(inputs)?;
    let agree = move |i| {
        let (ours, peer, certified) = keys.of(i);
        ensure!(keys.verify(certified), "the certificate is valid");
        Ok(diffie_hellman(ours, peer))
    };
    Ok(computation(agree, shared))
}

fn with_certificate<C: Known>(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let keys = Keys::<C>::new(inputs)?;
    let agree = move |i| {
        let (ours, peer, certified) = keys.of(i);
        let certificate = keys.certificate(certified, Hint::Y(&certified.y));
        Ok(diffie_hellman_with_certificate(ours, peer, &certificate)?)
    };
    Ok(computation(agree, shared))
}

fn with_certificate_bit<C: Known>(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let keys = Keys::<C>::new(inputs)?;
    let agree = move |i| {
        let (ours, peer, certified) = keys.of(i);
        let certificate = keys.certificate(certified, Hint::Id(certified.id));
        Ok(diffie_hellman_with_certificate(ours, peer, &certificate)?)
    };
    Ok(computation(agree, shared))
}

/// The responder of one-pass ECMQV. It does the same computation as both parties of full ECMQV, and
/// consumes no key: creating one is key generation.
fn ecmqv_respond<C: Known>(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let keys = Keys::<C>::new(inputs)?;
    let inputs = inputs.clone();
    let own = EphemeralKeyPair::<C>::generate()?;
    let sent = *own.public_key();
    let (first, second) = (&keys.keys[0], &keys.keys[1 % keys.keys.len()]);
    let initiated = ecmqv(
        first.secret_scalar(),
        own,
        second.verifying_key(),
        second.verifying_key(),
    )?;
    let respond = sigmill::agreement::ecmqv_one_pass_respond;
    ensure!(respond(second, first.verifying_key(), &sent)? == initiated);
    let respond = move |i| {
        let (mine, theirs) = inputs.pair(i);
        let peer = keys.keys[theirs].verifying_key();
        Ok(respond(&keys.keys[mine], peer, &sent)?)
    };
    Ok(computation(respond, |_, _| Ok(Output::Checked)))
}

/// A function that creates the subject of an operation.
type Make = fn(&CurveInputs) -> Result<Box<dyn Subject>>;

fn register_curve<C: Known>(peer: &mut Peer<'_>) {
    let curve = C::default().name();
    let operations: [(&str, &str, Make); 6] = [
        (
            "agreement/single",
            "agreement::diffie_hellman: both keys parsed beforehand",
            plain::<C>,
        ),
        (
            "agreement/verify",
            "verification of the peer's certificate alone, with a fresh key",
            verify::<C>,
        ),
        (
            "agreement/then-verify",
            "verification of the peer's certificate, then agreement::diffie_hellman",
            then_verify::<C>,
        ),
        (
            "agreement/with-certificate",
            "agreement::diffie_hellman_with_certificate: keys and signature parsed beforehand, R \
             given by its y",
            with_certificate::<C>,
        ),
        (
            "agreement/with-certificate-bit",
            "the same with R given by two bits, which costs a square root",
            with_certificate_bit::<C>,
        ),
        (
            "ecmqv/single",
            "agreement::ecmqv_one_pass_respond: all keys parsed beforehand",
            ecmqv_respond::<C>,
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
    register_curve::<sigmill::curves::P256>(&mut peer);
    register_curve::<sigmill::curves::P384>(&mut peer);
    register_curve::<sigmill::curves::P521>(&mut peer);
}
