//! Plans: what is decided by which costs, and what of it is done.

use std::time::Duration;

use super::{Owned, valid_row};
use sigmill::bulk::{
    Column, Control, Costs, Engine, EngineBuilder, Inputs, Plan, PlannedStrategy, Row, Rows,
};
use sigmill::{Algorithm, CurveName, Error};

/// A table of window 4 pays at the 11th row (500 saved a row, 5,000 to build), one of window 5 in
/// its place at the 51st (300 more, 15,000 more), of window 6 never.
fn costs() -> Costs {
    let mut costs = Costs::reference();
    for &curve in CurveName::ALL {
        let costs = costs.of_mut(curve);
        costs.fresh = 1000;
        costs.prepared = [900, 800, 700, 500, 200, 199, 199, 199, 199, 199, 199];
        costs.build = [
            1,
            1,
            1,
            5000,
            20_000,
            1 << 40,
            1 << 40,
            1 << 40,
            1 << 40,
            1 << 40,
            1 << 40,
        ];
    }
    costs
}

fn builder() -> EngineBuilder {
    Engine::builder().costs(costs()).window(6)
}

/// Rows of keys 1, 2, ... with so many rows each.
fn rows_of_keys(counts: &[u64]) -> Vec<Owned> {
    let rows = counts.iter().zip(1..).flat_map(|(&count, d)| {
        let row = valid_row(d, d);
        (0..count).map(move |_| row.clone())
    });
    rows.collect()
}

/// Strategy, window, keys and rows of each group.
fn groups(plan: &Plan) -> Vec<(PlannedStrategy, u32, u64, u64)> {
    let groups = plan.groups().iter();
    groups
        .map(|group| (group.strategy, group.window, group.keys, group.rows))
        .collect()
}

/// So many rows at these windows.
fn by_window<const N: usize>(rows: [(usize, u64); N]) -> [u64; 12] {
    let mut by_window = [0; 12];
    for (window, rows) in rows {
        by_window[window] = rows;
    }
    by_window
}

use PlannedStrategy::{Build, Fresh, Prepared, Unusable};

#[test]
fn a_table_is_built_where_it_pays() {
    let owned = rows_of_keys(&[10, 11, 35, 60, 1]);
    let rows: Vec<Row<'_>> = owned.iter().map(Owned::row).collect();
    let rows = Rows::from(&rows);
    let engine = builder().build().unwrap();
    let expected = [(Fresh, 0, 2, 11), (Build, 4, 2, 46), (Build, 5, 1, 60)];
    let plan = engine.explain(&rows);
    assert_eq!(groups(&plan), expected);
    assert_eq!(plan.rows(), 117);
    assert_eq!(plan.actual(), None);
    let cost = 11 * 1000 + (46 * 500 + 2 * 5000) + (60 * 200 + 20_000);
    assert_eq!(plan.estimated(), Duration::from_nanos(cost));
    // To explain is not to do: the plan is the same again, and nothing was built.
    assert_eq!(engine.explain(&rows), plan);
    assert_eq!(engine.stats().tables_built, 0);

    let control = Control {
        explain: true,
        ..Control::default()
    };
    let verdicts = engine.verify_with(&rows, &control);
    assert!(verdicts.all_valid());
    let stats = engine.stats();
    assert_eq!(stats.rows_by_window, by_window([(0, 11), (4, 46), (5, 60)]));
    assert_eq!((stats.fresh, stats.prepared), (11, 106));
    let done = verdicts.plan().unwrap();
    assert_eq!(groups(done), expected);
    assert!(
        done.groups()
            .iter()
            .all(|group| group.actual > Some(Duration::ZERO))
    );
    assert_eq!(done.estimated(), plan.estimated());
    let stats = engine.stats();
    assert_eq!((stats.tables_built, stats.passing_tables), (3, 0));
    assert_eq!((stats.fresh, stats.prepared), (11, 106));

    // Plans add up, as those of batches do.
    let mut sum = plan.clone();
    sum += &plan;
    let twice =
        expected.map(|(strategy, window, keys, rows)| (strategy, window, 2 * keys, 2 * rows));
    assert_eq!(groups(&sum), twice);
    assert_eq!(
        (sum.estimated(), sum.actual()),
        (2 * plan.estimated(), None)
    );
    let mut sum = Plan::default();
    sum += done;
    assert_eq!(sum, *done);

    // The rows before count: key 1 has had 10 and has 10 more, key 3 comes to 70.
    let plan = engine.explain(&rows);
    let expected = [
        (Fresh, 0, 1, 1),
        (Prepared, 4, 1, 11),
        (Prepared, 5, 1, 60),
        (Build, 4, 1, 10),
        (Build, 5, 1, 35),
    ];
    assert_eq!(groups(&plan), expected);
}

#[test]
fn single_rows_add_up_to_a_table() {
    let row = valid_row(1, 1);
    let engine = builder().build().unwrap();
    for count in 1..=40 {
        assert_eq!(engine.verify_row(&row.row()), Ok(()));
        let expected = match count {
            ..11 => 0,
            _ => 1,
        };
        // From window 4 to 5: 300 a row for 20,000.
        let expected = expected + u64::from(count >= 67);
        assert_eq!(engine.stats().tables_built, expected, "row {count}");
    }
    assert_eq!((engine.stats().fresh, engine.stats().prepared), (10, 30));
    assert_eq!(engine.stats().rows_by_window, by_window([(0, 10), (4, 30)]));
}

