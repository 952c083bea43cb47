//! `sigmill recover` through the command.

mod damaged;
mod lines;
mod numbers;
mod support;
mod tables;
mod transactions;
