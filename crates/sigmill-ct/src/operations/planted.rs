//! Leaks on purpose, which show that the suite can fail.

use std::hint::black_box;

use sigmill::hazmat::ct;

use super::Operation;
use super::inputs::{bytes, is_public, stays_secret};

pub(super) fn list(operations: &mut Vec<Operation>) {
    let leaks: [(&str, fn()); 4] = [
        ("planted-branch", branch),
        ("planted-index", index),
        ("planted-lost-mark", lost_mark),
        ("planted-undeclared", undeclared),
    ];
    operations.extend(leaks.map(|(name, run)| Operation {
        planted: true,
        ..Operation::new(name, run)
    }));
}

/// Only one of the two branches calls a function.
fn branch() {
    let secret: [u8; 1] = ct::classify(&bytes(1));
    if secret[0] & 1 == 1 {
        visit();
    }
}

#[inline(never)]
fn visit() {
    black_box(());
}

/// Reads a table at a secret index.
fn index() {
    let table: [u8; 256] = bytes(2);
    let secret: [u8; 1] = ct::classify(&bytes(3));
    black_box(black_box(&table)[usize::from(secret[0])]);
}

/// A result that must be secret and is not: the operation was not checked.
fn lost_mark() {
    stays_secret(black_box(bytes::<1>(4)));
}

/// A result that must be public and is not: a user of it would leak.
fn undeclared() {
    is_public(ct::classify(&bytes::<1>(5)));
}
