//! Defects of an array.

/// The rule that an array breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayError {
    /// The kind of the rule.
    pub kind: ErrorKind,
    /// The rule in words, to follow the name of a column.
    pub rule: String,
}

/// The subject of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A schema or an array that was released.
    Released,
    /// The type of an array.
    Format,
    /// The names of columns.
    Columns,
    /// The number of children, or the pointers to them, or to a dictionary.
    Children,
    /// The number of buffers, or the pointers to them.
    Buffers,
    /// Lengths and offsets.
    Length,
    /// A row that is wholly null.
    Nulls,
    /// There is not enough memory.
    Memory,
}

impl ArrayError {
    pub(crate) fn new(kind: ErrorKind, rule: impl Into<String>) -> Self {
        let rule = rule.into();
        Self { kind, rule }
    }
}

impl From<ArrayError> for String {
    fn from(error: ArrayError) -> Self {
        error.rule
    }
}

/// Allocates room for `len` values.
///
/// # Errors
/// [`ErrorKind::Memory`] if there is not enough: `len` is only claimed.
pub fn room<T>(len: usize) -> Result<Vec<T>, ArrayError> {
    let mut values = Vec::new();
    let reserved = values.try_reserve_exact(len);
    let rule = || format!("there is not enough memory for {len} rows");
    reserved.map_err(|_| ArrayError::new(ErrorKind::Memory, rule()))?;
    Ok(values)
}
