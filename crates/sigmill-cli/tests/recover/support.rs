//! Runs the command, and signs transactions for it.

use std::io::Write;
use std::process::{Command, Stdio};

use alloy_consensus::{SignableTransaction, Signed, TxEip1559, TxEip2930, TxEip7702, TxLegacy};
use alloy_eips::eip2718::Encodable2718;
use alloy_eips::eip2930::{AccessList, AccessListItem};
use alloy_eips::eip7702::Authorization;
use alloy_primitives::{Address, B256, Signature, TxKind, U256};
use data_encoding::HEXLOWER;
use serde_json::Value;
use sigmill::secp256k1::SigningKey;

pub(crate) use tempfile::TempDir;

/// The private key of EIP-155's example.
pub(crate) const SECRET: [u8; 32] = [0x46; 32];
/// The address of that key.
pub(crate) const SIGNER: &str = "0x9d8A62f656a8d1615C1294fd71e9CFb3E4855A4F";
/// The signed transaction of that example.
pub(crate) const EIP_155: &str = "\
f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a764000\
08025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703\
304b3800ccf555c9f3dc64214b297fb1966a3b6d83";

/// The result of a run of the command.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// Returns the rows of the table on standard output, which is JSON Lines, in their order.
    pub(crate) fn rows(&self) -> Vec<Value> {
        let lines = self.stdout.lines();
        let rows: Vec<Value> = lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        for (number, row) in (1..).zip(&rows) {
            assert_eq!(row["row"], number);
            assert_eq!(row["address"].is_null(), row["reason"].is_string());
            assert_eq!(row["key"].is_null(), row["detail"].is_string());
        }
        rows
    }

    /// Returns the address or the reason of every row.
    pub(crate) fn outcomes(&self) -> Vec<String> {
        let outcome = |row: &Value| {
            let text = row["address"].as_str().or(row["reason"].as_str());
            text.unwrap().to_owned()
        };
        self.rows().iter().map(outcome).collect()
    }

    /// Returns the summary on standard error, which is JSON.
    pub(crate) fn summary(&self) -> Value {
        let line = self.stderr.lines().last().unwrap();
        let summary: Value = serde_json::from_str(line).unwrap();
        assert_eq!(summary["type"], "summary");
        summary
    }
}

