//! `sigmill table` through the command.

mod binary;
mod fixture;
mod forms;
mod keys;
