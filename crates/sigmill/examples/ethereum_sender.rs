//! The sender of a transaction: the address behind a signature over a digest, for one signature and
//! for many at once.

use std::error::Error;

use sigmill::bulk::{Column, Engine, Inputs, RecoverRows};
use sigmill::ethereum::Address;
use sigmill::secp256k1::{Signature, SigningKey, VerifyingKey};
use sigmill::{Algorithm, Policy};

fn main() -> Result<(), Box<dyn Error>> {
    let wallet = SigningKey::generate()?.with_policy(Policy::ETHEREUM_TRANSACTION);
    // A transaction's digest is Keccak-256 of its bytes; crates such as alloy compute it.
    let digests: Vec<[u8; 32]> = (1..=100).map(|i| [i; 32]).collect();
    let signatures = digests.iter().map(|digest| {
        let (signature, id) = wallet.sign_prehash_recoverable(digest)?;
        Ok(signature.to_rsv(id))
    });
    let signatures: Vec<Vec<u8>> = signatures.collect::<Result<_, sigmill::Error>>()?;

    // One signature: r, s and v, as for `ecrecover`.
    let (signature, id) = Signature::from_rsv(&signatures[0])?;
    let sender = VerifyingKey::recover_from_prehash(&digests[0], &signature, id)?;
    let address = Address::of(&sender);
    println!("{address}");
    assert_eq!(address, Address::of(wallet.verifying_key()));

    // A block of signatures.
    let signatures = signatures.concat();
    let rows = RecoverRows::new(
        Algorithm::ES256K,
        Inputs::Digests(Column::fixed(digests.as_flattened(), 32)),
        Column::fixed(&signatures, 65),
    )?;
    let engine = Engine::builder()
        .policy(Policy::ETHEREUM_TRANSACTION)
        .build()?;
    let recovered = engine.recover(&rows);
    for key in recovered.iter() {
        assert_eq!(Address::of(&VerifyingKey::from_sec1_bytes(key?)?), address);
    }
    println!("{} senders recovered", recovered.verdicts().valid());
    Ok(())
}
