//! Curves over any prime: each is a row of constants, and all primes with the same number of limbs
//! share one code.

use core::fmt::{self, Debug};
use core::hash::{Hash, Hasher};

use super::prime_doubles::DoublesCount;
use super::{
    AffinePoint, AnyA, Curve, CurveName, Domain, LanesOf, NamedCurve, PointsCell, ScalarLanesOf,
    Sealed, SecretLanesOf, SpreadCell,
};
#[cfg(target_arch = "x86_64")]
use crate::cpu::{Avx512, Fma, Ifma};
use crate::field::{
    AnyKernel, AnyReduction, Coordinate, FieldX8, LaneModulus, Modulus, MontgomeryField, Residue,
    SideBySide,
};
use crate::limbs;
use crate::scalar::{AnyScalarField, AnyScalarFieldX8, Scalar};

/// A coordinate on a curve over a prime of `N` limbs.
type Element<const N: usize> = Residue<Coordinate, N>;

/// The constants of a curve, integers little-endian in limbs.
#[derive(Clone, Copy, Debug)]
pub struct Constants<const N: usize> {
    /// The name that messages use.
    pub label: &'static str,
    /// The prime p.
    pub prime: &'static Modulus<N>,
    /// The order n, a prime.
    pub order: &'static Modulus<N>,
    /// The coefficient a.
    pub a: [u64; N],
    /// The coefficient b.
    pub b: [u64; N],
    /// The generator: x and y.
    pub generator: [[u64; N]; 2],
    /// See [`Curve::generator_window`].
    pub generator_window: u32,
    /// See [`Curve::base_window`].
    pub base_window: u32,
}

/// A row of constants in the form that arithmetic needs, with the places for the generator's
/// tables.
///
/// An integer of `N` limbs of 64 bits has `L` limbs of 52 bits in lanes: 4 become 5, 6 become 8, 8
/// become 10, and 9 become 11.
#[derive(Debug)]
pub struct Params<const N: usize, const L: usize> {
    constants: Constants<N>,
    prime_in_lanes: LaneModulus<N, L>,
    order_in_lanes: LaneModulus<N, L>,
    kind_of_a: AnyA,
    a: Element<N>,
    b: Element<N>,
    generator: AffinePoint<Element<N>>,
    generator_cell: PointsCell<Element<N>>,
    base_cell: PointsCell<Element<N>>,
    spread_cell: SpreadCell,
}

impl<const N: usize, const L: usize> Params<N, L> {
    /// Converts the constants, at compile time, to the form that arithmetic needs.
    ///
    /// # Panics
    /// Panics if an integer is not below p, or if lanes have no room for p or n.
    #[must_use]
    pub const fn new(constants: Constants<N>) -> Self {
        let p = constants.prime;
        let mut three = [0; N];
        three[0] = 3;
        let minus_3 = limbs::subtract(p.prime(), &three).0;
        let [x, y] = &constants.generator;
        Self {
            prime_in_lanes: LaneModulus::new(p),
            order_in_lanes: LaneModulus::new(constants.order),
            kind_of_a: if limbs::equal(&constants.a, &minus_3) {
                AnyA::Minus3
            } else {
                AnyA::Other
            },
            a: Element::from_integer_const(p, &constants.a),
            b: Element::from_integer_const(p, &constants.b),
            generator: AffinePoint {
                x: Element::from_integer_const(p, x),
                y: Element::from_integer_const(p, y),
            },
            generator_cell: PointsCell::new(),
            base_cell: PointsCell::new(),
            spread_cell: SpreadCell::new(),
            constants,
        }
    }
}

/// A curve over a prime of `N` limbs, given by its row of constants.
///
/// Products modulo its primes are separate functions that check for the CPU's instructions
/// ([`AnyKernel`]). So an operation is compiled once, and once more for lanes.
#[derive(Clone, Copy)]
pub struct Prime<const N: usize, const L: usize>(&'static Params<N, L>);

impl<const N: usize, const L: usize> Prime<N, L> {
    /// Creates the curve of a row.
    #[must_use]
    pub const fn new(params: &'static Params<N, L>) -> Self {
        Self(params)
    }

    /// Returns its constants.
    #[must_use]
    pub const fn constants(self) -> &'static Constants<N> {
        &self.0.constants
    }
}

impl<const N: usize, const L: usize> Debug for Prime<N, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.constants.label)
    }
}

/// Equal if they are the same row.
impl<const N: usize, const L: usize> PartialEq for Prime<N, L> {
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self.0, other.0)
    }
}

impl<const N: usize, const L: usize> Eq for Prime<N, L> {}

impl<const N: usize, const L: usize> Hash for Prime<N, L> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        core::ptr::from_ref(self.0).hash(state);
    }
}

/// A named curve over a prime of `N` limbs: domain parameters that are known only at run time.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct NamedPrime<const N: usize, const L: usize> {
    /// The index of the name in [`CurveName::ALL`]. It is as wide as the reference because the
    /// value is stored next to secrets, and padding would keep old contents of the stack.
    name: usize,
    curve: Prime<N, L>,
}