/// Runs the command with `args` in `dir`, and `stdin` as its input.
pub(crate) fn run(dir: &TempDir, args: &[&str], stdin: &[u8]) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sigmill"))
        .env_remove("SIGMILL_CPU")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .current_dir(dir.path())
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    // A command that does not read all of its input may close the pipe.
    let writer = std::thread::spawn(move || drop(input.write_all(&stdin)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Recovers the signers of these lines, transactions or not, to JSON Lines.
pub(crate) fn recover(lines: &[String], args: &[&str]) -> Run {
    let mut all = vec![
        "recover",
        "-",
        "--transactions",
        "--out-format",
        "jsonl",
        "--json",
    ];
    all.extend_from_slice(args);
    run(
        &TempDir::new().unwrap(),
        &all,
        (lines.join("\n") + "\n").as_bytes(),
    )
}

/// Returns the result for one line.
pub(crate) fn outcome(line: &str, args: &[&str]) -> String {
    let run = recover(&[line.to_owned()], args);
    let [outcome] = run.outcomes().try_into().unwrap();
    assert_eq!(run.code, i32::from(!outcome.starts_with("0x")), "{run:?}");
    outcome
}

pub(crate) fn hex(bytes: impl AsRef<[u8]>) -> String {
    HEXLOWER.encode(bytes.as_ref())
}

pub(crate) fn unhex(text: &str) -> Vec<u8> {
    HEXLOWER.decode(text.as_bytes()).unwrap()
}

/// Returns r, s and whether y is odd, for the key of EIP-155's example.
pub(crate) fn sign(digest: &[u8; 32]) -> (U256, U256, bool) {
    let key = SigningKey::from_be_bytes(&SECRET).unwrap();
    let key = key.with_policy(sigmill::Policy::LOW_S);
    let (signature, id) = key.sign_prehash_recoverable(digest).unwrap();
    let p1363 = signature.to_p1363();
    let number = |bytes: &[u8]| U256::from_be_slice(bytes);
    (number(&p1363[..32]), number(&p1363[32..]), id.is_y_odd())
}

/// Returns the other signature of the same message: n - s, and -R.
pub(crate) fn other_s((r, s, y_is_odd): (U256, U256, bool)) -> (U256, U256, bool) {
    let n = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
    (r, U256::from_be_slice(&unhex(n)) - s, !y_is_odd)
}

/// Signs `transaction`.
pub(crate) fn signed<T: SignableTransaction<Signature>>(transaction: T) -> Signed<T> {
    let (r, s, y_is_odd) = sign(&transaction.signature_hash());
    transaction.into_signed(Signature::new(r, s, y_is_odd))
}

/// Returns the transaction in the form in which it is sent.
pub(crate) fn raw(transaction: &impl Encodable2718) -> String {
    hex(transaction.encoded_2718())
}

/// Returns the transaction of EIP-155's example, for this chain or for every chain.
pub(crate) fn legacy(chain_id: Option<u64>) -> TxLegacy {
    TxLegacy {
        chain_id,
        nonce: 9,
        gas_price: 20_000_000_000,
        gas_limit: 21_000,
        to: TxKind::Call(Address::repeat_byte(0x35)),
        value: U256::from(1_000_000_000_000_000_000_u64),
        input: Default::default(),
    }
}

fn access_list() -> AccessList {
    AccessList(vec![AccessListItem {
        address: Address::repeat_byte(0xaa),
        storage_keys: vec![B256::repeat_byte(1), B256::ZERO],
    }])
}

pub(crate) fn eip2930() -> TxEip2930 {
    TxEip2930 {
        chain_id: 1,
        nonce: 1,
        gas_price: 30_000_000_000,
        gas_limit: 60_000,
        to: TxKind::Call(Address::repeat_byte(0x77)),
        value: U256::ZERO,
        access_list: access_list(),
        input: vec![0xde, 0xad].into(),
    }
}

pub(crate) fn eip1559() -> TxEip1559 {
    TxEip1559 {
        chain_id: 11_155_111,
        nonce: 0,
        gas_limit: 53_000,
        max_fee_per_gas: 40_000_000_000,
        max_priority_fee_per_gas: 1,
        to: TxKind::Create,
        value: U256::ZERO,
        access_list: AccessList::default(),
        input: vec![0x60; 300].into(),
    }
}

pub(crate) fn eip7702() -> TxEip7702 {
    let authorization = Authorization {
        chain_id: U256::ZERO,
        address: Address::repeat_byte(0xcc),
        nonce: 3,
    };
    let (r, s, y_is_odd) = sign(&authorization.signature_hash());
    TxEip7702 {
        chain_id: 1,
        nonce: 2,
        gas_limit: 100_000,
        max_fee_per_gas: 40_000_000_000,
        max_priority_fee_per_gas: 2_000_000_000,
        to: Address::repeat_byte(0x55),
        value: U256::from(7),
        access_list: access_list(),
        authorization_list: vec![authorization.into_signed(Signature::new(r, s, y_is_odd))],
        input: Default::default(),
    }
}

/// Returns a transaction of each form except the one with blobs.
pub(crate) fn one_of_each() -> [(&'static str, String); 5] {
    [
        ("legacy", raw(&signed(legacy(None)))),
        ("eip155", EIP_155.to_owned()),
        ("eip2930", raw(&signed(eip2930()))),
        ("eip1559", raw(&signed(eip1559()))),
        ("eip7702", raw(&signed(eip7702()))),
    ]
}

/// Encodes a string in RLP.
pub(crate) fn item(bytes: &[u8]) -> Vec<u8> {
    match bytes {
        [byte] if *byte < 0x80 => vec![*byte],
        _ => [&header(0x80, bytes.len())[..], bytes].concat(),
    }
}

/// Encodes a list in RLP.
pub(crate) fn list(items: &[Vec<u8>]) -> Vec<u8> {
    let payload = items.concat();
    [header(0xc0, payload.len()), payload].concat()
}

fn header(base: u8, len: usize) -> Vec<u8> {
    if len < 56 {
        return vec![base + len as u8];
    }
    let len = number(len as u128);
    [vec![base + 55 + len.len() as u8], len].concat()
}

/// Encodes an integer without leading zeros.
pub(crate) fn number(n: u128) -> Vec<u8> {
    let bytes = n.to_be_bytes();
    bytes[n.leading_zeros() as usize / 8..].to_vec()
}
