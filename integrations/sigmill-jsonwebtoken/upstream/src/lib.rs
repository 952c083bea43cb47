//! The tests of the crate jsonwebtoken, versions 11 and 10, run with sigmill's provider: `cargo
//! test -p jsonwebtoken-tests`. The sources are those of the packages that cargo fetched;
//! `build.rs` finds them.
