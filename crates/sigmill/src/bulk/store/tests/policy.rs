//! The rule by which keys get tables and lose them.

use super::*;

#[test]
fn a_table_is_given_where_memory_is_free_and_grows() {
    let store = store_for(3, 5);
    let keys = points(2);
    assert_eq!(use_key(&store, &keys[0], 1, 2), Some(2));
    let small = store.stats().bytes_used;
    assert_eq!(use_key(&store, &keys[0], 1, 1), Some(2));
    assert_eq!(use_key(&store, &keys[0], 1, 5), Some(5));
    assert_eq!(use_key(&store, &keys[0], 1, 4), Some(5));
    let stats = store.stats();
    let counts = |stats: &KeyStoreStats| (stats.promotions, stats.evictions, stats.refused);
    assert_eq!(counts(&stats), (2, 0, 0));
    assert_eq!((stats.tables, stats.table_bytes), (1, 53_248));
    assert_eq!(stats.bytes_used - small, 53_248 - 16_512);
    for window in [0, 12, 64, u32::MAX] {
        assert_eq!(use_key(&store, &keys[1], 9, window), None);
    }
    assert_eq!(counts(&store.stats()), (2, 0, 0));
    assert_eq!(store.stats().tables, 1);
}

/// In a store for one table of window 4, B displaces A exactly if the rule says so.
#[test]
fn a_newcomer_must_save_more_than_the_victim_and_its_own_building() {
    let costs = &fixed_costs()[CurveName::P256];
    let (saves, costs) = (costs.saving(4), costs.build(4));
    let keys = points(2);
    let mut displaced = 0;
    for a in [0, 1, 2, 5, 20] {
        for b in 1..30u32 {
            let store = store_for(1, 4);
            assert_eq!(use_key(&store, &keys[0], a, 4), Some(4));
            let pays = u64::from(b) * saves > u64::from(a) * saves + costs;
            assert_eq!(pays, b >= a + 4, "{saves} {costs}");
            let expected = pays.then_some(4);
            assert_eq!(use_key(&store, &keys[1], b, 4), expected, "{a} {b}");
            assert_eq!(window_of(&store, &keys[0]), (!pays).then_some(4));
            let stats = store.stats();
            assert_eq!(stats.evictions, u64::from(pays));
            assert_eq!(stats.refused, u64::from(!pays));
            assert_eq!(stats.tables, 1);
            assert_within(&store);
            displaced += u32::from(pays);
        }
    }
    assert_eq!(displaced, 26 + 25 + 24 + 21 + 6);
}

#[test]
fn the_coldest_goes_first() {
    let store = store_for(4, 3);
    let keys = points(8);
    for (key, rows) in keys.iter().zip([30, 10, 20, 40]) {
        assert_eq!(use_key(&store, key, rows, 3), Some(3));
    }
    let held = || -> Vec<usize> {
        let has_table = |&i: &usize| window_of(&store, &keys[i]).is_some();
        (0..8).filter(has_table).collect()
    };
    assert_eq!(held(), [0, 1, 2, 3]);
    // 15 rows beat 10 and the cost of building, and then no table that is left.
    assert_eq!(use_key(&store, &keys[4], 15, 3), Some(3));
    assert_eq!(held(), [0, 2, 3, 4]);
    assert_eq!(use_key(&store, &keys[5], 16, 3), None);
    assert_eq!(use_key(&store, &keys[5], 9, 3), Some(3));
    assert_eq!(held(), [0, 2, 3, 5]);
    assert_eq!(use_key(&store, &keys[6], 27, 3), Some(3));
    assert_eq!(held(), [0, 3, 5, 6]);
    assert_eq!(store.stats().evictions, 3);
}

/// Growing from window 4 to 7 saves a tenth of what the small tables of others save. It waits for
/// free memory, unless the key is very much hotter.
#[test]
fn a_small_table_is_not_given_up_for_the_growth_of_another() {
    let store = store_for(8, 4);
    let keys = points(8);
    for key in &keys {
        assert_eq!(use_key(&store, key, 6, 4), Some(4));
    }
    assert_eq!(use_key(&store, &keys[0], 60, 7), None);
    assert_eq!(store.stats().tables, 8);
    assert_eq!(use_key(&store, &keys[0], 900, 7), Some(7));
    // 151,552 bytes in addition to its own 33,280, which go only when the new table exists.
    assert_eq!((store.stats().tables, store.stats().evictions), (3, 5));
    assert_within(&store);
}

#[test]
fn a_table_in_use_is_not_given_up() {
    let store = store_for(2, 3);
    let keys = points(3);
    let known = store.lookup(CurveName::P256, &keys[0]).unwrap();
    let in_use = store.promote(&known, 3).unwrap();
    assert_eq!(use_key(&store, &keys[1], 50, 3), Some(3));
    // The idle one goes, though it is hotter.
    assert_eq!(use_key(&store, &keys[2], 90, 3), Some(3));
    assert_eq!(window_of(&store, &keys[0]), Some(3));
    assert_eq!(window_of(&store, &keys[1]), None);
    drop(in_use);
    assert_eq!(use_key(&store, &keys[1], 50, 3), Some(3));
    assert_eq!(window_of(&store, &keys[0]), None);
}

