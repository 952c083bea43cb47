#![cfg_attr(feature = "v11", doc = include_str!("../README.md"))]

#[cfg(not(any(feature = "aws_lc_rs", feature = "rust_crypto")))]
compile_error!("feature `aws_lc_rs` or `rust_crypto` says who does all but ES256 and ES384");

#[cfg(not(any(feature = "v10", feature = "v11")))]
compile_error!("feature `v10` or `v11` says which jsonwebtoken this is for");

mod engine;
mod point;
#[macro_use]
mod provider;
mod secret;

pub use engine::{KEY_MEMORY, engine, set_engine};
pub use sigmill;

/// The provider for jsonwebtoken 10.
#[cfg(all(feature = "v10", any(feature = "aws_lc_rs", feature = "rust_crypto")))]
pub mod v10 {
    provider!(jsonwebtoken_10, inner);
}

/// The provider for jsonwebtoken 11.
#[cfg(all(feature = "v11", any(feature = "aws_lc_rs", feature = "rust_crypto")))]
pub mod v11 {
    provider!(jsonwebtoken, as_bytes);
}
