//! The encoded keys that are remembered, so that they need not be parsed again.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, RwLock};

use super::budget::HEAP_BYTES;
use super::known_key::KnownKey;
use super::sketch::FrequencySketch;
use super::slots::{Slot, Slots};
use super::stats::KeyStoreStats;
use crate::CurveName;
use crate::bulk::locks::{read, write};

/// The longest encoding that is remembered, in bytes. Every usual one is shorter; a longer one (for
/// example a JWK with a certificate chain) is parsed at each lookup.
pub(super) const LONGEST_NAME: usize = 4096;

/// The number of names that are checked to make room for another one. For a name that comes for the
/// first time, only the next one is checked: it displaces a name that has not come for a period. So
/// in a flood of such names, each reads the counters of one other name and not of eight.
const SAMPLE: usize = 8;

/// The bytes that are worth a separate shard: some 150 names.
const SHARD_BYTES: usize = 64 << 10;

/// The number of slots that a shard begins with.
const FIRST_SLOTS: usize = 16;

/// The most shards: many more than threads, so that two threads seldom meet.
const MOST_SHARDS: usize = 64;

/// A key as it was written.
struct Name {
    hash: u64,
    curve: CurveName,
    encoded: Box<[u8]>,
    key: Arc<KnownKey>,
}

impl Slot for Name {
    fn hash(&self) -> u64 {
        self.hash
    }
}

impl Name {
    /// Returns the memory of a name in addition to its slot. The key is counted for each of its
    /// names.
    fn bytes_of(encoded: &[u8]) -> usize {
        encoded.len() + HEAP_BYTES + KnownKey::BYTES
    }

    fn bytes(&self) -> usize {
        Self::bytes_of(&self.encoded)
    }
}

/// The names, in shards that lock separately. Each shard has its share of the memory.
pub(super) struct Names {
    shards: Box<[Shard]>,
}

struct Shard {
    names: RwLock<ShardNames>,
    limit: usize,
    hits: AtomicU64,
    misses: AtomicU64,
}

#[derive(Default)]
struct ShardNames {
    slots: Slots<Name>,
    name_bytes: usize,
}

impl Names {
    /// Creates shards for names in at most `bytes` bytes.
    pub(super) fn new(bytes: usize) -> Self {
        let shards = (bytes / SHARD_BYTES).clamp(1, MOST_SHARDS);
        let shards = 1 << shards.ilog2();
        let shard = || Shard {
            names: RwLock::default(),
            limit: bytes / shards,
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        };
        Self {
            shards: (0..shards).map(|_| shard()).collect(),
        }
    }

    /// Returns the memory of the shards themselves, in bytes.
    pub(super) fn fixed_bytes(&self) -> usize {
        size_of_val(&*self.shards)
    }

    fn shard(&self, hash: u64) -> &Shard {
        &self.shards[(hash >> 40) as usize & (self.shards.len() - 1)]
    }

    /// Returns the key of a name. `hash` is that of curve and bytes.
    pub(super) fn get(&self, hash: u64, curve: CurveName, encoded: &[u8]) -> Option<Arc<KnownKey>> {
        let shard = self.shard(hash);
        let found = read(&shard.names).get(hash, curve, encoded);
        let count = if found.is_some() {
            &shard.hits
        } else {
            &shard.misses
        };
        count.fetch_add(1, Relaxed);
        found
    }

    /// Counts a lookup of a name in a store that remembers no names.
    pub(super) fn miss(&self, hash: u64) {
        self.shard(hash).misses.fetch_add(1, Relaxed);
    }

