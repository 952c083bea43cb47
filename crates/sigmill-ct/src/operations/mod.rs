//! What is checked: every operation on a secret, by name.

mod agreement;
mod ecdsa;
mod field;
mod inputs;
mod multiply;
mod planted;
mod x25519;

use std::hint::black_box;

/// Something that takes a secret.
pub(crate) struct Operation {
    /// The name, such as `p256/field/mul`.
    pub(crate) name: String,
    /// Whether it leaks on purpose.
    pub(crate) planted: bool,
    /// Runs it once. Panics where a mark went astray.
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

/// Takes a result, which the compiler must believe to be used.
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
