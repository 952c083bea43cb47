//! Operations on secrets leave nothing in memory: neither secrets nor values computed from them.
//!
//! This process computes the values to search for, masks them, and passes them to separate
//! processes, one for each backend. They run the operations and then search all memory that they
//! can write to: the stack below the frames just left, and the heap including freed memory.

#![cfg(target_os = "linux")]

mod memory;
mod operations;
mod traces;

use std::io::{BufRead as _, Write as _};
use std::process::{Command, Stdio};

use base64ct::{Base64, Base64UrlUnpadded, Encoding as _};
use num_bigint::BigUint;
use rand_chacha::rand_core::Rng as _;
use sigmill::curves::NamedCurve;
use sigmill::{HashName, cpu};

use memory::{Memory, Words, mask};
use operations::{Inputs, MANY, clear_stack};
use sigmill_tests::for_each_curve;
use sigmill_tests::numbers::{rng, to_bytes};
use traces::Trace;

/// Marks such a process for its tests.
const MARK: &str = "SIGMILL_TESTS_WIPING";

/// More stack than any operation uses.
const STACK: usize = 1 << 20;

/// More stack than the search uses.
const SPACE: usize = 1 << 17;

/// An operation, its inputs, and the values that must not be found.
struct Job {
    name: String,
    inputs: Vec<Vec<u8>>,
    traces: Vec<Trace>,
}

/// Of many rows the first one, the last one, and the one where the second group of lanes begins.
fn some<T>(rows: &[T]) -> impl Iterator<Item = &T> {
    let rows = rows.iter().enumerate();
    let last = rows.len() - 1;
    rows.filter(move |(i, _)| [0, 8, last].contains(i))
        .map(|(_, row)| row)
}

fn jobs_on<C: NamedCurve + Default>() -> Vec<Job> {
    let curve = C::default().name();
    let length = curve.order_len();
    // A generator returns whole bytes; the leftmost bits of its output form a scalar.
    let unused = 8 * length - curve.order_bits() as usize;
    let mut random = rng(0x3171);
    let mut job = |name: &str, count: usize, traces: &dyn Fn(&[Vec<u8>]) -> Vec<Trace>| {
        let mut inputs = vec![vec![0; length]; count];
        for input in &mut inputs {
            random.fill_bytes(input);
            // Below every order.
            input[0] &= 0x7f >> unused;
        }
        Job {
            name: format!("{name} {curve}"),
            traces: traces(&inputs),
            inputs,
        }
    };
    let drawn = |input: &Vec<u8>| to_bytes(&(BigUint::from_bytes_be(input) >> unused), length);
    let keys = |inputs: &[Vec<u8>]| some(inputs).flat_map(|d| traces::key::<C>(d)).collect();
    let drawn_keys = |inputs: &[Vec<u8>]| keys(&inputs.iter().map(drawn).collect::<Vec<_>>());
    let agreements = |inputs: &[Vec<u8>]| {
        some(inputs)
            .flat_map(|d| traces::agreement::<C>(d))
            .collect()
    };
    let drawn_agreements =
        |inputs: &[Vec<u8>]| agreements(&inputs.iter().map(drawn).collect::<Vec<_>>());
    let signatures = |rows: &'static [usize]| {
        move |inputs: &[Vec<u8>]| {
            let nonces = rows
                .iter()
                .flat_map(|row| traces::nonce::<C>(&inputs[0], *row));
            traces::key::<C>(&inputs[0])
                .into_iter()
                .chain(nonces)
                .collect()
        }
    };
    let signature_by = |hash: HashName| {
        move |inputs: &[Vec<u8>]| {
            let entropy = inputs.get(1).map_or(&[][..], |entropy| entropy);
            let nonce = traces::nonce_by::<C>(&inputs[0], hash, entropy);
            [traces::key::<C>(&inputs[0]), nonce].concat()
        }
    };
    let plain = |inputs: &[Vec<u8>]| traces::string("d", &inputs[0]);
    let letters = |inputs: &[Vec<u8>]| {
        let d = Base64UrlUnpadded::encode_string(&inputs[0]);
        let letters = traces::string("d in base64url", d.as_bytes());
        [letters, keys(inputs)].concat()
    };
    let certified = |inputs: &[Vec<u8>]| traces::with_certificate::<C>(&inputs[0], &inputs[1]);
    let by_mqv = |inputs: &[Vec<u8>]| traces::ecmqv::<C>(&inputs[0]);
    vec![
        job("control-stack", 1, &plain),
        job("control-heap", 1, &plain),
        job("control-alive", 1, &drawn_keys),
        job("scalar", 1, &keys),
        job("public-key", 2, &drawn_keys),
        job("public-keys", 19, &drawn_keys),
        job("generate", 1, &drawn_keys),
        job("generate-many", 9, &drawn_keys),
        job("generate-fails", 9, &drawn_keys),
        job("generate-panics", 9, &drawn_keys),
        job("key-files", 1, &keys),
        job("any-read", 1, &keys),
        job("any-generate", 1, &drawn_keys),
        job("any-generate-many", 9, &drawn_keys),
        job("any-file", 1, &keys),
        job("any-sec1", 1, &keys),
        job("any-pem", 1, &keys),
        job("any-jwk", 1, &letters),
        job("any-sign", 1, &signatures(&[0])),
        job("any-sign-many", 1, &signatures(&[0, 8, 19])),
        job("any-agree", 1, &agreements),
        job("sign", 1, &signatures(&[0])),
        job("sign-sha256", 1, &signature_by(HashName::Sha256)),
        job("sign-sha384", 2, &signature_by(HashName::Sha384)),
        job("sign-sha512", 2, &signature_by(HashName::Sha512)),
        job("sign-many", 1, &signatures(&[0, 8, 19])),
        job("sign-many-affine", 1, &signatures(&[0, 200, MANY - 1])),
        job("agree", 2, &drawn_agreements),
        job("agree-sha256", 2, &drawn_agreements),
        job("ephemeral", 1, &drawn_keys),
        job("agree-many", 30, &drawn_agreements),
        job("agree-certificate", 2, &certified),
        job("ecmqv", 1, &by_mqv),
    ]
}

