//! The curves again, each tied to one backend: so that every backend runs in one process, whatever
//! the CPU has and `SIGMILL_CPU` says.

use std::any::Any;

use once_cell::race::OnceBox;
use sigmill::CurveName;
use sigmill::curve::{
    AGeneral, AMinus3, AZero, AffinePoint, Curve, LanesOperation, NamedCurve, Operation, P256,
    P384, Points, Secp256k1,
};
use sigmill::field::p256::{
    FieldElement as P256Element, P256Field, P256FieldX8, P256Kernel, P256Prime,
};
use sigmill::field::p384::{FieldElement as P384Element, P384Field};
use sigmill::field::secp256k1::{
    FieldElement as Secp256k1Element, Secp256k1Field, Secp256k1FieldX8, Secp256k1Kernel,
};
use sigmill::field::{MontgomeryField, Portable};
use sigmill::limbs::PortableWords;
use sigmill::scalar::{
    P256Order, P256Scalar, P256ScalarField, P256ScalarFieldX8, P384Scalar, P384ScalarField,
    Secp256k1Order, Secp256k1Scalar, Secp256k1ScalarField, Secp256k1ScalarFieldX8,
};

macro_rules! pinned_curve {
    (
        $(#[$doc:meta])* $name:ident like $like:ident, $limbs:literal limbs,
        elements $element:ty, scalars $scalar:ty, tangent $tangent:ty, window $window:literal,
        base $base:ty = $base_value:expr, order $order:ty
        $(, lanes $lanes:ty, $order_lanes:ty, $words:expr)?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name;

        impl Curve for $name {
            const LABEL: &'static str = stringify!($name);
            type Integer = [u64; $limbs];
            type BaseElement = $element;
            type ScalarElement = $scalar;
            type A = $tangent;
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

            fn spread_cell() -> Option<&'static OnceBox<Box<dyn Any + Send + Sync>>> {
                static CELL: OnceBox<Box<dyn Any + Send + Sync>> = OnceBox::new();
                Some(&CELL)
            }

            $(fn dispatch_lanes<O: LanesOperation<Self>>(operation: O) -> O::Output {
                operation.run(<$lanes>::new($words, $base_value), <$order_lanes>::new($words, Portable::new()))
            })?
        }

        impl NamedCurve for $name {
            const NAME: CurveName = $like::NAME;
        }
    };
}

pinned_curve!(
    /// P-256 on the portable kernel.
    P256Portable like P256, 4 limbs,
    elements P256Element, scalars P256Scalar, tangent AMinus3, window 8,
    base P256Field = P256Kernel, order P256ScalarField
);

pinned_curve!(
    /// P-256 in eight lanes of portable code.
    P256Lanes like P256, 4 limbs,
    elements P256Element, scalars P256Scalar, tangent AMinus3, window 6,
    base P256Field = P256Kernel, order P256ScalarField,
    lanes P256FieldX8<PortableWords, P256Kernel>,
    P256ScalarFieldX8<PortableWords, Portable<P256Order>>, PortableWords
);

pinned_curve!(
    /// P-256 on the generic kernel, with nothing known of a, and another window for G.
    P256Generic like P256, 4 limbs,
    elements P256Element, scalars P256Scalar, tangent AGeneral, window 5,
    base MontgomeryField<Portable<P256Prime>, 4> = Portable::new(), order P256ScalarField
);

pinned_curve!(
    /// P-384 with nothing known of a, and another window for G.
    P384Generic like P384, 6 limbs,
    elements P384Element, scalars P384Scalar, tangent AGeneral, window 3,
    base P384Field = Portable::new(), order P384ScalarField
);

pinned_curve!(
    /// secp256k1 on the portable kernel, with nothing known of a, and another window for G.
    Secp256k1Generic like Secp256k1, 4 limbs,
    elements Secp256k1Element, scalars Secp256k1Scalar, tangent AGeneral, window 5,
    base Secp256k1Field = Secp256k1Kernel, order Secp256k1ScalarField
);

pinned_curve!(
    /// secp256k1 in eight lanes of portable code.
    Secp256k1Lanes like Secp256k1, 4 limbs,
    elements Secp256k1Element, scalars Secp256k1Scalar, tangent AZero, window 6,
    base Secp256k1Field = Secp256k1Kernel, order Secp256k1ScalarField,
    lanes Secp256k1FieldX8<PortableWords, Secp256k1Kernel>,
    Secp256k1ScalarFieldX8<PortableWords, Portable<Secp256k1Order>>, PortableWords
);
