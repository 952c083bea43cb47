//! Signatures, and verdicts on valid and invalid ones.

use sigmill::{AnySigningKey, HashName, Policy, SignatureFormat};

use crate::inputs::Inputs;
use crate::transcript::Transcript;

/// Narrow, so that tables are small.
pub(crate) const WINDOW: u32 = 4;

pub(crate) fn sections(transcript: &mut Transcript, inputs: &Inputs) {
    let curve = inputs.curve;
    transcript.section(format!("{curve}/signatures"), |section| {
        for key in &inputs.keys[..3] {
            for &hash in HashName::ALL {
                section.bytes(key.sign_with_hash(hash, b"sample", SignatureFormat::Der));
            }
            let digest = &inputs.digests[1];
            let low = key.clone().with_policy(Policy::LOW_S);
            section.outcome(low.sign_prehash(digest, SignatureFormat::P1363));
            let hash = key.algorithm().hash;
            let entropy = b"more of it";
            let sign = key.sign_prehash_with_entropy(hash, digest, entropy, SignatureFormat::Der);
            section.outcome(sign);
            section.outcome(key.sign_prehash(&[], SignatureFormat::P1363));
        }
    });
    transcript.section(format!("{curve}/signatures-of-many"), |section| {
        let keys = inputs.keys.iter();
        let rows: Vec<_> = keys.zip(inputs.digests.iter().map(Vec::as_slice)).collect();
        let many = AnySigningKey::sign_prehash_many(&rows, SignatureFormat::P1363);
        for ((key, digest), signature) in rows.iter().zip(many) {
            assert_eq!(signature, key.sign_prehash(digest, SignatureFormat::P1363));
            section.outcome(signature);
        }
    });
    transcript.section(format!("{curve}/verdicts"), |section| {
        let mut valid = 0;
        for row in &inputs.rows {
            valid += u64::from(row.verdict.is_ok());
            section.verdict(row.verdict);
        }
        assert!(valid > 0, "{curve}: no signature is valid");
        section.number(valid);
    });
    transcript.section(format!("{curve}/verdicts-of-low-s"), |section| {
        for row in &inputs.rows[..30] {
            section.verdict(inputs.public_keys[row.key].verify_prehash_with_policy(
                &row.digest,
                &row.signature,
                row.format,
                Policy::LOW_S,
            ));
        }
    });
    transcript.section(format!("{curve}/tables"), |section| {
        for (number, key) in inputs.public_keys.iter().take(3).enumerate() {
            let prepared = key.prepare_with_window(WINDOW + number as u32);
            for [x, y] in prepared.expect("a window").coordinates() {
                section.bytes([x.bytes, y.bytes].concat());
            }
        }
    });
    transcript.section(format!("{curve}/verdicts-with-tables"), |section| {
        for (number, key) in inputs.public_keys.iter().enumerate() {
            if inputs.rows_of(number).next().is_none() {
                continue;
            }
            let window = WINDOW + number as u32 % 3;
            let prepared = key.prepare_with_window(window).expect("a window");
            for row in inputs.rows_of(number) {
                let with_table = prepared.verify_prehash(&row.digest, &row.signature, row.format);
                assert_eq!(with_table, row.verdict, "{curve}: with a table");
                section.verdict(with_table);
            }
        }
    });
}
