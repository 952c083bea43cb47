//! SVG charts: for each operation all implementations, for P-256 our ways to verify beside other
//! libraries, and for prepared keys the memory and speed of each window.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::machine;
use crate::measure::Measured;
use crate::registry::OPENSSL;
use crate::report::grouped;

const WIDTH: u32 = 800;
const OURS: RGBColor = RGBColor(0x1b, 0x6e, 0xc2);
const PEER: RGBColor = RGBColor(0xa9, 0xb4, 0xc0);
const INK: RGBColor = RGBColor(0x22, 0x26, 0x2b);
const FAINT: RGBColor = RGBColor(0x6b, 0x74, 0x7e);
const FONT: &str = "sans-serif";

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Writes all charts that the measurements allow into `folder`, which is created if needed, and
/// returns their paths.
pub(crate) fn write_all(folder: &Path, measured: &[Measured]) -> Result<Vec<PathBuf>> {
    std::fs::create_dir_all(folder)?;
    let mut written = Vec::new();
    let mut ops: Vec<&str> = Vec::new();
    for one in measured {
        if !ops.contains(&one.op.as_str()) {
            ops.push(&one.op);
        }
    }
    for op in ops {
        let mut rows: Vec<&Measured> = measured.iter().filter(|m| m.op == op).collect();
        // A lone bar compares nothing.
        if rows.len() > 1 {
            rows.sort_by(|a, b| b.ops_per_s.total_cmp(&a.ops_per_s));
            written.push(save(folder, op, &rates(op, &rows)?)?);
        }
    }
    let ways = ways_to_verify(measured);
    if ways.iter().any(|bar| bar.ours) && ways.iter().any(|bar| !bar.ours) {
        let title = "P-256: verifications per second on one core";
        let unit = format!("{}; in brackets the factor to OpenSSL", machine::model());
        written.push(save(folder, "p256/verify", &bars(title, &unit, &ways)?)?);
    }
    for curve in ["p256", "p384"] {
        let prefix = format!("{curve}/verify/prepared");
        let points = windows(&prefix, measured);
        if points.len() > 1 {
            let base = measured
                .iter()
                .find(|m| m.op == format!("{prefix}/single") && m.implementation == OPENSSL)
                .map(|m| m.ops_per_s);
            let svg = trade_off(&prefix, &points, base)?;
            written.push(save(folder, &format!("{prefix}/windows"), &svg)?);
        }
    }
    Ok(written)
}

fn save(folder: &Path, op: &str, svg: &str) -> Result<PathBuf> {
    let path = folder.join(format!("{}.svg", op.replace('/', "-")));
    std::fs::write(&path, svg).with_context(|| path.display().to_string())?;
    Ok(path)
}

fn failed<E: std::error::Error>(error: E) -> anyhow::Error {
    anyhow!("drawing: {error}")
}

fn text(
    area: &Area<'_>,
    at: (i32, i32),
    size: u32,
    color: RGBColor,
    anchor: Pos,
    text: &str,
) -> Result<()> {
    let style = (FONT, size).into_font().color(&color).pos(anchor);
    area.draw(&Text::new(text.to_owned(), at, style))
        .map_err(failed)
}

/// A bar of a chart.
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) value: f64,
    /// The text after the bar.
    pub(crate) label: String,
    pub(crate) ours: bool,
}

impl Bar {
    /// The operations per second, and their ratio to OpenSSL.
    fn of(name: String, m: &Measured) -> Self {
        let ratio = m
            .ratio
            .map_or_else(String::new, |r| format!("  ({:.2} x)", r.median));
        Self {
            name,
            value: m.ops_per_s,
            label: format!("{}{ratio}", grouped(m.ops_per_s)),
            ours: m.ours,
        }
    }
}

/// Horizontal bars, the fastest on top: operations per second and the ratio to OpenSSL.
fn rates(op: &str, rows: &[&Measured]) -> Result<String> {
    let name = |m: &Measured| format!("{} {}", m.implementation, short(&m.version));
    let rows = rows.iter().map(|m| Bar::of(name(m), m));
    let unit = "operations per second on one core, and the factor relative to OpenSSL";
    bars(op, unit, &rows.collect::<Vec<_>>())
}

/// Our operations that the chart of P-256 shows, and what it calls them.
const WAYS: [(&str, &str); 4] = [
    ("p256/verify/prepared/bulk", "sigmill, 16 keys, 4,096 rows"),
    ("p256/verify/prepared/single", "sigmill, prepared key"),
    ("p256/verify/fresh/bulk", "sigmill, new keys, 4,096 rows"),
    ("p256/verify/fresh/single", "sigmill, new key"),
];

