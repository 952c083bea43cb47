//! Public and private keys: typed by curve, or on a curve known only at run time; their files, and
//! what they do.

pub(crate) mod any;
#[cfg(feature = "signing")]
pub(crate) mod any_signing_key;
mod any_verify;
#[cfg(feature = "signing")]
mod blocks;
mod conversions;
mod document_traits;
#[cfg(feature = "signing")]
mod generate_many;
#[cfg(feature = "jwk")]
mod jwk;
#[cfg(feature = "signing")]
mod key_files;
mod kinds;
pub(crate) mod options;
mod prepared_key;
#[cfg(feature = "signing")]
mod private_document_traits;
#[cfg(all(feature = "jwk", feature = "signing"))]
mod private_jwk;
pub(crate) mod recover;
#[cfg(feature = "signing")]
mod secret_scalar;
#[cfg(feature = "signing")]
mod sign_many;
#[cfg(feature = "signing")]
mod signing_key;
#[cfg(feature = "signing")]
mod signing_traits;
mod traits;
mod verify;
mod verifying_key;
pub(crate) mod warm_up;

pub(crate) use any::{AnyPreparedKey, AnyVerifyingKey};
#[cfg(feature = "signing")]
pub(crate) use any_signing_key::{AnySigningKey, SigningKeyKind};
#[cfg(feature = "signing")]
pub(crate) use blocks::in_blocks_of_secrets;
#[cfg(feature = "signing")]
pub use generate_many::public_keys;
pub(crate) use kinds::{OfKind, for_any, kind_list};
pub(crate) use options::{Input, VerifyOptions};
pub use prepared_key::{PreparedKey, TableCoordinate};
pub(crate) use recover::recover_many_vartime;
#[cfg(feature = "signing")]
pub use secret_scalar::SecretScalar;
#[cfg(feature = "signing")]
pub use sign_many::{sign_prehash_many, sign_prehash_many_with};
#[cfg(feature = "signing")]
pub use signing_key::SigningKey;
pub use verifying_key::VerifyingKey;
