//! The rounds: every implementation of a group has one slot in each, so all of them meet the same
//! conditions of the machine.

use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::check::checked;
use crate::clock::{Counts, HAS_TSC, slot};
use crate::inputs::Inputs;
use crate::machine;
use crate::registry::{Entry, OPENSSL, Registry, Subject};
use crate::stats::{median, quantile, ratios};

/// Number of rounds and length of slots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schedule {
    pub(crate) rounds: u32,
    pub(crate) slot: Duration,
}

impl Schedule {
    /// Before each slot the same work runs untimed for this fraction of a slot.
    pub(crate) const WARM_UP: u32 = 4;
}

/// One implementation's rounds and their statistics.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) op: String,
    pub(crate) implementation: &'static str,
    pub(crate) version: String,
    pub(crate) ours: bool,
    /// Operations per second, median over the rounds.
    pub(crate) ops_per_s: f64,
    /// TSC cycles per operation, median over the rounds; `None` without a TSC.
    pub(crate) tsc_per_op: Option<f64>,
    /// Median of the per-round ratios to OpenSSL, with the quartiles.
    pub(crate) ratio: Option<Ratio>,
    /// The same operation on one thread, and how many times faster this one is.
    pub(crate) speedup: Option<(String, Ratio)>,
    /// The implementation's remarks on the operation.
    pub(crate) remarks: Option<String>,
    pub(crate) memory_per_key: Option<usize>,
    /// Total length of all slots.
    pub(crate) wall: Duration,
    /// The part of that in which the core was ours; only this counts.
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
    /// The ratio of two costs, the base's and another implementation's, round by round.
    pub(crate) fn of(base: &[f64], costs: &[f64]) -> Option<Self> {
        let ratios = ratios(base, costs);
        Some(Self {
            median: median(&ratios)?,
            lower_quartile: quantile(&ratios, 0.25)?,
            upper_quartile: quantile(&ratios, 0.75)?,
        })
    }
}

/// The operation whose OpenSSL is the base of `op`'s ratios, and in whose rounds `op` is measured.
/// It is `op` itself if OpenSSL has it. Otherwise it is one of these, if OpenSSL has it:
/// `PREFIX/bulk` for `PREFIX/bulk-64`, `PREFIX/single` for `PREFIX/w7` and `PREFIX/bulk`, and
/// `PREFIX/ct` for other ways to the same result. Otherwise it is `op` alone.
pub(crate) fn base_of(op: &str, registry: &Registry) -> String {
    let is_base = |base: &String| {
        let mut entries = registry.entries.iter();
        entries.any(|e| e.op == *base && e.implementation == OPENSSL)
    };
    let (prefix, last) = op.rsplit_once('/').unwrap_or(("", op));
    let bulk = last.starts_with("bulk-").then(|| format!("{prefix}/bulk"));
    let single = Some(format!("{prefix}/single"));
    let constant_time = Some(format!("{prefix}/ct"));
    let mut bases = [Some(op.to_owned()), bulk, single, constant_time]
        .into_iter()
        .flatten();
    bases.find(is_base).unwrap_or_else(|| op.to_owned())
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

/// The time that several threads work before timing starts. They wake up on the core of the thread
/// that wakes them, and the system needs some time to distribute them.
const SPREADING: Duration = Duration::from_millis(200);

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
        let counts = match self.entry.one_thread {
            None => Counts::RunningTime,
            Some(_) => Counts::AllTime,
        };
        let mut calls = |length| {
            slot(length, counts, || {
                let right = subject.call(*next);
                *next = next.wrapping_add(1);
                right
            })
        };
        let slot = match counts {
            Counts::RunningTime => calls(length),
            Counts::AllTime => machine::on_every_core(|| {
                calls(SPREADING)?;
                calls(length)
            }),
        }
        .with_context(|| {
            format!(
                "{} of {}: wrong result while being timed (call {})",
                self.entry.op, self.entry.implementation, self.next
            )
        })?;
        if timed {
            let items = slot.calls as f64 * self.subject.items_per_call() as f64;
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

/// Measures the chosen operations of the group `base`, with OpenSSL's base operation and the
/// operations that they are compared with. Returns only the chosen ones.
pub(crate) fn measure_group(
    registry: &Registry,
    base: &str,
    chosen: impl Fn(&str) -> bool,
    inputs: &Inputs,
    schedule: Schedule,
) -> Result<Vec<Measured>> {
    let is_base = |e: &Entry| e.op == base && e.implementation == OPENSSL;
    let is_chosen = |e: &Entry| chosen(&e.op) && base_of(&e.op, registry) == base;
    let is_compared = |e: &Entry| {
        let mut others = registry.entries.iter().filter(|other| is_chosen(other));
        others.any(|o| o.one_thread.as_ref() == Some(&e.op) && o.implementation == e.implementation)
    };
    let mut runners = registry
        .entries
        .iter()
        .filter(|e| is_base(e) || is_chosen(e) || is_compared(e))
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
        // Rotates the first implementation, so that neither position nor neighbour favours any of
        // them.
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
    let speedups: Vec<_> = runners
        .iter()
        .map(|runner| speedup(runner, &runners))
        .collect();
    runners
        .into_iter()
        .zip(speedups)
        .filter(|(runner, _)| chosen(&runner.entry.op))
        .map(|(mut runner, speedup)| {
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
                speedup,
                remarks: runner.subject.remarks(),
                memory_per_key: runner.subject.memory_per_key(),
                wall: runner.wall,
                running: runner.running,
                costs: runner.costs,
            })
        })
        .collect()
}

