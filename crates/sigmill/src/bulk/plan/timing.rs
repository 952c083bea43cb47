//! Measures the speed of this machine: a few rounds of each operation, in the time of some ten
//! verifications per curve.

use std::any::TypeId;
use std::hint::black_box;
use std::time::Instant;

use super::count::Shape;
use super::speed::{ByCurve, FieldSpeed, OperationSpeed};
use crate::curve::{
    AffinePoint, BaseField, Curve, Domain as _, Group, JacobianPoint, LanesOf, LanesOperation,
    Operation, ScalarField, ScalarLanesOf, for_curve,
};
use crate::field::{Body, Factors as _, Field as _, Lanes, Registers as _};

/// The number of rounds in which each operation is timed. The median counts, so disturbances of
/// fewer than half of the rounds have no effect, nor do the first rounds, in which code is loaded
/// and a CPU wakes its lanes.
const ROUNDS: usize = 9;

/// The number of operations side by side in a round.
const MANY: usize = 32;

/// The numbers of doublings, and of inversions, one after the other in a round.
const DOUBLINGS: usize = 6;
const INVERSIONS: usize = 2;

/// Returns true if [`Instant::now`] works: it panics if a program has no clock.
pub(super) const fn has_clock() -> bool {
    !cfg!(all(target_family = "wasm", target_os = "unknown"))
}

/// Measures the speed of the field of every curve. Curves whose fields have one type have one
/// speed.
pub(super) fn time_fields() -> ByCurve<FieldSpeed> {
    let mut known: Vec<(TypeId, FieldSpeed)> = vec![];
    ByCurve::of_every(|curve| {
        for_curve!(curve, domain => {
            let curve = domain.curve();
            let field = field_type(curve);
            if let Some((_, speed)) = known.iter().find(|(other, _)| *other == field) {
                return *speed;
            }
            let (single, inversion) = curve.dispatch(Timing);
            // A CPU may need a microsecond to switch from single values to lanes.
            let (wide, lanes) = curve.dispatch_lanes(Timing).unwrap_or((single, 1));
            let speed = FieldSpeed {
                single,
                wide,
                lanes,
                inversion,
            };
            known.push((field, speed));
            speed
        })
    })
}

/// Returns the type of a curve's field of coordinates.
fn field_type<C: Curve>(_: C) -> TypeId {
    TypeId::of::<C::BaseField>()
}

/// Times operations in the field of a curve.
struct Timing;

/// Times single values, and an inversion.
impl<C: Curve> Operation<C> for Timing {
    type Output = (OperationSpeed, u64);

    #[inline(always)]
    fn run<F: BaseField<C>, S: ScalarField<C>>(self, curve: C, base: F, _: S) -> Self::Output {
        let speed = time_operations(curve, base);
        let AffinePoint { x, y } = curve.generator();
        let mut inverse = *x;
        let mut clock = Clock::<1>::start();
        for _ in 0..black_box(ROUNDS) {
            for _ in 0..black_box(INVERSIONS) {
                let next = base.add(&inverse, x);
                inverse = base.invert_vartime(&next).unwrap_or(*y);
            }
            black_box(inverse);
            clock.lap(0, INVERSIONS);
        }
        let [inversion] = clock.medians();
        (speed, inversion)
    }
}

/// Times lanes, and returns their number; `None` if there is only one.
impl<C: Curve> LanesOperation<C> for Timing {
    type Output = Option<(OperationSpeed, u32)>;

    #[inline(always)]
    fn run<L: LanesOf<C>, S: ScalarLanesOf<C>>(self, curve: C, base: L, _: S) -> Self::Output {
        if const { L::WIDTH == 1 } {
            return None;
        }
        let speed = time_operations(curve, base);
        Some((speed, L::WIDTH as u32))
    }
}

/// Times doublings, products and squares.
///
/// It has no closures around operations: the compiler may leave one outside of the function that it
/// compiles for lanes. The numbers of operations are hidden from the compiler, which would unroll
/// the loops otherwise.
#[inline(always)]
fn time_operations<C: Curve, L: LanesOf<C>>(curve: C, field: L) -> OperationSpeed {
    let doubling = Shape::doubling_on(curve);
    let doubling = (doubling.products + doubling.squares) as usize * DOUBLINGS;
    let mut samples = Samples::new(curve, field);
    let mut clock = Clock::<3>::start();
    for _ in 0..black_box(ROUNDS) {
        samples.double();
        clock.lap(0, doubling);
        samples.compute::<false>();
        clock.lap(1, MANY);
        samples.compute::<true>();
        clock.lap(2, MANY);
    }
    let [in_turn, product, square] = clock.medians();
    OperationSpeed {
        in_turn,
        product,
        square,
    }
}

