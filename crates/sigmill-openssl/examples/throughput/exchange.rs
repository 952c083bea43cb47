//! Agreements with new keys through `EVP_PKEY_derive`, including everything around them. `openssl
//! speed` repeats one agreement, but a TLS server makes a key for each and, on curves, exports two.
//! Results are checked: both sides must share the secret.

use std::path::Path;

use crate::common::{Place, compile, text};
use crate::{MEASURED, heading, print};

/// The measurements: an agreement, making its key, and both, as in a handshake. Keys on curves are
/// always made by the default provider.
const MEASUREMENTS: [(&str, &str, &[&str]); 3] = [
    (
        "agree",
        "EVP_PKEY_derive by new keys, agreements a second",
        &["P-256", "X25519", "P-384", "P-521"],
    ),
    ("make", "EVP_PKEY_Q_keygen, keys a second", &["X25519"]),
    (
        "both",
        "key and agreement, of each so many a second",
        &["X25519"],
    ),
];

pub(crate) fn measure(place: &Place, rounds: usize) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/throughput/exchange.c");
    let Some(program) = compile(place, &source, "exchange", &["-lcrypto"]) else {
        return;
    };
    let with_ecdh = place.with_ecdh();
    for (what, title, groups) in MEASUREMENTS {
        heading(title);
        for group in groups {
            let mut rates = [vec![], vec![]];
            for _ in 0..rounds {
                for (with_sigmill, rates) in [false, true].into_iter().zip(&mut rates) {
                    let mut command = place.program("taskset", with_sigmill);
                    command.args(["-c", MEASURED]).arg(&program);
                    if with_sigmill {
                        command.env("OPENSSL_CONF", &with_ecdh);
                    }
                    command.args([what, group, "1"]);
                    let said = text(command.output().expect("taskset starts"));
                    let said = said.unwrap_or_else(|said| panic!("{group}: {said}"));
                    rates.push(said.trim().parse().expect("a rate"));
                }
            }
            print(group, &mut rates);
        }
    }
}
