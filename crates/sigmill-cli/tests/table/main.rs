//! `sigmill table` through the command.

mod fixture;
mod forms;
mod keys;
