//! What a call says of its rows.

use std::collections::BTreeMap;
use std::fmt;

use super::column::Column;
use super::rows::Ids;
use crate::bulk::plan::Plan;
use crate::ecdsa::RecoveryId;
use crate::error::Error;

/// The verdicts of a call: one for each row, in the order of the rows, with the caller's ids.
///
/// A row that was not judged, because the call was cancelled before its turn, has the verdict
/// [`Error::NotJudged`]: it is counted neither as valid nor as rejected.
#[derive(Clone, Debug)]
pub struct Verdicts {
    verdicts: Vec<Result<(), Error>>,
    ids: OwnedIds,
    valid: usize,
    not_judged: usize,
    hints: Option<Vec<Option<RecoveryId>>>,
    plan: Option<Plan>,
}

/// How the caller calls a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Id<'a> {
    /// The number of the row in the call, or the caller's own.
    Number(u64),
    /// The caller's name, which may be any bytes.
    Name(&'a [u8]),
    /// The caller has no name for it.
    Null,
}

/// The ids, kept beyond the life of the columns.
#[derive(Clone, Debug)]
enum OwnedIds {
    RowNumbers,
    Numbers(Vec<u64>),
    /// Row i is called `bytes[ends[i - 1]..ends[i]]`, unless it is among the nulls.
    Names {
        bytes: Vec<u8>,
        ends: Vec<usize>,
        nulls: Vec<usize>,
    },
}

impl Verdicts {
    /// Keeps the ids of the rows beside their verdicts.
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

    /// The number of rows of the call.
    pub fn len(&self) -> usize {
        self.verdicts.len()
    }

    /// Whether the call had no row.
    pub fn is_empty(&self) -> bool {
        self.verdicts.is_empty()
    }

    /// The verdict of a row: what the single call says of it. A row that does not exist was not
    /// judged.
    ///
    /// # Errors
    /// The rule that the row breaks; [`Error::NotJudged`].
    pub fn get(&self, row: usize) -> Result<(), Error> {
        self.verdicts
            .get(row)
            .copied()
            .unwrap_or(Err(Error::NotJudged))
    }

    /// The verdicts in the order of the rows.
    pub fn as_slice(&self) -> &[Result<(), Error>] {
        &self.verdicts
    }

    /// What R was, of each valid row, in the order of the rows; none of a row that is not valid.
    ///
    /// For [`Hints::Ids`](super::Hints::Ids) of a later call, where what is no byte of a recovery
    /// id is no hint. There if [`Control::hints`](crate::bulk::Control::hints) asked for it.
    pub fn hints(&self) -> Option<&[Option<RecoveryId>]> {
        self.hints.as_deref()
    }

    /// The id of a row.
    pub fn id(&self, row: usize) -> Id<'_> {
        self.ids.get(row)
    }

    /// Ids and verdicts, in the order of the rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Id<'_>, Result<(), Error>)> {
        let verdicts = self.verdicts.iter().enumerate();
        verdicts.map(|(row, verdict)| (self.id(row), *verdict))
    }

    /// The rows that were rejected, in order: their numbers, ids and reasons.
    pub fn iter_rejected(&self) -> impl Iterator<Item = (usize, Id<'_>, Error)> {
        let verdicts = self.verdicts.iter().enumerate();
        verdicts.filter_map(|(row, verdict)| match *verdict {
            Ok(()) | Err(Error::NotJudged) => None,
            Err(error) => Some((row, self.id(row), error)),
        })
    }

    /// How many rows are valid.
    pub fn valid(&self) -> usize {
        self.valid
    }

    /// How many rows were rejected.
    pub fn rejected(&self) -> usize {
        self.judged() - self.valid
    }

    /// How many rows were judged: all of them, unless the call was cancelled.
    pub fn judged(&self) -> usize {
        self.len() - self.not_judged
    }

    /// Whether every row is valid; so also where there is none.
    pub fn all_valid(&self) -> bool {
        self.valid == self.len()
    }

    /// How many rows were rejected for each reason, by [`Error::reason`].
    pub fn reasons(&self) -> BTreeMap<&'static str, usize> {
        let mut reasons = BTreeMap::new();
        for (_, _, error) in self.iter_rejected() {
            *reasons.entry(error.reason()).or_insert(0) += 1;
        }
        reasons
    }

    /// What was done, with what it was to cost and did: where
    /// [`Control::explain`](crate::bulk::Control::explain) asked for it.
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
    /// A number in digits, a name as text (what is not UTF-8 is replaced), nothing for no name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Name(name) => f.pad(&String::from_utf8_lossy(name)),
            Self::Null => f.pad(""),
        }
    }
}
