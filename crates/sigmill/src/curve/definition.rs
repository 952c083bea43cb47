//! Definition of a curve: a token, like a field, with constants and a choice of fields.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt::Debug;
use core::hash::Hash;

use once_cell::race::OnceBox;
use subtle::ConstantTimeEq;
use zeroize::Zeroize;

use super::{AffinePoint, CoefficientA, CurveName, Endomorphism, Points, dispatch};
#[cfg(target_arch = "x86_64")]
use crate::cpu::{Adx, Avx2, Avx512, Fma, Ifma};
use crate::field::{Lanes, Limbs, PrimeField, SecretLanes};
use crate::stack::{on_own_stack, on_own_stack_secret};

/// A backend of the field that curve `C` is defined over.
pub trait BaseField<C: Curve>: PrimeField<Element = C::BaseElement, Integer = C::Integer> {}

impl<C: Curve, F: PrimeField<Element = C::BaseElement, Integer = C::Integer>> BaseField<C> for F {}

/// A backend of the integers modulo the order of curve `C`.
pub trait ScalarField<C: Curve>:
    PrimeField<Element = C::ScalarElement, Integer = C::Integer>
{
}

impl<C: Curve, S: PrimeField<Element = C::ScalarElement, Integer = C::Integer>> ScalarField<C>
    for S
{
}

/// A backend of the field of coordinates of `C`, one or more values wide.
pub trait LanesOf<C: Curve>: Lanes<Single: BaseField<C>> {}

impl<C: Curve, L: Lanes<Single: BaseField<C>>> LanesOf<C> for L {}

/// A backend of the field of coordinates of `C` that may hold secrets, one or more values wide.
pub trait SecretLanesOf<C: Curve>: LanesOf<C> + SecretLanes {}

impl<C: Curve, L: LanesOf<C> + SecretLanes> SecretLanesOf<C> for L {}

/// A backend of the integers modulo the order of `C`, one or more values wide.
pub trait ScalarLanesOf<C: Curve>: Lanes<Single: ScalarField<C>> {}

impl<C: Curve, L: Lanes<Single: ScalarField<C>>> ScalarLanesOf<C> for L {}

/// The place of a table of points, which is built on first use.
pub type PointsCell<E> = OnceBox<Points<E>>;

/// The place of the generator's table for one secret multiplication that is spread over lanes,
/// which is built on first use. The type of its elements depends on the backend.
#[derive(Debug, Default)]
pub struct SpreadCell(OnceBox<Box<dyn Any + Send + Sync>>);

impl SpreadCell {
    /// Creates a place without a table.
    #[must_use]
    pub const fn new() -> Self {
        Self(OnceBox::new())
    }

    /// Returns the table. `None` if it was built with elements of another type.
    #[inline(always)]
    pub fn get_or_init<E: Send + Sync + 'static>(
        &self,
        build: impl FnOnce() -> Vec<AffinePoint<E>>,
    ) -> Option<&[AffinePoint<E>]> {
        let table = self.0.get_or_init(|| Box::new(Box::new(build())));
        table.downcast_ref::<Vec<_>>().map(Vec::as_slice)
    }
}

