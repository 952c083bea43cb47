//! The verdicts of a call.

use std::collections::BTreeMap;
use std::fmt;

use super::column::Column;
use super::rows::Ids;
use crate::bulk::plan::Plan;
use crate::ecdsa::RecoveryId;
use crate::error::Error;

/// The verdicts of a call: one for each row, in the order of the rows, with the caller's ids.
///
/// A row that was not reached because the call was cancelled has the verdict [`Error::NotJudged`].
/// It counts neither as valid nor as rejected.
#[derive(Clone, Debug)]
pub struct Verdicts {
    verdicts: Vec<Result<(), Error>>,
    ids: OwnedIds,
    valid: usize,
    not_judged: usize,
    hints: Option<Vec<Option<RecoveryId>>>,
    plan: Option<Plan>,
}

/// The caller's name of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Id<'a> {
    /// The number of the row in the call, or the caller's own number.
    Number(u64),
    /// The caller's name, which may be any bytes.
    Name(&'a [u8]),
    /// No name.
    Null,
}

/// The ids, copied so that they outlive the columns.
#[derive(Clone, Debug)]
enum OwnedIds {
    RowNumbers,
    Numbers(Vec<u64>),
    /// Row i has the name `bytes[ends[i - 1]..ends[i]]`, unless it is among the nulls.
    Names {
        bytes: Vec<u8>,
        ends: Vec<usize>,
        nulls: Vec<usize>,
    },
}

impl Verdicts {
    /// Combines verdicts with the ids of their rows.
    pub(in crate::bulk) fn new(
        verdicts: Vec<Result<(), Error>>,
        hints: Option<Vec<Option<RecoveryId>>>,
        ids: &Ids<'_>,
        plan: Option<Plan>,
    ) -> Self {
        let count = |which: fn(&Result<(), Error>) -> bool| {
            verdicts.iter().filter(|&verdict| which(verdict)).count()
        };
        let valid = count(Result::is_ok);
        let not_judged = count(|verdict| *verdict == Err(Error::NotJudged));
        Self {
            ids: OwnedIds::new(ids, verdicts.len()),
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

    /// Returns the id of a row.
    pub fn id(&self, row: usize) -> Id<'_> {
        self.ids.get(row)
    }

    /// Returns ids and verdicts, in the order of the rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Id<'_>, Result<(), Error>)> {
        let verdicts = self.verdicts.iter().enumerate();
        verdicts.map(|(row, verdict)| (self.id(row), *verdict))
    }

    /// Returns the numbers, ids and reasons of the rejected rows, in order.
    pub fn iter_rejected(&self) -> impl Iterator<Item = (usize, Id<'_>, Error)> {
        let verdicts = self.verdicts.iter().enumerate();
        verdicts.filter_map(|(row, verdict)| match *verdict {
            Ok(()) | Err(Error::NotJudged) => None,
            Err(error) => Some((row, self.id(row), error)),
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
        for (_, _, error) in self.iter_rejected() {
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

impl OwnedIds {
    fn new(ids: &Ids<'_>, rows: usize) -> Self {
        match ids {
            Ids::RowNumbers => Self::RowNumbers,
            Ids::Numbers(numbers) => Self::Numbers(numbers.to_vec()),
            Ids::Names(column) => Self::names(column, rows),
        }
    }

    fn names(column: &Column<'_>, rows: usize) -> Self {
        let mut bytes = vec![];
        let mut ends = Vec::with_capacity(rows);
        let mut nulls = vec![];
        for row in 0..rows {
            match column.value(row) {
                Some(name) => bytes.extend_from_slice(name),
                None => nulls.push(row),
            }
            ends.push(bytes.len());
        }
        Self::Names { bytes, ends, nulls }
    }

    fn get(&self, row: usize) -> Id<'_> {
        match self {
            Self::RowNumbers => Id::Number(row as u64),
            Self::Numbers(numbers) => numbers.get(row).map_or(Id::Null, |&id| Id::Number(id)),
            Self::Names { bytes, ends, nulls } => {
                let Some(&end) = ends.get(row) else {
                    return Id::Null;
                };
                if nulls.binary_search(&row).is_ok() {
                    return Id::Null;
                }
                let start = row.checked_sub(1).map_or(0, |before| ends[before]);
                Id::Name(&bytes[start..end])
            }
        }
    }
}

impl fmt::Display for Id<'_> {
    /// Displays a number in digits, a name as text with invalid UTF-8 replaced, and no name as
    /// nothing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Name(name) => f.pad(&String::from_utf8_lossy(name)),
            Self::Null => f.pad(""),
        }
    }
}
