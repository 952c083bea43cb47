//! `openssl speed`, which counts its own CPU time.

use crate::common::{Place, is_there, text};
use crate::{MEASURED, heading, print};

const ALGORITHMS: [&str; 9] = [
    "ecdsap256",
    "ecdsap384",
    "ecdsap521",
    "ecdsabrp256r1",
    "ecdhp256",
    "ecdhp384",
    "ecdhp521",
    "ecdhbrp256r1",
    "ecdhx25519",
];

pub(crate) fn measure(place: &Place, rounds: usize) {
    if !is_there("openssl", "version") {
        return;
    }
    heading("openssl speed, operations a second");
    for algorithm in ALGORITHMS {
        let (mut first, mut second) = ([vec![], vec![]], [vec![], vec![]]);
        for _ in 0..rounds {
            for with_sigmill in [false, true] {
                let rates = run(place, with_sigmill, algorithm);
                let at = usize::from(with_sigmill);
                first[at].push(rates[0]);
                second[at].push(rates[1]);
            }
        }
        if algorithm.starts_with("ecdsa") {
            print(&format!("{algorithm}, signatures"), &mut first);
            print(
                &format!("{algorithm}, verifications by one key"),
                &mut second,
            );
        } else {
            print(&format!("{algorithm}, agreements"), &mut first);
        }
    }
}

/// Returns the numbers of the machine-readable line: `+F4:3:256:51196.8:16886.9` has signatures and
/// verifications a second, `+F5:...` agreements a second and seconds.
fn run(place: &Place, with_sigmill: bool, algorithm: &str) -> [f64; 2] {
    let mut command = place.program("taskset", with_sigmill);
    command.args(["-c", MEASURED, "openssl", "speed", "-mr", "-seconds", "1"]);
    if with_sigmill {
        command.env("OPENSSL_CONF", place.with_ecdh());
    }
    let said = text(command.arg(algorithm).output().expect("taskset starts"))
        .unwrap_or_else(|said| panic!("{algorithm}: {said}"));
    let line = said.lines().find(|line| line.starts_with("+F"));
    let line = line.unwrap_or_else(|| panic!("{algorithm}: {said}"));
    let numbers: Vec<f64> = line
        .split(':')
        .skip(3)
        .map(|number| number.parse().expect("a rate"))
        .collect();
    assert!(numbers[0] > 0.0, "{algorithm} failed: {said}");
    [numbers[0], numbers[1]]
}