/// A curve y^2 = x^3 + a x + b of prime order n over a prime field, with a generator G.
///
/// The implementing type is a token: a type without values for a curve with its own kernels, or a
/// reference to the constants of any curve ([`Prime`](super::Prime)). All code is compiled once for
/// each such type.
pub trait Curve: Copy + Debug + Eq + Send + Sync + 'static {
    /// Integers as wide as p and n.
    type Integer: Limbs;
    /// Elements of the field of coordinates.
    type BaseElement: Copy + Debug + PartialEq + Eq + Hash + Zeroize + Send + Sync + 'static;
    /// Integers modulo the order.
    type ScalarElement: Copy
        + Debug
        + PartialEq
        + Eq
        + ConstantTimeEq
        + Zeroize
        + Send
        + Sync
        + 'static;
    /// The kind of the coefficient a.
    type A: CoefficientA;

    /// The name that messages use.
    fn label(self) -> &'static str;
    /// The kind of a: -3, 0, or any.
    fn kind_of_a(self) -> Self::A;
    /// The coefficient a.
    fn a(self) -> Self::BaseElement;
    /// The coefficient b.
    fn b(self) -> Self::BaseElement;
    /// The generator.
    fn generator(self) -> &'static AffinePoint<Self::BaseElement>;

    /// The window of the generator's table, in bits: 11 on P-256, secp256k1 and brainpoolP256r1, 10
    /// on P-384, 9 on P-521. Each process has one such table, of 1.5, 1.8 or 2 MiB, which shares
    /// the caches with the tables of the keys. A prepared row costs 7 % less on P-384 than with a
    /// window of 8, and 9 % less on P-521 than with 7. Measure with `bench -- --only '*/verify/*'`
    /// after a change.
    fn generator_window(self) -> u32;

    /// The window of the generator's table for secret multiplications, in bits: at least 2, and
    /// less than half the length of the order. It is 7, or 6 on brainpoolP256r1: bit `base_window`
    /// of n is zero, which many secrets side by side need. Rows are read whole: a row of 64 points
    /// costs about 100 cycles to read, an addition 330. Measure with `SIGMILL_CPU=adx` and `bench
    /// -- --only '*/sign/single'` after a change.
    fn base_window(self) -> u32;

    /// The endomorphism that halves the doublings of a multiplication; `None` for a curve without
    /// one.
    #[inline(always)]
    fn endomorphism(self) -> Option<&'static Endomorphism<Self::BaseElement, Self::Integer>> {
        None
    }

    /// A backend of the field of coordinates that every CPU supports.
    type BaseField: BaseField<Self>;
    /// A backend of the integers modulo the order that every CPU supports.
    type ScalarField: ScalarField<Self>;
    /// The field of coordinates on every CPU.
    fn base_field(self) -> Self::BaseField;
    /// The integers modulo the order on every CPU.
    fn scalar_field(self) -> Self::ScalarField;

    /// True if the curve has its own kernels, each for one kind of instructions: [`adx`](Self::adx)
    /// and [`avx2`](Self::avx2). Otherwise products check for the instructions.
    const OWN_KERNELS: bool = false;

    /// True if the curve may have lanes of doubles: [`avx512`](Self::avx512) and
    /// [`fma`](Self::fma).
    const HAS_DOUBLES: bool = false;

    /// Both fields on MULX, ADCX and ADOX.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn adx(self, _: Adx) -> (impl BaseField<Self>, impl ScalarField<Self>) {
        (self.base_field(), self.scalar_field())
    }

    /// Both fields in eight lanes of AVX-512 IFMA.
    #[cfg(target_arch = "x86_64")]
    fn ifma(self, proof: Ifma) -> (impl SecretLanesOf<Self>, impl ScalarLanesOf<Self>);

    /// Both fields in eight lanes of portable code: the same limbs, slowly.
    fn portable_lanes(self) -> (impl SecretLanesOf<Self>, impl ScalarLanesOf<Self>);

    /// Both fields in eight lanes of doubles, for public values.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn avx512(self, _: Avx512) -> Option<(impl LanesOf<Self>, impl ScalarLanesOf<Self>)> {
        None::<(Self::BaseField, Self::ScalarField)>
    }

    /// Both fields in four lanes of doubles, for public values.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn fma(self, _: Fma) -> Option<(impl LanesOf<Self>, impl ScalarLanesOf<Self>)> {
        None::<(Self::BaseField, Self::ScalarField)>
    }

    /// Both fields in four lanes of AVX2, for secrets.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn avx2(self, _: Avx2) -> (impl SecretLanesOf<Self>, impl ScalarLanesOf<Self>) {
        (self.base_field(), self.scalar_field())
    }

    /// The place where this process keeps the generator's table once it is built.
    fn generator_cell(self) -> &'static PointsCell<Self::BaseElement>;

    /// The place where this process keeps the generator's table for secret multiplications once it
    /// is built.
    fn base_cell(self) -> &'static PointsCell<Self::BaseElement>;

    /// The place where this process keeps the generator's table for one secret multiplication that
    /// is spread over lanes.
    fn spread_cell(self) -> &'static SpreadCell;

    /// Runs an operation on the fastest backends of this machine, on the library's own stack.
    ///
    /// The backend is chosen here, once per whole operation.
    #[inline(always)]
    fn dispatch<O: Operation<Self>>(self, operation: O) -> O::Output {
        on_own_stack(|| dispatch::single(self, operation))
    }

    /// Runs an operation on many public values on the widest backends of this machine, on the
    /// library's own stack. Without a wider field it runs one lane wide.
    #[inline(always)]
    fn dispatch_lanes<O: LanesOperation<Self>>(self, operation: O) -> O::Output {
        on_own_stack(|| dispatch::lanes(self, operation))
    }

    /// Runs an operation on secrets on the widest backends of this machine that are safe for
    /// secrets. The caller must wipe the stack.
    #[inline(always)]
    fn dispatch_secret_lanes<O: SecretLanesOperation<Self>>(self, operation: O) -> O::Output {
        on_own_stack_secret(
            |operation| operation(),
            || dispatch::secret_lanes(self, operation),
        )
    }

    /// [`dispatch`](Self::dispatch) on the caller's stack.
    #[inline(always)]
    fn choose_single<O: Operation<Self>>(self, operation: O) -> O::Output {
        dispatch::single(self, operation)
    }
}

