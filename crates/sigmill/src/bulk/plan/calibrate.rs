//! Measures what the planner weighs.

use std::hint::black_box;
use std::time::{Duration, Instant};

use super::costs::{Costs, CurveCosts};
use crate::curve::{NamedCurve, for_curve};
use crate::ecdsa::{
    HashName, MessageDigest, PreparedKey, Signature, Verify, VerifyingKey, verify_many_vartime,
};
use crate::table::MAX_WINDOW;

/// The rows of keys with tables that are timed together: enough to share inversions, few enough for
/// a round to end before the operating system gives the core to somebody else.
const ROWS: usize = 128;

/// The rows of keys without a table: as many as take every step together where there are lanes, since
/// where there are fewer a table seldom pays.
const FRESH_ROWS: usize = 512;

/// The keys that they are of.
const KEYS: usize = 8;

/// The costs of this machine, by measuring each for about `time`, at least once.
///
/// 23 costs are measured for each curve, on the caller's thread: nothing else should keep the core busy. The
/// figures are the smallest of several rounds.
pub fn calibrate(time: Duration) -> Costs {
    Costs::of_every(|name| for_curve!(name, domain => curve(domain, time)))
}

/// Rows as they are measured: signatures that are well formed and wrong, which takes as long as
/// with valid ones.
struct Samples<C: NamedCurve> {
    keys: Vec<VerifyingKey<C>>,
    rows: Vec<(MessageDigest, Signature<C>)>,
}

impl<C: NamedCurve> Samples<C> {
    fn new(domain: C) -> Self {
        let mut counter = 0_u64;
        let mut next = || {
            counter += 1;
            HashName::Sha512.digest(&counter.to_be_bytes())
        };
        // A hash as an integer of so many bytes: shorter ones than it has are enough.
        let integer = |hash: &[u8], length: usize| {
            let taken = length.min(hash.len());
            [&vec![0; length - taken], &hash[..taken]].concat()
        };
        let mut keys = vec![];
        // Every second x belongs to a point.
        while keys.len() < KEYS {
            let x = integer(&next(), domain.name().field_len());
            let point = [&[2], &x[..]].concat();
            keys.extend(VerifyingKey::from_sec1_bytes_on(domain, &point));
        }
        let mut rows = vec![];
        while rows.len() < FRESH_ROWS {
            let length = domain.name().order_len();
            let [r, s] = [next(), next()].map(|hash| integer(&hash, length));
            let signature = Signature::from_scalars_on(domain, &r, &s);
            rows.extend(signature.map(|signature| (next(), signature)));
        }
        Self { keys, rows }
    }

    /// Nanoseconds a row, of so many with these keys, their rows side by side.
    fn row<'a>(
        &'a self,
        count: usize,
        time: Duration,
        verify: impl Fn(usize, &'a MessageDigest, &'a Signature<C>) -> Verify<'a, C::Curve>,
    ) -> u64 {
        let rows = self.rows[..count].iter().enumerate();
        let rows: Vec<_> = rows
            .map(|(i, (digest, signature))| verify(i * KEYS / count, digest, signature))
            .collect();
        let mut verdicts = vec![Ok(()); rows.len()];
        nanoseconds(time, count, || {
            verify_many_vartime(
                self.keys[0].domain().curve(),
                black_box(&rows),
                black_box(&mut verdicts),
            );
        })
    }
}

fn curve<C: NamedCurve>(domain: C, time: Duration) -> CurveCosts {
    let samples = Samples::new(domain);
    let fresh = samples.row(FRESH_ROWS, time, |key, digest, signature| Verify {
        strategy: samples.keys[key].strategy(),
        digest,
        signature: signature.scalars(),
    });
    let mut costs = CurveCosts::new(fresh);
    for window in 1..=MAX_WINDOW {
        let build = nanoseconds(time, 1, || {
            let _ = black_box(samples.keys[0].prepare(window));
        });
        let prepared: Vec<PreparedKey<C>> = samples
            .keys
            .iter()
            .filter_map(|key| key.prepare(window).ok())
            .collect();
        let row = match &prepared[..] {
            [] => fresh,
            prepared => samples.row(ROWS, time, |key, digest, signature| Verify {
                strategy: prepared[key % prepared.len()].strategy(),
                digest,
                signature: signature.scalars(),
            }),
        };
        costs.set_window(window, row, build);
    }
    costs
}

/// How long one of `units` takes that `work` does together: the smallest of several rounds, which
/// is what other work on the machine disturbs least. At least 1.
fn nanoseconds(time: Duration, units: usize, mut work: impl FnMut()) -> u64 {
    work();
    let begin = Instant::now();
    let mut best = u128::MAX;
    loop {
        let round = Instant::now();
        work();
        best = best.min(round.elapsed().as_nanos());
        if begin.elapsed() >= time {
            let each = best.div_ceil(units as u128);
            return u64::try_from(each).unwrap_or(u64::MAX).max(1);
        }
    }
}
