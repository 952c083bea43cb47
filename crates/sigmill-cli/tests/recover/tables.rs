//! Tables of digests and signatures, in each format.

use std::fs::File;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{ArrayRef, BinaryArray, RecordBatch, StringArray};
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use data_encoding::{BASE64, BASE64URL_NOPAD};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use sigmill::secp256k1::SigningKey;

use crate::support::*;

/// The digest that EIP-155's example signs.
const DIGEST: &str = "daf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53";
/// The signature of that example: r and s.
const NUMBERS: &str = "\
28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276\
67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83";

/// Returns good rows (id, digest and signature) of one key.
fn good_rows(count: u8) -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let key = SigningKey::from_be_bytes(&SECRET).unwrap();
    (0..count)
        .map(|i| {
            let digest = [i; 32];
            let (signature, id) = key.sign_prehash_recoverable(&digest).unwrap();
            let mut signature = signature.to_rsv(id);
            // Both permitted forms of v, alternating.
            signature[64] -= if i % 2 == 0 { 27 } else { 0 };
            (format!("row-{i}"), digest.to_vec(), signature)
        })
        .collect()
}

/// Recovers from this text.
fn table(format: &str, text: &str, args: &[&str]) -> Run {
    let mut all = vec![
        "recover",
        "-",
        "--format",
        format,
        "--out-format",
        "jsonl",
        "--json",
    ];
    all.extend_from_slice(args);
    run(&TempDir::new().unwrap(), &all, text.as_bytes())
}

fn csv(rows: &[(&str, &str)]) -> String {
    let lines = rows
        .iter()
        .map(|(digest, signature)| format!("{digest},{signature}\n"));
    format!("digest,signature\n{}", lines.collect::<String>())
}

#[test]
fn every_v_has_its_meaning() {
    let line = |v: u8| format!("{DIGEST},{NUMBERS}{v:02x}\n");
    let text = "digest,signature\n".to_owned() + &(0..=255).map(line).collect::<String>();
    let run = table("csv", &text, &[]);
    assert_eq!(run.code, 1);
    let outcomes = run.outcomes();
    for (v, told) in outcomes.iter().enumerate() {
        match v {
            0 | 27 => assert_eq!(told, SIGNER),
            // The signer with -R in place of R.
            1 | 28 => assert!(told.starts_with("0x") && told != SIGNER),
            2 | 3 => assert_eq!(told, "recovery-id-reduced"),
            _ => assert_eq!(told, "recovery-byte-out-of-range"),
        }
    }
    assert_eq!((&outcomes[0], &outcomes[1]), (&outcomes[27], &outcomes[28]));
    for (policy, reduced) in [
        ("precompile", "recovery-id-reduced"),
        ("transaction", "recovery-id-reduced"),
        // r + n exceeds the prime.
        ("any", "recovery-x-out-of-range"),
    ] {
        let told = table("csv", &text, &["--policy", policy]).outcomes();
        assert_eq!([&told[2], &told[3]], [reduced; 2], "{policy}");
        assert_eq!(told[..2], outcomes[..2], "{policy}");
        assert_eq!(told[4..], outcomes[4..], "{policy}");
    }
    // Every second small r is x(R) - n of a point.
    let line = |r: u8| format!("{DIGEST},{r:064x}{r:064x}02\n");
    let small = "digest,signature\n".to_owned() + &(1..=20).map(line).collect::<String>();
    assert_eq!(
        table("csv", &small, &[]).outcomes(),
        ["recovery-id-reduced"; 20]
    );
    let told = table("csv", &small, &["--policy", "any"]).outcomes();
    let found = told.iter().filter(|told| told.starts_with("0x")).count();
    let none = told.iter().filter(|told| *told == "recovery-not-on-curve");
    assert!(found > 4 && found + none.count() == 20, "{told:?}");
}

#[test]
fn digits_of_every_kind() {
    let signature = unhex(&format!("{NUMBERS}1b"));
    let digest = unhex(DIGEST);
    for (digest, signature) in [
        (format!("0x{DIGEST}"), format!("0x{NUMBERS}1b")),
        (
            DIGEST.to_uppercase(),
            format!("{}1B", NUMBERS.to_uppercase()),
        ),
        (BASE64.encode(&digest), BASE64.encode(&signature)),
        (
            BASE64URL_NOPAD.encode(&digest),
            BASE64URL_NOPAD.encode(&signature),
        ),
    ] {
        let run = table("csv", &csv(&[(&digest, &signature)]), &[]);
        assert_eq!(run.outcomes(), [SIGNER], "{digest}");
    }
    let hex = csv(&[(DIGEST, &format!("{NUMBERS}1b"))]);
    let run = table("csv", &hex, &["--digest-encoding", "base64"]);
    assert_eq!(run.outcomes(), ["digest-length"]);
}