fn jobs_on_curve25519() -> Vec<Job> {
    let mut random = rng(0x25519);
    let mut job = |name: &str, count: usize, agrees: bool| {
        let mut inputs = vec![vec![0; 32]; count];
        inputs.iter_mut().for_each(|input| random.fill_bytes(input));
        let rows: Vec<_> = inputs.iter().enumerate().collect();
        let traces = some(&rows);
        let traces = traces.flat_map(|(i, secret)| traces::x25519(secret, agrees.then_some(*i)));
        Job {
            name: format!("{name} curve25519"),
            traces: traces.collect(),
            inputs,
        }
    };
    vec![
        job("x25519", 1, true),
        job("agree", 1, true),
        job("agree-ephemeral", 1, true),
        job("agree-many", 13, true),
        job("public-key", 1, false),
        job("public-keys", 13, false),
    ]
}

fn masked(bytes: &[u8]) -> String {
    let mut bytes = bytes.to_vec();
    mask(&mut bytes);
    Base64::encode_string(&bytes)
}

#[test]
fn operations_leave_nothing_of_their_secrets_behind() {
    let mut jobs = jobs_on_curve25519();
    for_each_curve!(C => { jobs.extend(jobs_on::<C>()) });
    let mut text = String::new();
    for job in &jobs {
        text += &format!("job {}\n", job.name);
        for input in &job.inputs {
            text += &format!("input {}\n", masked(input));
        }
        for (name, bytes) in &job.traces {
            text += &format!("trace {} {name}\n", masked(bytes));
        }
    }
    let backends = cpu::backends().into_iter();
    let wrong = backends
        .filter(|backend| backend.available)
        .flat_map(|backend| judge(backend.name, &jobs, &search(backend.name, &text)));
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The findings of a process that uses this backend.
fn search(backend: &str, jobs: &str) -> String {
    let mut process = Command::new(std::env::current_exe().unwrap())
        .args(["in_a_process_of_its_own", "--exact", "--nocapture"])
        .env(cpu::ENVIRONMENT_VARIABLE, backend)
        .env(MARK, backend)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = process.stdin.take().unwrap();
    let jobs = jobs.to_owned();
    let writer = std::thread::spawn(move || input.write_all(jobs.as_bytes()));
    let output = process.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{backend}: {text}{errors}");
    writer.join().unwrap().unwrap();
    text
}

/// Lists the errors: secrets must be found where they were left on purpose, and nowhere else.
fn judge(backend: &str, jobs: &[Job], output: &str) -> Vec<String> {
    let mut wrong = vec![];
    for job in jobs {
        let done = format!("done {}", job.name);
        assert!(
            output.lines().any(|line| line.starts_with(&done)),
            "{backend}: {output}"
        );
        let found = format!("found {}: ", job.name);
        let mut findings = output.lines().filter(|line| line.starts_with(&found));
        if !job.name.starts_with("control") {
            wrong.extend(findings.map(|finding| format!("{backend}: {finding}")));
        } else if findings.next().is_none() {
            wrong.push(format!("{backend}: found nothing: {}", job.name));
        }
    }
    wrong
}

#[test]
fn in_a_process_of_its_own() {
    if std::env::var_os(MARK).is_none() {
        return;
    }
    // With a single thread, the name of the test is on this line.
    println!();
    let mut job: Option<(String, Vec<Vec<u8>>, Vec<Trace>)> = None;
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let (kind, rest) = line.split_once(' ').unwrap();
        match (kind, &mut job) {
            ("input", Some((_, inputs, _))) => inputs.push(Base64::decode_vec(rest).unwrap()),
            ("trace", Some((.., traces))) => {
                let (bytes, name) = rest.split_once(' ').unwrap();
                traces.push((name.to_owned(), Base64::decode_vec(bytes).unwrap()));
            }
            _ => {
                if let Some((name, inputs, traces)) = job.take() {
                    do_job(&name, inputs, &traces);
                }
                job = Some((rest.to_owned(), vec![], vec![]));
            }
        }
    }
    let (name, inputs, traces) = job.unwrap();
    do_job(&name, inputs, &traces);
}

/// Runs an operation, and prints what is found of its secrets.
fn do_job(job: &str, inputs: Vec<Vec<u8>>, traces: &[Trace]) {
    let inputs = Inputs(inputs);
    let words = Words::of_masked(traces.iter().map(|(_, bytes)| bytes.as_slice()));
    let mut memory = Memory::new();
    let (name, curve) = job.split_once(' ').unwrap();
    // The first run builds tables, deep down in the stack.
    operations::run(name, curve, &inputs);
    clear_stack();
    let kept = further_down(|| operations::run(name, curve, &inputs));
    for (trace, place) in memory.find(&words) {
        println!("found {job}: {} at {place}", traces[trace].0);
    }
    drop(kept);
    println!("done {job}");
}

/// Runs an operation so far down in the stack that the search does not overwrite its remains.
#[inline(never)]
fn further_down<T>(operation: impl FnOnce() -> T) -> T {
    let space = [0u8; SPACE];
    std::hint::black_box(&space);
    operation()
}