impl<const N: usize, const L: usize> NamedPrime<N, L>
where
    [u64; N]: DoublesCount<N>,
{
    /// Creates the value for a type that stands for one curve.
    #[inline(always)]
    pub fn of<C: NamedCurve<Curve = Prime<N, L>>>(domain: C) -> Self {
        Self {
            name: domain.name() as usize,
            curve: domain.curve(),
        }
    }
}

impl<const N: usize, const L: usize> Debug for NamedPrime<N, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.curve.fmt(f)
    }
}

impl<const N: usize, const L: usize> Sealed for NamedPrime<N, L> where [u64; N]: DoublesCount<N> {}

impl<const N: usize, const L: usize> Domain for NamedPrime<N, L>
where
    [u64; N]: DoublesCount<N>,
{
    type Curve = Prime<N, L>;

    #[inline(always)]
    fn curve(self) -> Prime<N, L> {
        self.curve
    }
}

impl<const N: usize, const L: usize> NamedCurve for NamedPrime<N, L>
where
    [u64; N]: DoublesCount<N>,
{
    type Kind = Self;

    #[inline(always)]
    fn kind(self) -> Self {
        self
    }

    fn name(self) -> CurveName {
        CurveName::ALL[self.name]
    }
}

impl<const N: usize, const L: usize> Curve for Prime<N, L>
where
    [u64; N]: DoublesCount<N>,
{
    type Integer = [u64; N];
    type BaseElement = Element<N>;
    type ScalarElement = Scalar<N>;
    type A = AnyA;
    type BaseField = MontgomeryField<AnyKernel<Coordinate, N>, N>;
    type ScalarField = AnyScalarField<N>;

    #[inline(always)]
    fn label(self) -> &'static str {
        self.0.constants.label
    }

    #[inline(always)]
    fn kind_of_a(self) -> AnyA {
        self.0.kind_of_a
    }

    #[inline(always)]
    fn a(self) -> Element<N> {
        self.0.a
    }

    #[inline(always)]
    fn b(self) -> Element<N> {
        self.0.b
    }

    #[inline(always)]
    fn generator(self) -> &'static AffinePoint<Element<N>> {
        &self.0.generator
    }

    #[inline(always)]
    fn generator_window(self) -> u32 {
        self.0.constants.generator_window
    }

    #[inline(always)]
    fn base_window(self) -> u32 {
        self.0.constants.base_window
    }

    #[inline(always)]
    fn base_field(self) -> Self::BaseField {
        MontgomeryField::new(AnyKernel::detect(self.0.constants.prime))
    }

    #[inline(always)]
    fn scalar_field(self) -> Self::ScalarField {
        MontgomeryField::new(AnyKernel::detect(self.0.constants.order))
    }

    fn generator_cell(self) -> &'static PointsCell<Element<N>> {
        &self.0.generator_cell
    }

    fn base_cell(self) -> &'static PointsCell<Element<N>> {
        &self.0.base_cell
    }

    fn spread_cell(self) -> &'static SpreadCell {
        &self.0.spread_cell
    }

    const HAS_DOUBLES: bool = <[u64; N]>::HAS_DOUBLES;

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn ifma(self, proof: Ifma) -> (impl SecretLanesOf<Self>, impl ScalarLanesOf<Self>) {
        self.fields_x8(limbs::IfmaWords::new(proof))
    }

    #[inline(always)]
    fn portable_lanes(self) -> (impl SecretLanesOf<Self>, impl ScalarLanesOf<Self>) {
        self.fields_x8(limbs::PortableWords)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn avx512(self, proof: Avx512) -> Option<(impl LanesOf<Self>, impl ScalarLanesOf<Self>)> {
        let doubles = limbs::Avx512Doubles::new(proof);
        let base = <[u64; N]>::in_doubles::<_, 8>(doubles, self.0.constants.prime)?;
        Some((base, SideBySide::<_, 8>(self.scalar_field())))
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn fma(self, proof: Fma) -> Option<(impl LanesOf<Self>, impl ScalarLanesOf<Self>)> {
        let doubles = limbs::FmaDoubles::new(proof);
        let base = <[u64; N]>::in_doubles::<_, 4>(doubles, self.0.constants.prime)?;
        Some((base, SideBySide::<_, 4>(self.scalar_field())))
    }
}

impl<const N: usize, const L: usize> Prime<N, L>
where
    [u64; N]: DoublesCount<N>,
{
    /// Both fields in eight lanes on some words.
    #[inline(always)]
    fn fields_x8<W: limbs::Words>(
        self,
        words: W,
    ) -> (impl SecretLanesOf<Self>, impl ScalarLanesOf<Self>) {
        let Constants { prime, order, .. } = self.0.constants;
        let base = FieldX8::new(
            words,
            AnyReduction::new(&self.0.prime_in_lanes),
            AnyKernel::detect(prime),
        );
        let order = AnyScalarFieldX8::new(
            words,
            AnyReduction::new(&self.0.order_in_lanes),
            AnyKernel::detect(order),
        );
        (base, order)
    }
}
