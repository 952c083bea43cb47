//! The public key in a file, in whatever encoding: told apart by content.
