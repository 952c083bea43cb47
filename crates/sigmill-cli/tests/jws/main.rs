//! `sigmill jws` through the command.

mod fixture;
mod keys;
mod tokens;
