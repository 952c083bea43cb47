//! Rows of keys, messages and signatures to verdicts.