/// Seals [`Domain`], so that no other crate can implement it: a curve with wrong arithmetic would
/// make wrong keys.
pub trait Sealed {}

impl<C: Curve> Sealed for C {}

/// The domain parameters of keys and signatures. They give keys and signatures on different curves
/// different types.
///
/// Sealed: only curves of this crate implement it.
// Every `Curve` is a domain. So is a type without values, such as `P384`, that stands for one curve
// where one `Curve` type serves several.
pub trait Domain: Sealed + Copy + Debug + Eq + Send + Sync + 'static {
    /// The type of the curve's arithmetic.
    #[doc(hidden)]
    type Curve: Curve;

    /// The curve's arithmetic.
    #[doc(hidden)]
    fn curve(self) -> Self::Curve;
}

impl<C: Curve> Domain for C {
    type Curve = C;

    #[inline(always)]
    fn curve(self) -> C {
        self
    }
}

/// A curve with a name for use in files, certificates and tokens. Sealed, as [`Domain`] is.
///
/// ```
/// use sigmill::Error;
/// use sigmill::curves::NamedCurve;
/// use sigmill::ecdsa::Signature;
/// use sigmill::keys::VerifyingKey;
///
/// /// The name of the curve of a key that made a signature.
/// fn curve_of<C: NamedCurve>(
///     key: &VerifyingKey<C>,
///     message: &[u8],
///     signature: &Signature<C>,
/// ) -> Result<String, Error> {
///     key.verify(message, signature)?;
///     Ok(key.algorithm().curve.to_string())
/// }
/// ```
pub trait NamedCurve: Domain {
    /// The domain of keys on the curve in enumerations of keys: the curve itself if it has its own
    /// kernels, otherwise [`NamedPrime`](super::NamedPrime).
    #[doc(hidden)]
    type Kind: NamedCurve<Curve = Self::Curve>;

    /// The curve as its kind.
    #[doc(hidden)]
    fn kind(self) -> Self::Kind;

    /// Its name.
    fn name(self) -> CurveName;
}

/// An element of the field of coordinates of `C`.
pub type BaseElement<C> = <<C as Domain>::Curve as Curve>::BaseElement;

/// An integer modulo the order of `C`.
pub type ScalarElement<C> = <<C as Domain>::Curve as Curve>::ScalarElement;

/// Integers as wide as those of `C`.
pub type Integer<C> = <<C as Domain>::Curve as Curve>::Integer;

/// A computation on a curve, generic over the backends of its two fields.
pub trait Operation<C: Curve> {
    /// The result.
    type Output;

    /// Runs the computation. Implementations are `#[inline(always)]`, so that a dispatcher can
    /// compile them for the instructions it has detected.
    fn run<F: BaseField<C>, S: ScalarField<C>>(self, curve: C, base: F, order: S) -> Self::Output;
}

/// A computation on many public values of a curve, generic over the backends of its two fields and
/// their common width.
pub trait LanesOperation<C: Curve> {
    /// The result.
    type Output;

    /// Runs the computation. Implementations are `#[inline(always)]`, as those of [`Operation`]
    /// are.
    fn run<L: LanesOf<C>, S: ScalarLanesOf<C>>(self, curve: C, base: L, order: S) -> Self::Output;
}

/// A computation on secrets on a curve: a [`LanesOperation`] on backends whose operations all run
/// in constant time.
pub trait SecretLanesOperation<C: Curve> {
    /// True for many values. Four lanes help only those; a single value is spread over eight lanes.
    const OF_MANY: bool = true;

    /// The result.
    type Output;

    /// Runs the computation. Implementations are `#[inline(always)]`, as those of [`Operation`]
    /// are.
    fn run<L: SecretLanesOf<C>, S: ScalarLanesOf<C>>(
        self,
        curve: C,
        base: L,
        order: S,
    ) -> Self::Output;
}

/// An operation on many values, run one lane wide.
#[derive(Debug)]
pub struct OneLane<O>(pub O);

impl<C: Curve, O: LanesOperation<C>> Operation<C> for OneLane<O> {
    type Output = O::Output;

    #[inline(always)]
    fn run<F: BaseField<C>, S: ScalarField<C>>(self, curve: C, base: F, order: S) -> O::Output {
        self.0.run(curve, base, order)
    }
}

/// An operation on secrets, run one lane wide.
#[derive(Debug)]
pub struct OneSecretLane<O>(pub O);

impl<C: Curve, O: SecretLanesOperation<C>> Operation<C> for OneSecretLane<O> {
    type Output = O::Output;

    #[inline(always)]
    fn run<F: BaseField<C>, S: ScalarField<C>>(self, curve: C, base: F, order: S) -> O::Output {
        self.0.run(curve, base, order)
    }
}
