//! `sigmill keygen`, `sigmill sign` and `sigmill ecdh`, through the command.

mod agreement;
mod files;
mod keys;
mod signing;
mod support;
