//! The entries of peers: for an operation, its name, its version, and a function that creates the
//! work.

use std::hint::black_box;
use std::marker::PhantomData;
use std::ops::Range;

use anyhow::{Context as _, Result};
use sigmill::CurveName;

use crate::inputs::{CurveInputs, Inputs};
use crate::row_set::RowSet;
use crate::versions::Versions;

/// The name of the base of all ratios: the system's OpenSSL.
pub(crate) const OPENSSL: &str = "OpenSSL";
/// The name of this project's entries.
pub(crate) const OURS: &str = "sigmill";

/// The result of an operation, to check before timing.
pub(crate) enum Output {
    /// r and s of [`CurveInputs::row`], big-endian.
    Signature(Vec<u8>),
    /// The shared secret of [`CurveInputs::pair`].
    Shared(Vec<u8>),
    /// A shared secret of a fresh own key, whose public half is included, and of the peer's key of
    /// the pair: for interfaces that accept no private key.
    SharedWithFresh { public: Vec<u8>, shared: Vec<u8> },
    /// A new key: private big-endian, public SEC 1 uncompressed.
    KeyPair { private: Vec<u8>, public: Vec<u8> },
    /// The operation checked itself.
    Checked,
}

/// Something that can be timed.
pub(crate) trait Subject {
    /// Does the i-th piece of work; timed. `false` is a wrong result and ends the run.
    fn call(&mut self, i: usize) -> bool;
    /// The number of operations in one call: 1, or the size of a batch or of a chain.
    fn items_per_call(&self) -> usize {
        1
    }
    /// For a verification: does the i-th piece of work, untimed, and returns for each of its rows
    /// whether it was accepted.
    fn verdicts(&mut self, i: usize) -> Vec<bool> {
        vec![self.call(i)]
    }
    /// Does it again, untimed, and returns the result.
    fn output(&mut self, i: usize) -> Result<Output>;
    /// The octets that each prepared key keeps in memory.
    fn memory_per_key(&self) -> Option<usize> {
        None
    }
    /// Remarks in addition to the numbers, requested after timing.
    fn remarks(&mut self) -> Option<String> {
        None
    }
}

/// Verification: the verdict on row i.
struct Verdict<F> {
    verify: F,
    memory_per_key: Option<usize>,
}

impl<F: FnMut(usize) -> bool> Subject for Verdict<F> {
    fn call(&mut self, i: usize) -> bool {
        (self.verify)(i)
    }

    fn output(&mut self, _: usize) -> Result<Output> {
        Ok(Output::Checked)
    }

    fn memory_per_key(&self) -> Option<usize> {
        self.memory_per_key
    }
}

/// Everything that computes a value: `compute` is timed, `encode` makes the value checkable.
struct Computation<T, F, E> {
    compute: F,
    encode: E,
    value: PhantomData<fn() -> T>,
}

impl<T, F, E> Subject for Computation<T, F, E>
where
    F: FnMut(usize) -> Result<T>,
    E: FnMut(usize, T) -> Result<Output>,
{
    fn call(&mut self, i: usize) -> bool {
        black_box((self.compute)(i)).is_ok()
    }

    fn output(&mut self, i: usize) -> Result<Output> {
        let value = (self.compute)(i)?;
        (self.encode)(i, value)
    }
}

/// The same for the number of pieces of work in a call.
struct ComputationOfMany<T, F, E> {
    count: usize,
    compute: F,
    encode: E,
    value: PhantomData<fn() -> T>,
}

impl<T, F, E> Subject for ComputationOfMany<T, F, E>
where
    F: FnMut(Range<usize>) -> Result<Vec<T>>,
    E: FnMut(T) -> Result<Output>,
{
    fn call(&mut self, i: usize) -> bool {
        black_box((self.compute)(self.count * i..self.count * (i + 1))).is_ok()
    }

    fn items_per_call(&self) -> usize {
        self.count
    }

    /// The output of piece i, from its call.
    fn output(&mut self, i: usize) -> Result<Output> {
        let start = i - i % self.count;
        let values = (self.compute)(start..start + self.count)?;
        let value = values.into_iter().nth(i - start);
        (self.encode)(value.context("a value too few")?)
    }
}

/// A verification of row i.
pub(crate) fn verdict(verify: impl FnMut(usize) -> bool + 'static) -> Box<dyn Subject> {
    verdict_with_memory(None, verify)
}

/// A verification of row i with keys that keep this number of octets each.
pub(crate) fn verdict_with_memory(
    memory_per_key: Option<usize>,
    verify: impl FnMut(usize) -> bool + 'static,
) -> Box<dyn Subject> {
    Box::new(Verdict {
        verify,
        memory_per_key,
    })
}

pub(crate) fn computation<T: 'static>(
    compute: impl FnMut(usize) -> Result<T> + 'static,
    encode: impl FnMut(usize, T) -> Result<Output> + 'static,
) -> Box<dyn Subject> {
    Box::new(Computation {
        compute,
        encode,
        value: PhantomData,
    })
}

/// A computation of `count` pieces of work in one call, those of the numbers passed.
pub(crate) fn computation_of_many<T: 'static>(
    count: usize,
    compute: impl FnMut(Range<usize>) -> Result<Vec<T>> + 'static,
    encode: impl FnMut(T) -> Result<Output> + 'static,
) -> Box<dyn Subject> {
    Box::new(ComputationOfMany {
        count,
        compute,
        encode,
        value: PhantomData,
    })
}

