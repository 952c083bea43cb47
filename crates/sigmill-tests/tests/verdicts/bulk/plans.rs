//! Plans: the decisions that costs determine, and their execution.

use std::time::Duration;

use super::{Owned, valid_row};
use sigmill::bulk::{
    Column, Control, Engine, EngineBuilder, Inputs, Plan, PlannedStrategy, Row, Rows, Signatures,
    Speed,
};
use sigmill::hazmat::plan::Costs;
use sigmill::{Algorithm, CurveName};

/// The widest window here.
const WIDEST: u32 = 6;

fn builder() -> EngineBuilder {
    Engine::builder().speed(Speed::Fixed).window(WIDEST)
}

/// The cheapest window for a key of P-256 that has a table of window `have` (0 for none), if this
/// many of its rows are expected and this many rows are judged together.
fn best_window(expected: u64, have: u32, together: u64) -> u32 {
    let costs = Costs::at(Speed::Fixed);
    let cost = |&window: &u32| {
        let build = match window == have {
            true => 0,
            false => costs.build(CurveName::P256, window),
        };
        build + expected * costs.row(CurveName::P256, window, together)
    };
    let windows = [have].into_iter().chain(4.max(have + 1)..=WIDEST);
    windows.min_by_key(cost).unwrap()
}

/// The smallest number of rows for which the window is wider than this.
fn rows_for_more_than(window: u32, have: u32, together: u64) -> u64 {
    let mut counts = 1..10_000;
    let is_wider = |&rows: &u64| best_window(rows, have, together) > window;
    counts.find(is_wider).unwrap()
}

/// The estimated cost of a group of P-256, in nanoseconds.
fn estimate((strategy, window, keys, rows): (PlannedStrategy, u32, u64, u64)) -> u64 {
    let (costs, curve) = (Costs::at(Speed::Fixed), CurveName::P256);
    let tables = match strategy {
        Build => keys * costs.build(curve, window),
        _ => 0,
    };
    rows * costs.row(curve, window, rows) + tables
}

/// Rows of keys 1, 2, ... with the given number of rows each.
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

/// The given numbers of rows at these windows.
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
    // Between 64 and 255 rows are judged together, except for windows up to the second.
    let pays = rows_for_more_than(0, 0, 64);
    let wider = rows_for_more_than(4, 0, 64);
    assert!(
        2 < pays && pays < 10 && 10 < wider && wider < 60,
        "{pays}, {wider}"
    );
    let counts = [pays - 1, pays, wider - 1, wider, 1, wider - 1];
    let owned = rows_of_keys(&counts);
    let rows: Vec<Row<'_>> = owned.iter().map(Owned::row).collect();
    let rows = Rows::from(&rows);
    let number = counts.iter().sum::<u64>();
    assert!((64..256).contains(&number), "{counts:?}");
    let with_window_4 = pays + 2 * (wider - 1);
    let engine = builder().build().unwrap();
    let expected = [
        (Fresh, 0, 2, pays),
        (Build, 4, 3, with_window_4),
        (Build, 5, 1, wider),
    ];
    let plan = engine.explain(&rows);
    assert_eq!(groups(&plan), expected);
    assert_eq!(plan.rows(), number);
    assert_eq!(plan.actual(), None);
    let cost = expected.map(estimate).iter().sum();
    assert_eq!(plan.estimated(), Duration::from_nanos(cost));
    // Explaining changes nothing: the plan is the same again, and nothing was built.
    assert_eq!(engine.explain(&rows), plan);
    assert_eq!(engine.stats().tables_built, 0);

    let control = Control::default().explain(true);
    let verdicts = engine.verify_with(&rows, &control);
    assert!(verdicts.all_valid());
    let stats = engine.stats();
    assert_eq!(
        stats.rows_by_window,
        by_window([(0, pays), (4, with_window_4), (5, wider)])
    );
    assert_eq!((stats.fresh, stats.prepared), (pays, number - pays));
    let done = verdicts.plan().unwrap();
    assert_eq!(groups(done), expected);
    assert!(
        done.groups()
            .iter()
            .all(|group| group.actual > Some(Duration::ZERO))
    );
    assert_eq!(done.estimated(), plan.estimated());
    assert_eq!((stats.tables_built, stats.passing_tables), (4, 0));

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

    // Earlier rows count: key 1 reaches twice the number.
    assert_eq!(best_window(2 * (pays - 1), 0, 64), 4);
    let again = groups(&engine.explain(&rows));
    assert!(again.contains(&(Fresh, 0, 1, 1)), "{again:?}");
    assert!(again.contains(&(Build, 4, 1, pays - 1)), "{again:?}");
    assert_eq!(again.iter().map(|group| group.3).sum::<u64>(), number);
}