#[test]
fn each_rule_has_its_reason() {
    let n = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
    let (r, s) = NUMBERS.split_at(64);
    let zero = "00".repeat(32);
    let five = format!("{:064x}", 5);
    let full = format!("{NUMBERS}1b");
    let cases = [
        (DIGEST.to_owned(), full.clone(), SIGNER),
        (String::new(), full.clone(), "field-null"),
        (DIGEST.into(), String::new(), "field-null"),
        ("zz".into(), full.clone(), "field-encoding"),
        (DIGEST.into(), "0x1".into(), "field-encoding"),
        (DIGEST[2..].into(), full.clone(), "digest-length"),
        (format!("{DIGEST}00"), full.clone(), "digest-length"),
        (
            DIGEST.into(),
            NUMBERS.into(),
            "recoverable-signature-length",
        ),
        (
            DIGEST.into(),
            format!("{full}00"),
            "recoverable-signature-length",
        ),
        (
            DIGEST.into(),
            format!("{NUMBERS}1d"),
            "recovery-byte-out-of-range",
        ),
        (DIGEST.into(), format!("{zero}{s}1b"), "r-zero"),
        (DIGEST.into(), format!("{r}{zero}1b"), "s-zero"),
        (DIGEST.into(), format!("{n}{s}1b"), "r-out-of-range"),
        (DIGEST.into(), format!("{r}{n}1b"), "s-out-of-range"),
        (
            DIGEST.into(),
            format!("{five}{s}1b"),
            "recovery-not-on-curve",
        ),
        (format!("{DIGEST},x"), full.clone(), "csv-field-count"),
        ("\"".to_owned() + DIGEST, full.clone(), "csv-quote-unclosed"),
    ];
    let rows: Vec<_> = cases
        .iter()
        .map(|(d, s, _)| (d.as_str(), s.as_str()))
        .collect();
    let run = table("csv", &csv(&rows), &[]);
    for ((digest, signature, reason), told) in cases.iter().zip(run.outcomes()) {
        assert_eq!(told, *reason, "{digest}, {signature}");
    }
    assert_eq!(run.rows().len(), cases.len());
    // s G = e G + 0, so the key would be infinity: R = G, r = x(G), and s R = e G.
    let x = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
    let infinite = csv(&[(&five, &format!("{x}{five}1b"))]);
    assert_eq!(
        table("csv", &infinite, &[]).outcomes(),
        ["recovered-infinity"]
    );
}

#[test]
fn rows_of_json_say_what_they_lack() {
    let row = |id: &str| {
        format!("{{\"id\":{id},\"digest\":\"{DIGEST}\",\"signature\":\"{NUMBERS}00\"}}\n")
    };
    let text = [
        row("\"a\""),
        row("17"),
        row("[]"),
        "{\"id\":\"no digest\"}\n".into(),
        "\n".into(),
        format!("{{\"digest\":\"{DIGEST}\"}}\n"),
        format!("{{\"digest\":null,\"signature\":\"{NUMBERS}00\"}}\n"),
        "[1]\n".into(),
        row("\"alg\",\"alg\":\"RS256\",\"key\":7,\"message\":\"not read\""),
    ];
    let run = table("jsonl", &text.concat(), &[]);
    assert_eq!(
        run.outcomes(),
        [
            SIGNER,
            SIGNER,
            "field-type",
            "field-missing",
            "field-missing",
            "field-null",
            "json-syntax",
            SIGNER
        ]
    );
    let rows = run.rows();
    assert_eq!(rows[0]["id"], "a");
    assert_eq!(rows[1]["id"], "17");
    assert!(
        run.stderr
            .contains("\"id\":\"no digest\",\"reason\":\"field-missing\"")
    );
    let renamed = text[0]
        .replace("digest", "h")
        .replace("signature", "rsv")
        .replace("id", "name");
    let names = [
        "--digest-column",
        "h",
        "--signature-column",
        "rsv",
        "--id-column",
        "name",
    ];
    let run = table("jsonl", &renamed, &names);
    assert_eq!(run.outcomes(), [SIGNER]);
    assert_eq!(run.rows()[0]["id"], "a");
}

#[test]
fn high_s_is_accepted_unless_it_must_not_be() {
    let number = |text: &str| alloy_primitives::U256::from_be_slice(&unhex(text));
    let (r, s, odd) = other_s((number(&NUMBERS[..64]), number(&NUMBERS[64..]), false));
    let signature = format!("{r:064x}{s:064x}{:02x}", u8::from(odd));
    let text = csv(&[(DIGEST, &signature)]);
    assert_eq!(table("csv", &text, &[]).outcomes(), [SIGNER]);
    let strict = ["--policy", "transaction"];
    assert_eq!(table("csv", &text, &strict).outcomes(), ["high-s"]);
}

