//! `sigmill verify`, `sigmill sample`, and `sigmill` without arguments, through the command.

mod convert;
mod demo;
mod effort;
mod encodings;
mod files;
mod hint_tables;
mod hints;
mod key_store;
mod meaning;
mod meaning_ipc;
mod memory;
#[cfg(not(feature = "transactions"))]
mod no_transactions;
mod output;
mod proportion;
mod rows;
mod same_bytes;
mod same_file;
mod sample;
#[cfg(unix)]
mod signals;
mod streams;
mod summary;
mod support;
mod terminal;
mod threads;
mod whole;
