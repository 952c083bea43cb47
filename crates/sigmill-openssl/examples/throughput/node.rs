//! Node's crypto, which contains its own OpenSSL and counts its own CPU time.

use std::path::Path;

use crate::common::{Place, is_there, text};
use crate::{MEASURED, heading, print};

pub(crate) fn measure(place: &Place, rounds: usize) {
    if !is_there("node", "--version") {
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/throughput/node.js");
    // For each operation: its name, and rates without sigmill and with it.
    let mut rates: Vec<(String, [Vec<f64>; 2])> = vec![];
    for _ in 0..rounds {
        for with_sigmill in [false, true] {
            let mut command = place.program("taskset", false);
            command.args(["-c", MEASURED, "node"]);
            if with_sigmill {
                let config = place.path("sigmill.cnf");
                command.arg(format!("--openssl-config={}", config.display()));
            }
            let said = text(command.arg(&script).output().expect("taskset starts"));
            let said = said.unwrap_or_else(|said| panic!("{said}"));
            for (i, line) in said.lines().enumerate() {
                let (name, rate) = line.split_once('\t').expect("a name and a rate");
                if rates.len() == i {
                    rates.push((name.into(), [vec![], vec![]]));
                }
                rates[i].1[usize::from(with_sigmill)].push(rate.parse().expect("a rate"));
            }
        }
    }
    heading("Node, operations a second");
    for (name, rates) in &mut rates {
        print(name, rates);
    }
}
