//! Rows and their results, as columns in the layouts that programs and files use.

#[cfg(feature = "arrow")]
mod arrow;
mod column;
mod digests;
mod distinct;
mod hints;
mod inputs;
mod keys;
mod layout;
mod recover_rows;
mod recovered;
mod row;
mod rows;
mod shape_error;
mod signatures;
mod verdicts;

pub use column::Column;
pub use hints::Hints;
pub use inputs::Inputs;
pub use keys::Keys;
pub use layout::Integers;
pub use recover_rows::RecoverRows;
pub use recovered::Recovered;
pub use row::Row;
pub use rows::{Algorithms, Rows};
pub use shape_error::{Field, ShapeError};
pub use signatures::Signatures;
pub use verdicts::Verdicts;

pub(super) use digests::{Digests, RowDigest};
pub(super) use distinct::DistinctKeys;
pub(super) use keys::{ParsedKey, RowKey};
pub(super) use recovered::key_len;
pub(super) use row::KeyedRow;
