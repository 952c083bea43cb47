//! The footer of an Arrow IPC file, which lists the places of its messages. Some readers of files
//! use the footer, others read from front to back. Both must find the same rows.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use arrow_ipc::{Block, Message as Metadata, MessageHeader, MetadataVersion};
use arrow_schema::Schema;

use super::message::{Head, Message, Next, malformed, read, read_head};
use super::{MAGIC, MAX_FILL_WORDS, WORD_LEN};

/// The length of the end of a file: the length of the footer, and the magic number.
const TRAILER_LEN: u64 = 4 + MAGIC.len() as u64;

/// The maximum number of bytes read for a message that lacks its length.
const MAX_BARE_LEN: u64 = 16 << 20;

/// Places and lengths of messages.
#[derive(Default, PartialEq, Eq)]
struct Index {
    dictionaries: Vec<Place>,
    batches: Vec<Place>,
}

/// Offset, length of the metadata, length of the body.
type Place = (i64, i32, i64);

/// The content of a footer that agrees with the messages of its file.
pub(crate) struct Checked {
    pub(super) schema: Schema,
    pub(super) version: MetadataVersion,
    /// The places of the messages: first all dictionaries, then all batches.
    pub(super) places: Vec<u64>,
}

/// Checks that the footer of `file` lists exactly the messages that precede it, in their order,
/// under the same schema.
///
/// A dictionary that replaces another one is refused too. Readers that use the footer read all
/// dictionaries first, so the last one would apply to all batches.
pub(crate) fn check(file: &mut File) -> Result<Checked, String> {
    let io = |e: std::io::Error| e.to_string();
    let len = file.seek(SeekFrom::End(0)).map_err(io)?;
    let footer_bytes = read_footer(file, len)?;
    let footer =
        arrow_ipc::root_as_footer(&footer_bytes).map_err(|e| malformed("the footer", e))?;
    let schema = footer.schema().ok_or("footer has no schema")?;
    let schema = super::read_schema(schema)?;
    let listed = Index {
        dictionaries: footer.dictionaries().iter().flatten().map(place).collect(),
        batches: footer.recordBatches().iter().flatten().map(place).collect(),
    };
    let start = skip_magic(file)?;
    let (version, first) = first_message(file, start, &listed, &schema)?;
    if let Some(first) = first {
        let footer_start = len - TRAILER_LEN - footer_bytes.len() as u64;
        file.seek(SeekFrom::Start(first)).map_err(io)?;
        if walk(&mut BufReader::new(&*file), first, footer_start)? != listed {
            return Err(
                "footer must list all batches and dictionaries of the file, in their order".into(),
            );
        }
    }
    // The walk has found each of them, so none begins before the file.
    let blocks = listed.dictionaries.iter().chain(&listed.batches);
    let places = blocks.filter_map(|&(offset, ..)| u64::try_from(offset).ok());
    Ok(Checked {
        schema,
        version,
        places: places.collect(),
    })
}

/// Returns the version of the schema's message, and the place of the first message after it, or
/// `None` if no message follows. The schema, which begins at `start`, must equal that of the
/// footer.
///
/// Polars writes the schema's message without its length. Such a file cannot be read from front to
/// back, so the first message is the first that the footer lists.
fn first_message(
    file: &mut File,
    start: u64,
    listed: &Index,
    schema: &Schema,
) -> Result<(MetadataVersion, Option<u64>), String> {
    let io = |e: std::io::Error| e.to_string();
    file.seek(SeekFrom::Start(start)).map_err(io)?;
    let mut reader = BufReader::new(&*file);
    let error = match Message::read(&mut reader) {
        Ok(Next::Message((_, message))) => {
            let place = reader.stream_position().map_err(io)?;
            let version = check_schema(&message.metadata()?, schema)?;
            return Ok((version, Some(place)));
        }
        Ok(Next::EndMark | Next::End) => return Err("missing schema".into()),
        Err(error) => error,
    };
    let blocks = listed.dictionaries.iter().chain(&listed.batches);
    let first = blocks.map(|&(offset, ..)| offset).min();
    let first = first
        .map(u64::try_from)
        .transpose()
        .map_err(|_| error.clone())?;
    let len = match first {
        Some(first) => first.checked_sub(start).ok_or_else(|| error.clone())?,
        None => MAX_BARE_LEN,
    };
    file.seek(SeekFrom::Start(start)).map_err(io)?;
    let mut bytes = vec![];
    read(file, &mut bytes, len.min(MAX_BARE_LEN))?;
    let message = arrow_ipc::root_as_message(&bytes).map_err(|_| error)?;
    Ok((check_schema(&message, schema)?, first))
}

/// Checks that `message` is this schema, and returns its version.
fn check_schema(message: &Metadata<'_>, schema: &Schema) -> Result<MetadataVersion, String> {
    let (found, version) = super::schema(message)?;
    match is_same_schema(&found, schema) {
        true => Ok(version),
        false => Err("footer and schema name different columns".into()),
    }
}

fn read_footer(file: &mut File, len: u64) -> Result<Vec<u8>, String> {
    let io = |e: std::io::Error| e.to_string();
    let no_end = || "truncated: does not end in ARROW1".to_owned();
    let trailer_start = len.checked_sub(TRAILER_LEN).ok_or_else(no_end)?;
    file.seek(SeekFrom::Start(trailer_start)).map_err(io)?;
    let mut trailer = vec![];
    read(file, &mut trailer, TRAILER_LEN)?;
    let (footer_len, magic) = trailer.split_first_chunk::<4>().ok_or_else(no_end)?;
    if magic != MAGIC {
        return Err(no_end());
    }
    let start = u64::try_from(i32::from_le_bytes(*footer_len))
        .ok()
        .and_then(|footer_len| trailer_start.checked_sub(footer_len))
        .ok_or("footer is longer than the file")?;
    file.seek(SeekFrom::Start(start)).map_err(io)?;
    let mut footer = vec![];
    read(file, &mut footer, trailer_start - start)?;
    Ok(footer)
}

