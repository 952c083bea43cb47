//! Instruction counts of ECDH, signing and verification, by callgrind, as in Table 1 of Gueron and
//! Krasnov (2013).

use std::env;
use std::process::{Command, ExitCode};

use sigmill::agreement::diffie_hellman;
use sigmill::p256::SigningKey;

use crate::operations::use_up;

/// The counted operations, named as in the table.
const OPERATIONS: [&str; 3] = ["ECDH", "ECDSA sign", "ECDSA verify"];

/// The paper's counts: OpenSSL's code at the time, ADD/ADC/MUL, ADCX/ADOX/MULX.
const PAPER: [[u32; 3]; 3] = [
    [2_338_113, 972_520, 757_114],
    [882_879, 412_982, 375_773],
    [2_336_523, 1_077_205, 880_185],
];

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Run this operation once, for callgrind to count
    #[arg(long, value_name = "NAME", hide = true)]
    one: Option<String>,
}

/// Runs callgrind for each operation and prints the table; or, under callgrind, one operation.
pub(crate) fn run(args: &Args) -> ExitCode {
    if let Some(name) = &args.one {
        one(name);
        return ExitCode::SUCCESS;
    }
    println!(
        "| | paper, OpenSSL of 2013 | paper, ADD/ADC/MUL | paper, ADCX/ADOX/MULX | portable \
         | MULX/ADCX/ADOX |"
    );
    println!("|---|---|---|---|---|---|");
    for (name, [openssl, plain, adx]) in OPERATIONS.into_iter().zip(PAPER) {
        match (count(name, "portable"), count(name, "adx")) {
            (Ok(ours), Ok(ours_adx)) => {
                let cells = [openssl, plain, adx, ours, ours_adx].map(grouped);
                println!("| {name} | {} |", cells.join(" | "));
            }
            (Err(error), _) | (_, Err(error)) => {
                eprintln!("{name}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

/// Counts the instructions of one operation on one backend.
fn count(name: &str, backend: &str) -> Result<u32, String> {
    let program = env::current_exe().map_err(|e| e.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        // Counts only what this function calls.
        .arg("--toggle-collect=sigmill_ct::count::counted*")
        .arg(program)
        .args(["count", "--one", name])
        .env("SIGMILL_CPU", backend)
        .output()
        .map_err(|e| format!("valgrind: {e}"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let collected = text
        .lines()
        .find_map(|line| line.split_once("Collected : "));
    let count = collected.and_then(|(_, count)| count.trim().parse().ok());
    count
        .filter(|&count| output.status.success() && count > 0)
        .ok_or_else(|| format!("callgrind counted nothing: {text}"))
}

/// `1234567` as `1,234,567`.
fn grouped(number: u32) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<_> = groups.map(|group| String::from_utf8_lossy(group)).collect();
    groups.join(",")
}

/// Runs an operation once uncounted, which builds the tables of the process, and once counted.
fn one(name: &str) {
    let key = |byte| SigningKey::from_be_bytes(&[byte; 32]).expect("in range");
    let (ours, theirs) = (key(0x35), key(0x53));
    let digest = [0x77; 32];
    let signature = ours.sign_prehash(&digest).expect("a digest");
    let operation = || match name {
        "ECDH" => use_up(diffie_hellman(ours.secret_scalar(), theirs.verifying_key())),
        "ECDSA sign" => use_up(ours.sign_prehash(&digest)),
        _ => use_up(ours.verifying_key().verify_prehash(&digest, &signature)),
    };
    operation();
    counted(&operation);
}

#[inline(never)]
fn counted(operation: &dyn Fn()) {
    operation();
}
