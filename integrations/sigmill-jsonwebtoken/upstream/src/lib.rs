//! The tests of the crate jsonwebtoken, of version 11 and of version 10, run with the provider of
//! sigmill: `cargo test -p jsonwebtoken-tests`. Their sources are those of the packages as cargo
//! has fetched them; `build.rs` finds them.
