//! Speed of programs with the module, compared with the same programs without it: `openssl speed`,
//! agreements with new keys and making these keys, nginx under `wrk` and `openssl s_time`, HAProxy
//! under `wrk`, Node.
//!
//! ```sh
//! cargo run --release -p sigmill-openssl --example throughput [SECTION...] [ROUNDS]
//! ```
//!
//! Sections are `speed`, `exchange`, `nginx`, `haproxy` and `node`; the default is all of them.
//!
//! Both libraries run alternating: in each round the stock library and then sigmill, for a second
//! each. The output shows medians over the rounds. `taskset` pins programs: the measured one to the
//! first CPU, the load to the second one. All traffic stays on the loopback interface. Servers have
//! one worker. Its own CPU time is what counts, so that other work on the machine and the load
//! itself do not matter; the rate by the clock is printed next to it. The clients use sigmill in
//! both cases, so that they keep a worker busy.
//!
//! Results are checked: no client may fail, a wrong token must be refused, and exactly one of the
//! two processes must have the module.

#[path = "../../tests/common/mod.rs"]
mod common;
mod exchange;
mod haproxy;
mod nginx;
mod node;
mod server;
mod speed;

use common::Place;

/// The default number of rounds.
const ROUNDS: usize = 7;

/// The CPU of the measured program, and that of the load.
const MEASURED: &str = "0";
const LOAD: &str = "1";

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let rounds = arguments.last().and_then(|last| last.parse().ok());
    if rounds.is_some() {
        arguments.pop();
    }
    let rounds = rounds.unwrap_or(ROUNDS).max(1);
    let sections = ["speed", "exchange", "nginx", "haproxy", "node"];
    if let Some(other) = arguments
        .iter()
        .find(|name| !sections.contains(&name.as_str()))
    {
        panic!("{other} is none of {sections:?}, nor a number of rounds");
    }
    let is_asked = |name: &str| arguments.is_empty() || arguments.iter().any(|asked| asked == name);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("medians of {rounds} rounds of 1 s in turns; load of the machine before: {load}");
    let place = Place::new();
    if is_asked("speed") {
        speed::measure(&place, rounds);
    }
    if is_asked("exchange") {
        exchange::measure(&place, rounds);
    }
    if is_asked("nginx") {
        nginx::measure(&place, rounds);
    }
    if is_asked("haproxy") {
        haproxy::measure(&place, rounds);
    }
    if is_asked("node") {
        node::measure(&place, rounds);
    }
}

/// Returns the median of measured rates.
fn median(rates: &mut [f64]) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

/// Prints a line of the table: rates without sigmill and with it.
fn print(what: &str, [stock, sigmill]: &mut [Vec<f64>; 2]) {
    // Ratios of neighbours in time, as machines drift.
    let mut ratios: Vec<f64> = std::iter::zip(&*stock, &*sigmill)
        .map(|(stock, sigmill)| sigmill / stock)
        .collect();
    println!(
        "{what:<56} {:>9.0} {:>9.0} {:>7.2}",
        median(stock),
        median(sigmill),
        median(&mut ratios)
    );
}

/// Prints the heading of such lines.
fn heading(what: &str) {
    println!(
        "\n{what:<56} {:>9} {:>9} {:>7}",
        "stock", "sigmill", "ratio"
    );
}
