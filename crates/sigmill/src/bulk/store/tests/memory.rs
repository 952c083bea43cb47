//! The bytes that the store reports, and the bytes that it has allocated.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use super::*;

/// An allocator that counts what each thread has allocated and not freed.
struct Counting;

thread_local! {
    static ALLOCATED: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: usize, sign: isize) {
    // A thread that is ending has no counter any more, and needs none.
    let _ = ALLOCATED.try_with(|count| count.set(count.get() + sign * bytes as isize));
}

// SAFETY: every call is passed to the system's allocator unchanged; the counter allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 1);
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(layout.size(), -1);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The store reports all bytes that it has allocated, and little more.
#[test]
fn bytes_used_are_bytes_allocated() {
    let all = points(4000);
    let spki = hex("3059301306072a8648ce3d020106082a8648ce3d030107034200");
    for memory in [0, 64 << 10, 300 << 10, 2 << 20, 5 << 20] {
        let start = ALLOCATED.get();
        let store = seeded(memory);
        let check = |when: usize| {
            let live = (ALLOCATED.get() - start) as u64;
            let used = store.stats().bytes_used;
            let limit = (memory as u64).max(16 << 10);
            assert!(live <= used && used <= limit, "{when}: {live} {used}");
            // The allowance for the allocator and for slots is small.
            assert!(used - live < 2000 + live / 2, "{when}: {live} {used}");
        };
        check(0);
        for (i, key) in all.iter().enumerate() {
            let encoded = if i % 3 == 0 {
                [&spki[..], key].concat()
            } else {
                key.clone()
            };
            use_key(&store, &encoded, 1 + i as u32 % 40, [2, 3, 5][i % 3]);
            drop(encoded);
            if i % 50 == 0 {
                check(1 + i);
            }
        }
        let stats = store.stats();
        assert_eq!(stats.tables > 0, memory >= 64 << 10, "{stats:?}");
        assert_eq!(stats.evictions > 0, memory >= 64 << 10, "{stats:?}");
        drop(store);
        assert_eq!(ALLOCATED.get(), start);
    }
}

/// The memory follows the keys, not the budget: no budget is too large to begin with.
#[test]
fn a_large_budget_costs_nothing_until_it_is_used() {
    let keys = points(2000);
    for memory in [1 << 30, 1 << 40, usize::MAX] {
        let start = ALLOCATED.get();
        let store = seeded(memory);
        for (i, key) in keys.iter().enumerate() {
            use_key(&store, key, 1, 1);
            let tables = store.stats().table_bytes as usize;
            let live = (ALLOCATED.get() - start) as usize - tables;
            assert!(live < (100 << 10) + 4096 * (i + 1), "{memory}: {i}: {live}");
        }
        let stats = store.stats();
        assert_eq!((stats.keys, stats.tables, stats.evictions), (2000, 2000, 0));
        assert_eq!(stats.bytes_limit, memory as u64);
    }
}

#[test]
fn a_table_that_is_replaced_in_use_stays_counted_until_it_is_gone() {
    let store = store_for(3, 5);
    let known = store.lookup(CurveName::P256, &points(1)[0]).unwrap();
    let small = store.promote(&known, 2).unwrap();
    let one = store.tables().budget.used();
    let large = store.promote(&known, 5).unwrap();
    assert_eq!(small.window(), 2);
    assert_eq!(store.tables().budget.used(), one + store.held_bytes());
    drop((small, large));
    // This is noticed when room is next requested.
    assert!(!store.tables().restore(&known, 5));
    assert_eq!(store.tables().budget.used(), store.held_bytes());
    assert!(store.held_bytes() < one + 53_248);
}