/// Bars for [`WAYS`], and below them the other libraries, which verify one at a time by a new key.
fn ways_to_verify(measured: &[Measured]) -> Vec<Bar> {
    let ours = WAYS.iter().filter_map(|(op, name)| {
        let m = measured.iter().find(|m| m.ours && m.op == *op)?;
        Some(Bar::of((*name).into(), m))
    });
    let one_at_a_time = |m: &&Measured| !m.ours && m.op == "p256/verify/fresh/single";
    let mut peers: Vec<&Measured> = measured.iter().filter(one_at_a_time).collect();
    peers.sort_by(|a, b| b.ops_per_s.total_cmp(&a.ops_per_s));
    let name = |m: &Measured| format!("{} {}", m.implementation, short(&m.version));
    let peers = peers.into_iter().map(|m| Bar::of(name(m), m));
    ours.chain(peers).collect()
}

/// Horizontal bars, from the top.
pub(crate) fn bars(title: &str, unit: &str, rows: &[Bar]) -> Result<String> {
    const TOP: i32 = 70;
    const PITCH: i32 = 34;
    const LEFT: i32 = 260;
    const RIGHT: i32 = 610;
    let mut svg = String::new();
    {
        let height = TOP as u32 + PITCH as u32 * rows.len() as u32 + 20;
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        let left = Pos::new(HPos::Left, VPos::Center);
        let right = Pos::new(HPos::Right, VPos::Center);
        text(&area, (20, 24), 20, INK, left, title)?;
        text(&area, (20, 48), 14, FAINT, left, unit)?;
        let values = rows.iter().map(|bar| bar.value);
        let most = values.fold(f64::MIN_POSITIVE, f64::max);
        for (bar, top) in rows.iter().zip((TOP..).step_by(PITCH as usize)) {
            let middle = top + PITCH / 2;
            text(&area, (LEFT - 10, middle), 15, INK, right, &bar.name)?;
            let end = LEFT + (f64::from(RIGHT - LEFT) * bar.value / most).round() as i32;
            let place = [(LEFT, top + 5), (end.max(LEFT + 1), top + PITCH - 5)];
            let color = if bar.ours { OURS } else { PEER };
            area.draw(&Rectangle::new(place, color.filled()))
                .map_err(failed)?;
            text(&area, (end + 8, middle), 15, INK, left, &bar.label)?;
        }
        area.present().map_err(failed)?;
    }
    Ok(svg)
}

/// A version without the part in brackets or after a space.
fn short(version: &str) -> &str {
    version.split_whitespace().next().unwrap_or(version)
}

/// A window: its width, KiB per key, verifications per second.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Window {
    width: u32,
    kib: f64,
    rate: f64,
}

fn windows(prefix: &str, measured: &[Measured]) -> Vec<Window> {
    let mut points: Vec<Window> = measured
        .iter()
        .filter_map(|m| {
            let width =
                m.op.strip_prefix(prefix)?
                    .strip_prefix("/w")?
                    .parse()
                    .ok()?;
            Some(Window {
                width,
                kib: m.memory_per_key? as f64 / 1024.0,
                rate: m.ops_per_s,
            })
        })
        .collect();
    points.sort_by_key(|p| p.width);
    points
}

