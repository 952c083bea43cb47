//! The rounds: every implementation of a group has one slot in each, so that all of them see the
//! same moods of the machine.

use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::check::checked;
use crate::clock::{HAS_TSC, slot};
use crate::inputs::Inputs;
use crate::registry::{Entry, OPENSSL, Registry, Subject};
use crate::stats::{median, quantile, ratios};

/// How long and how often.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schedule {
    pub(crate) rounds: u32,
    pub(crate) slot: Duration,
}

impl Schedule {
    /// Before each slot the same work runs untimed for this part of a slot.
    pub(crate) const WARM_UP: u32 = 4;
}

/// One implementation's rounds and what they amount to.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) op: String,
    pub(crate) implementation: &'static str,
    pub(crate) version: String,
    pub(crate) ours: bool,
    /// Operations a second, median over the rounds.
    pub(crate) ops_per_s: f64,
    /// TSC cycles an operation, median over the rounds; `None` where there is no TSC.
    pub(crate) tsc_per_op: Option<f64>,
    /// Median of the per-round ratios to OpenSSL, with the quartiles.
    pub(crate) ratio: Option<Ratio>,
    pub(crate) memory_per_key: Option<usize>,
    /// How long all slots lasted.
    pub(crate) wall: Duration,
    /// How much of that the core was ours; only this counts.
    pub(crate) running: Duration,
    /// Cost of an operation in each round: TSC cycles, or nanoseconds without a TSC.
    pub(crate) costs: Vec<f64>,
}

/// How many times faster than the base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ratio {
    pub(crate) median: f64,
    pub(crate) lower_quartile: f64,
    pub(crate) upper_quartile: f64,
}

impl Ratio {
    /// Of the costs of the base and of another implementation, round by round.
    pub(crate) fn of(base: &[f64], costs: &[f64]) -> Option<Self> {
        let ratios = ratios(base, costs);
        Some(Self {
            median: median(&ratios)?,
            lower_quartile: quantile(&ratios, 0.25)?,
            upper_quartile: quantile(&ratios, 0.75)?,
        })
    }
}

/// The operation whose OpenSSL is the base of `op`'s ratios, and in whose rounds it is measured:
/// `PREFIX/single` for `PREFIX/w7` and `PREFIX/bulk` where OpenSSL does `PREFIX/single`, else
/// `op` itself.
pub(crate) fn base_of(op: &str, registry: &Registry) -> String {
    let single = op
        .rsplit_once('/')
        .map(|(prefix, _)| format!("{prefix}/single"));
    match single {
        Some(single)
            if registry
                .entries
                .iter()
                .any(|e| e.op == single && e.implementation == OPENSSL) =>
        {
            single
        }
        _ => op.to_owned(),
    }
}

/// The bases of the chosen operations, each once, in the order of registration.
pub(crate) fn groups(registry: &Registry, chosen: impl Fn(&str) -> bool) -> Vec<String> {
    let mut groups: Vec<String> = Vec::new();
    for entry in registry.entries.iter().filter(|e| chosen(&e.op)) {
        let base = base_of(&entry.op, registry);
        if !groups.contains(&base) {
            groups.push(base);
        }
    }
    groups
}

/// One implementation while it is being measured.
struct Runner<'a> {
    entry: &'a Entry,
    subject: Box<dyn Subject>,
    next: usize,
    costs: Vec<f64>,
    rates: Vec<f64>,
    wall: Duration,
    running: Duration,
}

impl Runner<'_> {
    fn run(&mut self, length: Duration, timed: bool) -> Result<()> {
        let Self { subject, next, .. } = self;
        let slot = slot(length, || {
            let right = subject.call(*next);
            *next = next.wrapping_add(1);
            right
        })
        .with_context(|| {
            format!(
                "{} of {}: wrong result while being timed (call {})",
                self.entry.op, self.entry.implementation, self.next
            )
        })?;
        if timed {
            let items = slot.calls as f64 * self.entry.items_per_call as f64;
            let seconds = slot.running.as_secs_f64();
            let cost = if HAS_TSC { slot.cycles } else { seconds * 1e9 };
            self.wall += slot.wall;
            self.running += slot.running;
            self.costs.push(cost / items);
            self.rates.push(items / seconds);
        }
        Ok(())
    }
}

