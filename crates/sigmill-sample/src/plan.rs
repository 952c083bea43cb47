//! The choice of the bad rows of a sample.

/// The resolution of shares.
const PARTS: u64 = 1 << 32;

/// The purpose of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowKind {
    Valid,
    /// The number of the invalid row among these, from 0.
    Invalid(u64),
    /// The number of the malformed row among these, from 0.
    Malformed(u64),
}

/// Spreads the bad rows evenly. Of N rows, N times the share are bad, rounded down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    malformed: u64,
    bad: u64,
}

impl Plan {
    /// `invalid` and `malformed` are shares from 0 to 1, together at most 1.
    pub(crate) fn new(invalid: f64, malformed: f64) -> Self {
        // Rounded up, so that a tenth of ten rows is one.
        let parts = |share: f64| (share * PARTS as f64).ceil() as u64;
        let malformed = parts(malformed).min(PARTS);
        Self {
            malformed,
            bad: (malformed + parts(invalid)).min(PARTS),
        }
    }

    /// Returns the purpose of the row with this index.
    pub(crate) fn turn(&self, index: u64) -> RowKind {
        let before = share_of(index, self.bad, PARTS);
        if share_of(index + 1, self.bad, PARTS) == before {
            return RowKind::Valid;
        }
        // A share of the bad rows is malformed.
        let malformed = share_of(before, self.malformed, self.bad);
        if share_of(before + 1, self.malformed, self.bad) == malformed {
            RowKind::Invalid(before - malformed)
        } else {
            RowKind::Malformed(malformed)
        }
    }
}

/// `number * part / whole`, rounded down.
fn share_of(number: u64, part: u64, whole: u64) -> u64 {
    let share = u128::from(number) * u128::from(part) / u128::from(whole);
    u64::try_from(share).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(rows: u64, invalid: f64, malformed: f64) -> [u64; 3] {
        let plan = Plan::new(invalid, malformed);
        let mut counts = [0; 3];
        for index in 0..rows {
            match plan.turn(index) {
                RowKind::Valid => counts[0] += 1,
                RowKind::Invalid(n) => {
                    assert_eq!(n, counts[1]);
                    counts[1] += 1;
                }
                RowKind::Malformed(n) => {
                    assert_eq!(n, counts[2]);
                    counts[2] += 1;
                }
            }
        }
        counts
    }

    #[test]
    fn the_counts_are_the_shares() {
        assert_eq!(counts(100, 0.0, 0.0), [100, 0, 0]);
        assert_eq!(counts(100, 1.0, 0.0), [0, 100, 0]);
        assert_eq!(counts(100, 0.0, 1.0), [0, 0, 100]);
        assert_eq!(counts(1000, 0.25, 0.75), [0, 250, 750]);
        assert_eq!(counts(1000, 0.01, 0.01), [980, 10, 10]);
        assert_eq!(counts(10, 0.4, 0.1), [5, 4, 1]);
        assert_eq!(counts(9, 0.1, 0.0), [9, 0, 0]);
    }
}