/// How many times faster than itself on one thread, if it has more.
fn speedup(runner: &Runner<'_>, all: &[Runner<'_>]) -> Option<(String, Ratio)> {
    let one_thread = runner.entry.one_thread.as_ref()?;
    let other = all.iter().find(|other| {
        other.entry.op == *one_thread && other.entry.implementation == runner.entry.implementation
    })?;
    let ratio = Ratio::of(&other.costs, &runner.costs)?;
    Some((one_thread.clone(), ratio))
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
    fn openssl_in_bulk_is_the_base_where_it_is_registered() {
        let registry = registry_of(&[
            ("a/single", OPENSSL),
            ("a/bulk", OPENSSL),
            ("a/bulk", "sigmill"),
            ("a/bulk-64", "sigmill"),
            ("a/bulked", "sigmill"),
            ("b/single", OPENSSL),
            ("b/bulk-64", "sigmill"),
        ]);
        assert_eq!(base_of("a/bulk", &registry), "a/bulk");
        assert_eq!(base_of("a/bulk-64", &registry), "a/bulk");
        assert_eq!(base_of("a/bulked", &registry), "a/single");
        assert_eq!(base_of("b/bulk-64", &registry), "b/single");
    }

    /// Counts as a thousand operations, and does nothing.
    struct Thousand;

    impl Subject for Thousand {
        fn call(&mut self, _: usize) -> bool {
            true
        }

        fn items_per_call(&self) -> usize {
            1000
        }

        fn output(&mut self, _: usize) -> Result<Output> {
            Ok(Output::Checked)
        }
    }

    #[test]
    fn one_thread_runs_beside_several_and_items_are_counted() {
        let mut registry = registry_of(&[("a", "sigmill")]);
        registry
            .peer("sigmill", "1".into())
            .compute("a-2", "", None, |_| Ok(Box::new(Thousand)))
            .one_thread = Some("a".into());
        let schedule = Schedule {
            rounds: 3,
            slot: Duration::from_micros(100),
        };
        let inputs = Inputs::new(1, 1);
        // "a-2" is its own group; "a" is measured with it.
        let measured =
            measure_group(&registry, "a-2", |op| op == "a-2", &inputs, schedule).unwrap();
        assert_eq!(measured.len(), 1);
        let (op, speedup) = measured[0].speedup.as_ref().unwrap();
        assert_eq!(op, "a");
        // It counts a thousand operations per call, and the other one a single operation.
        assert!(speedup.median > 100.0, "{speedup:?}");
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
