//! Checks before timing: valid rows are accepted, tampered ones are rejected, and OpenSSL confirms
//! signatures, keys and shared secrets.

use anyhow::{Context as _, Result, bail, ensure};
use openssl::bn::BigNumContext;
use openssl::derive::Deriver;
use openssl::ec::EcPoint;
use openssl::pkey::{Id, PKey};
use sigmill::CurveName;

use crate::inputs::{Inputs, ec_key, openssl_group, parse};
use crate::peers::openssl_shared_secret;
use crate::registry::{Entry, Output, Subject, Work};

/// Creates the entry's work, checks it, and returns it for timing.
pub(crate) fn checked(entry: &Entry, inputs: &Inputs) -> Result<Box<dyn Subject>> {
    make_and_check(entry, inputs)
        .with_context(|| format!("{} of {}", entry.op, entry.implementation))
}

fn make_and_check(entry: &Entry, inputs: &Inputs) -> Result<Box<dyn Subject>> {
    match &entry.work {
        Work::Verify { curve, set, make } => {
            let rows = inputs.set(*curve, *set)?;
            let (planted, are_valid) = rows.planted(entry.checked_rows)?;
            check_verdicts(&mut *make(&planted)?, &are_valid)?;
            let mut subject = make(&rows)?;
            let items = subject.items_per_call();
            for i in 0..entry.checked_rows.min(rows.rows.len()).div_ceil(items) {
                ensure!(subject.call(i), "rejected a valid signature (call {i})");
            }
            Ok(subject)
        }
        Work::Compute { curve, make } => {
            let mut subject = make(inputs)?;
            for i in 0..inputs.rows().min(entry.checked_rows) {
                let output = subject.output(i)?;
                confirm(*curve, i, &output, inputs)
                    .with_context(|| format!("output {i} is wrong"))?;
            }
            Ok(subject)
        }
    }
}

/// Checks the verdict of every row, in order.
fn check_verdicts(subject: &mut dyn Subject, are_valid: &[bool]) -> Result<()> {
    let mut row = 0;
    for call in 0.. {
        let verdicts = subject.verdicts(call);
        ensure!(!verdicts.is_empty(), "no verdict (call {call})");
        for accepted in verdicts {
            match (accepted, are_valid.get(row)) {
                (_, None) => bail!("more verdicts than rows ({})", are_valid.len()),
                (true, Some(false)) => bail!("accepted a tampered signature (row {row})"),
                (false, Some(true)) => bail!("rejected a valid signature (row {row})"),
                _ => row += 1,
            }
        }
        if row == are_valid.len() {
            break;
        }
    }
    Ok(())
}

/// Recomputes or verifies an output with OpenSSL.
fn confirm(curve: Option<CurveName>, i: usize, output: &Output, inputs: &Inputs) -> Result<()> {
    match (curve, output) {
        (_, Output::Checked) => Ok(()),
        (Some(curve), output) => confirm_on_curve(curve, i, output, inputs),
        (None, Output::Shared(shared)) => {
            let inputs = inputs.x25519()?;
            let (own, peer) = inputs.pair(i);
            confirm_x25519(&inputs.keys[own].0, &inputs.keys[peer].1, shared)
        }
        (None, Output::SharedWithFresh { public, shared }) => {
            let inputs = inputs.x25519()?;
            let (_, peer) = inputs.pair(i);
            confirm_x25519(&inputs.keys[peer].0, public, shared)
        }
        (None, Output::KeyPair { private, public }) => {
            let key = PKey::private_key_from_raw_bytes(private, Id::X25519)?;
            ensure!(key.raw_public_key()? == *public, "not OpenSSL's public key");
            Ok(())
        }
        (None, Output::Signature(_)) => bail!("an output that X25519 cannot have"),
    }
}