type MakeVerify = Box<dyn Fn(&CurveInputs) -> Result<Box<dyn Subject>>>;
type MakeCompute = Box<dyn Fn(&Inputs) -> Result<Box<dyn Subject>>>;

/// A function that creates an entry's work from the inputs.
pub(crate) enum Work {
    /// Created twice: from the rows of a set, which are timed, and from some of them interspersed
    /// with tampered ones, which must be rejected.
    Verify {
        curve: CurveName,
        set: RowSet,
        make: MakeVerify,
    },
    /// Signing, key generation, agreement; `curve` is that of the output, `None` for X25519.
    Compute {
        curve: Option<CurveName>,
        make: MakeCompute,
    },
}

/// One implementation of one operation.
pub(crate) struct Entry {
    /// `p256/verify/fresh/single`.
    pub(crate) op: String,
    pub(crate) implementation: &'static str,
    pub(crate) version: String,
    /// The timed call, and what is prepared beforehand.
    pub(crate) timed: &'static str,
    pub(crate) work: Work,
    /// The number of rows of the set that are judged before timing, in addition to the tampered
    /// ones.
    pub(crate) checked_rows: usize,
    /// An operation of the same implementation for comparison, round by round: itself on one
    /// thread. Then the bench's own thread does not do the work, and all time counts.
    pub(crate) one_thread: Option<String>,
}

/// The number of pieces of work that are checked before timing, unless the entry overrides it
/// (verdicts are checked in every call).
const CHECKED: usize = 128;

impl Entry {
    pub(crate) fn is_ours(&self) -> bool {
        self.implementation == OURS
    }
}

/// All entries, in the order of registration.
pub(crate) struct Registry {
    pub(crate) versions: Versions,
    pub(crate) entries: Vec<Entry>,
}

impl Registry {
    pub(crate) fn new(versions: Versions) -> Self {
        Self {
            versions,
            entries: Vec::new(),
        }
    }

    /// Returns a [`Peer`], through which a peer registers everything.
    pub(crate) fn peer(&mut self, implementation: &'static str, version: String) -> Peer<'_> {
        Peer {
            registry: self,
            implementation,
            version,
        }
    }
}

/// An implementation that is registering its operations.
pub(crate) struct Peer<'a> {
    registry: &'a mut Registry,
    implementation: &'static str,
    version: String,
}

impl Peer<'_> {
    /// Registers a verification. For a peer without prepared keys, `fresh` and `prepared` are the
    /// same call: see [`Self::verify_fresh_and_prepared`].
    pub(crate) fn verify(
        &mut self,
        op: &str,
        timed: &'static str,
        curve: CurveName,
        make: impl Fn(&CurveInputs) -> Result<Box<dyn Subject>> + 'static,
    ) -> &mut Entry {
        self.verify_set(op, timed, curve, RowSet::AsAsked, make)
    }

    /// Registers a verification of the rows of a set.
    pub(crate) fn verify_set(
        &mut self,
        op: &str,
        timed: &'static str,
        curve: CurveName,
        set: RowSet,
        make: impl Fn(&CurveInputs) -> Result<Box<dyn Subject>> + 'static,
    ) -> &mut Entry {
        self.add(
            op,
            timed,
            Work::Verify {
                curve,
                set,
                make: Box::new(make),
            },
        )
    }

    /// Registers the usual verification with a parsed key, as `PREFIX/verify/fresh/single` and as
    /// `PREFIX/verify/prepared/single`; and as `.../bulk`, the rows of a bulk operation one by one,
    /// on the curves that sigmill's bulk engine supports.
    pub(crate) fn verify_fresh_and_prepared(
        &mut self,
        prefix: &str,
        timed: &'static str,
        curve: CurveName,
        make: impl Fn(&CurveInputs) -> Result<Box<dyn Subject>> + Copy + 'static,
    ) {
        self.verify(&format!("{prefix}/verify/fresh/single"), timed, curve, make);
        self.verify(
            &format!("{prefix}/verify/prepared/single"),
            timed,
            curve,
            make,
        );
        if curve != CurveName::Secp256k1 {
            for (name, set) in [
                ("fresh/bulk", RowSet::NewKeys),
                ("prepared/bulk", RowSet::FewKeys),
            ] {
                self.verify_set(&format!("{prefix}/verify/{name}"), timed, curve, set, make);
            }
        }
    }

    /// Registers an operation that computes something.
    pub(crate) fn compute(
        &mut self,
        op: &str,
        timed: &'static str,
        curve: Option<CurveName>,
        make: impl Fn(&Inputs) -> Result<Box<dyn Subject>> + 'static,
    ) -> &mut Entry {
        self.add(
            op,
            timed,
            Work::Compute {
                curve,
                make: Box::new(make),
            },
        )
    }

    fn add(&mut self, op: &str, timed: &'static str, work: Work) -> &mut Entry {
        self.registry.entries.push(Entry {
            op: op.to_owned(),
            implementation: self.implementation,
            version: self.version.clone(),
            timed,
            work,
            checked_rows: CHECKED,
            one_thread: None,
        });
        let last = self.registry.entries.len() - 1;
        &mut self.registry.entries[last]
    }
}
