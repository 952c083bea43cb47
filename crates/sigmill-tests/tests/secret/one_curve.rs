//! Keys, signatures and secrets of one type may be on different curves; operations refuse to
//! combine them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use num_bigint::BigUint;
use sigmill::agreement::{diffie_hellman, diffie_hellman_many};
use sigmill::ecdsa::Signature;
use sigmill::hazmat::curve::{BrainpoolP256r1, Domain as _, Prime};
use sigmill::keys::{SecretScalar, SigningKey, public_keys, sign_prehash_many_with_hash};
use sigmill::{Error, HashName};

use sigmill_tests::kernels::{P256Generic, Secp256k1Generic};
use sigmill_tests::moduli;
use sigmill_tests::numbers::{from_limbs, rng, to_bytes};

type Curve = Prime<4, 5>;

fn curves() -> [Curve; 3] {
    let brainpool = BrainpoolP256r1.curve();
    [brainpool, P256Generic.curve(), Secp256k1Generic.curve()]
}

fn key(curve: Curve) -> SigningKey<Curve> {
    SigningKey::generate_from_rng_on(curve, &mut rng(90)).unwrap()
}

/// Neither is a signature with r or s above the order of the key's curve.
#[test]
fn a_signature_on_another_curve_is_not_valid() {
    let orders = [
        &moduli::BRAINPOOL_256_ORDER,
        &moduli::P256_ORDER,
        &moduli::SECP256K1_ORDER,
    ]
    .map(|order| from_limbs(order.prime()));
    let digest = [7; 32];
    for (curve, order) in curves().into_iter().zip(&orders) {
        let signed = key(curve).sign_prehash_with_hash(HashName::Sha256, &digest);
        let largest = to_bytes(&(order - 1u32), 32);
        let largest = Signature::from_scalars_on(curve, &largest, &largest).unwrap();
        for other in curves() {
            let key = *key(other).verifying_key();
            let prepared = key.prepare_with_window(4).unwrap();
            for signature in [&signed.unwrap(), &largest] {
                let is_valid = other == curve && *signature == signed.unwrap();
                let expected = is_valid.then_some(()).ok_or(Error::SignatureMismatch);
                assert_eq!(key.verify_prehash(&digest, signature), expected);
                assert_eq!(prepared.verify_prehash(&digest, signature), expected);
            }
        }
    }
    assert!(orders.iter().is_sorted_by(|a: &&BigUint, b| a < b));
}

#[test]
fn secrets_on_several_curves_are_refused() {
    let [a, b, _] = curves().map(key);
    let refused = |name: &str, call: &dyn Fn()| {
        let payload = catch_unwind(AssertUnwindSafe(call)).expect_err(name);
        let message = payload.downcast_ref::<String>().cloned();
        let message = message.or(payload.downcast_ref::<&str>().map(ToString::to_string));
        assert!(message.unwrap().contains("on one curve"), "{name}");
    };
    let (scalar, peer) = (a.secret_scalar(), b.verifying_key());
    refused("agreement", &|| drop(diffie_hellman(scalar, peer)));
    for count in [1, 30] {
        let mut rows = vec![(scalar, a.verifying_key()); count];
        rows.push((scalar, peer));
        refused("many agreements", &|| drop(diffie_hellman_many(&rows)));
        let mut rows = vec![(&a, &[1; 32][..]); count];
        rows.push((&b, &[2; 32]));
        refused("many signatures", &|| {
            drop(sign_prehash_many_with_hash(HashName::Sha256, &rows));
        });
    }
    let mut secrets: Vec<SecretScalar<Curve>> = vec![scalar.clone(); 30];
    assert_eq!(public_keys(&secrets), [*a.verifying_key(); 30]);
    secrets.push(b.secret_scalar().clone());
    refused("many public keys", &|| drop(public_keys(&secrets)));
}