/// Returns the rows as a batch of bytes. The last row has no signature.
fn batch(rows: &[(String, Vec<u8>, Vec<u8>)]) -> RecordBatch {
    let ids: StringArray = rows.iter().map(|(id, ..)| Some(id.as_str())).collect();
    let digests: BinaryArray = rows.iter().map(|(_, digest, _)| Some(digest)).collect();
    let last = rows.len() - 1;
    let signatures = rows.iter().enumerate();
    let signatures: BinaryArray = signatures
        .map(|(i, (.., signature))| (i < last).then_some(signature))
        .collect();
    let columns: [(&str, ArrayRef, bool); 3] = [
        ("id", Arc::new(ids), true),
        ("digest", Arc::new(digests), true),
        ("signature", Arc::new(signatures), true),
    ];
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn check_batches(batches: impl Iterator<Item = RecordBatch>, count: usize) {
    let mut rows = 0;
    for batch in batches {
        let column = |name: &str| batch.column_by_name(name).unwrap();
        let numbers = column("row").as_primitive::<UInt64Type>();
        let ids = column("id").as_string::<i32>();
        let keys = column("key").as_binary::<i32>();
        let addresses = column("address").as_string::<i32>();
        let reasons = column("reason").as_string::<i32>();
        let key = SigningKey::from_be_bytes(&SECRET).unwrap();
        let point = key.verifying_key().to_sec1_bytes(false);
        for i in 0..batch.num_rows() {
            assert_eq!(numbers.value(i), rows as u64 + 1);
            assert_eq!(ids.value(i), format!("row-{rows}"));
            rows += 1;
            let is_last = rows == count;
            assert_eq!(keys.is_valid(i), !is_last);
            assert_eq!(reasons.is_valid(i), is_last);
            if is_last {
                assert_eq!(reasons.value(i), "field-null");
            } else {
                assert_eq!(keys.value(i), point);
                assert_eq!(addresses.value(i), SIGNER);
            }
        }
    }
    assert_eq!(rows, count);
}

use arrow_array::Array as _;

#[test]
fn columns_in_and_columns_out() {
    let dir = TempDir::new().unwrap();
    let path = |name: &str| dir.path().join(name);
    let batch = batch(&good_rows(50));
    let mut parquet = ArrowWriter::try_new(
        File::create(path("a.parquet")).unwrap(),
        batch.schema(),
        None,
    )
    .unwrap();
    parquet.write(&batch).unwrap();
    parquet.close().unwrap();
    let mut arrow =
        FileWriter::try_new(File::create(path("a.arrow")).unwrap(), &batch.schema()).unwrap();
    arrow.write(&batch).unwrap();
    arrow.finish().unwrap();
    let mut stream =
        StreamWriter::try_new(File::create(path("a.arrows")).unwrap(), &batch.schema()).unwrap();
    stream.write(&batch).unwrap();
    stream.finish().unwrap();
    for name in ["a.parquet", "a.arrow", "a.arrows"] {
        for out in ["out.parquet", "out.arrow"] {
            let told = run(&dir, &["recover", name, "--out", out], b"");
            assert_eq!((told.code, told.stdout.as_str()), (1, ""), "{told:?}");
            assert!(told.stderr.contains("recovered           49\n"), "{told:?}");
            let file = File::open(path(out)).unwrap();
            if out == "out.parquet" {
                let reader = ParquetRecordBatchReader::try_new(file, 1000).unwrap();
                check_batches(reader.map(Result::unwrap), 50);
            } else {
                let reader = FileReader::try_new(file, None).unwrap();
                check_batches(reader.map(Result::unwrap), 50);
            }
        }
    }
    // A truncated table yields its readable rows, and exit code 2.
    let bytes = std::fs::read(path("a.arrows")).unwrap();
    std::fs::write(path("cut.arrows"), &bytes[..bytes.len() / 2]).unwrap();
    let told = run(&dir, &["recover", "cut.arrows"], b"");
    assert_eq!(told.code, 2, "{told:?}");
    assert!(told.stderr.contains("cut.arrows"), "{told:?}");
    assert!(
        told.stdout
            .starts_with("row,id,key,address,reason,detail\n")
    );
}

#[test]
fn a_table_without_the_columns_is_refused() {
    for (header, message) in [
        ("message,signature", "name it with --digest-column"),
        ("digest,sig", "name it with --signature-column"),
        ("digest,digest,signature", "column \"digest\": occurs twice"),
    ] {
        let run = table("csv", &format!("{header}\n1,2,3\n"), &[]);
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains(message), "{run:?}");
    }
}

/// `sigmill verify` accepts the keys.
#[test]
fn verify_takes_the_keys_that_come_out() {
    let dir = TempDir::new().unwrap();
    for shape in ["sec1", "sec1-compressed", "spki", "pem"] {
        let mut text = String::new();
        let good = good_rows(5);
        let rows: Vec<_> = good.iter().map(|(_, d, s)| (hex(d), hex(s))).collect();
        let rows: Vec<_> = rows.iter().map(|(d, s)| (d.as_str(), s.as_str())).collect();
        let recovered = table("csv", &csv(&rows), &["--key-format", shape]);
        for (row, (digest, signature)) in recovered.rows().iter().zip(rows) {
            let line = serde_json::json!({
                "alg": "ES256K", "key": row["key"], "digest": digest, "signature": signature[..128],
            });
            text += &format!("{line}\n");
        }
        let told = run(
            &dir,
            &["verify", "-", "--format", "jsonl", "--quiet"],
            text.as_bytes(),
        );
        assert_eq!(
            (told.code, told.stdout.as_str()),
            (0, ""),
            "{shape}: {told:?}"
        );
    }
}