fn confirm_on_curve(curve: CurveName, i: usize, output: &Output, inputs: &Inputs) -> Result<()> {
    let inputs = inputs.curve(curve)?;
    let group = openssl_group(curve)?;
    let mut context = BigNumContext::new()?;
    let (own, peer) = inputs.pair(i);
    match output {
        Output::Checked => Ok(()),
        Output::Signature(bytes) => {
            ensure!(
                bytes.len() == 2 * curve.order_len(),
                "signature of {} octets",
                bytes.len()
            );
            let row = inputs.row(i);
            let key = ec_key(curve, &inputs.keys[row.key])?;
            ensure!(
                parse(bytes)?.verify(&row.digest, &key)?,
                "OpenSSL rejects the signature"
            );
            Ok(())
        }
        Output::Shared(shared) => {
            let point = EcPoint::from_bytes(&group, &inputs.keys[peer].public, &mut context)?;
            let expected = openssl_shared_secret(&*ec_key(curve, &inputs.keys[own])?, &point)?;
            ensure!(shared[..] == expected[..], "not OpenSSL's shared secret");
            Ok(())
        }
        Output::SharedWithFresh { public, shared } => {
            let point = EcPoint::from_bytes(&group, public, &mut context)?;
            let expected = openssl_shared_secret(&*ec_key(curve, &inputs.keys[peer])?, &point)?;
            ensure!(shared[..] == expected[..], "not OpenSSL's shared secret");
            Ok(())
        }
        Output::KeyPair { private, public } => {
            let pair = crate::inputs::KeyPair {
                private: private.clone(),
                public: public.clone(),
            };
            ec_key(curve, &pair)?
                .check_key()
                .context("OpenSSL rejects the key pair")
        }
    }
}

fn confirm_x25519(private: &[u8], public: &[u8], shared: &[u8]) -> Result<()> {
    let private = PKey::private_key_from_raw_bytes(private, Id::X25519)?;
    let public = PKey::public_key_from_raw_bytes(public, Id::X25519)?;
    let mut deriver = Deriver::new(&private)?;
    deriver.set_peer(&public)?;
    ensure!(
        deriver.derive_to_vec()?[..] == *shared,
        "not OpenSSL's shared secret"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::CurveInputs;
    use crate::peers;
    use crate::registry::{Registry, computation, verdict};
    use crate::versions::Versions;

    fn registry() -> Registry {
        Registry::new(Versions::of_this_build().unwrap())
    }

    fn error_of(registry: &Registry) -> String {
        let inputs = Inputs::new(2, 4);
        format!(
            "{:#}",
            checked(&registry.entries[0], &inputs).err().unwrap()
        )
    }

    #[test]
    fn every_registered_peer_passes() {
        let mut registry = registry();
        peers::register_all(&mut registry);
        let inputs = Inputs::new(3, 5);
        for entry in &registry.entries {
            checked(entry, &inputs).unwrap();
        }
    }

    #[test]
    fn an_implementation_that_accepts_everything_is_caught() {
        let mut registry = registry();
        registry
            .peer("yes", String::new())
            .verify("op", "", CurveName::P256, |_: &CurveInputs| {
                Ok(verdict(|_| true))
            });
        assert_eq!(
            error_of(&registry),
            "op of yes: accepted a tampered signature (row 1)"
        );
    }

    #[test]
    fn an_implementation_that_rejects_everything_is_caught() {
        let mut registry = registry();
        registry
            .peer("no", String::new())
            .verify("op", "", CurveName::P256, |_: &CurveInputs| {
                Ok(verdict(|_| false))
            });
        assert_eq!(
            error_of(&registry),
            "op of no: rejected a valid signature (row 0)"
        );
    }

    #[test]
    fn a_wrong_signature_and_a_wrong_secret_are_caught() {
        for (output, rule) in [
            (
                Output::Signature(vec![1; 64]),
                "OpenSSL rejects the signature",
            ),
            (Output::Shared(vec![1; 32]), "not OpenSSL's shared secret"),
        ] {
            let mut registry = registry();
            let output = std::cell::Cell::new(Some(output));
            registry.peer("wrong", String::new()).compute(
                "op",
                "",
                Some(CurveName::P256),
                move |_: &Inputs| {
                    let output = output.take();
                    Ok(computation(|_| Ok(()), {
                        let output = std::cell::Cell::new(output);
                        move |_, ()| output.take().context("asked twice")
                    }))
                },
            );
            let error = error_of(&registry);
            assert!(error.ends_with(rule), "{error}");
        }
    }
}
