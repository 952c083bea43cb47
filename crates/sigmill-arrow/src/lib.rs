//! Columns of bytes or text in any layout of Arrow, read where they lie by its C Data Interface.
//!
//! A schema and arrays come from the same process, but what is in them may come from another one.
//! How much memory a pointer stands for cannot be seen; all that can be is looked at before it is
//! believed: formats, numbers of buffers and children, signs, sums and products of lengths,
//! alignment, and offsets before anything that they point to.
//!
//! The rooms: `abi`, the structs of the interface, `error`, what can be wrong with them, `buffers`,
//! the memory of an array, `bytes`, an array of bytes, `fields`, the columns of structs.

mod abi;
mod buffers;
mod bytes;
mod error;
mod fields;

pub use abi::{ArrowArray, ArrowSchema};
pub use bytes::{Accepted, Bytes};
pub use error::{ArrayError, ErrorKind, room};
pub use fields::{Fields, StructRows};
