//! Lines that are not transactions.

use crate::support::*;

#[test]
fn every_rule_has_its_reason() {
    let with_type = |ty: &str| format!("{ty}{}", &one_of_each()[3].1[2..]);
    let cases = [
        ("0x".to_owned(), "transaction-rlp"),
        ("hello".into(), "field-encoding"),
        ("0xf8 6c".into(), "field-encoding"),
        ("0X".to_owned() + EIP_155, "field-encoding"),
        ("0x0x".to_owned() + EIP_155, "field-encoding"),
        (EIP_155[1..].into(), "field-encoding"),
        (format!("\"{EIP_155}\""), "field-encoding"),
        (format!("{EIP_155},{EIP_155}"), "field-encoding"),
        ("{\"raw\":\"0x\"}".into(), "field-encoding"),
        (format!("{EIP_155}00"), "transaction-trailing-data"),
        (EIP_155.repeat(2), "transaction-trailing-data"),
        // An empty list, a list in a list, a string, a list without an end, and lengths of maximum
        // size.
        ("c0".into(), "transaction-rlp"),
        ("c1c0".into(), "transaction-rlp"),
        ("80".into(), "transaction-rlp"),
        (format!("b86e{EIP_155}"), "transaction-rlp"),
        ("f8".into(), "transaction-rlp"),
        ("ffffffffffffffffff".into(), "transaction-rlp"),
        ("bfffffffffffffffff".into(), "transaction-rlp"),
        ("02fbffffffff00".into(), "transaction-rlp"),
        // Types that do not exist (yet), and a type before a list of another type.
        (with_type("00"), "transaction-type"),
        (with_type("05"), "transaction-type"),
        (with_type("7f"), "transaction-type"),
        (format!("00{EIP_155}"), "transaction-type"),
        (with_type("01"), "transaction-rlp"),
        (with_type("03"), "transaction-rlp"),
        (with_type("04"), "transaction-rlp"),
        ("02".into(), "transaction-rlp"),
        // A typed list without its type is not read as another form.
        (with_type(""), "transaction-rlp"),
        (one_of_each()[4].1[2..].into(), "transaction-rlp"),
        (format!("02{EIP_155}"), "transaction-rlp"),
    ];
    let lines = cases.clone().map(|(line, _)| line);
    let run = recover(&lines, &[]);
    assert_eq!(run.code, 1);
    for ((line, reason), told) in cases.iter().zip(run.outcomes()) {
        assert_eq!(told, *reason, "{line}");
    }
    assert_eq!(run.summary()["rejected"], cases.len());
    assert_eq!(
        run.summary()["reasons"]["field-encoding"]["first_row"].as_u64(),
        Some(2)
    );
    // All of them are also reported on standard error, followed by the summary.
    assert_eq!(run.stderr.lines().count(), cases.len() + 1);
}

/// A transaction truncated anywhere is not a transaction, and no row is lost.
#[test]
fn truncated_everywhere() {
    for (form, raw) in one_of_each() {
        let lines: Vec<_> = (2..raw.len())
            .step_by(2)
            .map(|len| raw[..len].to_owned())
            .collect();
        let run = recover(&lines, &[]);
        assert_eq!(run.rows().len(), lines.len());
        for (line, told) in lines.iter().zip(run.outcomes()) {
            assert_eq!(told, "transaction-rlp", "{form}: {line}");
        }
    }
}

/// A transaction with a changed byte anywhere has another signer, or none: all of it is signed.
#[test]
fn changed_everywhere() {
    let mut recovered = 0;
    for (form, raw) in one_of_each() {
        let bytes = unhex(&raw);
        let mut lines = vec![];
        for i in 0..bytes.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[i] ^= change;
                lines.push(hex(changed));
            }
        }
        let run = recover(&lines, &[]);
        assert_eq!(run.rows().len(), lines.len());
        for (line, told) in lines.iter().zip(run.outcomes()) {
            assert_ne!(told, SIGNER, "{form}: {line}");
            recovered += u32::from(told.starts_with("0x"));
        }
    }
    // Most changes affect numbers and data, which may have any value.
    assert!(recovered > 500, "{recovered}");
}
