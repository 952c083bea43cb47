//! Transactions of every form, and the rules for their signatures.

use alloy_consensus::{SignableTransaction, TxEip4844, TxEip4844Variant};
use alloy_eips::eip4844::{Blob, BlobTransactionSidecar, Bytes48};
use alloy_eips::eip7594::BlobTransactionSidecarVariant;
use alloy_primitives::{Address, B256, Signature, U256};

use crate::support::*;

/// A raw transaction with its form, chain, hash and sender, as far as known.
type Public = (
    &'static str,
    &'static str,
    Option<u64>,
    &'static str,
    Option<&'static str>,
);

/// Transactions of public chains, with form, chain, hash and sender: two forms on Ethereum, and
/// ones on Sepolia. They come from the tests of the crate alloy-consensus 1.6 (MIT or Apache 2.0),
/// which has them from block explorers. (The sender of the last one is missing there.)
const PUBLIC: [Public; 4] = [
    (
        "02f86f0102843b9aca0085029e7822d68298f094d9e1459a7a482635700cbc20bbaf52d495ab9c9680841b55\
         ba3ac080a0c199674fcb29f353693dd779c017823b954b3c69dffa3cd6b2a6ff7888798039a028ca912de909\
         e7e6cdef9cdcaf24c54dd8c1032946dfa1d85c206b32a9064fe8",
        "eip1559",
        Some(1),
        "",
        Some("0x001e2b7dE757bA469a57bF6b23d982458a07eFcE"),
    ),
    (
        "f9015482078b8505d21dba0083022ef1947a250d5630b4cf539739df2c5dacb4c659f2488d880c46549a521b\
         13d8b8e47ff36ab50000000000000000000000000000000000000000000066ab5a608bd00a23f2fe00000000\
         0000000000000000000000000000000000000000000000000000008000000000000000000000000048c04ed5\
         691981c42154c6167398f95e8f38a7ff00000000000000000000000000000000000000000000000000000000\
         632ceac700000000000000000000000000000000000000000000000000000000000000020000000000000000\
         00000000c02aaa39b223fe8d0a0e5c4f27ead9083c756cc20000000000000000000000006c6ee5e31d828de2\
         41282b9606c8e98ea48526e225a0c9077369501641a92ef7399ff81c21639ed4fd8fc69cb793cfa1dbfab342\
         e10aa0615facb2f1bcf3274a354cfe384a38d0cc008a11c2dd23a69111bc6930ba27a8",
        "eip155",
        Some(1),
        "0x280cde7cdefe4b188750e76c888f13bd05ce9a4d7767730feefe8a0e50ca6fc4",
        Some("0xa12e1462d0ceD572f396F58B6E2D03894cD7C8a4"),
    ),
    (
        "03f9011d83aa36a7820fa28477359400852e90edd0008252089411e9ca82a3a762b4b5bd264d4173a242e7a7\
         70648080c08504a817c800f8a5a0012ec3d6f66766bedb002a190126b3549fce0047de0d4c25cffce0dc1c57\
         921aa00152d8e24762ff22b1cfd9f8c0683786a7ca63ba49973818b3d1e9512cd2cec4a0013b98c6c83e066d\
         5b14af2b85199e3d4fc7d1e778dd53130d180f5077e2d1c7a001148b495d6e859114e670ca54fb6e2657f0cb\
         ae5b08063605093a4b3dc9f8f1a0011ac212f13c5dff2b2c6b600a79635103d6f580a4221079951181b25c7e\
         654901a0c8de4cced43169f9aa3d36506363b2d2c44f6c49fc1fd91ea114c86f3757077ea01e11fdd0d1934e\
         da0492606ee0bb80a7bf8f35cc5f86ec60fe5031ba48bfd544",
        "eip4844",
        Some(11_155_111),
        "0x9a22ccb0029bc8b0ddd073be1a1d923b7ae2b2ea52100bae0db4424f9107e9c0",
        Some("0xA83C816D4f9b2783761a22BA6FADB0eB0606D7B2"),
    ),
    (
        "f8aa0285018ef61d0a832dc6c094cb33aa5b38d79e3d9fa8b10aff38aa201399a7e380b844af7b421018842e\
         4628f3d9ee0e2c7679e29ed5dbaa75be75efecd392943503c9c68adce8000000000000000000000000000000\
         00000000000000000000000000000000641ca05e28679806caa50d25e9cb16aef8c0c08b235241b8f6e9d86f\
         aadf70421ba664a02353bba82ef2c7ce4dd6695942399163160000272b14f9aa6cbadf011b76efa4",
        "legacy",
        None,
        "0xe5b458ba9de30b47cb7c0ea836bec7b072053123a7416c5082c97f959a4eebd6",
        None,
    ),
];

