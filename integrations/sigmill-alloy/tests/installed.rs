//! Alloy's own calls use the installed provider.

use alloy_consensus::crypto::secp256k1::verify_and_compute_signer_unchecked;
use alloy_consensus::transaction::SignerRecoverable;
use alloy_consensus::{SignableTransaction, TxEip1559, TxEnvelope};
use alloy_primitives::{Address, Signature, U256};
use sigmill::Policy;
use sigmill::secp256k1::SigningKey;
use sigmill_alloy::{install, sigmill};

#[test]
fn transactions() {
    assert!(install().is_ok());
    assert!(install().is_err());
    let key = SigningKey::generate().unwrap().with_policy(Policy::LOW_S);
    let point: [u8; 65] = key.verifying_key().to_sec1_bytes(false).try_into().unwrap();
    let address = Address::from_raw_public_key(&point[1..]);
    for nonce in 0..10 {
        let transaction = TxEip1559 {
            nonce,
            ..TxEip1559::default()
        };
        let hash = transaction.signature_hash();
        let (signature, id) = key.sign_prehash_recoverable(hash.as_slice()).unwrap();
        let (r, s) = signature.to_scalars();
        let [r, s] = [r, s].map(|scalar| U256::from_be_slice(&scalar));
        let signature = Signature::new(r, s, id.is_y_odd());
        let envelope = TxEnvelope::from(transaction.into_signed(signature));
        assert_eq!(envelope.recover_signer().ok(), Some(address));

        // libsecp256k1, alloy's default, rejects a high s: so alloy did not call it.
        let order = U256::from_str_radix(
            "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
            16,
        );
        let high = Signature::new(r, order.unwrap() - s, id.is_y_odd());
        let verdict = verify_and_compute_signer_unchecked(&point, &high, hash);
        assert_eq!(verdict.ok(), Some(address));
    }
}
