//! The system's OpenSSL, the base of every ratio: low-level calls on parsed keys where they exist,
//! because EVP sets up a context in each call.

use anyhow::{Result, ensure};
use foreign_types::ForeignTypeRef as _;
use openssl::bn::BigNumContext;
use openssl::derive::Deriver;
use openssl::ec::{EcKey, EcKeyRef, EcPoint, EcPointRef, PointConversionForm};
use openssl::ecdsa::EcdsaSig;
use openssl::pkey::{Id, PKey, Private, Public};
use sigmill::CurveName;

use crate::inputs::{CurveInputs, Inputs, ec_key, openssl_group, prefix};
use crate::registry::{OPENSSL, Output, Registry, Subject, computation, verdict};
use crate::row_set::RowSet;

// Deprecated in OpenSSL 3 and therefore not in openssl-sys, but present in every version.
unsafe extern "C" {
    fn ECDH_compute_key(
        out: *mut core::ffi::c_void,
        out_len: usize,
        peer: *const openssl_sys::EC_POINT,
        key: *const openssl_sys::EC_KEY,
        kdf: Option<
            unsafe extern "C" fn(
                *const core::ffi::c_void,
                usize,
                *mut core::ffi::c_void,
                *mut usize,
            ) -> *mut core::ffi::c_void,
        >,
    ) -> core::ffi::c_int;
}

pub(crate) fn register(registry: &mut Registry) {
    let version = openssl::version::version()
        .trim_start_matches("OpenSSL ")
        .to_owned();
    let mut peer = registry.peer(OPENSSL, version);
    let do_verify = "ECDSA_do_verify: EC_KEY and ECDSA_SIG parsed beforehand, digest given";
    let do_sign = "ECDSA_do_sign: EC_KEY parsed beforehand, digest given";
    let generate = "EC_KEY_generate_key with EC_KEY_new and EC_KEY_set_group";
    let compute = "ECDH_compute_key: EC_KEY and the peer's EC_POINT parsed beforehand";
    for &curve in CurveName::ALL {
        let prefix = prefix(curve);
        let op = |name: &str| format!("{prefix}/{name}/single");
        peer.verify_fresh_and_prepared(&prefix, do_verify, curve, verify);
        if matches!(curve, CurveName::P256 | CurveName::Secp256k1) {
            let hinted = format!("{prefix}/verify/hinted/bulk");
            peer.verify_set(&hinted, do_verify, curve, RowSet::NewKeys, verify);
        }
        if matches!(curve, CurveName::P256 | CurveName::P384 | CurveName::P521) {
            for name in ["single", "single-full"] {
                let op = format!("{prefix}/verify/hinted/{name}");
                peer.verify(&op, do_verify, curve, verify);
            }
        }
        peer.compute(&op("sign"), do_sign, Some(curve), move |inputs| {
            sign(&*inputs.curve(curve)?)
        });
        peer.compute(&op("keygen"), generate, Some(curve), move |_| keygen(curve));
        for name in ["ecdh", "agreement"] {
            peer.compute(&op(name), compute, Some(curve), move |inputs| {
                ecdh(&*inputs.curve(curve)?)
            });
        }
    }
    peer.compute(
        "x25519/single",
        "EVP_PKEY_derive with EVP_PKEY_CTX_new and set_peer: both EVP_PKEY parsed beforehand",
        None,
        x25519,
    );
    peer.compute(
        "x25519/keygen/single",
        "EVP_PKEY_keygen with EVP_PKEY_CTX_new",
        None,
        |_| Ok(x25519_keygen()),
    );
}

fn x25519_keygen() -> Box<dyn Subject> {
    computation(
        |_| Ok(PKey::generate_x25519()?),
        |_, key| {
            Ok(Output::KeyPair {
                private: key.raw_private_key()?,
                public: key.raw_public_key()?,
            })
        },
    )
}

fn ec_keys(inputs: &CurveInputs) -> Result<Vec<EcKey<Private>>> {
    inputs
        .keys
        .iter()
        .map(|pair| ec_key(inputs.curve, pair))
        .collect()
}

