//! Rows as Arrow has them, by its C Data Interface: the rooms `abi`, the structs of the interface,
//! `source`, the buffers of an array, `array`, a column of bytes, and `batch`, the columns of rows.
//!
//! Schemas and arrays come from the same process, and how much memory a pointer stands for cannot
//! be
//! seen. All that can be is looked at: formats, numbers of buffers and children, signs, sums and
//! products of lengths, alignment, and offsets before anything that they point to.

pub mod abi;
pub(crate) mod array;
pub(crate) mod batch;
mod source;
