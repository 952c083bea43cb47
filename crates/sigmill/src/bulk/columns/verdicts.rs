//! The verdicts of a call.

use std::collections::BTreeMap;

use crate::bulk::plan::Plan;
use crate::ecdsa::RecoveryId;
use crate::error::Error;

/// The verdicts of a call: one for each row, in the order of the rows.
///
/// A row that was not reached because the call was cancelled has the verdict [`Error::NotJudged`].
/// It counts neither as valid nor as rejected.
#[derive(Clone, Debug)]
pub struct Verdicts {
    verdicts: Vec<Result<(), Error>>,
    valid: usize,
    not_judged: usize,
    hints: Option<Vec<Option<RecoveryId>>>,
    plan: Option<Plan>,
}

impl Verdicts {
    pub(in crate::bulk) fn new(
        verdicts: Vec<Result<(), Error>>,
        hints: Option<Vec<Option<RecoveryId>>>,
        plan: Option<Plan>,
    ) -> Self {
        let count = |which: fn(&Result<(), Error>) -> bool| {
            verdicts.iter().filter(|&verdict| which(verdict)).count()
        };
        let valid = count(Result::is_ok);
        let not_judged = count(|verdict| *verdict == Err(Error::NotJudged));
        Self {
            verdicts,
            valid,
            not_judged,
            hints,
            plan,
        }
    }

    /// Returns the number of rows of the call.
    pub fn len(&self) -> usize {
        self.verdicts.len()
    }

    /// Returns true if the call had no row.
    pub fn is_empty(&self) -> bool {
        self.verdicts.is_empty()
    }

    /// Returns the verdict of a row, which is that of the single call. A row that does not exist
    /// counts as not judged.
    ///
    /// # Errors
    /// The rule that the row breaks; [`Error::NotJudged`].
    pub fn get(&self, row: usize) -> Result<(), Error> {
        self.verdicts
            .get(row)
            .copied()
            .unwrap_or(Err(Error::NotJudged))
    }

    /// Returns the verdicts in the order of the rows.
    pub fn as_slice(&self) -> &[Result<(), Error>] {
        &self.verdicts
    }

    /// Returns the recovery id of R for each valid row, in the order of the rows, and `None` for
    /// each other row. Returns `None` unless [`Control::hints`](crate::bulk::Control::hints) was
    /// set.
    ///
    /// Use them as [`Hints::Ids`](super::Hints::Ids) of a later call. There, a value that is not a
    /// byte of a recovery id means that the row has no hint.
    pub fn hints(&self) -> Option<&[Option<RecoveryId>]> {
        self.hints.as_deref()
    }

    /// Returns the numbers and reasons of the rejected rows, in order.
    pub fn iter_rejected(&self) -> impl Iterator<Item = (usize, Error)> {
        let verdicts = self.verdicts.iter().enumerate();
        verdicts.filter_map(|(row, verdict)| match *verdict {
            Ok(()) | Err(Error::NotJudged) => None,
            Err(error) => Some((row, error)),
        })
    }

    /// Returns the number of valid rows.
    pub fn valid(&self) -> usize {
        self.valid
    }

    /// Returns the number of rejected rows.
    pub fn rejected(&self) -> usize {
        self.judged() - self.valid
    }

    /// Returns the number of rows that were judged: all of them, unless the call was cancelled.
    pub fn judged(&self) -> usize {
        self.len() - self.not_judged
    }

    /// Returns true if every row is valid, also if the call had no row.
    pub fn all_valid(&self) -> bool {
        self.valid == self.len()
    }

    /// Returns the number of rejected rows for each reason, by [`Error::reason`].
    pub fn reasons(&self) -> BTreeMap<&'static str, usize> {
        let mut reasons = BTreeMap::new();
        for (_, error) in self.iter_rejected() {
            *reasons.entry(error.reason()).or_insert(0) += 1;
        }
        reasons
    }

    /// Returns the plan that was carried out, with estimated and actual costs. Returns `None`
    /// unless [`Control::explain`](crate::bulk::Control::explain) was set.
    pub fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }
}