fn verify(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let keys: Vec<EcKey<Public>> = ec_keys(inputs)?
        .iter()
        .map(|key| Ok(EcKey::from_public_key(key.group(), key.public_key())?))
        .collect::<Result<_>>()?;
    let rows: Vec<(usize, EcdsaSig, Vec<u8>)> = inputs
        .rows
        .iter()
        .map(|row| Ok((row.key, row.parsed()?, row.digest.clone())))
        .collect::<Result<_>>()?;
    Ok(verdict(move |i| {
        let (key, signature, digest) = &rows[i % rows.len()];
        signature.verify(digest, &keys[*key]).unwrap_or(false)
    }))
}

fn sign(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let keys = ec_keys(inputs)?;
    let rows: Vec<(usize, Vec<u8>)> = inputs
        .rows
        .iter()
        .map(|row| (row.key, row.digest.clone()))
        .collect();
    let len = i32::try_from(inputs.curve.order_len())?;
    Ok(computation(
        move |i| {
            let (key, digest) = &rows[i % rows.len()];
            Ok(EcdsaSig::sign(digest, &keys[*key])?)
        },
        move |_, signature| {
            let mut bytes = signature.r().to_vec_padded(len)?;
            bytes.extend(signature.s().to_vec_padded(len)?);
            Ok(Output::Signature(bytes))
        },
    ))
}

fn keygen(curve: CurveName) -> Result<Box<dyn Subject>> {
    let group = openssl_group(curve)?;
    let output_group = openssl_group(curve)?;
    let len = i32::try_from(curve.order_len())?;
    Ok(computation(
        move |_| Ok(EcKey::generate(&group)?),
        move |_, key| {
            Ok(Output::KeyPair {
                private: key.private_key().to_vec_padded(len)?,
                public: key.public_key().to_bytes(
                    &output_group,
                    PointConversionForm::UNCOMPRESSED,
                    &mut *BigNumContext::new()?,
                )?,
            })
        },
    ))
}

/// The x-coordinate of the peer's point times our private key.
pub(crate) fn shared_secret(key: &EcKeyRef<Private>, peer: &EcPointRef) -> Result<Vec<u8>> {
    let length = key.group().degree().div_ceil(8) as usize;
    let mut out = vec![0; length];
    // SAFETY: both pointers come from live OpenSSL objects, `out` has the length passed, and there
    // is no KDF.
    let written = unsafe {
        ECDH_compute_key(
            out.as_mut_ptr().cast(),
            out.len(),
            peer.as_ptr(),
            key.as_ptr(),
            None,
        )
    };
    ensure!(
        usize::try_from(written) == Ok(length),
        "ECDH_compute_key wrote {written} octets, not {length}"
    );
    Ok(out)
}

fn ecdh(inputs: &CurveInputs) -> Result<Box<dyn Subject>> {
    let keys = ec_keys(inputs)?;
    let group = openssl_group(inputs.curve)?;
    let points: Vec<EcPoint> = keys
        .iter()
        .map(|key| key.public_key().to_owned(&group))
        .collect::<Result<_, _>>()?;
    let inputs = inputs.clone();
    Ok(computation(
        move |i| {
            let (own, peer) = inputs.pair(i);
            shared_secret(&keys[own], &points[peer])
        },
        |_, shared| Ok(Output::Shared(shared)),
    ))
}

fn x25519(inputs: &Inputs) -> Result<Box<dyn Subject>> {
    let inputs = inputs.x25519()?;
    let own: Vec<PKey<Private>> = inputs
        .keys
        .iter()
        .map(|(private, _)| PKey::private_key_from_raw_bytes(private, Id::X25519))
        .collect::<Result<_, _>>()?;
    let peers: Vec<PKey<Public>> = inputs
        .keys
        .iter()
        .map(|(_, public)| PKey::public_key_from_raw_bytes(public, Id::X25519))
        .collect::<Result<_, _>>()?;
    Ok(computation(
        move |i| {
            let (mine, theirs) = inputs.pair(i);
            let mut deriver = Deriver::new(&own[mine])?;
            deriver.set_peer(&peers[theirs])?;
            let mut shared = [0_u8; 32];
            deriver.derive(&mut shared)?;
            Ok(shared)
        },
        |_, shared| Ok(Output::Shared(shared.to_vec())),
    ))
}
