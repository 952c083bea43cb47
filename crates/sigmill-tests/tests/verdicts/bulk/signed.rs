//! Rows for recovering keys, and the results of the single calls.

use rand_chacha::rand_core::Rng;
use sigmill::RecoveryId;
use sigmill::bulk::Recovered;
use sigmill::curves::NamedCurve;
use sigmill::ecdsa::Signature;
use sigmill::keys::{SigningKey, VerifyingKey};
use sigmill::{Error, Policy};
use sigmill_tests::numbers::{big, nasty_below, pick, rng, to_bytes};
use sigmill_tests::referee::Referee;

/// A row that owns its bytes, on curve `C`.
#[derive(Clone)]
pub(super) struct Signed {
    pub(super) digest: Vec<u8>,
    pub(super) signature: Vec<u8>,
}

/// r, s and v.
pub(super) fn rsv<C: NamedCurve + Default>(signature: &Signature<C>, id: RecoveryId) -> Vec<u8> {
    [signature.to_p1363(), vec![id.to_byte()]].concat()
}

/// The result of the calls for a single row.
pub(super) fn single<C: NamedCurve + Default>(
    row: &Signed,
    policy: Policy,
) -> Result<Vec<u8>, Error> {
    let (signature, id) = Signature::<C>::from_rsv(&row.signature)?;
    let key = VerifyingKey::recover_from_prehash_with_policy(&row.digest, &signature, id, policy)?;
    Ok(key.to_sec1_bytes(false))
}

/// Rows, half of them signed; the others are damaged in various ways, or have arbitrary numbers.
pub(super) fn mixed<C: NamedCurve + Default>(seed: u64, count: usize) -> Vec<Signed> {
    let mut rng = rng(seed);
    let referee = Referee::new(C::default().name());
    let nasty = nasty_below(&referee.n);
    let len = referee.length();
    let row = |i: usize| {
        let mut digest = vec![0; len];
        rng.fill_bytes(&mut digest);
        let key = SigningKey::<C>::generate_from_rng(&mut rng).unwrap();
        let (signature, id) = key.sign_prehash_recoverable(&digest).unwrap();
        let mut signature = rsv(&signature, id);
        match i % 16 {
            0 => *signature.last_mut().unwrap() += 27,
            1 => *signature.last_mut().unwrap() += 2,
            2 => *signature.last_mut().unwrap() = rng.next_u32() as u8,
            3 => signature.truncate(rng.next_u32() as usize % signature.len()),
            4 => signature.push(0),
            5 => signature[..len].fill(0),
            6 => signature[len..2 * len].fill(0xff),
            7 => digest.clear(),
            // s R = e G for R = G and s = e, and for R = -G.
            8 => {
                let g = referee.generator_multiple(&big(1));
                digest = referee.digest(&big(7));
                let [r, s] = [referee.x(&g) % &referee.n, big(7)];
                let id = rng.next_u32() as u8 % 2;
                signature = [to_bytes(&r, len), to_bytes(&s, len), vec![id]].concat();
            }
            9 => {
                let [r, s, e] = [(); 3].map(|()| pick(&mut rng, &nasty, &referee.n));
                digest = referee.digest(&e);
                let id = rng.next_u32() as u8 % 4;
                signature = [to_bytes(&r, len), to_bytes(&s, len), vec![id]].concat();
            }
            _ => {}
        }
        Signed { digest, signature }
    };
    (0..count).map(row).collect()
}

/// Compares the keys of a call, through every accessor, and their counts.
#[track_caller]
pub(super) fn check(recovered: &Recovered, expected: &[Result<Vec<u8>, Error>]) {
    let verdicts = recovered.verdicts();
    assert_eq!(verdicts.len(), expected.len());
    assert_eq!(verdicts.is_empty(), expected.is_empty());
    let len = recovered.key_len();
    assert_eq!(recovered.keys().len(), expected.len() * len);
    for (i, expected) in expected.iter().enumerate() {
        let key = expected.as_deref().map_err(|error| *error);
        assert_eq!(recovered.get(i), key, "row {i} of {}", verdicts.len());
        assert_eq!(verdicts.get(i), key.map(|_| ()));
        let slot = &recovered.keys()[i * len..][..len];
        assert_eq!(slot, key.unwrap_or(&vec![0; len]));
    }
    let found = expected.iter().filter(|key| key.is_ok()).count();
    assert_eq!(verdicts.valid(), found);
    assert_eq!(verdicts.rejected(), expected.len() - found);
    assert_eq!(verdicts.judged(), expected.len());
    let reasons = verdicts.reasons();
    assert_eq!(reasons.values().sum::<usize>(), verdicts.rejected());
    let rejected: Vec<_> = verdicts.iter_rejected().collect();
    let errors = expected.iter().enumerate();
    let errors = errors.filter_map(|(i, key)| Some((i, key.clone().err()?)));
    assert_eq!(rejected, errors.collect::<Vec<_>>());
    assert!(
        recovered
            .iter()
            .map(|key| key.ok())
            .eq(expected.iter().map(|key| key.as_deref().ok()))
    );
}
