//! Loops whose steps have two stages, the second of which waits for the first.

use crate::field::{Body, Lanes};

/// Body of such a loop.
pub trait Stages<L: Lanes> {
    /// Data that the first stage of a step passes to the second.
    type Between: Copy;

    /// Performs the first stage of step `i`. It must not read what the second stage of another step
    /// writes. Implementations are `#[inline(always)]`, like those of [`Body`].
    fn begin(&self, field: L::Registers, i: usize) -> Self::Between;

    /// Performs the second stage of step `i`.
    fn finish(&mut self, field: L::Registers, i: usize, between: Self::Between);
}

/// Runs steps 0 to `count` - 1 of a loop. The first stage of each step runs together with the
/// second stage of the step before (software pipelining).
///
/// The two do not wait for each other. Otherwise a CPU that sees two products ahead would see two
/// of the same step, and could compute only one of them at a time.
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
    /// Data from the first stage of the previous step.
    begun: Option<S::Between>,
}

impl<L: Lanes, S: Stages<L>> Body<L> for Pipeline<L, S> {
    /// Performs the first stage of step `i` and the second stage of the previous step; each is
    /// compiled once.
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
