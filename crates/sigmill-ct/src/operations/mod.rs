//! The checked operations: every operation on a secret, by name.

mod agreement;
mod ecdsa;
mod field;
mod inputs;
mod multiply;
mod planted;
mod x25519;

use std::hint::black_box;

use sigmill::curves::NamedCurve;

/// An operation on a secret.
pub(crate) struct Operation {
    /// The name, such as `p256/field/mul`.
    pub(crate) name: String,
    /// True for a control that leaks on purpose.
    pub(crate) planted: bool,
    /// Runs it once. Panics if a mark is missing or unexpected.
    pub(crate) run: Box<dyn Fn()>,
}

impl Operation {
    fn new(name: impl Into<String>, run: impl Fn() + 'static) -> Self {
        Self {
            name: name.into(),
            planted: false,
            run: Box::new(run),
        }
    }
}

/// The prefix of the names of a curve's operations, such as `p256`.
fn prefix<C: NamedCurve + Default>() -> String {
    let name = C::default().name().as_str();
    name.to_lowercase().replace('-', "")
}

/// Consumes a result, so that the compiler must assume it is used.
#[inline(always)]
pub(crate) fn use_up<T>(value: T) {
    black_box(value);
}

/// Every operation, layer by layer.
pub(crate) fn all() -> Vec<Operation> {
    let mut operations = vec![];
    field::list(&mut operations);
    multiply::list(&mut operations);
    ecdsa::list(&mut operations);
    agreement::list(&mut operations);
    x25519::list(&mut operations);
    planted::list(&mut operations);
    operations
}
