//! Conversion of a store to bytes and back.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | magic number, `sigmkst` and a zero byte |
//! | 2 | version, 2 |
//! | 2 | zero |
//! | 4 | the number of keys |
//! | | for each key, the pinned ones first, then the hottest: |
//! | 1 | curve: 1 for P-256, 2 for P-384, 3 for secp256k1, 4 for brainpoolP256r1, 5 for P-521 |
//! | 1 | the window of its table, 1 to 11, if it was pinned; 0 if not |
//! | 2 | how often it came recently |
//! | 2l | its point, x and y, with l the length of a coordinate |
//! | 32 | SHA-256 of everything before it |
//!
//! Numbers are big-endian. Tables are not saved: whoever can write the file could choose which
//! signatures they accept. A claimed number causes no allocation, and the keys that are kept while
//! reading are no more than the store could have tables for. Nothing enters the store before the
//! last byte is checked. Nothing that the file decides lasts: tables that it calls pinned can be
//! displaced, and frequencies fade.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::fmt;
use std::io::{self, Read, Write};

use sha2::{Digest, Sha256};

use super::tables::{Snapshot, table_cost};
use super::{Contents, KeyStore};
use crate::keys::AnyVerifyingKey;
use crate::{CurveName, Error};

const MAGIC: &[u8; 8] = b"sigmkst\0";
const VERSION: u16 = 2;

/// The result of [`KeyStore::load`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loaded {
    /// Keys that the store now counts as having come as often as the file reports.
    pub keys: u64,
    /// Tables that were built at once: those of keys that were pinned.
    pub tables: u64,
    /// Keys that were skipped, because those before them could use up the memory for tables.
    pub skipped: u64,
}

/// The reason why a saved store could not be loaded.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// Reading failed.
    Read(io::Error),
    /// The data is not a saved store. The error is one of the `Store...` variants of [`Error`], or
    /// an error in a key or a window.
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
    /// Writes the keys that have tables, and the loaded keys that have none: how often each came,
    /// and the window of its table if that is pinned. Tables are not saved. Keys without a table
    /// are saved with half their number of rows, and no longer when that is zero. Returns the
    /// number of keys.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn save(&self, writer: impl Write) -> io::Result<u64> {
        let contents = self.contents();
        let mut held = contents.tables.snapshot(&contents.frequency);
        let with_table: HashSet<u64> = held.iter().map(|held| held.hash).collect();
        for (hash, key) in contents.saved.all() {
            // Halved by each save, as few processes last until the counts themselves fade.
            let frequency = contents.frequency.estimate(hash) / 2;
            if frequency > 0 && !with_table.contains(&hash) {
                held.push(Snapshot {
                    key,
                    hash,
                    window: 0,
                    frequency,
                    pinned: false,
                });
            }
        }
        held.sort_by_key(|held| Reverse((held.pinned, held.frequency)));
        held.truncate(u32::MAX as usize);
        let mut writer = Hashing::new(writer);
        writer.write(MAGIC)?;
        writer.write(&VERSION.to_be_bytes())?;
        writer.write(&[0; 2])?;
        writer.write(&(held.len() as u32).to_be_bytes())?;
        let count = held.len() as u64;
        for held in held {
            let window = if held.pinned { held.window as u8 } else { 0 };
            let (x, y) = held.key.to_coordinates();
            writer.write(&[held.key.curve().store_number(), window])?;
            let frequency = u16::try_from(held.frequency).unwrap_or(u16::MAX);
            writer.write(&frequency.to_be_bytes())?;
            writer.write(&x)?;
            writer.write(&y)?;
        }
        let (mut inner, checksum) = writer.finish();
        inner.write_all(&checksum)?;
        inner.flush()?;
        Ok(count)
    }

    /// Adds the keys that [`save`](Self::save) wrote to this store, reading up to the end of the
    /// reader. Each counts as having come as often as before, so it gets its table as soon as it
    /// returns, and the next save has it again. The tables of keys that were pinned are built at
    /// once, as long as memory is free. Loading displaces nothing that the store holds. The last
    /// keys of the file are skipped if the memory has no room for the tables of those before them.
    /// On an error the store is unchanged.
    ///
    /// Loading pins no table, as whoever can write the file could fill the memory for good: call
    /// [`pin`](Self::pin) for the keys whose tables must stay. It builds nothing for a key whose
    /// table was built here.
    ///
    /// # Errors
    /// [`LoadError::Read`] from the reader, and [`LoadError::Invalid`] with
    /// [`Error::StoreMagic`], [`Error::StoreVersion`], [`Error::StoreTruncated`],
    /// [`Error::StoreCurve`], [`Error::StoreDuplicateKey`], [`Error::StoreChecksum`],
    /// [`Error::StoreTrailingData`], [`Error::WindowOutOfRange`], and those of
    /// [`AnyVerifyingKey::from_coordinates`]. A key that comes again after it was skipped is no
    /// error.
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
        let mut room = contents.tables.budget.limit();
        let (mut entries, mut keys) = (vec![], HashSet::new());
        for _ in 0..count {
            let [curve, window] = reader.array()?;
            let frequency = u16::from_be_bytes(reader.array()?);
            let mut curves = CurveName::ALL.iter().copied();
            let curve = curves.find(|known| known.store_number() == curve);
            let key = reader.key(curve.ok_or(Error::StoreCurve)?)?;
            let window = u32::from(window);
            let cost = table_cost(key.table_bytes(window.max(1))?);
            if keys.contains(&key) {
                return Err(Error::StoreDuplicateKey.into());
            }
            match room.checked_sub(cost) {
                Some(rest) => {
                    room = rest;
                    keys.insert(key);
                    entries.push((key, window, frequency));
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
        let mut saved = Vec::with_capacity(entries.len());
        for (key, window, frequency) in entries {
            let known = self.known(&key);
            saved.push((known.hash(), key));
            contents.frequency.add(known.hash(), frequency.into());
            loaded.keys += 1;
            loaded.tables += u64::from(window > 0 && contents.tables.restore(&known, window));
        }
        let Contents {
            tables, frequency, ..
        } = contents;
        contents.saved.add(saved, tables, frequency);
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

    /// Reads the point of a key.
    fn key(&mut self, curve: CurveName) -> Result<AnyVerifyingKey, LoadError> {
        let mut point = vec![0; 2 * curve.field_len()];
        read_exact(&mut self.inner, &mut point)?;
        self.hash.update(&point);
        let (x, y) = point.split_at(curve.field_len());
        Ok(AnyVerifyingKey::from_coordinates(curve, x, y)?)
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
