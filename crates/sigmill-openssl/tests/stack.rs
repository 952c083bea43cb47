//! Depth of every operation below the caller of `EVP_*`, in asynchronous jobs and on threads with
//! the smallest stack. A program in C (`stack.c`) paints the stack and inspects it afterwards.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{Place, program, text};

/// The maximum number of bytes below the caller of `EVP_*`: libcrypto's part and the module's.
const MOST: usize = 12 << 10;

/// Returns the bytes that the first call and later ones change, and whether the stack was large
/// enough.
fn depth(
    program: &Path,
    config: &Path,
    operation: &str,
    group: &str,
    place: &str,
    cpu: &str,
) -> (usize, usize, bool) {
    let mut command = Command::new(program);
    command.env("SIGMILL_CPU", cpu);
    let output = command.arg(config).args([operation, group, place]).output();
    let said = text(output.unwrap()).unwrap();
    let numbers: Vec<usize> = said
        .split_whitespace()
        .map(|n| n.parse().unwrap())
        .collect();
    let [first, later, is_enough] = numbers[..] else {
        panic!("{said}");
    };
    (first, later, is_enough == 1)
}

#[test]
fn operations_leave_the_stack_of_their_caller() {
    let place = Place::new();
    let Some(program) = program(&place, "stack", &["-pthread", "-lcrypto"]) else {
        return;
    };
    let (stock, sigmill) = (place.path("empty.cnf"), place.with_ecdh());
    fs::write(&stock, "").unwrap();
    let mut cases = vec![("load", "-"), ("derive", "X25519"), ("keygen", "X25519")];
    for group in ["P-256", "P-384", "P-521", "secp256k1", "brainpoolP256r1"] {
        for operation in ["sign", "digest-sign", "verify", "digest-verify", "derive"] {
            cases.push((operation, group));
        }
    }
    println!("bytes of the caller's stack: stock library, first call and later; sigmill");
    let mut too_deep = vec![];
    for (operation, group) in cases {
        for place in ["job", "thread"] {
            let of_stock = depth(&program, &stock, operation, group, place, "");
            // The library skips backends that the CPU lacks.
            for cpu in ["auto", "fma", "adx", "portable"] {
                let ours = depth(&program, &sigmill, operation, group, place, cpu);
                let line = format!(
                    "{operation:<14}{group:<16}{place:<8}{cpu:<9} {:>6} {:>6}  {:>6} {:>6}",
                    of_stock.0, of_stock.1, ours.0, ours.1
                );
                println!("{line}");
                assert!(of_stock.2, "the stock library needs more stack: {line}");
                if ours.0.max(ours.1) > MOST || !ours.2 {
                    too_deep.push(line);
                }
            }
        }
    }
    assert!(
        too_deep.is_empty(),
        "more than {MOST} bytes:\n{}",
        too_deep.join("\n")
    );
}
