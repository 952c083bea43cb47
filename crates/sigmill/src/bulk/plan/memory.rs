//! The cost of tables that do not fit into the caches.

/// The caches, which decide the extra time of a point that is not in them.
///
/// A table with a wide window saves additions, but its points are less often in a cache: with 64
/// keys in use, single calls made 75,000 verifications a second at window 6 and 55,000 at window 10
/// (5.6 MB and 54 MB of tables; Zen 3 with 32 MB of third-level cache, on a busy host).
#[derive(Clone, Copy, Debug)]
pub(super) struct Caches {
    /// The second-level cache, in bytes.
    pub(super) second_level: u64,
    /// The part of the third-level cache that may be counted on, in bytes.
    third_level: u64,
}

/// The extra time of a point from the third-level cache, and from memory, compared with one from
/// the second-level cache, in picoseconds: those of a server, in single calls. Compare single calls
/// by window, with 64 keys that alternate.
const THIRD_LEVEL: f64 = 5_000.0;
const MEMORY: f64 = 200_000.0;

/// One part in this many of the third-level cache is counted on; the rest belongs to others.
const THIRD_LEVEL_PARTS: u64 = 4;

/// The most of it that is counted on: hosts report the cache that all their guests share.
const MOST_OF_THIRD_LEVEL: u64 = 16 << 20;

/// The factor by which a point costs less in a block than in a single call. Rows that are judged
/// together fetch their points together, and rows of one key are adjacent, so they use the same
/// pages. (Sapphire Rapids, busy, in lanes: 1,000 keys with tables of window 6, 88 MB, four rows
/// each, 39 ns a point; 8 keys with tables of window 10, 7 MB, 1 to 3 ns.) Compare estimates with
/// actual times by `sigmill verify --explain`, with more keys than the caches hold.
const CHEAPER_IN_BLOCKS: f64 = 5.0;

impl Caches {
    /// The caches of a server.
    pub(super) const FIXED: Self = Self {
        second_level: 1 << 20,
        third_level: 8 << 20,
    };

    /// Returns the caches that this CPU reports.
    pub(super) fn of_this_machine() -> Self {
        let Some((second_level, third_level)) = cache_bytes() else {
            return Self::FIXED;
        };
        let third_level = (third_level / THIRD_LEVEL_PARTS).min(MOST_OF_THIRD_LEVEL);
        Self {
            second_level,
            third_level: third_level.max(second_level),
        }
    }

    /// Returns the extra nanoseconds of a point compared with a near one, when tables of `bytes`
    /// bytes are in use and all their points are equally likely: a cache holds the share that it
    /// has room for.
    pub(super) fn nanoseconds(&self, bytes: f64, in_block: bool) -> f64 {
        let missing = |cache: u64| (1.0 - cache as f64 / bytes.max(1.0)).max(0.0);
        let beyond_second = missing(self.second_level);
        let beyond_third = missing(self.third_level).min(beyond_second);
        let picoseconds = (beyond_second - beyond_third) * THIRD_LEVEL + beyond_third * MEMORY;
        picoseconds / 1000.0 / if in_block { CHEAPER_IN_BLOCKS } else { 1.0 }
    }
}

/// Returns the bytes of the second- and third-level caches; the latter are 0 if the CPU has no
/// third level.
#[cfg(target_arch = "x86_64")]
fn cache_bytes() -> Option<(u64, u64)> {
    let caches = raw_cpuid::CpuId::new().get_cache_parameters()?;
    let (mut second, mut third) = (0, 0);
    for cache in caches {
        let lines = cache.sets() as u64 * cache.associativity() as u64;
        let line = (cache.physical_line_partitions() * cache.coherency_line_size()) as u64;
        match cache.level() {
            2 => second = lines * line,
            3 => third = lines * line,
            _ => {}
        }
    }
    (second > 0).then_some((second, third))
}

#[cfg(not(target_arch = "x86_64"))]
fn cache_bytes() -> Option<(u64, u64)> {
    None
}