#[test]
fn one_thread_builds_and_the_others_go_on() {
    let store = seeded(1 << 20);
    let key = &points(1)[0];
    let known = store.lookup(CurveName::P256, key).unwrap();
    store.promote(&known, 2).unwrap();
    let turn = store.tables().builders.try_begin(known.hash()).unwrap();
    assert!(store.promote(&known, 5).is_none());
    assert_eq!(store.promote(&known, 2).unwrap().window(), 2);
    assert_eq!(store.stats().refused, 0);
    drop(turn);
    assert_eq!(store.promote(&known, 5).unwrap().window(), 5);
}

/// Every key of the flood asks for a table, and each comes once or twice in all. The hot keys make
/// up a twentieth of the rows, and none of their tables goes.
#[test]
fn a_flood_of_single_keys_displaces_no_hot_table() {
    let store = store_for(8, 4);
    let flood = points(8 + 6 * 512);
    let (hot, flood) = flood.split_at(8);
    for key in hot {
        assert_eq!(use_key(&store, key, 6, 4), Some(4));
    }
    let mut given = 0;
    for (i, key) in flood.iter().chain(flood).enumerate() {
        given += usize::from(use_key(&store, key, 1, 4).is_some());
        if i % 20 == 0 {
            assert_eq!(use_key(&store, &hot[i / 20 % 8], 1, 4), Some(4), "{i}");
        }
        if i % 64 == 0 {
            assert_within(&store);
        }
    }
    let stats = store.stats();
    assert_eq!((given, stats.evictions), (0, 0));
    assert_eq!(stats.refused, 2 * flood.len() as u64);
    // Two additions per row: the sketch aged more than ten times.
    assert!(2 * stats.refused > 10 * store.contents().frequency.period());
    for key in hot {
        assert_eq!(window_of(&store, key), Some(4));
    }
}

/// A stronger flood: each key comes in six consecutive rows, and asks for a table at each. The hot
/// keys have half of the rows, so each is twice as frequent in a period, and no hot table goes.
#[test]
fn a_flood_of_keys_that_come_six_times_displaces_no_hot_table() {
    let all = points(1010);
    let (hot, flood) = all.split_at(10);
    for seed in 0..4 {
        let store = KeyStore::with_hasher(430 << 10, Hasher::Seeded(seed));
        for key in hot {
            assert_eq!(use_key(&store, key, 40, 4), Some(4));
        }
        for (i, key) in flood.iter().enumerate() {
            for j in 0..6 {
                assert_eq!(use_key(&store, key, 1, 4), None);
                assert_eq!(use_key(&store, &hot[(6 * i + j) % 10], 1, 4), Some(4));
            }
        }
        assert_eq!(store.stats().evictions, 0);
    }
}

/// Keys that were hot and stay away make way for those that come now.
#[test]
fn old_merits_fade() {
    let store = store_for(4, 4);
    let keys = points(8);
    for key in &keys[..4] {
        assert_eq!(use_key(&store, key, 100, 4), Some(4));
    }
    let rounds = (0..1000).position(|_| {
        let given = keys[4..]
            .iter()
            .filter(|key| use_key(&store, key, 1, 4).is_some());
        given.count() == 4
    });
    assert!((10..400).contains(&rounds.unwrap()), "{rounds:?}");
    assert_eq!(store.stats().evictions, 4);
    for key in &keys[..4] {
        assert_eq!(window_of(&store, key), None);
    }
}

/// Zipf's law over 2,000 keys, memory for 100 tables. With all frequencies known beforehand, and
/// tables for the 100 most frequent keys, 63 % of the rows would find a table. The store comes
/// close.
#[test]
fn most_rows_of_a_long_tail_find_a_table() {
    let store = store_for(100, 3);
    let keys = points(2000);
    let weights: Vec<f64> = (1..=keys.len()).map(|rank| 1.0 / rank as f64).collect();
    let total: f64 = weights.iter().sum();
    let best = weights[..100].iter().sum::<f64>() / total;
    assert!((0.63..0.64).contains(&best));
    let mut state = 1u64;
    let mut draw = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let mut left = (state >> 11) as f64 / (1u64 << 53) as f64 * total;
        let rank = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        rank.unwrap_or(0)
    };
    let (mut prepared, rows) = (0, 20_000);
    for i in 0..2 * rows {
        let known = store.lookup(CurveName::P256, &keys[draw()]).unwrap();
        let seen = known.rows_seen();
        store.count_rows(&known, 1);
        let table = store.table(&known);
        // Like an engine, it asks when a key has come a few times.
        let table = table.or_else(|| (seen > 3).then(|| store.promote(&known, 3)).flatten());
        prepared += usize::from(i >= rows && table.is_some());
    }
    let share = prepared as f64 / rows as f64;
    let stats = store.stats();
    assert!(share > 0.95 * best, "{share} of {best}: {stats:?}");
    assert_within(&store);
}
