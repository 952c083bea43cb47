//! The columns to read, and their names.

use crate::error::CliError;
use crate::rows::fields::Column;

/// The maximum number of columns in a file: as many as in a spreadsheet.
pub(crate) const MAX_COLUMNS: usize = 16_384;

/// The names of the columns in the file.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct ColumnNames {
    /// Column of the algorithm: ES256, ES384, ES512, ES256K, P-384-SHA256, ...
    #[arg(
        id = "alg_column",
        long = "alg-column",
        value_name = "NAME",
        default_value = "alg"
    )]
    pub(crate) alg: String,
    /// Column of the public key
    #[arg(
        id = "key_column",
        long = "key-column",
        value_name = "NAME",
        default_value = "key"
    )]
    pub(crate) key: String,
    /// Column of the message
    #[arg(
        id = "message_column",
        long = "message-column",
        value_name = "NAME",
        default_value = "message"
    )]
    pub(crate) message: String,
    /// Column of the message's digest
    #[arg(
        id = "digest_column",
        long = "digest-column",
        value_name = "NAME",
        default_value = "digest"
    )]
    pub(crate) digest: String,
    /// Column of the signature
    #[arg(
        id = "signature_column",
        long = "signature-column",
        value_name = "NAME",
        default_value = "signature"
    )]
    pub(crate) signature: String,
    /// Column that names the row in the output (optional in the file)
    #[arg(
        id = "id_column",
        long = "id-column",
        value_name = "NAME",
        default_value = "id"
    )]
    pub(crate) id: String,
    /// The column of hints, if the run reads one.
    #[arg(skip)]
    pub(crate) hint: Option<String>,
}

impl Default for ColumnNames {
    fn default() -> Self {
        let name = |column: Column| column.field().to_owned();
        Self {
            alg: name(Column::Alg),
            key: name(Column::Key),
            message: name(Column::Message),
            digest: name(Column::Digest),
            signature: name(Column::Signature),
            id: name(Column::Id),
            hint: None,
        }
    }
}

impl ColumnNames {
    /// Returns the name of `column` in the file.
    pub(crate) fn name(&self, column: Column) -> &str {
        match column {
            Column::Id => &self.id,
            Column::Alg => &self.alg,
            Column::Key => &self.key,
            Column::Message => &self.message,
            Column::Digest => &self.digest,
            Column::Signature => &self.signature,
            Column::Hint => self.hint.as_deref().unwrap_or_default(),
        }
    }
}

/// The columns to look for: their names, without those that are not read.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    names: ColumnNames,
    without: &'static [Column],
    keeps_messages: bool,
    /// True if the names are fixed, so that no option changes them.
    is_fixed: bool,
}

impl Wanted {
    /// Excludes the columns `without`, which are replaced by a constant or are to be made.
    pub(crate) fn new(names: ColumnNames, without: &'static [Column]) -> Result<Self, CliError> {
        let wanted = Self {
            names,
            without,
            keeps_messages: without.contains(&Column::Signature),
            is_fixed: false,
        };
        for (i, &one) in Column::ALL.iter().enumerate() {
            for &other in &Column::ALL[i + 1..] {
                if wanted.reads(one)
                    && wanted.reads(other)
                    && wanted.names.name(one) == wanted.names.name(other)
                {
                    return Err(CliError::Usage(format!(
                        "column {:?}: cannot be both {} and {}",
                        wanted.names.name(one),
                        one.field(),
                        other.field()
                    )));
                }
            }
        }
        Ok(wanted)
    }

    /// Returns the columns of a table of hints: the hint, and in place of the digest the column
    /// that identifies the row.
    pub(crate) fn of_hints(hint: &str, digest: &str) -> Self {
        Self {
            names: ColumnNames {
                hint: Some(hint.to_owned()),
                digest: digest.to_owned(),
                ..ColumnNames::default()
            },
            without: &[
                Column::Id,
                Column::Alg,
                Column::Key,
                Column::Message,
                Column::Signature,
            ],
            keeps_messages: false,
            is_fixed: true,
        }
    }

    /// Returns the same columns, for rows that are written with their messages.
    pub(crate) fn keeping_messages(mut self) -> Self {
        self.keeps_messages = true;
        self
    }

    fn reads(&self, column: Column) -> bool {
        !self.without.contains(&column) && (column != Column::Hint || self.names.hint.is_some())
    }

    /// Returns true if the output of a row contains its message. A run that reads no signatures
    /// makes them, and writes them with their messages.
    pub(crate) fn keeps_messages(&self) -> bool {
        self.keeps_messages
    }

    /// Returns the column that the file calls `name`, if it is to be read.
    pub(crate) fn column(&self, name: &str) -> Option<Column> {
        Column::ALL
            .into_iter()
            .find(|&column| self.names.name(column) == name && self.reads(column))
    }

    /// Returns the positions of the columns in a file whose rows all have the same columns. An
    /// error concerns the whole file and lists its columns.
    pub(crate) fn locate(
        &self,
        file: &str,
        header: &[&str],
    ) -> Result<Vec<(Column, usize)>, CliError> {
        if header.len() > MAX_COLUMNS {
            return Err(CliError::file(
                file,
                format!("must have at most {MAX_COLUMNS} columns"),
            ));
        }
        let mut found: Vec<(Column, usize)> = Vec::new();
        for (i, name) in header.iter().enumerate() {
            if let Some(column) = self.column(name) {
                if found.iter().any(|&(other, _)| other == column) {
                    return Err(CliError::file(
                        file,
                        format!("column {name:?}: occurs twice"),
                    ));
                }
                found.push((column, i));
            }
        }
        let has = |column| found.iter().any(|&(other, _)| other == column);
        let missing = |column: Column, advice: &str| {
            let advice = match self.is_fixed {
                true => "--write-hints writes one",
                false => advice,
            };
            let listed: Vec<String> = header
                .iter()
                .take(20)
                .map(|name| format!("{name:?}"))
                .collect();
            CliError::file(
                file,
                format!(
                    "no column {:?} among {}; {advice}",
                    self.names.name(column),
                    if listed.is_empty() {
                        "no columns".to_owned()
                    } else {
                        listed.join(", ")
                    },
                ),
            )
        };
        if self.reads(Column::Alg) && !has(Column::Alg) {
            return Err(missing(
                Column::Alg,
                "name it with --alg-column, or give one algorithm for all rows with --alg",
            ));
        }
        if self.reads(Column::Key) && !has(Column::Key) {
            return Err(missing(
                Column::Key,
                "name it with --key-column, or give one key for all rows with --key",
            ));
        }
        if self.reads(Column::Signature) && !has(Column::Signature) {
            return Err(missing(
                Column::Signature,
                "name it with --signature-column",
            ));
        }
        if self.reads(Column::Hint) && !has(Column::Hint) {
            return Err(missing(Column::Hint, "name it with --hint-column"));
        }
        if !self.reads(Column::Message) && !has(Column::Digest) {
            return Err(missing(Column::Digest, "name it with --digest-column"));
        }
        if !has(Column::Message) && !has(Column::Digest) {
            return Err(missing(
                Column::Message,
                "name it with --message-column or --digest-column",
            ));
        }
        Ok(found)
    }
}
