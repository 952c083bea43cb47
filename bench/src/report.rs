//! The two forms of the result: JSON, one object per line, and tables for people.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;

use crate::measure::{Measured, Ratio};

/// A line of JSON. The field names are an interface: other programs read them.
#[derive(Serialize)]
struct Line<'a> {
    op: &'a str,
    #[serde(rename = "impl")]
    implementation: &'a str,
    version: &'a str,
    ops_per_s: f64,
    tsc_per_op: Option<f64>,
    ratio_to_openssl: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio_to_one_thread: Option<f64>,
}

/// One measured implementation as a JSON object, without a line feed.
pub(crate) fn json_line(measured: &Measured) -> serde_json::Result<String> {
    serde_json::to_string(&Line {
        op: &measured.op,
        implementation: measured.implementation,
        version: &measured.version,
        ops_per_s: rounded(measured.ops_per_s, 10.0),
        tsc_per_op: measured.tsc_per_op.map(|c| rounded(c, 10.0)),
        ratio_to_openssl: measured.ratio.map(|r| rounded(r.median, 1000.0)),
        ratio_to_one_thread: measured
            .speedup
            .as_ref()
            .map(|(_, ratio)| rounded(ratio.median, 1000.0)),
    })
}

fn rounded(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}

/// The share of the slots' time in which other processes had the core.
pub(crate) fn core_share(all: &[Measured]) -> String {
    let wall: Duration = all.iter().map(|m| m.wall).sum();
    let running: Duration = all.iter().map(|m| m.running).sum();
    let taken = 1.0 - running.as_secs_f64() / wall.as_secs_f64().max(f64::MIN_POSITIVE);
    let warning = if taken > 0.02 {
        "; the machine was busy: do not rely on small differences"
    } else {
        ""
    };
    format!(
        "other processes used the core for {:.1} % of the time of the slots (not counted){warning}",
        100.0 * taken
    )
}

