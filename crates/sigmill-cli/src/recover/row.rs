//! Rows of the output: a key and its address, or the reason why there is no key.

use sigmill::ethereum::Address;

use super::defect::Defect;
use super::transaction::Facts;
use crate::signed::Value;
use crate::written::{CellValue, Kind, WrittenColumn, WrittenRow};

/// The result for a row.
#[derive(Debug)]
pub(super) struct Row {
    /// Its number in the file, counted from 1.
    pub(super) number: u64,
    pub(super) id: Option<Box<str>>,
    /// Facts about a transaction, if it could be read.
    pub(super) facts: Option<Box<Facts>>,
    pub(super) outcome: Result<Signer, Defect>,
}

/// The signer of a row.
#[derive(Debug)]
pub(super) struct Signer {
    /// The public key as a cell.
    pub(super) key: Value,
    pub(super) address: Address,
}

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Row,
    Id,
    Form,
    ChainId,
    Hash,
    Key,
    Address,
    Reason,
    Detail,
}

impl Column {
    /// The columns for a table of digests and signatures.
    pub(super) const OF_DIGESTS: &[Self] = &[
        Self::Row,
        Self::Id,
        Self::Key,
        Self::Address,
        Self::Reason,
        Self::Detail,
    ];

    /// The columns for transactions.
    pub(super) const OF_TRANSACTIONS: &[Self] = &[
        Self::Row,
        Self::Form,
        Self::ChainId,
        Self::Hash,
        Self::Key,
        Self::Address,
        Self::Reason,
        Self::Detail,
    ];
}

impl WrittenColumn for Column {
    fn name(self) -> &'static str {
        match self {
            Self::Row => "row",
            Self::Id => "id",
            Self::Form => "type",
            Self::ChainId => "chain_id",
            Self::Hash => "hash",
            Self::Key => "key",
            Self::Address => "address",
            Self::Reason => "reason",
            Self::Detail => "detail",
        }
    }

    fn kind(self) -> Kind {
        match self {
            Self::Row | Self::ChainId => Kind::Number,
            Self::Key => Kind::Bytes,
            _ => Kind::Text,
        }
    }
}

impl WrittenRow for Row {
    type Column = Column;

    fn cell(&self, column: Column) -> Option<CellValue<'_>> {
        let facts = self.facts.as_deref();
        let signer = self.outcome.as_ref().ok();
        let defect = self.outcome.as_ref().err();
        let text = |text: String| CellValue::Text(text.into());
        Some(match column {
            Column::Row => CellValue::Number(self.number),
            Column::Id => CellValue::Text(self.id.as_deref()?.into()),
            Column::Form => CellValue::Text(facts?.form.into()),
            Column::ChainId => CellValue::Number(facts?.chain_id?),
            // In the form of wallets and explorers, like the address.
            Column::Hash => text(format!(
                "0x{}",
                data_encoding::HEXLOWER.encode(&facts?.hash)
            )),
            Column::Key => (&signer?.key).into(),
            Column::Address => text(signer?.address.to_string()),
            Column::Reason => CellValue::Text(defect?.reason().into()),
            Column::Detail => text(defect?.to_string()),
        })
    }
}
