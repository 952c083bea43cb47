//! Places for the verdicts of rows, and for their recovery ids if these are wanted.

use crate::ecdsa::RecoveryId;
use crate::error::Error;

/// The verdict of a row, and the recovery id of R if the row is valid and the id is wanted.
pub(super) type Outcome = (Result<(), Error>, Option<RecoveryId>);

/// Places for the outcomes of some rows.
pub(super) struct Outcomes<'o> {
    pub(super) verdicts: &'o mut [Result<(), Error>],
    /// As many places, if recovery ids are wanted.
    pub(super) ids: Option<&'o mut [Option<RecoveryId>]>,
}

impl Outcomes<'_> {
    pub(super) fn len(&self) -> usize {
        self.verdicts.len()
    }

    pub(super) fn put(&mut self, place: usize, (verdict, id): Outcome) {
        self.verdicts[place] = verdict;
        if let Some(ids) = &mut self.ids {
            debug_assert!(
                id.is_none() || verdict.is_ok(),
                "a hint of a row that is valid"
            );
            ids[place] = id;
        }
    }

    /// Returns the first `middle` places, and the others.
    pub(super) fn split_at(self, middle: usize) -> (Self, Self) {
        let (verdicts, other_verdicts) = self.verdicts.split_at_mut(middle);
        let (ids, other_ids) = self.ids.map(|ids| ids.split_at_mut(middle)).unzip();
        let of = |verdicts, ids| Self { verdicts, ids };
        (of(verdicts, ids), of(other_verdicts, other_ids))
    }
}

/// The outcomes of some rows; at first these are not judged.
pub(super) struct OutcomeColumns {
    pub(super) verdicts: Vec<Result<(), Error>>,
    pub(super) ids: Option<Vec<Option<RecoveryId>>>,
}

impl OutcomeColumns {
    pub(super) fn new(rows: usize, wants_ids: bool) -> Self {
        Self {
            verdicts: vec![Err(Error::NotJudged); rows],
            ids: wants_ids.then(|| vec![None; rows]),
        }
    }

    /// Returns the places of all outcomes.
    pub(super) fn places(&mut self) -> Outcomes<'_> {
        Outcomes {
            verdicts: &mut self.verdicts,
            ids: self.ids.as_deref_mut(),
        }
    }

    pub(super) fn get(&self, place: usize) -> Outcome {
        let id = self.ids.as_ref().and_then(|ids| ids[place]);
        (self.verdicts[place], id)
    }
}