/// `1234567.8` as `1,234,568`; below 1,000 with one decimal.
pub(crate) fn grouped(value: f64) -> String {
    if value < 999.95 {
        return format!("{value:.1}");
    }
    let digits = format!("{value:.0}");
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The tables of a group: one for the operation `base`, and one for all others in it (windows,
/// batches), each sorted by speed.
pub(crate) fn tables(base: &str, group: &[Measured]) -> String {
    let (single, others): (Vec<_>, Vec<_>) = group.iter().partition(|m| m.op == base);
    let mut text = String::new();
    if !single.is_empty() {
        let _ = writeln!(text, "{base}");
        text += &table(&single, |m| m.implementation.to_owned());
        if let Some(line) = ours_over_fastest_peer(&single) {
            let _ = writeln!(text, "  {line}");
        }
        text.push('\n');
    }
    if !others.is_empty() {
        let prefix = base.rsplit_once('/').map_or(base, |(prefix, _)| prefix);
        let _ = writeln!(text, "{prefix}/... (ratio to OpenSSL's {base})");
        text += &table(&others, |m| {
            let part =
                m.op.strip_prefix(prefix)
                    .unwrap_or(&m.op)
                    .trim_start_matches('/');
            let memory = m.memory_per_key.map_or_else(String::new, |bytes| {
                format!(", {} KiB a key", grouped(bytes as f64 / 1024.0))
            });
            format!("{} {part}{memory}", m.implementation)
        });
        for (one, (op, ratio)) in others.iter().filter_map(|m| Some((m, m.speedup.as_ref()?))) {
            let _ = writeln!(
                text,
                "  {} / {op}: {:.2} ({:.2} .. {:.2})",
                one.op, ratio.median, ratio.lower_quartile, ratio.upper_quartile
            );
        }
        text.push('\n');
    }
    text + &remarks(group)
}

/// The implementations' remarks on their operations.
pub(crate) fn remarks(group: &[Measured]) -> String {
    let mut text = String::new();
    for one in group {
        if let Some(remarks) = &one.remarks {
            let _ = writeln!(text, "{} of {}:", one.op, one.implementation);
            for line in remarks.lines() {
                let _ = writeln!(text, "  {line}");
            }
            text.push('\n');
        }
    }
    text
}

fn table(rows: &[&Measured], label: impl Fn(&Measured) -> String) -> String {
    let mut rows = rows.to_vec();
    rows.sort_by(|a, b| b.ops_per_s.total_cmp(&a.ops_per_s));
    let head = [
        "",
        "implementation",
        "version",
        "ops/s",
        "TSC/op",
        "x OpenSSL",
        "quartiles",
    ]
    .map(str::to_owned);
    let cells: Vec<[String; 7]> = std::iter::once(head)
        .chain(rows.iter().map(|m| {
            let mark = if m.ours { "*" } else { "" };
            let (ratio, quartiles) = m.ratio.map_or_else(
                || ("-".to_owned(), String::new()),
                |r| {
                    let quartiles = format!("{:.2} .. {:.2}", r.lower_quartile, r.upper_quartile);
                    (format!("{:.2}", r.median), quartiles)
                },
            );
            [
                mark.to_owned(),
                label(m),
                m.version.clone(),
                grouped(m.ops_per_s),
                m.tsc_per_op.map_or_else(|| "-".to_owned(), grouped),
                ratio,
                quartiles,
            ]
        }))
        .collect();
    let widths: Vec<usize> = (0..7)
        .map(|column| {
            cells
                .iter()
                .map(|row| row[column].chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    let mut text = String::new();
    for row in &cells {
        let mut line = String::from("  ");
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let _ = match column {
                0..=2 => write!(line, "{cell:<width$}  "),
                _ => write!(line, "{cell:>width$}  "),
            };
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// `ours / fastest peer: 5.12 (5.08 .. 5.15) over AWS-LC`, the ratio formed round by round.
fn ours_over_fastest_peer(rows: &[&Measured]) -> Option<String> {
    let fastest = |ours: bool| {
        rows.iter()
            .filter(|m| m.ours == ours)
            .max_by(|a, b| a.ops_per_s.total_cmp(&b.ops_per_s))
    };
    let (ours, peer) = (fastest(true)?, fastest(false)?);
    let ratio = Ratio::of(&peer.costs, &ours.costs)?;
    Some(format!(
        "ours / fastest peer: {:.2} ({:.2} .. {:.2}) over {}",
        ratio.median, ratio.lower_quartile, ratio.upper_quartile, peer.implementation
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(op: &str, implementation: &'static str, cost: f64) -> Measured {
        Measured {
            op: op.into(),
            implementation,
            version: "1.2.3".into(),
            ours: implementation == "sigmill",
            ops_per_s: 2e9 / cost,
            tsc_per_op: Some(cost),
            ratio: Ratio::of(&[100.0, 100.0], &[cost, cost]),
            speedup: None,
            remarks: None,
            memory_per_key: None,
            wall: Duration::ZERO,
            running: Duration::ZERO,
            costs: vec![cost, cost],
        }
    }

    #[test]
    fn json_has_exactly_the_six_documented_fields() {
        let line = json_line(&measured("p256/sign/single", "ring", 50.04)).unwrap();
        let object: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(&line).unwrap();
        let mut names: Vec<_> = object.keys().map(String::as_str).collect();
        names.sort_unstable();
        let expected = [
            "impl",
            "op",
            "ops_per_s",
            "ratio_to_openssl",
            "tsc_per_op",
            "version",
        ];
        assert_eq!(names, expected);
        assert_eq!(object["op"], "p256/sign/single");
        assert_eq!(object["impl"], "ring");
        assert_eq!(object["version"], "1.2.3");
        assert_eq!(object["tsc_per_op"], 50.0);
        assert_eq!(object["ratio_to_openssl"], 1.998);
        assert!(!line.contains('\n'));
    }

    #[test]
    fn what_is_missing_is_null() {
        let mut alone = measured("p256/table-build/w7", "sigmill", 10.0);
        alone.ratio = None;
        alone.tsc_per_op = None;
        let line = json_line(&alone).unwrap();
        assert!(
            line.contains(r#""tsc_per_op":null,"ratio_to_openssl":null"#),
            "{line}"
        );
    }

    #[test]
    fn several_threads_are_compared_with_one() {
        let mut two = measured("a/bulk-2-threads", "sigmill", 5.0);
        let ratio = Ratio::of(&[10.0], &[5.0]).unwrap();
        two.speedup = Some(("a/bulk".into(), ratio));
        two.remarks = Some("plan\nof two lines\n".into());
        let line = json_line(&two).unwrap();
        assert!(line.contains(r#""ratio_to_one_thread":2.0"#), "{line}");
        let text = tables("a/bulk", &[measured("a/bulk", "sigmill", 10.0), two]);
        assert!(
            text.contains("a/bulk-2-threads / a/bulk: 2.00 (2.00 .. 2.00)\n"),
            "{text}"
        );
        assert!(
            text.ends_with("a/bulk-2-threads of sigmill:\n  plan\n  of two lines\n\n"),
            "{text}"
        );
    }

    #[test]
    fn tables_are_sorted_by_speed_mark_ours_and_compare_with_the_fastest_peer() {
        let group = [
            measured("a/single", "OpenSSL", 100.0),
            measured("a/single", "sigmill", 10.0),
            measured("a/single", "ring", 80.0),
            measured("a/w2", "sigmill", 20.0),
        ];
        let text = tables("a/single", &group);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "a/single");
        assert!(lines[2].trim_start().starts_with("*  sigmill"), "{text}");
        assert!(lines[3].trim_start().starts_with("ring"), "{text}");
        assert!(lines[4].trim_start().starts_with("OpenSSL"), "{text}");
        assert_eq!(
            lines[5].trim(),
            "ours / fastest peer: 8.00 (8.00 .. 8.00) over ring"
        );
        assert!(lines[7].starts_with("a/... "), "{text}");
        assert!(lines[9].contains("sigmill w2"), "{text}");
    }

    #[test]
    fn without_ours_nothing_is_compared() {
        let text = tables("a", &[measured("a", "ring", 80.0)]);
        assert!(!text.contains("ours"), "{text}");
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(grouped(0.25), "0.2");
        assert_eq!(grouped(999.94), "999.9");
        assert_eq!(grouped(999.96), "1,000");
        assert_eq!(grouped(1_234_567.8), "1,234,568");
        assert_eq!(grouped(100_000.0), "100,000");
    }

    #[test]
    fn a_busy_machine_is_told() {
        let mut one = measured("a", "ring", 80.0);
        one.wall = Duration::from_secs(2);
        one.running = Duration::from_secs(1);
        let text = core_share(&[one]);
        assert!(text.contains(" 50.0 % ") && text.contains("busy"), "{text}");
        let mut quiet = measured("a", "ring", 80.0);
        quiet.wall = Duration::from_secs(1);
        quiet.running = Duration::from_secs(1);
        let text = core_share(&[quiet]);
        assert!(text.contains(" 0.0 % ") && !text.contains("busy"), "{text}");
    }
}
