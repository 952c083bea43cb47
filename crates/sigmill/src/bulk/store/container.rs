//! Conversion of a store to bytes and back.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | magic number, `sigmkst` and a zero byte |
//! | 2 | version, 1 |
//! | 2 | zero |
//! | 4 | the number of tables |
//! | | for each table, the pinned ones first, then the hottest: |
//! | 1 | 1 if it was pinned, 0 if not; a pin is not loaded |
//! | 4 | how often the key came recently |
//! | 4 | the length of the table |
//! | | the table, as [`AnyPreparedKey::to_bytes`] writes it |
//! | 32 | SHA-256 of everything before it |
//!
//! Numbers are big-endian. A claimed number alone causes no allocation, and a table is trusted no
//! more than a key is: reading builds it anew and compares. Nothing enters the store before the
//! last byte is checked. Nothing that the file decides lasts: tables that it calls pinned can be
//! displaced, and frequencies fade.

use std::fmt;
use std::io::{self, Read, Write};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::KeyStore;
use crate::Error;
use crate::keys::AnyPreparedKey;

const MAGIC: &[u8; 8] = b"sigmkst\0";
const VERSION: u16 = 1;

/// An upper bound on the bytes of a table: P-521 at window 11 has 6,488,245.
pub(super) const LONGEST_TABLE: u32 = 8 << 20;

/// The result of [`KeyStore::load`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loaded {
    /// Tables that were read, checked and added to the store.
    pub tables: u64,
    /// Tables that were skipped, because those before them used up the memory.
    pub skipped: u64,
}

/// The reason why a saved store could not be loaded.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// Reading failed.
    Read(io::Error),
    /// The data is not a saved store. The error is one of the `Store...` or `Table...` variants of
    /// [`Error`], or an error in a key.
    Invalid(Error),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Read(error) => write!(f, "key store: it could not be read: {error}"),
            LoadError::Invalid(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(match self {
            LoadError::Read(error) => error,
            LoadError::Invalid(error) => error,
        })
    }
}

impl From<Error> for LoadError {
    fn from(error: Error) -> Self {
        LoadError::Invalid(error)
    }
}

impl KeyStore {
    /// Writes every table with its key, how often the key came recently, and whether it is pinned.
    /// Keys without a table are not saved. Returns the number of tables. They count as in use while
    /// they are written.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn save(&self, writer: impl Write) -> io::Result<u64> {
        let contents = self.contents();
        let mut held = contents.tables.snapshot(&contents.frequency);
        held.truncate(u32::MAX as usize);
        let mut writer = Hashing::new(writer);
        writer.write(MAGIC)?;
        writer.write(&VERSION.to_be_bytes())?;
        writer.write(&[0; 2])?;
        writer.write(&(held.len() as u32).to_be_bytes())?;
        let count = held.len() as u64;
        for held in held {
            let table = held.table.to_bytes();
            writer.write(&[u8::from(held.pinned)])?;
            writer.write(&held.frequency.to_be_bytes())?;
            writer.write(&(table.len() as u32).to_be_bytes())?;
            writer.write(&table)?;
        }
        let (mut inner, checksum) = writer.finish();
        inner.write_all(&checksum)?;
        inner.flush()?;
        Ok(count)
    }

    /// Adds the tables that [`save`](Self::save) wrote to this store, reading up to the end of the
    /// reader. Everything is checked: each table is built anew from its key and compared, so
    /// loading takes as long as building the tables. Tables for which there is no room, the last
    /// ones of the file, are skipped, and their content is not checked; they displace nothing that
    /// the store holds. On an error the store is unchanged.
    ///
    /// Loading pins no table, as whoever can write the file could fill the memory for good: call
    /// [`pin`](Self::pin) for the keys whose tables must stay. It builds nothing for a key whose
    /// table was loaded.
    ///
    /// In addition to the memory of the store, two copies of one table are held at a time.
    ///
    /// # Errors
    /// [`LoadError::Read`] from the reader, and [`LoadError::Invalid`] with
    /// [`Error::StoreMagic`], [`Error::StoreVersion`], [`Error::StoreTruncated`],
    /// [`Error::StoreEntry`], [`Error::StoreChecksum`], [`Error::StoreTrailingData`], and those of
    /// [`AnyPreparedKey::from_bytes`].
    pub fn load(&self, reader: impl Read) -> Result<Loaded, LoadError> {
        let mut reader = Hashing::new(reader);
        if &reader.array()? != MAGIC {
            return Err(Error::StoreMagic.into());
        }
        // The version and two zero bytes.
        if u32::from_be_bytes(reader.array()?) != u32::from(VERSION) << 16 {
            return Err(Error::StoreVersion.into());
        }
        let count = u32::from_be_bytes(reader.array()?);
        let contents = self.contents();
        let mut loaded = Loaded::default();
        let mut entries = vec![];
        for _ in 0..count {
            // Pinned or not.
            if !matches!(reader.array()?, [0 | 1]) {
                return Err(Error::StoreEntry.into());
            }
            let frequency = u32::from_be_bytes(reader.array()?);
            let length = u32::from_be_bytes(reader.array()?);
            if length > LONGEST_TABLE {
                return Err(Error::StoreEntry.into());
            }
            let bytes = reader.bytes(length)?;
            match contents.tables.reserve_for(bytes.len()) {
                Some(room) => {
                    let table = Arc::new(AnyPreparedKey::from_bytes(&bytes)?);
                    loaded.tables += 1;
                    entries.push((table, room, frequency));
                }
                None => loaded.skipped += 1,
            }
        }
        let (mut inner, checksum) = reader.finish();
        let mut stored = [0; 32];
        read_exact(&mut inner, &mut stored)?;
        if stored != checksum {
            return Err(Error::StoreChecksum.into());
        }
        if inner
            .take(1)
            .read_to_end(&mut vec![])
            .map_err(LoadError::Read)?
            > 0
        {
            return Err(Error::StoreTrailingData.into());
        }
        for (table, room, frequency) in entries {
            let known = self.known(&table.verifying_key());
            contents.frequency.add(known.hash(), frequency);
            contents.tables.adopt(&known, table, room, false);
        }
        Ok(loaded)
    }
}

/// A reader or writer with the hash of the bytes that passed through it.
struct Hashing<T> {
    inner: T,
    hash: Sha256,
}

impl<T> Hashing<T> {
    fn new(inner: T) -> Self {
        Self {
            inner,
            hash: Sha256::new(),
        }
    }

    fn finish(self) -> (T, [u8; 32]) {
        (self.inner, self.hash.finalize().into())
    }
}

impl<W: Write> Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.inner.write_all(bytes)
    }
}

impl<R: Read> Hashing<R> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], LoadError> {
        let mut bytes = [0; N];
        read_exact(&mut self.inner, &mut bytes)?;
        self.hash.update(bytes);
        Ok(bytes)
    }

    /// Reads `length` bytes. The memory grows with the bytes that exist.
    fn bytes(&mut self, length: u32) -> Result<Vec<u8>, LoadError> {
        let mut bytes = vec![];
        let mut inner = self.inner.by_ref().take(u64::from(length));
        inner.read_to_end(&mut bytes).map_err(LoadError::Read)?;
        if bytes.len() < length as usize {
            return Err(Error::StoreTruncated.into());
        }
        self.hash.update(&bytes);
        Ok(bytes)
    }
}

fn read_exact(reader: &mut impl Read, bytes: &mut [u8]) -> Result<(), LoadError> {
    reader
        .read_exact(bytes)
        .map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => LoadError::Invalid(Error::StoreTruncated),
            _ => LoadError::Read(error),
        })
}