#[test]
fn single_rows_add_up_to_a_table() {
    let row = valid_row(1, 1);
    let engine = builder().build().unwrap();
    let pays = rows_for_more_than(0, 0, 1);
    let wider = rows_for_more_than(4, 4, 1);
    assert!(2 < pays && pays < wider && wider < 200, "{pays}, {wider}");
    for count in 1..wider {
        assert_eq!(engine.verify_row(&row.row()), Ok(()));
        let tables = u64::from(count >= pays);
        assert_eq!(engine.stats().tables_built, tables, "row {count}");
    }
    let (fresh, prepared) = (pays - 1, wider - pays);
    assert_eq!(
        (engine.stats().fresh, engine.stats().prepared),
        (fresh, prepared)
    );
    let rows_by_window = engine.stats().rows_by_window;
    assert_eq!(rows_by_window, by_window([(0, fresh), (4, prepared)]));
    // With one more row, growing the table pays.
    assert_eq!(engine.verify_row(&row.row()), Ok(()));
    assert_eq!(engine.stats().tables_built, 2);
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
        Signatures::P1363(Column::same(&good.signature)),
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
P-256  fresh                -         1           1     40.90µs
P-384  key unusable         -         2           2      0.00ns
total                                 5           5     40.90µs
"
    );
    let control = Control::default().explain(true);
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
    let owned = rows_of_keys(&[300, 2, 400]);
    let rows: Vec<Row<'_>> = owned.iter().map(Owned::row).collect();
    let rows = Rows::from(&rows);
    for threads in [1, 3] {
        let builder = builder().key_memory(0).threads(threads);
        let engine = builder.build().unwrap();
        for call in 1..3 {
            assert!(engine.verify(&rows).all_valid());
            let stats = engine.stats();
            // One for each key, no matter how many blocks and threads share its rows.
            assert_eq!(
                (stats.passing_tables, stats.tables_built),
                (2 * call, 2 * call)
            );
            assert_eq!((stats.fresh, stats.prepared), (2 * call, 700 * call));
            assert_eq!(engine.key_store().stats().table_bytes, 0);
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
        Signatures::P1363(Column::slices(&signatures)),
    );
    let rows = rows.unwrap();
    let engine = builder().build().unwrap();
    let plan = engine.explain(&rows);
    assert_eq!(
        groups(&plan),
        [(Prepared, 6, 1, 10), (Build, 6, 1, 1 << 16)]
    );
    let control = Control::default().explain(true);
    let verdicts = engine.verify_with(&rows, &control);
    assert_eq!(verdicts.rejected(), count);
    assert_eq!(groups(verdicts.plan().unwrap()), groups(&plan));
}

#[test]
fn engines_of_one_process_decide_alike() {
    for speed in [Speed::Fixed, Speed::Measured] {
        let pays = || {
            let engine = Engine::builder().speed(speed).build().unwrap();
            let of_curve =
                |&curve: &CurveName| [1, 64, 2048].map(|rows| engine.table_pays_from(curve, rows));
            CurveName::ALL.iter().map(of_curve).collect::<Vec<_>>()
        };
        assert_eq!(pays(), pays());
    }
    let engine = builder().build().unwrap();
    let pays = engine.table_pays_from(CurveName::P256, 64);
    assert_eq!(pays, Some(rows_for_more_than(0, 0, 64)));
}
