//! Measures the speed of sigmill and of every peer in one run. See `README.md` for the method.

mod check;
mod cli;
mod clock;
mod inputs;
mod machine;
mod measure;
mod paper;
mod pattern;
mod peers;
mod plot;
mod registry;
mod report;
mod row_set;
mod stats;
mod versions;

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Parser as _;
use sigmill::cpu;

use crate::cli::Args;
use crate::inputs::Inputs;
use crate::measure::{Schedule, groups, measure_group};
use crate::pattern::{Pattern, chosen};
use crate::registry::Registry;
use crate::versions::Versions;

fn main() -> ExitCode {
    match run(&Args::parse(), &mut io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Reports whether the reader of our output has stopped reading, as `head` does.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

fn run(args: &Args, out: &mut impl Write) -> Result<()> {
    cpu::check_environment()?;
    let patterns = args
        .only
        .iter()
        .map(|text| Pattern::new(text))
        .collect::<Result<Vec<_>>>()?;
    let mut registry = Registry::new(Versions::of_this_build()?);
    peers::register_all(&mut registry);
    let chosen = |op: &str| chosen(&patterns, op);
    let groups = groups(&registry, chosen);
    if groups.is_empty() {
        bail!(
            "--only {:?}: matches no operation; list them with --list",
            args.only
        );
    }
    if args.list {
        return list(&registry, chosen, out);
    }

    let core = machine::pin(args.core)?;
    let schedule = Schedule {
        rounds: args.rounds,
        slot: Duration::from_millis(args.slot_ms),
    };
    let method = method(args, core);
    if let Some(name) = &args.paper {
        let inputs = Inputs::new(args.keys as usize, args.signatures as usize);
        for file in paper::write(name, &registry, &inputs, schedule, &method)? {
            eprintln!("wrote {}", file.display());
        }
        return Ok(());
    }
    if args.json {
        eprintln!("{method}");
    } else {
        writeln!(out, "{method}\n{}", what_is_timed(&registry, chosen))?;
    }

    let inputs = Inputs::new(args.keys as usize, args.signatures as usize);
    let mut all = Vec::new();
    for base in &groups {
        let measured = measure_group(&registry, base, chosen, &inputs, schedule)?;
        if args.json {
            for one in &measured {
                writeln!(out, "{}", report::json_line(one)?)?;
            }
            eprint!("{}", report::remarks(&measured));
        } else {
            writeln!(out, "{}", report::tables(base, &measured).trim_end())?;
            writeln!(out)?;
        }
        out.flush()?;
        all.extend(measured);
    }
    let share = report::core_share(&all);
    if args.json {
        eprintln!("{share}");
    } else {
        writeln!(out, "{share}")?;
    }
    if let Some(folder) = &args.plot {
        for file in
            plot::write_all(folder, &all).with_context(|| format!("--plot {}", folder.display()))?
        {
            eprintln!("wrote {}", file.display());
        }
    }
    Ok(())
}

/// The method of measurement, to print with the numbers.
fn method(args: &Args, core: Option<usize>) -> String {
    let pinned = core.map_or_else(
        || "not pinned".to_owned(),
        |core| format!("pinned to core {core}"),
    );
    let clock = clock::tsc_hz().map_or_else(
        || "no TSC: times from the monotonic clock".to_owned(),
        |hz| format!("TSC {:.3} GHz", hz / 1e9),
    );
    let load = machine::load().map_or_else(String::new, |load| format!(", load {load:.2}"));
    format!(
        "machine: {}, {clock}, {pinned}{load}\n\
         backends of sigmill: {}\n\
         method: one process, one thread; {} rounds; in each round, every implementation runs for \
         one slot of {} ms after 1/{} slot untimed, in rotating order; times are medians over the \
         rounds, ratios the median of the ratios in each round; only time in which the thread ran \
         counts\n\
         inputs: {} keys, {} messages of 32 octets and their signatures, all distinct (.../bulk \
         has its own); every verdict is checked; before the measurement, tampered signatures were \
         rejected and OpenSSL confirmed signatures, keys and shared secrets",
        machine::model(),
        backends(),
        args.rounds,
        args.slot_ms,
        Schedule::WARM_UP,
        args.keys,
        args.signatures,
    )
}

/// The sigmill backends in use, with the reasons.
fn backends() -> String {
    let backends = cpu::backends();
    let used = backends.iter().filter(|backend| backend.used);
    let used: Vec<String> = used
        .map(|backend| format!("{} ({})", backend.name, backend.why))
        .collect();
    let others = backends.iter().filter(|backend| !backend.used);
    let others: Vec<&str> = others.map(|backend| backend.name).collect();
    format!("{}; not used: {}", used.join(", "), others.join(", "))
}

/// A line for each implementation and call that the chosen operations will time.
fn what_is_timed(registry: &Registry, chosen: impl Fn(&str) -> bool) -> String {
    let mut lines: Vec<String> = Vec::new();
    for entry in registry.entries.iter().filter(|e| chosen(&e.op)) {
        let line = format!(
            "  {} {}: {}",
            entry.implementation, entry.version, entry.timed
        );
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    format!("timed:\n{}\n", lines.join("\n"))
}

fn list(registry: &Registry, chosen: impl Fn(&str) -> bool, out: &mut impl Write) -> Result<()> {
    let mut ops: Vec<&str> = Vec::new();
    for entry in &registry.entries {
        if chosen(&entry.op) && !ops.contains(&entry.op.as_str()) {
            ops.push(&entry.op);
        }
    }
    for op in ops {
        writeln!(out, "{op}")?;
        for entry in registry.entries.iter().filter(|e| e.op == op) {
            writeln!(
                out,
                "  {} {}: {}",
                entry.implementation, entry.version, entry.timed
            )?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use core_affinity::CoreId;

    use super::*;

    /// The part of an operation's name before the first `/`: a curve or an algorithm.
    fn family(op: &str) -> &str {
        op.split('/').next().unwrap()
    }

    fn is_of_half_the_work(family: &str) -> bool {
        ["p384", "p521"].contains(&family)
    }

    /// Runs every operation of the `chosen` families once, pinned to `core`.
    fn run_once(core: Option<&CoreId>, chosen: impl Fn(&str) -> bool) {
        let mut registry = Registry::new(Versions::of_this_build().unwrap());
        peers::register_all(&mut registry);
        let families = registry.entries.iter().map(|entry| family(&entry.op));
        let families: BTreeSet<&str> = families.filter(|family| chosen(family)).collect();

        let once = "sigmill-bench --rounds 1 --slot-ms 1 --signatures 64 --keys 4";
        let mut args = Args::parse_from(once.split(' '));
        args.core = core.map(|core| core.id);
        args.only = families.iter().map(|name| format!("{name}/*")).collect();
        let mut out = Vec::new();
        run(&args, &mut out).unwrap();

        let out = String::from_utf8(out).unwrap();
        for name in families {
            assert!(out.contains(&format!("\n{name}/")), "{name}: {out}");
        }
    }

    /// Two tests, each on its own core.
    #[test]
    fn every_operation_on_large_curves_is_measured_and_passes() {
        let cores = core_affinity::get_core_ids().unwrap_or_default();
        run_once(cores.first(), is_of_half_the_work);
    }

    #[test]
    fn every_other_operation_is_measured_and_passes() {
        let cores = core_affinity::get_core_ids().unwrap_or_default();
        run_once(cores.last(), |family| !is_of_half_the_work(family));
    }

    /// The patterns that a text passes to `--only`: quoted, or a word that begins with a small
    /// letter, or `*`.
    fn patterns(text: &str) -> Vec<&str> {
        let cited = text.split("--only ").skip(1);
        cited
            .filter_map(|rest| match rest.strip_prefix('\'') {
                Some(quoted) => quoted.split('\'').next(),
                None => rest.split([' ', '\n', '`', ')']).next(),
            })
            .filter(|pattern| pattern.starts_with(|c: char| c == '*' || c.is_ascii_lowercase()))
            .collect()
    }

    /// Every command in the documents and in comments of the library selects existing operations.
    #[test]
    fn every_pattern_of_the_documents_chooses_an_operation() {
        let mut registry = Registry::new(Versions::of_this_build().unwrap());
        peers::register_all(&mut registry);
        let project = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let mut count = 0;
        for files in [
            "*.md",
            "docs/*.md",
            "bench/*.md",
            "crates/sigmill/src/**/*.rs",
        ] {
            for document in glob::glob(&format!("{project}/{files}")).unwrap() {
                let document = document.unwrap();
                // The changelog describes the past.
                if document.ends_with("CHANGELOG.md") {
                    continue;
                }
                // A comment may break a line inside a command.
                let text = std::fs::read_to_string(&document)
                    .unwrap()
                    .replace("///", " ");
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                for pattern in patterns(&text) {
                    count += 1;
                    let chosen = Pattern::new(pattern).unwrap();
                    assert!(
                        registry
                            .entries
                            .iter()
                            .any(|entry| chosen.matches(&entry.op)),
                        "{}: --only {pattern}",
                        document.display()
                    );
                }
            }
        }
        assert!(count > 50, "{count} patterns");
        assert_eq!(
            patterns("--only 'a/*' and `--only b` of --only PATTERN"),
            ["a/*", "b"]
        );
    }
}