#[test]
fn unusable_keys_are_a_group() {
    let good = valid_row(1, 1);
    let keys = [
        Some(&good.key[..]),
        None,
        Some(&[4; 65]),
        Some(&[4; 65]),
        Some(&[]),
    ];
    let algorithms = [
        Algorithm::ES256,
        Algorithm::ES256,
        Algorithm::ES256,
        Algorithm::ES384,
        Algorithm::ES384,
    ];
    let rows = Rows::new(
        &algorithms[..],
        Column::optional_slices(&keys),
        Inputs::Digests(Column::same(&good.message)),
        Column::same(&good.signature),
    );
    let rows = rows.unwrap();
    let engine = builder().build().unwrap();
    let plan = engine.explain(&rows);
    assert_eq!(
        groups(&plan),
        [(Unusable, 0, 2, 2), (Fresh, 0, 1, 1), (Unusable, 0, 2, 2)]
    );
    let curves: Vec<_> = plan.groups().iter().map(|group| group.curve).collect();
    assert_eq!(curves, [CurveName::P256, CurveName::P256, CurveName::P384]);
    assert_eq!(
        plan.to_string(),
        "\
curve  strategy        window      keys        rows   estimated
P-256  key unusable         -         2           2      0.00ns
P-256  fresh                -         1           1      1.00µs
P-384  key unusable         -         2           2      0.00ns
total                                 5           5      1.00µs
"
    );
    let control = Control {
        explain: true,
        ..Control::default()
    };
    let verdicts = engine.verify_with(&rows, &control);
    let text = verdicts.plan().unwrap().to_string();
    assert_eq!(groups(verdicts.plan().unwrap()), groups(&plan));
    assert!(
        text.starts_with("curve ") && text.lines().all(|line| line.chars().count() == 75),
        "{text}"
    );
}

#[test]
fn what_the_store_does_not_take_is_built_for_the_call() {
    let owned = rows_of_keys(&[300, 8, 400]);
    let rows: Vec<Row<'_>> = owned.iter().map(Owned::row).collect();
    let rows = Rows::from(&rows);
    for threads in [1, 3] {
        let builder = builder()
            .key_memory(0)
            .threads(std::num::NonZeroUsize::new(threads).unwrap());
        let engine = builder.build().unwrap();
        for call in 1..3 {
            assert!(engine.verify(&rows).all_valid());
            let stats = engine.stats();
            // One for each key, however many blocks and threads its rows are spread over.
            assert_eq!(
                (stats.passing_tables, stats.tables_built),
                (2 * call, 2 * call)
            );
            assert_eq!((stats.fresh, stats.prepared), (8 * call, 700 * call));
            assert_eq!(stats.table_bytes, 0);
        }
    }
}

#[test]
fn explain_foresees_what_earlier_sections_leave_behind() {
    let row = valid_row(1, 1);
    let count = (1 << 16) + 10;
    let signatures = vec![&[0; 64][..]; count];
    let rows = Rows::new(
        Algorithm::ES256,
        Column::same(&row.key),
        Inputs::Digests(Column::same(&row.message)),
        Column::slices(&signatures),
    );
    let rows = rows.unwrap();
    let engine = builder().build().unwrap();
    let plan = engine.explain(&rows);
    assert_eq!(
        groups(&plan),
        [(Prepared, 5, 1, 10), (Build, 5, 1, 1 << 16)]
    );
    let control = Control {
        explain: true,
        ..Control::default()
    };
    let verdicts = engine.verify_with(&rows, &control);
    assert_eq!(verdicts.rejected(), count);
    assert_eq!(groups(verdicts.plan().unwrap()), groups(&plan));
}

#[test]
fn costs_are_data() {
    let costs = costs();
    let text = serde_json::to_string(&costs).unwrap();
    assert!(
        text.starts_with(r#"{"P-256":{"fresh":1000,"prepared":[900,"#),
        "{text}"
    );
    assert_eq!(serde_json::from_str::<Costs>(&text).unwrap(), costs);
    for wrong in [
        text.replace("P-384", "P-192"),
        text.replace("1000", "-1"),
        text.replace("[900,", "["),
        text.replace("fresh", "stale"),
    ] {
        assert!(serde_json::from_str::<Costs>(&wrong).is_err(), "{wrong}");
    }
    let engine = Engine::builder().costs(costs).build().unwrap();
    assert_eq!(*engine.costs(), costs);
    let mut zero = costs;
    zero.of_mut(CurveName::P384).prepared[6] = 0;
    assert_eq!(
        Engine::builder().costs(zero).build().err(),
        Some(Error::CostZero)
    );
    let mut largest = costs;
    largest.of_mut(CurveName::P256).build = [u64::MAX; 11];
    largest.of_mut(CurveName::P256).prepared = [u64::MAX; 11];
    largest.of_mut(CurveName::P256).fresh = u64::MAX;
    let engine = Engine::builder().costs(largest).build().unwrap();
    let row = valid_row(1, 1);
    let rows = vec![row.row(); 30];
    assert!(engine.verify(&Rows::from(&rows)).all_valid());
    assert_eq!(engine.explain(&Rows::from(&rows)).rows(), 30);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "builds tables of every window")]
fn calibration_measures_every_cost() {
    let costs = sigmill::bulk::calibrate(Duration::from_micros(1));
    for &curve in CurveName::ALL {
        let costs = costs.of(curve);
        assert!(costs.fresh > 1000 && costs.fresh < 1_000_000_000);
        for window in 0..11 {
            assert!(costs.prepared[window] > 100);
            assert!(costs.build[window] > costs.prepared[window] / 10);
        }
        // Whatever else the machine does: 1,024 points a row take longer than one.
        assert!(costs.build[10] > costs.build[0]);
    }
    Engine::builder().costs(costs).build().unwrap();
}
