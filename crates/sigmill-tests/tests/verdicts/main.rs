//! Valid and invalid signatures: every strategy, window and backend against each other, against
//! OpenSSL and RustCrypto, and against vectors.

mod adversarial;
mod batch;
mod bulk;
mod friendly;
mod hints;
mod key_store;
mod many;
mod properties;
mod recover;
mod reduced_x;
mod rounding;
mod wycheproof;
