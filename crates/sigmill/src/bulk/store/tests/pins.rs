//! Pinned tables.

use super::*;

#[test]
fn pins_hold_against_everybody() {
    let store = store_for(3, 4);
    let keys = points(8);
    let any = |i: usize| AnyVerifyingKey::from_sec1_bytes(CurveName::P256, &keys[i]).unwrap();
    assert_eq!(use_key(&store, &keys[0], 1000, 4), Some(4));
    store.pin(&any(1), 4).unwrap();
    store.pin(&any(2), 2).unwrap();
    store.pin(&any(2), 1).unwrap();
    assert_eq!(window_of(&store, &keys[2]), Some(2));
    // For a moment a table and its replacement both exist: the third table goes.
    store.pin(&any(2), 4).unwrap();
    assert_eq!(window_of(&store, &keys[0]), None);
    assert_eq!(store.stats().pinned, 2);
    // The last place changes hands; the pinned tables, never used, stay.
    for (i, key) in keys.iter().enumerate().skip(3) {
        assert_eq!(use_key(&store, key, 3000 * i as u32, 4), Some(4));
    }
    assert_eq!(store.stats().tables, 3);
    assert_eq!(window_of(&store, &keys[1]), Some(4));
    assert_eq!(window_of(&store, &keys[2]), Some(4));
    // A pin displaces any other table, however hot.
    store.pin(&any(0), 4).unwrap();
    assert_eq!(window_of(&store, &keys[7]), None);
    // But it does not displace another pin.
    let error = store.pin(&any(5), 1).unwrap_err();
    assert!(
        matches!(error, Error::StoreMemory { needed, available }
            if needed > 16_448 && available < needed),
        "{error:?}"
    );
    let window = 12;
    assert_eq!(
        store.pin(&any(0), window),
        Err(Error::WindowOutOfRange { window })
    );
    assert_eq!(use_key(&store, &keys[6], 60_000, 4), None);
    assert_eq!(store.stats().pinned, 3);
    assert_within(&store);
    // Without its pin a table is like any other.
    assert!(store.unpin(&any(1)));
    assert!(!store.unpin(&any(1)));
    assert!(!store.unpin(&any(6)));
    // (A key that was refused waits for some rows before it asks again.)
    assert_eq!(use_key(&store, &keys[6], 31, 4), None);
    assert_eq!(use_key(&store, &keys[6], 1, 4), Some(4));
    assert_eq!(window_of(&store, &keys[1]), None);
    assert_eq!(store.stats().pinned, 2);
}

#[test]
fn a_pinned_key_is_found_under_every_name() {
    let store = seeded(1 << 20);
    let key = AnyVerifyingKey::from(generator());
    store.pin(&key, 3).unwrap();
    for compressed in [false, true] {
        let name = key.to_sec1_bytes(compressed);
        assert_eq!(window_of(&store, &name), Some(3));
    }
    assert!(store.unpin(&AnyVerifyingKey::from(generator())));
}

/// A pin waits for the thread that builds a table of the same key, and then succeeds.
#[test]
fn a_pin_waits_for_another_builder() {
    let store = seeded(1 << 20);
    let key = AnyVerifyingKey::from(generator());
    let known = store.known(&key);
    let turn = store.tables().builders.try_begin(known.hash()).unwrap();
    std::thread::scope(|scope| {
        let pinning = scope.spawn(|| store.pin(&key, 3));
        // Enough time to go wrong.
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert_eq!(store.stats().tables, 0);
        drop(turn);
        pinning.join().unwrap().unwrap();
    });
    assert_eq!(store.stats().pinned, 1);
}
