//! Verdicts as JSON Lines or CSV.

use std::fs::File;
use std::io::{self, Write};

use serde::Serialize;

use crate::format::TableFormat;
use crate::verdicts::Part;

/// Writes lines, whole parts at a time: whatever ends the run, the file ends with a whole line.
pub(crate) struct TextWriter {
    file: File,
    is_csv: bool,
}

/// A row; of JSON what has no value is left out.
#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    row: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    valid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
}

impl TextWriter {
    pub(crate) fn new(mut file: File, format: TableFormat) -> Result<Self, String> {
        let is_csv = format == TableFormat::Csv;
        if is_csv {
            // Here, so that a table without rows has its header too.
            file.write_all(b"file,row,id,valid,reason,detail\n")
                .map_err(|e| e.to_string())?;
        }
        Ok(Self { file, is_csv })
    }

    pub(crate) fn write(&mut self, part: &Part<'_>) -> Result<(), String> {
        let lines = part.rows().map(|(row, id, rejected)| Line {
            file: part.file,
            row,
            id,
            valid: rejected.is_none(),
            reason: rejected.map(|r| r.defect.reason()),
            detail: rejected.map(|r| r.defect.to_string()),
        });
        let text = if self.is_csv {
            csv_text(lines)
        } else {
            json_text(lines)
        };
        text.and_then(|text| self.file.write_all(&text))
            .map_err(|e| e.to_string())
    }

    pub(crate) fn finish(mut self) -> Result<(), String> {
        self.file.flush().map_err(|e| e.to_string())
    }
}

fn csv_text<'a>(lines: impl Iterator<Item = Line<'a>>) -> io::Result<Vec<u8>> {
    let mut writer = csv::WriterBuilder::new()
        .has_headers(false)
        .from_writer(Vec::new());
    for line in lines {
        let Line {
            file,
            row,
            id,
            valid,
            reason,
            detail,
        } = line;
        let cells = (file, row, id, valid, reason, detail);
        writer.serialize(cells).map_err(io::Error::other)?;
    }
    writer
        .into_inner()
        .map_err(|e| io::Error::other(e.to_string()))
}

fn json_text<'a>(lines: impl Iterator<Item = Line<'a>>) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    for line in lines {
        serde_json::to_writer(&mut text, &line)?;
        text.push(b'\n');
    }
    Ok(text)
}
