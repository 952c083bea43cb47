//! What depends on the prime in lanes of doubles: products, and what keeps values small.

use core::fmt::Debug;

use super::digits::Digits;
use super::modulus::{DoublesModulus, two_to};
use crate::limbs::Doubles;

/// The limbs of an element in registers.
pub(super) type Limbs<D, const L: usize, const WIDTH: usize> = [<D as Doubles<WIDTH>>::Double; L];

/// The prime of lanes of doubles and how it reduces: a token. All else of the arithmetic is the
/// same for every prime.
///
/// An *element* is a value between -1.01 and 1.01 times 2^256 whose limbs are small; how small,
/// each implementation says. For a prime of 384 bits it is [centered](Self::IS_CENTERED).
pub trait DoublesReduction<const N: usize, const L: usize>:
    Copy + Debug + Send + Sync + 'static
{
    /// What tells the elements of this prime from others.
    type Tag: Copy + Debug + Eq + Send + Sync + 'static;

    /// Whether elements are between -p and p, and their limbs, which are at most 0.51 of their
    /// length, the only ones that a value has.
    const IS_CENTERED: bool;

    /// A product has room for sums and differences of so many elements, multiplied.
    const ROOM: f64;

    /// The constants of the prime.
    fn constants(self) -> &'static DoublesModulus<N, L>;

    /// (a b) / R - c, an element. a and b are sums or differences of elements, so many that their
    /// numbers, multiplied, are at most [`ROOM`](Self::ROOM); c is one of at most 3.
    fn product<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        doubles: D,
        a: &Limbs<D, L, WIDTH>,
        b: &Limbs<D, L, WIDTH>,
        c: Option<&Limbs<D, L, WIDTH>>,
    ) -> Limbs<D, L, WIDTH>;

    /// a^2 / R - c, as the product.
    fn square<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        doubles: D,
        a: &Limbs<D, L, WIDTH>,
        c: Option<&Limbs<D, L, WIDTH>>,
    ) -> Limbs<D, L, WIDTH>;

    /// 2^(64 N) - p, times a small integer, is added to the limbs.
    fn fold<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        doubles: D,
        limbs: &mut Limbs<D, L, WIDTH>,
        factor: D::Double,
    );

    /// Single values below p, in words of 64 bits, as elements: from one R to the other.
    fn limbs_of_single<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        doubles: D,
        single: [D::Word; N],
    ) -> Limbs<D, L, WIDTH>;

    /// The way back: elements as single values, from one R to the other, as integers below 2p in
    /// digits of which none is negative, and where these begin.
    fn digits_of_single<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        doubles: D,
        limbs: &Limbs<D, L, WIDTH>,
    ) -> (Digits<D, L, WIDTH>, &'static DoublesModulus<N, L>);

    /// The element that a sum or difference of at most eight elements is.
    ///
    /// What the highest limb has above 2^(64 N) is folded, and then each limb gives to the next one
    /// what is not its own, all at once: what they get is at most 2^4.
    #[inline(always)]
    fn reduce_weakly<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        doubles: D,
        mut limbs: Limbs<D, L, WIDTH>,
    ) -> Limbs<D, L, WIDTH> {
        let constants = self.constants();
        let top = round(
            doubles,
            limbs[L - 1],
            constants.unit * two_to(constants.width(L - 1)),
        );
        limbs[L - 1] = doubles.sub(limbs[L - 1], top);
        let down = doubles.splat(1.0 / (constants.unit * two_to(constants.width(L - 1))));
        let zero = doubles.splat(0.0);
        self.fold(doubles, &mut limbs, doubles.multiply_add(top, down, zero));
        carry(doubles, constants, limbs)
    }
}

/// The multiple of a power of two that is next to a number, which is less than 2^51 of them.
///
/// A number with so large a summand has no digits below.
#[inline(always)]
pub(super) fn round<D: Doubles<WIDTH>, const WIDTH: usize>(
    doubles: D,
    number: D::Double,
    power: f64,
) -> D::Double {
    let large = doubles.splat(1.5 * two_to(52) * power);
    doubles.sub(doubles.add(number, large), large)
}

/// Each limb but the highest keeps what is next to a multiple of its size, and gives the rest to
/// the next one.
#[inline(always)]
pub(super) fn carry<D: Doubles<WIDTH>, const N: usize, const L: usize, const WIDTH: usize>(
    doubles: D,
    constants: &DoublesModulus<N, L>,
    limbs: Limbs<D, L, WIDTH>,
) -> Limbs<D, L, WIDTH> {
    let mut carried = limbs;
    for i in 0..L - 1 {
        let size = two_to(constants.width(i));
        let over = round(doubles, limbs[i], constants.unit * size);
        carried[i] = doubles.sub(carried[i], over);
        let down = doubles.splat(1.0 / size);
        carried[i + 1] = doubles.multiply_add(over, down, carried[i + 1]);
    }
    carried
}