/// Points and elements to compute with; their values do not matter. They are not arrays, which the
/// compiler would fill vector after vector.
struct Samples<C: Curve, L: LanesOf<C>> {
    group: Group<C, L>,
    point: JacobianPoint<L::Element>,
    others: [Vec<L::Element>; 2],
    values: Vec<L::Element>,
}

impl<C: Curve, L: LanesOf<C>> Samples<C, L> {
    #[inline(always)]
    fn new(curve: C, field: L) -> Self {
        let group = Group::wide(curve, field);
        let AffinePoint { x, y } = curve.generator();
        let (x, y) = (field.pack(|_| x), field.pack(|_| y));
        Self {
            group,
            point: group.from_affine(&AffinePoint { x, y }),
            others: [vec![x; MANY], vec![y; MANY]],
            values: vec![field.add(&x, &y); MANY],
        }
    }

    /// Doubles the point several times. It is a separate function, as are those that double in
    /// lanes: a call to it runs one operation at a time.
    #[inline(never)]
    fn double(&mut self) {
        for _ in 0..black_box(DOUBLINGS) {
            self.point = self.group.double(&self.point);
        }
        black_box(&self.point);
    }

    /// Computes all values anew, as squares or as products.
    #[inline(always)]
    fn compute<const SQUARES: bool>(&mut self) {
        let values = Values::<L, SQUARES> {
            others: &self.others,
            values: &mut self.values,
        };
        self.group.field().each(black_box(MANY), values);
        black_box(&self.values);
    }
}

/// a = a^2 - b - c, as in x-coordinates, or a = (b - c) a, as in slopes and y-coordinates.
struct Values<'a, L: Lanes, const SQUARES: bool> {
    others: &'a [Vec<L::Element>; 2],
    values: &'a mut [L::Element],
}

impl<L: Lanes, const SQUARES: bool> Body<L> for Values<'_, L, SQUARES> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let a = field.load(&self.values[i]);
        let b = field.load(&self.others[0][i]);
        let c = field.load(&self.others[1][i]);
        let next = match SQUARES {
            true => field.square_sub_both(&a, &b, &c),
            false => field.times(&field.difference(&b, &c), &a),
        };
        self.values[i] = field.store(&next);
    }
}

/// A clock for rounds of some laps each.
struct Clock<const LAPS: usize> {
    /// The picoseconds of an operation in each lap, round by round.
    times: [Vec<u64>; LAPS],
    /// The start of the lap in progress.
    lap: Instant,
}

impl<const LAPS: usize> Clock<LAPS> {
    fn start() -> Self {
        Self {
            times: std::array::from_fn(|_| Vec::with_capacity(ROUNDS)),
            lap: Instant::now(),
        }
    }

    /// Records the picoseconds, at least 1, of each of `operations` operations in a lap, and starts
    /// the next lap.
    #[inline(never)]
    fn lap(&mut self, lap: usize, operations: usize) {
        let nanoseconds = self.lap.elapsed().as_nanos() as u64;
        self.times[lap].push((nanoseconds.saturating_mul(1000) / operations as u64).max(1));
        self.lap = Instant::now();
    }

    /// Returns the time of an operation in each lap: the median over the rounds.
    #[inline(never)]
    fn medians(self) -> [u64; LAPS] {
        self.times.map(|mut times| {
            times.sort_unstable();
            times[times.len() / 2]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CurveName;

    #[test]
    fn every_field_is_timed() {
        let fields = time_fields();
        for &curve in CurveName::ALL {
            let field = fields[curve];
            assert!([1, 4, 8].contains(&field.lanes));
            // Between 1 ns and more than any machine needs, even under load.
            for time in [
                field.single.product,
                field.wide.square,
                field.single.in_turn,
            ] {
                assert!((1000..100_000_000).contains(&time), "{curve}: {time} ps");
            }
            assert!(field.inversion > field.single.product);
        }
    }
}
