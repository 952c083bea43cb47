//! Fields: modulo p and n.

use sigmill::for_each_curve;
use sigmill::hazmat::cpu::Adx;
use sigmill::hazmat::ct;
use sigmill::hazmat::curve::{
    BaseField, Curve, NamedCurve, Operation as CurveOperation, ScalarField,
};
use sigmill::hazmat::field::c25519::{C25519Adx, C25519Field, C25519Portable};
use sigmill::hazmat::field::{PrimeField, invert_two};

use super::inputs::{secret_element, stays_secret};
use super::{Operation, prefix};

/// An operation of a field of single values.
#[derive(Clone, Copy)]
enum Of {
    Add,
    Sub,
    SubBoth,
    Negate,
    Double,
    Half,
    Mul,
    Square,
    Select,
    NegateIf,
    Equal,
    IsZero,
    IsOdd,
    ToInteger,
    WriteBytes,
    Invert,
    InvertTwo,
    Legendre,
}

const ALL: [(&str, Of); 18] = [
    ("add", Of::Add),
    ("sub", Of::Sub),
    ("sub-both", Of::SubBoth),
    ("negate", Of::Negate),
    ("double", Of::Double),
    ("half", Of::Half),
    ("mul", Of::Mul),
    ("square", Of::Square),
    ("select", Of::Select),
    ("negate-if", Of::NegateIf),
    ("equal", Of::Equal),
    ("is-zero", Of::IsZero),
    ("is-odd", Of::IsOdd),
    ("to-integer", Of::ToInteger),
    ("write-bytes", Of::WriteBytes),
    ("invert", Of::Invert),
    ("invert-two", Of::InvertTwo),
    ("legendre", Of::Legendre),
];

fn run<F: PrimeField>(field: F, of: Of) {
    let a = &secret_element(field, 1);
    let b = &secret_element(field, 2);
    let c = &secret_element(field, 3);
    match of {
        Of::Add => stays_secret(field.add(a, b)),
        Of::Sub => stays_secret(field.sub(a, b)),
        Of::SubBoth => stays_secret(field.sub_both(a, b, c)),
        Of::Negate => stays_secret(field.negate(a)),
        Of::Double => stays_secret(field.double(a)),
        Of::Half => stays_secret(field.half(a)),
        Of::Mul => stays_secret(field.mul(a, b)),
        Of::Square => stays_secret(field.square(a)),
        Of::Select => stays_secret(field.select(ct::classify(&true), a, b)),
        Of::NegateIf => stays_secret(field.negate_if(a, ct::classify(&true))),
        Of::Equal => stays_secret(field.equal(a, b)),
        Of::IsZero => stays_secret(field.is_zero(a)),
        Of::IsOdd => stays_secret(field.is_odd(a)),
        Of::ToInteger => stays_secret(field.to_integer(a)),
        Of::WriteBytes => {
            let mut bytes = [0; 66];
            field.write_be_bytes(a, &mut bytes[..field.bytes()]);
            stays_secret(bytes);
        }
        Of::Invert => stays_secret(field.invert(a)),
        Of::InvertTwo => {
            let (a, b) = invert_two((field, a), (field, b));
            stays_secret(a);
            stays_secret(b);
        }
        Of::Legendre => stays_secret(field.legendre(a)),
    }
}

/// One of the two fields of a curve.
#[derive(Clone, Copy)]
enum Modulo {
    Base,
    Order,
}

struct OnCurve(Modulo, Of);

impl<C: Curve> CurveOperation<C> for OnCurve {
    type Output = ();

    #[inline(always)]
    fn run<F: BaseField<C>, S: ScalarField<C>>(self, _: C, base: F, order: S) {
        match self.0 {
            Modulo::Base => run(base, self.1),
            Modulo::Order => run(order, self.1),
        }
    }
}

/// Runs an operation modulo 2^255 - 19.
fn run_c25519(of: Of) {
    match Adx::detect() {
        Some(proof) => run(C25519Field::new(C25519Adx::new(proof)), of),
        None => run(C25519Field::new(C25519Portable), of),
    }
}

/// The operations of the fields of a curve.
fn list_of<C: NamedCurve + Default>(operations: &mut Vec<Operation>) {
    let (curve, name) = (C::default().curve(), prefix::<C>());
    for (operation, of) in ALL {
        for (field, modulo) in [("field", Modulo::Base), ("order", Modulo::Order)] {
            operations.push(Operation::new(
                format!("{name}/{field}/{operation}"),
                move || curve.dispatch(OnCurve(modulo, of)),
            ));
        }
    }
}

pub(super) fn list(operations: &mut Vec<Operation>) {
    // Two inversions end in integers that are decoded again: modulo 2^255 - 19 only for public
    // ones.
    let alone = |of: &Of| !matches!(of, Of::InvertTwo);
    for (name, of) in ALL.into_iter().filter(|(_, of)| alone(of)) {
        operations.push(Operation::new(format!("c25519/field/{name}"), move || {
            run_c25519(of)
        }));
    }
    for_each_curve!(C => list_of::<C>(operations));
}
