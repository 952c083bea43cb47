//! The part of lanes of doubles that depends on the prime: products, and keeping values small.

use core::fmt::Debug;

use super::digits::Digits;
use super::modulus::{DoublesModulus, two_to};
use crate::limbs::Doubles;

/// The limbs of an element in registers.
pub(super) type Limbs<D, const L: usize, const WIDTH: usize> = [<D as Doubles<WIDTH>>::Double; L];

/// The prime of lanes of doubles and its reduction: a token. The rest of the arithmetic is the same
/// for every prime.
///
/// An *element* is a value between -1.01 and 1.01 times 2^256 whose limbs are small; each
/// implementation documents how small. For a prime of 384 bits it is [centered](Self::IS_CENTERED).
pub trait DoublesReduction<const N: usize, const L: usize>:
    Copy + Debug + Send + Sync + 'static
{
    /// The tag that separates the elements of this prime from others.
    type Tag: Copy + Debug + Eq + Send + Sync + 'static;

    /// True if elements are between -p and p, and the limbs of a value are unique; limbs are then
    /// at most 0.51 of their length.
    const IS_CENTERED: bool;

    /// Limit of the factors of a product: the number of elements in one sum or difference times the
    /// number in the other.
    const ROOM: f64;

    /// The constants of the prime.
    fn constants(self) -> &'static DoublesModulus<N, L>;

    /// Returns (a b) / R - c, an element. a and b are sums or differences of elements; the product
    /// of the two numbers of elements is at most [`ROOM`](Self::ROOM). c is a sum or difference of
    /// at most 3.
    fn product<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        doubles: D,
        a: &Limbs<D, L, WIDTH>,
        b: &Limbs<D, L, WIDTH>,
        c: Option<&Limbs<D, L, WIDTH>>,
    ) -> Limbs<D, L, WIDTH>;

    /// Returns a^2 / R - c, like [`product`](Self::product).
    fn square<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        doubles: D,
        a: &Limbs<D, L, WIDTH>,
        c: Option<&Limbs<D, L, WIDTH>>,
    ) -> Limbs<D, L, WIDTH>;

    /// Adds 2^(64 N) - p, times a small integer, to the limbs.
    fn fold<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        doubles: D,
        limbs: &mut Limbs<D, L, WIDTH>,
        factor: D::Double,
    );

    /// Converts single values below p, in words of 64 bits, to elements: from one R to the other.
    fn limbs_of_single<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        doubles: D,
        single: [D::Word; N],
    ) -> Limbs<D, L, WIDTH>;

    /// Converts elements back to single values, from one R to the other. Returns integers below 2p
    /// in non-negative digits, and the positions of these digits.
    fn digits_of_single<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        doubles: D,
        limbs: &Limbs<D, L, WIDTH>,
    ) -> (Digits<D, L, WIDTH>, &'static DoublesModulus<N, L>);

    /// Reduces a sum or difference of at most eight elements to an element.
    ///
    /// The part of the highest limb above 2^(64 N) is folded. Then each limb carries its excess to
    /// the next one, all at once; each receives at most 2^4.
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

/// Rounds a number to the nearest multiple of a power of two. The number is less than 2^51 times
/// the power.
///
/// With so large a summand, a number has no digits below the power.
#[inline(always)]
pub(super) fn round<D: Doubles<WIDTH>, const WIDTH: usize>(
    doubles: D,
    number: D::Double,
    power: f64,
) -> D::Double {
    let large = doubles.splat(1.5 * two_to(52) * power);
    doubles.sub(doubles.add(number, large), large)
}

/// Each limb except the highest gives the nearest multiple of its size to the next one, and keeps
/// the rest.
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
