//! `sigmill recover` through the command.

mod damaged;
mod lines;
mod support;
mod tables;
mod transactions;