#[test]
fn transactions_of_public_chains() {
    let lines = PUBLIC.map(|(raw, ..)| raw.to_owned());
    let run = recover(&lines, &[]);
    assert_eq!(run.code, 0, "{run:?}");
    for (row, (_, form, chain_id, hash, sender)) in run.rows().iter().zip(PUBLIC) {
        assert_eq!(row["type"], form);
        assert_eq!(row["chain_id"].as_u64(), chain_id);
        if !hash.is_empty() {
            assert_eq!(row["hash"], hash);
        }
        if let Some(sender) = sender {
            assert_eq!(row["address"], sender);
        }
    }
}

#[test]
fn the_example_of_eip_155() {
    let run = recover(&[EIP_155.into()], &[]);
    let [row] = run.rows().try_into().unwrap();
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(row["type"], "eip155");
    assert_eq!(row["chain_id"], 1);
    assert_eq!(row["address"], SIGNER);
    let key = sigmill::secp256k1::SigningKey::from_be_bytes(&SECRET).unwrap();
    let point = key.verifying_key().to_sec1_bytes(false);
    assert_eq!(row["key"], hex(point));
    // Our signature equals the example's: nonces follow RFC 6979.
    assert_eq!(raw(&signed(legacy(Some(1)))), EIP_155);
}

#[test]
fn every_form_is_read() {
    let all = one_of_each();
    let lines = all.clone().map(|(_, raw)| raw);
    let run = recover(&lines, &[]);
    assert_eq!(run.code, 0, "{run:?}");
    for (row, (form, _)) in run.rows().iter().zip(all) {
        assert_eq!(row["type"], form);
        assert_eq!(row["address"], SIGNER, "{form}");
    }
    let chains: Vec<_> = run
        .rows()
        .iter()
        .map(|row| row["chain_id"].as_u64())
        .collect();
    assert_eq!(chains, [None, Some(1), Some(1), Some(11_155_111), Some(1)]);
    let hashes = run.rows();
    assert_eq!(
        hashes[2]["hash"],
        format!("0x{}", hex(signed(eip2930()).hash()))
    );
    let summary = run.summary();
    assert_eq!(summary["recovered"], 5);
    assert_eq!(summary["rejected"], 0);
}

fn eip4844() -> TxEip4844 {
    TxEip4844 {
        chain_id: 1,
        nonce: 4,
        gas_limit: 21_000,
        max_fee_per_gas: 40_000_000_000,
        max_priority_fee_per_gas: 1_000_000_000,
        to: Address::repeat_byte(0x66),
        value: U256::ZERO,
        access_list: Default::default(),
        blob_versioned_hashes: vec![B256::repeat_byte(1)],
        max_fee_per_blob_gas: 5,
        input: Default::default(),
    }
}

/// Blobs do not change the transaction or its signer. This includes the form with cell proofs
/// (EIP-7594).
#[test]
fn blobs_make_no_difference() {
    let alone: TxEip4844Variant<BlobTransactionSidecarVariant> = eip4844().into();
    let mut lines = vec![raw(&signed(alone))];
    let bytes = Bytes48::repeat_byte(0xc0);
    let sidecar = BlobTransactionSidecar::new(vec![Blob::repeat_byte(1)], vec![bytes], vec![bytes]);
    let with_cells = alloy_eips::eip7594::BlobTransactionSidecarEip7594::new(
        vec![Blob::repeat_byte(1)],
        vec![bytes],
        vec![bytes; 128],
    );
    for sidecar in [
        BlobTransactionSidecarVariant::Eip4844(sidecar),
        BlobTransactionSidecarVariant::Eip7594(with_cells),
    ] {
        let with_blobs: TxEip4844Variant<_> = eip4844().with_sidecar(sidecar).into();
        lines.push(raw(&signed(with_blobs)));
        assert!(lines.last().unwrap().len() > 262_144);
    }
    let run = recover(&lines, &[]);
    assert_eq!(run.code, 0, "{run:?}");
    for row in run.rows() {
        assert_eq!(row["type"], "eip4844");
        assert_eq!(row["address"], SIGNER);
        assert_eq!(row["hash"], run.rows()[0]["hash"]);
    }
    // Half a sidecar is not a sidecar.
    for line in &lines[1..] {
        assert_eq!(outcome(&line[..line.len() / 4 * 2], &[]), "transaction-rlp");
    }
}