/// Measures the chosen operations of the group `base`, and OpenSSL's base operation with them.
/// Only what was chosen is returned.
pub(crate) fn measure_group(
    registry: &Registry,
    base: &str,
    chosen: impl Fn(&str) -> bool,
    inputs: &Inputs,
    schedule: Schedule,
) -> Result<Vec<Measured>> {
    let is_base = |e: &Entry| e.op == base && e.implementation == OPENSSL;
    let mut runners = registry
        .entries
        .iter()
        .filter(|e| is_base(e) || (chosen(&e.op) && base_of(&e.op, registry) == base))
        .map(|entry| {
            let subject = checked(entry, inputs)?;
            Ok(Runner {
                entry,
                subject,
                next: 0,
                costs: Vec::new(),
                rates: Vec::new(),
                wall: Duration::ZERO,
                running: Duration::ZERO,
            })
        })
        .collect::<Result<Vec<_>>>()?;

    let count = runners.len();
    for round in 0..schedule.rounds as usize {
        // Another one begins each round: being first or behind a certain neighbour favours nobody.
        for i in 0..count {
            let runner = &mut runners[(round + i) % count];
            runner.run(schedule.slot / Schedule::WARM_UP, false)?;
            runner.run(schedule.slot, true)?;
        }
    }

    let base_costs = runners
        .iter()
        .find(|r| is_base(r.entry))
        .map(|r| r.costs.clone());
    runners
        .into_iter()
        .filter(|runner| chosen(&runner.entry.op))
        .map(|runner| {
            let cost = median(&runner.costs).context("no rounds")?;
            Ok(Measured {
                op: runner.entry.op.clone(),
                implementation: runner.entry.implementation,
                version: runner.entry.version.clone(),
                ours: runner.entry.is_ours(),
                ops_per_s: median(&runner.rates).context("no rounds")?,
                tsc_per_op: HAS_TSC.then_some(cost),
                ratio: base_costs
                    .as_ref()
                    .and_then(|base| Ratio::of(base, &runner.costs)),
                memory_per_key: runner.subject.memory_per_key(),
                wall: runner.wall,
                running: runner.running,
                costs: runner.costs,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{Output, computation};
    use crate::versions::Versions;

    fn registry_of(entries: &[(&str, &'static str)]) -> Registry {
        let mut registry = Registry::new(Versions::of_this_build().unwrap());
        for (op, implementation) in entries {
            registry
                .peer(implementation, "1".into())
                .compute(op, "", None, |_| {
                    Ok(computation(|_| Ok(()), |_, ()| Ok(Output::Checked)))
                });
        }
        registry
    }

    #[test]
    fn the_base_of_windows_and_bulk_is_single() {
        let registry = registry_of(&[
            ("a/single", OPENSSL),
            ("a/w7", "sigmill"),
            ("a/bulk", "sigmill"),
            ("b/w7", "sigmill"),
            ("c/single", "crrl"),
        ]);
        assert_eq!(base_of("a/single", &registry), "a/single");
        assert_eq!(base_of("a/w7", &registry), "a/single");
        assert_eq!(base_of("a/bulk", &registry), "a/single");
        assert_eq!(base_of("b/w7", &registry), "b/w7");
        assert_eq!(base_of("c/single", &registry), "c/single");
        assert_eq!(
            groups(&registry, |_| true),
            ["a/single", "b/w7", "c/single"]
        );
        assert_eq!(groups(&registry, |op| op == "a/bulk"), ["a/single"]);
    }

    #[test]
    fn only_the_chosen_are_returned_but_the_base_is_measured() {
        let registry = registry_of(&[("a/single", OPENSSL), ("a/w7", "sigmill"), ("b", "crrl")]);
        let schedule = Schedule {
            rounds: 3,
            slot: Duration::from_micros(100),
        };
        let inputs = Inputs::new(1, 1);
        let chosen = |op: &str| op == "a/w7";
        let measured = measure_group(&registry, "a/single", chosen, &inputs, schedule).unwrap();
        assert_eq!(measured.len(), 1);
        let ours = &measured[0];
        assert!(ours.ours && ours.op == "a/w7");
        assert_eq!(ours.costs.len(), 3);
        assert!(ours.ratio.is_some() && ours.ops_per_s > 0.0);
        assert_eq!(ours.tsc_per_op.is_some(), HAS_TSC);

        let alone = measure_group(&registry, "b", |_| true, &inputs, schedule).unwrap();
        assert_eq!(alone.len(), 1);
        assert_eq!(alone[0].ratio, None);
    }

    #[test]
    fn a_wrong_result_while_timing_ends_the_run() {
        let mut registry = registry_of(&[]);
        registry
            .peer("crrl", "1".into())
            .compute("a", "", None, |_| {
                let mut calls = 0;
                Ok(computation(
                    move |_| {
                        calls += 1;
                        anyhow::ensure!(calls < 50);
                        Ok(())
                    },
                    |_, ()| Ok(Output::Checked),
                ))
            });
        let schedule = Schedule {
            rounds: 2,
            slot: Duration::from_millis(50),
        };
        let error = measure_group(&registry, "a", |_| true, &Inputs::new(1, 1), schedule)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("a of crrl: wrong result while being timed"),
            "{error}"
        );
    }

    #[test]
    fn the_ratio_is_the_median_of_the_rounds() {
        let ratio = Ratio::of(&[10.0, 20.0, 30.0], &[5.0, 5.0, 5.0]).unwrap();
        assert_eq!(
            ratio,
            Ratio {
                median: 4.0,
                lower_quartile: 3.0,
                upper_quartile: 5.0
            }
        );
        assert_eq!(Ratio::of(&[], &[]), None);
    }
}
