//! Senders equal alloy's own. This test installs nothing, so alloy's calls use alloy's backend.

use alloy_consensus::crypto::backend::CryptoProvider;
use alloy_consensus::crypto::secp256k1::{
    recover_signer, recover_signer_unchecked, verify_and_compute_signer_unchecked,
};
use alloy_primitives::{Address, B256, Signature, U256, keccak256};
use sigmill::bulk::Engine;
use sigmill::secp256k1::SigningKey;
use sigmill::{Policy, secp256k1};
use sigmill_alloy::{SigmillProvider, recover_signers, sigmill};

const ORDER: &str = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";

fn order() -> U256 {
    U256::from_str_radix(ORDER, 16).unwrap()
}

fn bytes(signature: &Signature) -> [u8; 65] {
    let mut bytes = [0; 65];
    bytes[..32].copy_from_slice(&signature.r().to_be_bytes::<32>());
    bytes[32..64].copy_from_slice(&signature.s().to_be_bytes::<32>());
    bytes[64] = signature.v().into();
    bytes
}

/// A transaction's hash and its signature, with any s.
fn signed(key: &SigningKey, i: u64) -> (Signature, B256) {
    let hash = keccak256(i.to_be_bytes());
    let (signature, id) = key.sign_prehash_recoverable(hash.as_slice()).unwrap();
    let (r, s) = signature.to_scalars();
    let [r, s] = [r, s].map(|scalar| U256::from_be_slice(&scalar));
    (Signature::new(r, s, id.is_y_odd()), hash)
}

/// Valid and invalid rows.
fn rows() -> Vec<(Signature, B256)> {
    let key = SigningKey::generate().unwrap();
    let mut rows: Vec<_> = (0..60).map(|i| signed(&key, i)).collect();
    for i in 0..60 {
        let (signature, hash) = rows[i];
        rows.push((
            Signature::new(signature.r(), order() - signature.s(), !signature.v()),
            hash,
        ));
        let other = U256::from(1) << i;
        rows.push((
            Signature::new(signature.r() ^ other, signature.s(), signature.v()),
            hash,
        ));
        rows.push((
            Signature::new(signature.r(), signature.s() ^ other, signature.v()),
            hash,
        ));
    }
    let one = U256::from(1);
    let nasty = [
        U256::ZERO,
        one,
        order() - one,
        order(),
        order() + one,
        U256::MAX,
    ];
    for r in nasty {
        for s in nasty {
            for v in [false, true] {
                for hash in [B256::ZERO, B256::repeat_byte(0xff), keccak256([1])] {
                    rows.push((Signature::new(r, s, v), hash));
                }
            }
        }
    }
    rows
}

#[test]
fn one_by_one_and_all_at_once() {
    let rows = rows();
    let strict = Engine::builder()
        .policy(Policy::ETHEREUM_TRANSACTION)
        .build()
        .unwrap();
    let loose = Engine::builder().build().unwrap();
    let pairs = || rows.iter().map(|(signature, hash)| (signature, *hash));
    let (strict, loose) = (
        recover_signers(&strict, pairs()),
        recover_signers(&loose, pairs()),
    );
    assert_eq!((strict.len(), loose.len()), (rows.len(), rows.len()));
    let mut counts = (0, 0);
    for (((signature, hash), strict), loose) in rows.iter().zip(strict).zip(loose) {
        let expected = recover_signer_unchecked(signature, *hash).ok();
        let ours = SigmillProvider.recover_signer_unchecked(&bytes(signature), hash);
        assert_eq!(ours.ok(), expected, "{signature:?}");
        assert_eq!(loose.ok(), expected, "{signature:?}");
        let low = recover_signer(signature, *hash).ok();
        assert_eq!(strict.ok(), low, "{signature:?}");
        counts.0 += usize::from(expected.is_some());
        counts.1 += usize::from(low.is_some());
    }
    assert!(
        counts.0 > 120 && counts.1 >= 60 && counts.0 > counts.1,
        "{counts:?}"
    );
    for id in [4, 27, 28, 0xff] {
        let mut bytes = bytes(&rows[0].0);
        bytes[64] = id;
        assert!(
            SigmillProvider
                .recover_signer_unchecked(&bytes, &rows[0].1)
                .is_err()
        );
    }
    assert!(recover_signers(&Engine::builder().build().unwrap(), []).is_empty());
}

#[test]
fn verification() {
    let key = SigningKey::generate().unwrap().with_policy(Policy::LOW_S);
    let point: [u8; 65] = key.verifying_key().to_sec1_bytes(false).try_into().unwrap();
    let ours = |point: &[u8; 65], signature: &Signature, hash: B256| -> Option<Address> {
        let bytes = bytes(signature)[..64].try_into().unwrap();
        let verdict = SigmillProvider.verify_and_compute_signer_unchecked(point, &bytes, &hash);
        verdict.ok()
    };
    for i in 0..20 {
        let (signature, hash) = signed(&key, i);
        let both = |point: &[u8; 65], signature: &Signature| {
            let stock = verify_and_compute_signer_unchecked(point, signature, hash).ok();
            assert_eq!(ours(point, signature, hash), stock);
            stock
        };
        assert_eq!(
            both(&point, &signature),
            recover_signer(&signature, hash).ok()
        );
        for at in 1..65 {
            let mut damaged = point;
            damaged[at] ^= 1 << (i % 8);
            assert_eq!(both(&damaged, &signature), None);
        }
        for tag in [0, 1, 2, 3, 5, 8] {
            let mut damaged = point;
            damaged[0] = tag;
            assert_eq!(both(&damaged, &signature), None);
        }
        let one = U256::from(1);
        for s in [U256::ZERO, order(), U256::MAX, signature.s() ^ one] {
            assert_eq!(
                both(&point, &Signature::new(signature.r(), s, signature.v())),
                None
            );
            assert_eq!(
                both(&point, &Signature::new(s, signature.s(), signature.v())),
                None
            );
        }
        // As in `k256` and in alloy's documentation; libsecp256k1 rejects it.
        let high = Signature::new(signature.r(), order() - signature.s(), signature.v());
        let address = recover_signer(&signature, hash).ok();
        assert_eq!(ours(&point, &high, hash), address);
        let parsed = secp256k1::VerifyingKey::from_sec1_bytes(&point).unwrap();
        let mut hybrid = point;
        hybrid[0] = 6 + (parsed.to_sec1_bytes(true)[0] & 1);
        assert_eq!(ours(&hybrid, &signature, hash), None);
    }
}