#[test]
fn high_s_is_for_the_precompile_only() {
    fn both<T: SignableTransaction<Signature> + Clone>(transaction: T) -> String
    where
        alloy_consensus::Signed<T>: alloy_eips::eip2718::Encodable2718,
    {
        let (r, s, y_is_odd) = other_s(sign(&transaction.signature_hash()));
        raw(&transaction.into_signed(Signature::new(r, s, y_is_odd)))
    }
    for line in [
        both(legacy(None)),
        both(legacy(Some(1))),
        both(eip2930()),
        both(eip1559()),
        both(eip7702()),
    ] {
        assert_eq!(outcome(&line, &[]), "high-s");
        assert_eq!(outcome(&line, &["--policy", "transaction"]), "high-s");
        assert_eq!(outcome(&line, &["--policy", "precompile"]), SIGNER);
    }
    // Facts that could be read from the transaction are reported all the same.
    let [row] = recover(&[both(eip1559())], &[]).rows().try_into().unwrap();
    assert_eq!(row["type"], "eip1559");
    assert_eq!(row["chain_id"], 11_155_111);
}

#[test]
fn of_one_chain_only() {
    let lines = one_of_each().map(|(_, raw)| raw);
    let run = recover(&lines, &["--chain-id", "1"]);
    assert_eq!(run.code, 1);
    assert_eq!(
        run.outcomes(),
        [SIGNER, SIGNER, SIGNER, "chain-id-mismatch", SIGNER]
    );
    assert_eq!(
        run.rows()[3]["detail"],
        "transaction: chain id must be 1, not 11155111"
    );
}

/// Returns a legacy transaction like EIP-155's example, with these values of v, r and s.
fn with(v: &[u8], r: &[u8], s: &[u8]) -> String {
    let fields: [&[u8]; 9] = [
        &[9],
        &number(20_000_000_000),
        &number(21_000),
        &[0x35; 20],
        &number(1_000_000_000_000_000_000),
        &[],
        v,
        r,
        s,
    ];
    hex(list(&fields.map(item)))
}

#[test]
fn every_v_of_a_list() {
    let (r, s) = (number(3), number(4));
    for v in (0..=36_u128).chain([37, 38, 2 * u128::from(u64::MAX) + 36]) {
        let told = outcome(&with(&number(v), &r, &s), &[]);
        if v == 27 || v == 28 || v >= 35 {
            assert!(
                told.starts_with("0x") || told == "recovery-not-on-curve",
                "{v}: {told}"
            );
        } else {
            assert_eq!(told, "transaction-v", "{v}");
        }
    }
    // The chain id has more than 64 bits, or v has more than 128.
    let beyond = 2 * u128::from(u64::MAX) + 37;
    assert_eq!(
        outcome(&with(&number(beyond), &r, &s), &[]),
        "transaction-v"
    );
    assert_eq!(outcome(&with(&[1; 17], &r, &s), &[]), "transaction-rlp");
    assert_eq!(outcome(&with(&[0, 27], &r, &s), &[]), "transaction-rlp");
    // v matters: for another chain the message is another, and so is the signer.
    let (r, s, y_is_odd) = sign(&legacy(Some(1)).signature_hash());
    let (r, s) = (r.to_be_bytes_trimmed_vec(), s.to_be_bytes_trimmed_vec());
    let v = 37 + u128::from(y_is_odd);
    assert_eq!(outcome(&with(&number(v), &r, &s), &[]), SIGNER);
    for other in [27, 28, 35, 36, 75 - v, v + 2] {
        assert_ne!(
            outcome(&with(&number(other), &r, &s), &[]),
            SIGNER,
            "{other}"
        );
    }
}

#[test]
fn r_and_s_out_of_range() {
    let n = unhex("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
    let v = [27];
    for (r, s, reason) in [
        (&[][..], &[1][..], "r-zero"),
        (&[1], &[], "s-zero"),
        (&n, &[1], "r-out-of-range"),
        (&[1], &n, "s-out-of-range"),
        (&[0xff; 32], &[1], "r-out-of-range"),
        (&[1; 33], &[1], "transaction-rlp"),
        (&[0, 1], &[1], "transaction-rlp"),
        // x = 5 has no y on secp256k1.
        (&[5], &[1], "recovery-not-on-curve"),
    ] {
        assert_eq!(outcome(&with(&v, r, s), &[]), reason, "{r:?}");
    }
}

/// The fields of EIP-1559 with this parity.
#[test]
fn the_parity_of_a_typed_transaction_is_a_bit() {
    let typed = |parity: &[u8]| {
        let fields = [
            item(&[1]),
            item(&[]),
            item(&[]),
            item(&number(1000)),
            item(&number(21_000)),
            item(&[0x35; 20]),
            item(&[]),
            item(&[]),
            list(&[]),
            item(parity),
            item(&[3]),
            item(&[4]),
        ];
        format!("02{}", hex(list(&fields)))
    };
    let [even, odd] = [typed(&[]), typed(&[1])].map(|line| outcome(&line, &[]));
    assert!(even.starts_with("0x") && odd.starts_with("0x") && even != odd);
    for parity in [2, 27, 28, 37] {
        assert_eq!(outcome(&typed(&[parity]), &[]), "transaction-parity");
    }
    assert_eq!(outcome(&typed(&number(256)), &[]), "transaction-rlp");
}
