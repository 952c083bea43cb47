//! The version of every peer, from this workspace's own lock file.

use anyhow::{Context as _, Result};
use cargo_lock::Lockfile;

/// The lock file this bench was built with.
const LOCK: &str = include_str!("../Cargo.lock");

/// Versions by crate name.
pub(crate) struct Versions(Lockfile);

impl Versions {
    pub(crate) fn of_this_build() -> Result<Self> {
        LOCK.parse().map(Self).context("bench/Cargo.lock")
    }

    /// The newest locked version of the crate `name`, or `unknown` if it is not locked.
    pub(crate) fn of(&self, name: &str) -> String {
        self.0
            .packages
            .iter()
            .filter(|p| p.name.as_str() == name)
            .map(|p| &p.version)
            .max()
            .map_or_else(|| "unknown".to_owned(), ToString::to_string)
    }

    /// `0.33.1 (secp256k1-sys 0.14.1)`: a crate and the one that contains its C code.
    pub(crate) fn of_with(&self, name: &str, inner: &str) -> String {
        format!("{} ({inner} {})", self.of(name), self.of(inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peer_is_in_the_lock_file() {
        let versions = Versions::of_this_build().unwrap();
        let peers = [
            "aws-lc-rs",
            "aws-lc-sys",
            "crrl",
            "graviola",
            "k256",
            "openssl",
            "p256",
            "p384",
            "ring",
            "secp256k1",
            "secp256k1-sys",
            "sigmill",
            "x25519-dalek",
        ];
        for peer in peers {
            assert_ne!(versions.of(peer), "unknown", "{peer}");
        }
        assert_eq!(versions.of("no-such-crate"), "unknown");
    }
}
