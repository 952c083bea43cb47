//! Loops of steps in two stages, of which the second one waits for the first.

use crate::field::{Body, Lanes};

/// The body of such a loop.
pub trait Stages<L: Lanes> {
    /// What the first stage of a step leaves for the second one.
    type Between: Copy;

    /// The first stage of step `i`. It must not read what the second stage of another step writes.
    /// Implementations are `#[inline(always)]`, as those of [`Body`].
    fn begin(&self, field: L::Registers, i: usize) -> Self::Between;

    /// The second stage of step `i`.
    fn finish(&mut self, field: L::Registers, i: usize, between: Self::Between);
}

/// Runs steps 0 to `count` - 1 of a loop, the first stage of each together with the second stage of
/// the one before (software pipelining).
///
/// Neither waits for the other. A CPU that sees two products ahead would otherwise see two of one
/// step, of which it can compute one at a time.
#[inline(always)]
pub fn each_pipelined<L: Lanes, S: Stages<L>>(field: L, count: usize, stages: S) {
    let pipeline = Pipeline::<L, S> {
        stages,
        count,
        begun: None,
    };
    field.each(count + 1, pipeline);
}

struct Pipeline<L: Lanes, S: Stages<L>> {
    stages: S,
    count: usize,
    /// What the first stage of the step before has left.
    begun: Option<S::Between>,
}

impl<L: Lanes, S: Stages<L>> Body<L> for Pipeline<L, S> {
    /// The first stage of step `i`, and the second one of the step before: each is compiled once.
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let begun = if i < self.count {
            Some(self.stages.begin(field, i))
        } else {
            None
        };
        if let Some(between) = self.begun {
            self.stages.finish(field, i - 1, between);
        }
        self.begun = begun;
    }
}
