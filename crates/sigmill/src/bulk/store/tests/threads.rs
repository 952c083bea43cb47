//! Several threads that share one store.

use super::*;
use crate::bulk::forks::tests::in_child;

/// Threads look up, ask for tables of all windows, pin, unpin, save and load in a store that is too
/// small, and some of them hold on to tables. At every moment the budget holds; afterwards the
/// books balance, and every table is that of its key.
#[test]
fn the_books_balance_after_a_storm() {
    let store = &seeded(300 << 10);
    let keys = &points(40);
    let any = |i: usize| AnyVerifyingKey::from_sec1_bytes(CurveName::P256, &keys[i]).unwrap();
    store.pin(&any(39), 2).unwrap();
    let mut saved = vec![];
    store.save(&mut saved).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..6u64 {
            let saved = &saved;
            scope.spawn(move || {
                let mut state = thread;
                let mut held = vec![];
                for step in 0..400u64 {
                    state = hash(state, step, thread, &[]);
                    let [a, b, c] = [8, 16, 24].map(|shift| (state >> shift) as usize % 39);
                    let known = store.lookup(CurveName::P256, &keys[a.min(b)]).unwrap();
                    store.count_rows(&known, 1 + c as u32 % 9);
                    let table = store.promote(&known, 1 + c as u32 % 6);
                    let table = table.or_else(|| store.table(&known));
                    if let Some(table) = table {
                        assert_eq!(table.verifying_key(), *known.key());
                        held.push(table);
                    }
                    if held.len() > 2 {
                        held.clear();
                    }
                    match state >> 58 {
                        0 => drop(store.pin(&any(c), 1)),
                        1..=4 => drop(store.unpin(&any(c))),
                        5 => drop(store.save(std::io::sink()).unwrap()),
                        6 => drop(store.load(&saved[..])),
                        _ => {}
                    }
                    assert_within(store);
                }
            });
        }
    });
    // Tables in use are gone when room is next requested.
    assert!(!store.tables().restore(&store.known(&any(39)), 1));
    let saved = store.contents().saved.reserved();
    assert_eq!(store.tables().budget.used(), store.held_bytes() + saved);
    let stats = store.stats();
    assert!(stats.promotions > 5 && stats.evictions > 2, "{stats:?}");
    assert_eq!(window_of(store, &keys[39]), Some(2));
    let held = store.tables().snapshot(&store.contents().frequency);
    assert_eq!(held.len() as u64, stats.tables);
    for held in held {
        let known = store.lookup(held.key.curve(), &held.key.to_sec1_bytes(true));
        let table = store.table(&known.unwrap()).unwrap();
        assert_eq!(
            (table.verifying_key(), table.window()),
            (held.key, held.window)
        );
    }
}

/// Many threads ask for the table of one key, at the same time and under two names: it is built
/// once.
#[test]
fn one_table_is_built_for_all_who_ask() {
    for round in 0..20 {
        let store = seeded(1 << 20);
        let key = AnyVerifyingKey::from(generator());
        let start = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (store, start, name) = (&store, &start, key.to_sec1_bytes(thread % 2 == 0));
                scope.spawn(move || {
                    start.wait();
                    let known = store.lookup(CurveName::P256, &name).unwrap();
                    store.promote(&known, 3);
                });
            }
        });
        let stats = store.stats();
        assert_eq!((stats.promotions, stats.tables), (1, 1), "{round}");
        assert_eq!(stats.keys, 2);
    }
}

/// In the child of a process that forks while a thread builds the table of a key and others are
/// pinned, nobody waits: the child has its own store.
#[test]
fn a_child_has_a_store_of_its_own() {
    let store = seeded(1 << 20);
    let key = AnyVerifyingKey::from(generator());
    let known = store.known(&key);
    store.pin(&key, 2).unwrap();
    let turn = store.tables().builders.try_begin(known.hash()).unwrap();
    in_child(1, || {
        assert_eq!(store.stats().tables, 0);
        store.pin(&key, 3).unwrap();
        assert_eq!(window_of(&store, &key.to_sec1_bytes(true)), Some(3));
    });
    drop(turn);
    assert_eq!(window_of(&store, &key.to_sec1_bytes(true)), Some(2));
}