/// Memory per key (logarithmic) against verifications per second, one point per window.
fn trade_off(prefix: &str, points: &[Window], base: Option<f64>) -> Result<String> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, 500)).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        let fold = |f: fn(f64, f64) -> f64, start| points.iter().map(|p| p.kib).fold(start, f);
        let (least, most) = (
            fold(f64::min, f64::INFINITY),
            fold(f64::max, f64::MIN_POSITIVE),
        );
        let best = points
            .iter()
            .map(|p| p.rate)
            .fold(f64::MIN_POSITIVE, f64::max);
        let mut chart = ChartBuilder::on(&area)
            .caption(
                format!("{prefix}: cost and gain of wider windows"),
                (FONT, 20, &INK),
            )
            .margin(16)
            .x_label_area_size(56)
            .y_label_area_size(90)
            .build_cartesian_2d(
                (least / 1.6..most * 1.6).log_scale().base(2.0),
                0.0..best * 1.15,
            )
            .map_err(failed)?;
        chart
            .configure_mesh()
            .x_desc("memory for each key, KiB (logarithmic)")
            .y_desc("verifications per second, one core")
            .x_label_formatter(&|kib| format!("{kib:.0}"))
            .y_label_formatter(&|rate| grouped(rate.max(0.0)).replace("0.0", "0"))
            .label_style((FONT, 14, &INK))
            .axis_desc_style((FONT, 16, &INK))
            .light_line_style(WHITE)
            .bold_line_style(RGBColor(0xe4, 0xe8, 0xec))
            .draw()
            .map_err(failed)?;
        if let Some(rate) = base {
            let line = [(least / 1.6, rate), (most * 1.6, rate)];
            chart
                .draw_series(LineSeries::new(line, FAINT.stroke_width(2)))
                .map_err(failed)?;
            let style = (FONT, 14)
                .into_font()
                .color(&FAINT)
                .pos(Pos::new(HPos::Right, VPos::Bottom));
            let label = format!("OpenSSL {}", grouped(rate));
            let at = (most * 1.5, rate + best * 0.01);
            chart
                .draw_series(std::iter::once(Text::new(label, at, style)))
                .map_err(failed)?;
        }
        let line = points.iter().map(|p| (p.kib, p.rate));
        chart
            .draw_series(LineSeries::new(line, OURS.stroke_width(2)))
            .map_err(failed)?;
        let style = (FONT, 14)
            .into_font()
            .color(&INK)
            .pos(Pos::new(HPos::Right, VPos::Bottom));
        chart
            .draw_series(points.iter().map(|p| {
                EmptyElement::at((p.kib, p.rate))
                    + Circle::new((0, 0), 5, OURS.filled())
                    + Text::new(format!("w={}", p.width), (-6, -8), style.clone())
            }))
            .map_err(failed)?;
        area.present().map_err(failed)?;
    }
    Ok(svg)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Ratio;

    fn measured(op: &str, implementation: &'static str, rate: f64) -> Measured {
        Measured {
            op: op.into(),
            implementation,
            version: "3.0.22 25 Aug 2026".into(),
            ours: implementation == "sigmill",
            ops_per_s: rate,
            tsc_per_op: None,
            ratio: Ratio::of(&[2.0], &[1.0]),
            speedup: None,
            remarks: None,
            memory_per_key: op.contains("/w").then_some(150_000),
            wall: std::time::Duration::ZERO,
            running: std::time::Duration::ZERO,
            costs: vec![1.0],
        }
    }

    #[test]
    fn windows_are_found_by_name_and_sorted() {
        let all = [
            measured("p256/verify/prepared/w11", "sigmill", 3.0),
            measured("p256/verify/prepared/w2", "sigmill", 2.0),
            measured("p256/verify/prepared/single", "sigmill", 9.0),
            measured("p384/verify/prepared/w3", "sigmill", 1.0),
        ];
        let widths: Vec<u32> = windows("p256/verify/prepared", &all)
            .iter()
            .map(|p| p.width)
            .collect();
        assert_eq!(widths, [2, 11]);
    }

    #[test]
    fn our_ways_to_verify_stand_above_the_other_libraries() {
        let all = [
            measured("p256/verify/fresh/single", OPENSSL, 9_000.0),
            measured("p256/verify/fresh/single", "ring", 10_000.0),
            measured("p256/verify/prepared/single", OPENSSL, 9_500.0),
            measured("p256/verify/fresh/single", "sigmill", 15_000.0),
            measured("p256/verify/prepared/bulk", "sigmill", 400_000.0),
        ];
        let bars = ways_to_verify(&all);
        let names: Vec<&str> = bars.iter().map(|bar| bar.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "sigmill, 16 keys, 4,096 rows",
                "sigmill, new key",
                "ring 3.0.22",
                "OpenSSL 3.0.22"
            ]
        );
        assert!(ways_to_verify(&all[..3]).iter().all(|bar| !bar.ours));
    }

    #[test]
    fn charts_are_svg_that_names_every_bar_and_window() {
        let all = [
            measured("p256/verify/prepared/single", OPENSSL, 9_000.0),
            measured("p256/verify/prepared/single", "sigmill", 90_000.0),
            measured("p256/verify/prepared/w1", "sigmill", 20_000.0),
            measured("p256/verify/prepared/w7", "sigmill", 90_000.0),
        ];
        let folder = std::env::temp_dir().join(format!("sigmill-bench-{}", std::process::id()));
        let files = write_all(&folder, &all).unwrap();
        let texts: Vec<String> = files
            .iter()
            .map(|f| std::fs::read_to_string(f).unwrap())
            .collect();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(texts.len(), 2);
        for part in [
            "<svg",
            "sigmill 3.0.22",
            "OpenSSL 3.0.22",
            "90,000",
            "(2.00 x)",
        ] {
            assert!(texts[0].contains(part), "{part}");
        }
        for part in [
            "<svg",
            "w=1",
            "w=7",
            "KiB",
            "verifications per second",
            "OpenSSL 9,000",
        ] {
            assert!(texts[1].contains(part), "{part}");
        }
    }
}
