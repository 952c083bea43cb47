//! Parsed keys share the tables and the counts of rows with encoded ones.

use std::sync::Arc;

use super::super::{engine, valid_row};
use super::repeated;
use sigmill::bulk::{Column, Engine, KeyStore, Keys, PlannedStrategy, Speed};

#[test]
fn a_key_has_one_table_however_it_comes() {
    let row = valid_row(2, 7);
    let key = row.parsed();
    let compressed = key.to_sec1_bytes(true);
    let signatures = vec![&row.signature[..]; 300];
    let encoded = |bytes| repeated(&row, Column::same(bytes), &signatures);
    let parsed = || repeated(&row, &key, &signatures);
    // The first call earns the table.
    for first in [encoded(&row.key), encoded(&compressed), parsed()] {
        let engine = engine(2);
        assert!(engine.verify(&first).all_valid());
        let stats = engine.key_store().stats();
        assert_eq!((stats.promotions, stats.tables, stats.misses), (1, 1, 1));
        for rows in [parsed(), encoded(&compressed), encoded(&row.key), parsed()] {
            assert!(engine.verify(&rows).all_valid());
            let plan = engine.explain(&rows);
            let groups: Vec<_> = plan.groups().iter().map(|group| group.strategy).collect();
            assert_eq!(groups, [PlannedStrategy::Prepared]);
        }
        // One row alone, in a separate call.
        let one = repeated(&row, &key, &signatures[..1]);
        assert!(engine.verify(&one).all_valid());
        assert_eq!(engine.verify_row(&row.row()), Ok(()));
        let stats = engine.key_store().stats();
        assert_eq!((stats.promotions, stats.tables), (1, 1));
        // Two names: the compressed point, and the uncompressed one, which parsed keys also use.
        assert_eq!((stats.keys, stats.misses, stats.distinct_keys), (2, 2, 1));
        assert_eq!(engine.stats().prepared, 5 * 300 + 2);
    }
    // A key remembered in one form is found in the other.
    for calls in [[encoded(&row.key), parsed()], [parsed(), encoded(&row.key)]] {
        let engine = engine(1);
        assert!(calls.iter().all(|rows| engine.verify(rows).all_valid()));
        let stats = engine.key_store().stats();
        assert_eq!((stats.hits, stats.misses, stats.keys), (1, 1, 1));
    }
}

/// Rows of parsed keys count like others: enough single rows earn a table.
#[test]
fn single_rows_add_up_to_a_table() {
    let row = valid_row(2, 8);
    let key = row.parsed();
    let signatures = [&row.signature[..]];
    let engines = [engine(1), engine(1)];
    for count in 1..60 {
        assert!(
            engines[0]
                .verify(&repeated(&row, &key, &signatures))
                .all_valid()
        );
        assert_eq!(engines[1].verify_row(&row.row()), Ok(()));
        assert_eq!(engines[0].stats(), engines[1].stats(), "row {count}");
    }
    assert_eq!(engines[0].stats().tables_built, 1);
}

#[test]
fn pinned_keys_need_no_other_table() {
    let row = valid_row(4, 9);
    let (key, another) = (row.parsed(), row.parsed());
    let store = Arc::new(KeyStore::new(1 << 20));
    store.pin(&key, 5).unwrap();
    let builder = Engine::builder().speed(Speed::Fixed).window(4);
    let engine = builder.key_store(store.clone()).build().unwrap();
    let signatures = vec![&row.signature[..]; 40];
    for keys in [Keys::from(&key), Keys::from(&another)] {
        assert!(
            engine
                .verify(&repeated(&row, keys, &signatures))
                .all_valid()
        );
    }
    let stats = engine.stats();
    assert_eq!((stats.rows_by_window[5], stats.prepared), (80, 80));
    assert_eq!((stats.tables_built, store.stats().tables), (0, 1));
    assert!(store.unpin(&another));
}