    /// Remembers a name that came `came` times recently, if it is worth more than those that must
    /// go for it. Returns the key under this name; if another thread was faster, that of the other
    /// thread.
    pub(super) fn remember(
        &self,
        hash: u64,
        curve: CurveName,
        encoded: &[u8],
        key: Arc<KnownKey>,
        came: u32,
        frequency: &FrequencySketch,
    ) -> Arc<KnownKey> {
        let shard = self.shard(hash);
        let bytes = Name::bytes_of(encoded);
        if encoded.len() > LONGEST_NAME || bytes > shard.limit {
            return key;
        }
        let forgotten;
        {
            let mut names = write(&shard.names);
            if let Some(found) = names.get(hash, curve, encoded) {
                return found;
            }
            names.grow(shard.limit);
            match names.make_room(shard.limit, bytes, came, frequency) {
                Some(names) => forgotten = names,
                None => return key,
            }
            names.name_bytes += bytes;
            names.slots.insert(Name {
                hash,
                curve,
                encoded: encoded.into(),
                key: key.clone(),
            });
        }
        drop(forgotten);
        key
    }

    pub(super) fn count_in(&self, stats: &mut KeyStoreStats) {
        for shard in &self.shards {
            stats.hits += shard.hits.load(Relaxed);
            stats.misses += shard.misses.load(Relaxed);
            let names = read(&shard.names);
            stats.keys += names.slots.len() as u64;
            stats.bytes_used += (names.slots.memory_bytes() + names.name_bytes) as u64;
        }
    }
}

impl ShardNames {
    fn get(&self, hash: u64, curve: CurveName, encoded: &[u8]) -> Option<Arc<KnownKey>> {
        let is = |name: &Name| name.curve == curve && *name.encoded == *encoded;
        let position = self.slots.find(hash, is)?;
        Some(self.slots.get(position).key.clone())
    }

    /// Makes the slots about twice as many when all are taken, up to the number of names of usual
    /// length that the limit allows. If there is no memory, the number stays.
    fn grow(&mut self, limit: usize) {
        let present = self.slots.capacity();
        if self.slots.len() < present {
            return;
        }
        let name = Name::bytes_of(&[0; 33]) + Slots::<Name>::bytes_of(1);
        let mut wanted = (limit / name).min(u32::MAX as usize);
        while wanted.div_ceil(2) > present.max(FIRST_SLOTS) {
            wanted = wanted.div_ceil(2);
        }
        let memory = self.slots.memory_bytes() + self.name_bytes;
        if wanted > present && memory + Slots::<Name>::bytes_of(wanted) <= limit {
            self.slots.allocate(wanted);
        }
    }

    /// Forgets the least frequent of the names under the hand, until `bytes` more fit. Returns
    /// `None`, and forgets nothing, if taken together they come as often as the newcomer.
    fn make_room(
        &mut self,
        limit: usize,
        bytes: usize,
        newcomer: u32,
        frequency: &FrequencySketch,
    ) -> Option<Vec<Name>> {
        let room = limit.saturating_sub(self.slots.memory_bytes());
        let most = self.slots.capacity();
        let fits = |slots: usize, used: usize| slots < most && used + bytes <= room;
        let (mut slots, mut used) = (self.slots.len(), self.name_bytes);
        if fits(slots, used) {
            return Some(vec![]);
        }
        let sample = if newcomer > 1 { SAMPLE } else { 1 };
        let mut candidates: Vec<(u32, usize)> = self
            .slots
            .sample(sample)
            .map(|i| (frequency.estimate(self.slots.get(i).hash), i))
            // A name that comes as often as the newcomer stays: in a flood all do.
            .filter(|&(frequency, _)| frequency < newcomer)
            .collect();
        // The next newcomer then need not wait for the counters of the name that it is weighed
        // against.
        if let Some(next) = self.slots.under_hand() {
            frequency.prefetch(next.hash);
        }
        candidates.sort_unstable();
        let mut victims = vec![];
        let mut loss = 0;
        for (frequency, position) in candidates {
            loss += frequency;
            if loss >= newcomer {
                return None;
            }
            slots -= 1;
            used -= self.slots.get(position).bytes();
            victims.push(position);
            if fits(slots, used) {
                // From the back, as a removal moves the last entry.
                victims.sort_unstable_by(|a, b| b.cmp(a));
                self.name_bytes = used;
                return Some(
                    victims
                        .into_iter()
                        .map(|i| self.slots.swap_remove(i))
                        .collect(),
                );
            }
        }
        None
    }
}
