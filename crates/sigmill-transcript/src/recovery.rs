//! Public keys recovered from signatures, one at a time and in bulk.

use sigmill::RecoveryId;
use sigmill::bulk::{Column, Engine, Inputs as Digests, RecoverRows, Speed};
use sigmill::curves::NamedCurve;
use sigmill::keys::{SigningKey, VerifyingKey};
use sigmill::{Error, Policy, for_each_curve};

use crate::inputs::{changed, rng};
use crate::transcript::Transcript;

/// A digest, and a signature of it with a recovery id.
type Signed = (Vec<u8>, Vec<u8>);

pub(crate) fn sections(transcript: &mut Transcript) {
    for_each_curve!(C => of_curve::<C>(transcript));
}

fn of_curve<C: NamedCurve + Default>(transcript: &mut Transcript) {
    let curve = C::default().name();
    let rows = rows::<C>();
    transcript.section(format!("{curve}/recovery"), |section| {
        let recovered: Vec<_> = rows
            .iter()
            .map(|(digest, rsv)| one::<C>(digest, rsv))
            .collect();
        assert!(
            recovered.iter().any(Result::is_ok),
            "{curve}: no key was recovered"
        );
        let in_bulk = many::<C>(&rows);
        assert_eq!(in_bulk, recovered, "{curve}: recovery in bulk");
        for key in recovered {
            section.outcome(key);
        }
    });
}

/// Signatures of two keys, each with every recovery id, and with one byte changed.
fn rows<C: NamedCurve + Default>() -> Vec<Signed> {
    let mut rng = rng(&format!("recovery {}", C::default().name()));
    let mut rows = vec![];
    for number in 1..=2 {
        let Ok(key) = SigningKey::<C>::generate_from_rng(&mut rng);
        let digest = vec![number; 32];
        let (signature, id) = key.sign_prehash_recoverable(&digest).expect("a digest");
        let rsv = signature.to_rsv(id);
        let recovered = VerifyingKey::recover_from_prehash(&digest, &signature, id);
        assert_eq!(recovered.as_ref(), Ok(key.verifying_key()));
        for id in RecoveryId::ALL {
            rows.push((digest.clone(), signature.to_rsv(id)));
        }
        rows.push((digest.clone(), changed(&rsv, rsv.len() - 1, 0xf0)));
        rows.push((digest.clone(), changed(&rsv, 5, 4)));
        rows.push((digest.clone(), changed(&rsv, 40, 4)));
        rows.push((vec![], rsv));
    }
    rows
}

/// The public key of one row, uncompressed.
fn one<C: NamedCurve + Default>(digest: &[u8], rsv: &[u8]) -> Result<Vec<u8>, Error> {
    let (signature, id) = sigmill::ecdsa::Signature::<C>::from_rsv(rsv)?;
    let policy = Policy::default();
    let key = VerifyingKey::recover_from_prehash_with_policy(digest, &signature, id, policy)?;
    Ok(key.to_sec1_bytes(false))
}

/// The keys of all rows, as recovered by the engine.
fn many<C: NamedCurve + Default>(rows: &[Signed]) -> Vec<Result<Vec<u8>, Error>> {
    let engine = Engine::builder().speed(Speed::FIXED).key_memory(0);
    let engine = engine.build().expect("one thread");
    let digests: Vec<&[u8]> = rows.iter().map(|(digest, _)| digest.as_slice()).collect();
    let signatures: Vec<&[u8]> = rows.iter().map(|(_, rsv)| rsv.as_slice()).collect();
    let rows = RecoverRows::new(
        C::default().name().default_algorithm(),
        Digests::Digests(Column::slices(&digests)),
        Column::slices(&signatures),
    );
    let rows = rows.expect("columns of one length");
    let recovered = engine.recover(&rows);
    recovered
        .iter()
        .map(|key| key.map(<[u8]>::to_vec))
        .collect()
}
