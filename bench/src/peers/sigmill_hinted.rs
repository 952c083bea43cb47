//! sigmill with R known: verification with hints, and the split that halves the doublings.

use std::hint::black_box;

use anyhow::{Result, ensure};
use openssl::bn::{BigNum, BigNumContext};
use sigmill::curves::{NamedCurve, P256, P384, P521};
use sigmill::ecdsa::{FullSignature, Signature};
use sigmill::keys::VerifyingKey;
use sigmill::hazmat::curve::{Curve as _, Domain as _};
use sigmill::hazmat::field::PrimeField as _;
use sigmill::hazmat::scalar::halves_vartime;
use sigmill::{CurveName, Hint, RecoveryId};

use crate::inputs::{CurveInputs, openssl_group, prefix};
use crate::registry::{OURS, Output, Peer, Registry, Subject, verdict};

/// The name of sigmill's own verification without a hint, in the same rounds.
const WITHOUT: &str = "sigmill without hint";

/// The known part of R.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Nothing,
    Id,
    Y,
}

const BY_ID: &str = "VerifyingKey::verify_prehash_with_hint: key and signature parsed beforehand, \
                     digest and recovery id given";
const BY_Y: &str = "VerifyingKey::verify_prehash_with_hint: key and signature parsed beforehand, \
                    digest and the bytes of y(R) given";
const BY_NOTHING: &str = "VerifyingKey::verify_prehash: key and signature parsed beforehand, \
                          digest given";

pub(crate) fn register(registry: &mut Registry) {
    let version = registry.versions.of("sigmill");
    let mut ours = registry.peer(OURS, version.clone());
    register_hinted::<P256>(&mut ours, [Known::Id, Known::Y]);
    register_hinted::<P384>(&mut ours, [Known::Id, Known::Y]);
    register_hinted::<P521>(&mut ours, [Known::Id, Known::Y]);
    ours.compute(
        "p256/half-split",
        "64 splits of integers modulo the order",
        Some(CurveName::P256),
        |inputs| splits(&*inputs.curve(CurveName::P256)?),
    );
    let mut without = registry.peer(WITHOUT, version);
    register_hinted::<P256>(&mut without, [Known::Nothing; 2]);
    register_hinted::<P384>(&mut without, [Known::Nothing; 2]);
    register_hinted::<P521>(&mut without, [Known::Nothing; 2]);
}

fn register_hinted<C: NamedCurve + Default>(peer: &mut Peer<'_>, known: [Known; 2]) {
    let curve = C::default().name();
    for (name, known) in ["single", "single-full"].into_iter().zip(known) {
        let op = format!("{}/verify/hinted/{name}", prefix(curve));
        let timed = match known {
            Known::Nothing => BY_NOTHING,
            Known::Id => BY_ID,
            Known::Y => BY_Y,
        };
        peer.verify(&op, timed, curve, move |inputs| hinted::<C>(inputs, known));
    }
}

fn hinted<C: NamedCurve + Default>(inputs: &CurveInputs, known: Known) -> Result<Box<dyn Subject>> {
    let length = inputs.curve.field_len();
    let keys = inputs.keys.iter();
    let keys = keys.map(|key| Ok(VerifyingKey::<C>::from_sec1_bytes(&key.public)?));
    let keys = keys.collect::<Result<Vec<_>>>()?;
    let mut rows = vec![];
    for row in &inputs.rows {
        let signature = Signature::from_p1363(&row.signature)?;
        // A tampered row has a hint as well.
        let id = keys[row.key].verify_prehash_recoverable(&row.digest, &signature);
        let id = id.unwrap_or(RecoveryId::FRIENDLY);
        let y = match FullSignature::new(&signature, id) {
            Ok(full) => full.to_bytes(false)[1 + length..][..length].to_vec(),
            Err(_) => vec![],
        };
        rows.push((row.key, row.digest.clone(), signature, id, y));
    }
    Ok(verdict(move |i| {
        let (key, digest, signature, id, y) = &rows[i % rows.len()];
        let hint = match known {
            Known::Nothing => return keys[*key].verify_prehash(digest, signature).is_ok(),
            Known::Id => Hint::Id(*id),
            Known::Y => Hint::Y(y),
        };
        let verdict = keys[*key].verify_prehash_with_hint(digest, signature, hint);
        verdict.is_ok()
    }))
}

/// Splits of distinct integers.
struct Splits {
    order: [u64; 4],
    integers: Vec<[u64; 4]>,
}

/// The number of splits per call.
const TOGETHER: usize = 64;

impl Subject for Splits {
    fn call(&mut self, i: usize) -> bool {
        let calls = self.integers.len() / TOGETHER;
        for integer in &self.integers[i % calls * TOGETHER..][..TOGETHER] {
            black_box(halves_vartime(&self.order, black_box(integer)));
        }
        true
    }

    fn items_per_call(&self) -> usize {
        TOGETHER
    }

    fn output(&mut self, _: usize) -> Result<Output> {
        // Checked on creation.
        Ok(Output::Checked)
    }
}

fn big(limbs: &[u64]) -> Result<BigNum> {
    let bytes: Vec<u8> = limbs
        .iter()
        .rev()
        .flat_map(|limb| limb.to_be_bytes())
        .collect();
    Ok(BigNum::from_slice(&bytes)?)
}

/// Splits the r of all rows, checked with OpenSSL's integers.
fn splits(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let field = P256.curve().scalar_field();
    let order = field.modulus();
    let mut integers = vec![];
    for row in inputs
        .rows
        .iter()
        .cycle()
        .take(inputs.rows.len().max(TOGETHER))
    {
        let r = field.from_be_bytes(&row.signature[..32]);
        integers.extend(r.map(|r| field.to_integer(&r)));
    }
    let mut n = BigNum::new()?;
    let mut context = BigNumContext::new()?;
    openssl_group(CurveName::P256)?.order(&mut n, &mut context)?;
    for integer in &integers {
        let halves = halves_vartime(&order, integer);
        let mut product = BigNum::new()?;
        let mu = big(&halves.mu.magnitude)?;
        product.mod_mul(&mu, &*big(integer)?, &n, &mut context)?;
        let lambda = big(&halves.lambda)?;
        let mut difference = BigNum::new()?;
        match halves.mu.negative {
            0 => difference.mod_sub(&product, &lambda, &n, &mut context)?,
            _ => difference.mod_add(&product, &lambda, &n, &mut context)?,
        }
        let short = mu.num_bits() <= 128 && lambda.num_bits() <= 128;
        ensure!(short && difference.num_bits() == 0, "a wrong split");
    }
    Ok(Box::new(Splits { order, integers }))
}
