//! JOSE: JSON Web Keys and key sets (RFC 7517, RFC 7518 §6.2), and compact JWS tokens (RFC 7515)
//! signed with ES256, ES384, ES512 or ES256K.
//!
//! ```
//! use sigmill::jose::{self, JwkSet};
//!
//! // RFC 7515 §A.3.
//! let keys = JwkSet::from_json(r#"{"keys":[{"kty":"EC","crv":"P-256",
//!     "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
//!     "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}"#)?;
//! let token = "eyJhbGciOiJFUzI1NiJ9.\
//!     eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt\
//!     cGxlLmNvbS9pc19yb290Ijp0cnVlfQ.\
//!     DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSA\
//!     pmWQxfKTUJqPP3-Kg6NU1Q";
//!
//! // A gateway that sees many tokens prepares its keys once.
//! let keys = keys.prepare();
//! let verified = jose::verify_compact(token, &keys)?;
//! // Whether "exp" is still to come is for the caller to see: it is not.
//! assert!(verified.payload().starts_with(br#"{"iss":"joe","#));
//! # Ok::<(), jose::Error>(())
//! ```
//!
//! Only JSON that every reader reads alike is accepted. An object with a repeated member, at any
//! depth, and text that is not Unicode are rejected.

mod error;
mod header;
mod jwk;
mod key_set;
mod token;

pub use error::{Error, MAX_TOKEN_LEN};
pub use header::Header;
pub use jwk::Jwk;
pub use key_set::JwkSet;
pub use token::{CompactToken, ResolvedToken, VerifiedToken, verify_compact};
