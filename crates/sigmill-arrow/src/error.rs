//! What can be wrong with an array.

/// The rule that an array breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayError {
    /// Of which kind it is.
    pub kind: ErrorKind,
    /// The rule in words, to stand behind the name of a column.
    pub rule: String,
}

/// What a rule is about.
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
    /// A row that is null as a whole.
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

/// Room for so many values.
///
/// # Errors
/// [`ErrorKind::Memory`] where there is none: the number is only claimed.
pub fn room<T>(len: usize) -> Result<Vec<T>, ArrayError> {
    let mut values = Vec::new();
    let reserved = values.try_reserve_exact(len);
    let rule = || format!("there is not enough memory for {len} rows");
    reserved.map_err(|_| ArrayError::new(ErrorKind::Memory, rule()))?;
    Ok(values)
}