/// Returns the place of the first message. It follows the magic number and zeros, up to a multiple
/// of eight. Some writers pad further, to the alignment of their buffers.
fn skip_magic(file: &mut File) -> Result<u64, String> {
    file.seek(SeekFrom::Start(WORD_LEN))
        .map_err(|e| e.to_string())?;
    let mut reader = BufReader::new(file);
    for words in 1..=MAX_FILL_WORDS {
        let mut word = vec![];
        read(&mut reader, &mut word, WORD_LEN)?;
        if word.iter().any(|&byte| byte != 0) || word.is_empty() {
            return Ok(words * WORD_LEN);
        }
    }
    Err("bytes after the magic number must be zero".into())
}

/// Finds the messages from `place` to the end mark. None may reach into the footer.
fn walk(reader: &mut (impl Read + Seek), mut place: u64, end: u64) -> Result<Index, String> {
    let mut found = Index::default();
    let mut numbers = HashSet::new();
    loop {
        let head = match read_head(reader)? {
            Next::Message((head, _)) => head,
            Next::EndMark => return Ok(found),
            Next::End => return Err("truncated: no end mark".into()),
        };
        let Head { len, body_len, .. } = head;
        let next = (place + len as u64)
            .checked_add(body_len)
            .filter(|&next| next <= end)
            .ok_or("message extends into the footer")?;
        // All of these are less than the length of the file.
        let block = (place as i64, len as i32, body_len as i64);
        match (head.kind, head.dictionary) {
            (MessageHeader::RecordBatch, _) => found.batches.push(block),
            (MessageHeader::DictionaryBatch, Some((number, is_delta))) => {
                if !numbers.insert(number) && !is_delta {
                    return Err(format!("two dictionaries have the id {number}"));
                }
                found.dictionaries.push(block);
            }
            (kind, _) => return Err(format!("message must be a batch, not {kind:?}")),
        }
        reader
            .seek(SeekFrom::Start(next))
            .map_err(|e| e.to_string())?;
        place = next;
    }
}

fn place(block: &Block) -> Place {
    (block.offset(), block.metaDataLength(), block.bodyLength())
}

/// Reports whether names, types and dictionaries are the same. (Comparing schemas ignores their
/// dictionaries' numbers.)
fn is_same_schema(one: &Schema, other: &Schema) -> bool {
    let numbers = |schema: &Schema| -> Vec<Option<i64>> {
        let fields = schema.flattened_fields().into_iter();
        #[expect(deprecated, reason = "the number is the dictionary's id")]
        fields.map(|field| field.dict_id()).collect()
    };
    one == other && numbers(one) == numbers(other)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::sync::Arc;

    use arrow_array::types::Int8Type;
    use arrow_array::{ArrayRef, DictionaryArray, RecordBatch};
    use arrow_ipc::writer::{DictionaryHandling, IpcWriteOptions, StreamWriter};

    use super::*;

    /// Finds the messages of a stream with a batch for each of `groups`. Its column is a
    /// dictionary.
    fn walk_stream(groups: &[&[&str]], handling: DictionaryHandling) -> Result<Index, String> {
        let batches: Vec<RecordBatch> = groups
            .iter()
            .map(|values| {
                let column: DictionaryArray<Int8Type> = values.iter().copied().collect();
                RecordBatch::try_from_iter([("a", Arc::new(column) as ArrayRef)]).unwrap()
            })
            .collect();
        let schema = batches[0].schema();
        let options = IpcWriteOptions::default().with_dictionary_handling(handling);
        let mut writer = StreamWriter::try_new_with_options(vec![], &schema, options).unwrap();
        for batch in &batches {
            writer.write(batch).unwrap();
        }
        let stream = writer.into_inner().unwrap();
        let len = stream.len() as u64;
        let mut stream = Cursor::new(stream);
        let Ok(Next::Message(_)) = Message::read(&mut stream) else {
            panic!("the schema comes first");
        };
        let start = stream.position();
        let found = walk(&mut stream, start, len)?;
        assert!(walk(&mut stream.clone(), start, len - 9).is_err());
        Ok(found)
    }

    #[test]
    fn a_dictionary_that_takes_the_place_of_another_is_refused() {
        for (groups, rule) in [
            (&[&["x"][..], &["x", "x"], &["x"]][..], None),
            (&[&["x"], &["y"]], Some("two dictionaries have the id 0")),
            (
                &[&["x", "y"], &["x"]],
                Some("two dictionaries have the id 0"),
            ),
        ] {
            let found = walk_stream(groups, DictionaryHandling::Resend);
            assert_eq!(
                found.as_ref().err().map(String::as_str).is_some(),
                rule.is_some()
            );
            match rule {
                Some(rule) => assert!(found.is_err_and(|e| e.contains(rule)), "{groups:?}"),
                None => assert_eq!(found.unwrap().batches.len(), groups.len()),
            }
        }
        // A dictionary that only grows is the same for every reader.
        let found = walk_stream(&[&["x"], &["x", "y"]], DictionaryHandling::Delta).unwrap();
        assert_eq!((found.dictionaries.len(), found.batches.len()), (2, 2));
    }
}
