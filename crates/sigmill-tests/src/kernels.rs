//! The curves again on other kernels and with other constants, single values only. (The backends of
//! the curves themselves run in processes of their own: [`on_every_backend`](crate::processes::on_every_backend).)

use once_cell::race::OnceBox;
use sigmill::CurveName;
use sigmill::curve::{
    AGeneral, AffinePoint, Curve, NamedCurve, Operation, P256, P384, Points, Secp256k1,
};
use sigmill::field::p256::{FieldElement as P256Element, P256Prime};
use sigmill::field::p384::{FieldElement as P384Element, P384Field};
use sigmill::field::secp256k1::{
    FieldElement as Secp256k1Element, Secp256k1Field, Secp256k1Kernel,
};
use sigmill::field::{MontgomeryField, Portable};
use sigmill::scalar::{
    P256Scalar, P256ScalarField, P384Scalar, P384ScalarField, Secp256k1Scalar, Secp256k1ScalarField,
};

macro_rules! curve_on_kernel {
    (
        $(#[$doc:meta])* $name:ident like $like:ident, $limbs:literal limbs,
        elements $element:ty, scalars $scalar:ty, window $window:literal,
        base $base:ty = $base_value:expr, order $order:ty
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name;

        impl Curve for $name {
            const LABEL: &'static str = stringify!($name);
            type Integer = [u64; $limbs];
            type BaseElement = $element;
            type ScalarElement = $scalar;
            type A = AGeneral;
            const A: $element = $like::A;
            const B: $element = $like::B;
            const GENERATOR: AffinePoint<$element> = $like::GENERATOR;
            const GENERATOR_WINDOW: u32 = $window;
            const BASE_WINDOW: u32 = $window;
            type BaseField = $base;
            type ScalarField = $order;

            fn base_field() -> $base {
                <$base>::new($base_value)
            }

            fn scalar_field() -> $order {
                <$order>::new(Portable::new())
            }

            fn generator_cell() -> &'static OnceBox<Points<$element>> {
                static CELL: OnceBox<Points<$element>> = OnceBox::new();
                &CELL
            }

            fn base_cell() -> &'static OnceBox<Points<$element>> {
                static CELL: OnceBox<Points<$element>> = OnceBox::new();
                &CELL
            }

            fn dispatch<O: Operation<Self>>(operation: O) -> O::Output {
                operation.run(Self::base_field(), Self::scalar_field())
            }
        }

        impl NamedCurve for $name {
            const NAME: CurveName = $like::NAME;
        }
    };
}

curve_on_kernel!(
    /// P-256 on the generic kernel, with nothing known of a, and another window for G.
    P256Generic like P256, 4 limbs,
    elements P256Element, scalars P256Scalar, window 5,
    base MontgomeryField<Portable<P256Prime>, 4> = Portable::new(), order P256ScalarField
);

curve_on_kernel!(
    /// P-384 with nothing known of a, and another window for G.
    P384Generic like P384, 6 limbs,
    elements P384Element, scalars P384Scalar, window 3,
    base P384Field = Portable::new(), order P384ScalarField
);

curve_on_kernel!(
    /// secp256k1 on the portable kernel, with nothing known of a, and another window for G.
    Secp256k1Generic like Secp256k1, 4 limbs,
    elements Secp256k1Element, scalars Secp256k1Scalar, window 5,
    base Secp256k1Field = Secp256k1Kernel, order Secp256k1ScalarField
);
