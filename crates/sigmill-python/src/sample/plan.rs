//! Which rows of a sample are bad: as the command has it, so that the rows are the same.

/// Shares are counted in this many parts.
const PARTS: u64 = 1 << 32;

/// What a row is meant to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    Valid,
    /// The how-manieth invalid row it is, from 0.
    Invalid(u64),
    /// The how-manieth malformed row it is, from 0.
    Malformed(u64),
}

/// Spreads the bad rows evenly, so that N rows have as many as N times the share says, rounded
/// down.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    malformed: u64,
    bad: u64,
}

impl Plan {
    /// Shares from 0 to 1, together at most 1.
    pub(super) fn new(invalid: f64, malformed: f64) -> Self {
        // Rounded up, so that a tenth of ten rows is one.
        let parts = |share: f64| (share * PARTS as f64).ceil() as u64;
        let malformed = parts(malformed).min(PARTS);
        Self {
            malformed,
            bad: (malformed + parts(invalid)).min(PARTS),
        }
    }

    /// What the row with this index is meant to be.
    pub(super) fn expected(&self, index: u64) -> Expected {
        let before = share_of(index, self.bad, PARTS);
        if share_of(index + 1, self.bad, PARTS) == before {
            return Expected::Valid;
        }
        // Of the bad rows, a share is malformed.
        let malformed = share_of(before, self.malformed, self.bad);
        if share_of(before + 1, self.malformed, self.bad) == malformed {
            Expected::Invalid(before - malformed)
        } else {
            Expected::Malformed(malformed)
        }
    }
}

/// `number * part / whole`, rounded down.
fn share_of(number: u64, part: u64, whole: u64) -> u64 {
    let share = u128::from(number) * u128::from(part) / u128::from(whole);
    u64::try_from(share).unwrap_or(u64::MAX)
}
