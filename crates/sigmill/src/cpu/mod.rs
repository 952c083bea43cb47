//! Features of this CPU, detected once.
//!
//! A backend that needs instructions beyond the base of its architecture requires a *token*. Only
//! detection creates tokens, so code that holds one may run those instructions. The environment
//! variable `SIGMILL_CPU` limits what detection may find (see `ENVIRONMENT_VARIABLE`). It is read
//! once, when the first token is requested.

#[cfg(target_arch = "x86_64")]
mod assembly;
pub(crate) mod tokens;

use core::fmt;

#[cfg(target_arch = "x86_64")]
pub(crate) use assembly::lines;
#[cfg(feature = "portable-lanes")]
pub(crate) use tokens::wants_portable_lanes;
#[cfg(any(target_arch = "x86_64", test))]
pub(crate) use tokens::{Adx, Avx2, Avx512, Fma, Ifma};
use tokens::{has_adx, has_avx512, has_fma, has_ifma};

/// True if curves may use lanes that are not for the suite under memcheck (crates/sigmill-ct):
/// those of AVX-512, whose instructions memcheck does not know, and those of FMA, which handle only
/// public values.
#[cfg(target_arch = "x86_64")]
pub(crate) const BEYOND_MEMCHECK: bool = !cfg!(sigmill_ct_check);

/// The environment variable that restricts the choice of backends, for tests and for operators.
///
/// - `SIGMILL_CPU=portable` allows portable code only.
/// - `SIGMILL_CPU=adx` allows MULX/ADCX/ADOX code and four lanes of AVX2 for secrets in bulk, each
///   if the CPU has it.
/// - `SIGMILL_CPU=fma` also allows lanes of public values by AVX2 and FMA, and
///   `SIGMILL_CPU=avx512f` by AVX-512 without IFMA.
/// - `SIGMILL_CPU=ifma`, `auto`, the empty string, or no variable allows the best.
/// - `SIGMILL_CPU=portable-lanes`, with the feature of that name, computes in portable code what
///   AVX-512 IFMA would. It is slow, and for tests.
///
/// A backend that the CPU lacks is never used, whatever the value. Any other value means `auto`;
/// [`check_environment`] reports it.
pub const ENVIRONMENT_VARIABLE: &str = "SIGMILL_CPU";

/// The kinds of code, slowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    #[cfg(feature = "portable-lanes")]
    PortableLanes,
    Portable,
    Adx,
    Fma,
    Avx512f,
    Ifma,
}

const LEVELS: &[(Level, &str, &str)] = &[
    #[cfg(feature = "portable-lanes")]
    (
        Level::PortableLanes,
        "portable-lanes",
        "portable code that computes as the eight lanes of ifma do: slow, for tests",
    ),
    (Level::Portable, "portable", "64-bit integer code, any CPU"),
    (
        Level::Adx,
        "adx",
        "x86-64 assembly with MULX (BMI2), ADCX and ADOX (ADX)",
    ),
    (
        Level::Fma,
        "fma",
        "four lanes of AVX2 and FMA for public values, all else as adx or portable",
    ),
    (
        Level::Avx512f,
        "avx512f",
        "eight lanes of AVX-512 for public values, all else as adx",
    ),
    (
        Level::Ifma,
        "ifma",
        "eight lanes of AVX-512 IFMA, single values as adx",
    ),
];

#[cfg(feature = "std")]
#[inline]
fn allowed() -> Level {
    // Without a lock, because the child of a process that forks could find it taken.
    static ALLOWED: once_cell::race::OnceBox<Level> = once_cell::race::OnceBox::new();
    *ALLOWED.get_or_init(|| Box::new(requested().ok().flatten().unwrap_or(best())))
}

#[cfg(not(feature = "std"))]
#[inline]
fn allowed() -> Level {
    best()
}

const fn best() -> Level {
    LEVELS[LEVELS.len() - 1].0
}

/// Returns the level that the environment names; `None` if it names none.
#[cfg(feature = "std")]
fn requested() -> Result<Option<Level>, UnknownBackend> {
    let Some(value) = std::env::var_os(ENVIRONMENT_VARIABLE) else {
        return Ok(None);
    };
    let value = value.to_string_lossy();
    if value.is_empty() || value.eq_ignore_ascii_case("auto") {
        return Ok(None);
    }
    match LEVELS
        .iter()
        .find(|(_, name, _)| value.eq_ignore_ascii_case(name))
    {
        Some(&(level, _, _)) => Ok(Some(level)),
        None => Err(UnknownBackend(value.into_owned())),
    }
}

/// Checks that `SIGMILL_CPU` holds a known name.
///
/// # Errors
/// Returns [`UnknownBackend`] with the value if it is neither a backend's name nor `auto` nor
/// empty.
#[cfg(feature = "std")]
pub fn check_environment() -> Result<(), UnknownBackend> {
    requested().map(|_| ())
}

/// The error that `SIGMILL_CPU` holds a name that no backend has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownBackend(alloc::string::String);

impl fmt::Display for UnknownBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{ENVIRONMENT_VARIABLE}: no backend is called {:?}; there are auto",
            self.0
        )?;
        LEVELS
            .iter()
            .try_for_each(|(_, name, _)| write!(f, ", {name}"))
    }
}

impl core::error::Error for UnknownBackend {}

/// One backend, as `sigmill cpu` lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backend {
    /// The name that `SIGMILL_CPU` accepts.
    pub name: &'static str,
    /// The kind of code that it consists of.
    pub description: &'static str,
    /// True if this CPU has the instructions.
    pub available: bool,
    /// True if P-256 runs on it.
    pub used: bool,
    /// The reason why it is used or not.
    pub why: &'static str,
}

/// Returns every backend, slowest first, with the results of detection and `SIGMILL_CPU`.
pub fn backends() -> alloc::vec::Vec<Backend> {
    let has = |level| match level {
        #[cfg(feature = "portable-lanes")]
        Level::PortableLanes => true,
        Level::Portable => true,
        Level::Adx => has_adx(),
        Level::Fma => has_fma(),
        Level::Avx512f => has_adx() && has_fma() && has_avx512(),
        Level::Ifma => has_adx() && has_ifma(),
    };
    let chosen = LEVELS
        .iter()
        .rev()
        .map(|entry| entry.0)
        .find(|&level| has(level) && level <= allowed());
    LEVELS
        .iter()
        .map(|&(level, name, description)| {
            let used = Some(level) == chosen;
            let why = if used {
                "the fastest that this CPU has and SIGMILL_CPU allows"
            } else if !has(level) {
                "this CPU lacks the instructions"
            } else if level > allowed() {
                "forbidden by SIGMILL_CPU"
            } else {
                "a faster one is used"
            };
            Backend {
                name,
                description,
                available: has(level),
                used,
                why,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_one_backend_is_used_and_it_is_available() {
        let backends = backends();
        let used: alloc::vec::Vec<_> = backends.iter().filter(|backend| backend.used).collect();
        assert_eq!(used.len(), 1);
        assert!(used[0].available);
        let names = match Adx::detect() {
            Some(_) => &["adx", "fma", "avx512f", "ifma"][..],
            None => &["portable-lanes", "portable", "fma"],
        };
        assert!(names.contains(&used[0].name));
        assert_eq!(used[0].name == "ifma", Ifma::detect().is_some());
    }
}
