//! Columns of bytes or text in any layout of Arrow, read in place by its C Data Interface.
//!
//! A schema and arrays come from the same process, but their contents may come from another one.
//! The amount of memory behind a pointer cannot be checked. Everything else is checked before it is
//! used: formats, numbers of buffers and children, signs, sums and products of lengths, alignment,
//! and offsets before anything that they point to.
//!
//! Modules: `abi` has the structs of the interface, `error` the defects of arrays, `buffers` the
//! memory of an array, `bytes` arrays of bytes, and `fields` the columns of structs.

mod abi;
mod buffers;
mod bytes;
mod error;
mod fields;

pub use abi::{ArrowArray, ArrowSchema};
pub use bytes::{Accepted, Bytes};
pub use error::{ArrayError, ErrorKind, room};
pub use fields::{Fields, StructRows};
